import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { parse, stringify } from "smol-toml";
import { normalizeName } from "../column-name.ts";
import { loadSettings } from "../config/load.ts";
import { fieldsToFill, mappingTables, type AmountUnit } from "../config/mapping.ts";
import type { Config } from "../config/schema.ts";
import { usualPlaces } from "../config/toml.ts";
import { isoDay } from "../day.ts";
import { makePrivateFolder, writeAtomically } from "../disk.ts";
import { FileRefusedError, messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { maskStray } from "../mask.ts";
import { ACTED } from "../messages/acts.ts";
import { complete } from "../messages/commands.ts";
import { listed, told, toldLines } from "../messages/sentence.ts";
import { fieldsOf, OPERATIONS, operationSaid } from "../operations/index.ts";
import { printable, quotedNames } from "../printable.ts";
import { cellWords, completeOperations, knownColumns } from "../reader/columns.ts";
import { headerOf, sameHeader, templateOf } from "../reader/mapping.ts";
import { openTable } from "../reader/open-table.ts";
import { otherMeasureIn, proposeMappings, type Proposal, type ProposalClues } from "../reader/propose.ts";
import type { Row } from "../reader/row.ts";
import { looksLikeValues } from "../reader/lines.ts";
import { proposalText } from "../screen/proposal-text.ts";
import { commandsIn, optionOf, show, textsOf, type Call } from "./command.ts";

const ROWS_LOOKED_AT = 50;

/** Proposes how the columns of another system could be read as ours, and writes it down when a person says so. */
export async function run(call: Call): Promise<number> {
  const mayWrite = call.flags["write"] === true;
  const { config, file: settings } = loadSettings(call, "trial", mayWrite);
  const file = basename(call.operands[0] ?? "");
  const clues = await cluesOf(call, config, file);
  const { columns } = clues;
  const name = optionOf(call, "name") ?? clues.template?.name ?? usualName(file);
  assertNew(file, columns, config, name);
  const proposal = proposalOf(clues);
  if (!config.quiet && !config.json) call.stderr.write(proposalText(file, clues, proposal));
  assertWhole(proposal, columns, file);
  const table = tableOf(columns, proposal);
  const toml = tomlOf(name, table, remarksOf(file, clues));
  const given = optionOf(call, "config");
  const said = given ?? call.env["PAYDROP_CONFIG"];
  const target = settings ?? resolve(said || (usualPlaces(call.env)[0] ?? ""));
  if (mayWrite) await addToToml(target, toml);
  const { operation, option = null, amount_unit } = table;
  const written = { written_to: mayWrite ? target : null, columns: proposal.columns, toml };
  const line = { type: "mapping", name, operation, option, amount_unit, ...written };
  const done = complete(told(ACTED.mapping_written, { name, path: printable(target), file }), {
    all: given ? { config: given } : {},
  });
  // the lines are what was asked for: quiet or not
  if (mayWrite || config.json) show(call, config, { ...line, ...commandsIn(done) }, `${toldLines(done)}\n`);
  else call.stdout.write(toml);
  return 0;
}

async function cluesOf(call: Call, config: Config, file: string): Promise<ProposalClues> {
  const path = await realpath(call.operands[0] ?? "").catch(() => "");
  if (!(await stat(path).catch(() => undefined))?.isFile()) {
    throw new PaydropError("file_missing", { name: printable(file) });
  }
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
  for (const pair of textsOf(call, name)) {
    const [, said = "", value = ""] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
    const field = fields.find((one) => normalizeName(one) === normalizeName(said));
    if (field === undefined || field in pairs) {
      const facts = { flag: `--${name}`, pair: printable(maskStray(pair)), fields: fields.join(", ") };
      throw new PaydropError("map_pair", facts);
    }
    pairs[field] = read(value, field);
  }
  return pairs;
}

function columnNamed(said: string, columns: readonly string[]): string {
  const found = columns.find((column) => normalizeName(column) === normalizeName(said));
  if (found !== undefined) return found;
  throw new PaydropError("map_column", { column: quotedNames([said]), columns: quotedNames(columns) });
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

function usualName(fileName: string): string {
  return /^[A-Za-z][A-Za-z_-]{1,39}/.exec(fileName.replace(/\.[^.]*$/, ""))?.[0] ?? "mapping";
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

function remarksOf(file: string, { template }: ProposalClues): readonly string[] {
  const from = `How the columns of ${printable(file)} are read, confirmed on ${isoDay(Date.now())}.`;
  return [from, ...(template ? [`${template.title}:`, ...template.limits.map((limit) => `- ${limit}`)] : [])];
}

/** The remarks as comments, and the table. Throws where it could not be read again. */
function tomlOf(name: string, table: ReturnType<typeof tableOf>, remarks: readonly string[]): string {
  // sections without a line, and an option that there is not, are left out
  const filled = Object.entries(table).filter(([, value]) => value !== undefined && Object.keys(value).length > 0);
  const lines = stringify({ mapping: { [name]: Object.fromEntries(filled) } }).replace("[mapping]\n\n", "");
  assertReadable(lines, name);
  return `${remarks.map((remark) => `# ${remark}\n`).join("")}${lines}`;
}

/** Throws PaydropError `results_unwritable` where mappings of this paydrop.toml could not be read. */
function assertReadable(text: string, path: string): void {
  const { success } = mappingTables("/").safeParse(parse(text.replace(/^\ufeff/, ""))["mapping"]);
  if (!success) throw new PaydropError("map_unwritable", { path: printable(path), why: "settings_wrong" });
}

/** Adds the tables at the end; what stands in the file stays byte for byte. */
async function addToToml(path: string, tables: string): Promise<void> {
  try {
    const target = await realpath(path).catch(() => path);
    const before = await readFile(target, "utf8").catch((error: unknown) => {
      // a file that the disk does not give must not be taken for a missing one, and replaced
      if (systemCodeOf(error) === "ENOENT") return "";
      throw error;
    });
    const text = before + (before === "" ? "" : before.endsWith("\n") ? "\n" : "\n\n") + tables;
    assertReadable(text, path);
    makePrivateFolder(dirname(target));
    const mode = before === "" ? 0o600 : (await stat(target)).mode & 0o777;
    await writeAtomically(target, [text], { replace: true, mode });
  } catch (error) {
    if (error instanceof PaydropError) throw error;
    throw new PaydropError("map_unwritable", { path: printable(path), why: messageOf(error) }, { cause: error });
  }
}
