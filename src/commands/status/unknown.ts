import { stringify } from "csv-stringify/sync";
import type { Config } from "../../config/config.ts";
import { counted } from "../../text/counted.ts";
import { messageOf, PaydropError } from "../../errors.ts";
import type { BatchRecord, Tally } from "../../journal/batch-record.ts";
import type { RowState } from "../../journal/state.ts";
import type { JournalStore } from "../../journal/store.ts";
import { printable } from "../../text/printable.ts";
import { withProcessor } from "../../processor.ts";
import { guardCell } from "../../results/cell.ts";
import { folded } from "../../results/screen/folded.ts";
import { settleCommand } from "../../results/words/next-steps.ts";
import { addedUp } from "../../results/sums.ts";
import type { Call } from "../command.ts";
import { errorShown } from "../screen/error-text.ts";
import { lookOf } from "../screen/look-of.ts";
import { noBatchText } from "./text.ts";
import { recoverIfDead } from "../try-lock.ts";
import { unknownRows, type UnknownRow } from "../settle/unknown-rows.ts";

/**
 * `status --unknown`: what a person must look up. Exit 0; with `--check` 4 when there is any; 74 where accounts are missing
 * from it, because the copy of their file cannot be read.
 */
export async function showUnknown(call: Call, config: Config): Promise<number> {
  return withProcessor({ config }, "read", async ({ journal }) => {
    const batches = await journal.batches();
    let { rows: onTheirWay } = await allIn(journal, batches, "sending");
    // rows of a process that died are unknown, but not marked so yet
    if (onTheirWay > 0 && (await recoverIfDead(config))) onTheirWay = 0;
    const all = await allIn(journal, batches, "unknown");
    const code = call.flags["check"] === true && all.rows > 0 ? 4 : 0;
    if (config.quiet && code === 0) return code;
    const lacking = new Map<string, unknown>();
    const rows = unknownRows(journal, config, lacking);
    const ended = (): number => (lacking.size > 0 ? 74 : code);
    const look = lookOf(call.stdout, call, config);
    if (call.flags["csv"] === true) for await (const text of unknownCsv(rows)) call.stdout.write(text);
    else if (config.json) {
      for await (const page of rows)
        for (const row of page) call.stdout.write(`${JSON.stringify(unknownObject(row))}\n`);
      const summary = { type: "summary", unknown: all.rows, on_their_way: onTheirWay, exit_code: ended() };
      call.stdout.write(`${JSON.stringify(summary)}\n`);
    } else if (batches.length === 0) call.stdout.write(folded(noBatchText(config), look));
    else for await (const text of unknownText(rows, all)) call.stdout.write(folded(text, look));
    if (onTheirWay > 0 && !config.json) call.stderr.write(`${onTheirWay} more are being sent at this moment\n`);
    for (const [batch, why] of lacking)
      call.stderr.write(errorShown(lackingError(batch, why), call.stderr, call, config));
    return ended();
  });
}

function lackingError(batch: string, why: unknown): PaydropError {
  const message = `accounts of batch ${batch} are missing from the list: ${messageOf(why)}`;
  const hint = why instanceof PaydropError ? why.hint : "mend the disk of the state directory, then ask again";
  return new PaydropError("journal", message, hint, { cause: why });
}

/** Rows of these batches in this state. */
async function allIn(journal: JournalStore, batches: readonly BatchRecord[], state: RowState): Promise<Tally> {
  const all = await Promise.all(batches.map(({ id }) => journal.tallies(id)));
  return addedUp(all.map((tallies) => tallies[state]));
}

type Pages = AsyncIterable<readonly UnknownRow[]>;

/** For a person: each row with where to look, then what to do. */
async function* unknownText(pages: Pages, { rows: count, amount }: Tally): AsyncGenerator<string> {
  if (count === 0) {
    yield "no unknown row\n";
    return;
  }
  yield `${counted(count)} unknown, ${amount}. DO NOT SEND AGAIN before you looked them up.\n`;
  for await (const rows of pages) yield rows.map(textOf).join("");
  yield [
    "",
    "Many at once, by a list whose columns as, by and note you fill in:",
    "    paydrop status --unknown --csv > unknown.csv",
    "    paydrop settle --from unknown.csv",
    "",
  ].join("\n");
}

function textOf(row: UnknownRow): string {
  const { batch, record } = row;
  return [
    "",
    `batch ${batch.id}   row ${record.number}   ${record.amount ?? ""}   ${printable(batch.fileName)}`,
    `  ${row.happened}`,
    `  look for ${lookFor(row)}`,
    `  ${sentText(row)}`,
    "  → look it up, then",
    `    ${settleCommand(batch.id, record.number)}`,
    "",
  ].join("\n");
}

/** A list to fill in: a person decides in the last three columns. UTF-8 with BOM and CRLF, as a spreadsheet wants it. */
async function* unknownCsv(pages: Pages): AsyncGenerator<string> {
  const cells = Object.values(COLUMNS);
  const header = [...Object.keys(COLUMNS), "as", "by", "note"];
  yield stringify([header], { bom: true, record_delimiter: "\r\n" });
  for await (const rows of pages) {
    const lines = rows.map((row) => [...cells.map((cellOf) => guardCell(printable(cellOf(row) ?? ""))), "", "", ""]);
    yield stringify(lines, { record_delimiter: "\r\n" });
  }
}

const COLUMNS: Readonly<Record<string, (row: UnknownRow) => string | undefined>> = {
  batch: ({ batch }) => batch.id,
  file: ({ batch }) => batch.fileName,
  row: ({ record }) => String(record.number),
  operation: ({ record }) => record.operation,
  amount: ({ record }) => record.amount,
  from_account: ({ fromAccount }) => fromAccount,
  account: ({ account }) => account,
  attempt: ({ record }) => String(record.attempts),
  sent_from_utc: ({ sent }) => sent && iso(sent.from),
  sent_until_utc: ({ sent }) => sent && iso(sent.until),
  sent_from_local: ({ sent }) => sent && local(sent.from),
  sent_until_local: ({ sent }) => sent && local(sent.until),
  what_happened: ({ happened }) => happened,
  look_for: lookFor,
};

function unknownObject(row: UnknownRow): Record<string, unknown> {
  const { batch, record } = row;
  return {
    type: "unknown",
    batch: batch.id,
    file: batch.fileName,
    folder: batch.folder,
    row: record.number,
    operation: record.operation,
    amount: record.amount,
    from_account: row.fromAccount,
    account: row.account,
    attempt: record.attempts,
    reason: record.code,
    http_status: record.httpStatus,
    sent_from: row.sent && iso(row.sent.from),
    sent_until: row.sent && iso(row.sent.until),
    look_for: lookFor(row),
  };
}

/** `a payout of 39500.00 from ACC-OPS-01 to ••4471`, `a loan of 50000 for ••0017, tenure 12`. */
function lookFor({ record, fromAccount, account, apart }: UnknownRow): string {
  const what = `a ${record.operation ?? "request"} of ${record.amount ?? "an amount not known"}`;
  const from = fromAccount === undefined ? "" : ` from ${printable(fromAccount)}`;
  const preposition = record.operation === "loan" ? "for" : record.operation === "collection" ? "from" : "to";
  const whom = account === undefined ? "" : ` ${preposition} ${printable(account)}`;
  return [`${what}${from}${whom}`, ...apart.map((text) => printable(text, 40))].join(", ");
}

/** A service may book a request long after nobody waits for its answer any more. */
function sentText({ sent }: UnknownRow): string {
  if (sent === undefined) return "when it was sent is not known";
  const { from, until } = sent;
  return `left at ${iso(from)}, its answer was awaited until ${iso(until)} (here ${local(from)} to ${local(until)}); it may have been entered later than that, too`;
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** `2026-10-31 18:07:52 +05:30`, by the clock of this machine. */
function local(atMs: number): string {
  const offsetMinutes = -new Date(atMs).getTimezoneOffset();
  const shifted = new Date(atMs + offsetMinutes * 60_000).toISOString();
  const size = Math.abs(offsetMinutes);
  const two = (part: number): string => String(Math.floor(part)).padStart(2, "0");
  const offset = `${offsetMinutes < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
  return `${shifted.slice(0, 10)} ${shifted.slice(11, 19)} ${offset}`;
}
