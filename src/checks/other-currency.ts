import { mayNameCurrency, namesCurrency, saysRupeesAlone, speaksOfOther } from "../currency.ts";
import { normalizeName } from "../text/names.ts";
import { printable } from "../text/printable.ts";
import type { Row } from "../reader/row.ts";
import { cellText, isFilled } from "./cells/cell.ts";
import type { CompiledForm } from "./compile.ts";
import { faultOfCell } from "./fault-of.ts";
import type { Fault } from "./fault.ts";

/** The fault of a column that names another currency than INR and is not sent: `100.00` USD would go as `100.00`. */
export function lookForCurrency(
  row: Row,
  { operation, fields }: CompiledForm,
  { ownColumns, hasCells }: { readonly ownColumns: readonly string[]; readonly hasCells: boolean },
): Fault | undefined {
  const from = row.mapped?.from ?? row;
  for (const { at, isSure } of currencyColumns(from.columns)) {
    if (!isFilled(from, at)) continue;
    const text = cellText(from, at).trim();
    if (saysRupeesAlone(text) || (!isSure && !speaksOfOther(text))) continue;
    const sent = fields.find(({ field }) => field.name === "currency")?.index ?? -1;
    if (sent >= 0 && (row.mapped ? row.mapped.at[sent] : sent) === at) continue;
    const name = from.columns[at] ?? "";
    // the mapping says what may stand there, and has found what may not
    if (row.mapped?.guarded.includes(at)) continue;
    if (ownColumns.some((own) => normalizeName(own) === normalizeName(name))) continue;
    const finding = {
      code: "currency_other",
      found: operation.name,
      more: printable(name, NAME_CHARACTERS_MAX),
    } as const;
    return faultOfCell({ row: from, place: { name, kind: "text" }, index: at, hasCells }, text, finding);
  }
  return undefined;
}

const NAME_CHARACTERS_MAX = 40;

/** A column of currencies. `isSure`: by its name it is nothing else, so that whatever is no rupee counts. */
interface CurrencyColumn {
  readonly at: number;
  readonly isSure: boolean;
}

const NONE: readonly CurrencyColumn[] = [];
const COLUMNS = new WeakMap<readonly string[], readonly CurrencyColumn[]>();

/** The columns of currencies; most files have none. */
function currencyColumns(columns: readonly string[]): readonly CurrencyColumn[] {
  let found = COLUMNS.get(columns);
  if (!found) {
    const all = columns.flatMap((column, at) => {
      const isSure = namesCurrency(column);
      return isSure || mayNameCurrency(column) ? [{ at, isSure }] : [];
    });
    found = all.length > 0 ? all : NONE;
    COLUMNS.set(columns, found);
  }
  return found;
}
