import { ofKind } from "./sentence.ts";

export const COMMAND_ERRORS = {
  ...ofKind("usage", {
    internal: {
      text: "internal failure: {found}",
      todo: "Run it again with --verbose and send us what it prints. Nothing that was sent is forgotten.",
    },
    usage_wrong: { text: "{found}", todo: "{todo}" },
    secret_flag: {
      text: "{option}: a key is never a flag, everybody on this machine could read it",
      todo: "Use PAYDROP_API_KEY, PAYDROP_AES_KEY, PAYDROP_AES_IV, or the same with _FILE and a path.",
    },
    other_owner: {
      text: "The state folder {folder} belongs to user {uid}, and you are root.",
      todo: "Its files stay that user's. To act as that user: sudo -u '#{uid}' paydrop …",
    },
    unknown_word: { text: 'there is no {thing} "{said}"', todo: "Write one of {words}." },
    no_answer: { text: "there was no answer", todo: "Nothing was written and nothing was sent." },
    input_missing: { text: "{name}: there is no such file", todo: "Write its name as it is." },
    template_name: { text: "{out} does not end in .xlsx, .csv or .json", todo: "Give it such a name." },
    template_binary: { text: "a workbook cannot be printed", todo: "Say where it should go: --out NAME.xlsx" },
    template_exists: {
      text: "{out}: a file of that name is there already",
      todo: "Name another file with --out.",
    },
    map_bank_file: {
      text: "{name}: its first line is a bank's own, and no line says what its columns are",
      todo: "Put one line with their names in its place, such as payment_mode,bank_acc_num,ifsc_code,amount,name,narration. Then run paydrop map again.",
    },
    map_pair: {
      text: "{flag} {pair}: this is no field=…, or one that was said already",
      todo: "The fields are {fields}.",
    },
    map_column: { text: "--set: the file has no column {column}", todo: "It has {columns}." },
    map_const_each: {
      text: "--const {field}: it differs from row to row or from file to file; one value would be that of every row",
      todo: "Name a column: --set {field}=COLUMN. A period of one file: --period.",
    },
    map_no_field: { text: "{field}: a {label} has no {field}", todo: "Leave it out." },
    map_option: { text: 'there is no option "{option}"', todo: "Write --option A or --option B." },
    map_which: { text: "these columns could be {names}", todo: "Say which: {flags}." },
    map_exists: {
      text: "the mapping {name} is already for exactly these columns",
      todo: "`paydrop check {file}` shows what it makes of the file. To change it, edit [mapping.{name}].",
    },
    map_name_taken: { text: "there is a mapping {name} already", todo: "Give another --name." },
    map_upi: {
      text: "this file has UPI ids ({column}); paydrop can take money from UPI ids, not pay them",
      todo: "To pay, use account and IFSC. To collect, say --operation collection.",
    },
    map_lacks: {
      text: ({ unclear, nothing, free, measure }) =>
        [
          measure && `the amounts are counted in ${measure}, and nothing is converted`,
          unclear,
          nothing && `nothing gives ${nothing}${free ? `; columns without a meaning: ${free}` : ""}`,
        ]
          .filter(Boolean)
          .join("; "),
      todo: "Add {ways}.",
    },
  }),
  ...ofKind("results_unwritable", {
    stdout_lost: {
      text: "stdout cannot be written: {why}",
      todo: "Make room. Payments go on, and paydrop status shows what became of them.",
    },
    template_unwritable: {
      text: "{out} cannot be written: {why}",
      todo: "Is there a folder {folder}, and may paydrop write there? Name another file with --out.",
    },
    map_unwritable: {
      text: "{path} cannot be written: {why}",
      todo: "Let paydrop write there, or add the lines by hand, without --write.",
    },
  }),
  ...ofKind("config", {
    not_own_file: {
      text: "{path} holds something else than log or metrics of paydrop",
      todo: "Name a file of its own, one that is not there yet. Nothing was read or sent.",
    },
    log_unusable: {
      text: "the log {path} cannot be opened: {why}",
      todo: "Name another --log-file.",
    },
    log_lost: { text: "the log {path} cannot be written: {why}; payments go on" },
    port_taken: { text: "{flag} {port}: {why}", todo: "Choose a port that is free." },
    metrics_lost: { text: "the metrics cannot be written: {why}; payments go on" },
    ping_failed: { text: "the monitor could not be told the exit code: {why}" },
  }),
} as const;

/** What a person should know who fills in a template. */
export const TEMPLATE_NOTES = {
  form: (optional: string): readonly string[] => [
    "Replace both rows: they are examples.",
    ...(optional === "" ? [] : [`May stay empty: ${optional}.`]),
    "Not known from the interface: required fields, allowed values, lengths and units (§2.6, §4). Everything travels as written.",
    "You may add the columns reference (your own id per row, never reused) and period (such as 2026-11). They are not sent.",
  ],
  copied: (rows: string, batch: string, invalid: string): readonly string[] => [
    `${rows} of batch ${batch} to start from: the same payees, and the same amounts. References and periods are empty.`,
    ...(invalid === "0 rows" ? [] : [`Left out, because they were invalid then: ${invalid}.`]),
  ],
};
