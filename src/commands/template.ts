import { dirname, resolve } from "node:path";
import { openKept } from "../checks/open-file.ts";
import { loadSettings } from "../config/load.ts";
import { writeAtomically } from "../disk.ts";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { formatOfName, type FileFormat } from "../file-format.ts";
import { openJournal } from "../journal/open.ts";
import { TEMPLATE_NOTES } from "../messages/results.ts";
import { told } from "../messages/sentence.ts";
import { fieldsOf, OPERATION_NAMES, operationSaid } from "../operations/index.ts";
import type { Form, Operation } from "../operations/operation.ts";
import { printable } from "../printable.ts";
import type { Cell, Row, Table } from "../reader/row.ts";
import { recordsOf } from "../results/totals.ts";
import { tableIn } from "../results/table.ts";
import { snapshotPath } from "../state-dir.ts";
import { optionOf, type Call } from "./command.ts";
import { knownBatch } from "./open-work.ts";

/** A file to fill in, with two example rows, or the rows of an earlier batch; on stdout or in a new file. */
export async function run(call: Call): Promise<number> {
  const out = optionOf(call, "out");
  const format = out === undefined ? undefined : formatOfName(out);
  if (out !== undefined && format === undefined) throw new PaydropError("template_name", { out: printable(out) });
  const make = optionOf(call, "from") === undefined ? fromExamples : fromBatch;
  const notes = await make(call, out, format);
  const written = out === undefined ? [] : [`Written to ${printable(out)}.`];
  if (!loadSettings(call).config.quiet) call.stderr.write([...written, ...notes].map((note) => `${note}\n`).join(""));
  return 0;
}

/** Every row has a cell for each column; in JSON a row has what it fills. */
const isTabular = (format: FileFormat): boolean => format === "csv" || format === "xlsx";

/** What to write. */
interface Filling {
  readonly header: readonly string[];
  readonly sheet: string;
  /** Of a JSON wrapper. */
  readonly operation?: string | undefined;
  readonly pages: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;
}

async function fromExamples(
  call: Call,
  out: string | undefined,
  format: FileFormat = "csv",
): Promise<readonly string[]> {
  const said = printable(call.operands[0] ?? "");
  const operation = operationSaid(said);
  if (!operation)
    throw new PaydropError("unknown_word", { thing: "operation", said, words: OPERATION_NAMES.join(", ") });
  const fields = fieldsOf(formSaid(operation, optionOf(call, "option")?.toUpperCase()));
  const isTable = isTabular(format);
  const rows = ([0, 1] as const).map((which): Row => {
    const filled = fields.filter(({ examples }) => isTable || examples[which] !== "");
    const cells = filled.map(({ kind, examples }): Cell => {
      const isNumber = !isTable && (kind === "amount" || kind === "whole");
      return isNumber ? { token: "number", source: examples[which] } : examples[which];
    });
    return { number: which + 2, columns: filled.map(({ name }) => name), cells };
  });
  const optional = fields.flatMap(({ name, required }) => (required ? [] : [name]));
  await write(call, out, format, { header: fields.map(({ name }) => name), sheet: operation.folder, pages: [rows] });
  const { examples, optional: mayBeEmpty, as_written, own_columns } = TEMPLATE_NOTES;
  const empty = optional.length === 0 ? [] : [told(mayBeEmpty, { optional: optional.join(", ") }).text];
  return [examples, ...empty, as_written, own_columns];
}

/** Option B, the one with a bank account, unless another is said. */
function formSaid({ name, forms }: Operation, option: string | undefined): Form {
  const options = forms.flatMap((form) => form.option ?? []);
  const found = forms.find((form) => form.option === (option ?? options.at(-1)));
  if (found) return found;
  const words = options.length === 0 ? `none: a ${name} has no options` : options.join(", ");
  throw new PaydropError("unknown_word", { thing: "option", said: printable(option ?? ""), words });
}

/** The rows of an earlier batch: the same payees and amounts; references and periods are of that payment alone. */
async function fromBatch(call: Call, out: string | undefined, asked?: FileFormat): Promise<readonly string[]> {
  const { config } = loadSettings(call);
  const store = await openJournal(config.state_dir, { makesNone: true });
  try {
    const batch = await knownBatch(store, optionOf(call, "from"));
    const format = asked ?? batch.format;
    const { table, plan } = await openKept(snapshotPath(config.state_dir, batch.sha256), batch);
    // a value that is invalid because it is no text would become text in another format
    const records = (await Array.fromAsync(recordsOf(store, batch.id, { states: ["invalid"] }))).flat();
    const invalid = new Set(records.map(({ row }) => row));
    const isTable = isTabular(format);
    const header = table.header ?? (isTable ? await allColumns(table) : []);
    let copied = 0;
    async function* pages(): AsyncGenerator<readonly Row[]> {
      for await (const page of table.rows()) {
        const rows = page.filter(({ number }) => !invalid.has(number));
        copied += rows.length;
        yield rows.map((row) => emptied(row, plan, isTable ? header : row.columns));
      }
    }
    const sheet = table.reading.sheet ?? "payments";
    await write(call, out, format, { header, sheet, operation: table.wrapper?.operation, pages: pages() });
    const leftOut = invalid.size === 0 ? [] : [told(TEMPLATE_NOTES.left_out, { rows: invalid.size }).text];
    return [told(TEMPLATE_NOTES.copied, { rows: copied, batch: batch.id }).text, ...leftOut];
  } finally {
    await store.close();
  }
}

type Plan = Awaited<ReturnType<typeof openKept>>["plan"];

/** The row without its reference and period, in the columns of a table. */
function emptied({ number, columns, cells }: Row, plan: Plan, header: readonly string[]): Row {
  const { sources } = plan(columns);
  const own = ["reference", "period", "retry_of"].map((name) => sources.get(name)?.at);
  const kept = cells.map((cell, at): Cell => (own.includes(at) ? "" : cell));
  if (header === columns) return { number, columns, cells: kept };
  return { number, columns: header, cells: header.map((name) => kept[columns.indexOf(name)] ?? "") };
}

async function allColumns(table: Table): Promise<readonly string[]> {
  const all = new Set<string>();
  for await (const page of table.rows()) for (const name of page.flatMap(({ columns }) => columns)) all.add(name);
  return [...all];
}

async function* piecesOf(format: FileFormat, filling: Filling): AsyncGenerator<string | Uint8Array> {
  const { header, sheet, operation, pages } = filling;
  const dropped = ["retrymessage", "retryof"];
  const shape = { before: [], after: [], widths: {}, dropped, isInput: true, sheet } as const;
  const table = tableIn(format, shape, header, operation === undefined ? undefined : { operation });
  yield table.begin();
  for await (const rows of pages) yield table.rows(rows.map((row) => ({ before: [], row, after: [] })));
  yield table.end();
}

/** Whole or not at all, and never over a file that is there: somebody may have filled it in. */
async function write(call: Call, out: string | undefined, format: FileFormat, filling: Filling): Promise<void> {
  if (out === undefined && format === "xlsx") throw new PaydropError("template_binary");
  const pieces = piecesOf(format, filling);
  if (out === undefined) {
    for await (const piece of pieces) call.stdout.write(String(piece));
    return;
  }
  const facts = { out: printable(out), folder: printable(dirname(resolve(out))) };
  try {
    if (await writeAtomically(resolve(out), pieces, { replace: false })) return;
  } catch (error) {
    if (systemCodeOf(error) === undefined || error instanceof PaydropError) throw error;
    throw new PaydropError("template_unwritable", { ...facts, why: messageOf(error) }, { cause: error });
  }
  throw new PaydropError("exists", { name: facts.out });
}
