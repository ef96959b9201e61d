import { OPERATION_NAMES } from "../operations/index.ts";
import type { Command } from "./command.ts";

const SANDBOX = { "--sandbox": "send to a pretended service inside this process: no keys, no network, no money" };
const POLL = { "--poll": "for network shares: look every few seconds, wait for no events" };
const DESK = {
  "--desk": "serve the pages of `paydrop desk` as well; with --sandbox alone samples show what they are for",
  "--port <n>": "port of the pages on 127.0.0.1 (default 7878)",
};
const ROWS = { "--row <n...>": "row numbers as in result_row: 91, 164-170" };
const REASON = { "--reason <text>": "why, for the history" };
const OF_FILE = ["operation", "period", "mapping", "sheet", "expect_rows", "expect_total", "allow_repeats"] as const;
const OF_SENDING = ["concurrency", "rate", "by", "accept_destination", "accept_lost_journal"] as const;

export const COMMANDS: readonly Command[] = [
  {
    usage: "run <file|folder...>",
    load: async () => (await import("./run-watch.ts")).run,
    shown: "check files, send their rows, write results; the same file again goes on where it stopped",
    options: { ...SANDBOX, ...DESK },
    settings: [...OF_FILE, "yes", ...OF_SENDING],
    examples: ["paydrop run payroll.csv", "paydrop run --expect-rows 240 --expect-total 11087750.50 payroll.csv"],
  },
  {
    usage: "watch <folder...>",
    load: async () => (await import("./run-watch.ts")).watch,
    shown: "the same for every file that is dropped into a folder, until it is stopped",
    options: { ...SANDBOX, ...POLL, ...DESK },
    settings: ["operation", "settle", ...OF_SENDING],
    examples: ["paydrop watch /srv/payroll/inbox", "paydrop watch --desk --poll /mnt/accounting"],
  },
  {
    usage: "work",
    load: async () => (await import("./work.ts")).run,
    shown: "send rows of other hosts' files, where several hosts share a journal, until it is stopped",
    settings: ["host_lanes", "concurrency", "rate", "by", "accept_lost_journal"],
    examples: ["paydrop work", "paydrop work --host-lanes 16 --log-format json"],
  },
  {
    usage: "desk [word] [name...]",
    load: async () => (await import("./desk.ts")).run,
    shown: "pages on 127.0.0.1 for people who type no commands; add NAME, remove NAME, list: who may sign in there",
    options: {
      "--port <n>": "port on 127.0.0.1 (default 7878)",
      "--inbox <folder...>": "inboxes that files can be brought into, besides those that files were taken from",
      "--role <view|decide|approve>": "with add: what the person may do",
    },
    settings: ["by"],
    examples: ["paydrop desk add asha --role decide", "paydrop desk --inbox /srv/payroll/inbox"],
  },
  {
    usage: "approve <batch>",
    load: async () => (await import("./approve.ts")).run,
    shown: "say that a file is right that somebody else brought, where the settings ask for that; sends nothing",
    options: { "--total <sum>": "the sum of the file, from your own papers" },
    settings: ["by", "approval_hours"],
    examples: ["paydrop approve K7Q29F3M --by ravi --total 1130446.49"],
  },
  {
    usage: "check <file...>",
    load: async () => (await import("./check.ts")).run,
    shown: "every fault of a file and what to do about it; sends nothing, needs no network and no keys",
    options: { "--all": "every row, not only the first five of a kind" },
    settings: OF_FILE,
    examples: ["paydrop check payroll.csv", "paydrop check --all --json payroll.csv"],
  },
  {
    usage: "map <file>",
    load: async () => (await import("./map.ts")).run,
    shown:
      "propose how a file of another system, or another bank's statement, is read; keep what you confirm in paydrop.toml",
    options: {
      "--write": "add the mapping to paydrop.toml, or make the file; without it its lines go to stdout",
      "--name <name>": "what the mapping is called",
      "--set <field=column...>": "read this column as our field; in a statement as day, text, debit, credit, amount, …",
      "--const <field=value...>": "one value for every row, such as debit_account_id",
      "--unit <rupees|paise>": "what the file's amounts count; a hundredth of paise is sent",
      "--option <A|B>": "payouts: A existing beneficiary, B inline beneficiary",
    },
    settings: ["operation", "sheet"],
    examples: [
      "paydrop map payroll.csv --write --name hrms --const debit_account_id=ACC-OPS-01 --unit rupees",
      'paydrop map cosmos-november.csv --write --name cosmos --set day="Posting Date"',
    ],
  },
  {
    usage: "status [batch]",
    load: async () => (await import("./status.ts")).run,
    shown: "all batches, or one in full",
    options: {
      "--unknown": "every unknown row: when, how much, and what a person must look up",
      "--acts": "who did what",
      "--since <day>": "with --acts: from this day on, as 2026-11-01",
      "--csv": "with --unknown: a list to fill in, for `paydrop settle --from`; with --acts: a table",
      "--check": "exit with the code of the gravest thing that is still open, for monitoring",
    },
    examples: ["paydrop status --unknown --csv > unknown.csv", "paydrop status --acts --since 2026-11-01"],
  },
  {
    usage: "find [text...]",
    load: async () => (await import("./find.ts")).run,
    shown:
      "rows over all files: by name, employee number, reference, account (or its last four), amount, status, day; with their sum",
    options: {
      "--amount <sum>": "rows of this amount",
      "--debit <account>": "rows that debit this account, or one with these last four",
      "--status <status...>": "rows that are accepted, unknown, held, rejected …",
      "--held-for <code>": "rows that were held for this, whatever became of them: other_account",
      "--since <day>": "sent, or taken, from this day on: 2026-11-01 (a name: 92 days back unless said)",
      "--until <day>": "before this day",
      "--sum-by <what>": "sums in place of rows: day, debit, status, or several of them with commas between",
      "--csv": "a table for a spreadsheet",
    },
    examples: [
      "paydrop find asha rao",
      "paydrop find 8901 --since 2026-04-01",
      "paydrop find --since 2026-11-01 --sum-by day,debit,status --csv",
      "paydrop find --held-for other_account --since 2026-01-01",
    ],
  },
  {
    usage: "reconcile <statement>",
    load: async () => (await import("./reconcile.ts")).run,
    shown: "what the bank's statement says of rows that went; writes a list for `settle --from`",
    options: {
      "--account <account>": "the account to debit that it is of, as your files name it: said once",
      "--dates <order>": "day-first or month-first, where the statement does not tell",
    },
    settings: ["by"],
    examples: ["paydrop reconcile hdfc-november.csv --account ACC-OPS-01", "paydrop reconcile hdfc-december.csv"],
  },
  {
    usage: "settle [batch]",
    load: async () => (await import("./settle.ts")).run,
    shown: "say what became of unknown rows, after you looked them up",
    options: {
      ...ROWS,
      "--as <done|not-done>": "what the service's dashboard says",
      "--note <text>": "what was looked up, and where",
      "--total <sum>": "their sum, where the bank gave accepted rows back",
      "--from <file>": "the filled-in list of `paydrop status --unknown --csv`",
    },
    settings: ["by"],
    examples: [
      'paydrop settle K7Q29F3M --row 91 --as not-done --by asha --note "dashboard 1 Nov 10:12: no entry"',
      "paydrop settle --from unknown.csv",
    ],
  },
  {
    usage: "release <batch>",
    load: async () => (await import("./release-retry-resume.ts")).release,
    shown: "let held rows go, and duplicate ones that are named",
    options: {
      ...SANDBOX,
      ...ROWS,
      "--all": "every held row; duplicates stay",
      ...REASON,
      "--total <sum>": "their sum, where several of them were accepted before",
    },
    settings: ["by"],
    examples: ['paydrop release K7Q29F3M --row 34 --by ravi --reason "two payments are meant"'],
  },
  {
    usage: "retry <batch>",
    load: async () => (await import("./release-retry-resume.ts")).retry,
    shown: "send again what may go again",
    options: {
      ...SANDBOX,
      "--rejected": "rows that were refused for themselves, too, as they are (with --by and --reason)",
      ...REASON,
    },
    settings: ["by"],
    examples: ["paydrop retry K7Q29F3M", 'paydrop retry K7Q29F3M --rejected --by asha --reason "there are funds now"'],
  },
  {
    usage: "cancel <batch>",
    load: async () => (await import("./pause-cancel.ts")).cancel,
    shown: "rows that did not go never go; accepted rows cannot be called back",
    options: { ...ROWS, "--held": "only the held rows", ...REASON },
    settings: ["by"],
    examples: ["paydrop cancel K7Q29F3M --held --by asha", 'paydrop cancel K7Q29F3M --by asha --reason "wrong month"'],
  },
  {
    usage: "pause <batch>",
    load: async () => (await import("./pause-cancel.ts")).pause,
    shown: "send nothing new of a batch until it is resumed; rows on their way finish",
    options: REASON,
    settings: ["by"],
    examples: ["paydrop pause K7Q29F3M --by asha"],
  },
  {
    usage: "resume [batch]",
    load: async () => (await import("./release-retry-resume.ts")).resume,
    shown: "go on with a batch, or with an inbox after a STOP",
    options: { ...SANDBOX, ...REASON, "--inbox <folder>": "go on with this inbox" },
    settings: ["by"],
    examples: ["paydrop resume K7Q29F3M --by asha", "paydrop resume --inbox /srv/payroll/inbox --by asha"],
  },
  {
    usage: "results <batch>",
    load: async () => (await import("./results-report.ts")).results,
    shown: "write the results of a batch again",
    options: { "--retry-xlsx": "the retry file as a workbook" },
    examples: ["paydrop results K7Q29F3M"],
  },
  {
    usage: "report <batch|file>",
    load: async () => (await import("./results-report.ts")).report,
    shown: "a page to read, print and sign: what was in the file, what went, who decided what",
    settings: ["time_zone"],
    examples: ["paydrop report K7Q29F3M", "paydrop report payroll.csv --time-zone Asia/Kolkata"],
  },
  {
    usage: `template [${OPERATION_NAMES.join("|")}]`,
    load: async () => (await import("./template.ts")).run,
    shown: "a file to fill in, with two example rows; or the rows of an earlier batch, to start the next one from",
    options: {
      "--option <A|B>": "payouts: A existing beneficiary, B inline beneficiary (default B)",
      "--from <batch>": "the rows of this batch; references and periods emptied",
      "--out <file>": "a new workbook or CSV file (default: CSV on stdout)",
    },
    examples: ["paydrop template payout > try.csv", "paydrop template --from K7Q29F3M --out december.xlsx"],
  },
  {
    usage: "sandbox",
    load: async () => (await import("./sandbox.ts")).run,
    shown: "the service, pretended, on this machine; until Ctrl-C",
    options: { "--port <n>": "port on 127.0.0.1, 0 for a free one (default 7900)" },
    examples: ["paydrop sandbox", "paydrop sandbox --port 0 --json"],
  },
  {
    usage: "doctor",
    load: async () => (await import("./doctor.ts")).run,
    shown: "keys, folders, clock, the way to the service, and every choice that the interface leaves open",
    options: { "--inbox <folder...>": "look at these inboxes, too", "--offline": "do not connect to the service" },
    examples: ["paydrop doctor", "paydrop doctor --inbox /srv/payroll/inbox --json"],
  },
  {
    usage: "config [show|example|schema]",
    load: async () => (await import("./config.ts")).run,
    shown: "show: every setting and where it came from; example, schema: what may stand in paydrop.toml",
    examples: ["paydrop config show", "paydrop config example > paydrop.toml"],
  },
  {
    usage: "journal <copy>",
    load: async () => (await import("./journal.ts")).run,
    shown: "move the journal of the state folder to PostgreSQL, so that several hosts can share it",
    options: { "--to <url>": "an empty database; its password in PAYDROP_JOURNAL_URL or PGPASSFILE" },
    examples: ["paydrop journal copy --to postgres://paydrop@db.example/paydrop"],
  },
  {
    usage: "backup <file>",
    load: async () => (await import("./backup-purge.ts")).backup,
    shown: "copy a journal that is in use, with its snapshots",
    examples: ["paydrop backup /backup/paydrop-2026-11-27"],
  },
  {
    usage: "purge",
    load: async () => (await import("./backup-purge.ts")).purge,
    shown: "remove old private copies and answers; duplicates of them are still found",
    options: { "--before <day>": "batches that ended before this day (UTC), as 2026-01-31" },
    examples: ["paydrop purge --before 2026-01-01"],
  },
  {
    usage: "help [topic]",
    load: async () => (await import("./help-completion.ts")).help,
    shown: "guides by role and by question, every setting; or how a command is used",
    examples: ["paydrop help", "paydrop help clerk", "paydrop help run"],
  },
  {
    usage: "completion <bash|zsh|fish>",
    load: async () => (await import("./help-completion.ts")).completion,
    shown: "a completion script for bash, zsh or fish, on stdout",
    examples: ["paydrop completion bash > /etc/bash_completion.d/paydrop"],
  },
];
