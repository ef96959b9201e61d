import { realpath, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { FileRefusedError, PaydropError, systemCodeOf, type FileFault } from "../../errors.ts";
import { kindOf } from "../../intake/source-file.ts";
import type { JournalStore } from "../../journal/store.ts";
import { normalizeName } from "../../text/names.ts";
import type { Row } from "../../reader/row.ts";
import { openSheet } from "../../reader/sheet.ts";
import type { Call } from "../command.ts";
import { historiesOf, judgeLine, lineOf } from "./line.ts";
import type { Settling, Settlings, Word } from "./settling.ts";

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
    if ("code" in found) {
      faults.push({ ...found, row: row.number });
      continue;
    }
    const { one, isDone } = found;
    const key = `${one.batch}/${one.row.number}`;
    if (seen.has(key)) faults.push({ ...TWICE, row: row.number });
    else (isDone ? already : todo).push(sayingAs(one, todo.at(-1)?.word));
    seen.add(key);
  }
  if (faults.length > 0) throw new FileRefusedError(fileName, faults);
  return { todo, already, skipped };
}

/** Neighbouring lines mostly have the same decision, name and note: they share one object. */
function sayingAs(one: Settling, word: Word | undefined): Settling {
  const isSame = word?.as === one.word.as && word.by === one.word.by && word.note === one.word.note;
  return isSame ? { ...one, word } : one;
}

const EXAMPLE =
  "paydrop status --unknown --csv > unknown.csv, fill in as, by and note, then paydrop settle --from unknown.csv";
const COLUMNS = ["batch", "row", "as", "by", "note"] as const;
const TWICE = {
  code: "twice",
  message: "this row stands twice in the list",
  hint: "delete one of the two lines",
} as const;

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

/** Where the list really lies: it may be named by a link, and the reader follows none. */
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
