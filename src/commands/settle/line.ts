import { canonicalAmount, PLAIN_DECIMAL } from "../../amount.ts";
import type { Config } from "../../config/config.ts";
import type { FileFault } from "../../errors.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import type { Act, JournalStore } from "../../journal/store.ts";
import { normalizeName } from "../../text/names.ts";
import { printable } from "../../text/printable.ts";
import type { Row } from "../../reader/row.ts";
import { settleCommand } from "../../results/words/next-steps.ts";
import { asInResults } from "../../results/words/status.ts";
import { asSaid, rowToSettle, settlingOf, wordOf, type Settling, type Word } from "./settling.ts";
import { cleanName, textSaid } from "../who.ts";

/** One line of a list that a person filled in. */
interface Line {
  readonly batch: string;
  readonly row: string;
  readonly as: string;
  readonly by: string;
  readonly note: string | undefined;
  /** Which attempt the list was written for; undefined in a list made by hand. */
  readonly attempt: string | undefined;
  /** What the list said of the row, where these columns are still there: the person looked the row up by them. */
  readonly amount: string;
  readonly sentFrom: string;
}

export function lineOf(row: Row, config: Config): Line {
  const cell = (name: string): string => {
    const index = row.columns.findIndex((column) => normalizeName(column) === normalizeName(name));
    const value = row.cells[index];
    const text = typeof value === "string" ? value : (value?.source ?? "");
    return text.replace(/^'(?=[=+\-@])/, "").trim();
  };
  return {
    batch: cell("batch"),
    row: wholeNumber(cell("row")),
    as: cell("as"),
    by: cell("by") || (config.by ?? ""),
    note: textSaid(cell("note")),
    attempt: wholeNumber(cell("attempt")) || undefined,
    amount: cell("amount"),
    sentFrom: cell("sent_from_utc"),
  };
}

/** Some programs take a column with an empty cell for fractions, and save 91 as 91.0. */
function wholeNumber(text: string): string {
  return text.replace(/^(\d+)\.0+$/, "$1");
}

type Judged = { readonly one: Settling; readonly isDone: boolean } | FileFault;

type SettledBefore = (batchId: string, row: number) => Promise<readonly Act[]>;

/** The history of a batch is read once, not for each line: it may be as long as the list. */
export function historiesOf(journal: JournalStore): SettledBefore {
  const histories = new Map<string, ReadonlyMap<number | undefined, readonly Act[]>>();
  return async (batchId, row) => {
    let history = histories.get(batchId);
    if (!history) {
      const settled = (await journal.history(batchId)).filter((act) => act.kind === "settle");
      histories.set(batchId, (history = Map.groupBy(settled, (act) => act.row)));
    }
    return history.get(row) ?? [];
  };
}

/** What a line settles, or why it may not. Nothing is changed yet. */
export async function judgeLine(
  line: Line,
  journal: JournalStore,
  settledBefore: SettledBefore,
  config: Config,
): Promise<Judged> {
  const said = await saidIn(line, journal, config);
  if ("code" in said) return said;
  const { batch, row, word } = said;
  const before = await settledBefore(batch, row.number);
  const isOpen = row.state === "unknown" && isOfThisAttempt(line, row, before);
  const one = settlingOf(batch, row, word);
  if (row.state === word.as || (!isOpen && wasCarriedOut(word, before))) return { one, isDone: true };
  return notToSettle(line, said, isOpen) ?? { one, isDone: false };
}

/** What a line says, and the row as it is. */
interface Said {
  readonly batch: string;
  readonly row: RowRecord;
  readonly word: Word;
}

async function saidIn(line: Line, journal: JournalStore, config: Config): Promise<Said | FileFault> {
  const as = asSaid(line.as);
  if (!as) return fault("as", `"${printable(line.as, 40)}" is neither done nor not-done`, "write done or not-done");
  if (line.by === "")
    return fault("by", "the name of the person is missing", "write who looked it up, or add --by NAME");
  if (line.note === undefined) return fault("note", "the note is missing", "write what was looked up, and where");
  const batch = line.batch === "" ? undefined : await journal.batch(line.batch);
  if (!batch) return fault("batch", `there is no batch "${printable(line.batch, 40)}"`, "paydrop status lists them");
  const number = /^\d{1,9}$/.test(line.row) ? Number(line.row) : 0;
  const row = await rowToSettle(journal, batch.id, number, config);
  if (!row) return fault("row", `batch ${batch.id} has no row "${printable(line.row, 40)}"`, "see the results file");
  if (isOfOtherAmount(line, row)) {
    const message = `the line says ${line.amount}, and row ${number} of batch ${batch.id} is ${row.amount ?? ""}`;
    return fault("row", message, MOVED);
  }
  return { batch: batch.id, row, word: wordOf(as, cleanName(line.by), line.note) };
}

/** Why the row of a line is not to be settled by it. */
function notToSettle(line: Line, { batch, row }: Said, isOpen: boolean): FileFault | undefined {
  const { number } = row;
  const place = `row ${number} of batch ${batch}`;
  if (row.state !== "unknown") {
    const is = asInResults(row.state);
    const by = row.settledBy === undefined ? "" : `, settled by ${row.settledBy}`;
    return fault("row", `${place} is ${is} now${by}; a list settles unknown rows only`, byHand(batch, number));
  }
  if (!isOpen) {
    const message = `${place} was sent again since this list was written`;
    return fault("row", message, "write a new list: paydrop status --unknown --csv");
  }
  if (isOfOtherMoment(line, row)) {
    return fault("row", `${place} was not sent at ${line.sentFrom}, as the line says`, MOVED);
  }
  return undefined;
}

/**
 * A column that was sorted without the others, or a cell that was deleted, leaves a decision beside another row than
 * the one that was looked up. An amount that a spreadsheet wrote in its own way is no sign of that.
 */
function isOfOtherAmount({ amount }: Line, row: RowRecord): boolean {
  if (row.amount === undefined || !PLAIN_DECIMAL.test(amount)) return false;
  return canonicalAmount(amount) !== canonicalAmount(row.amount);
}

function isOfOtherMoment({ sentFrom }: Line, { sentAt }: RowRecord): boolean {
  return sentAt !== undefined && INSTANT.test(sentFrom) && sentFrom !== new Date(sentAt).toISOString();
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MOVED = "were cells of the list moved, or sorted apart? Write a new one: paydrop status --unknown --csv";

/**
 * Whether the list is of the row's latest attempt. Without the column, it may be an old list where the row was settled
 * before.
 */
function isOfThisAttempt({ attempt }: Line, row: RowRecord, before: readonly Act[]): boolean {
  return attempt === undefined ? before.length === 0 : attempt === String(row.attempts);
}

function wasCarriedOut({ act }: Word, before: readonly Act[]): boolean {
  return before.some(({ by, note }) => by === act.by && note === act.note);
}

function fault(column: string, message: string, hint: string): FileFault {
  return { code: `list_${column}`, column, message, hint };
}

function byHand(batch: string, row: number): string {
  return `if it must change: ${settleCommand(batch, row)}`;
}
