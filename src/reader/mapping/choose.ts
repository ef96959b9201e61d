import { mappingNamed, type Mapping } from "../../config/mapping.ts";
import type { FileFault } from "../../errors.ts";
import { normalizeName } from "../../text/names.ts";
import type { OperationName } from "../../operations/operation.ts";
import { asWord, printable } from "../../text/printable.ts";
import { looksLikeValues } from "../header.ts";
import { refusalFault } from "../refusals.ts";
import { looksHeaderless, templateOf, type Template } from "./templates.ts";

interface HeaderClues {
  /** The header, or the keys of the first JSON row. */
  readonly columns: readonly string[];
  readonly mappings: readonly Mapping[];
  /** What a person said with `--mapping`: a name, or `none`. */
  readonly wanted?: string;
  /** The operations that the columns are complete for by our own names. */
  readonly ownOperations: readonly OperationName[];
  /** The file as a command is to name it. */
  readonly path: string;
}

/**
 * The mapping that a file is read by; undefined: it is read by our own column names. A mapping is for exactly the
 * columns that a person confirmed; for any other file that looks like one of another system a fault asks a person,
 * and nothing is guessed. Throws PaydropError `usage` for a `--mapping` that does not exist.
 */
export function chooseMapping(clues: HeaderClues): Mapping | FileFault | undefined {
  const { columns, mappings, wanted } = clues;
  if (wanted === "none") return undefined;
  if (wanted !== undefined) {
    const mapping = mappingNamed(wanted, mappings);
    return sameHeader(mapping.header, columns) ? (wrongUnit(mapping, columns) ?? mapping) : differs(mapping, clues);
  }
  const fitting = mappings.filter((mapping) => sameHeader(mapping.header, columns));
  const [only] = fitting;
  if (fitting.length > 1) return ambiguous(fitting);
  if (only) return wrongUnit(only, columns) ?? mayBeOurs(only, clues) ?? only;
  const near = nearestMapping(clues);
  if (near) return differs(near, clues);
  const template = templateOf(columns);
  if (template) return unconfirmed(template, clues.path);
  return headerless(columns);
}

/** The fault of a first row that is a payment: its cells must not be taken for a header, and be shown to nobody. */
export function headerless(columns: readonly string[]): FileFault | undefined {
  if (looksHeaderless(columns)) return HEADERLESS;
  return looksLikeValues(columns) ? refusalFault("header_missing") : undefined;
}

/** The columns that make up a header: neither nameless ones nor those that a retry file adds. */
export function headerOf(columns: readonly string[]): readonly string[] {
  return columns.filter((column) => !LEFT_OUT.has(normalizeName(column)));
}

/** Names as `normalizeName` gives them. */
export const LEFT_OUT: ReadonlySet<string> = new Set(["", "retrymessage", "retryof"]);

export function sameHeader(confirmed: readonly string[], columns: readonly string[]): boolean {
  const [left, right] = [namesOf(confirmed), namesOf(columns)];
  return left.size === right.size && [...left].every((name) => right.has(name));
}

function namesOf(columns: readonly string[]): ReadonlySet<string> {
  return new Set(headerOf(columns).map(normalizeName));
}

/**
 * The mapping that shares most columns with the file: more than half of the mapping's, and of the file's. A mapping of
 * amounts in rupees is left out where the file is complete for its operation in our own names: both mean the same.
 */
export function nearestMapping({
  mappings,
  columns,
  ownOperations,
}: Pick<HeaderClues, "mappings" | "columns" | "ownOperations">): Mapping | undefined {
  const names = namesOf(columns);
  const near = mappings
    .map((mapping) => {
      const confirmed = namesOf(mapping.header);
      const shared = [...confirmed].filter((name) => names.has(name)).length;
      return { mapping, share: shared / Math.max(confirmed.size, names.size) };
    })
    .filter(({ mapping, share }) => share > 0.5 && !meansTheSame(mapping, ownOperations));
  near.sort((left, right) => right.share - left.share);
  return near[0]?.mapping;
}

function meansTheSame({ operation, amountUnit }: Mapping, ownOperations: readonly OperationName[]): boolean {
  return amountUnit === "rupees" && ownOperations.includes(operation);
}

/** The columns have our own names, and the mapping reads their amounts in another unit: a guess may be wrong ×100. */
function mayBeOurs(mapping: Mapping, { ownOperations }: HeaderClues): FileFault | undefined {
  if (ownOperations.length === 0 || mapping.amountUnit === "rupees") return undefined;
  return {
    code: "mapping_ambiguous",
    message: `these are paydrop's own columns, and the mapping ${mapping.name} reads their amounts as ${mapping.amountUnit}`,
    hint: `Say which is meant: --mapping ${mapping.name} or --mapping none.`,
  };
}

/** The columns are a published template whose amounts have another unit than the mapping says: wrong ×100. */
function wrongUnit(mapping: Mapping, columns: readonly string[]): FileFault | undefined {
  const template = templateOf(columns);
  if (!template || template.amountUnit === mapping.amountUnit) return undefined;
  const { title, amountUnit } = template;
  return {
    code: "mapping_unit",
    message: `these are the columns of ${title}; the mapping ${mapping.name} says amount_unit = "${mapping.amountUnit}", ${mapping.amountUnit === "rupees" ? "a hundred times too much" : "a hundredth of it"}`,
    hint: `Write amount_unit = "${amountUnit}" in [mapping.${mapping.name}], after you compared one amount with its payslip.`,
  };
}

function ambiguous(fitting: readonly Mapping[]): FileFault {
  const names = fitting.map(({ name }) => name);
  return {
    code: "mapping_ambiguous",
    message: `these columns fit the mappings ${names.join(" and ")}`,
    hint: `Say which is meant: ${[...names, "none"].map((name) => `--mapping ${name}`).join(" or ")}.`,
  };
}

function differs(mapping: Mapping, { columns, path }: HeaderClues): FileFault {
  const [names, confirmed] = [namesOf(columns), namesOf(mapping.header)];
  const added = headerOf(columns).filter((column) => !confirmed.has(normalizeName(column)));
  const missing = mapping.header.filter((column) => !names.has(normalizeName(column)));
  const said = [
    ...(missing.length > 0 ? [`without ${listOf(missing)}`] : []),
    ...(added.length > 0 ? [`with ${listOf(added)} beside them`] : []),
  ];
  const template = templateOf(columns);
  const unit =
    template && template.amountUnit !== mapping.amountUnit
      ? `; they are those of ${template.title}, and the mapping reads ${mapping.amountUnit}`
      : "";
  return {
    code: "mapping_differs",
    message: `these are nearly the columns of the mapping ${mapping.name}, but ${said.join(" and ")}${unit}`,
    hint: `See what changed in the system that made the file, then confirm its columns: paydrop map ${asWord(path)}; --mapping none reads it by paydrop's own column names.`,
  };
}

function unconfirmed({ title }: Template, path: string): FileFault {
  return {
    code: "mapping_unconfirmed",
    message: `this looks like a file for ${title}; nobody confirmed how to read it`,
    hint: `Confirm it once: paydrop map ${asWord(path)} shows a proposal and sends nothing.`,
  };
}

const HEADERLESS: FileFault = {
  code: "mapping_headerless",
  message: "the first row looks like a payment of a PayPal file, which has no header row",
  hint: "Put the line recipient,amount,currency,customer id,note,wallet,social feed privacy before it, then confirm it with paydrop map.",
};

const LISTED_MAX = 5;

function listOf(columns: readonly string[]): string {
  const more = columns.length - LISTED_MAX;
  const names = columns.slice(0, LISTED_MAX).map((column) => `"${shown(column)}"`);
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function shown(text: string): string {
  return printable(text, 60);
}
