import { flag, helpOn, led, resumeInbox, typed } from "./commands.ts";
import { foundIn, todoLine, told, type Catalogue, type CodeIn, type Facts, type Told } from "./sentence.ts";

/** What may be wrong with one setting, one rule or one mapping. All that is wrong is told at once. */
export const SETTING_FAULTS = {
  value: "{place}: {shown} is not {right}",
  missing: "{place} is missing → write {right}",
  unknown_key: '{place}: there is no "{key}" → {advice}',
  once_key: "{place} is a person's word for one run → give it with that run: {flag}",
  secret_key: `{place} does not belong here
    → a settings file is copied, mailed and checked in; keys are PAYDROP_API_KEY, PAYDROP_AES_KEY, PAYDROP_AES_IV, each also with _FILE`,
  unknown_variable: "{variable} is not a setting and has no effect → did you mean {meant}?",
  sandbox_variable: "only the flag --sandbox chooses the sandbox → add it, or unset PAYDROP_SANDBOX",
  mapping_option: "{place}: a {operation} has no options → remove the line option",
  mapping_twice: '{place}: "{twice}" has two places → leave it one column, constant or lookup table',
  mapping_incomplete: `{place}: nothing gives {missing}
    → name a column for each under columns (an amount has no other way), one value under constants, or a table under lookup`,
  mapping_unit: `{place}: the column "{column}" says {unit}, amount_unit says {amountUnit}
    → write amount_unit = "{unit}", or map another column`,
  statement_money: `{place}: which columns hold the amounts is not clear
    → write debit and credit, or amount alone, with side where a column says DR or CR`,
  statement_twice: '{place}: the column "{twice}" is read as two things → leave it one key',
  statement_same: "{place}: {other} has the very same columns → leave one of the two",
} as const satisfies Catalogue;

const COPY_KEY = "Copy it again from the service's dashboard under Settings, API Security.";
const TAKE_RIGHT = "Take that right from them: chmod go-w {word}";

/** Errors of settings, keys, connections, and of what a setting names. */
export const CONFIG_ERRORS = {
  settings_wrong: "{wrong} → Correct it and run again. Nothing was sent.",
  settings_open: `{path} may be written by others: they could redirect payments → ${TAKE_RIGHT}`,
  settings_unreadable: `{path}: {why}
    → Check --config or PAYDROP_CONFIG, or set HOME: is it that of another user, or may this one not enter it?`,
  settings_broken: '{path}: line {line}, column {column}: {what} → Write it like timeout = "90s"',
  settings_in_inbox: "the settings {path} lie in the inbox {inbox} → Keep them where nobody drops files.",
  no_home: [
    "this user has no home folder (HOME) for the state directory",
    led("Name one that is kept", flag({ state_dir: "FOLDER" })),
  ],
  state_dir_writable: "other users can write in the state directory {folder} (mode {mode}) → chmod 700 {word}",
  state_dir_shared: `the state directory {folder} is open to others and holds other files, such as {foreign}
    → Name a folder of its own with --state-dir.`,
  missing_for_sending: ({ by }) =>
    by === "options"
      ? "missing: {missing} → Give these options."
      : [
          "missing: {missing} → Set them (keys also as …_FILE with a path).",
          led("Or try", typed("run", { sandbox: true }, "FILE")),
        ],
  lookup_no_column: "the lookup table {name} has no column {column} → It has {has}.",
  lookup_not_text: `the lookup table {name} holds something other than text in row {row}, column {column}
    → Format its columns as Text and type the values again, or save it as CSV UTF-8.`,

  // keys
  secret_both: "{variable} and {variable}_FILE are both set → Unset one of the two.",
  secret_file_open: `the file of {origin} may be written by others than its owner → ${TAKE_RIGHT}`,
  secret_file_unreadable: `{origin} leads to no file that can be read ({why}); what stands in it is not repeated, it may be a key
    → Put the path of a file in it that this user may read. The key itself belongs in the variable without _FILE.`,
  secret_wrong: `{what} {wrong} → ${COPY_KEY}`,
  key_wrong: `{name} has {characters:character}; right would be {hex} of hex, {base64} of base64 or {bytes} of plain text (key_encoding: {encoding})
    → ${COPY_KEY}`,
  work_needs_shared: [
    `this journal is one host's own: there are no shares of other hosts' files to send
      → Set PAYDROP_JOURNAL_URL and PAYDROP_JOURNAL_KEY.`,
    led("How", helpOn("hosts")),
  ],
  journal_key_missing: `PAYDROP_JOURNAL_URL names a journal that several hosts share, and PAYDROP_JOURNAL_KEY is not set
    → Set the key that the other hosts have; of a new journal make one: openssl rand -hex 32`,
  journal_key_wrong:
    "PAYDROP_JOURNAL_KEY is not 32 bytes in hex or base64 → Use the key of the other hosts, as it was made.",
  journal_unencrypted: `the way to the journal's server {host} is not encrypted, and anybody on it could change what was sent
    → Put ?sslmode=verify-full behind its address; where the way is safe by itself, ?sslmode=disable says so.`,
  journal_password: `journal_url holds a password; a settings file is copied, mailed and checked in
    → Leave the password out there, and set PAYDROP_JOURNAL_URL with it, or PGPASSWORD.`,
  smtp_url_wrong: `PAYDROP_SMTP_URL is not the address of a mail server with a sender
    → Write it like smtps://user%40bank.example:password@mail.example, or smtp://mail.example?from=paydrop@bank.example`,
  keys_missing: `a {operation} travels encrypted: AES key or IV is missing
    → Set PAYDROP_AES_KEY and PAYDROP_AES_IV; in a program, the options aesKey and aesIv.`,
  padding_none: `padding "none" needs a payload of a multiple of 16 bytes, and this one has {bytes}
    → Choose the padding that the service expects, such as padding = "pkcs7".`,

  // connections
  tls_off: `NODE_TLS_REJECT_UNAUTHORIZED=0 is set: anybody on the way could read the key and change payments
    → Unset it. To trust a certificate of your own, set PAYDROP_CA_FILE.`,
  pem_alone: "client_cert_file and client_key_file belong together → Name both, or none.",
  pem_wrong: "{path} cannot be used: {why} → Give a PEM file that paydrop may read.",
  proxy_wrong: "HTTPS_PROXY is not the address of a proxy → Write it like http://proxy.example:3128, or unset it.",
  not_reached: `not reached: {why}
    → Compare address, port and clock. Is there a firewall or proxy in between? For certificates of your own: PAYDROP_CA_FILE.`,
  port_taken: "{flag} {port}: {why} → Choose a port that is free.",

  // log, metrics, ping and notices
  not_own_file: "{path} holds something other than log or metrics of paydrop → Name a new file. Nothing was sent.",
  log_lost: "the log {path} cannot be written: {why}; payments go on",
  metrics_lost: "the metrics cannot be written: {why}; payments go on",
  notice_failed: "no notice reaches {to}: {why}; payments go on",
  notice_late: "it was not taken before the end of the process",
  ping_failed: "the monitor could not be told the exit code: {why}",
  ping_lost: "the monitor could not be told that this process is well: {why}; payments go on",

  // options of the library
  option_wrong: "{option} is not {right} → Correct the option.",
} as const satisfies Catalogue;

/** One thing that `paydrop doctor` looked at. `look`: somebody should look at it, but rows can go. */
export interface Finding {
  readonly what: string;
  readonly health: "fine" | "look" | "wrong";
  readonly told: Told;
}

const FINDINGS = {
  fine: { fine: "{found}" },
  look: {
    notice_lost: "no test notice could be sent: {why} → Payments do not wait for it. Look at [notify] and its address.",
    not_set_for_payouts: "not set → It is needed for payouts only.",
    standby_asynchronous: [
      `{count:standby|standbys}, and commits wait for none: one that takes over may have forgotten rows that went, and they would go twice
        → Name it in synchronous_standby_names, or let none take over by itself.`,
      led("How", helpOn("hosts")),
    ],
    answers_like: `the last {answers:answer} of {operation}s all said {field} {values}; any 2xx counts that does not say no
      → If these mean that the row was taken, put this into paydrop.toml, and anything else is unknown: {lines}`,
    few_sessions: `{sessions} of {most} are in use, and one host wants about {needed}: it would wait
      → Let it have more: max_connections, and CONNECTION LIMIT of the role and the database.`,
    clock_apart: "this host says {now}, the server says {server} → Set both by the same time service (NTP).",
    inbox_open: "anybody may write there (mode {mode}) → Let one group write: whoever can drop a file can pay.",
    inbox_held: ["nothing goes from it: {why}", led("A person lets it go on", resumeInbox)],
  },
  wrong: {
    wrong: "{found}",
    not_set: "not set → Set {variable}.",
    state_open: "{path} is open to others (mode {mode}) → chmod 700 {word}",
    not_apart: "the inbox and the {other} lie within each other → Keep them apart from whoever drops files.",
    server_setting: `{name} = off, said by: {source}. The server can lose what it has confirmed, and rows would go twice
      → Set {name} = on there, and restart the server.`,
    server_standby: "this server is a standby → Name the primary server in PAYDROP_JOURNAL_URL.",
    server_encoding: `{found}: names and answers could not be kept, and rows could go twice
      → Make the database with UTF-8: CREATE DATABASE paydrop ENCODING 'UTF8' TEMPLATE template0.`,
    commit_lost: [
      `the server does not know any more what it had confirmed: {found}
        → Nothing goes. Ask who runs the server what was lost.`,
      led("What to do", helpOn("hosts")),
    ],
    server_old: "PostgreSQL {version}, and {needed} is needed → Use a newer server.",
    pooled: `a pooler changes the session between transactions, and locks would be lost
      → Let it keep sessions (PgBouncer: pool_mode = session), or name the server itself.`,
    clock_behind: "{now}, but the journal has already seen {seen} → Set the clock, unless an earlier one was ahead.",
  },
} as const satisfies Readonly<Record<Finding["health"], Catalogue>>;

/** For a program. */
export function findingObject({ what, health, told: words }: Finding) {
  const hint = todoLine(words);
  return { what, health, found: words.text, ...(hint !== "" && { hint }), commands: words.commands };
}

export function finding(what: string, code: CodeIn<typeof FINDINGS>, facts: Facts = {}): Finding {
  const [health, sentence] = foundIn(FINDINGS, code);
  return { what, health, told: told(sentence, facts) };
}

/** What the interface leaves open (README §1), by its section: the setting that decides, or what always holds. */
export const CHOICES: readonly (readonly [section: string, choice: string, always?: string])[] = [
  ["§2.6", "required fields", "all but the optional ones of a template"],
  ["§2.6", "empty_fields"],
  ["§4", "accepted", "any 2xx whose text does not speak of failure, or what [answers.*] says"],
  ["§4", "amounts", "sent with the digits of the file, never scaled"],
  ["§4", "amount_format"],
  ["§5.2", "padding"],
  ["§5.2", "hex_case"],
  ["§5.2", "key_encoding"],
  ["§7", "doubtful_2xx"],
  ["§7", "rejected", "400 402 406 411 413 414 422 431; 401 403 404 405 407 410 415 stop the run"],
  ["§7", "every other answer", "unknown, never sent again by itself"],
  ["§8", "concurrency"],
  ["§8", "rate"],
  ["§8", "retry_429"],
  ["§8", "amount_digits_max"],
  ["§8", "amount_decimals_max"],
];
