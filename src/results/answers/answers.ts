import { basename } from "node:path";
import { counted } from "../../text/counted.ts";
import type { FileFault } from "../../errors.ts";
import type { StopCode } from "../../events.ts";
import type { UnreadKind } from "../../format.ts";
import type { InboxHold } from "../../journal/store.ts";
import { printable } from "../../text/printable.ts";
import { NOTE_MARK } from "../disk/own.ts";
import { asTakenLines } from "../words/next-steps.ts";

/**
 * What a clerk without a terminal reads beside a dropped file: `payroll.csv.refused.txt` or `payroll.csv.waiting.txt`,
 * at most one of them, and none when the results say it all.
 */
export interface Answer {
  readonly kind: "refused" | "waiting";
  readonly text: string;
}

const FAULTS_MAX = 20;

type Told = Omit<FileFault, "code"> & Partial<FileFault>;

interface Refusal {
  readonly faults: readonly Told[];
  /** The batch that the file was taken as before, if it was. */
  readonly batch?: string | undefined;
  /** A person ran it by its name: nothing looks for it again. */
  readonly isNamed?: boolean;
}

export function refusedAnswer(path: string, { faults, batch, isNamed = false }: Refusal): Answer {
  const told = faults.slice(0, FAULTS_MAX).flatMap(({ row, column, message, hint }) => {
    const place = [row === undefined ? "" : `Row ${row}`, column ? `column ${column}` : ""].filter(Boolean).join(", ");
    return [
      place ? `${place}: ${message}` : sentence(message),
      ...(hint === "" ? [] : [`  What to do: ${sentence(hint)}`]),
      "",
    ];
  });
  const more = faults.length > FAULTS_MAX ? [`… and ${faults.length - FAULTS_MAX} more.`, ""] : [];
  const sent = batch === undefined ? "Nothing of it was sent." : `Nothing more was sent of its batch ${batch}.`;
  const isWhole = faults.every(({ code }) => code !== undefined && NOT_WITHIN.includes(code));
  const last = isWhole ? [] : [isNamed ? RUN_AGAIN : SAVE_AGAIN];
  return answer("refused", path, `was not taken. ${sent}`, [...told, ...more, ...last]);
}

/** What is in the file need not be corrected: what is told with these is all there is to do. */
const NOT_WITHIN: readonly FileFault["code"][] = ["name_unfit", "archived"];
const SAVE_AGAIN = "Correct the file and save it here again, under the same name or another one.";
const RUN_AGAIN = "Correct the file, save it under the same name, and run it again.";

/** About a file that is never taken, though a person surely meant it to be sent. */
export function neverAnswer(path: string, meant: UnreadKind): Answer {
  const [what, hint] = UNREAD[meant];
  return refusedAnswer(path, { faults: [{ message: `this is ${what}; it reads .xlsx, CSV and JSON`, hint }] });
}

/** What it is, and what to do instead. */
const UNREAD: Readonly<Record<UnreadKind, readonly [string, string]>> = {
  workbook: [
    "a workbook of a kind that paydrop does not read",
    'in Excel choose "Save as", then "Excel Workbook (.xlsx)", and save it into this folder',
  ],
  packed: ["a packed file, which paydrop does not open", "unpack it, and save what is in it into this folder"],
  document: [
    "a document, which paydrop does not read",
    'save the table itself into this folder: in Excel "Save as", then "Excel Workbook (.xlsx)"',
  ],
};

type WaitingFor = "being_written" | "zeros" | "open" | "unreadable" | "its_turn";

/** A file that is not taken yet, for a reason of its own. */
export function notYetAnswer(path: string, why: WaitingFor): Answer {
  return answer("waiting", path, "waits. Nothing of it was sent yet.", NOT_YET[why]);
}

const NOT_YET: Readonly<Record<WaitingFor, readonly string[]>> = {
  being_written: [
    "It is still being written, or its last line has no end yet.",
    "It is taken by itself when it has not changed for a while.",
    "If you saved it long ago: close it in the program that has it open.",
  ],
  zeros: [
    "It holds empty (zero) bytes, as a file does that is still being copied.",
    "It is taken by itself when they are gone. If it was copied long ago: copy it again, or save it as CSV UTF-8.",
  ],
  open: [
    "It is open in Excel or LibreOffice: the program has laid a hidden file beside it (~$ or .~lock. and its name).",
    "It is taken by itself when it is closed there. If nobody has it open, delete that hidden file.",
  ],
  unreadable: ["paydrop may not read it. Ask IT to give the user who runs paydrop the right to read it."],
  its_turn: ["Another file is being sent. This one comes after it, by itself."],
};

/** The whole inbox is held until a person says so. `batch`: what the file was taken as, where it was. */
export function heldAnswer(path: string, hold: InboxHold, resumeCommand: string, batch?: string): Answer {
  const lines = heldLines(hold, resumeCommand);
  const taken = batch === undefined ? [] : asTakenLines(batch);
  return answer("waiting", path, "waits. What was not sent of it stays unsent for now.", [...lines, ...taken]);
}

/** The answer to a file named `STOP`: how far the batch got, and how it goes on. */
export function stopAnswerText(hold: InboxHold, progress: Progress | undefined, resumeCommand: string): string {
  const left = progress?.left ?? [];
  const reached = progress
    ? `${progress.sent} of ${counted(progress.of)} had been sent; rows in flight were waited for.`
    : "No file was being sent.";
  const last = "Rows that were sent cannot be called back. Taking the STOP file away does not start anything.";
  return textOf(`${NOTE_MARK}everything in this folder is held.`, [
    reached,
    "",
    ...heldLines(hold, resumeCommand),
    ...(left.length === 0 ? [] : asTakenLines(...left)),
    "",
    last,
  ]);
}

export interface Progress {
  readonly sent: number;
  readonly of: number;
  /** Ids of the batches of which something is left to send. */
  readonly left: readonly string[];
}

/** Without colons: Windows allows none in a file name. */
export function stopAnswerName(at: Date, progress: Progress | undefined): string {
  const time = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, "0")).join(".");
  return `STOP - held ${time}, ${progress ? `${progress.sent} of ${progress.of} sent` : "nothing was on its way"}.txt`;
}

function heldLines({ message }: InboxHold, resumeCommand: string): string[] {
  return [sentence(message), "Nothing goes from this folder until a person says so by name:", `  ${resumeCommand}`];
}

/** Something that concerns every file: the service is away, the key is wrong. */
export function troubleAnswer(path: string, code: StopCode | undefined, message: string, hint: string): Answer {
  const lines = (code && TROUBLES[code]) ?? [sentence(message), sentence(hint)].filter(Boolean);
  return answer("waiting", path, "waits. Nothing went twice, and nothing is lost.", lines);
}

const BY_ITSELF = "It is tried again by itself; there is nothing to do here.";
const AFTER_IT = "It goes on by itself soon after that is mended.";
const WHEN_RUN = "The rest goes when this file is run again; nothing goes twice.";

/** How a line of `TROUBLES` reads for a file that was run by its name: nothing tries such a file again. */
export function asNamed(line: string): string {
  return line === BY_ITSELF || line === AFTER_IT ? WHEN_RUN : line;
}

/** Stops that concern more than the rows themselves. All other stops are told in their own words. */
export const TROUBLES: Readonly<Partial<Record<StopCode, readonly string[]>>> = {
  unreachable: ["The service cannot be reached.", BY_ITSELF],
  rate_limited: ["The service asked us to slow down.", BY_ITSELF],
  key_refused: ["The service did not accept our key. Ask IT to check PAYDROP_API_KEY.", AFTER_IT],
  address_refused: ["The service does not know this address. Ask IT to check PAYDROP_BASE_URL.", AFTER_IT],
  certificate_refused: ["The service could not prove who it is. Ask IT to check its certificate.", AFTER_IT],
  no_tls: ["What answers at the address of the service speaks no https. Ask IT to check PAYDROP_BASE_URL.", AFTER_IT],
  local_error: ["A row could not be made ready for sending. Ask IT to run paydrop doctor.", AFTER_IT],
  signal: ["paydrop was stopped. The rest goes when it runs again."],
  work_failed: [
    "paydrop ended early, for something else failed. Ask IT what it was; the rest goes when it runs again.",
  ],
  same_refusal: [
    "Many rows in a row were refused for the same reason; the results file says which.",
    "When that is mended, save the file here again: the rest goes, nothing goes twice.",
  ],
};

export function answer(kind: Answer["kind"], path: string, head: string, lines: readonly string[]): Answer {
  return { kind, text: textOf(`${NOTE_MARK}${printable(basename(path))} ${head}`, lines) };
}

/** CRLF: it is read with Notepad, mostly by somebody who cannot run a command. */
function textOf(head: string, lines: readonly string[]): string {
  const end = lines.some((line) => line.startsWith("  paydrop ")) ? ["", TYPED_BY] : [];
  return `${[head, "", ...lines, ...end].map((line) => printable(line, 2000)).join("\r\n")}\r\n`;
}

const TYPED_BY = "Lines that begin with paydrop are typed by whoever runs it here: send them this text.";

/** With a capital letter and a full stop. */
export function sentence(text: string): string {
  // the name of a file stays as it is
  const first = /^\S+\.\w/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return first === "" || /[.?!]$/.test(first) ? first : `${first}.`;
}
