import type { Refuse } from "./refusals.ts";
import type { Encoding } from "./decoders.ts";

/** What the reader takes at most. A file that goes beyond is refused before memory grows. */
export interface ReaderLimits {
  /** Characters of a CSV record or a JSON row. */
  readonly recordCharactersMax: number;
  readonly columnsMax: number;
  /** Levels of objects and arrays in a JSON row, the row itself included. */
  readonly nestingMax: number;
}

/** A file to be read, with everything that reading needs to know. */
export interface SheetSource {
  readonly path: string;
  readonly encoding: Encoding;
  readonly knownNames: readonly string[];
  readonly limits: ReaderLimits;
  readonly refuse: Refuse;
  /** Workbooks: the sheet to be read, and the row of its header; left out, both are looked for. */
  readonly sheetName?: string;
  readonly headerRow?: number;
  /** Workbooks: rows of formulas that give nothing are passed over. */
  readonly passesFormulas?: boolean;
  /** Whether these columns are all that the rows of some operation need. */
  readonly isComplete?: (columns: readonly string[]) => boolean;
}

/** Gives the refusal of a file without any visible character. `hasText`: it has white space, not only a mark. */
export function refuseEmpty(source: SheetSource, hasBytes: boolean, hasText: boolean): Error {
  if (!hasBytes) return source.refuse("file_empty");
  const found = hasText ? "nothing but white space" : "nothing but a byte order mark";
  return source.refuse("file_blank", { found });
}
