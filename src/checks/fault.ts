/** One reason why a row is invalid. Values in `message` are already masked where they must be. */
export interface Fault {
  readonly code: string;
  /** `warning`: something for a person to look at, which stops nothing. Left out: the row is invalid. */
  readonly level?: "warning";
  /** The column by the file's own header. */
  readonly column?: string;
  /** The spreadsheet cell (`G14`) of a CSV file or workbook. */
  readonly cell?: string;
  /** What was found and what would be right, without the place. */
  readonly message: string;
  /** One sentence that starts with a verb. */
  readonly hint: string;
}
