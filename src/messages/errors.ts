import { CONFIG_ERRORS } from "./config.ts";
import { CLOCK_ERRORS, HOST_ERRORS, MOVE_ERRORS, NOT_AWAITED, SERVER_ERRORS } from "./hosts.ts";
import { foundIn, type Catalogue, type CodeIn, type Sentence } from "./sentence.ts";

const NOTHING_SENT = "Nothing was sent.";
/** Rows may have gone before. */
const NOTHING_MORE = "Nothing more is sent.";
const RESTORE = `${NOTHING_MORE} Restore the state directory from a backup.`;
const LOOK_AT_DISK = `${NOTHING_MORE} Look at the disk, and at who may read and write there.`;
const GO_ON_WITHOUT =
  "Or look up in the service's dashboard what went out, then go on with --accept-lost-journal --by NAME: what this " +
  "journal does not know then goes again.";
const WRITE_AGAIN = "Then write the results again: paydrop results BATCH";

const USAGE_ERRORS = {
  internal: "internal failure: {found} → Send us what --verbose prints. Nothing that was sent is forgotten.",
  usage_wrong: "{found} → {todo}",
  desk_folder:
    "pages need a folder that is watched → paydrop watch --desk FOLDER. To try them: paydrop run --sandbox --desk",
  secret_flag: `{option}: a key is never a flag, everybody on this machine could read it
    → Use PAYDROP_API_KEY, PAYDROP_AES_KEY, PAYDROP_AES_IV, or the same with _FILE and a path.`,
  other_owner: `The state folder {folder} belongs to user {user}, and you are root.
    → Its files stay that user's. To act as that user: sudo -u '{user}' paydrop …`,
  unknown_word: 'there is no {thing} "{said}" → Write one of {words}.',
  no_answer: "there was no answer → Nothing was written and nothing was sent.",

  // files and folders that were named
  file_missing: "{name}: there is no such file → Check the name and the folder.",
  not_a_file: "{name}: this is {kind}, not a file → Name the file itself.",
  file_unreadable: ({ found }) =>
    /EACCES|EPERM/.test(String(found))
      ? "{name}: the file cannot be read ({found}) → Give the user who runs paydrop the right to read it."
      : `{name}: the file cannot be read ({found}) → Look at its disk or network share, then try again. ${NOTHING_SENT}`,
  folder_unreadable: "{folder}: the folder cannot be read ({found}) → Check its name, its disk or network share.",
  folder_not_held: "{folder} is not held → → Name the folder as it was named to paydrop watch or run.",
  exists: "{name} is there already → Name another file.",
  template_name: "{out} does not end in .xlsx or .csv → Give it such a name.",

  // batches and what a person says of them
  no_such_batch: ({ count }) =>
    `${count ? '{count} batches begin with "{said}"' : 'there is no batch "{said}"'}
      → → \`paydrop status\` lists them. Those of another state folder need its --state-dir.`,
  no_batch_of_file: `no batch was made of {file}
    → Name it with its folder, or name the batch: \`paydrop status\` lists them. A refused file makes none; \`paydrop check\` says why.`,
  not_a_person: "paydrop is not a person: its own acts stand under that name → Say who decides: --by NAME",
  by_missing: "this needs the name of the person who decides → Add --by NAME: {example}",
  lost_journal_by: "--accept-lost-journal needs the name of a person → Add --by NAME.",
  word_missing: "{option} is missing → {example}",
  left_empty: "the {what} is missing → Nothing was changed. Write it, then do it again.",
  no_day: '{option} "{said}" is no day → Write it as 2026-11-27.',
  day_ahead: "--before {said} is still to come → Write a day that has begun.",
  rows_or_all: "say either --row N… or {all} → {example}",
  rows_malformed: '"{said}" is no row number → Write rows as in result_row: 91, 164-170',
  row_missing: "batch {batch} has no row {row} → Nothing was changed.",
  approval_not_asked:
    "nothing of batch {batch} waits for approval → Nothing was changed. Held rows are approved after they are released.",
  approval_own:
    "{by} brought the file of batch {batch}, or let rows of it go, and cannot approve that → Somebody else looks at it and approves it.",
  no_such_role:
    "nobody who may {role} has the name {by} at the desk → Whoever runs paydrop gives accounts: paydrop desk list",
  password_missing:
    "this needs the password that {by} has at the desk → Type it on a terminal, or name a file that only {by} may read: PAYDROP_PASSWORD_FILE",
  password_wrong: "this is not the password of {by}, or it has lapsed → Nothing was changed.",
  password_one_time:
    "{by} has a one-time password, which somebody else has seen → Sign in at the desk and choose another one.",
  approval_total: ({
    isWhole,
  }) => `{said} is not the sum of ${isWhole ? "batch {batch}" : "the rows of batch {batch} that somebody let go again"}
    → Nothing was approved. Take the sum from where the file comes from, such as the payroll register, and write it without commas.`,
  batch_cancelled: "batch {batch} is cancelled → Put rows that must go after all into a new file.",
  batch_paused: "batch {batch} is paused → → To go on: paydrop resume {batch} --by NAME",
  batch_phase: "batch {batch} is {phase}, it cannot become {wanted} → Nothing was changed.",
  release_total: `{rows:payment} of these were accepted before: {sum}. Released, they go a second time
    → Nothing was released. → If they are the same payments: paydrop cancel {batch} --held --by NAME. If all of them are to go again, add their sum: --total {sum}`,
  settle_as: "--as must be done or not-done → {example}",
  settle_state: "row {row} is {state} → Nothing was settled. Only unknown rows are, or accepted ones given back.",
  settle_accepted: `{rows:row} of these went: {sum}. Settled as not done they may go again, and be paid twice
    → Nothing was settled. → If the bank gave the money back, add their sum: --total SUM`,
  cancel_state: "row {row} is {state} → Nothing was cancelled. Only rows that did not go can be.",
  row_changed: `row {row} of batch {batch} is {state} now: it changed after the page was made
    → Nothing was changed. Look at it again.`,
  settle_too_soon: "row {row} is on its way → → Wait until its run has ended: paydrop status {batch}",
  settle_not_quiet: `the host that sent row {row} of batch {batch} was lost, and its request may still arrive until {until}
    → Nothing was settled. Look it up after that. → Where the dashboard shows it already: --as done.`,
  ...MOVE_ERRORS,
  list_alone: "--from stands alone: batch, row and decision are in the list → Leave out BATCH, --row and --as.",

  no_account: "{name} has no account at the desk → `paydrop desk list` shows who has one.",

  // confirming how a file is read
  map_bank_file: `{name}: its first line is a bank's own, and no line says what its columns are
    → Put one line with their names in its place, such as payment_mode,bank_acc_num,ifsc_code,amount,name,narration. Then run paydrop map again.`,
  map_pair: "{flag} {pair}: this is no field=…, or one that was said already → The fields are {fields}.",
  map_column: "--set: the file has no column {column} → It has {columns}.",
  map_const_each: `--const {field}: it differs from row to row or from file to file; one value would be that of every row
    → Name a column: --set {field}=COLUMN. A period of one file: --period.`,
  map_no_field: "{field}: a {label} has no {field} → Leave it out.",
  map_which: "these columns could be {names} → Say which: {flags}.",
  map_exists: `the mapping {name} is already for exactly these columns
    → \`paydrop check {file}\` shows what it makes of the file. To change it, edit [mapping.{name}].`,
  map_ours: `these are paydrop's own columns: no mapping is needed
    → \`paydrop check {file}\`. If the amounts are paise: add --unit paise.`,
  map_name_taken: "there is a mapping {name} already → Give another --name.",
  mapping_unnamed: 'there is no mapping "{name}" in paydrop.toml → --mapping may be {names}.',
  map_upi: `this file has UPI ids ({column}); paydrop can take money from UPI ids, not pay them
    → To pay, use account and IFSC. To collect, say --operation collection.`,
  map_lacks: ({ unclear, nothing, free, measure }) => {
    const others = free ? "; columns without a meaning: {free}" : "";
    const lacks = [
      measure && "the amounts are counted in {measure}, and nothing is converted",
      unclear && "{unclear}",
      nothing && `nothing gives {nothing}${others}`,
    ];
    return `${lacks.filter(Boolean).join("; ")} → Add {ways}.`;
  },

  // calls of the library
  payload_no_text: "the payload is no well-formed text → Give compact JSON.",
  call_fields: ({ field, meant }) =>
    field === undefined
      ? "{operation}: these are not the fields of one form → Give {known}."
      : `{operation}: "{field}" is no field of it → ${meant === undefined ? "Give {known}." : "Did you mean {meant}?"}`,
  call_field: "{operation}: {field} is missing or not right → Give {right}.",
} as const satisfies Catalogue;

const JOURNAL_ERRORS = {
  system_refused: `the system refused: {found}
    → Look at the disk (space, rights, health) and at the limits (open files, threads), then run again. Nothing that was sent is forgotten.`,
  copy_unwritable: `{name}: the private copy cannot be written ({found}) → ${LOOK_AT_DISK}`,
  copy_missing: `{name}: its private copy is missing ({path}), and without it no results can be written
    → Put the file back from a backup of the state directory. Only this batch is affected; \`paydrop status\` tells what was sent of it.`,
  spool_missing: `the checked payments of the batch are missing: {path}
    → ${RESTORE} Or cancel the batch and run its file again.`,
  spool_damaged: `the checked payments of the batch are damaged: {path} → ${RESTORE} Look at the disk first.`,
  journal_lost: `the journal is missing from {folder}, but files were taken there: what was sent is not known any more
    → ${RESTORE} → ${GO_ON_WITHOUT}`,
  journal_damaged: `the journal {path} is damaged: {found} → ${RESTORE} → ${GO_ON_WITHOUT}`,
  journal_unusable: `the journal {path} cannot be used: {found} → ${LOOK_AT_DISK}`,
  journal_busy: `the journal {path} is kept by another process: {found}
    → ${NOTHING_MORE} A paydrop that was stopped, or a program that copies the journal, must go on to its end. Then do this again.`,
  journal_of_other_version: `the journal {path} was written by another version of paydrop (its version is {version})
    → ${NOTHING_MORE} Use that version of paydrop: another folder would know nothing of what was sent.`,
  sqlite_too_old: "this Node has SQLite {found}, and {needed} is needed → Use Node 24.15 or newer from nodejs.org.",
  journal_failed: `the journal {path} failed: {found}
    → Sending has stopped. Look at the disk (space, health), then run again: rows whose answer was not saved are unknown.`,
  journal_replaced: `the journal in {folder} was removed or replaced while paydrop worked with it
    → Nothing more is sent. Put the state directory back as it was, or its newest backup, and start paydrop again.`,
  disk_full: `the disk of the state directory {folder} cannot be written: {found} → ${NOTHING_MORE} Make room, or mend it.`,
  judging_busy: `another process has been checking rows for duplicates for ten minutes, and keeps {path}
    → ${NOTHING_MORE} If that paydrop was stopped, let it go on or end it. Then run again.`,
  no_locks: `the file system of the state directory {folder} gives no locks: two paydrops could send the same rows
    → ${NOTHING_MORE} Keep the state directory on a disk of this machine.`,
  lock_unusable: ({ isDamaged }) =>
    `the lock file {path} cannot be used: {found} → ${isDamaged === 1 ? `${NOTHING_MORE} Nothing is kept in the lock file: when no paydrop is running, delete it.` : LOOK_AT_DISK}`,
  state_dir_unusable: `the state directory {folder} cannot be used: {found} → ${NOTHING_MORE} Mend it, or name another.`,
  backup_unwritable: "the copy {path} cannot be written: {found} → Name a new folder, on a disk with room.",

  ...SERVER_ERRORS,

  // the mark of an inbox
  journal_of_another: `{folder}: another journal sent from this folder ({id}, {marked:row}); this one ({own}) does not know what went
    → ${NOTHING_MORE} Use the state directory that sent from here (--state-dir; in a container, a volume that outlives it). → ${GO_ON_WITHOUT}`,
  journal_older: `{folder}: the journal is older than {path}: it knows of {known:row} that went, the file of {marked}
    → ${NOTHING_MORE} Put the newest copy of the state directory back, and let no other paydrop work with a copy. → ${GO_ON_WITHOUT}`,
  mark_damaged: `{path} is not as paydrop wrote it: it should tell which journal knows what was sent from this folder
    → ${NOTHING_MORE} Put the file back. → ${GO_ON_WITHOUT}`,
  mark_unreadable: `{path} cannot be read ({found}): it may tell of what was sent
    → ${NOTHING_MORE} Give the user who runs paydrop the right to read it, or look at the disk or network share.`,
} as const satisfies Catalogue;

const NO_RIGHT = "paydrop has no right to write in this folder";

/** Why a file out cannot be written, by the system's code; others are told in the system's words. */
const WHY_UNWRITABLE: Readonly<Record<string, string>> = {
  ...{ EACCES: NO_RIGHT, EPERM: NO_RIGHT, EROFS: "the disk is read-only", ENOSPC: "the disk is full" },
  ...{ EDQUOT: "the quota of the disk is used up", EBUSY: "another program has the file open" },
  ...{ ENOTDIR: "its folder is not a folder", ENOENT: "its folder is not there any more" },
};

/** Every error that paydrop throws: by its code, which a program branches on, and its reason. */
const ERRORS = {
  /** The call, or a file that is not there. */
  usage: USAGE_ERRORS,
  /** An option or a setting. */
  config: { ...CONFIG_ERRORS, ...CLOCK_ERRORS },
  /** The file is broken. Nothing was sent. */
  file_refused: { file_refused: "{text} → {todo}" },
  /** The file is still being written. Nothing was sent. */
  stopped: {
    file_exchanged: `{name}: the file was exchanged just now → Try again. ${NOTHING_SENT}`,
    ...NOT_AWAITED,
    file_being_written: `{name}: the file is still being written → Wait until it is complete, then try again. ${NOTHING_SENT}`,
  },
  /** The state directory or its disk. */
  journal: JOURNAL_ERRORS,
  /** Another run has the state directory, or the batch. */
  locked: {
    locked: `another paydrop is working with the state directory {folder}
      → Nothing was done. Wait until it has ended. A watch does not end: give it the file in its folder. For another month, put that into the file's name: payroll-dec-2026.csv`,
    batch_elsewhere: `batch {batch} is being sent by another host
      → Nothing was done here. Its results are written when that one has ended; \`paydrop status\` names it.`,
    being_sent: `batch {batch} is being sent: {rows:row} on the way at this moment
      → No report was written. Make it when the run has ended. If that run died, run the file again first.`,
  },
  /** The batch began at another address. */
  destination: {
    ...HOST_ERRORS,
    other_destination: `batch {batch} began with {began}, now it would go to {destination}
      → Nothing was sent. If both are the same service, run it again with --accept-destination.`,
    sent_as_other: `batch {batch} went to {destination} as a {environment} one, and this would go there as a {is} one: nothing would tell payments that went already
      → Nothing was sent. Use the environment of before: --environment {environment}. If it is meant so: --accept-destination.`,
    other_environment: `batch {batch} is a {environment} one ({began}), and {destination} is {is}
      → Nothing was sent. To send its rows as {is} ones, run their file: it becomes a batch of its own.`,
  },
  /** A file out, while payments are as they were. */
  results_unwritable: {
    unwritable: ({ code }) =>
      `nothing can be written beside {name}: ${WHY_UNWRITABLE[String(code)] ?? "{found}"}
        → Let paydrop write there, and make room. → ${WRITE_AGAIN}`,
    folder_exchanged: `the folder of {name} is a link now, which was none before, and nothing is written where it leads
      → Find out who exchanged it, and put the folder back. → ${WRITE_AGAIN}`,
    in_the_way: `{name} is there already and is not what paydrop wrote → Move or rename it. → ${WRITE_AGAIN}`,
    stdout_lost: "stdout cannot be written: {why} → Make room. Payments go on: paydrop status shows them.",
    stop_stays: "{path} cannot be removed ({found}), and the folder is still held → Remove it, then run this again.",
    template_unwritable: "{out} cannot be written: {why} → Is there a folder {folder}? Or name another file: --out",
    map_unwritable: "{path} cannot be written: {why} → Let paydrop write there, or add the lines by hand.",
  },
} as const satisfies Readonly<Record<string, Catalogue>>;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorReason = CodeIn<typeof ERRORS>;

export function errorOf(reason: ErrorReason): readonly [code: ErrorCode, sentence: Sentence] {
  return foundIn(ERRORS, reason);
}
