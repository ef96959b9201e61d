import { FileRefusedError } from "../errors.ts";
import { normalizeName } from "../text/names.ts";

/** The marks of our own results file, under whatever name it comes back (DESIGN §6). */
const MARKS = ["result_row", "result_status", "result_message", "result_action", "result_batch"].map(normalizeName);
/** Not all marks: a column may be deleted, and a program that reads another encoding puts `ï»¿` before the first. */
const MARKS_MIN = 2;

/** Whether a header is that of our results file. `header`: that of a table, or the keys of a JSON file's first row. */
export function isOwnHeader(header: readonly string[]): boolean {
  const names = new Set(header.map(normalizeName));
  return MARKS.filter((mark) => names.has(mark)).length >= MARKS_MIN;
}

/** What is said of a file that paydrop wrote itself and that is not to be sent. */
const OWN_FILES = {
  own_results_file: {
    message: "this is a results file that paydrop wrote (it has columns such as result_status)",
    hint: "Run the file that it reports on, or the retry file after you corrected it.",
  },
  retry_not_corrected: {
    message: "this retry file is just as paydrop wrote it: nothing in it was corrected",
    hint: "Correct its rows, save it, then run it again. A row in which nothing is wrong (there were no funds, or it was another key) goes again when you empty its retry_message.",
  },
} as const;

export function ownFileRefused(fileName: string, code: keyof typeof OWN_FILES): FileRefusedError {
  return new FileRefusedError(fileName, [{ code, ...OWN_FILES[code] }]);
}

export function isOwnFileRefused({ faults }: FileRefusedError): boolean {
  return faults.some(({ code }) => code in OWN_FILES);
}
