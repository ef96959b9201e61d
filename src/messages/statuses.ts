import { asWord } from "../printable.ts";
import { counted, type Catalogue } from "./sentence.ts";

/** What a status is called, and what it means in half a line. In the order in which people are told of them. */
export const STATUSES = {
  accepted: { word: "accepted", note: "the service took the request; not proof that money arrived" },
  rejected: { word: "rejected", note: "see result_action" },
  unknown: { word: "unknown", note: "DO NOT SEND AGAIN before you checked" },
  not_sent: { word: "not sent", note: "nothing was sent" },
  invalid: { word: "invalid", note: "correct and drop again" },
  held: { word: "held", note: "a person must decide" },
  duplicate: { word: "duplicate", note: "accepted before; nothing to do" },
  cancelled: { word: "cancelled", note: "a person said that it shall not go" },
  settled_done: { word: "settled as done", note: "a person looked it up" },
  settled_not_done: { word: "settled as not done", note: "see result_action" },
} as const;

type StatusName = keyof typeof STATUSES;

/** `goesAgain`: of these rows those that were rejected for the key or the address, not for themselves. */
export function noteOf(status: StatusName, rows: number, goesAgain: number): string {
  const { note } = STATUSES[status];
  if (status !== "rejected" || goesAgain === 0) return note;
  if (goesAgain === rows) return "not for its own sake: goes again with the next run";
  return `${note}, but for ${goesAgain} that the next run sends`;
}

const PAUSED = "When the batch goes on. To let it go on: paydrop resume {batch} --by NAME";

/** What is said of a row whose state says it all, in `result_message` and `result_action`. */
export const ROW_SENTENCES = {
  ready: ({ phase }) => `Not sent{again} yet → ${phase === "paused" ? PAUSED : "Will go when the file is run again"}`,
  paused: `Not sent → ${PAUSED}`,
  not_known: "Not known → Ask IT",
  late: "{said}. Its host heard afterwards: {heard} → {todo}",
  on_its_way: "No answer yet: it is being sent at this moment → Look again when that run ends",
  invalid: ({ todo }) => `Not sent: {faults} → ${todo ? "{todo}" : "Correct and drop again"}`,
  held: ({ todo }) => `Waiting for a person: {why} → ${todo ? "{todo}" : "Say whether it is to go"}`,
  duplicate: ({ todo }) => `Not sent{again}: {why} → ${todo ? "{todo}" : "Nothing to do if it is the same payment"}`,
  cancelled: "Not sent{again}: a person cancelled it → Nothing",
  settled_done: "Settled as done by {by} → Nothing",
  settled_not_done: ({ phase }) =>
    `Settled as not done by {by} → ${phase === "cancelled" ? "To pay it after all, put it into a new file" : "It may be sent again, or cancelled. To send it again: paydrop retry {batch}"}`,
  left_without_funds:
    "Refused → When there are funds, run the retry file. Then, of the batch that it becomes: paydrop retry --rejected",
  corrected: "{said}. Corrected by row {row} of {place}, which went → Nothing",
  noticed: ({ todo }) =>
    `{said}. Look at {notes} → ${todo === "Nothing" ? "Look at what result_message points out" : "{todo}"}`,
} as const satisfies Catalogue;

/** What people are told who are not at the screen. The first line is the subject of a mail. */
export const NOTICES = {
  ended: ({ wrong }) =>
    `{file}: batch {batch} has ended → ${wrong ? "The clerk corrects {wrong:row} in the retry file." : "Nothing to do."}`,
  needs_person: ({ unknown, hint }) =>
    `{file}: batch {batch} needs a person → ${unknown ? "Look up {unknown:unknown row|unknown rows} in the service's dashboard, and say what you found" : hint ? "{hint}. After that" : "Decide on {held:held row|held rows}"}: paydrop status {batch}, or at the desk.`,
  approval_wanted: `{file}: batch {batch} waits for approval
    → Somebody else than who brought it approves it at the desk, or: paydrop approve {batch} --by NAME --total {total}`,
  test: "{host}: a test of the notices of paydrop → Nothing to do.",
} as const satisfies Catalogue;

export interface SomeRows {
  readonly count: number;
  readonly rows: readonly number[];
}

export interface StepFacts {
  readonly batch: string;
  /** The path of the file, for `paydrop run`. */
  readonly file: string;
  readonly phase: string;
  readonly isUnapproved: boolean;
  readonly isOtherMonth: boolean;
  /** A row of another batch that is the same payment as a held one, and is held itself. */
  /** Of the held rows: somebody let them go, and somebody else must approve that. */
  readonly proposed?: number | undefined;
  readonly heldFirst?: { readonly batch: string; readonly row: number } | undefined;
  readonly unknown: SomeRows;
  readonly held: SomeRows;
  /** Ready, not sent, and refused for the key or the address: the next run sends them. */
  readonly unsent: number;
  readonly notDone: number;
  readonly stopHint?: string | undefined;
  readonly owesResults?: boolean | undefined;
}

/**
 * What a person should do now: the gravest thing first, of each the harmless way first (DESIGN §7). A line that begins
 * with `paydrop ` is a command to copy; those that could pay somebody twice have words to fill in.
 */
export function nextSteps(facts: StepFacts): string[] {
  const { batch, phase, unknown, held, owesResults } = facts;
  const lookUp = `look up ${namedRows(unknown.rows, unknown.count)} in the service's dashboard. Then say what you found:`;
  return [
    ...(unknown.count > 0
      ? [lookUp, ...["done", "not-done"].map((as) => settleCommand(batch, unknown.rows[0], as))]
      : []),
    ...(held.count > 0 && phase !== "cancelled" ? heldSteps(facts) : []),
    ...goOnSteps(facts),
    ...(owesResults ? ["its results are not written to the end. To write them:", `paydrop results ${batch}`] : []),
  ];
}

function heldSteps({ batch, file, held, heldFirst, isOtherMonth, proposed = 0 }: StepFacts): string[] {
  const approve = [
    `if ${counted(proposed, "row that somebody let go is|rows that somebody let go are")} meant, somebody else approves that, with their sum:`,
    `paydrop approve ${batch} --by NAME --total SUM`,
  ];
  if (proposed === held.count) return approve;
  const which =
    "if they are another month's: after that put the month into the file's name (payroll-dec-2026.csv) or, where nobody watches the folder:";
  const month = [which, `paydrop run ${asWord(file)} --period YYYY-MM`];
  const first = heldFirst && [
    `row ${heldFirst.row} of batch ${heldFirst.batch} is the same payment, and is held. If this file is the right one, cancel that row and run this file again:`,
    cancelRowCommand(heldFirst),
  ];
  return [
    ...(proposed > 0 ? approve : []),
    ...(first ?? []),
    `decide on ${namedRows(held.rows, held.count)}: the results say why. If nothing is to be sent for them:`,
    cancelHeldCommand(batch),
    ...(isOtherMonth ? month : []),
    "if a row is meant as well, after a look at it:",
    releaseCommand(batch, held.count === 1 ? held.rows[0] : undefined),
  ];
}

function goOnSteps({ batch, file, phase, isUnapproved, unsent, notDone, stopHint = "" }: StepFacts): string[] {
  const resume = ["the batch is paused. To go on:", `paydrop resume ${batch} --by NAME`];
  if (phase === "paused" && unsent + notDone > 0) return resume;
  if (phase === "paused" || phase === "cancelled") return [];
  const approve = [
    "if the file is right, somebody else approves it, on the desk or by this command, with its sum:",
    `paydrop approve ${batch} --by NAME --total SUM`,
  ];
  if (isUnapproved && unsent + notDone > 0) return approve;
  return [
    ...stopHint
      .replaceAll("BATCH", batch)
      .split(/(?<=\.) (?=[A-Z])/)
      .filter(Boolean),
    ...(unsent > 0 ? [`to send ${counted(unsent)} that did not go:`, `paydrop run ${asWord(file)}`] : []),
    ...(notDone > 0 ? [`to send ${counted(notDone)} settled as not done:`, `paydrop retry ${batch}`] : []),
  ];
}

/** The command by which a person says what became of rows that they looked up. */
export function settleCommand(batch: string, row: number | "N" = "N", as = "DONE-OR-NOT-DONE"): string {
  return `paydrop settle ${batch} --row ${row} --as ${as} --by NAME --note TEXT`;
}

/** A held row that nobody says no to stays open, and holds the same payment in every later file. */
export function cancelHeldCommand(batch: string): string {
  return `paydrop cancel ${batch} --held --by NAME`;
}

export function cancelRowCommand({ batch, row }: NonNullable<StepFacts["heldFirst"]>): string {
  return `paydrop cancel ${batch} --row ${row} --by NAME`;
}

export function releaseCommand(batch: string, row: number | "N" = "N"): string {
  return `paydrop release ${batch} --row ${row} --by NAME --reason TEXT`;
}

/** `row 91`, `rows 91, 164`, `rows 1-20 and 12 more`. */
export function namedRows(rows: readonly number[], count: number): string {
  if (rows.length === 0) return counted(count);
  const more = count > rows.length ? ` and ${count - rows.length} more` : "";
  return `${count === 1 ? "row" : "rows"} ${rowRanges(rows)}${more}`;
}

/** `61, 62, 64-92`: three or more in a row as a range; of a long list only its first parts. */
export function rowRanges(rows: readonly number[], partsMax = 20): string {
  const parts: string[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const from = at;
    while (rows[at + 1] === (rows[at] ?? 0) + 1) at += 1;
    if (at - from === 1) at = from;
    parts.push(at === from ? String(rows[at]) : `${rows[from]}-${rows[at]}`);
  }
  return parts.length <= partsMax ? parts.join(", ") : `${parts.slice(0, partsMax).join(", ")}, …`;
}
