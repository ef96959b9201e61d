import { OPERATIONS } from "../operations/catalogue.ts";
import { missingFields, type Operation } from "../operations/operation.ts";

type Has = (field: string) => boolean;

/** A required column that no other operation has. */
export function hasTellingColumn(operation: Operation, has: Has): boolean {
  return tellingColumns(operation).some(has);
}

/**
 * The operations that pay people and that these columns tell more of than of this one, which collects from them; none where
 * this one pays too. Two columns are all that a collection needs, so that a list of wages with a VPA in it has them as
 * well: nothing else would show that money was to go the other way. Not loans: who collects instalments knows borrower and
 * tenure as well.
 */
export function paysRather(operation: Operation, has: Has): readonly Operation[] {
  if (operation.party !== "payer") return [];
  const own = identifying(operation).filter(has).length;
  return OPERATIONS.filter((other) => other.party === "payee" && identifying(other).filter(has).length > own);
}

/** The columns that tell it. */
export function columnsThatPay(operation: Operation, has: Has): readonly string[] {
  return identifying(operation).filter(has);
}

/** Names and other free text stand in files of every sort: only what identifies counts. */
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
