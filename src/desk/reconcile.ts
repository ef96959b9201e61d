import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import pLimit from "p-limit";
import { mayDo } from "../acts/accounts.ts";
import { seenOf } from "../acts/as-seen.ts";
import { noteText } from "../acts/findings.ts";
import type { Reconciling } from "../acts/reconcile.ts";
import { sumOf } from "../amount.ts";
import { FileRefusedError, foreseen, PaydropError } from "../errors.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { told, type Told } from "../messages/sentence.ts";
import { comparedOf, comparedPart, placeOf, rowsIn, type Compared } from "./compared.ts";
import { linesOfError, newsOfAct, personAt, type Desk } from "./desk.ts";
import { button, choices, field, form, markup, said, type Html, type News } from "./html.ts";
import { newsOf, type Asked, type Pages, type Posted } from "./pages.ts";
import { todoShown } from "./places.ts";
import type { ActOf } from "./rights.ts";
import { faultOfName, refusedPart, Staging } from "./upload.ts";

const COMPARED_MAX = 20;
const HERE = { title: "Reconcile", at: "/reconcile" };

/** A bank's statement is compared with what went, and what it shows is settled, by whoever has looked at it (README §15). */
export function reconcilePages(pages: Pages): void {
  const { desk } = pages;
  const staging = new Staging(desk.staging);
  const compared = new Map<string, Compared>();
  // what was seen is kept by batch: two at once would each keep its own
  const inTurn = pLimit(1);

  pages.page("/reconcile", async (asked) => {
    const id = asked.c.req.query("statement");
    if (id === undefined) return pages.framed(asked, { ...HERE, content: chooseForm(asked) });
    const one = compared.get(id);
    if (one?.by !== asked.account.name) return pages.goTo(asked, "/reconcile", newsOf("compared_gone"));
    return pages.framed(asked, { ...HERE, content: await comparedPart(desk, asked, id, one) });
  });

  pages.act("/reconcile", async (posted, reconcile) => {
    const { account } = posted;
    const typed: Typed = { account: posted.text("account").trim(), dates: posted.text("dates") };
    const again = (why: Html, more: Typed = {}): Response =>
      pages.framed(posted, { ...HERE, content: markup`${why}${chooseForm(posted, { ...typed, ...more })}` });
    const staged = await stagedOf(staging, posted);
    if (!("id" in staged)) return again(markup`<p class="bad" role="alert">${staged.text} ${todoShown(staged)}</p>`);
    const { id, path } = staged;
    const dayFirst = typed.dates ? typed.dates === "day-first" : undefined;
    const values = { statement: path, account: typed.account || undefined, dayFirst };
    try {
      await desk.endOfDead();
      const found = await inTurn(() => reconcile(desk, personAt(desk, account), values));
      await staging.remove(id);
      return goToFound(posted, found);
    } catch (thrown) {
      const error = foreseen(thrown);
      const asks = askedBy(error);
      if (!asks) await staging.remove(id);
      if (!(error instanceof PaydropError)) throw error;
      const isRefused = error instanceof FileRefusedError && !asks;
      const why = refusedPart(error, isRefused ? DESK_WORDS.not_read : DESK_WORDS.not_compared);
      return again(why, asks && { asks, staged: { id, name: basename(path) } });
    }
  });

  const goToFound = (posted: Posted, found: Reconciling): Response => {
    const id = randomBytes(12).toString("hex");
    compared.set(id, comparedOf(found, posted.account.name));
    for (const old of [...compared.keys()].slice(0, -COMPARED_MAX)) compared.delete(old);
    const to = `/reconcile?statement=${id}`;
    for (const failed of found.failed) desk.say(`desk: ${failed.message}`);
    const [failed] = found.failed;
    return failed ? pages.goTo(posted, to, { isGood: false, lines: linesOfError(failed) }) : posted.c.redirect(to, 303);
  };

  pages.act("/reconcile/settle", async (posted, settle) => {
    const id = posted.text("statement");
    const one = compared.get(id);
    if (one?.by !== posted.account.name) return pages.goTo(posted, "/reconcile", newsOf("compared_gone"));
    return pages.goTo(posted, `/reconcile?statement=${id}`, await settleTicked(desk, posted, one, settle));
  });
}

/** Each row for which a line speaks, and which was ticked; none by another sum than theirs. */
async function settleTicked(
  desk: Desk,
  { account, text, texts }: Posted,
  one: Compared,
  settle: ActOf<"/reconcile/settle">,
): Promise<News> {
  const [ticked, total] = [texts("row"), text("total").trim()];
  one.typed = { ticked, total };
  const rows = rowsIn(one, "proposed").filter((row) => ticked.includes(placeOf(row)));
  if (rows.length === 0) return newsOf("no_rows");
  const proposed = rows.map((row) => ({
    ...{ batch: row.batch.id, row: row.record.row },
    ...{ note: noteText(row, one.fileName), seen: seenOf(row.record) },
  }));
  let done: readonly string[] = [];
  const news = await newsOfAct(desk, account, async (who) => {
    const acted = await settle(desk, who, { rows: proposed, total });
    one.typed = undefined;
    // hundreds of rows are told in one line; what did not go as they said is told for itself
    const settled = acted.found.filter(({ code }) => code === "settled_done");
    const sum = sumOf(settled.map(({ facts }) => ({ amount: String(facts["amount"] ?? "0") })));
    const facts = { rows: settled.length, by: account.name, sum };
    if (settled.length > 0) done = [told(DESK_WORDS.proposed_done, facts).text];
    return { ...acted, found: acted.found.filter((each) => !settled.includes(each)) };
  });
  return { isGood: news.isGood, lines: [...done, ...news.lines] };
}

/** What the form has by now. `asks`: what only a person can say. */
interface Typed {
  readonly account?: string;
  readonly dates?: string;
  readonly asks?: "account" | "dates";
  /** The statement is here, and waits for that. */
  readonly staged?: { readonly id: string; readonly name: string };
}

function askedBy(thrown: unknown): Typed["asks"] {
  if (thrown instanceof FileRefusedError)
    return thrown.faults.some(({ code }) => code === "statement_day_order") ? "dates" : undefined;
  return thrown instanceof PaydropError && thrown.reason === "statement_account" ? "account" : undefined;
}

/** The statement that was brought now, or before a question. */
async function stagedOf(staging: Staging, posted: Posted): Promise<{ id: string; path: string } | Told> {
  const { name: by } = posted.account;
  const [file] = [posted.form["file"] ?? []].flat();
  if (file instanceof File && file.name !== "") {
    const fault = faultOfName(file);
    if (fault) return fault;
    const [id, { path }] = await staging.stage(file, by);
    return { id, path };
  }
  const id = posted.text("id");
  const one = staging.of(id);
  if (one?.by === by) return { id, path: one.path };
  return told(id === "" ? DESK_WORDS.no_file : DESK_WORDS.not_staged);
}

function chooseForm({ csrf, account: { role } }: Asked, { account = "", dates = "", asks, staged }: Typed = {}): Html {
  if (!mayDo(role, "decide")) return markup`<p>${DESK_WORDS.reconcile_role}</p>`;
  const file = staged
    ? markup`<p>The statement: ${said(staged.name)}</p>`
    : markup`<p class="field"><label for="file">The statement</label><input id="file" type="file" name="file" accept=".csv,.txt,.tsv,.xlsx" required></p>`;
  const debit = field("account", "The account that it is of, as your files name it", {
    ...{ value: account, hint: DESK_WORDS.debit_means, maxlength: "200", autocomplete: "off" },
    ...(asks === "account" && { required: true }),
  });
  const order = choices("dates", "What stands first in its dates, such as 03/04/2026", {
    "day-first": "The day: it is 3 April",
    "month-first": "The month: it is 4 March",
  });
  const hidden = { ...(staged && { id: staged.id }), ...(asks !== "dates" && dates !== "" && { dates }) };
  const fields = markup`${file}${debit}${asks === "dates" && order}<p>${button("Compare it")}${staged && markup` <a href="/reconcile">Another one</a>`}</p>`;
  return markup`<p>${DESK_WORDS.reconcile_means}</p>${form("/reconcile", csrf, fields, { encoding: "multipart/form-data", hidden })}`;
}
