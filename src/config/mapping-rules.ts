import { missingFields, type Form } from "../operations/operation.ts";
import { speaksOfRupees } from "../currency.ts";
import type { AmountUnit, Mapping } from "./mapping.ts";
import type { TableText } from "./table-text.ts";

/** Throws PaydropError `config` where no form gets all its required fields: not one row could ever be sent. */
export function assertComplete(text: TableText, mapping: Mapping, forms: readonly Form[]): void {
  const filled = new Set([
    ...mapping.columns.flatMap(({ fields }) => fields),
    ...Object.keys(mapping.constants),
    ...mapping.lookups.flatMap((lookup) => Object.keys(lookup.fields)),
  ]);
  const lacking = forms.map((form) => missingFields(form, (field) => filled.has(field)));
  lacking.sort((left, right) => left.length - right.length);
  const [fewest = []] = lacking;
  if (fewest.length > 0) {
    const hint = "name a column for each under columns, one value under constants, or a table under lookup";
    throw text.wrong(`nothing gives ${fewest.join(", ")}`, hint);
  }
  const amountColumn = mapping.columns.find(({ fields }) => fields.includes("amount"));
  if (!amountColumn) throw text.wrong("the amount does not come from a column of the file", "name it under columns");
}

/** Throws PaydropError `config` where the amount's column says in its name that it has another unit. */
export function assertUnit(text: TableText, { columns, amountUnit }: Mapping): void {
  const column = columns.find(({ fields }) => fields.includes("amount"))?.column ?? "";
  const said = unitInName(column);
  if (said === undefined || said === amountUnit) return;
  throw text
    .at("amount_unit")
    .wrong(
      `the column "${column}" says ${said}, this line says ${amountUnit}`,
      `write "${said}", or map another column`,
    );
}

/** The unit that the name of a column says: `Payout Amount (in Rupees)` says rupees. */
export function unitInName(column: string): AmountUnit | undefined {
  if (/paisa|paise/i.test(column)) return "paise";
  return speaksOfRupees(column) ? "rupees" : undefined;
}
