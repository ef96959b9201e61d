import { OPERATIONS } from "../operations/catalogue.ts";
import { missingFields, type Operation } from "../operations/operation.ts";

type Has = (field: string) => boolean;

/** Whether there is a required column of the operation that no other operation requires. */
export function hasTellingColumn(operation: Operation, has: Has): boolean {
  return tellingColumns(operation).some(has);
}

/**
 * For an operation that collects from people: the operations that pay people and have more telling columns here than it
 * has. None for other operations. A collection needs only two columns, and a list of wages with a VPA in it has them as
 * well: nothing else would show that money was to go the other way. Loans are left out: who collects instalments knows
 * borrower and tenure as well.
 */
export function paysRather(operation: Operation, has: Has): readonly Operation[] {
  if (operation.party !== "payer") return [];
  const own = identifying(operation).filter(has).length;
  return OPERATIONS.filter((other) => other.party === "payee" && identifying(other).filter(has).length > own);
}

/** The columns that tell that a file is of this operation. */
export function columnsThatPay(operation: Operation, has: Has): readonly string[] {
  return identifying(operation).filter(has);
}

/** Telling columns without free text: names and such stand in files of every sort, and identify nothing. */
function identifying(operation: Operation): readonly string[] {
  const texts = new Set(
    operation.forms.flatMap(({ fields }) => fields.filter(({ kind }) => kind === "text").map(({ name }) => name)),
  );
  return tellingColumns(operation).filter((name) => !texts.has(name));
}

function tellingColumns(operation: Operation): readonly string[] {
  return requiredNames(operation).filter((name) =>
    OPERATIONS.every((other) => other === operation || !requiredNames(other).includes(name)),
  );
}

function requiredNames(operation: Operation): readonly string[] {
  return [...new Set(operation.forms.flatMap((form) => missingFields(form, () => false)))];
}
