import { canonicalAmount } from "../amount.ts";
import { openKept } from "../checks/open-file.ts";
import { DAY_MS, isoDayIn } from "../day.ts";
import { keyOf } from "../duplicates/keys.ts";
import { PaydropError } from "../errors.ts";
import type { BatchRecord, RowRecord } from "../journal/store.ts";
import { maskNumbers } from "../mask.ts";
import { oneSpelling } from "../one-spelling.ts";
import { printable } from "../printable.ts";
import { detailsOf, type Detail } from "../results/details.ts";
import { countedLines, inStatements, keepInStatements, type InStatement } from "../results/in-statement.ts";
import { lockstep, recordsOf } from "../results/totals.ts";
import {
  BOOKED_WITHIN_DAYS,
  match,
  referencesIn,
  returnsOf,
  type Evidence,
  type WentRow,
} from "../statements/match.ts";
import { readStatement, type Line, type Statement } from "../statements/read.ts";
import { actBy, writeAfter, type Open, type Person } from "./act.ts";

export interface Values {
  /** The path of the bank's statement, from the root. */
  readonly statement: string;
  /** The account to debit that it is of, as the files name it: said once for each account. */
  readonly account?: string | undefined;
  /** In `03/04/2026` the day stands first; false: the month does. */
  readonly dayFirst?: boolean | undefined;
}

/**
 * A row that a person looks at, with what speaks for it. `proposed`: unknown, and its line was found; `undecided`: lines of its
 * amount are there, and nothing tells whose they are; `not_shown`: no line of its amount is.
 */
export interface Reconciled {
  readonly batch: BatchRecord;
  readonly record: RowRecord;
  readonly detail: Detail;
  readonly is: "proposed" | "returned" | "undecided" | "not_shown";
  readonly line?: Line;
  readonly by?: Evidence;
  /** How many lines, accepted and unknown rows of its amount nothing tells apart. */
  readonly equals?: Readonly<Record<"lines" | "accepted" | "unknown", number>>;
}

export interface Reconciling {
  readonly statement: Omit<Statement, "lines"> & { readonly lines: number };
  /** Lines that an earlier statement has told of. */
  readonly before: number;
  /** Accepted rows of its days; those whose line was found, now or before. */
  readonly accepted: number;
  readonly seen: number;
  readonly rows: readonly Reconciled[];
  /** Debits that no row explains. */
  readonly strange: readonly Line[];
  /** What failed when results were written again. */
  readonly failed: readonly Error[];
}

/** There are many: what is shown of few of them is looked up afterwards. */
interface Went extends WentRow {
  readonly of: BatchRecord;
  /** What an earlier statement said of it. */
  readonly known: InStatement | undefined;
}

/**
 * What a bank's statement says of rows that went (README §15). Lines that were found are kept with their rows, and stand in their
 * results; nothing that may be sent changes by it, and only a person settles. Throws FileRefusedError for a statement that
 * cannot be read, and PaydropError `usage` where nobody has said whose account it is of.
 */
export async function reconcile(open: Open, who: Person, values: Values): Promise<Reconciling> {
  const { config, store } = open;
  const { dayFirst, account } = values;
  const { keySecret } = await store.facts();
  const { encoding, statements: layouts } = config;
  const { lines, ...about } = await readStatement(values.statement, { dayFirst, encoding, layouts });
  const { debit, remember } = await debitOf(open, who, about, account, keySecret);
  const nameOf = (line: Line): string => lineKey(keySecret, debit, line);
  const counted = await countedLines(store);
  const fresh = lines.filter((line) => !counted.has(nameOf(line)));
  const amounts = new Set(lines.map(({ amount }) => canonicalAmount(amount)));
  const { rows, accepted } = await wentRows(open, debit, about.days, amounts);
  // an account of which nothing went may be mistyped
  if (rows.length + accepted > 0) await remember();
  const found = compare(rows, fresh, nameOf);
  const seen = rows.filter((row) => row.state !== "unknown" && (row.known ?? found.news.has(row)));
  return {
    ...{ statement: { ...about, lines: lines.length }, before: lines.length - fresh.length },
    ...{ accepted, seen: seen.length },
    rows: await shown(open, found.told),
    ...{ strange: found.strange, failed: await keep(open, found.news) },
  };
}

type Said = Omit<Reconciled, "batch" | "record" | "detail">;

/** What is new of each row, and what a person is told of some. */
function compare(rows: readonly Went[], fresh: readonly Line[], nameOf: (line: Line) => string) {
  const { pairs, equals, strange } = match(
    rows.filter(({ known }) => !known),
    fresh,
  );
  const news = new Map<Went, InStatement>();
  const told: (readonly [row: Went, more: Said])[] = [];
  const tell = (row: Went, more: Said): unknown => told.push([row, more]);
  for (const { row, line, by } of pairs) {
    if (row.state === "unknown") tell(row, { is: "proposed", line, by });
    else news.set(row, { line: nameOf(line), day: line.day });
  }
  const booked = rows.flatMap((row) => {
    const one = row.known ?? news.get(row);
    return one && !one.returned ? [{ row, day: one.day, one }] : [];
  });
  const oneOf = new Map(booked.map(({ row, one }) => [row, one]));
  for (const { row, line } of returnsOf(booked, fresh)) {
    const one = oneOf.get(row);
    if (one) news.set(row, { ...one, returned: { line: nameOf(line), day: line.day } });
    tell(row, { is: "returned", line });
  }
  const open = new Set(rows.filter(({ state }) => state === "unknown"));
  for (const { row } of pairs) open.delete(row);
  for (const { lines, accepted, unknown } of equals) {
    const counts = { lines: lines.length, accepted: accepted.length, unknown: unknown.length };
    for (const row of unknown) {
      open.delete(row);
      tell(row, { is: "undecided", equals: counts });
    }
  }
  for (const row of open) tell(row, { is: "not_shown" });
  return { news, told, strange };
}

/** With what journal and file say of them, in the order of batches and rows. */
async function shown(open: Open, told: readonly (readonly [row: Went, more: Said])[]): Promise<readonly Reconciled[]> {
  const all: Reconciled[] = [];
  for (const [batch, rows] of Map.groupBy(told, ([{ of }]) => of)) {
    const records = await open.store.rows({ batch: batch.id, rows: rows.map(([{ row }]) => row) });
    const { of: details } = await detailsOf(open, batch, records);
    for (const record of records) {
      const detail = details.get(record.row) ?? {};
      for (const [{ row }, more] of rows) if (row === record.row) all.push({ batch, record, detail, ...more });
    }
  }
  return all.sort((one, other) => one.batch.createdAt - other.batch.createdAt || one.record.row - other.record.row);
}

/** The same line in another statement has the same name; nothing of it can be read in it. */
function lineKey(secret: string, debit: string, { day, direction, amount, text, balance = "" }: Line): string {
  return keyOf(secret, "written", [debit, day, direction, canonicalAmount(amount), text, balance].join("\u001f"));
}

/** Banks name a file by the account that it is of (I10). */
export const statementName = (fileName: string): string => maskNumbers(printable(fileName, 80));

/** Which account the statement is of: as it was said now, or once before. */
async function debitOf(
  open: Open,
  who: Person,
  { account, fileName }: Pick<Statement, "account" | "fileName">,
  said: string | undefined,
  secret: string,
): Promise<{ readonly debit: string; readonly remember: () => Promise<void> }> {
  const { store } = open;
  const name = account === undefined ? undefined : keyOf(secret, "written", account);
  if (said === undefined) {
    const [known] = name === undefined ? [] : await store.kept<{ readonly debit: string }>("statement", name);
    if (!known) throw new PaydropError("statement_account", { name: statementName(fileName) });
    return { debit: known.value.debit, remember: () => Promise.resolve() };
  }
  const debit = keyOf(secret, "written", oneSpelling(said));
  const act = { ...actBy(open, who, "confirm_account"), as: statementName(fileName) };
  const remember = async (): Promise<void> => {
    if (name !== undefined) await store.keep("statement", name, { debit }, act);
  };
  return { debit, remember };
}

/**
 * Rows of its debit account that went, or may have, so that its lines may speak for them: unknown ones, and accepted ones of an
 * amount that is there. `accepted`: how many were, of whatever amount.
 */
async function wentRows(
  { store, config }: Open,
  debit: string,
  days: Statement["days"],
  amounts: ReadonlySet<string>,
): Promise<{ readonly rows: readonly Went[]; readonly accepted: number }> {
  if (!days) return { rows: [], accepted: 0 };
  const { keySecret } = await store.facts();
  const [first, last] = days.map((day) => Date.parse(day)) as [number, number];
  const since = first - (BOOKED_WITHIN_DAYS + 1) * DAY_MS;
  const all: Went[] = [];
  let accepted = 0;
  const accounts = new Map<string, boolean>();
  const isOfAccount = (text: string): boolean => {
    const known = accounts.get(text) ?? keyOf(keySecret, "written", oneSpelling(text)) === debit;
    accounts.set(text, known);
    return known;
  };
  for (const batch of await store.batches({ environment: config.environment, since })) {
    if (batch.createdAt > last + DAY_MS) continue;
    const seen = await inStatements(store, batch.id);
    const kept = await openKept({ store, config }, batch);
    for await (const page of lockstep(kept.table.rows(), recordsOf(store, batch.id))) {
      for (const { row, record } of page) {
        const { state, amount = "", response } = record;
        if (state !== "accepted" && state !== "settled_done" && state !== "unknown") continue;
        const own = kept.own(row);
        const sentAt = record.sentAt ?? record.wentAt ?? batch.createdAt;
        if (!isOfAccount(own.debit ?? "") || sentAt < since || sentAt > last + DAY_MS) continue;
        if (state !== "unknown") accepted += 1;
        if (state !== "unknown" && !amounts.has(canonicalAmount(amount))) continue;
        all.push({
          ...{ of: batch, known: seen.get(record.row) },
          ...{ batch: batch.id, row: record.row, state, amount, day: isoDayIn(sentAt, config.time_zone) },
          ...{ reference: own.reference, narration: kept.textOf(row, "narration"), name: own.name },
          ...{ payee: kept.payeeOf(row)?.text, answer: referencesIn(response) },
        });
      }
    }
  }
  return { rows: all, accepted };
}

/** With their rows; results say it. */
async function keep(open: Open, news: ReadonlyMap<Went, InStatement>): Promise<readonly Error[]> {
  const failed: Error[] = [];
  for (const [batch, rows] of Map.groupBy(news, ([row]) => row.batch)) {
    const known = await inStatements(open.store, batch);
    await keepInStatements(
      open.store,
      batch,
      new Map([...known, ...rows.map(([row, one]) => [row.row, one] as const)]),
    );
    const written = await writeAfter(open, batch);
    if (written.failed) failed.push(written.failed);
  }
  return failed;
}
