import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { checkOne } from "../acts/check.ts";
import { writeAtomically } from "../disk.ts";
import { FileRefusedError, messageOf, PaydropError } from "../errors.ts";
import type { CheckedFile, ResultStatus } from "../events.ts";
import { inboxFolders } from "../intake/inbox.ts";
import { inputName, isOperationFolder } from "../intake/names.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { tellFault, wordsOf } from "../messages/faults.ts";
import { told, type Facts, type Fault, type Told } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { sha256Of } from "../results/place.ts";
import { remarkTexts } from "../results/summary.ts";
import { occurringIn } from "../results/totals.ts";
import { mayDo } from "../acts/accounts.ts";
import { actAt, type Desk } from "./desk.ts";
import { button, factsOf, form, markup, said, statusTag, tableOf, type Html, type Shown } from "./html.ts";
import { inboxesOf } from "./inboxes.ts";
import { todoShown } from "./places.ts";
import { goodNewsOf, newsOf, type Asked, type Pages, type Posted, type Word } from "./pages.ts";

const STAGED_MAX = 20;

/** A file that was looked at, and may be put into its folder. */
type Staged = Readonly<Record<"path" | "folder" | "by", string>>;

/** A file is checked as `paydrop check` does it, and shown; nothing of it goes before somebody puts it into the inbox. */
export function uploadPages(pages: Pages): void {
  const { desk } = pages;
  const staging = new Staging(desk.staging);

  pages.page("/upload", async (asked) =>
    pages.framed(asked, { title: "Upload", at: "/upload", content: await chooseForm(desk, asked) }),
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
    const [id, one] = await staging.stage(file, posted.account.name, folder);
    const content = await checkPart(desk, one, putForm(posted, id, one));
    return pages.framed(posted, { title: `Checked: ${file.name}`, at: "/upload", content });
  });

  pages.act("/upload/put", async (posted) => {
    const { account } = posted;
    const id = posted.text("id");
    const one = staging.of(id);
    if (one?.by !== account.name) return refuse(posted, "not_staged");
    const name = basename(one.path);
    const path = join(one.folder, name);
    if (await lstat(path).catch(() => undefined)) return refuse(posted, "name_taken", { name });
    const act = { ...actAt(desk, account, "bring_file"), as: printable(name), note: printable(one.folder) };
    const [by, sha256] = [account.name, await sha256Of(one.path)];
    await desk.store.keep("upload", `${sha256} ${by}`, { by, sha256, at: act.at }, act);
    try {
      const bytes = createReadStream(one.path) as AsyncIterable<Buffer>;
      if (!(await writeAtomically(path, bytes, { replace: false }))) return refuse(posted, "name_taken", { name });
    } catch (error) {
      return refuse(posted, "not_put", { name, found: messageOf(error) });
    }
    await staging.remove(id);
    return pages.goTo(posted, "/", goodNewsOf("put", { name, folder: one.folder }));
  });
}

/** What is wrong with the name of a file, which it keeps here. */
export function faultOfName({ name }: File): Told | undefined {
  const says = inputName(name);
  if (says.kind === "input" && !/[/\\]/.test(name)) return undefined;
  const why = tellFault(says.kind === "refused" ? says.fault : { code: "name_unprintable" });
  return { ...why, text: `${printable(name)}: ${why.text}` };
}

/** Files that were looked at, by an id; only the newest. */
export class Staging {
  readonly #folder: string;
  readonly #files = new Map<string, Staged>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  of(id: string): Staged | undefined {
    return this.#files.get(id);
  }

  /** `folder`: where it is to go. */
  async stage(file: File, by: string, folder = ""): Promise<readonly [id: string, Staged]> {
    const id = randomBytes(12).toString("hex");
    // by the name of its folder a check knows the operation
    const under = isOperationFolder(basename(folder)) ? join(id, basename(folder)) : id;
    const path = join(this.#folder, under, file.name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, Buffer.from(await file.arrayBuffer()), { mode: 0o600 });
    const staged = { path, folder, by };
    this.#files.set(id, staged);
    for (const [old] of [...this.#files].slice(0, -STAGED_MAX)) await this.remove(old);
    return [id, staged];
  }

  async remove(id: string): Promise<void> {
    this.#files.delete(id);
    await rm(join(this.#folder, id), { recursive: true, force: true });
  }
}

/** Inboxes that are on this machine, and the operation folders in them. */
async function foldersOf(desk: Desk): Promise<readonly string[]> {
  const inboxes = inboxesOf(desk, await desk.store.folders());
  const all = (await Promise.all(inboxes.map(inboxFolders))).flat();
  const stats = await Promise.all(all.map((folder) => lstat(folder).catch(() => undefined)));
  return all.filter((_, at) => stats[at]?.isDirectory());
}

async function chooseForm(desk: Desk, { csrf, account }: Asked): Promise<Html> {
  if (!mayDo(account.role, "decide")) return markup`<p>${DESK_WORDS.upload_role}</p>`;
  const folders = await foldersOf(desk);
  if (folders.length === 0) return markup`<p>${DESK_WORDS.no_inboxes}</p>`;
  const options = folders.map((folder) => markup`<option value="${folder}">${folder}</option>`);
  const fields = markup`<p class="field"><label for="file">The file</label><input id="file" type="file" name="file" accept=".csv,.txt,.tsv,.json,.jsonl,.xlsx" required></p>
<p class="field"><label for="folder">Where it belongs</label><select id="folder" name="folder">${options}</select></p><p>${button("Check it")}</p>`;
  const { text } = told(DESK_WORDS.period_means, { days: desk.config.duplicate_days });
  return markup`<p>${DESK_WORDS.upload_means}</p><p>${text} ${DESK_WORDS.period_stated}</p>${form("/upload", csrf, fields, { encoding: "multipart/form-data" })}`;
}

async function checkPart({ config }: Desk, { path }: Staged, put: Html): Promise<Html> {
  try {
    return markup`${checkedPart(await checkOne(path, config))}${put}`;
  } catch (error) {
    if (!(error instanceof PaydropError)) throw error;
    return markup`${refusedPart(error, DESK_WORDS.refused)}<p><a href="/upload">Upload a better one</a></p>`;
  }
}

/** What became of a file that cannot be read, and why. */
export function refusedPart(error: PaydropError, became: string): Html {
  const faults = error instanceof FileRefusedError ? error.faults : [];
  const said = markup`<p>${error.text} ${todoShown(error)}</p>`;
  const why = faults.length === 0 ? said : faultTable("What is wrong", faults);
  return markup`<p class="bad" role="alert">${became}</p>${why}`;
}

function checkedPart(checked: CheckedFile): Html {
  const { operation, period, mapping, total, accounts, byStatus, control, remarks } = checked;
  const facts = {
    ...{ Operation: operation, Period: period, Mapping: mapping, Rows: total.rows, Sum: total.amount },
    "Stated totals": control ? DESK_WORDS.control_equal : DESK_WORDS.control_none,
  };
  const word = (status: ResultStatus): Shown => (status === "not_sent" ? "ready to go" : statusTag(status));
  const counts = occurringIn(byStatus).map(([status, { rows, amount }]) => [word(status), rows, amount]);
  const from = accounts.map(({ account, total: of }) => [account, of.rows, of.amount]);
  const kinds = [
    ["These rows do not go: to correct", checked.invalid, checked.invalidCount],
    ["These rows wait for a person", checked.held, checked.heldCount],
    ["Look at these", checked.pointedOut, checked.pointedOutCount],
  ] as const;
  return markup`${factsOf(facts)}
${tableOf({ caption: "What its rows are now; nothing was sent", titles: ["Rows that are", "Rows#", "Amount#"] }, counts)}
${from.length > 0 && tableOf({ caption: "From which accounts", titles: ["Account", "Rows#", "Amount#"] }, from)}
${remarkTexts(remarks).map((text) => markup`<p>${text}</p>`)}
${kinds.map(([title, faults, count]) => count > 0 && markup`<h2>${title} (${count})</h2>${faultTable("The first of each kind", faults)}`)}`;
}

function faultTable(caption: string, faults: readonly Fault[]): Html {
  const lines = faults.map((fault) => {
    const words = wordsOf(fault);
    const { row, column = "", cell = "" } = fault;
    return [row ?? "the file", said(printable(column, 60)), cell, words.text, todoShown(words)];
  });
  return tableOf({ caption, titles: ["Row", "Column", "Cell", "What is wrong", "What to do"] }, lines);
}

function putForm({ csrf }: Asked, id: string, { folder }: Staged): Html {
  const buttons = markup`<p>${DESK_WORDS.put_means}</p><p>${button(`Put it into ${folder}`)} <a href="/upload">Not this one</a></p>`;
  return form("/upload/put", csrf, buttons, { hidden: { id } });
}
