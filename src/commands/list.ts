import { OPERATION_NAMES } from "../operations/catalogue.ts";
import type { Command, OwnOption } from "./command.ts";

const SANDBOX: OwnOption = {
  flags: "--sandbox",
  shown: "send to a pretended service inside this process: no keys, no network, no money",
};

const ROWS: OwnOption = { flags: "--row <n...>", shown: "row numbers as in result_row: 91, 164-170" };
const REASON: OwnOption = { flags: "--reason <text>", shown: "why, for the history" };

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly Command[] = [
  {
    name: "run",
    operands: "[file...]",
    shown: "check files, send their rows, write results; the same file again goes on where it stopped",
    options: [
      SANDBOX,
      { flags: "--inbox <folder...>", shown: "take everything in this drop folder that is complete, once" },
      { flags: "--once", shown: "the same as without it, for timers and cron jobs that like to say so" },
    ],
    examples: [
      "paydrop run payroll.csv",
      "paydrop run --expect-rows 240 --expect-total 11087750.50 payroll.csv",
      "paydrop run --quiet --inbox /srv/payroll/inbox",
    ],
    load: () => import("./run.ts"),
  },
  {
    name: "watch",
    operands: "<folder>",
    shown: "the same for every file that is dropped into a folder, until it is stopped",
    options: [SANDBOX, { flags: "--poll", shown: "for network shares: look every 10 s, wait for no events" }],
    examples: ["paydrop watch /srv/payroll/inbox", "paydrop watch --poll --log-format json /mnt/accounting"],
    load: () => import("./watch.ts"),
  },
  {
    name: "check",
    operands: "<file...>",
    shown: "every fault of a file and what to do about it; sends nothing, needs no network and no keys",
    options: [
      { flags: "--sandbox", shown: "as `run --sandbox` would find it, which knows nothing of real payments" },
      { flags: "--all", shown: "every row, not only the first five of a kind" },
      { flags: "--write", shown: "leave the answer beside each file, as payroll.csv.check.txt" },
    ],
    examples: ["paydrop check payroll.csv", "paydrop check --write *.csv", "paydrop check --all --json payroll.csv"],
    load: () => import("./check.ts"),
  },
  {
    name: "map",
    operands: "<file>",
    shown: "propose how a file of another system is read, and keep what you confirm in paydrop.toml",
    options: [
      {
        flags: "--write",
        shown: "add the mapping to paydrop.toml, or make the file; without it its lines go to stdout",
      },
      { flags: "--name <name>", shown: "what the mapping is called" },
      { flags: "--set <field=column...>", shown: "read this column as our field" },
      { flags: "--const <field=value...>", shown: "one value for every row, such as debit_account_id" },
      { flags: "--unit <rupees|paise>", shown: "what the file's amounts count; a hundredth of paise is sent" },
      { flags: "--option <A|B>", shown: "payouts: A existing beneficiary, B inline beneficiary" },
      { flags: "--lookup <field=table.csv:column...>", shown: "take a field from a table of yours (with --lookup-by)" },
      { flags: "--lookup-by <column>", shown: "the file's column to look up by" },
      { flags: "--lookup-key <column>", shown: "the table's column of the same values (default: the same name)" },
    ],
    examples: [
      "paydrop map payroll.csv",
      "paydrop map payroll.csv --write --name hrms --const debit_account_id=ACC-OPS-01 payment_mode=NEFT --unit rupees",
      'paydrop map payroll.csv --set "amount=Net Pay" --lookup bene_id=payees.csv bene_bank_id=payees.csv:Bank --lookup-by Employee',
    ],
    load: () => import("./map.ts"),
  },
  {
    name: "status",
    operands: "[batch]",
    shown: "all batches, or one in full",
    options: [
      { flags: "--check", shown: "exit with the code of the gravest thing still open, for monitoring" },
      { flags: "--unknown", shown: "every unknown row of all batches: when, how much, and what to look for" },
      { flags: "--csv", shown: "with --unknown: a list to fill in, for `paydrop settle --from`" },
    ],
    examples: [
      "paydrop status",
      "paydrop status K7Q29F3M",
      "paydrop status --check --quiet",
      "paydrop status --unknown --csv > unknown.csv",
    ],
    load: () => import("./status.ts"),
  },
  {
    name: "retry",
    operands: "<batch>",
    shown: "send again what is safe: rows not sent, settled as not done, or refused for the key or the address",
    options: [SANDBOX, REASON],
    examples: ["paydrop retry K7Q29F3M"],
    load: () => import("./retry.ts"),
  },
  {
    name: "settle",
    operands: "[batch]",
    shown: "say what became of unknown rows, after you looked them up",
    options: [
      ROWS,
      { flags: "--as <done|not-done>", shown: "what the service's dashboard says" },
      { flags: "--note <text>", shown: "what was looked up, and where" },
      { flags: "--from <file>", shown: "the filled-in list of `paydrop status --unknown --csv`" },
    ],
    examples: [
      'paydrop settle K7Q29F3M --row 91 --as not-done --by asha --note "dashboard 1 Nov 10:12: no entry"',
      "paydrop settle --from unknown.csv",
    ],
    load: () => import("./settle.ts"),
  },
  {
    name: "release",
    operands: "<batch>",
    shown: "let held rows go, and duplicate ones that are named",
    options: [SANDBOX, ROWS, { flags: "--all", shown: "every held row; duplicates stay" }, REASON],
    examples: [
      'paydrop release K7Q29F3M --row 34 --by ravi --reason "two payments are meant"',
      'paydrop release K7Q29F3M --all --by ravi --reason "December payroll"',
    ],
    load: () => import("./release.ts"),
  },
  {
    name: "pause",
    operands: "<batch>",
    shown: "send nothing new of a batch until it is resumed; rows in flight finish",
    options: [REASON],
    examples: ["paydrop pause K7Q29F3M --by asha"],
    load: () => import("./pause.ts"),
  },
  {
    name: "resume",
    operands: "[batch]",
    shown: "go on with a paused batch, or with a drop folder that is held",
    options: [
      SANDBOX,
      REASON,
      { flags: "--inbox <folder>", shown: "go on with this drop folder, after a STOP" },
      { flags: "--as-taken", shown: "with --inbox: what was taken goes, though its file was changed since" },
    ],
    examples: ["paydrop resume K7Q29F3M --by asha", "paydrop resume --inbox /srv/payroll/inbox --by asha"],
    load: () => import("./resume.ts"),
  },
  {
    name: "cancel",
    operands: "<batch>",
    shown: "never send the rest of a batch; accepted rows cannot be called back",
    options: [REASON],
    examples: ['paydrop cancel K7Q29F3M --by asha --reason "wrong month"'],
    load: () => import("./cancel.ts"),
  },
  {
    name: "results",
    operands: "<batch>",
    shown: "write the results of a batch again",
    options: [],
    examples: ["paydrop results K7Q29F3M"],
    load: () => import("./results.ts"),
  },
  {
    name: "report",
    operands: "<batch|file>",
    shown: "a page to read, print and sign: what was in the file, what went, what happened, who decided what",
    options: [
      {
        flags: "--format <html|text|json|xlsx>",
        shown: "form of the report (default: as the name of --out ends, else html)",
      },
      { flags: "--out <file>", shown: "write it there instead of beside the input; - for stdout" },
      { flags: "--time-zone <zone>", shown: "times as in Asia/Kolkata (default time_zone of the settings, else UTC)" },
    ],
    examples: [
      "paydrop report K7Q29F3M",
      "paydrop report payroll.csv --time-zone Asia/Kolkata",
      "paydrop report K7Q29F3M --format text --out -",
    ],
    load: () => import("./report.ts"),
  },
  {
    name: "archive",
    operands: "",
    shown: "move the details of old, finished batches into compressed files; duplicates of them are still found",
    options: [
      {
        flags: "--before <day>",
        shown: "batches taken in before this day (UTC) that have nothing open, as 2026-01-31",
      },
      { flags: "--dry-run", shown: "only say what would be moved" },
      {
        flags: "--restore <batch>",
        shown: "bring the details of a batch back: for its results, report, retry or settle",
      },
    ],
    examples: ["paydrop archive --before 2026-01-01 --dry-run", "paydrop archive --restore K7Q29F3M"],
    load: () => import("./archive.ts"),
  },
  {
    name: "template",
    operands: "[operation]",
    words: OPERATION_NAMES,
    shown: "a file to fill in, with two example rows; or the rows of an earlier batch, to start the next one from",
    options: [
      { flags: "--option <A|B>", shown: "payouts: A existing beneficiary, B inline beneficiary (default B)" },
      { flags: "--xlsx", shown: "a workbook whose columns are formatted as text, for --out" },
      { flags: "--csv", shown: "CSV, as without it; --json gives a JSON file" },
      { flags: "--from <batch>", shown: "the rows of this batch; references and periods emptied" },
      { flags: "--out <file>", shown: "a new file, in the format of its name (default: stdout)" },
    ],
    examples: [
      "paydrop template payout --option B > try.csv",
      "paydrop template payout --out november.xlsx",
      "paydrop template --from K7Q29F3M --out december.xlsx",
    ],
    load: () => import("./template.ts"),
  },
  {
    name: "sandbox",
    operands: "",
    shown: "the service, pretended, on this machine; until Ctrl-C",
    options: [{ flags: "--port <n>", shown: "port on 127.0.0.1, 0 for a free one (default 7900)" }],
    examples: ["paydrop sandbox", "paydrop sandbox --port 0 --json"],
    load: () => import("./sandbox.ts"),
  },
  {
    name: "config",
    operands: "[what]",
    words: ["show", "example", "schema"],
    shown: "show: every setting and where it came from; example, schema: what may stand in paydrop.toml",
    options: [],
    examples: ["paydrop config show", "paydrop config example > paydrop.toml", "paydrop config schema"],
    load: () => import("./config.ts"),
  },
  {
    name: "doctor",
    operands: "",
    shown: "keys, folders, clock, disks, the way to the service, and every choice the interface leaves open",
    options: [
      { flags: "--inbox <folder...>", shown: "look at these drop folders too" },
      { flags: "--offline", shown: "do not connect to the service" },
    ],
    examples: ["paydrop doctor", "paydrop doctor --inbox /srv/payroll/inbox", "paydrop doctor --offline --json"],
    load: () => import("./doctor.ts"),
  },
  {
    name: "completion",
    operands: "<shell>",
    words: ["bash", "zsh", "fish"],
    shown: "a completion script for bash, zsh or fish, on stdout",
    options: [],
    examples: [
      "paydrop completion bash > /etc/bash_completion.d/paydrop",
      "paydrop completion zsh > /usr/local/share/zsh/site-functions/_paydrop",
      "paydrop completion fish > ~/.config/fish/completions/paydrop.fish",
    ],
    load: () => import("./completion.ts"),
  },
];
