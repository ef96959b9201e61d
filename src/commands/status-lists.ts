import type { Work } from "../batch.ts";
import { dayOf, isoSecond } from "../day.ts";
import type { Act, BatchRecord, RowRecord, Run } from "../journal/store.ts";
import { settle } from "../messages/commands.ts";
import { rowRanges } from "../messages/statuses.ts";
import { STATUS_WORDS } from "../messages/results.ts";
import { commandLine, told } from "../messages/sentence.ts";
import { recordsOf } from "../results/totals.ts";
import { actTexts, historyOf } from "../results/report.ts";
import { tellRow } from "../results/columns.ts";
import { detailsOf, detailText, type Detail } from "../results/details.ts";
import { iso } from "../results/summary.ts";
import { writeList, type Columns, type List } from "../screen/list.ts";
import { flagsAgain } from "../screen/look.ts";
import { daySaid, optionOf, type Call } from "./command.ts";
import { isSending } from "../acts/open.ts";

/** One unknown row, with what a person needs to find it in the service's dashboard. */
interface UnknownRow {
  readonly batch: BatchRecord;
  readonly record: RowRecord;
  readonly detail: Detail;
  /** When it was sent at the earliest, and at the latest; of a row of a killed run: its start, and when it was found. */
  readonly sent: readonly [from?: number | undefined, until?: number | undefined];
}

const nothing = (): string => "";

const UNKNOWN: Columns<UnknownRow> = {
  batch: ({ batch }) => batch.id,
  file: ({ batch }) => batch.fileName,
  row: ({ record }) => record.row,
  operation: ({ record }) => record.operation,
  amount: ({ record }) => record.amount,
  from_account: ({ detail }) => detail.debit,
  account: ({ detail }) => detail.payee,
  attempt: ({ record }) => record.attempts,
  sent_from_utc: ({ sent: [from] }) => from && iso(from),
  sent_until_utc: ({ sent: [, until] }) => until && iso(until),
  what_happened: ({ batch, record }) => tellRow(record, batch).text,
  look_for: lookFor,
  // to be filled in, for `paydrop settle --from`
  ...{ as: nothing, by: nothing, note: nothing },
  name: ({ detail }) => detail.name,
  employee_no: ({ detail }) => detail.employee,
  reference: ({ detail }) => detail.reference,
};

const ACTS: Columns<Act> = {
  at: ({ at }) => iso(at),
  by: ({ kind, by }) => (kind === "recover" ? "paydrop" : by),
  login: ({ login }) => login,
  host: ({ host }) => host,
  act: ({ kind }) => kind,
  batch: ({ batch }) => batch,
  rows: ({ rows = [] }) => rowRanges(rows, Number.POSITIVE_INFINITY),
  as: ({ as }) => as,
  note: ({ note }) => note,
};

/** `status --unknown`: what a person must look up. With `--check` 4 when there is any; `--csv`: a list to fill in. */
export async function showUnknown(work: Work, call: Call): Promise<number> {
  const batches = await work.store.batches({ states: ["unknown"] });
  const code = call.flags["check"] === true && batches.length > 0 ? 4 : 0;
  if (work.config.quiet && code === 0) return code;
  const again = flagsAgain(call.flags, work.config.state_dir);
  const list: List<UnknownRow> = {
    ...{ type: "unknown", all: unknownRows(work, batches, call), columns: UNKNOWN },
    textsOf: (one) => [
      `batch ${one.batch.id}   row ${one.record.row}   ${one.record.amount ?? ""}   ${one.batch.fileName}`,
      ...whoLines(one.detail),
      `  ${tellRow(one.record, one.batch).text}`,
      `  look for ${lookFor(one)}, sent ${sentText(one)}`,
      `  ${commandLine(settle()({ batch: one.batch.id, row: one.record.row }), again)}`,
    ],
    after(count) {
      const { text, commands } = told(STATUS_WORDS[count === 0 ? "no_unknown" : "unknown"]);
      return [text, ...commands.map((command) => `    ${commandLine(command, again)}`)];
    },
  };
  await writeList(call, work.config, list, code);
  return code;
}

async function* unknownRows({ store, config }: Work, batches: readonly BatchRecord[], call: Call) {
  for (const batch of batches) {
    const records = (await Array.fromAsync(recordsOf(store, batch.id, { states: ["unknown"] }))).flat();
    const detailOf = await detailsIn({ store, config }, batch, records, call);
    const [acts, runs] = await Promise.all([store.acts({ batch: batch.id }), store.runs(batch.id)]);
    for (const record of records)
      yield { batch, record, sent: sentOf(record, acts, runs), detail: detailOf(record.row) };
  }
}

/** What the file says of these rows. Where its private copy cannot be read that is said, and the list goes on without. */
export async function detailsIn(
  work: Pick<Work, "store" | "config">,
  batch: BatchRecord,
  rows: readonly Pick<RowRecord, "row">[],
  { stderr }: Call,
): Promise<(row: number) => Detail> {
  const { of, why } = await detailsOf(work, batch, rows);
  if (why !== undefined) stderr.write(`${told(STATUS_WORDS.lacking, { batch: batch.id, why }).text}\n`);
  return (row) => of.get(row) ?? {};
}

/** `  Asha Verma (E001) ••4471   SAL-11`, where the file says more of a row than its account. */
function whoLines(detail: Detail): readonly string[] {
  const { name, employee, reference } = detail;
  return (name ?? employee ?? reference) === undefined ? [] : [`  ${detailText(detail)}`];
}

/** When an unknown row was sent, by its own try, or by the run that was killed and the time when that was found. */
export function sentOf(
  { row, sentAt, durationMs }: RowRecord,
  acts: readonly Act[],
  runs: readonly Run[],
): UnknownRow["sent"] {
  if (sentAt !== undefined) return [sentAt, durationMs && sentAt + durationMs];
  const found = acts.findLast(({ kind, rows }) => kind === "recover" && rows?.includes(row))?.at ?? Number.NaN;
  return [runs.findLast(({ startedAt }) => startedAt <= found)?.startedAt, found || undefined];
}

/** `2026-11-26T19:05:59Z`, or as `shown` says it; of a row of a killed run `between … and …`. */
export function sentText(
  { record: { sentAt }, sent: [from, until] }: Pick<UnknownRow, "record" | "sent">,
  shown: (at: number) => string = isoSecond,
): string {
  if (from === undefined) return "at a time not known";
  return sentAt === undefined && until ? `between ${shown(from)} and ${shown(until)}` : shown(from);
}

/** `a payout of 39500.00 from ACC-OPS-01 to ••4471`. */
function lookFor({ record: { operation, amount = "an amount not known" }, detail }: UnknownRow): string {
  const { debit: from, payee } = detail;
  const source = from === undefined ? "" : ` from ${from}`;
  const target = payee === undefined ? "" : ` ${operation === "collection" ? "from" : "to"} ${payee}`;
  return `a ${operation ?? "request"} of ${amount}${source}${target}`;
}

export async function showActs({ store, config }: Work, call: Call): Promise<number> {
  const said = optionOf(call, "since");
  const since = call.flags["since"] === undefined ? 0 : daySaid("since", said, config.time_zone);
  const runs: Run[] = [];
  for (const { id } of await store.batches({})) runs.push(...(await store.runs(id)));
  const all = historyOf(await store.acts({}), runs, isSending(config)).filter(({ at }) => at >= since);
  const none = told(STATUS_WORDS.no_acts, {
    since: said === undefined ? "yet" : `since ${dayOf(Date.parse(said))}`,
  }).text;
  const after = (count: number): string[] => (count === 0 ? [none] : []);
  const list = { type: "act", all, columns: ACTS, textsOf: (act: Act) => historyLines([act]), after };
  if (!config.quiet) await writeList(call, config, list);
  return 0;
}

/** `2026-11-26T09:30:00Z meera (asha@pay1): released rows 4, 5 of batch K7Q29F3M (two payments are meant)`. */
export function historyLines(history: readonly Act[]): string[] {
  return history.map((act) => {
    const [who, what, why] = actTexts(act);
    return `${isoSecond(act.at)} ${who}: ${what}${why === "" ? "" : ` (${why})`}`;
  });
}
