import { knownBatch } from "../acts/act.ts";
import { dirname, resolve } from "node:path";
import { openKept } from "../checks/open-kept.ts";
import { loadSettings } from "../config/load.ts";
import { writeAtomically } from "../disk.ts";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { formatOfName, type FileFormat } from "../file-format.ts";
import { openJournalOf } from "../open-journal.ts";
import { TEMPLATE_NOTES } from "../messages/results.ts";
import { told } from "../messages/sentence.ts";
import { fieldsOf, OPERATION_NAMES, operationSaid } from "../operations/index.ts";
import type { Form, Operation } from "../operations/operation.ts";
import { printable } from "../printable.ts";
import type { ColumnPlan } from "../reader/columns.ts";
import type { Cell, Row, Table } from "../reader/row.ts";
import { recordsOf } from "../results/totals.ts";
import { tableIn } from "../results/table.ts";
import { optionOf, type Call } from "./command.ts";

/** A file to fill in, with two example rows, or the rows of an earlier batch; CSV on stdout, or a new table. */
export async function run(call: Call): Promise<number> {
  const out = optionOf(call, "out");
  const format = out === undefined ? "csv" : formatOfName(out);
  if (format !== "csv" && format !== "xlsx") throw new PaydropError("template_name", { out: printable(out ?? "") });
  const make = optionOf(call, "from") === undefined ? fromExamples : fromBatch;
  const notes = await make(call, (filling) => write(call, out, piecesOf(format, filling)));
  const written = out === undefined ? [] : [`Written to ${printable(out)}.`];
  if (!loadSettings(call, "trial").config.quiet)
    call.stderr.write([...written, ...notes].map((note) => `${note}\n`).join(""));
  return 0;
}

interface Filling {
  readonly header: readonly string[];
  readonly sheet: string;
  readonly pages: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;
}

/** Writes the table, and gives what a person should know who fills it in. */
type Make = (call: Call, fill: (filling: Filling) => Promise<void>) => Promise<readonly string[]>;

const fromExamples: Make = async (call, fill) => {
  const said = printable(call.operands[0] ?? "");
  const operation = operationSaid(said);
  if (!operation)
    throw new PaydropError("unknown_word", { thing: "operation", said, words: OPERATION_NAMES.join(", ") });
  const fields = fieldsOf(formSaid(operation, optionOf(call, "option")?.toUpperCase()));
  const header = fields.map(({ name }) => name);
  const rows = ([0, 1] as const).map((which): Row => {
    return { number: which + 2, columns: header, cells: fields.map(({ examples }) => examples[which]) };
  });
  await fill({ header, sheet: operation.folder, pages: [rows] });
  const optional = fields.flatMap(({ name, required }) => (required ? [] : [name]));
  const { examples, optional: mayBeEmpty, as_written, own_columns } = TEMPLATE_NOTES;
  const empty = optional.length === 0 ? [] : [told(mayBeEmpty, { optional: optional.join(", ") }).text];
  return [examples, ...empty, as_written, own_columns];
};

/** Option B, the one with a bank account, unless another is said. */
function formSaid({ name, forms }: Operation, option: string | undefined): Form {
  const options = forms.flatMap((form) => form.option ?? []);
  const found = forms.find((form) => form.option === (option ?? options.at(-1)));
  if (found) return found;
  const words = options.length === 0 ? `none: a ${name} has no options` : options.join(", ");
  throw new PaydropError("unknown_word", { thing: "option", said: printable(option ?? ""), words });
}

/** The rows of an earlier batch: the same payees and amounts; references and periods are of that payment alone. */
const fromBatch: Make = async (call, fill) => {
  const { config } = loadSettings(call);
  const store = await openJournalOf(config, { makesNone: true });
  try {
    const batch = await knownBatch(store, optionOf(call, "from"));
    const { table, plan } = await openKept({ store, config }, batch);
    // a value that is invalid because it is no text would become text here
    const records = (await Array.fromAsync(recordsOf(store, batch.id, { states: ["invalid"] }))).flat();
    const invalid = new Set(records.map(({ row }) => row));
    const header = table.header ?? (await allColumns(table));
    let copied = 0;
    async function* pages(): AsyncGenerator<readonly Row[]> {
      for await (const page of table.rows()) {
        const rows = page.filter(({ number }) => !invalid.has(number));
        copied += rows.length;
        yield rows.map((row) => emptied(row, plan, header));
      }
    }
    await fill({ header, sheet: table.reading.sheet ?? "payments", pages: pages() });
    const leftOut = invalid.size === 0 ? [] : [told(TEMPLATE_NOTES.left_out, { rows: invalid.size }).text];
    return [told(TEMPLATE_NOTES.copied, { rows: copied, batch: batch.id }).text, ...leftOut];
  } finally {
    await store.close();
  }
};

function emptied({ number, columns, cells }: Row, plan: ColumnPlan, header: readonly string[]): Row {
  const { sources } = plan(columns);
  const own = ["reference", "period", "retry_of"].map((name) => sources.get(name)?.at);
  const cellAt = (at: number): Cell => (own.includes(at) ? "" : (cells[at] ?? ""));
  return { number, columns: header, cells: header.map((name) => cellAt(columns.indexOf(name))) };
}

async function allColumns(table: Table): Promise<readonly string[]> {
  const all = new Set<string>();
  for await (const page of table.rows()) for (const name of page.flatMap(({ columns }) => columns)) all.add(name);
  return [...all];
}

async function* piecesOf(format: FileFormat, { header, sheet, pages }: Filling): AsyncGenerator<string | Uint8Array> {
  const dropped = ["retrymessage", "retryof"];
  const table = tableIn(format, { before: [], after: [], widths: {}, dropped, isInput: true, sheet }, header);
  yield table.begin();
  for await (const rows of pages) yield table.rows(rows.map((row) => ({ before: [], row, after: [] })));
  yield table.end();
}

/** Whole or not at all, and never over a file that is there: somebody may have filled it in. */
async function write(call: Call, out: string | undefined, pieces: ReturnType<typeof piecesOf>): Promise<void> {
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
