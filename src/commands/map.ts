import { realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import { loadSettings } from "../config/load.ts";
import { fieldsToFill, type AmountUnit } from "../config/mapping.ts";
import type { Config } from "../config/schema.ts";
import { FileRefusedError, PaydropError } from "../errors.ts";
import { listed } from "../messages/sentence.ts";
import { fieldsOf, OPERATIONS, operationSaid } from "../operations/index.ts";
import { printable, quotedNames } from "../printable.ts";
import { cellWords, completeOperations, knownColumns } from "../reader/columns.ts";
import { headerOf, sameHeader, templateOf } from "../reader/mapping.ts";
import { openTable } from "../reader/open-table.ts";
import { otherMeasureIn, proposeMappings, type Proposal, type ProposalClues } from "../reader/propose.ts";
import type { Row } from "../reader/row.ts";
import { looksLikeValues } from "../reader/lines.ts";
import { proposalText } from "../screen/proposal-text.ts";
import { optionOf, type Call } from "./command.ts";
import { statementMapped } from "./map-statement.ts";
import { columnNamed, confirm, pairsSaid, usualName, wrongPair, type Confirmed, type Named } from "./map-write.ts";

const ROWS_LOOKED_AT = 50;

/** Proposes how the columns of another system could be read as ours, and writes it down when a person says so. */
export async function run(call: Call): Promise<number> {
  const mayWrite = call.flags["write"] === true;
  const { config, file: settings } = loadSettings(call, "trial", mayWrite);
  const file = basename(call.operands[0] ?? "");
  const path = await realpath(call.operands[0] ?? "").catch(() => "");
  if (!(await stat(path).catch(() => undefined))?.isFile()) {
    throw new PaydropError("file_missing", { name: printable(file) });
  }
  const of = { path, file };
  const confirmed = (await statementMapped(call, config, of)) ?? (await paymentsMapped(call, config, of));
  return confirm(call, config, settings, confirmed);
}

async function paymentsMapped(call: Call, config: Config, of: Named): Promise<Confirmed> {
  const { file } = of;
  const clues = await cluesOf(call, config, of);
  const { columns, template } = clues;
  const name = optionOf(call, "name") ?? template?.name ?? usualName(file);
  assertNew(file, columns, config, name);
  const proposal = proposalOf(clues);
  if (!config.quiet && !config.json) call.stderr.write(proposalText(file, clues, proposal));
  assertWhole(proposal, columns, file);
  const table = tableOf(columns, proposal);
  const { operation, option = null, amount_unit } = table;
  return {
    ...{ section: "mapping", name, file, table, said: { operation, option, amount_unit, columns: proposal.columns } },
    remarks: template ? [`${template.title}:`, ...template.limits.map((limit) => `- ${limit}`)] : [],
  };
}

async function cluesOf(call: Call, config: Config, { path, file }: Named): Promise<ProposalClues> {
  const { encoding, sheet } = config;
  const table = await openTable(path, file, { encoding, sheet }).catch((error: unknown) => {
    const isBankFile = error instanceof FileRefusedError && error.faults[0]?.code === "bank_own_line";
    throw isBankFile ? new PaydropError("map_bank_file", { name: printable(file) }) : error;
  });
  let rows: readonly Row[] = [];
  for await (rows of table.rows()) break;
  const columns = headerOf(table.header ?? rows[0]?.columns ?? []);
  if (looksLikeValues(columns)) throw new FileRefusedError(file, [{ code: "header_missing" }]);
  const wordsIn = (column: string): readonly string[] =>
    rows.slice(0, ROWS_LOOKED_AT).map((row) => cellWords(row.cells[row.columns.indexOf(column)] ?? ""));
  return {
    ...{ columns, unit: unitSaid(call), template: templateOf(columns) },
    option: optionOf(call, "option")?.toUpperCase(),
    operation: config.operation ?? operationSaid(table.wrapper?.operation ?? "")?.name,
    values: columns.map((column) => wordsIn(column).filter((text) => text !== "")),
    set: pairsOf(call, "set", (column) => columnNamed(column, columns)),
    constants: pairsOf(call, "const", constant),
  };
}

function unitSaid(call: Call): AmountUnit | undefined {
  const unit = optionOf(call, "unit");
  if (unit === undefined || unit === "rupees" || unit === "paise") return unit;
  throw new PaydropError("unknown_word", { thing: "unit", said: printable(unit), words: "rupees, paise" });
}

function pairsOf(call: Call, name: string, read: (value: string, field: string) => string): Record<string, string> {
  const pairs: Record<string, string> = {};
  const fields = fieldsToFill(OPERATIONS.flatMap(({ forms }) => forms));
  for (const { field, value, pair } of pairsSaid(call, name, fields)) {
    if (field === undefined || field in pairs) throw wrongPair(name, pair, fields);
    pairs[field] = read(value, field);
  }
  return pairs;
}

/** Fields in which one value for all rows would pay everybody to one account, or one amount, or for one month for ever. */
const DIFFERS = new Set([
  ...["amount", "period"],
  ...OPERATIONS.flatMap(({ forms, debit }) =>
    forms.flatMap((form) => {
      const isPayees = ({ name, sensitive, shape }: ReturnType<typeof fieldsOf>[number]): boolean =>
        name === form.payee || sensitive === "name" || shape === "ifsc";
      return fieldsOf(form).flatMap((field) => (field.name !== debit && isPayees(field) ? [field.name] : []));
    }),
  ),
]);

function constant(value: string, field: string): string {
  if (DIFFERS.has(field)) throw new PaydropError("map_const_each", { field });
  return value;
}

/** A second mapping of the same columns would make every such file a question. */
function assertNew(file: string, columns: readonly string[], { mappings }: Config, name: string): void {
  const same = mappings.find((mapping) => sameHeader(mapping.header, columns));
  if (same) throw new PaydropError("map_exists", { name: same.name, file });
  if (mappings.some((mapping) => mapping.name === name)) throw new PaydropError("map_name_taken", { name });
}

function proposalOf(clues: ProposalClues): Proposal {
  const [proposal, ...others] = proposeMappings(clues);
  if (!proposal) throw new PaydropError("unknown_word", { thing: "option", said: clues.option, words: "A, B" });
  if (others.length > 0) {
    const names = [proposal, ...others].map(({ operation }) => operation);
    const flags = names.map((name) => `--operation ${name}`).join(" or ");
    throw new PaydropError("map_which", { names: listed(names, "or"), flags });
  }
  // what somebody said of a field that the rows do not have would be dropped without a word
  const { operation, form } = proposal;
  const label = form.option === undefined ? operation : `${operation} of option ${form.option}`;
  const field = Object.keys({ ...clues.constants, ...clues.set }).find((one) => !fieldsToFill([form]).includes(one));
  if (field !== undefined) throw new PaydropError("map_no_field", { field, label });
  return proposal;
}

const UNIT = "amount_unit";

/** Throws where a field is not given that must be, or nobody said the unit of the amounts. */
function assertWhole(proposal: Proposal, header: readonly string[], file: string): void {
  const { operation, columns, mustBe, lookups, unclear, form, unit, missing } = proposal;
  // a field that a row may leave out may be missing in the mapping too, but not one whose default would be sent
  const needed = fieldsOf(form).flatMap((field) => (field.required || field.default !== undefined ? [field.name] : []));
  const asked = unclear.filter(({ field }) => needed.includes(field));
  const nothing = [...missing, ...(unit || asked.some(({ field }) => field === "amount") ? [] : [UNIT])];
  if (asked.length === 0 && nothing.length === 0) return;
  const upi = knownColumns(header).find(({ field }) => field === "vpa");
  if (upi && operation !== "collection" && missing.includes(form.payee)) {
    throw new PaydropError("map_upi", { column: quotedNames([upi.column]) });
  }
  if (nothing.join() === UNIT && completeOperations(header).includes(operation)) {
    throw new PaydropError("map_ours", { file });
  }
  const used = [...columns, ...mustBe].map(({ column }) => column);
  used.push(...lookups.map(({ by }) => by), ...unclear.flatMap((one) => one.columns));
  const ways = nothing.map((field) => {
    if (field === UNIT) return "--unit rupees or --unit paise";
    return `${DIFFERS.has(field) ? "" : `--const ${field}=VALUE or `}--set ${field}=COLUMN`;
  });
  const amount = columns.find(({ field }) => field === "amount")?.column ?? "";
  throw new PaydropError("map_lacks", {
    unclear: asked.map((one) => `${quotedNames(one.columns)} could each be ${one.field}`).join("; "),
    nothing: nothing.join(", "),
    free: quotedNames(header.filter((column) => !used.includes(column))),
    measure: nothing.includes(UNIT) ? otherMeasureIn(amount) : undefined,
    ways: [...asked.map(({ field }) => `--set ${field}=COLUMN`), ...ways].join("; "),
  });
}

function tableOf(header: readonly string[], { operation, form, unit, columns, ...proposal }: Proposal) {
  const byColumn = [...Map.groupBy(columns, ({ column }) => column)];
  const fields = byColumn.map(([column, all]) => [
    column,
    all.length === 1 ? all[0]?.field : all.map((one) => one.field),
  ]);
  return {
    ...{ operation, option: form.option, amount_unit: unit?.unit ?? "rupees", header },
    columns: Object.fromEntries(fields) as Record<string, string | string[]>,
    constants: proposal.constants,
    must_be: Object.fromEntries(proposal.mustBe.map(({ column, values }) => [column, values])),
    lookup: proposal.lookups,
  };
}
