import { notesOn } from "../acts/findings.ts";
import { sumOf } from "../amount.ts";
import { fieldsToFill } from "../config/mapping.ts";
import type { Config } from "../config/schema.ts";
import { STATEMENT_KEYS, statementTables, type StatementKey } from "../config/statement.ts";
import { FileRefusedError, PaydropError } from "../errors.ts";
import { told } from "../messages/sentence.ts";
import { READ_SO } from "../messages/statements.ts";
import { OPERATIONS } from "../operations/index.ts";
import { quotedNames } from "../printable.ts";
import { completeOperations, knownColumns } from "../reader/columns.ts";
import { templateOf } from "../reader/mapping.ts";
import { layoutText } from "../screen/layout-text.ts";
import { textOf as textLines } from "../screen/look.ts";
import { headerIn } from "../statements/layouts.ts";
import { LINES_LOOKED_AT, proposeLayout, type LayoutProposal, type SaidColumns } from "../statements/propose.ts";
import { readStatement } from "../statements/read.ts";
import { textOf, waysToTake, type SheetRow } from "../statements/sheet.ts";
import { optionOf, type Call } from "./command.ts";
import { columnNamed, pairsSaid, usualName, wrongPair, type Confirmed, type Named } from "./map-write.ts";

/**
 * How the file could be read as a bank's statement; undefined where it is one of payments: because a person said something
 * that only those have, or by its columns. Throws for a statement that is read already, or cannot be.
 */
export async function statementMapped(call: Call, config: Config, of: Named): Promise<Confirmed | undefined> {
  const { file } = of;
  const meant = kindMeant(call, config);
  const heads = meant === "payments" ? undefined : await headsOf(config, of);
  if (!heads) return undefined;
  assertUnknown(heads, config, file);
  const found = foundIn(heads, call, file, meant === "statement");
  if (!found) return undefined;
  const name = optionOf(call, "name") ?? usualName(file);
  if (config.statements.some(({ bank }) => bank === name)) throw new PaydropError("map_name_taken", { name });
  const isShown = !config.quiet && !config.json;
  if (isShown) call.stderr.write(layoutText(file, found));
  assertWhole(found);
  const table = tableOf(found);
  const notes = await notesOf(config, of, name, table);
  if (isShown) call.stderr.write(textLines(notes));
  return { section: "statement", name, file, table, remarks: [], said: { columns: found.columns } };
}

/** What the flags say of the kind of file, if they do. */
function kindMeant(call: Call, config: Config): "payments" | "statement" | undefined {
  const ofPayments = fieldsToFill(OPERATIONS.flatMap(({ forms }) => forms));
  const pairs = pairsSaid(call, "set", [...STATEMENT_KEYS, ...ofPayments]);
  const isOnlyOf = (one: readonly string[], other: readonly string[]): boolean =>
    pairs.some(({ field = "" }) => one.includes(field) && !other.includes(field));
  const flags = ["const", "unit", "option"].some((flag) => call.flags[flag] !== undefined);
  if (config.operation !== undefined || flags || isOnlyOf(ofPayments, STATEMENT_KEYS)) return "payments";
  return isOnlyOf(STATEMENT_KEYS, ofPayments) ? "statement" : undefined;
}

/** With the columns that a person named, as the file spells them. undefined: it does not look like a statement. */
function foundIn(heads: Heads, call: Call, file: string, isMeant: boolean): LayoutProposal | undefined {
  const pairs = pairsSaid(call, "set", STATEMENT_KEYS);
  const said = (columnOf: (value: string) => string): SaidColumns =>
    Object.fromEntries(
      STATEMENT_KEYS.flatMap((key) => {
        const columns = pairs.filter(({ field }) => field === key).map(({ value }) => columnOf(value));
        return columns.length === 0 ? [] : [[key, columns]];
      }),
    );
  const first = proposeLayout(heads, said(String));
  if (!first && isMeant)
    throw new PaydropError("map_no_header", { file, columns: quotedNames(pairs.map(({ value }) => value)) });
  if (!first || !(isMeant || (first.isStatement && !isOfPayments(first.names)))) return undefined;
  const isAgain = (field: string, at: number): boolean => pairs.findIndex((one) => one.field === field) < at;
  const wrong = pairs.find(
    ({ field }, at) => field === undefined || (isAgain(field, at) && !SEVERAL.some((key) => key === field)),
  );
  if (wrong) throw wrongPair("set", wrong.pair, STATEMENT_KEYS);
  return proposeLayout(
    heads,
    said((value) => columnNamed(value, first.names)),
  );
}

const SEVERAL: readonly StatementKey[] = ["text", "references"];

type Heads = readonly (readonly SheetRow[])[];

/** undefined: it is no table of this kind, and whoever reads payments says what it is. */
async function headsOf({ encoding }: Config, { path, file }: Named): Promise<Heads | undefined> {
  try {
    const refuse = (code: string): FileRefusedError => new FileRefusedError(file, [{ code }]);
    const { ways } = await waysToTake({ path, encoding, refuse }, LINES_LOOKED_AT);
    return ways.map(({ head }) => head);
  } catch (error) {
    if (error instanceof FileRefusedError) return undefined;
    throw error;
  }
}

function assertUnknown(heads: Heads, { statements }: Config, file: string): void {
  for (const rows of heads)
    for (const { cells } of rows) {
      const header = headerIn(cells.map(textOf), statements);
      if (header) throw new PaydropError("map_statement_known", { name: header.layout.bank, file });
    }
}

/** Columns of ours, of a template, or of a payee's bank: what they pay must not be taken for what was paid. */
function isOfPayments(names: readonly string[]): boolean {
  const ofPayee = knownColumns(names).some(({ field }) => field === "ifsc_code" || field === "vpa");
  return ofPayee || templateOf(names) !== undefined || completeOperations(names).length > 0;
}

function assertWhole({ columns, unclear, missing, names }: LayoutProposal): void {
  if (missing.length + unclear.length === 0) return;
  const used = [...columns.map(({ column }) => column), ...unclear.flatMap((one) => one.columns)];
  const lacking = missing.flatMap((one) => one.split(/, or | and /));
  throw new PaydropError("map_lacks", {
    unclear: unclear.map((one) => `${quotedNames(one.columns)} could each be ${one.key}`).join("; "),
    nothing: missing.join(", "),
    free: quotedNames(names.filter((name) => !used.includes(name))),
    ways: [...unclear.map(({ key }) => key), ...lacking].map((key) => `--set ${key}=COLUMN`).join("; "),
  });
}

/** As `[statement.NAME]` holds it. */
function tableOf({ columns, names, hasDecimalComma }: LayoutProposal) {
  const read = STATEMENT_KEYS.flatMap((key): [string, string | string[]][] => {
    const all = columns.filter((one) => one.key === key).map(({ column }) => column);
    const [first] = all;
    if (first === undefined) return [];
    return [[key, SEVERAL.includes(key) ? all : first]];
  });
  const beside = names.filter((name) => !columns.some(({ column }) => column === name));
  return {
    ...Object.fromEntries(read),
    ...(beside.length > 0 && { beside }),
    ...(hasDecimalComma && { decimal_comma: true }),
  };
}

/** What the whole file says when it is read so. Throws FileRefusedError where it cannot be. */
async function notesOf({ encoding }: Config, { path }: Named, name: string, table: object): Promise<readonly string[]> {
  const layouts = statementTables().parse({ [name]: table });
  // which of the two comes first in its dates is asked when it is compared
  const statement = await readStatement(path, { encoding, layouts, dayFirst: true });
  const { lines } = statement;
  const [debits, credits] = (["debit", "credit"] as const).map((side) =>
    [...lines].filter(({ direction }) => direction === side),
  );
  const facts = {
    debits: debits?.length,
    credits: credits?.length,
    out: sumOf(debits ?? []),
    into: sumOf(credits ?? []),
  };
  return [told(READ_SO, facts).text, ...notesOn({ statement: { ...statement, lines: lines.length }, before: 0 })];
}
