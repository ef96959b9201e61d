import { stopFor, type StopCode } from "./outcomes.ts";
import { cancel, led, resumeInbox } from "./commands.ts";
import type { Catalogue, Command } from "./sentence.ts";

/** Of a text beside a file; a command stands below what it is for. */
export type Line = string | Command;

/** Stands in the mark itself, for whoever opens it. */
export const MARK_NOTE = "paydrop keeps this file. It tells which journal knows what was sent from this folder.";

const SHORT_NAME = "Give it a short name of its own that ends as it does now, such as payroll.csv.";

export const INTAKE_FAULTS = {
  name_unprintable: `Its name holds characters that cannot be shown, or is not UTF-8. → ${SHORT_NAME}`,
  name_too_long: `Its name is longer than {most} bytes. → ${SHORT_NAME}`,
  not_regular: "This is {kind}, not a file. → Copy the file itself into this folder.",
  own_results_file: `This is a results file that paydrop wrote (it has columns such as result_status).
    → Run the file that it reports on, or the retry file after you corrected it.`,
} as const satisfies Catalogue;

/** Every text beside a file begins with this, and is known as ours by it. */
export const ANSWER_MARK = "paydrop: ";

/** For people who cannot run a command. */
export const TYPED_BY = "Lines that begin with paydrop are typed by whoever runs it here: send them this text.";

/** They follow the name of the file. */
export const ANSWER_HEADS = {
  refused: "was not taken. Nothing of it was sent.",
  copy: "was not taken: it is a copy, byte for byte, of the file of batch {batch}.",
  sent_back: "was sent back by {by}. Nothing of it was sent.",
  waiting: "waits. Nothing of it was sent yet.",
  trouble: "waits until this is put right.",
  going: "is being sent.",
  server: "waits: paydrop cannot reach its database.",
  open: "was taken as batch {batch}, and something is open.",
} as const;

export const SAVE_AGAIN = "Correct the file and save it here again. Where nobody watches this folder, run it again.";
export const BY_ITSELF =
  "It is tried again by itself; nothing goes twice. If this lasts, ask IT. A changed key or address counts after a restart of paydrop.";
export const MAY_HAVE_GONE =
  "Rows that were on their way at that moment may have gone. They become unknown, and none of them goes again by itself.";
export const ELSEWHERE = "The results could not be written here: {why}.";
export const OF_COPY = "Its rows go once. What becomes of them is told beside {first}, in {results}.";

export const WAITS = {
  being_written: [
    "It is still being written, its last line has no end yet, or it holds empty (zero) bytes, as a copy under way does.",
    "It is taken by itself when it has not changed for a while.",
    "If it was saved or copied long ago: close it in the program that has it open, and save it again as CSV UTF-8.",
  ],
  unreadable: ["paydrop may not read it. Ask IT to give the user who runs paydrop the right to read it."],
  its_turn: ["Another file is being sent. This one comes after it, by itself."],
} as const;

/** The journal's server is away since then. */
export const serverLines = (since: string): string[] => [
  `Sending has stopped since ${since}. Nothing is forgotten, and nothing goes meanwhile.`,
  "It goes on by itself when the database is back. Do not send the file in another way. If this lasts, ask IT.",
];

/** Why the service takes nothing: a code of `STOPS`. */
export const awayLines = (code: string): string[] => [stopFor(code as StopCode).text, BY_ITSELF];

export const PROGRESS = "{went} of {rows:row} went.";
export const GOING = [
  "The results come beside this file when it has ended. Until then this text is renewed every few seconds.",
  "To stop everything in a watched folder, put a file named STOP into it.",
] as const;

const HELD: Readonly<Record<string, string>> = {
  desk_stop: "Somebody pressed STOP at the desk.",
  stop_file: "A file named STOP was put into the folder.",
  unknown_in_a_row: "Several rows in a row had no clear answer. Look them up in the service's dashboard first.",
  many_unknown: "Many rows had no clear answer. Look them up in the service's dashboard first.",
  redirect: "Something else than the service answered (a redirect). Ask IT first.",
  html_answer: "Something else than the service answered (a web page). Ask IT first.",
};

/** Why nothing goes from a folder. */
export const heldText = (reason: string): string => HELD[reason] ?? `It is held: ${reason}.`;

export function heldLines(reason: string, inbox: string): readonly Line[] {
  const saySo = led("Nothing goes from this folder until a person says so by name", resumeInbox);
  return [heldText(reason), saySo({ inbox })];
}

export const STOP_ANSWER = "STOP - held.txt";
export const STOP_HEAD = `${ANSWER_MARK}everything in this folder is held.`;

export function stopLines(reason: string, inbox: string): readonly Line[] {
  return [
    ...heldLines(reason, inbox),
    "",
    "What was sent of a file stands in its results. Rows that were sent cannot be called back.",
    "Taking the STOP file away does not start anything.",
  ];
}

/** What was taken goes as it was then: whoever corrected the file meanwhile must know. */
export function asTaken(batch: string): Command {
  const lead =
    "The rest of batch {batch} goes as it was taken. To correct it, say first that it shall not go, then save the file";
  return led(lead, cancel)({ batch });
}

export const FOLDER_NEWS = {
  watching: "watching {folder}",
  nothing_new: "nothing new in {folder}",
  not_ready: "{files:file} not ready (still being written, or unreadable): {names}",
  folder_away: "{folder} cannot be read ({found}); it is waited for",
  folder_back: "{folder} is back",
  folder_held: ({ code }) => [
    `everything in {folder} is held. ${HELD[String(code)] ?? ""}`,
    led("A person lets it go on", resumeInbox),
  ],
  folder_resumed: "a person said resume: {folder} goes on",
  waits: "everything waits ({code}); it is tried again by itself",
  takes_again: "everything goes on: rows are taken again",
  unforeseen: "{found} → Ask IT.",
  unanswered: "{name}: no answer could be written beside it",
} as const satisfies Catalogue;
