import { normalizeName } from "../column-name.ts";
import { formatOfName, unreadKind, type FileFormat } from "../file-format.ts";
import type { Fault } from "../messages/sentence.ts";
import { OPERATIONS } from "../operations/index.ts";
import { printable } from "../printable.ts";

/**
 * What the name of a file says, before anything of it is read. `isRetry`: our own retry file, which is input once a person
 * has changed it (README §6). `passed_over`: hidden, temporary, or ours: not a word about it. `refused`: never taken, and
 * a person must hear of it.
 */
export type NameSays =
  | { readonly kind: "input"; readonly format: FileFormat; readonly isRetry?: true }
  | { readonly kind: "passed_over" | "stop" }
  | { readonly kind: "refused"; readonly fault: Fault };

const NAME_BYTES_MAX = 200;

/** `STOP`, also as people name it who cannot see extensions, or write it with a word processor. */
const STOP = /^stop(?:\.(?:txt|rtf|docx?|odt|pages))*$/i;
export const isStopName = (name: string): boolean => STOP.test(name);
const CONTROL = /\.control(?:\.txt)?$/i;
/** Marks and unfinished files of other programs, hidden ones, control totals, and our own answers. */
const NOT_INPUT = [
  /^[.]|^~\$|~$|^#.*#$|\.(?:tmp|part|partial|filepart|crdownload|sb-[0-9a-f]+-\w+)$/i,
  /^(?:thumbs\.db|desktop\.ini)$|\.(?:refused|waiting)\.txt$|^stop - held\.txt$/i,
  CONTROL,
];
/** `payroll.csv.results.csv`, `payroll.csv.summary.K7Q29F3M.json`: what we make of a file of input. */
const MADE_OF = /^(.+)\.(results|retry|summary|report|check|reconciled)(?:\.[0-9a-z]{1,32})?\.[a-z]{2,6}$/is;

/** `name`: without its folder; bytes that are not UTF-8 stand as U+FFFD. */
export function inputName(name: string): NameSays {
  if (isStopName(name)) return { kind: "stop" };
  if (NOT_INPUT.some((pattern) => pattern.test(name))) return { kind: "passed_over" };
  const format = formatOfName(name);
  const [, madeOf, what] = MADE_OF.exec(name) ?? [];
  if (madeOf !== undefined && formatOfName(madeOf) !== undefined) {
    const isRetry = what?.toLowerCase() === "retry" && format !== undefined;
    return isRetry ? { kind: "input", format, isRetry } : { kind: "passed_over" };
  }
  const fault = nameFault(name);
  if (fault) return { kind: "refused", fault };
  if (format !== undefined) return { kind: "input", format };
  return { kind: "refused", fault: { code: "format_unknown", facts: { is: unreadKind(name) } } };
}

function nameFault(name: string): Fault | undefined {
  if (printable(name) !== name || name.includes("\ufffd")) return { code: "name_unprintable" };
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return undefined;
  return { code: "name_too_long", facts: { most: NAME_BYTES_MAX } };
}

/** The name that answers about a file begin with: its own, made fit for every disk and screen. */
export function nameForAnswers(name: string): string {
  let fit = name.replace(/[^ -~\p{L}\p{M}\p{N}\p{P}\p{S}]|\ufffd/gu, "_");
  while (Buffer.byteLength(fit) > NAME_BYTES_MAX) fit = fit.slice(0, -1);
  return fit;
}

/** Whether a change of such a file can give work in an inbox: what we write there ourselves cannot. */
export function mayGiveWork(name: string): boolean {
  return inputName(name).kind !== "passed_over" || CONTROL.test(name);
}

/** Folders of an inbox whose files are of one operation: `payouts`, in whatever case. */
export function isOperationFolder(name: string): boolean {
  return OPERATIONS.some(({ folder }) => folder === name.toLowerCase());
}

/** The marks of our own results file, under whatever name it comes back. */
const MARKS = ["result_row", "result_status", "result_message", "result_action", "result_batch"].map(normalizeName);
/** Not all of them: a column may be deleted, and another program may put `ï»¿` before the first. */
const MARKS_MIN = 2;

/** Whether a header is that of our results file. `header`: that of a table, or the keys of a JSON file's first row. */
export function isOwnHeader(header: readonly string[]): boolean {
  const names = new Set(header.map(normalizeName));
  return MARKS.filter((mark) => names.has(mark)).length >= MARKS_MIN;
}
