import { ofKind, type Sentence } from "./sentence.ts";

const WAIT = "Wait until its run has ended: paydrop status {batch}";
const NEW_LIST = "Write a new list: paydrop status --unknown --csv";

/** Errors of commands by which a person acts on a batch, and of where a batch goes. */
export const ACT_ERRORS = {
  ...ofKind("usage", {
    not_a_person: {
      text: "paydrop is not a person: its own acts stand under that name",
      todo: "Say who decides: --by NAME",
    },
    by_missing: { text: "this needs the name of the person who decides", todo: "Add --by NAME: {example}" },
    word_missing: { text: "{option} is missing", todo: "{example}" },
    rows_or_all: { text: "say either --row N… or {all}", todo: "{example}" },
    rows_malformed: { text: '"{said}" is no row number', todo: "Write rows as in result_row: 91, 164-170" },
    row_missing: { text: "batch {batch} has no row {row}", todo: "Nothing was changed." },
    batch_cancelled: {
      text: "batch {batch} is cancelled: nothing of it goes",
      todo: "Put the rows that must go after all into a new file.",
    },
    batch_paused: { text: "batch {batch} is paused", todo: "To go on: paydrop resume {batch}" },
    release_total: {
      text: "{rows:payment} of these were accepted before: {sum}. Released, they go a second time",
      todo: "Nothing was released. If they are the same payments: paydrop cancel {batch} --held --by NAME. If all of them are to go again, add their sum: --total {sum}",
    },
    settle_as: { text: "--as must be done or not-done", todo: "{example}" },
    settle_state: {
      text: "row {row} is {state}",
      todo: "Nothing was settled: only an unknown row is, or an accepted one that the bank gave back (as not-done).",
    },
    settle_accepted: {
      text: "row {row} was accepted by the service. Settled as not done it may go again, and be paid twice",
      todo: "Nothing was settled. If the bank gave the money back, add its amount: --total {amount}",
    },
    settle_too_soon: { text: "row {row} is on its way", todo: WAIT },
    list_alone: { text: "--from stands alone: batch, row and decision are in the list" },
    payload_no_text: { text: "the payload is no well-formed text", todo: "Give compact JSON." },
    backup_exists: { text: "{file} is there already", todo: "Name another file." },
    before_missing: { text: "--before is missing, or no day", todo: "paydrop purge --before 2026-01-01" },
  }),
  ...ofKind("destination", {
    other_destination: {
      text: "batch {batch} began with {began}, now it would go to {destination}",
      todo: "Nothing was sent. If both are the same service, run it again with --accept-destination.",
    },
    other_environment: {
      text: "batch {batch} is a {environment} one ({began}), and {destination} is {is}",
      todo: "Nothing was sent. Its rows go as {is} ones only by their file.",
    },
  }),
};

/** What these commands say. */
export const ACTED = {
  sandbox: { text: "SANDBOX: nothing here moves money." },
  soft: {
    text: "finishing the rows on their way, {lanes} at most; nothing new is sent. Ctrl-C again stops now: they become unknown",
  },
  hard: { text: "stopping now: rows on their way become unknown" },
  going: { text: "{rows:row} of batch {batch} will be sent: {sum}" },
  nothing: { text: "Nothing of batch {batch} goes: no row of it may go again this way" },
  left: {
    text: "Another paydrop works with this state folder and sends them, if it works on this batch or its folder.",
    todo: "paydrop status {batch} shows what became of them. Else, when that one has ended: paydrop resume {batch}",
  },
  now_held: { text: "{rows:row} of batch {batch} wait for a person: {why}", todo: "paydrop status {batch}" },
  paused: { text: "Batch {batch} is paused. {rows:row} wait.", todo: "To go on: paydrop resume {batch}" },
  cancelled: { text: "{rows:row} of batch {batch} will never go." },
  cancelled_whole: { text: "Batch {batch} is cancelled. {rows:row} were not sent and never go." },
  cannot_recall: { text: "{rows:row} were accepted and cannot be called back." },
  still_unknown: {
    text: "{rows:row} are unknown and must still be looked up.",
    todo: "paydrop settle {batch} --row N --as done|not-done --by NAME --note TEXT",
  },
  on_their_way: { text: "{rows:row} are on their way and cannot be stopped." },
  settled_done: { text: "Row {row} of batch {batch} ({amount}) is settled as done by {by}. It is never sent again." },
  settled_not_done: {
    text: "Row {row} of batch {batch} ({amount}) is settled as not done by {by}. It may go again.",
    todo: "If it was paid in another way: paydrop cancel {batch} --row {row} --by NAME. To send it: paydrop retry {batch}",
  },
  settled_before: { text: "Row {row} of batch {batch} is unknown no more: {state}. Nothing was changed." },
  settled_skipped: { text: "{lines:line} without a decision yet." },
  freed: { text: "{rows:row} of batch {batch} waited for that and may go now.", todo: "paydrop resume {batch}" },
  backed_up: { text: "{file}: the journal and {snapshots:snapshot}, {bytes:byte}." },
  purged: { text: "Private copies and answers of {batches:batch} were removed. Duplicates of them are still found." },
} as const satisfies Readonly<Record<string, Sentence>>;

/** What is wrong with a line of a list to settle by. */
export const LIST_FAULTS = {
  list_as: { text: '"{said}" is neither done nor not-done', todo: "Write done or not-done." },
  list_by: { text: "the name of the person is missing", todo: "Write who looked it up, or add --by NAME." },
  list_note: { text: "the note is missing", todo: "Write what was looked up, and where." },
  list_batch: { text: 'there is no batch "{said}"', todo: "paydrop status lists them." },
  list_row: { text: 'batch {batch} has no row "{said}"', todo: "See its results file." },
  list_going: { text: "row {row} of batch {batch} is on its way", todo: WAIT },
  list_moved: { text: "the line says {amount}, and row {row} of batch {batch} is {is}", todo: NEW_LIST },
  list_old: { text: "row {row} of batch {batch} was sent again since", todo: NEW_LIST },
  list_twice: { text: "this row stands twice in the list", todo: "Delete one of the two lines." },
} as const satisfies Readonly<Record<string, Sentence>>;
