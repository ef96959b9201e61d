import { inspectLostDigits } from "./cells/read-id.ts";
import { isDateLike } from "./cells/spreadsheet.ts";

/** The texts that an instruction's keys are made of. The journal hashes them with its own key and forgets them. */
export interface PaymentTexts {
  /** The reference without the zeros in front, which a spreadsheet takes: they must not make it another payment. */
  readonly reference?: string;
  /** A spreadsheet may have rewritten the reference. */
  readonly isDoubtful?: true;
  /** The period that the row, the file or the person stated. */
  readonly period?: string;
  /** The values of the core fields, each behind a U+001F; so are those of the beneficiary. */
  readonly core: string;
  readonly beneficiary: string;
  /** The beneficiary's account without bank or branch, where the form tells them apart. */
  readonly account?: string;
}

/** A reference as it is compared, without zeros in front: a spreadsheet makes `1` of `0001`. */
export function comparedReference(reference: string): string {
  return reference.replace(/^0+(?=[0-9]+$)/, "");
}

/**
 * Whether a reference may be what a spreadsheet made of another (`02-Jan` of `1-2`), or one that a spreadsheet changes
 * (`1E5`, `1.50`). It may well be meant; but where two payments differ in such a reference, that says nothing. A
 * spreadsheet writes neither `2026-11-06` nor `NOV-26`.
 */
export function isDoubtful(reference: string): boolean {
  if (/^[0-9]+(?:E[0-9]+|[.,][0-9]*0)$/i.test(reference)) return true;
  return (
    inspectLostDigits(reference) !== undefined || (isDateLike(reference) && !/^[0-9]{4}-|[A-Z]{2}/.test(reference))
  );
}
