import { basename, resolve } from "node:path";
import { canonicalAmount, PLAIN_DECIMAL } from "../amount.ts";
import type { Config } from "../config/config.ts";
import { FileRefusedError, PaydropError, systemCodeOf, type FileFault } from "../errors.ts";
import { realpath, stat } from "node:fs/promises";
import { kindOf } from "../intake/source-file.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { Act, JournalStore } from "../journal/store.ts";
import { normalizeName } from "../names.ts";
import { printable } from "../printable.ts";
import type { Row } from "../reader/row.ts";
import { openSheet } from "../reader/sheet.ts";
import { settleCommand } from "../results/next-steps.ts";
import type { Call } from "./command.ts";
import { asSaid, rowToSettle, settlingOf, wordOf, type Settling, type Settlings, type Word } from "./settling.ts";
import { cleanName, textSaid } from "./who.ts";

/**
 * The list of `status --unknown --csv`, filled in: columns batch, row, as, by, note by name; an empty `as` is skipped.
 * Every line is checked before any is carried out. Throws FileRefusedError with all that is wrong.
 *
 * A list can be old: it settles only what is unknown by the very attempt that the list was written for.
 */
export async function readSettleList(
  path: string,
  journal: JournalStore,
  call: Call,
  config: Config,
): Promise<Settlings> {
  if (call.operands.length > 0 || call.flags["row"] !== undefined || call.flags["as"] !== undefined) {
    throw new PaydropError("usage", "--from stands alone: batch, row and decision are in the list", EXAMPLE);
  }
  const fileName = basename(path);
  const todo: Settling[] = [];
  const already: Settling[] = [];
  const faults: FileFault[] = [];
  const seen = new Set<string>();
  const settledBefore = historiesOf(journal);
  let skipped = 0;
  for await (const row of rowsOf(resolve(path), fileName, config)) {
    const line = lineOf(row, config);
    if (line.as === "") {
      skipped += 1;
      continue;
    }
    const found = await judgeLine(line, journal, settledBefore, config);
    if ("code" in found) faults.push({ ...found, row: row.number });
    else if (seen.has(`${found.one.batch}/${found.one.row.number}`)) faults.push({ ...TWICE, row: row.number });
    else (found.isDone ? already : todo).push(sayingAs(found.one, todo.at(-1)?.word));
    if ("one" in found) seen.add(`${found.one.batch}/${found.one.row.number}`);
  }
  if (faults.length > 0) throw new FileRefusedError(fileName, faults);
  return { todo, already, skipped };
}

const EXAMPLE =
  "paydrop status --unknown --csv > unknown.csv, fill in as, by and note, then paydrop settle --from unknown.csv";
const COLUMNS = ["batch", "row", "as", "by", "note"] as const;
const TWICE = { code: "twice", message: "this row stands twice in the list", hint: "delete one of the two lines" };

/** Line by line: a list may be as long as a file. */
async function* rowsOf(path: string, fileName: string, config: Config): AsyncGenerator<Row> {
  const sheet = await openSheet(await fileAt(path, fileName), {
    fileName,
    encoding: config.choices.encoding,
    knownNames: COLUMNS,
  });
  let isFirst = true;
  for await (const rows of sheet.rows()) {
    if (isFirst) assertColumns(sheet.header ?? rows[0]?.columns ?? [], fileName, config);
    isFirst = false;
    yield* rows;
  }
}

function assertColumns(names: readonly string[], fileName: string, { by }: Config): void {
  const columns = new Set(names.map(normalizeName));
  const missing = COLUMNS.filter((name) => !columns.has(name) && !(name === "by" && by !== undefined));
  if (missing.length === 0) return;
  const message = `the list has no column ${missing.join(", ")}`;
  throw new FileRefusedError(fileName, [{ code: "column_missing", message, hint: EXAMPLE }]);
}

/** Where the list itself lies: a person may well name it by a link, and what is read here follows none. */
async function fileAt(path: string, fileName: string): Promise<string> {
  try {
    const stats = await stat(path, { bigint: true });
    if (stats.isFile()) return await realpath(path);
    throw new PaydropError("usage", `${fileName}: this is ${kindOf(stats)}, not a file`, EXAMPLE);
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") throw error;
    throw new PaydropError("usage", `${fileName}: there is no such file`, EXAMPLE);
  }
}

interface Line {
  readonly batch: string;
  readonly row: string;
  readonly as: string;
  readonly by: string;
  readonly note: string | undefined;
  /** Which attempt the list was written for; undefined in a list made by hand. */
  readonly attempt: string | undefined;
  /** What the list said of the row, where these columns are still there: by it the person looked the row up. */
  readonly amount: string;
  readonly sentFrom: string;
}

function lineOf(row: Row, config: Config): Line {
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

/** A column with an empty cell in it is one of fractions to some programs: they save 91 as 91.0. */
function wholeNumber(text: string): string {
  return text.replace(/^(\d+)\.0+$/, "$1");
}

/** Lines that follow each other mostly say the same: it is kept once. */
function sayingAs(one: Settling, word: Word | undefined): Settling {
  const isSame = word?.as === one.word.as && word.by === one.word.by && word.note === one.word.note;
  return isSame ? { ...one, word } : one;
}

type Judged = { readonly one: Settling; readonly isDone: boolean } | FileFault;

type SettledBefore = (batchId: string, row: number) => Promise<readonly Act[]>;

/** The history of a batch is read once, not for each line: it may be as long as the list. */
function historiesOf(journal: JournalStore): SettledBefore {
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

async function judgeLine(
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
  if (row.state !== "unknown") {
    const is = row.state.replaceAll("_", " ");
    const by = row.settledBy === undefined ? "" : `, settled by ${row.settledBy}`;
    return fault("row", `row ${number} is ${is} now${by}; a list settles unknown rows only`, byHand(batch, number));
  }
  if (!isOpen) {
    const message = `row ${number} was sent again since this list was written`;
    return fault("row", message, "write a new list: paydrop status --unknown --csv");
  }
  if (isOfOtherMoment(line, row)) {
    return fault("row", `row ${number} was not sent at ${line.sentFrom}, as the line says`, MOVED);
  }
  return undefined;
}

/**
 * A column that was sorted without the others, or a cell that was deleted, leaves a decision beside another row than the
 * one that was looked up. What a spreadsheet wrote in its own way says nothing of that.
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

/** Without the column, a row that was settled before may be meant by an old list. */
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
