import * as commands from "./commands.ts";
import { example, flag, led, onFile, typed } from "./commands.ts";
import { CONFIG_ERRORS } from "./config.ts";
import { CLOCK_ERRORS, HOST_ERRORS, MOVE_ERRORS, NOT_AWAITED } from "./hosts.ts";
import { JOURNAL_ERRORS } from "./journal.ts";
import { foundIn, type Catalogue, type CodeIn, type Sentence } from "./sentence.ts";

const NOTHING_SENT = "Nothing was sent.";
const writeAgain = led("Then write the results again", commands.results);
const acceptDestination = flag({ accept_destination: true });
const allBatches = typed("status");
/** Of another program a file is read as somebody confirmed it. */
const map = typed("map", {}, "FILE");
const check = onFile("check");

const USAGE_ERRORS = {
  internal: "internal failure: {found} → Send us what --verbose prints. Nothing that was sent is forgotten.",
  usage_wrong: "{found} → {todo}",
  usage_unclear: [
    "{found}",
    led("How it is used", ({ command }) => ({ name: String(command ?? ""), flags: { help: true } })),
  ],
  desk_folder: [
    "pages need a folder that is watched",
    typed("watch", { desk: true }, "FOLDER"),
    led("To try them", typed("run", { sandbox: true, desk: true })),
  ],
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
  folder_not_held: "{folder} is not held → Name the folder as it was named when it was watched.",
  exists: "{name} is there already → Name another file.",
  template_name: "{out} does not end in .xlsx or .csv → Give it such a name.",

  // batches and what a person says of them
  no_such_batch: ({ count }) => [
    count ? '{count} batches begin with "{said}"' : 'there is no batch "{said}"',
    led("Which there are", allBatches),
    led("Those of another state folder", typed("status", { state_dir: "FOLDER" })),
  ],
  no_batch_of_file: [
    "no batch was made of {name} → Name it with its folder, or name the batch.",
    led("Which there are", allBatches),
    led("A refused file makes none. Why it is refused", check),
  ],
  not_a_person: [
    "paydrop is not a person: its own acts stand under that name",
    led("Say who decides", flag({ by: "NAME" })),
  ],
  by_missing: ["this needs the name of the person who decides", led("Add --by NAME", example)],
  lost_journal_by: ["--accept-lost-journal needs the name of a person", led("Add", flag({ by: "NAME" }))],
  word_missing: ["{option} is missing", example],
  left_empty: "the {what} is missing → Nothing was changed. Write it, then do it again.",
  no_day: '{option} "{said}" is no day → Write it as 2026-11-27.',
  no_amount: '{option} "{said}" is no amount → Write it as 25000.00.',
  no_such_word: '{option} "{said}" is none of these: {words} → Write one of them.',
  day_ahead: "--before {said} is still to come → Write a day that has begun.",
  rows_or_all: ["say either --row N… or {all}", example],
  rows_malformed: '"{said}" is no row number → Write rows as in result_row: 91, 164-170',
  row_missing: "batch {batch} has no row {row} → Nothing was changed.",
  approval_not_asked:
    "nothing of batch {batch} waits for approval → Nothing was changed. Held rows are approved after they are released.",
  not_put_away: "{name} could not be put away: {found} → It lies where it was. Tell whoever runs paydrop.",
  approval_own:
    "{by} brought the file of batch {batch}, or let rows of it go, and cannot approve that → Somebody else looks at it and approves it.",
  no_such_role: [
    "nobody who may {role} has the name {by} at the desk → Whoever runs paydrop gives accounts.",
    led("Who has one", typed("desk list")),
  ],
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
  batch_paused: ["batch {batch} is paused", led("To go on", commands.resume)],
  batch_phase: "batch {batch} is {phase}, it cannot become {wanted} → Nothing was changed.",
  release_total: [
    `{rows:payment} of these were accepted before: {sum}. Released, they go a second time
      → Nothing was released.`,
    led("If they are the same payments", commands.cancelHeld),
    led("If all of them are to go again, add their sum", ({ sum }) => ({ flags: { total: String(sum) } })),
  ],
  settle_as: ["--as must be done or not-done", example],
  settle_state: "row {row} is {state} → Nothing was settled. Only unknown rows are, or accepted ones given back.",
  settle_accepted: [
    `{rows:row} of these went: {sum}. Settled as not done they may go again, and be paid twice
      → Nothing was settled.`,
    led("If the bank gave the money back, add their sum", flag({ total: "SUM" })),
  ],
  settle_proposed: [
    "{rows:row that a statement shows adds|rows that a statement shows add} up to {sum}, and this sum was not typed → Nothing was settled. Look at each of them.",
    led("If they are right, add their sum", flag({ total: "SUM" })),
  ],
  statement_account: [
    "nobody has said which account {name} is of → Say the account to debit as your files name it, once.",
    led("Add", flag({ account: "ACC-OPS-01" })),
  ],
  cancel_state: "row {row} is {state} → Nothing was cancelled. Only rows that did not go can be.",
  row_changed: `row {row} of batch {batch} is {state} now: it changed after the page was made
    → Nothing was changed. Look at it again.`,
  settle_too_soon: ["row {row} is on its way", led("Wait until its run has ended", commands.status)],
  settle_not_quiet: [
    `the host that sent row {row} of batch {batch} was lost, and its request may still arrive until {until}
      → Nothing was settled. Look it up after that.`,
    led("Where the dashboard shows it already", flag({ as: "done" })),
  ],
  ...MOVE_ERRORS,
  list_alone: "--from stands alone: batch, row and decision are in the list → Leave out BATCH, --row and --as.",

  no_account: ["{name} has no account at the desk", led("Who has one", typed("desk list"))],

  // confirming how a file is read
  map_bank_file: [
    `{name}: its first line is a bank's own, and no line says what its columns are
      → Put one line with their names in its place, such as payment_mode,bank_acc_num,ifsc_code,amount,name,narration.`,
    led("Then do this again", map),
  ],
  map_pair: "{flag} {pair}: this is no field=…, or one that was said already → The fields are {fields}.",
  map_column: "--set: the file has no column {column} → It has {columns}.",
  map_const_each: `--const {field}: it differs from row to row or from file to file; one value would be that of every row
    → Name a column: --set {field}=COLUMN. A period of one file: --period.`,
  map_no_field: "{field}: a {label} has no {field} → Leave it out.",
  map_which:
    "these columns could be {names} → Say which: {flags}. If it is a bank's statement, name its day: --set day=COLUMN.",
  map_exists: [
    "the mapping {name} is already for exactly these columns → To change it, edit [mapping.{name}].",
    led("What it makes of the file", check),
  ],
  map_no_header: "no line at the top of {file} names the columns {columns} → Write their names as the file has them.",
  map_statement_known: ["statements with these columns are read already, as {name}", onFile("reconcile")],
  map_ours: [
    "these are paydrop's own columns: no mapping is needed",
    check,
    led("If the amounts are paise, add", flag({ unit: "paise" })),
  ],
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
  file_refused: { file_refused: "the file is refused" },
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
    batch_elsewhere: [
      `batch {batch} is being sent by another host
        → Nothing was done here. Its results are written when that one has ended.`,
      led("Which one", typed("status")),
    ],
    being_sent: `batch {batch} is being sent: {rows:row} on the way at this moment
      → No report was written. Make it when the run has ended. If that run died, run the file again first.`,
  },
  /** The batch began at another address. */
  destination: {
    ...HOST_ERRORS,
    other_destination: [
      "batch {batch} began with {began}, now it would go to {destination} → Nothing was sent.",
      led("If both are the same service, run it again with", acceptDestination),
    ],
    sent_as_other: [
      `batch {batch} went to {destination} as a {environment} one, and this would go there as a {is} one: nothing would tell payments that went already
        → Nothing was sent.`,
      led("Use the environment of before", ({ environment }) => ({ flags: { environment: String(environment) } })),
      led("If it is meant so", acceptDestination),
    ],
    other_environment: `batch {batch} is a {environment} one ({began}), and {destination} is {is}
      → Nothing was sent. To send its rows as {is} ones, run their file: it becomes a batch of its own.`,
  },
  /** A file out, while payments are as they were. */
  results_unwritable: {
    unwritable: ({ code }) => [
      `nothing can be written beside {name}: ${WHY_UNWRITABLE[String(code)] ?? "{found}"}
        → Let paydrop write there, and make room.`,
      writeAgain,
    ],
    folder_exchanged: [
      `the folder of {name} is a link now, which was none before, and nothing is written where it leads
        → Find out who exchanged it, and put the folder back.`,
      writeAgain,
    ],
    in_the_way: ["{name} is there already and is not what paydrop wrote → Move or rename it.", writeAgain],
    stdout_lost: ["stdout cannot be written: {why} → Make room. Payments go on.", led("How far they are", allBatches)],
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
