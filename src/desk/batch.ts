import { createHash } from "node:crypto";
import type { Context } from "hono";
import { rowsIn } from "../amount.ts";
import { makeReport } from "../commands/results-report.ts";
import { statusesOf, tellBatch } from "../commands/status.ts";
import { minuteOf } from "../day.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { ResultStatus } from "../events.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { noteOfTotal, REPORT_WORDS } from "../messages/results.ts";
import { counted } from "../messages/sentence.ts";
import { noteOf, STATUSES } from "../messages/statuses.ts";
import { tellRow } from "../results/columns.ts";
import { detailsOf, referenceText, whoText } from "../results/details.ts";
import { actTexts } from "../results/report.ts";
import { occurringIn, statusOf } from "../results/totals.ts";
import { mayDo } from "../acts/accounts.ts";
import { newsOfAct, newsOfLetting, type Desk } from "./desk.ts";
import { rowFields, tick } from "./decide.ts";
import {
  button,
  factsOf,
  field,
  form,
  markup,
  nothing,
  progressOf,
  said,
  statusTag,
  tableOf,
  type Html,
  type News,
  type Shown,
} from "./html.ts";
import { batchLink } from "./needs.ts";
import { livePart, newsOf, plain, type Asked, type Pages, type Posted } from "./pages.ts";
import { todoShown } from "./places.ts";
import type { ActOf, PagePath } from "./rights.ts";
import { accountsPicture, progressPicture, statusBar } from "./pictures.ts";

const ROWS_SHOWN = 100;
const ACTS_SHOWN = 100;

/** One batch: what `status` and the report say of it, its rows, and what may be done with it as a whole. */
export function batchPages(pages: Pages): void {
  const { desk } = pages;
  const find = async (id: string): Promise<BatchRecord | undefined> => (await desk.store.batches({ id }))[0];

  /** Of a batch that is there, whole. */
  const page = (path: PagePath, show: (asked: Asked, batch: BatchRecord) => Promise<Response>): void =>
    pages.page(path, async (asked) => {
      await desk.endOfDead();
      const batch = await find(asked.c.req.param("id") ?? "");
      return batch && batch.phase !== "recording" ? show(asked, batch) : plain(asked.c, 404, "no_page");
    });

  page("/batch/:id", (asked, batch) => batchPage(pages, asked, batch));

  pages.live("/live/batch/:id", async ({ c }) => {
    const batch = await find(c.req.param("id") ?? "");
    return batch ? sumsPart(desk, await statusOfBatch(desk, batch)) : nothing;
  });

  page("/batch/:id/accounts", async (asked, batch) => {
    const found = accountsPicture(desk, batch).catch((error: unknown) => markup`<p>${messageOf(error)}</p>`);
    const content = markup`<p>${batchLink(batch)}</p>${await found}`;
    return pages.framed(asked, { title: "Sums by account", content });
  });

  page("/batch/:id/report", ({ c }, batch) => reportOf(desk, c, batch));

  type Values = { readonly batch: string; readonly reason: string };
  type Word = "pause" | "resume" | "retry" | "retry-rejected" | "cancel";
  type Carry<Of extends Word> = (posted: Posted, act: ActOf<`/batch/:id/${Of}`>, values: Values) => Promise<News>;
  const act = <Of extends Word>(word: Of, carry: Carry<Of>, needsTick = false): void =>
    pages.act(`/batch/:id/${word}`, async (posted, called) => {
      // as it is written: acts take the beginning of an id as well
      const batch = await find(posted.c.req.param("id") ?? "");
      if (!batch) return plain(posted.c, 404, "no_page");
      const values = { batch: batch.id, reason: posted.text("reason") };
      const isSure = !needsTick || posted.text("sure") === "yes";
      const now = goesBy(word, batch);
      const isAsSeen = now === undefined || posted.text("seen") === now;
      const done = (): Promise<News> => carry(posted, called, values);
      const news = !isSure ? newsOf("not_sure") : isAsSeen ? await done() : newsOf("sum_changed", { now });
      return pages.goTo(posted, `/batch/${batch.id}`, news);
    });
  act("pause", ({ account }, pause, values) => newsOfAct(desk, account, (who) => pause(desk, who, values)));
  act("resume", ({ account }, resume, values) => newsOfLetting(desk, account, (who) => resume(desk, who, values)));
  act("retry", ({ account }, retry, values) => newsOfLetting(desk, account, (who) => retry(desk, who, values)));
  act("retry-rejected", ({ account }, retry, values) =>
    newsOfLetting(desk, account, (who) => retry(desk, who, { ...values, rejected: true })),
  );
  act(
    "cancel",
    ({ account }, cancel, values) =>
      newsOfAct(desk, account, (who) => cancel(desk, who, { ...values, which: "whole" })),
    true,
  );
}

async function batchPage(pages: Pages, asked: Asked, batch: BatchRecord): Promise<Response> {
  const { desk } = pages;
  const { c, account } = asked;
  const only = (Object.keys(STATUSES) as ResultStatus[]).find((one) => one === c.req.query("status"));
  const after = Number(c.req.query("after") ?? 0) || 0;
  const csrf = mayDo(account.role, "decide") ? asked.csrf : undefined;
  const status = await statusOfBatch(desk, batch);
  const content = markup`${factsOfBatch(batch)}${livePart(`/live/batch/${batch.id}`, await sumsPart(desk, status))}
${csrf !== undefined && actsOn(batch, csrf)}
<h2 id="rows">${only ? `Rows: ${STATUSES[only].word}` : "Rows"}</h2>${await rowsOf(desk, batch, only, after, csrf)}
<h2>Who did what</h2>${doneOf(status)}`;
  return pages.framed(asked, { title: batch.fileName, content });
}

/** To print and sign. */
async function reportOf(desk: Desk, c: Context, batch: BatchRecord): Promise<Response> {
  try {
    const { page } = await makeReport(desk, batch);
    // its one sheet of style stands in it, for it is a file to keep as well
    const [, style = ""] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    const policy = `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'`;
    return c.html(page, 200, { "content-security-policy": policy });
  } catch (error) {
    if (!(error instanceof PaydropError)) throw error;
    return plain(c, 409, "no_report", { found: error.message });
  }
}

/** What goes once more by this button, as the page says it: whoever presses it has seen that. */
function goesBy(word: string, { tallies }: BatchRecord): string | undefined {
  const tally = { retry: tallies.settled_not_done, "retry-rejected": tallies.rejected }[word];
  return tally && `${counted(tally.rows)}, ${tally.amount}`;
}

function factsOfBatch(batch: BatchRecord): Html {
  const facts = {
    ...{ Batch: batch.id, Operation: batch.label, Period: batch.period },
    ...{ To: `${batch.destination} (${batch.environment})`, Taken: minuteOf(batch.createdAt) },
    ...{ Folder: batch.folder, "SHA-256": batch.sha256 },
  };
  return markup`${factsOf(facts)}<p><a href="/batch/${batch.id}/report">The report, to print and sign</a> · <a href="/batch/${batch.id}/accounts">Sums by account</a></p>`;
}

type Status = Awaited<ReturnType<typeof tellBatch>>;

async function statusOfBatch(desk: Desk, batch: BatchRecord): Promise<Status> {
  const [status] = await statusesOf(desk.store, [batch], { isFull: true });
  if (!status) throw new Error(`batch ${batch.id} has no status`);
  return tellBatch(status, desk);
}

/** Sums by status, each with the way to its rows; what `status` says of it. */
async function sumsPart(desk: Desk, { batch, byStatus, totals, phase, way, remarks }: Status): Promise<Html> {
  const lines = occurringIn(byStatus).map(([name, { rows, amount }]): readonly Shown[] => [
    markup`<a href="/batch/${batch.id}?status=${name}#rows">${statusTag(name)}</a>`,
    ...[rows, amount, noteOf(name, rows, totals.goesAgain)],
  ]);
  const left = (byStatus.not_sent?.rows ?? 0) + batch.onItsWay;
  const isGoing = batch.onItsWay > 0 || (phase === "open" && left > 0);
  const toDecide = (byStatus.unknown ?? byStatus.held) && phase !== "cancelled";
  return markup`<p>This batch is <strong>${phase}</strong>. ${isGoing && progressOf(batch.rows - left, batch.rows, "rows")}</p>${statusBar(byStatus)}
${tableOf({ caption: REPORT_WORDS.acceptedMeans, titles: ["Status", "Rows#", "Amount#", "What it means"] }, [...lines, ["total", batch.rows, batch.total, noteOfTotal(totals.remarks)]])}
${await progressPicture(desk, batch)}${[...way, ...remarks].map((text) => markup`<p>${text}</p>`)}
${toDecide && markup`<p><a href="/decide?batch=${batch.id}">Decide on what is unknown or held</a></p>`}`;
}

/** Only what the state of the batch allows; of a cancelled one nothing goes any more. */
function actsOn(batch: BatchRecord, csrf: string): Html {
  const { id, phase, tallies } = batch;
  if (phase === "cancelled") return nothing;
  const { settled_not_done: notDone, rejected } = tallies;
  const act = (word: string, text: string, kind = "", more: Shown = "", why: object = {}): Html => {
    const reason = field("reason", "Why, for the history", { maxlength: "1000", ...why });
    return form(`/batch/${id}/${word}`, csrf, markup`${reason}${more}${button(text, kind)}`, {
      kind: "group",
      hidden: { seen: goesBy(word, batch) ?? "" },
    });
  };
  const sure = markup`<p><label><input type="checkbox" name="sure" value="yes" required> ${DESK_WORDS.cancel_means}</label></p>`;
  const again = notDone && `Send ${counted(notDone.rows)} again, settled as not done: ${notDone.amount}`;
  const isOpen = phase === "open";
  const forms = [
    isOpen && rowsIn(tallies, "ready", "not_sent") > 0 && act("pause", "Pause", "main"),
    phase === "paused" && act("resume", "Go on", "main"),
    isOpen && again && act("retry", again),
    isOpen && rejected && act("retry-rejected", "Send refused rows again as they are", "", "", { required: true }),
    act("cancel", "Cancel what did not go", "stop", sure),
  ];
  return markup`<h2 id="may">What may be done</h2><details><summary>Pause, go on, send again, cancel</summary>${forms}</details>`;
}

/** `csrf`: of somebody who may decide. */
async function rowsOf(desk: Desk, batch: BatchRecord, only: ResultStatus | undefined, after: number, csrf?: string) {
  const states = only === "not_sent" ? (["ready", "not_sent"] as const) : only && [only];
  const found = await desk.store.rows({ batch: batch.id, ...(states && { states }), after, limit: ROWS_SHOWN + 1 });
  const rows = found.slice(0, ROWS_SHOWN);
  const details = await detailsOf(desk, batch, rows);
  const choice = rows.length > 0 && csrf !== undefined ? rowFields(only, batch) : undefined;
  const lines = rows.map((record) => {
    const { row } = record;
    const words = tellRow(record, batch);
    const detail = details.of.get(row) ?? {};
    const [who, reference] = [said(whoText(detail)), said(referenceText(detail))];
    const amount = record.amount ?? "not readable";
    const name = choice ? tick(record) : row;
    return [name, statusTag(statusOf(record)), amount, who, reference, words.text, todoShown(words)];
  });
  const titles = ["Row#", "Status", "Amount#", "To or from", "Reference", "What happened", "What to do"];
  const last = rows.at(-1)?.row ?? 0;
  const link = (query: string, text: string): Html =>
    markup`<p><a href="/batch/${batch.id}?${query}#rows">${text}</a></p>`;
  const query = only === undefined ? "" : `status=${only}&`;
  const links = [
    found.length > ROWS_SHOWN && link(`${query}after=${last}`, `Rows after ${last}`),
    after > 0 && link(query, "The first rows"),
    only && link("", "All rows"),
  ];
  const caption = rows.length === 0 ? "No rows" : `Rows ${rows[0]?.row ?? 0} to ${last}`;
  const table = tableOf({ caption, titles }, lines);
  const hidden = { batch: batch.id, from: "batch", as: choice?.as ?? "" };
  const shown = choice ? form(`/decide/${choice.act}`, csrf ?? "", [table, choice.fields], { hidden }) : table;
  return markup`${details.why && markup`<p>${details.why}</p>`}${shown}${links}`;
}

function doneOf({ history }: Status): Html {
  const lines = history.slice(-ACTS_SHOWN).map((act) => [minuteOf(act.at), ...actTexts(act).map(said)]);
  return tableOf({ caption: `The newest ${ACTS_SHOWN} at most`, titles: ["When", "Who", "Did what", "Why"] }, lines);
}
