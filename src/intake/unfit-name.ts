import { FileRefusedError } from "../errors.ts";
import { formatOfName } from "../format.ts";
import { printable } from "../text/printable.ts";
import { inputName } from "./names.ts";

/**
 * Why a file that a person surely meant to be sent is not taken, where only its name keeps it from that. A name that is
 * not printable is left out: the answer beside the file would have it too. A person may well name the copy of a retry
 * file `corrected.retry.csv`.
 */
export function unfitName(name: string, isNamed = false): string | undefined {
  if (formatOfName(name) === undefined || printable(name) !== name || name.includes("\ufffd")) return undefined;
  const said = inputName(name);
  if (said.ignored === undefined || !said.report || (isNamed && said.unlessNamed)) return undefined;
  return said.ignored;
}

/** `why`: see `unfitName`. `batch`: the batch that these bytes were taken as before, if they were. */
export function nameRefused(fileName: string, why: string, batch?: string): FileRefusedError {
  const hint = "Give it a short name of its own that ends as it does now, such as payroll.csv.";
  return new FileRefusedError(fileName, [{ code: "name_unfit", message: why, hint }], batch);
}

/** For a file that is no batch yet. One that is goes on under any name: rows of it may have gone. */
export function assertFitName(fileName: string): void {
  const why = unfitName(fileName, true);
  if (why !== undefined) throw nameRefused(fileName, why);
}
