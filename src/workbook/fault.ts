/** Why a workbook cannot be read, in the words of the reader's refusals. */
type WorkbookFaultCode =
  | "workbook_damaged"
  | "workbook_encrypted"
  | "workbook_of_another_kind"
  | "workbook_too_large"
  | "too_many_columns"
  | "record_too_long";

/** Breaks a workbook as a whole. `found` goes into the sentence of the code; it never holds a cell's text. */
export class WorkbookError extends Error {
  readonly code: WorkbookFaultCode;
  readonly found: string;
  /** As the spreadsheet shows it, where the place is known. */
  readonly row: number | undefined;

  constructor(code: WorkbookFaultCode, found: string, row?: number, options?: ErrorOptions) {
    super(`${code}: ${found}`, options);
    this.name = "WorkbookError";
    this.code = code;
    this.found = found;
    this.row = row;
  }
}

export function damaged(found: string, cause?: unknown): WorkbookError {
  return new WorkbookError("workbook_damaged", found, undefined, cause === undefined ? {} : { cause });
}
