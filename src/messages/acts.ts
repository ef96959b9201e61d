import * as commands from "./commands.ts";
import { flag, led, typed } from "./commands.ts";
import { NOT_RELEASED } from "./holds.ts";
import { counted, type Catalogue, type Facts, type Sentence } from "./sentence.ts";
import { namedRows } from "./statuses.ts";

/** What the commands say by which a person acts on a batch. */
export const ACTED = {
  sandbox: "SANDBOX: nothing here moves money.",
  sandbox_runs: "SANDBOX at {url}: nothing here moves money. What it accepted: {url}/sandbox/ledger",
  soft: "finishing the rows on their way, {lanes} at most; nothing new is sent. Ctrl-C again stops now: they become unknown",
  hard: "stopping now: rows on their way become unknown",
  nothing_sent: "Nothing was sent.",
  unmarked: `{folder}: paydrop cannot write its file .paydrop there ({why}). If the state folder is lost, nothing tells that payments of this folder went.
    → Give the user who runs paydrop the right to write there.`,
  clock_behind: `The clock says {now}, but the journal has already seen {seen}. Until then payments count as recent: more may be held.
    → Set the clock. If it is right, an earlier one was ahead: decide what is held as usual.`,
  going: "{rows:row} of batch {batch} will be sent: {sum}",
  going_when_approved: ["{rows:row} of batch {batch} may go when somebody has approved it: {sum}", commands.approve],
  proposed: ["{rows:row} of batch {batch} may go when somebody else has approved that: {sum}", commands.approve],
  none_waits: "Nothing of batch {batch} goes: no row of it may go again this way",
  left: [
    "Another paydrop works with this state folder and sends them, if it works on this batch or its folder.",
    led("What became of them", commands.status),
    led("Else, when that one has ended", commands.resume),
  ],
  left_to_watch: "They go when the paydrop that watches the folder looks next.",
  now_held: ["{rows:row} of batch {batch} must wait for a person: {why}", commands.status],
  paused: ["Batch {batch} is paused. {rows:row waits|rows wait}.", led("To go on", commands.resume)],
  cancelled: ({ rows }) =>
    rows === 0 ? "No row of batch {batch} is held, or left to cancel." : "{rows:row} of batch {batch} will never go.",
  cancelled_whole: ({ rows }) =>
    `Batch {batch} is cancelled. ${rows === 0 ? "No row of it was left to send." : "{rows:row was|rows were} not sent and will never go."}`,
  cannot_recall: "{rows:row was|rows were} accepted and cannot be called back.",
  still_unknown: ["{rows:row is|rows are} unknown and must still be looked up.", commands.settle()],
  on_their_way: "{rows:row is|rows are} on the way and cannot be stopped.",
  settled_done: ({ before }) =>
    `Row {row} of batch {batch} ({amount}) is settled as done by {by}. It is never sent again.${before ? " {before} had settled it as not done → Tell {before} what you found." : ""}`,
  settled_not_done: ({ phase }) =>
    phase === "cancelled"
      ? "Row {row} of batch {batch} ({amount}) is settled as not done by {by}. → The batch is cancelled. If it is to be paid after all, put it into a new file."
      : [
          "Row {row} of batch {batch} ({amount}) is settled as not done by {by}. It may go again.",
          led("If it was paid in another way", commands.cancelRow),
          led("To send all such rows of the batch", commands.retry),
        ],
  settled_before: ({ by }) =>
    `Row {row} of batch {batch} ${by === undefined ? "is {word} now" : "was {word} by {by} before you"}. Nothing was changed.`,
  settled_otherwise: [
    `Row {row} of batch {batch} was {word} by {by} before you. What you said changed nothing
      → Ask {by} which of the two is true.`,
    led("Who said what", commands.status),
  ],
  settled_contradicted: [
    `Row {row} of batch {batch} was settled as not done by {before} before you said that it went. It is held, and goes by neither word
      → Look it up once more with {before}.`,
    led("Why it is held", commands.status),
  ],
  settled_sent_again: `Row {row} of batch {batch} was settled as not done by {before} before you, and was sent again: it is {word}. What you said changed nothing
    → If it went before that, it is paid twice. Tell {before} and whoever can ask for the money back.`,
  settled_changed: `Row {row} of batch {batch} is {word} now: it changed after the page was made. Nothing was changed
    → Look at it again.`,
  settled_skipped: "{lines:line} without a decision yet.",
  freed: ["{rows:row} of batch {batch} waited for that and may go now.", commands.resume],
  folder_stopped: "{folder} is held. Rows on their way finish, nothing new goes. → To go on, press the button there.",
  put_away: "{name} lies in the folder “{folder}” now. Nothing of it was sent.",
  folder_resumed: [
    "{folder} goes on, by {by}. → A watcher goes on by itself.",
    led("Without one", commands.onFile("run")),
  ],
  journal_copied: [
    `{batches:batch|batches} with {rows:row} went from {folder} to {to}. The journal in {folder} sends nothing any more.
      → Set PAYDROP_JOURNAL_URL and PAYDROP_JOURNAL_KEY for every paydrop that worked with it.`,
    led("Then", typed("doctor")),
  ],
  approved: ({ left }) =>
    left === 0
      ? "Batch {batch} ({file}, {rows:row}, {sum}) is approved by {by}, until {until}. → It goes with the next run of its file; a watched folder sends it by itself."
      : [
          "Batch {batch} ({file}, {rows:row}, {sum}) is approved by {by}, until {until}. Another person must approve it, too.",
          commands.approve,
        ],
  mapping_written: ["wrote [mapping.{name}] to {path}", commands.onFile("check")],
  statement_written: ["wrote [statement.{name}] to {path}", commands.onFile("reconcile")],
  backed_up: "{file}: the journal and {snapshots:snapshot}, {bytes:byte}.",
  purging: "{batches:batch|batches} so far; looked at all that were taken until {until}.",
  purged: "Private copies and answers of {batches:batch|batches} were removed. Duplicates of them are still found.",
} as const satisfies Catalogue;

/** Why rows that were let go must wait all the same. */
export const WAITS_ANEW = "the same payment went meanwhile, or waits elsewhere";

/** What an act of a person found or did. */
export interface Found {
  readonly code: keyof typeof ACTED | keyof typeof NOT_RELEASED;
  readonly facts: Facts;
}

export const sentenceOf = ({ code }: Found): Sentence => ({ ...NOT_RELEASED, ...ACTED })[code];

const newList = led("Write a new list", typed("status", { unknown: true, csv: true }));

/** What is wrong with a line of a list to settle by. */
export const LIST_FAULTS = {
  list_as: '"{said}" is neither done nor not-done → Write done or not-done.',
  list_by: ["the name of the person is missing → Write who looked it up.", led("Or add", flag({ by: "NAME" }))],
  list_note: "the note is missing → Write what was looked up, and where.",
  list_batch: ['there is no batch "{said}"', led("Which there are", typed("status"))],
  list_row: 'batch {batch} has no row "{said}" → See its results file.',
  list_going: ["row {row} of batch {batch} is on its way", led("Wait until its run has ended", commands.status)],
  list_moved: ["the line says {amount}, and row {row} of batch {batch} is {is}", newList],
  list_old: ["row {row} of batch {batch} was sent again since", newList],
  list_twice: "this row stands twice in the list → Delete one of the two lines.",
} as const satisfies Catalogue;

/** What people did, and what paydrop did by itself, in a list of who did what. */
const ACT_WORDS = {
  ...{ settle: "settled", release: "released", retry: "asked to let go again", cancel: "cancelled" },
  ...{ pause: "paused", resume: "resumed", run: "ran", purge: "purged", recover: "after a crash called unknown" },
  ...{ hold_folder: "stopped the folder", resume_folder: "resumed the folder" },
  add_account: "gave an account at the desk to",
  remove_account: "took the account at the desk of",
  bring_file: "brought the file",
  put_away_file: "put away the refused file",
  confirm_account: "said whose account it is:",
  ask_approval: "asked others to approve",
  approve: "approved",
  accept_destination: "accepted another destination for",
  accept_lost_journal: "accepted the lost journal before",
} as const;

export type ActKind = keyof typeof ACT_WORDS;

interface Done {
  readonly kind: ActKind;
  readonly rows?: readonly number[];
  readonly batch?: string;
  readonly as?: string;
}

/** `released rows 4, 5 of batch K7Q29F3M`, after the name of who did it. */
export function didText({ kind, rows = [], batch, as }: Done): string {
  const which = rows.length === 0 ? "" : ` ${namedRows(rows, rows.length)}`;
  const of = batch === undefined ? "" : `${which === "" ? "" : " of"} batch ${batch}`;
  return `${ACT_WORDS[kind]}${which}${of}${as === undefined ? "" : `${/_(?:folder|account|file)$/.test(kind) ? "" : " as"} ${as}`}`;
}

/** `isRunning`: its process is alive. */
export function ranText(run: { readonly requests?: number; readonly exitCode?: number }, isRunning: boolean): string {
  const { requests = 0, exitCode } = run;
  if (exitCode !== undefined) return `${counted(requests, "request")}, exit code ${exitCode}`;
  return isRunning ? "is running" : "was killed; how many requests it sent is not known";
}
