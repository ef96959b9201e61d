import { FileRefusedError } from "../errors.ts";

/** What is said of a file that paydrop wrote itself and that is not to be sent. */
const OWN_FILES = {
  own_results_file: {
    message: "this is a results file that paydrop wrote (it has the columns result_row and result_status)",
    hint: "Run the file that it reports on, or the retry file after you corrected it.",
  },
  retry_not_corrected: {
    message: "this retry file is just as paydrop wrote it: nothing in it was corrected",
    hint: "Correct its rows, save it, then run it again.",
  },
} as const;

export function ownFileRefused(fileName: string, code: keyof typeof OWN_FILES): FileRefusedError {
  return new FileRefusedError(fileName, [{ code, ...OWN_FILES[code] }]);
}
