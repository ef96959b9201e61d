import { defined } from "../defined.ts";
import { formatOfName, unreadKind, type FileFormat } from "../format.ts";
import { openCsv } from "./csv.ts";
import { refuseOtherFormat, UNPACK } from "./other-format.ts";
import { refuserOf } from "./refusals.ts";
import type { Sheet } from "./row.ts";
import type { ReaderLimits } from "./source.ts";
import type { Encoding } from "./decoders.ts";

export interface ReaderOptions {
  /** For messages, and for the format where none is given. */
  readonly fileName: string;
  /** The format that the file was read in before; left out for a new file. */
  readonly format?: FileFormat;
  /** The encoding of files without a byte order mark. */
  readonly encoding: Encoding;
  /** Names of fields, in any spelling: by them the delimiter of a CSV file and the table of a workbook are found. */
  readonly knownNames: readonly string[];
  readonly limits?: Partial<ReaderLimits>;
  /** Workbooks only: the sheet to be read, and the row of its header; left out, both are looked for. */
  readonly sheetName?: string | undefined;
  readonly headerRow?: number | undefined;
  /** Rows of formulas that give nothing are passed over. To be false for a file that was read with them before. */
  readonly passesFormulas?: boolean | undefined;
  /** Whether these columns are all that some operation needs: a sheet of such rows is not passed over. */
  readonly isComplete?: (columns: readonly string[]) => boolean;
}

const LIMITS: ReaderLimits = { recordCharactersMax: 64 * 1024, columnsMax: 1000, nestingMax: 8 };

/**
 * Opens a snapshot for reading. It may be opened, and its rows read, as often as one likes: the same bytes give the
 * same rows. Throws FileRefusedError (codes in `refusals.ts`) here or while the rows are read.
 */
export async function openSheet(path: string, options: ReaderOptions): Promise<Sheet> {
  const refuse = refuserOf(options.fileName);
  const { encoding, knownNames, sheetName, headerRow, passesFormulas, isComplete } = options;
  const limits = { ...LIMITS, ...options.limits };
  const source = defined({
    path,
    encoding,
    knownNames,
    limits,
    refuse,
    sheetName,
    headerRow,
    passesFormulas,
    isComplete,
  });
  const format = options.format ?? formatOfName(options.fileName);
  // a file that was read before was looked at then
  const isNew = options.format === undefined;
  if (isNew && format !== undefined && format !== "xlsx") await refuseOtherFormat(source, format);
  // most files are CSV: the readers of other formats are loaded only when they are needed
  switch (format) {
    case "csv":
      return openCsv(source);
    case "json":
      return (await import("./json.ts")).openJson(source);
    case "jsonl":
      return (await import("./jsonl.ts")).openJsonLines(source);
    case "xlsx":
      return (await import("./xlsx.ts")).openXlsx(source);
    case undefined:
      if (unreadKind(options.fileName) === "workbook")
        throw refuse("workbook_of_another_kind", { found: OTHER_WORKBOOK });
      throw refuse("format_unknown", unreadKind(options.fileName) === "packed" ? { hint: UNPACK } : {});
    default:
      return format satisfies never;
  }
}

const OTHER_WORKBOOK = "a workbook of another kind than .xlsx";
