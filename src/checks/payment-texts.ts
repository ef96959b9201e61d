import { inspectLostDigits } from "./cells/read-id.ts";
import { isDateLike } from "./cells/spreadsheet.ts";

/** What the keys of an instruction are made of. The journal hashes them with its own key and forgets the text. */
export interface PaymentTexts {
  /** Without the zeros that a spreadsheet takes: they must not make another payment of it. */
  readonly reference?: string;
  /** A spreadsheet may have rewritten it. */
  readonly isDoubtful?: true;
  /** The period that the row, the file or the person stated. */
  readonly period?: string;
  /** Their values, each behind a U+001F. */
  readonly core: string;
  readonly beneficiary: string;
  /** Its account without the branch, where it has one. */
  readonly account?: string;
}

/** A reference as it is compared: of `0001` a spreadsheet leaves `1`. */
export function comparedReference(reference: string): string {
  return reference.replace(/^0+(?=[0-9]+$)/, "");
}

/**
 * What a spreadsheet makes of `1-2` (`02-Jan`), or what it makes another one of (`1E5`, `1.50`). It may well be meant;
 * but that a payment has another reference so says nothing. A spreadsheet writes neither `2026-11-06` nor `NOV-26`.
 */
export function isDoubtful(reference: string): boolean {
  if (/^[0-9]+(?:E[0-9]+|[.,][0-9]*0)$/i.test(reference)) return true;
  return (
    inspectLostDigits(reference) !== undefined || (isDateLike(reference) && !/^[0-9]{4}-|[A-Z]{2}/.test(reference))
  );
}
