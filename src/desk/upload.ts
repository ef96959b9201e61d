import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { periodInName, readPeriod } from "../checks/beside.ts";
import { writeAtomically } from "../disk.ts";
import { messageOf } from "../errors.ts";
import { inboxFolders } from "../intake/inbox.ts";
import { inputName } from "../intake/names.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { tellFault } from "../messages/faults.ts";
import { told, type Facts, type Told } from "../messages/sentence.ts";
import { formOfPeriod } from "../period.ts";
import { printable } from "../printable.ts";
import { isRetryAsWritten, sha256Of } from "../results/place.ts";
import { mayDo } from "../acts/accounts.ts";
import { markup, type Html } from "../pages/html.ts";
import { checkPart, INPUTS } from "./checked.ts";
import { actAt, type Desk } from "./desk.ts";
import { button, field, form } from "./forms.ts";
import { inboxesOf } from "./inboxes.ts";
import { todoShown } from "./places.ts";
import { goodNewsOf, newsOf, type Asked, type Pages, type Posted, type Word } from "./pages.ts";
import { Staging } from "./staging.ts";

/** A file is checked as `paydrop check` does it, and shown; nothing of it goes before somebody puts it into the inbox. */
export function uploadPages(pages: Pages): void {
  const { desk } = pages;
  const staging = new Staging(desk.staging);

  pages.page("/upload", async (asked) =>
    pages.framed(asked, {
      ...{ title: "Upload", at: "/upload", sub: DESK_WORDS.upload_means, content: await chooseForm(desk, asked) },
    }),
  );

  /** To the page where another file is chosen. */
  const refuse = (posted: Posted, word: Word, facts: Facts = {}): Response =>
    pages.goTo(posted, "/upload", newsOf(word, facts));

  pages.act("/upload", async (posted) => {
    const [file] = [posted.form["file"] ?? []].flat();
    const folder = (await foldersOf(desk)).find((one) => one === posted.text("folder"));
    if (!(file instanceof File) || file.name === "") return refuse(posted, "no_file");
    if (folder === undefined) return refuse(posted, "no_inbox");
    const fault = faultOfName(file);
    if (fault) return pages.goTo(posted, "/upload", { isGood: false, lines: [fault.text, todoShown(fault)] });
    const named = nameWithPeriod(file.name, posted.text("period").trim());
    if (typeof named !== "string") return refuse(posted, named.word, named.facts);
    const [id, one] = await staging.stage(new File([file], named), posted.account.name, folder);
    const { content, head } = await checkPart(desk, { ...one, id }, posted);
    return pages.framed(posted, {
      ...{ title: `Checked: ${named}`, at: "/upload", crumb: markup`<a href="/upload">Upload</a>` },
      ...{ sub: head, content, foot: DESK_WORDS.upload_foot },
    });
  });

  pages.act("/upload/put", async (posted) => {
    const { account } = posted;
    const id = posted.text("id");
    const one = staging.of(id);
    if (one?.by !== account.name) return refuse(posted, "not_staged");
    const name = basename(one.path);
    const path = join(one.folder, name);
    const there = await lstat(path).catch(() => undefined);
    // a retry file that nobody has corrected makes way for the one that somebody did
    const isOurs = there?.isFile() === true && (await isRetryAsWritten(path));
    if (there && !isOurs) return refuse(posted, "name_taken", { name });
    const act = { ...actAt(desk, account, "bring_file"), as: printable(name), note: printable(one.folder) };
    const [by, sha256] = [account.name, await sha256Of(one.path)];
    await desk.store.keep("upload", `${sha256} ${by}`, { by, sha256, at: act.at }, act);
    try {
      const bytes = createReadStream(one.path) as AsyncIterable<Buffer>;
      if (!(await writeAtomically(path, bytes, { replace: isOurs }))) return refuse(posted, "name_taken", { name });
    } catch (error) {
      return refuse(posted, "not_put", { name, found: messageOf(error) });
    }
    await staging.remove(id);
    return pages.goTo(posted, "/", goodNewsOf("put", { name, folder: basename(one.folder) }));
  });
}

/** What is wrong with the name of a file, which it keeps here. */
export function faultOfName({ name }: File): Told | undefined {
  const says = inputName(name);
  if (says.kind === "input" && !/[/\\]/.test(name)) return undefined;
  const why = tellFault(says.kind === "refused" ? says.fault : { code: "name_unprintable" });
  return { ...why, text: `${printable(name)}: ${why.text}` };
}

/** A month or a week that is stated stands in the name: there whoever takes the file finds it. */
function nameWithPeriod(name: string, said: string): string | { readonly word: Word; readonly facts: Facts } {
  if (said === "") return name;
  const says = inputName(name);
  if (says.kind === "input" && says.isRetry) return { word: "period_of_retry", facts: {} };
  const period = readPeriod(said);
  const isNamed = period !== undefined && period !== "" && !period.includes(" ") && formOfPeriod(period) !== "day";
  if (!isNamed) return { word: "period_unclear", facts: { said: printable(said, 40) } };
  const own = periodInName(name);
  if (own === period) return name;
  if (own !== undefined) return { word: "period_named", facts: { name: printable(name, 60), own, said: period } };
  const end = extname(name);
  const stem = name.slice(0, name.length - end.length);
  // behind `june` it would be read as two months
  const named = [`${stem}-${period}${end}`, `${period}-${stem}${end}`].find((one) => periodInName(one) === period);
  return named ?? { word: "period_unread", facts: { name: printable(name, 60), said: period } };
}

/** Inboxes that are on this machine, and the operation folders in them. */
async function foldersOf(desk: Desk): Promise<readonly string[]> {
  const inboxes = inboxesOf(desk, await desk.store.folders());
  const all = (await Promise.all(inboxes.map(inboxFolders))).flat();
  const stats = await Promise.all(all.map((folder) => lstat(folder).catch(() => undefined)));
  return all.filter((_, at) => stats[at]?.isDirectory());
}

async function chooseForm(desk: Desk, { csrf, account }: Asked): Promise<Html> {
  if (!mayDo(account.role, "decide")) return markup`<p class="card in">${DESK_WORDS.upload_role}</p>`;
  const folders = await foldersOf(desk);
  const [only, ...others] = folders;
  if (only === undefined) return markup`<p class="card in">${DESK_WORDS.no_inboxes}</p>`;
  const options = folders.map((folder) => markup`<option value="${folder}">${shortName(folder, folders)}</option>`);
  const where =
    others.length > 0 &&
    markup`<p class="field"><label for="folder">Where it belongs</label><select id="folder" name="folder">${options}</select></p>`;
  const { text } = told(DESK_WORDS.period_means, { days: desk.config.duplicate_days });
  const fields = markup`<p class="field"><label for="file">The file</label><input id="file" type="file" name="file" accept="${INPUTS}" required></p>${where}
${field("period", "What it pays for, if the file does not say it", { maxlength: "40", placeholder: "2026-11 or 2026-W47", autocomplete: "off", hint: DESK_WORDS.period_hint })}
<p class="acts">${button("Check it")} <span class="soft">${DESK_WORDS.upload_check}</span></p><details><summary>${DESK_WORDS.period_title}</summary><p class="in">${text} ${DESK_WORDS.period_stated}</p></details>`;
  const hidden = others.length > 0 ? {} : { folder: only };
  return form("/upload", csrf, fields, { encoding: "multipart/form-data", kind: "card form", hidden });
}

/** The last part of its path; of two that end alike, more of it. */
function shortName(folder: string, all: readonly string[]): string {
  const name = basename(folder);
  return all.filter((one) => basename(one) === name).length > 1 ? folder : name;
}
