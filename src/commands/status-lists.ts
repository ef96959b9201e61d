import type { Work } from "../batch.ts";
import { openKept } from "../checks/open-file.ts";
import type { Config } from "../config/schema.ts";
import { isoSecond } from "../day.ts";
import { messageOf } from "../errors.ts";
import type { Act, BatchRecord, RowRecord, Run } from "../journal/store.ts";
import { maskAccountId } from "../mask.ts";
import { rowRanges, settleCommand } from "../messages/statuses.ts";
import { STATUS_WORDS } from "../messages/results.ts";
import { filled, told } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { recordsOf } from "../results/totals.ts";
import { historyOf } from "../results/report.ts";
import { tellRow } from "../results/columns.ts";
import { iso } from "../results/summary.ts";
import { guardCell } from "../results/table.ts";
import { asLine } from "../screen/json-lines.ts";
import { flagsAgain, textOf } from "../screen/look.ts";
import { snapshotPath } from "../state-dir.ts";
import { stringify } from "csv-stringify/sync";
import { daySaid, type Call } from "./command.ts";

type Columns<T> = Readonly<Record<string, (one: T) => string | number | undefined>>;

/** One unknown row, with what a person needs to find it in the service's dashboard. */
interface UnknownRow {
  readonly batch: BatchRecord;
  readonly record: RowRecord;
  /** Masked: the account to debit, and who receives or owes the money. */
  readonly from?: string | undefined;
  readonly payee?: string | undefined;
}

const nothing = (): string => "";

const UNKNOWN: Columns<UnknownRow> = {
  batch: ({ batch }) => batch.id,
  file: ({ batch }) => batch.fileName,
  row: ({ record }) => record.row,
  operation: ({ record }) => record.operation,
  amount: ({ record }) => record.amount,
  from_account: ({ from }) => from,
  account: ({ payee }) => payee,
  attempt: ({ record }) => record.attempts,
  sent_from_utc: ({ record: { sentAt } }) => sentAt && iso(sentAt),
  sent_until_utc: ({ record: { sentAt, durationMs } }) => sentAt && durationMs && iso(sentAt + durationMs),
  what_happened: ({ batch, record }) => tellRow(record, batch).text,
  look_for: lookFor,
  // to be filled in, for `paydrop settle --from`
  ...{ as: nothing, by: nothing, note: nothing },
};

const ACTS: Columns<Act> = {
  at: ({ at }) => iso(at),
  by: ({ by }) => by,
  login: ({ login }) => login,
  host: ({ host }) => host,
  act: ({ kind }) => kind,
  batch: ({ batch }) => batch,
  rows: ({ rows = [] }) => rowRanges(rows, Number.POSITIVE_INFINITY),
  as: ({ as }) => as,
  note: ({ note }) => note,
};

interface List<T> {
  readonly type: string;
  readonly all: AsyncIterable<T> | Iterable<T>;
  readonly columns: Columns<T>;
  readonly textsOf: (one: T) => readonly string[];
  readonly after: (count: number) => readonly string[];
}

/** Writes a list line by line: as CSV, as JSON lines of its type, or as texts. */
async function writeList<T>({ stdout, flags }: Call, { json }: Config, { type, all, ...list }: List<T>) {
  const write = (text: string): void => stdout.write(text);
  const isCsv = flags["csv"] === true;
  if (isCsv) write(csvRecord(Object.keys(list.columns), true));
  let count = 0;
  for await (const one of all) {
    const values = Object.entries(list.columns).map(([name, valueOf]) => [name, valueOf(one)] as const);
    count += 1;
    if (isCsv) write(csvRecord(values.map(([, value]) => value)));
    else if (json) write(asLine({ type, ...Object.fromEntries(values) }));
    else write(textOf(list.textsOf(one).map((text) => printable(text))));
  }
  if (isCsv) return;
  write(json ? asLine({ type: "summary", [type]: count }) : textOf(list.after(count)));
}

/** `status --unknown`: what a person must look up. With `--check` 4 when there is any; `--csv`: a list to fill in. */
export async function showUnknown(work: Work, call: Call): Promise<number> {
  const batches = (await work.store.batches({})).filter(({ tallies }) => tallies.unknown);
  const code = call.flags["check"] === true && batches.length > 0 ? 4 : 0;
  if (work.config.quiet && code === 0) return code;
  const again = flagsAgain(call.flags, work.config.state_dir);
  await writeList(call, work.config, {
    ...{ type: "unknown", all: unknownRows(work, batches, call), columns: UNKNOWN },
    textsOf: (one) => [
      `batch ${one.batch.id}   row ${one.record.row}   ${one.record.amount ?? ""}   ${one.batch.fileName}`,
      `  ${tellRow(one.record, one.batch).text}`,
      `  look for ${lookFor(one)}, sent ${one.record.sentAt === undefined ? "at a time not known" : isoSecond(one.record.sentAt)}`,
      `  ${settleCommand(one.batch.id, one.record.row)}${again}`,
    ],
    after: (count) => [filled(STATUS_WORDS[count === 0 ? "no_unknown" : "unknown"], { again })],
  });
  return code;
}

/** The accounts are missing where the private copy of a file cannot be read; the list must not fail for that. */
async function* unknownRows(
  { store, config }: Work,
  batches: readonly BatchRecord[],
  { stderr }: Call,
): AsyncGenerator<UnknownRow> {
  for (const batch of batches) {
    const records = (await Array.fromAsync(recordsOf(store, batch.id, { states: ["unknown"] }))).flat();
    const wanted = new Set(records.map(({ row }) => row));
    const accounts = new Map<number, Pick<UnknownRow, "from" | "payee">>();
    try {
      const kept = await openKept(snapshotPath(config.state_dir, batch.sha256), batch);
      for await (const page of kept.table.rows()) {
        for (const row of page.filter(({ number }) => wanted.has(number))) {
          const { debit, payee } = kept.own(row);
          accounts.set(row.number, { from: debit && maskAccountId(debit), payee });
        }
      }
    } catch (thrown) {
      const facts = { batch: batch.id, why: printable(messageOf(thrown)) };
      stderr.write(`${told(STATUS_WORDS.lacking, facts).text}\n`);
    }
    for (const record of records) yield { batch, record, ...accounts.get(record.row) };
  }
}

/** `a payout of 39500.00 from ACC-OPS-01 to ••4471`. */
function lookFor({ record: { operation, amount = "an amount not known" }, from, payee }: UnknownRow): string {
  const source = from === undefined ? "" : ` from ${from}`;
  const target = payee === undefined ? "" : ` ${operation === "collection" ? "from" : "to"} ${payee}`;
  return `a ${operation ?? "request"} of ${amount}${source}${target}`;
}

export async function showActs({ store, config }: Work, call: Call): Promise<number> {
  const since = call.flags["since"] === undefined ? 0 : daySaid(call, "since");
  const acts = await store.acts({ since });
  const after = (count: number): string[] => (count === 0 ? [STATUS_WORDS.no_acts] : []);
  const list = { type: "act", all: acts, columns: ACTS, textsOf: (act: Act) => historyLines([act]), after };
  if (!config.quiet) await writeList(call, config, list);
  return 0;
}

/** `2026-11-26T09:30:00Z asha: released rows 4, 5 of batch K7Q29F3M (two payments are meant)`. */
export function historyLines(acts: readonly Act[], runs: readonly Run[] = []): string[] {
  return historyOf(acts, runs).map(
    ({ at, who, what, why }) => `${isoSecond(at)} ${who}: ${what}${why === "" ? "" : ` (${why})`}`,
  );
}

function csvRecord(cells: readonly (string | number | undefined)[], isFirst = false): string {
  const shown = cells.map((cell) => guardCell(printable(String(cell ?? ""))));
  return stringify([shown], { bom: isFirst, record_delimiter: "windows" });
}
