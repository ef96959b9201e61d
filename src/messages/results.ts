import { led, onceMore, resumeInbox, typed, withPeriod } from "./commands.ts";
import type { Catalogue, Fault } from "./sentence.ts";

export const RESULTS_REMARKS = {
  without_amount: "the amount of {rows:row} cannot be read: it is in no sum",
  as_they_were: "nobody changed {rows:row} of the retry file: not sent, see result_message",
  noticed: "something to look at in {rows:row}, first row {first}: see result_message",
  across_rows: "something to look at in {rows:row} together: a check of the file says what",
  needs_approval: "this file needs the approval of {approvers:other person|other people} before anything goes",
  seen_in_statement: ({ returned }) =>
    `seen in the bank's statement: {seen} of {went}${returned ? "; the money of {returned:row} came back" : ""}`,
  control_stated: "control totals were stated before, and are equal: {said}",
  corrected_since: "{rows:row} that had to be corrected went since, in batch {batches}: see result_message",
} as const satisfies Catalogue;

/** What is new of a file since last time (README §16), the gravest first; `first`: the first rows. */
export const NEWS_REMARKS = {
  other_accounts:
    "{rows:row pays|rows pay} a known person to another account than until now, {sum} in all: {first}. Ask these people first",
  new_payees: "{rows:payee is|payees are} new, nothing went to them before, {sum} in all: {first}",
  gone_payees: "{rows:payee is|payees are} gone since batch {other} ({day}), {sum} then: {first}",
  many_times: "{rows:payee gets|payees get} many times as much as in batch {other} ({day}): {first}",
  other_amounts:
    "{rows:payee gets|payees get} another amount than in batch {other} ({day}), {then} then and {sum} now: {first}",
  as_last_time: "the same payees and amounts as in batch {other} ({day}), and no other account",
  not_compared: "more than {most} rows: not compared with last time",
} as const satisfies Catalogue;

export const isNews = ({ code }: Fault): boolean => Object.hasOwn(NEWS_REMARKS, code);

/** Beside the sum of all rows; where an amount of one cannot be read, nobody knows whether they are equal. */
export function noteOfTotal(remarks: readonly Fault[]): string {
  const lacks = remarks.some(({ code }) => code === "without_amount");
  return lacks ? "without the amounts that cannot be read" : "equals the file";
}

/** What is said of a run at its end, beside its sums. */
export const RUN_WORDS = {
  copy: [
    `{copy} is a copy, byte for byte, of {first}, which was taken before: its rows go once
      → Nothing to do if that is so. If it is another {form}'s file, save that one under this name.`,
    led("Or state the {form}", withPeriod),
  ],
  sent_before: "nothing was sent in this run: what can go had gone before; the file was taken on {at}",
  cancelled_before: [
    `nothing was sent in this run: the file was taken on {at}, and {rows:row of it was|rows of it were} cancelled
      → Nothing to do if that is right.`,
    led("If they are to go after all, and went in no other file", onceMore),
  ],
} as const satisfies Catalogue;

export function elsewhereText(why: string, folder: string): string {
  return `${why}; it lies in ${folder} instead`;
}

export const REPORT_WORDS = {
  acceptedMeans: "Accepted means that the service took the request. It is not proof that money arrived.",
  nothing: "Nothing. No payment waits for a decision, a correction, or a look at the bank.",
  noAccounts: "No row names an account that it is paid from.",
  noControl: "nobody stated any",
  signedBy: ["Prepared by", "Checked by", "Approved by"],
} as const;

export const STATUS_WORDS = {
  none: "no batch yet in the state folder {folder}",
  held: ["{folder} is held since {at}: nothing goes from it until a person resumes it", resumeInbox],
  on_their_way: "{rows:row is|rows are} on the way at this moment",
  to_correct: "{rows} to correct",
  owes_results: "its results are not written yet",
  far_down: "Names of rows so far down in a large file stand in its results.",
  lacking: "names and accounts of batch {batch} are missing here: {why}",
  no_acts: "nobody did anything {since}",
  no_unknown: "no row is unknown",
  unknown: [
    "Many at once, by a list whose columns as, by and note you fill in:",
    () => ({ name: "status", flags: { unknown: true, csv: true }, into: "unknown.csv" }),
    typed("settle", { from: "unknown.csv" }),
  ],
} as const satisfies Catalogue;

export const FIND_WORDS = {
  found: "{rows:row} found{when}, {amount} in all{split}",
  seen: ({ returned }) =>
    `{rows:row of these stands|rows of these stand} in the bank's statement${returned ? "; the money of {returned:row} came back" : ""}`,
  none: "nothing found{when} → Look further back with --since, or write less of it.",
  reading: "reads file {at} of {of}",
  lacking: "of batch {batch} names and accounts cannot be looked at: {why}",
} as const satisfies Catalogue;

/** Why rows that are still to go have not gone, of a batch as a whole. */
export const WAITS_FOR = {
  batch_paused: "paused: nothing goes until a person lets it go on",
  folder_stopped: "{folder} is stopped: nothing goes from it until a person lets it go on",
  unapproved: "waits for approval",
  nobody_sends: "nobody sends it: no paydrop is at work here",
  its_turn: "waits for its turn",
} as const satisfies Catalogue;

export const TEMPLATE_NOTES = {
  examples: "Replace both rows: they are examples.",
  optional: "May stay empty: {optional}.",
  as_written: "The service does not say which values, lengths and units it takes. Everything travels as written.",
  own_columns:
    "You may add the columns reference (your own id per row, never reused) and period (such as 2026-11). They are not sent.",
  copied:
    "{rows:row} of batch {batch} to start from: the same payees, and the same amounts. References and periods are empty.",
  left_out: "Left out, because they were invalid then: {rows:row}.",
} as const satisfies Catalogue;
