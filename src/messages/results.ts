import { namedRows } from "./statuses.ts";
import { counted, type ErrorSentence, type Sentence } from "./sentence.ts";

const NO_RIGHT = "paydrop has no right to write in this folder";

/** Why a file out cannot be written, by the system's code; others are told in the system's words. */
const WHY_UNWRITABLE: Readonly<Record<string, string>> = {
  ...{ EACCES: NO_RIGHT, EPERM: NO_RIGHT, EROFS: "the disk is read-only", ENOSPC: "the disk is full" },
  ...{ EDQUOT: "the quota of the disk is used up", EBUSY: "another program has the file open" },
  ...{ ENOTDIR: "its folder is not a folder", ENOENT: "its folder is not there any more" },
};

const AGAIN = "Then write the results again: paydrop results BATCH";

export const RESULTS_ERRORS = {
  unwritable: {
    kind: "results_unwritable",
    text: ({ name, code, found }) => `nothing can be written beside ${name}: ${WHY_UNWRITABLE[String(code)] ?? found}`,
    todo: `Let paydrop write there, and make room. ${AGAIN}`,
  },
  in_the_way: {
    kind: "results_unwritable",
    text: "{name} is there already and is not what paydrop wrote",
    todo: `Move it away or give it another name. ${AGAIN}`,
  },
  no_such_batch: {
    kind: "usage",
    text: ({ said, count }) => (count ? `${count} batches begin with "${said}"` : `there is no batch "${said ?? ""}"`),
    todo: "`paydrop status` lists them. Those of another state folder need its --state-dir.",
  },
  no_batch_of_file: {
    kind: "usage",
    text: "no batch was made of {file}",
    todo: "Name it with its folder, or name the batch: `paydrop status` lists them. A refused file makes none; `paydrop check` says why.",
  },
  being_sent: {
    kind: "locked",
    text: "batch {batch} is being sent: {rows:row} on the way at this moment",
    todo: "No report was written. Make it when the run has ended. If that run died, run the file again first.",
  },
  since_unreadable: { kind: "usage", text: '--since "{said}" is not a day', todo: "Write it as 2026-11-27." },
} as const satisfies Readonly<Record<string, ErrorSentence>>;

/** Said of the whole batch, in the summary and on the screen. */
export const RESULTS_REMARKS = {
  without_amount: { text: "the amount of {rows:row} cannot be read: it is in no sum" },
  noticed: { text: "something to look at in {rows:row}, first row {first}: see result_message" },
  corrected_since: { text: "{rows:row} that had to be corrected went since: see result_message" },
} as const satisfies Readonly<Record<string, Sentence>>;

/** Where the files out lie when their folder could not be written. */
export function elsewhereText(why: string, folder: string): string {
  return `${why}; it lies in ${folder} instead`;
}

/** What people did, and what paydrop did by itself, in a list of who did what. */
const ACT_WORDS = {
  ...{ settle: "settled", release: "released", retry: "let go again", cancel: "cancelled" },
  ...{ pause: "paused", resume: "resumed", recover: "called unknown after a crash" },
  ...{ hold_folder: "held the folder (STOP)", resume_folder: "resumed the folder" },
  accept_destination: "accepted another destination",
  accept_lost_journal: "accepted that the journal was lost",
} as const;

interface Done {
  readonly kind: keyof typeof ACT_WORDS;
  readonly rows?: readonly number[];
  readonly batch?: string;
  readonly as?: string;
}

/** `released rows 4, 5 of batch K7Q29F3M`, after the name of who did it. */
export function didText({ kind, rows = [], batch, as }: Done): string {
  const which = rows.length === 0 ? "" : ` ${namedRows(rows, rows.length)}`;
  const of = batch === undefined ? "" : `${which === "" ? "" : " of"} batch ${batch}`;
  return `${ACT_WORDS[kind]}${which}${of}${as === undefined ? "" : ` as ${as}`}`;
}

/** The same of a run. */
export function ranText({
  requests = 0,
  exitCode,
}: {
  readonly requests?: number;
  readonly exitCode?: number;
}): string {
  const end = exitCode === undefined ? "did not end by itself" : `exit code ${exitCode}`;
  return `ran it: ${counted(requests, "request")}, ${end}`;
}

export const REPORT_WORDS = {
  acceptedMeans: "Accepted means that the service took the request. It is not proof that money arrived.",
  nothing: "Nothing. No row waits for a decision, a correction or a look into the dashboard.",
  signedBy: ["Prepared by", "Checked by", "Approved by"],
} as const;

/** What `paydrop status` says beside tables and names. */
export const STATUS_WORDS = {
  none: { text: "no batch yet in the state folder {folder}" },
  held: { text: "{folder} is held since {at}: nothing goes from it until a person resumes it" },
  on_their_way: { text: "{rows} on their way at this moment; if their process died, the next run calls them unknown" },
  owes_results: { text: "its results are not written yet" },
  lacking: { text: "accounts of batch {batch} are missing from the list: {why}" },
  no_acts: { text: "nobody did anything yet" },
  no_unknown: { text: "no row is unknown" },
  unknown: {
    text: "Many at once, by a list whose columns as, by and note you fill in:\n    paydrop status --unknown --csv > unknown.csv\n    paydrop settle --from unknown.csv",
  },
} as const satisfies Readonly<Record<string, Sentence>>;
