import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import pLimit from "p-limit";
import { mayDo } from "../acts/accounts.ts";
import { seenOf } from "../acts/as-seen.ts";
import { noteText } from "../acts/findings.ts";
import type { Reconciling } from "../acts/reconcile.ts";
import { FileRefusedError, foreseen, PaydropError } from "../errors.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { told, type Told } from "../messages/sentence.ts";
import { markup, said, type Html } from "../pages/html.ts";
import { alertOf } from "../pages/parts.ts";
import { refusedPart } from "./checked.ts";
import { comparedOf, placeOf, rowsIn, type Compared } from "./compared.ts";
import { comparedHead, comparedPart } from "./compared-part.ts";
import { newsOfSettling } from "./decide-many.ts";
import { linesOfError, personAt, type Desk } from "./desk.ts";
import { button, choices, field, form, linkButton } from "./forms.ts";
import type { News } from "./frame.ts";
import { newsOf, type Asked, type Pages, type Posted } from "./pages.ts";
import { todoShown } from "./places.ts";
import type { ActOf } from "./rights.ts";
import { Staging } from "./staging.ts";
import { faultOfName } from "./upload.ts";

const HERE = { title: "Statements", at: "/reconcile", sub: DESK_WORDS.reconcile_means } as const;

/** A bank's statement is compared with what went, and what it shows is settled, by whoever has looked at it (README §15). */
export function reconcilePages(pages: Pages): void {
  const { desk, statements } = pages;
  const staging = new Staging(desk.staging);
  // what was seen is kept by batch: two at once would each keep its own
  const inTurn = pLimit(1);

  pages.page("/reconcile", async (asked) => {
    const id = asked.c.req.query("statement");
    if (id === undefined) return pages.framed(asked, { ...HERE, content: chooseForm(asked) });
    const one = statements.of(id);
    if (one?.by !== asked.account.name) return pages.goTo(asked, "/reconcile", newsOf("compared_gone"));
    return pages.framed(asked, {
      ...{ ...HERE, ...comparedHead(one), crumb: markup`<a href="/reconcile">Statements</a>` },
      ...{ content: await comparedPart(desk, asked, id, one), foot: DESK_WORDS.compared_foot },
      acts: linkButton("/reconcile", "Read another statement"),
    });
  });

  pages.act("/reconcile", async (posted, reconcile) => {
    const { account } = posted;
    const typed: Typed = { account: posted.text("account").trim(), dates: posted.text("dates") };
    const again = (why: Html, more: Typed = {}): Promise<Response> =>
      pages.framed(posted, { ...HERE, content: markup`${why}${chooseForm(posted, { ...typed, ...more })}` });
    const staged = await stagedOf(staging, posted);
    if (!("id" in staged)) return again(notReadAlert(staged));
    const { id, path } = staged;
    const dayFirst = typed.dates ? typed.dates === "day-first" : undefined;
    const values = { statement: path, account: typed.account || undefined, dayFirst };
    try {
      await desk.endOfDead();
      const found = await inTurn(() => reconcile(desk, personAt(desk, account), values));
      await staging.remove(id);
      return goToFound(posted, found, typed.account);
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

  const goToFound = (posted: Posted, found: Reconciling, account: string | undefined): Response => {
    const id = randomBytes(12).toString("hex");
    statements.add(id, comparedOf(found, posted.account.name, account));
    const to = `/reconcile?statement=${id}`;
    for (const failed of found.failed) desk.say(`desk: ${failed.message}`);
    const [failed] = found.failed;
    return failed ? pages.goTo(posted, to, { isGood: false, lines: linesOfError(failed) }) : posted.c.redirect(to, 303);
  };

  settlePages(pages);
}

/** What the statement shows is settled, of what it says that it went, and of what came back. */
function settlePages(pages: Pages): void {
  const { desk, statements } = pages;
  for (const [path, is] of [
    ["/reconcile/settle", "proposed"],
    ["/reconcile/back", "returned"],
  ] as const)
    pages.act(path, async (posted, settle) => {
      const id = posted.text("statement");
      const one = statements.of(id);
      if (one?.by !== posted.account.name) return pages.goTo(posted, "/reconcile", newsOf("compared_gone"));
      return pages.goTo(posted, `/reconcile?statement=${id}`, await settleTicked(desk, posted, one, { is, settle }));
    });
}

/** Each row that was ticked: for which a line speaks, or whose money came back; none by another sum than theirs. */
async function settleTicked(
  desk: Desk,
  posted: Posted,
  one: Compared,
  { is, settle }: { readonly is: "proposed" | "returned"; readonly settle: ActOf<"/reconcile/settle"> },
): Promise<News> {
  const [ticked, total] = [posted.texts("row"), posted.text("total").trim()];
  one.typed = { is, ticked, total };
  const rows = rowsIn(one, is).filter((row) => ticked.includes(placeOf(row)));
  if (rows.length === 0) return newsOf("no_rows");
  const proposed = rows.map((row) => ({
    ...{ batch: row.batch.id, row: row.record.row },
    ...{ note: noteText(row, one.fileName), seen: seenOf(row.record) },
  }));
  return newsOfSettling(desk, posted, async (who) => {
    const as = is === "proposed" ? "settled_done" : "settled_not_done";
    const acted = await settle(desk, who, { rows: proposed, total, as });
    one.typed = undefined;
    return acted;
  });
}

const notReadAlert = (why: Told): Html =>
  alertOf({ label: "Not read", role: "alert", lines: [why.text, todoShown(why)] });

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
  if (!mayDo(role, "decide")) return markup`<p class="card in">${DESK_WORDS.reconcile_role}</p>`;
  const file = staged
    ? markup`<p>The statement: <b>${said(staged.name)}</b></p>`
    : markup`<p class="field"><label for="file">The statement</label><input id="file" type="file" name="file" accept=".csv,.txt,.tsv,.xlsx" required></p>`;
  const debit = field("account", "The account that it is of, as your files name it", {
    ...{ value: account, hint: DESK_WORDS.debit_means, maxlength: "200", autocomplete: "off" },
    ...(asks === "account" && { required: true }),
  });
  const order = choices("dates", "What stands first in its dates, such as 03/04/2026?", {
    "day-first": ["The day.", "It is 3 April."],
    "month-first": ["The month.", "It is 4 March."],
  });
  const hidden = { ...(staged && { id: staged.id }), ...(asks !== "dates" && dates !== "" && { dates }) };
  const fields = markup`${file}${debit}${asks === "dates" && order}<p class="acts">${button("Compare it")}${staged && linkButton("/reconcile", "Another one", "quiet")}</p>`;
  return form("/reconcile", csrf, fields, { encoding: "multipart/form-data", hidden, kind: "card form" });
}
