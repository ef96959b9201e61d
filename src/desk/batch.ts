import { createHash } from "node:crypto";
import { cancel, pause } from "../commands/pause-cancel.ts";
import { resume, retry } from "../commands/release-retry-resume.ts";
import { makeReport } from "../commands/results-report.ts";
import { statusesOf, tellBatch } from "../commands/status.ts";
import { minuteOf } from "../day.ts";
import { PaydropError } from "../errors.ts";
import type { ResultStatus } from "../events.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { REPORT_WORDS } from "../messages/results.ts";
import { counted } from "../messages/sentence.ts";
import { noteOf, STATUSES } from "../messages/statuses.ts";
import { tellRow } from "../results/columns.ts";
import { actTexts } from "../results/report.ts";
import { occurringIn, statusOf } from "../results/totals.ts";
import { mayDo, type Account } from "./accounts.ts";
import { carryOut, withoutCommands, type Desk } from "./desk.ts";
import { detailsOf } from "./details.ts";
import {
  field,
  markup,
  nothing,
  progressOf,
  said,
  statusTag,
  tableOf,
  tokenField,
  type Html,
  type Shown,
} from "./html.ts";
import { livePart, plain, type Pages, type Posted } from "./pages.ts";

const ROWS_SHOWN = 100;
const ACTS_SHOWN = 100;

/** One batch: what `status` and the report say of it, its rows, and what may be done with it as a whole. */
export function batchPages(pages: Pages): void {
  const { desk } = pages;
  const find = async (id: string): Promise<BatchRecord | undefined> => (await desk.store.batches({ id }))[0];

  pages.page("/batch/:id", async (asked) => {
    const { c, account, csrf } = asked;
    await desk.endOfDead();
    const batch = await find(c.req.param("id") ?? "");
    if (!batch || batch.phase === "recording") return plain(c, 404, "no_page");
    const only = statusSaid(c.req.query("status"));
    const after = Number(c.req.query("after") ?? 0) || 0;
    const status = await statusOfBatch(desk, batch);
    const content = markup`${factsOf(batch)}
${livePart(`/live/batch/${batch.id}`, sumsPart(status))}
${mayDo(account.role, "decide") && actsOn(batch, csrf)}
<h2 id="rows">${only ? `Rows: ${STATUSES[only].word}` : "Rows"}</h2>
${await rowsOf(desk, batch, { only, after })}
<h2>Who did what</h2>${doneOf(status)}`;
    return pages.framed(asked, { title: batch.fileName, content });
  });

  pages.live("/live/batch/:id", async ({ c }) => {
    const batch = await find(c.req.param("id") ?? "");
    return batch ? sumsPart(await statusOfBatch(desk, batch)) : nothing;
  });

  pages.page("/batch/:id/report", async ({ c }) => {
    const batch = await find(c.req.param("id") ?? "");
    if (!batch || batch.phase === "recording") return plain(c, 404, "no_page");
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
  });

  const act = (
    word: string,
    carry: (posted: Posted, id: string, account: Account) => ReturnType<typeof carryOut>,
  ): void =>
    pages.act(`/batch/:id/${word}`, "decide", async (posted) => {
      // as it is written: commands take the beginning of an id as well
      const batch = await find(posted.c.req.param("id") ?? "");
      if (!batch) return plain(posted.c, 404, "no_page");
      return pages.goTo(posted, `/batch/${batch.id}`, await carry(posted, batch.id, posted.account));
    });
  const reason = ({ text }: Posted): object => (text("reason") === "" ? {} : { reason: text("reason") });
  act("pause", (posted, id, by) => carryOut(desk, by, pause, [id], { ...reason(posted) }));
  act("resume", (posted, id, by) => carryOut(desk, by, resume, [id], { ...reason(posted) }));
  act("retry", (posted, id, by) => carryOut(desk, by, retry, [id], { ...reason(posted) }));
  act("retry-rejected", (posted, id, by) => carryOut(desk, by, retry, [id], { ...reason(posted), rejected: true }));
  act("cancel", (posted, id, by) => {
    if (posted.text("sure") === "yes") return carryOut(desk, by, cancel, [id], { ...reason(posted) });
    return Promise.resolve({ isGood: false, lines: [DESK_WORDS.not_sure] });
  });
}

function statusSaid(said: string | undefined): ResultStatus | undefined {
  return occurringIn(Object.fromEntries(Object.keys(STATUSES).map((one) => [one, one]))).find(
    ([one]) => one === said,
  )?.[0];
}

function factsOf({ id, label, period, destination, environment, folder, createdAt, sha256 }: BatchRecord): Html {
  const facts = [
    ["Batch", id],
    ["Operation", label],
    ...(period === undefined ? [] : [["Period", period]]),
    ["To", `${destination} (${environment})`],
    ["Taken", minuteOf(createdAt)],
    ["Folder", folder],
    ["SHA-256", sha256],
  ];
  const list = facts.map(([name, value = ""]) => markup`<dt>${name}</dt><dd>${said(value)}</dd>`);
  return markup`<dl>${list}</dl><p><a href="/batch/${id}/report">The report, to print and sign</a></p>`;
}

type Status = Awaited<ReturnType<typeof tellBatch>>;

async function statusOfBatch(desk: Desk, batch: BatchRecord): Promise<Status> {
  const [status] = await statusesOf(desk.store, [batch], true);
  if (!status) throw new Error(`batch ${batch.id} has no status`);
  return tellBatch(status, desk);
}

/** Sums by status, each with the way to its rows; what `status` says of it. */
function sumsPart({ batch, byStatus, totals, phase, way, remarks }: Status): Html {
  const lines = occurringIn(byStatus).map(([name, { rows, amount }]): readonly Shown[] => [
    markup`<a href="/batch/${batch.id}?status=${name}#rows">${statusTag(name)}</a>`,
    ...[rows, amount, noteOf(name, rows, totals.goesAgain)],
  ]);
  const left = (byStatus.not_sent?.rows ?? 0) + batch.onItsWay;
  const isGoing = batch.onItsWay > 0 || (phase === "open" && left > 0);
  const toDecide = (byStatus.unknown ?? byStatus.held) && phase !== "cancelled";
  return markup`<p>This batch is <strong>${phase}</strong>. ${isGoing && progressOf(batch.rows - left, batch.rows, "rows")}</p>
${tableOf({ caption: REPORT_WORDS.acceptedMeans, titles: ["Status", "Rows#", "Amount#", "What it means"] }, [...lines, ["total", batch.rows, batch.total, "equals the file"]])}
${[...way, ...remarks].map((text) => markup`<p>${text}</p>`)}
${toDecide && markup`<p><a href="/decide?batch=${batch.id}">Decide on what is unknown or held</a></p>`}`;
}

/** Only what the state of the batch allows; of a cancelled one nothing goes any more. */
function actsOn({ id, phase, tallies }: BatchRecord, csrf: string): Html {
  const why = (): Html => field("reason", "Why, for the history", { maxlength: "1000" });
  const form = (word: string, button: string, fields: Shown, kind = ""): Html =>
    markup`<form method="post" action="/batch/${id}/${word}" class="group">${tokenField(csrf)}${fields}<button class="${kind}">${button}</button></form>`;
  const left = (tallies.ready?.rows ?? 0) + (tallies.not_sent?.rows ?? 0);
  const forms = [
    ...(phase === "open" && left > 0 ? [form("pause", "Pause", why(), "main")] : []),
    ...(phase === "paused" ? [form("resume", "Go on", why(), "main")] : []),
    ...(tallies.settled_not_done && phase === "open"
      ? [
          form(
            "retry",
            `Send ${counted(tallies.settled_not_done.rows)} again, settled as not done: ${tallies.settled_not_done.amount}`,
            why(),
          ),
        ]
      : []),
    ...(tallies.rejected && phase === "open"
      ? [
          form(
            "retry-rejected",
            "Send refused rows again as they are",
            field("reason", "Why they can go now", { required: true, maxlength: "1000" }),
          ),
        ]
      : []),
    form("cancel", "Cancel what did not go", markup`${why()}<p><label><input type="checkbox" name="sure" value="yes" required> ${DESK_WORDS.cancel_means}</label></p>`, "stop"), // prettier-ignore
  ];
  if (phase === "cancelled") return nothing;
  return markup`<h2>What may be done</h2><details><summary>Pause, go on, send again, cancel</summary>${forms}</details>`;
}

interface Which {
  readonly only: ResultStatus | undefined;
  readonly after: number;
}

async function rowsOf(desk: Desk, batch: BatchRecord, { only, after }: Which): Promise<Html> {
  const states = only === "not_sent" ? (["ready", "not_sent"] as const) : only && [only];
  const found = await desk.store.rows({ batch: batch.id, ...(states && { states }), after, limit: ROWS_SHOWN + 1 });
  const rows = found.slice(0, ROWS_SHOWN);
  const details = await detailsOf(desk, batch, rows.map(({ row }) => row)); // prettier-ignore
  const lines = rows.map((record) => {
    const { text, todo } = tellRow(record, batch);
    const { payee = "", reference = "" } = details.of.get(record.row) ?? {};
    const name = statusTag(statusOf(record));
    return [
      record.row,
      name,
      record.amount ?? "not readable",
      said(payee),
      said(reference),
      text,
      withoutCommands(todo),
    ];
  });
  const titles = ["Row#", "Status", "Amount#", "To or from", "Reference", "What happened", "What to do"];
  const query = only === undefined ? "" : `status=${only}&`;
  const last = rows.at(-1)?.row ?? 0;
  const more =
    found.length > ROWS_SHOWN &&
    markup`<p><a href="/batch/${batch.id}?${query}after=${last}#rows">Rows after ${last}</a></p>`;
  const first = after > 0 && markup`<p><a href="/batch/${batch.id}?${query}#rows">The first rows</a></p>`;
  const all = only && markup`<p><a href="/batch/${batch.id}#rows">All rows</a></p>`;
  const caption = rows.length === 0 ? "No rows" : `Rows ${rows[0]?.row ?? 0} to ${last}`;
  return markup`${details.why && markup`<p>${details.why}</p>`}${tableOf({ caption, titles }, lines)}${more}${first}${all}`;
}

function doneOf({ history }: Status): Html {
  const lines = history.slice(-ACTS_SHOWN).map((act) => [minuteOf(act.at), ...actTexts(act).map(said)]);
  return tableOf({ caption: `The newest ${ACTS_SHOWN} at most`, titles: ["When", "Who", "Did what", "Why"] }, lines);
}
