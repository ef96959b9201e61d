import { basename, resolve } from "node:path";
import { cellText } from "../checks/cells/cell.ts";
import type { Config } from "../config/config.ts";
import { configNamed, loadSettings } from "../config/load.ts";
import { mappingToml } from "../config/mapping-toml.ts";
import type { Mapping } from "../config/mapping.ts";
import { usualPlaces } from "../config/toml-file.ts";
import { isoDay } from "../day.ts";
import { defined } from "../defined.ts";
import { FileRefusedError, PaydropError } from "../errors.ts";
import { takeSnapshot } from "../intake/snapshot.ts";
import { asWord, printable } from "../text/printable.ts";
import { headerOf, headerless, nearestMapping, sameHeader } from "../reader/mapping/choose.ts";
import type { Proposal } from "../reader/mapping/propose.ts";
import type { ProposalClues } from "../reader/mapping/propose-columns.ts";
import { templateOf } from "../reader/mapping/templates.ts";
import type { Row, Sheet } from "../reader/row.ts";
import { folded } from "../results/screen/folded.ts";
import { checkFile } from "../proof-read/check-file.ts";
import { inScratchFolder } from "../disk/scratch.ts";
import { openInput, type InputFile } from "../take-in.ts";
import { operationSaid } from "../operations/catalogue.ts";
import { ask, canAsk } from "./ask.ts";
import { checkShown } from "./check.ts";
import type { Call } from "./command.ts";
import { errorShown } from "./screen/error-text.ts";
import { lookOf } from "./screen/look-of.ts";
import { readMapFlags, type MapFlags } from "./map/flags.ts";
import { askedOut, lackingError, lackingIn, type Answered } from "./map/questions.ts";
import { proposalText } from "./map/text.ts";
import { appendToToml, mappingIn } from "./map/write.ts";
import { leavingNothing } from "./signals.ts";

/** Proposes how the columns of another system could be read as ours, and writes it down when a person says so. */
export function run(call: Call): Promise<number> {
  return leavingNothing(() => mapFile(call));
}

async function mapFile(call: Call): Promise<number> {
  const mayBeNew = call.flags["write"] === true;
  const { config, file: settingsFile } = loadSettings({
    flags: call.flags,
    env: call.env,
    secrets: "ignore",
    mayBeNew,
  });
  const file = call.operands[0] ?? "";
  const target = settingsFile ?? newSettingsFile(call);
  return inScratchFolder("map", async (scratch) => {
    const input = await openInput(resolve(file), await takeSnapshot(file, scratch), { config });
    const noHeader = headerless(input.columns);
    if (noHeader) throw new FileRefusedError(basename(file), [noHeader]);
    const columns = headerOf(input.columns);
    const flags = readMapFlags(call, columns);
    assertNew(file, columns, config, flags);
    const show = (one: Answered): void => {
      if (config.quiet || config.json) return;
      const look = lookOf(call.stderr, call, config);
      call.stderr.write(proposalText(basename(file), one.clues, one.proposal, look));
    };
    const answered = await askedOut(call, config, await cluesOf(input, columns, config, flags), show);
    const { proposal, clues } = answered;
    show(answered);
    const lacking = lackingIn(proposal);
    if (lacking.length > 0) throw lackingError(lacking, proposal, columns);
    const name = flags.name ?? freeName(clues, basename(file), config.mappings);
    const toml = mappingToml(mappingOf(name, columns, proposal), remarksOf(basename(file), clues));
    const mapping = mappingIn(toml, name, resolve());
    if (!config.json && !config.quiet) await showCheck(call, config, file, mapping, flags.write);
    const isToWrite = flags.write || (await isWanted(call, config, name, target));
    if (isToWrite) await appendToToml(target, toml);
    const written = isToWrite ? target : undefined;
    if (config.json) call.stdout.write(`${JSON.stringify(asObject(mapping, proposal, written, toml))}\n`);
    else if (!isToWrite) call.stdout.write(toml);
    else if (!config.quiet) tellWritten(call, config, name, target, settingsFile === undefined);
    return 0;
  });
}

function tellWritten(call: Call, config: Config, name: string, target: string, isNew: boolean): void {
  const wrote = `wrote [mapping.${name}] to ${printable(target)}${isNew ? ", a new file" : ""}`;
  const then = "  → a paydrop watch that is running reads it when it is started again";
  call.stdout.write(folded(`${wrote}\n${then}\n`, lookOf(call.stdout, call, config)));
}

/** Where a mapping goes as long as there are no settings: the file that somebody named, else the user's own. */
function newSettingsFile({ flags, env }: Call): string {
  const named = configNamed(flags, env);
  if (named !== undefined) return resolve(named);
  return usualPlaces(env)[0];
}

/** A second mapping of the same columns would make every such file a question. */
function assertNew(file: string, columns: readonly string[], { mappings }: Config, { name }: MapFlags): void {
  const same = mappings.find((mapping) => sameHeader(mapping.header, columns));
  if (same) {
    const hint = `paydrop check ${asWord(file)} shows what it makes of the file; to change it, edit [mapping.${same.name}]`;
    throw new PaydropError("usage", `the mapping ${same.name} is already for exactly these columns`, hint);
  }
  if (name === undefined || !mappings.some((mapping) => mapping.name === name)) return;
  throw new PaydropError("usage", `there is a mapping ${name} already`, "give another --name, or remove the old one");
}

async function cluesOf(
  { sheet, columns: all }: InputFile,
  columns: readonly string[],
  config: Config,
  flags: MapFlags,
): Promise<ProposalClues> {
  const values = await firstValues(sheet, columns);
  const template = templateOf(columns);
  const near = nearestMapping({ columns: all, mappings: config.mappings, ownOperations: [] });
  const operation = config.operation ?? sheet.wrapper?.operation;
  const said = operation === undefined ? undefined : operationSaid(operation)?.name;
  const { option, unit, set, constants, lookups } = flags;
  const before = template ? undefined : near;
  return defined({ columns, values, set, constants, lookups, operation: said, option, unit, template, near: before });
}

const ROWS_LOOKED_AT = 50;

/** What stands in each column at the top of the file. */
async function firstValues(sheet: Sheet, columns: readonly string[]): Promise<string[][]> {
  const first: Row[] = [];
  for await (const chunk of sheet.rows()) {
    first.push(...chunk.slice(0, ROWS_LOOKED_AT - first.length));
    if (first.length === ROWS_LOOKED_AT) break;
  }
  return columns.map((column) =>
    first.map((row) => cellText(row, row.columns.indexOf(column)).trim()).filter((text) => text !== ""),
  );
}

function freeName({ template, near }: ProposalClues, fileName: string, mappings: readonly Mapping[]): string {
  const stem = /^[A-Za-z][A-Za-z_-]*[A-Za-z]/.exec(fileName.replace(/\.[^.]*$/, ""))?.[0];
  const base = (template?.name ?? near?.name ?? stem ?? "mapping").slice(0, 36);
  const isFree = (name: string): boolean => name !== "none" && !mappings.some((mapping) => mapping.name === name);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (isFree(name)) return name;
  }
}

function mappingOf(name: string, header: readonly string[], proposal: Proposal): Mapping {
  const { operation, form, columns, constants, values, mustBe, lookups, unit } = proposal;
  const byColumn = Map.groupBy(columns, ({ column }) => column);
  return defined({
    ...{ name, operation, option: form.option, amountUnit: unit?.unit ?? "rupees", header },
    columns: [...byColumn].map(([column, all]) => ({ column, fields: all.map(({ field }) => field) })),
    ...{ constants, values, mustBe, lookups },
  });
}

function remarksOf(fileName: string, { template }: ProposalClues): string[] {
  const from = `How the columns of ${printable(fileName)} are read, confirmed on ${isoDay(Date.now())}.`;
  return [from, ...(template ? [`${template.title}:`, ...template.limits.map((limit) => `- ${limit}`)] : [])];
}

async function isWanted(call: Call, config: Config, name: string, target: string): Promise<boolean> {
  if (!canAsk(call) || config.json || config.quiet) return false;
  return /^y(?:es)?$/i.test(await ask(call, `Write it as [mapping.${name}] to ${printable(target)}? y/N `));
}

/** Shows what the file would be under the mapping: on stderr where stdout gets the tables. */
async function showCheck(
  call: Call,
  config: Config,
  file: string,
  mapping: Mapping,
  isWritten: boolean,
): Promise<void> {
  const output = isWritten ? call.stdout : call.stderr;
  try {
    const report = await checkFile(file, { config: { ...config, mappings: [mapping], mapping: mapping.name } });
    output.write(checkShown(report, output, call, config));
  } catch (error) {
    if (!(error instanceof PaydropError)) throw error;
    output.write(errorShown(error, output, call, config));
  }
}

function asObject(
  mapping: Mapping,
  proposal: Proposal,
  file: string | undefined,
  toml: string,
): Record<string, unknown> {
  return {
    type: "mapping",
    name: mapping.name,
    written_to: file ?? null,
    operation: mapping.operation,
    option: mapping.option ?? null,
    amount_unit: mapping.amountUnit,
    columns: proposal.columns,
    toml,
  };
}
