import type { PeriodForm } from "../period.ts";
import * as commands from "./commands.ts";
import { led, ofOther, onFile } from "./commands.ts";
import { counted, told, type Catalogue, type Facts, type Told } from "./sentence.ts";

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

export type StatusName = keyof typeof STATUSES;

/** `goesAgain`: of these rows those that were rejected for the key or the address, not for themselves. */
export function noteOf(status: StatusName, rows: number, goesAgain: number): string {
  const { note } = STATUSES[status];
  if (status !== "rejected" || goesAgain === 0) return note;
  if (goesAgain === rows) return "not for its own sake: goes again with the next run";
  return `${note}, but for ${goesAgain} that the next run sends`;
}

const letGoOn = led("To let it go on", commands.resume);

/** What is said of a row whose state says it all, in `result_message` and `result_action`. */
export const ROW_SENTENCES = {
  ready: ({ phase }) =>
    phase === "paused"
      ? ["Not sent{again} yet → When the batch goes on.", letGoOn]
      : "Not sent{again} yet → Will go when the file is run again",
  paused: ["Not sent → When the batch goes on.", letGoOn],
  not_known: "Not known → Ask IT",
  late: "{said}. Its host heard afterwards: {heard}",
  on_its_way: "No answer yet: it is being sent at this moment → Look again when that run ends",
  invalid: "Not sent: {faults} → Correct and drop again",
  held: "Waiting for a person: {why} → Say whether it is to go",
  duplicate: "Not sent{again}: {why} → Nothing to do if it is the same payment",
  cancelled: "Not sent{again}: a person cancelled it",
  settled_done: "Settled as done by {by}",
  settled_not_done: ({ phase }) =>
    phase === "cancelled"
      ? "Settled as not done by {by} → To pay it after all, put it into a new file"
      : ["Settled as not done by {by} → It may be sent again, or cancelled.", led("To send it again", commands.retry)],
  left_without_funds: [
    "Refused → When there are funds, run the retry file.",
    led("Then, of the batch that it becomes", () => commands.retryRejected({})),
  ],
  corrected: "{said}. Corrected by row {row} of {place}, which went",
  over: "Over → Nothing",
  noticed: "{said}. Look at {notes} → Look at what result_message points out",
} as const satisfies Catalogue;

/** What people are told who are not at the screen. The first line is the subject of a mail. */
export const NOTICES = {
  ended: ({ wrong }) =>
    `{file}: batch {batch} has ended → ${wrong ? "The clerk corrects {wrong:row} in the retry file." : "Nothing to do."}`,
  needs_person: ({ unknown, held }) => {
    const found = "{file}: batch {batch} needs a person";
    const orAtDesk = led("At the desk, or", commands.status);
    if (unknown)
      return [
        `${found} → Look up {unknown:unknown row|unknown rows} in the service's dashboard, and say what you found.`,
        orAtDesk,
      ];
    return held ? [`${found} → Decide on {held:held row|held rows}.`, orAtDesk] : [found, orAtDesk];
  },
  approval_wanted: [
    "{file}: batch {batch} waits for approval → Somebody else than who brought it approves it at the desk.",
    led("Or", commands.approve),
  ],
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
  /** Held rows may be of another period: of this form are those of the rows before them. */
  readonly otherForm?: PeriodForm | undefined;
  /** The first row that is held because its person was paid to another account until now. */
  readonly otherAccount?: number | undefined;
  /** Of the held rows: somebody let them go, and somebody else must approve that. */
  readonly proposed?: number | undefined;
  /** A row of another batch that is the same payment as a held one, and is held itself. */
  readonly heldFirst?: { readonly batch: string; readonly row: number } | undefined;
  readonly unknown: SomeRows;
  readonly held: SomeRows;
  /** Ready, not sent, and refused for the key or the address: the next run sends them. */
  readonly unsent: number;
  readonly notDone: number;
  readonly stop?: Told | undefined;
  readonly owesResults?: boolean | undefined;
}

/** One thing that a person should do now. */
export interface Step extends Told {
  readonly code: keyof typeof STEPS | "stopped";
}

/** A day in a file's name is mostly that of an export, and states nothing. */
const PERIOD_PLACES: Readonly<Record<PeriodForm, string>> = {
  month: "the file's name (payroll-dec-2026.csv)",
  week: "the file's name (wages-2026-W47.csv)",
  day: "a column period",
};

const STEPS = {
  look_up: [
    "look up {which} in the service's dashboard. Then say what you found:",
    commands.settle("done"),
    commands.settle("not-done"),
  ],
  approve_rows: [
    "if {rows:row that somebody let go is|rows that somebody let go are} meant, somebody else approves that, with their sum:",
    commands.approve,
  ],
  ask_person: [
    "ask the person of row {row}, by a number that you knew before: the account is another one than until now.",
    led("How such thefts go", commands.helpOn("accounts")),
  ],
  first_row: [
    "row {otherRow} of batch {otherBatch} is the same payment, and is held. If this file is the right one, cancel that row and run this file again:",
    ofOther(commands.cancelRow),
  ],
  decide: ["decide on {which}: the results say why. If nothing is to be sent for them:", commands.cancelHeld],
  other_month: ({ form }) => [
    `if they are another {form}'s: after that put the {form} into ${PERIOD_PLACES[form as PeriodForm]} or, where nobody watches the folder:`,
    commands.onPeriod,
  ],
  release: ["if a row is meant as well, after a look at it:", commands.release],
  go_on: ["the batch is paused. To go on:", commands.resume],
  approve: [
    "if the file is right, somebody else approves it, on the desk or by this command, with its sum:",
    commands.approve,
  ],
  unsent: ["to send {rows:row} that did not go:", onFile("run")],
  not_done: ["to send {rows:row} settled as not done:", commands.retry],
  write_results: ["its results are not written to the end. To write them:", commands.results],
  to_close: [
    "correct and send what is to go, best by the retry file. If nothing more of it is to go:",
    commands.cancel,
  ],
} as const satisfies Catalogue;

export const stepFor = (code: keyof typeof STEPS, facts: Facts): Step => ({ code, ...told(STEPS[code], facts) });

/** What a person should do now: the gravest thing first, of each the harmless way first (README §7). */
export function nextSteps(facts: StepFacts): readonly Step[] {
  const { batch, phase, unknown, held, owesResults } = facts;
  const lookUp = { batch, which: namedRows(unknown.rows, unknown.count), row: unknown.rows[0] };
  return [
    ...(unknown.count > 0 ? [stepFor("look_up", lookUp)] : []),
    ...(held.count > 0 && phase !== "cancelled" ? heldSteps(facts) : []),
    ...goOnSteps(facts),
    ...(owesResults ? [stepFor("write_results", { batch })] : []),
  ];
}

function heldSteps({
  batch,
  file,
  held,
  heldFirst,
  otherForm,
  otherAccount,
  proposed = 0,
}: StepFacts): readonly Step[] {
  const approve = stepFor("approve_rows", { batch, rows: proposed });
  if (proposed === held.count) return [approve];
  const row = held.count === 1 ? held.rows[0] : undefined;
  return [
    ...(proposed > 0 ? [approve] : []),
    ...(heldFirst ? [stepFor("first_row", { otherBatch: heldFirst.batch, otherRow: heldFirst.row })] : []),
    ...(otherAccount === undefined ? [] : [stepFor("ask_person", { row: otherAccount })]),
    stepFor("decide", { batch, which: namedRows(held.rows, held.count) }),
    ...(otherForm ? [stepFor("other_month", { file, form: otherForm })] : []),
    stepFor("release", { batch, row }),
  ];
}

function goOnSteps({ batch, file, phase, isUnapproved, unsent, notDone, stop }: StepFacts): readonly Step[] {
  if (phase === "paused" && unsent + notDone > 0) return [stepFor("go_on", { batch })];
  if (phase === "paused" || phase === "cancelled") return [];
  if (isUnapproved && unsent + notDone > 0) return [stepFor("approve", { batch })];
  return [
    ...(stop ? [{ code: "stopped", text: stop.todo, todo: "", commands: stop.commands } as const] : []),
    ...(unsent > 0 ? [stepFor("unsent", { file, rows: unsent })] : []),
    ...(notDone > 0 ? [stepFor("not_done", { batch, rows: notDone })] : []),
  ];
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
