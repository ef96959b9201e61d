import { counted, listed } from "../../text/counted.ts";
import type { BatchReport } from "../../events.ts";
import { asWord, printable } from "../../text/printable.ts";
import { isAnyUnsent } from "./status.ts";
import { asTried } from "./told-commands.ts";

const ROWS_NAMED_MAX = 5;

/** The destination of what was only tried: no mark is kept for it. */
export const SANDBOX = "sandbox";

/** What a person should do now, the gravest first; a line that begins with `paydrop` is a command to copy. */
export function nextSteps(report: BatchReport): string[] {
  const steps = [...stopSteps(report), ...unknownSteps(report), ...heldSteps(report), ...goOnSteps(report)];
  return stepsToldOf(steps, report);
}

/** The command by which a person says what became of rows that they looked up. */
export function settleCommand(batch: string, row: number | "N" = "N", as = "done|not-done"): string {
  return `paydrop settle ${batch} --row ${row} --as ${as} --by NAME --note TEXT`;
}

/** The command that lets held rows go. `which`: `--row 34`, where there is only one. */
export function releaseCommand(batch: string, which = "--row N…|--all"): string {
  return `paydrop release ${batch} ${which} --by NAME --reason TEXT`;
}

/**
 * The command that says no: a held row that nobody says no to stays open, and holds the same payment in every later
 * file.
 */
export function cancelCommand(batch: string): string {
  return `paydrop cancel ${batch} --by NAME --reason TEXT`;
}

/** I7: who corrects a file of which rows still go must know that these go as they were. */
export function asTakenLines(...batches: readonly string[]): string[] {
  const what = "What was taken goes as it was then. To correct it first, send no more of it, and save the file then:";
  return [what, ...batches.map((batch) => `  ${cancelCommand(batch)}`)];
}

/**
 * With a name to fill in: without one the login is noted, but a login `paydrop`, as services are called, is refused.
 */
export function resumeBatchCommand(batch: string): string {
  return `paydrop resume ${batch} --by NAME`;
}

/** The command that sends again by what was taken in, whatever became of the file. */
export function retryCommand(batch: string): string {
  return `paydrop retry ${batch}`;
}

/** What is told of a batch: commands on one that was only tried get the flags of the sandbox. */
export function toldOf(text: string, { destination }: Pick<BatchReport, "destination">): string {
  return destination === SANDBOX ? asTried(text) : text;
}

/** The same for steps, with a word on where the sandbox remembers the batch. */
export function stepsToldOf(steps: readonly string[], batch: Pick<BatchReport, "destination">): string[] {
  const told = steps.map((step) => toldOf(step, batch));
  if (!told.some((step, index) => step !== steps[index])) return told;
  return [...told, "the sandbox remembers this batch only where its run had the same --state-dir FOLDER"];
}

function unknownSteps({ batch, byStatus, rowsToLookAt }: BatchReport): string[] {
  const count = byStatus.unknown?.rows ?? 0;
  if (count === 0) return [];
  const rows = rowsToLookAt.unknown ?? [];
  return [`look up ${namedRows(rows, count)} in the service's dashboard, then`, settleCommand(batch, rows[0])];
}

/** Nothing of a cancelled batch can be released. */
function heldSteps({ batch, file, byStatus, phase, rowsToLookAt, asksPeriod, waitsFor }: BatchReport): string[] {
  const count = byStatus.held?.rows ?? 0;
  if (count === 0 || phase === "cancelled") return [];
  const rows = rowsToLookAt.held ?? [];
  if (waitsFor) return waitingSteps(namedRows(rows, count), count, waitsFor);
  const month =
    asksPeriod === undefined ? [] : ["a new month? Then say so", `paydrop run --period ${asksPeriod} ${asWord(file)}`];
  return [
    ...month,
    ...decisionSteps(batch, namedRows(rows, count), count === 1 ? `--row ${rows[0] ?? "N"}` : undefined),
  ];
}

/** Held rows, as `named`, that wait for nothing but a person's word, which may be no. `which`: see `releaseCommand`. */
export function decisionSteps(batch: string, named: string, which?: string): string[] {
  return [
    `decide on ${named}: the results file says why; to send them all the same`,
    releaseCommand(batch, which),
    "to send nothing more of this batch",
    cancelCommand(batch),
  ];
}

/** Held rows that cannot be released yet, as `named`. */
export function waitingSteps(
  named: string,
  count: number,
  other: NonNullable<BatchReport["waitsFor"]>,
): [string, string] {
  const place = `row ${other.row} of batch ${other.batch}`;
  const what =
    count === 1
      ? `waits for ${place}, which has no end yet: see to that one first`
      : `wait for rows that have no end yet, the first for ${place}: see to those first`;
  return [`${named} ${what}`, `paydrop status ${other.batch}`];
}

export const WHAT_RETRY_SENDS = "to send what was not sent or is settled as not done";
export const WHEN_MENDED = "to send again what was refused for the key or the address, when that is mended";

function stopSteps({ phase, stop }: BatchReport): string[] {
  return stop && stop.hint !== "" && phase !== "paused" ? [printable(stop.hint)] : [];
}

function goOnSteps({ batch, file, byStatus, goesAgain, phase, stop, isById }: BatchReport): string[] {
  if (phase === "cancelled") return [];
  if (phase === "paused") {
    return isAnyUnsent(byStatus, goesAgain) ? ["the batch is paused; to go on", resumeBatchCommand(batch)] : [];
  }
  const steps: string[] = [];
  const notSent = byStatus.not_sent?.rows ?? 0;
  const goesOn = stop?.code !== "reads_otherwise" && stop?.code !== "folder_held";
  // rows that were refused for the key or the address go with them
  const unsent = notSent + (goesAgain ?? 0);
  const notDone = byStatus.settled_not_done?.rows ?? 0;
  if (isById && notSent > 0 && notDone > 0 && goesOn) return [WHAT_RETRY_SENDS, retryCommand(batch)];
  const again = isById ? retryCommand(batch) : `paydrop run ${asWord(file)}`;
  if (notSent > 0 && goesOn) steps.push(`to send the other ${counted(unsent)}`, again);
  if (notDone > 0) steps.push(`to send ${counted(notDone)} settled as not done`, retryCommand(batch));
  if (goesAgain !== undefined && !stop && steps.length === 0) steps.push(WHEN_MENDED, retryCommand(batch));
  return steps;
}

/** `row 91`, `rows 91 and 164`, `rows 1, 2, 3, 4, 5 and 12 more`. */
export function namedRows(rows: readonly number[], count: number): string {
  const named = rows.slice(0, ROWS_NAMED_MAX);
  const more = count - named.length;
  if (named.length === 0) return counted(count);
  const parts = [...named, ...(more > 0 ? [`${more} more`] : [])];
  return `${count === 1 ? "row" : "rows"} ${listed(parts.map(String), "and")}`;
}
