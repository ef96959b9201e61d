import type { Command, OwnOption } from "./command.ts";

const SANDBOX: OwnOption = {
  flags: "--sandbox",
  shown: "send to a pretended service inside this process: no keys, no network, no money",
};

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly Command[] = [
  {
    name: "run",
    operands: "<file...>",
    shown: "check files, send their rows, write results; the same file again goes on where it stopped",
    options: [SANDBOX],
    examples: ["paydrop run payroll.csv", "paydrop run --expect-rows 240 --expect-total 11087750.50 payroll.csv"],
    load: () => import("./run.ts"),
  },
  {
    name: "check",
    operands: "<file...>",
    shown: "everything up to sending; no network, no keys",
    options: [SANDBOX],
    examples: ["paydrop check payroll.csv", "paydrop check --json payroll.csv"],
    load: () => import("./check.ts"),
  },
  {
    name: "status",
    operands: "[batch]",
    shown: "all batches, or one in full",
    options: [{ flags: "--check", shown: "exit with the code of the gravest thing still open, for monitoring" }],
    examples: ["paydrop status", "paydrop status K7Q29F3M", "paydrop status --check --quiet"],
    load: () => import("./status.ts"),
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
    name: "template",
    operands: "<operation>",
    shown: "a file to fill in, with two example rows, on stdout",
    options: [{ flags: "--option <A|B>", shown: "payouts: A existing beneficiary, B inline beneficiary (default B)" }],
    examples: ["paydrop template payout --option B > try.csv", "paydrop template transfer --json > try.json"],
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
    shown: "a completion script for bash, zsh or fish, on stdout",
    options: [],
    examples: ["paydrop completion bash > /etc/bash_completion.d/paydrop"],
    load: () => import("./completion.ts"),
  },
];
