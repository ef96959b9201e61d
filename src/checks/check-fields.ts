import type { Row } from "../reader/row.ts";
import { withoutSpacesAround } from "./cells/cell.ts";
import type { CompiledField, CompiledForm } from "./compile.ts";
import { lookForCut } from "./cells/cut-amount.ts";
import { faultOfCell, faultOfRow, faultsOfOthers, type Place } from "./fault-of.ts";
import type { Fault } from "./fault.ts";
import { Instruction } from "./instruction.ts";
import { MISSING_VALUE, readField, readToken, textOf } from "./cells/read-field.ts";
import { saysNone } from "./cells/placeholder.ts";
import { inspectPeriod, inspectReference, saysNoPeriod } from "./cells/read-own.ts";
import { saysWhen } from "./duplicates/same-period.ts";
import { shownOtherwise } from "./cells/read-sheet-value.ts";
import { isUnusual } from "./cells/read-text.ts";
import { lookForCurrency } from "./other-currency.ts";
import type { Finding } from "./sentences.ts";
import { lookForShift } from "./shifted-row.ts";

interface FieldSetting {
  /** The rows have spreadsheet cells (`G14`). */
  readonly hasCells: boolean;
  /** Example rows of our templates may go. */
  readonly sandbox: boolean;
  /** Position of the column, -1 where there is none. */
  readonly referenceAt: number;
  readonly periodAt: number;
  /** Columns that the user called his own. */
  readonly ownColumns: readonly string[];
}

/** What a row's fields make: an instruction, or all their faults; and what is to be pointed out in them. */
type CheckedFields = { readonly warnings?: readonly Fault[] } & (
  | { readonly instruction: Instruction; readonly faults?: undefined }
  | { readonly instruction?: undefined; readonly faults: readonly Fault[] }
);

/** Reads and checks the fields of a row. */
export function checkFields(row: Row, form: CompiledForm, setting: FieldSetting): CheckedFields {
  const wholeText = textOfAll(row);
  // one look at the whole row, instead of one at each of its cells
  const isUsual = !isUnusual(wholeText);
  const values: string[] = [];
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  for (const compiled of form.fields) {
    const text = readField(row, compiled, isUsual);
    if (typeof text !== "string") {
      const fault = faultOf(row, compiled, text, setting);
      if (!row.mapped || !isTold(faults, fault)) faults.push(fault);
      continue;
    }
    values.push(text);
    adviseShown(row, compiled, form, setting, warnings);
    if (compiled.advise.length > 0 || compiled.advisesEmpty) advise(row, compiled, text, setting, warnings);
  }
  const reference = readOwn(row, REFERENCE, setting, faults);
  const period = readOwn(row, PERIOD, setting, faults);
  if (period !== undefined && !saysWhen(period)) warnings.push(saysNoTime(row, period, setting));
  const aside = setting.hasCells ? lookAside(row, form) : undefined;
  if (aside) (aside.level === "warning" ? warnings : faults).push(aside);
  const currency = lookForCurrency(row, form, setting);
  if (currency) faults.push(currency);
  if (row.mapped) addOthers(faults, faultsOfOthers(row.mapped, setting.hasCells));
  const noted = warnings.length > 0 ? { warnings } : NOTHING_NOTED;
  if (faults.length > 0) return { faults, ...noted };
  // A template's example rows say EXAMPLE in a value that is sent.
  const isExample = wholeText.includes(EXAMPLE) && values.some((value) => value.includes(EXAMPLE));
  if (isExample && !setting.sandbox) return { faults: [faultOfRow({ code: "example_row" })] };
  return { instruction: new Instruction(form, values, isUsual, { reference, period }), ...noted };
}

const EXAMPLE = "EXAMPLE";

/** What a comma outside quotes did to the row: it cut an amount, or moved cells. The surer of the two findings. */
function lookAside(row: Row, form: CompiledForm): Fault | undefined {
  const cut = lookForCut(row, form);
  return cut && cut.level !== "warning" ? cut : (lookForShift(row, form) ?? cut);
}

function textOfAll({ cells }: Row): string {
  let all = "";
  for (const cell of cells) all += typeof cell === "string" ? cell : cell.source;
  return all;
}

const NOTHING_NOTED = {};

/** Adds what is to be pointed out about a value that goes all the same. */
function advise(row: Row, compiled: CompiledField, text: string, setting: FieldSetting, warnings: Fault[]): void {
  const add = (finding: Finding): unknown =>
    warnings.push({ ...faultOf(row, compiled, finding, setting), level: "warning" });
  if (text === "") {
    if (compiled.advisesEmpty) add(MISSING_VALUE);
    return;
  }
  for (const inspect of compiled.advise) {
    const finding = inspect(text);
    if (finding) add(finding);
  }
}

/** Warns where the sheet on the screen, or its sum, shows something else than what is sent. */
function adviseShown(
  row: Row,
  compiled: CompiledField,
  form: CompiledForm,
  setting: FieldSetting,
  warnings: Fault[],
): void {
  const cell = row.cells[compiled.index] ?? "";
  if (typeof cell === "string") return;
  for (const finding of shownOtherwise(cell)) {
    if (finding.code === "shown_in_currency" && saysOtherCurrency(row, form)) continue;
    warnings.push({ ...faultOf(row, compiled, finding, setting), level: "warning" });
  }
}

/** Whether the row says another currency than INR in the field that a collection has for it, and sends. */
function saysOtherCurrency(row: Row, form: CompiledForm): boolean {
  const at = form.fields.find(({ field }) => field.name === "currency")?.index ?? -1;
  const said = sourceOf(row.cells[at] ?? "");
  return said !== "" && said.toUpperCase() !== "INR";
}

/** A column of our own, which is not sent. */
interface OwnColumn {
  readonly place: Place;
  /** The name under which the setting has the column's position. */
  readonly at: "referenceAt" | "periodAt";
  readonly inspect: (text: string) => Finding | undefined;
  readonly saysNone: (text: string) => boolean;
}

const REFERENCE: OwnColumn = {
  place: { name: "reference", kind: "id" },
  at: "referenceAt",
  inspect: inspectReference,
  saysNone,
};
const PERIOD: OwnColumn = {
  place: { name: "period", kind: "id" },
  at: "periodAt",
  inspect: inspectPeriod,
  saysNone: saysNoPeriod,
};

/** What the row says in the column; undefined where it says nothing, or something wrong, which is added to `faults`. */
function readOwn(
  row: Row,
  { place, at, inspect, saysNone: isNone }: OwnColumn,
  setting: FieldSetting,
  faults: Fault[],
): string | undefined {
  const { [at]: index, hasCells } = setting;
  if (index < 0) return undefined;
  const cell = row.cells[index] ?? "";
  const unmapped = row.mapped?.faults.get(index);
  const text = unmapped ?? (typeof cell === "string" ? textOf(cell, place) : readToken(cell, place));
  // a period of nobody's would free a row that went
  if (text === "" || (typeof text === "string" && isNone(text))) return undefined;
  const finding = typeof text === "string" ? inspect(text) : text;
  if (!finding) return typeof text === "string" ? text : undefined;
  faults.push(faultOfCell({ row, place, index, hasCells }, sourceOf(cell), finding));
  return undefined;
}

function saysNoTime(row: Row, period: string, { periodAt: index, hasCells }: FieldSetting): Fault {
  const finding = { code: "period_says_no_time" } as const;
  return { ...faultOfCell({ row, place: PERIOD.place, index, hasCells }, period, finding), level: "warning" };
}

function faultOf(row: Row, { field, index }: CompiledField, finding: Finding, { hasCells }: FieldSetting): Fault {
  // the looked-up or translated value where that one is wrong; where there is none, what stands in the file
  const text = sourceOf(row.cells[index] ?? "");
  const isKey = finding.code === "lookup_missing" || finding.code === "lookup_ambiguous";
  const place = isKey ? keyPlace(field.name, text) : field;
  return faultOfCell({ row, place, index, hasCells }, text, finding);
}

/** Adds faults of other columns. A row that the mapping does not take at all is not asked to fill in what it lacks. */
function addOthers(faults: Fault[], others: readonly Fault[]): void {
  const isTaken = !others.some(({ code }) => code === "value_not_taken");
  if (!isTaken) faults.splice(0, faults.length, ...faults.filter(({ code }) => code !== "value_missing"));
  faults.push(...others);
}

/** How the key of a lookup is to be masked. It is not a value of the field, but somebody's name or number. */
function keyPlace(name: string, key: string): Place {
  if (key.includes("@")) return { name, kind: "text" };
  return { name, kind: "text", sensitive: /\p{L}/u.test(key) ? "name" : "account" };
}

/** One cell of the file may fill several fields of ours: what is wrong with it is told once. */
function isTold(faults: readonly Fault[], { code, cell, message }: Fault): boolean {
  return faults.some((one) => one.code === code && one.cell === cell && one.message === message);
}

function sourceOf(cell: Row["cells"][number]): string {
  return withoutSpacesAround(typeof cell === "string" ? cell : cell.source);
}
