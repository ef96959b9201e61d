import { canonicalAmount } from "../amount.ts";
import { keyOf } from "../duplicates/keys.ts";
import { PaydropError } from "../errors.ts";
import type { BatchRecord, RowRecord } from "../journal/store.ts";
import { maskNumbers } from "../mask.ts";
import { oneSpelling } from "../one-spelling.ts";
import { printable } from "../printable.ts";
import { detailsOf, type Detail } from "../results/details.ts";
import { countedLines, keepInStatements, type InStatement } from "../results/in-statement.ts";
import { match, returnsOf, type Evidence } from "../statements/match.ts";
import { readStatement, type Line, type Lines, type Statement } from "../statements/read.ts";
import { actBy, writeAfter, type Open, type Person } from "./act.ts";
import { wentRows, type Wanted, type Went } from "./went-rows.ts";

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
  const { debit, isOther, remember } = await debitOf(open, who, about, account, keySecret);
  const { accepted, before, isOfRows, ...found } = await compareAll(open, debit, keySecret, {
    lines,
    days: about.days,
  });
  // an account of which nothing went may be mistyped; so may one in place of another, until a line speaks for a row of it
  const speaks = found.seen > 0 || found.told.some(([, { is }]) => is === "proposed");
  if (isOfRows && (!isOther || speaks)) await remember();
  return {
    ...{ statement: { ...about, lines: lines.length }, before },
    ...{ accepted, seen: found.seen },
    rows: await shown(open, found.told),
    ...{ strange: found.strange, failed: await keep(open, found.news) },
  };
}

/** Amount by amount. `before`: how many lines an earlier statement has told of; `isOfRows`: there are rows of this account. */
async function compareAll(
  open: Open,
  debit: string,
  keySecret: string,
  { lines, days }: Pick<Statement, "lines"> & Pick<Wanted, "days">,
) {
  const nameOf = (line: Line): string => lineKey(keySecret, debit, line);
  const { fresh, amounts } = await freshLines(open, lines, nameOf);
  const rows = await wentRows(open, { debit, keySecret, days, amounts });
  const found: Found = { news: new Map(), told: [], strange: [], seen: 0 };
  let before = lines.length;
  for (const amount of new Set([...fresh.keys(), ...rows.amounts])) {
    const ofAmount = (fresh.get(amount) ?? []).flatMap((nth) => lines.at(nth) ?? []);
    before -= ofAmount.length;
    compare(rows.of(amount), ofAmount, nameOf, found);
  }
  const { accepted } = rows;
  return { ...found, accepted, before, isOfRows: rows.amounts.length + accepted > 0 };
}

/** The places of lines that no earlier statement has told of, by their amounts, debits first; and the amounts of all lines. */
async function freshLines({ store }: Open, lines: Lines, nameOf: (line: Line) => string) {
  const counted = await countedLines(store);
  const fresh = new Map<string, number[]>();
  const amounts = new Set<string>();
  for (const wanted of ["debit", "credit"]) {
    let nth = -1;
    for (const line of lines) {
      nth += 1;
      if (line.direction !== wanted) continue;
      const amount = canonicalAmount(line.amount);
      amounts.add(amount);
      if (counted.size > 0 && counted.has(nameOf(line))) continue;
      const places = fresh.get(amount);
      if (places) places.push(nth);
      else fresh.set(amount, [nth]);
    }
  }
  return { fresh, amounts };
}

type Said = Omit<Reconciled, "batch" | "record" | "detail">;

interface Found {
  /** What is new, by batch and row. */
  readonly news: Map<string, Map<number, InStatement>>;
  readonly told: (readonly [row: Pick<Went, "of" | "row">, more: Said])[];
  readonly strange: Line[];
  /** Accepted rows whose line was found, now or before. */
  seen: number;
}

/** Adds what is found of the rows and new lines of one amount: what is new of each row, and what a person is told of some. */
function compare(rows: readonly Went[], fresh: readonly Line[], nameOf: (line: Line) => string, found: Found): void {
  const { pairs, equals, strange } = match(
    rows.filter(({ known }) => !known),
    fresh,
  );
  found.strange.push(...strange);
  const tell = ({ of, row }: Went, more: Said): unknown => found.told.push([{ of, row }, more]);
  const news = new Map<Went, InStatement>();
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
  found.seen += rows.filter((row) => row.state !== "unknown" && (row.known ?? news.has(row))).length;
  for (const [{ batch, row }, one] of news) {
    const ofBatch = found.news.get(batch) ?? new Map<number, InStatement>();
    found.news.set(batch, ofBatch.set(row, one));
  }
}

/** With what journal and file say of them, in the order of batches and rows. */
async function shown(open: Open, told: Found["told"]): Promise<readonly Reconciled[]> {
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

/** Which account the statement is of: as it was said now, or once before. `isOther`: another one was said before. */
async function debitOf(
  open: Open,
  who: Person,
  { account, fileName }: Pick<Statement, "account" | "fileName">,
  said: string | undefined,
  secret: string,
): Promise<{ readonly debit: string; readonly isOther: boolean; readonly remember: () => Promise<void> }> {
  const { store } = open;
  const name = account === undefined ? undefined : keyOf(secret, "written", account);
  const [known] = name === undefined ? [] : await store.kept<{ readonly debit: string }>("statement", name);
  if (said === undefined) {
    if (!known) throw new PaydropError("statement_account", { name: statementName(fileName) });
    return { debit: known.value.debit, isOther: false, remember: () => Promise.resolve() };
  }
  const debit = keyOf(secret, "written", oneSpelling(said));
  const isOther = known !== undefined && known.value.debit !== debit;
  const act = { ...actBy(open, who, "confirm_account"), as: statementName(fileName) };
  const remember = async (): Promise<void> => {
    if (name !== undefined) await store.keep("statement", name, { debit }, act);
  };
  return { debit, isOther, remember };
}

/** With their rows; results say it. */
async function keep(open: Open, news: Found["news"]): Promise<readonly Error[]> {
  const failed: Error[] = [];
  for (const [batch, rows] of news) {
    await keepInStatements(open.store, batch, rows);
    const written = await writeAfter(open, batch);
    if (written.failed) failed.push(written.failed);
  }
  return failed;
}
