/**
 * What README §7 says of a new file, worked out once more from its words, over plain texts: slow, and without a line of
 * what it judges. Only the first reason counts.
 */
import type { OfficeRow } from "./office.ts";

const DAYS_MS = 20 * 86_400_000;
/** The people here state months. */
const HALF_MONTH_MS = 15 * 86_400_000;

/** `goes`, or the code of the first reason. */
export type Foreseen = ReadonlyMap<number, string>;

export interface NewFile {
  readonly batch: string;
  readonly path: string;
  readonly at: number;
  /** Its valid rows, in order. */
  readonly rows: readonly OfficeRow[];
}

/** `before`: all rows of earlier batches, as they were when it was judged; a row on its way is unknown by then. */
export function foresee(file: NewFile, before: readonly OfficeRow[]): Foreseen {
  const batches = [...Map.groupBy(before, ({ batch }) => batch)];
  const corrected = new Set(batches.filter(([name, rows]) => isCorrected(file, name, rows)).map(([name]) => name));
  const again = batches.some(([, rows]) => isSameAgain(file, rows));
  const found = new Map(
    file.rows.map((row, at) => [row.number, codeOf(row, file, file.rows.slice(0, at), { before, corrected, again })]),
  );
  return withMostlyPaid(file, found, batches);
}

const isAccepted = ({ state }: OfficeRow): boolean => state === "accepted" || state === "settled_done";
const went = (row: OfficeRow): boolean => isAccepted(row) || row.state === "unknown";
const isValid = ({ state }: OfficeRow): boolean => state !== "invalid";
const paymentOf = ({ payee, amount }: OfficeRow): string => `${payee.replace(/^0+/, "")} ${Number(amount)}`;
const isSame = (one: OfficeRow, other: OfficeRow): boolean => isValid(other) && paymentOf(one) === paymentOf(other);

function isApart(one: OfficeRow, other: OfficeRow): boolean {
  if (one.reference && other.reference) return one.reference !== other.reference;
  return one.period !== null && other.period !== null && one.period !== other.period;
}

interface Beside {
  readonly before: readonly OfficeRow[];
  readonly corrected: ReadonlySet<string>;
  readonly again: boolean;
}

function codeOf(
  row: OfficeRow,
  file: NewFile,
  above: readonly OfficeRow[],
  { before, corrected, again }: Beside,
): string {
  const isRecent = ({ sentAt }: OfficeRow): boolean => file.at - (sentAt ?? file.at) <= DAYS_MS;
  const some = (is: (other: OfficeRow) => boolean): boolean => before.some(is);
  const equal = (other: OfficeRow): boolean => isSame(row, other) && !isApart(row, other);
  const inPeriod = (other: OfficeRow): boolean => equal(other) && row.period !== null && other.period === row.period;
  const place = above.filter(inPeriod).length;
  const origin = before.find(({ name }) => name === row.retryOf);
  const rules: readonly [string, boolean][] = [
    [
      "same_payment",
      some(
        (other) => isAccepted(other) && isSame(row, other) && row.reference !== "" && row.reference === other.reference,
      ) || before.filter((other) => isAccepted(other) && inPeriod(other)).length > place,
    ],
    [
      "reference_used",
      row.reference !== "" &&
        (above.some((other) => other.reference === row.reference && !isSame(row, other)) ||
          some(
            (other) =>
              (went(other) || other.state === "ready") && other.reference === row.reference && !isSame(row, other),
          )),
    ],
    ["open_elsewhere", some((other) => ["unknown", "ready", "held"].includes(other.state) && equal(other))],
    [
      "correction",
      (origin !== undefined && isHeldCorrection(row, origin, [...before, ...above])) ||
        isCorrectedInPlace(row, file, [...before, ...above]).some(
          (other) =>
            !equal(other) &&
            (other.state === "ready" || other.state === "unknown" || (isAccepted(other) && isRecent(other))),
        ),
    ],
    ["maybe_paid", some((other) => isAccepted(other) && isRecent(other) && equal(other))],
    [
      "other_amount",
      some(
        (other) =>
          corrected.has(other.batch) &&
          other.payee === row.payee &&
          !isSame(row, other) &&
          !isApart(row, other) &&
          (other.state === "ready" || (went(other) && isRecent(other))),
      ),
    ],
    ["repeat_in_file", above.some(equal)],
    ["same_file", again],
  ];
  return rules.find(([, applies]) => applies)?.[0] ?? "goes";
}

/** Nobody here corrects a correction, or pays another payee by one. */
function isHeldCorrection(row: OfficeRow, origin: OfficeRow, others: readonly OfficeRow[]): boolean {
  const stands = ["ready", "held", "duplicate", "accepted", "unknown", "settled_done"];
  const isOther = others.some(
    ({ name, retryOf, state }) => name !== row.name && retryOf === row.retryOf && stands.includes(state),
  );
  return went(origin) || origin.state === "ready" || isOther || (isValid(origin) && origin.payee !== row.payee);
}

/** Rows that correct what the row corrects, by name or as the row of that number of a later file in the same place. */
function isCorrectedInPlace(row: OfficeRow, file: NewFile, others: readonly OfficeRow[]): readonly OfficeRow[] {
  const batches = Map.groupBy(others, ({ batch }) => batch);
  const timeOf = ({ batch, createdAt }: OfficeRow): number => (batch === file.batch ? file.at : createdAt);
  const paidIn = ({ batch }: OfficeRow): number =>
    batch === file.batch ? 0 : (batches.get(batch) ?? []).filter(({ state }) => state === "accepted").length;
  const sizeOf = ({ batch }: OfficeRow): number => Math.max(batches.get(batch)?.length ?? 0);
  const inPlaceOf = (one: OfficeRow): OfficeRow | undefined =>
    others
      .filter((other) => {
        const isThere = other.path === one.path && other.number === one.number && timeOf(other) < timeOf(one);
        const isOpen = other.state === "invalid" || other.state === "rejected";
        const isOther = other.period !== null && one.period !== null && other.period !== one.period;
        const isOnce = one.batch === file.batch || paidIn(other) + paidIn(one) <= Math.max(sizeOf(other), sizeOf(one));
        return isThere && isOpen && !isOther && isOnce;
      })
      .sort((a, b) => timeOf(b) - timeOf(a))[0];
  const namesOf = (one: OfficeRow | undefined): readonly string[] =>
    one ? [one.name, ...namesOf(others.find(({ name }) => name === one.retryOf)), ...namesOf(inPlaceOf(one))] : [];
  const own = namesOf(row);
  return others.filter((other) => !own.includes(other.name) && namesOf(other).some((name) => own.includes(name)));
}

function isCorrected(file: NewFile, name: string, rows: readonly OfficeRow[]): boolean {
  if (rows.some(({ path }) => path === file.path)) return true;
  if (file.rows.some(({ retryOf }) => retryOf?.startsWith(`${name}:`))) return true;
  const shared = sharedRows(file.rows, rows);
  return shared > 0 && shared * 2 >= rows.filter(isValid).length;
}

function sharedRows(rows: readonly OfficeRow[], others: readonly OfficeRow[]): number {
  const left = others.filter(isValid).map(paymentOf);
  return rows.filter((row) => {
    const at = left.indexOf(paymentOf(row));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
}

function isSameAgain(file: NewFile, rows: readonly OfficeRow[]): boolean {
  const valid = rows.filter(isValid);
  const [first] = file.rows;
  const gone = rows.find(went);
  if (!first || !gone || valid.length !== file.rows.length || sharedRows(file.rows, valid) < valid.length) return false;
  if (first.reference && gone.reference) return false;
  const sinceMs = file.at - (gone.sentAt ?? file.at);
  if (first.period === null) return sinceMs > DAYS_MS;
  return gone.period !== null && first.period !== gone.period && sinceMs < HALF_MONTH_MS;
}

function withMostlyPaid(
  file: NewFile,
  found: ReadonlyMap<number, string>,
  batches: readonly (readonly [string, readonly OfficeRow[]])[],
): Foreseen {
  const repeats = ["same_payment", "open_elsewhere", "maybe_paid"];
  const repeating = file.rows.filter(({ number }) => repeats.includes(found.get(number) ?? ""));
  const going = [...found.values()].filter((code) => code === "goes").length;
  const isMostly = batches.some(([, rows]) => {
    const stands = rows.filter((row) => went(row) || row.state === "ready" || row.state === "held");
    const repeated = repeating.filter((row) => stands.some((other) => isSame(row, other) && !isApart(row, other)));
    const notGone = rows.filter((row) => !went(row) && row.state !== "ready" && row.state !== "duplicate").length;
    const others = going + repeating.length - repeated.length;
    return repeated.length * 2 > file.rows.length && others > notGone;
  });
  if (!isMostly) return found;
  return new Map([...found].map(([row, code]) => [row, code === "goes" ? "mostly_paid" : code]));
}
