import { stringify } from "csv-stringify/sync";
import type { Config } from "../config/config.ts";
import { counted } from "../counted.ts";
import { printable } from "../printable.ts";
import { withProcessor } from "../processor.ts";
import { guardCell } from "../results/cell.ts";
import { folded } from "../results/folded.ts";
import { settleCommand } from "../results/next-steps.ts";
import type { Call } from "./command.ts";
import { sumOf } from "./going.ts";
import { lookOf } from "./look-of.ts";
import { noBatchText } from "./status-text.ts";
import { recoverIfDead } from "./try-lock.ts";
import { unknownRows, type UnknownRow } from "./unknown-rows.ts";

/** `status --unknown`: what a person must look up. Exit 0; with `--check` 4 when there is any. */
export async function showUnknown(call: Call, config: Config): Promise<number> {
  return withProcessor({ config }, "read", async ({ journal }) => {
    let onTheirWay = 0;
    const batches = await journal.batches();
    for (const { id } of batches) onTheirWay += (await journal.rowsIn(id, ["sending"])).length;
    // rows of a process that died are unknown, but nobody has said so yet
    if (onTheirWay > 0 && (await recoverIfDead(config))) onTheirWay = 0;
    const rows = await unknownRows(journal, config);
    const code = call.flags["check"] === true && rows.length > 0 ? 4 : 0;
    if (config.quiet && code === 0) return code;
    if (call.flags["csv"] === true) call.stdout.write(unknownCsv(rows));
    else if (config.json) {
      for (const row of rows) call.stdout.write(`${JSON.stringify(unknownObject(row))}\n`);
      const summary = { type: "summary", unknown: rows.length, on_their_way: onTheirWay, exit_code: code };
      call.stdout.write(`${JSON.stringify(summary)}\n`);
    } else {
      const text = batches.length === 0 ? noBatchText(config) : unknownText(rows);
      call.stdout.write(folded(text, lookOf(call.stdout, call, config)));
    }
    if (onTheirWay > 0 && !config.json) call.stderr.write(`${onTheirWay} more are being sent at this moment\n`);
    return code;
  });
}

/** For a person: each row with where to look, then what to do. */
function unknownText(rows: readonly UnknownRow[]): string {
  if (rows.length === 0) return "no unknown row\n";
  const sum = sumOf(rows.map(({ record }) => record));
  const lines = [`${counted(rows.length)} unknown, ${sum}. DO NOT SEND AGAIN before you looked them up.`];
  for (const row of rows) {
    const { batch, record } = row;
    lines.push(
      "",
      `batch ${batch.id}   row ${record.number}   ${record.amount ?? ""}   ${printable(batch.fileName)}`,
      `  ${row.happened}`,
      `  look for ${lookFor(row)}`,
      `  ${sentText(row)}`,
      "  → look it up, then",
      `    ${settleCommand(batch.id, record.number)}`,
    );
  }
  lines.push("", "Many at once, by a list whose columns as, by and note you fill in:");
  lines.push("    paydrop status --unknown --csv > unknown.csv", "    paydrop settle --from unknown.csv");
  return `${lines.join("\n")}\n`;
}

/** A list to fill in: a person decides in the last three columns. UTF-8 with BOM and CRLF, as a spreadsheet wants it. */
function unknownCsv(rows: readonly UnknownRow[]): string {
  const cells = Object.values(COLUMNS);
  const lines = rows.map((row) => [...cells.map((cellOf) => guardCell(printable(cellOf(row) ?? ""))), "", "", ""]);
  const header = [...Object.keys(COLUMNS), "as", "by", "note"];
  return stringify([header, ...lines], { bom: true, record_delimiter: "\r\n" });
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

/** `a payout of 39500.00 from ACC-OPS-01 to ••4471`. */
function lookFor({ record, fromAccount, account }: UnknownRow): string {
  const what = `a ${record.operation ?? "request"} of ${record.amount ?? "an amount not known"}`;
  const from = fromAccount === undefined ? "" : ` from ${printable(fromAccount)}`;
  const preposition = record.operation === "loan" ? "for" : record.operation === "collection" ? "from" : "to";
  return `${what}${from}${account === undefined ? "" : ` ${preposition} ${printable(account)}`}`;
}

function sentText({ sent }: UnknownRow): string {
  if (sent === undefined) return "when it was sent is not known";
  const { from, until } = sent;
  return `entered between ${iso(from)} and ${iso(until)} (here ${local(from)} to ${local(until)})`;
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
