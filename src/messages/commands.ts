import type { PeriodForm } from "../period.ts";
import { filled, type CommandOf, type Facts, type Flags, type Told } from "./sentence.ts";

/** With what it is for before it: `If it is meant once more`. */
export const led =
  (lead: string, commandOf: CommandOf): CommandOf =>
  (facts) => ({ lead: filled(lead, facts), ...commandOf(facts) });

/** One of no batch. `operand`: a file, a folder or a topic. */
export const typed =
  (name: string, flags: Flags = {}, operand?: string): CommandOf =>
  () => ({ name, flags, ...(operand !== undefined && { operand }) });

/** Flags to add to the command that was typed. */
export const flag =
  (flags: Flags): CommandOf =>
  () => ({ flags });

/** Until somebody knows the batch: `ofBatch`. */
const BATCH = "BATCH";

/** The commands of what was told before anybody knew of which batch. */
export function ofBatch<T extends Told>(one: T, batch: string): T {
  const commands = one.commands.map((command) => (command.batch === BATCH ? { ...command, batch } : command));
  return { ...one, commands };
}

/** What commands need besides to find the same memory, for a shell that knows nothing of this process. */
export interface Again {
  readonly all: Flags;
  /** Only of those that send: `--sandbox`. */
  readonly sending?: Flags;
}

/** Of a batch that was only tried, with the flag for that; undefined: it was forgotten when it ended, and no command finds it. */
export function againOf(destination: string, all: Flags = {}): Again | undefined {
  if (destination !== "sandbox") return { all };
  return all["state_dir"] === undefined ? undefined : { all, sending: { sandbox: true } };
}

const SENDING: readonly (string | undefined)[] = ["run", "release", "retry", "resume"];

export function complete<T extends Told>(one: T, { all, sending }: Again): T {
  const commands = one.commands.map((command) => {
    const flags = { ...command.flags, ...(SENDING.includes(command.name) ? sending : {}), ...all };
    // flags alone are added to a command that has these already
    return command.name === undefined ? command : { ...command, flags };
  });
  return { ...one, commands };
}

const ofFacts =
  (name: string, flagsOf: (facts: Facts) => Flags = () => ({})): CommandOf =>
  (facts) => ({ name, batch: textOf(facts["batch"], BATCH), flags: flagsOf(facts) });

const textOf = (fact: Facts[string], unknown: string): string => (fact === undefined ? unknown : String(fact));
const rowOf = ({ row }: Facts): string => textOf(row, "N");

export const approve = ofFacts("approve", () => ({ by: "NAME", total: "SUM" }));
export const resume = ofFacts("resume", () => ({ by: "NAME" }));
export const retry = ofFacts("retry");
export const retryRejected = ofFacts("retry", () => ({ rejected: true, by: "NAME", reason: "TEXT" }));
export const status = ofFacts("status");
export const results = ofFacts("results");
export const cancel = ofFacts("cancel", () => ({ by: "NAME" }));
/** A held row that nobody says no to stays open, and holds the same payment in every later file. */
export const cancelHeld = ofFacts("cancel", () => ({ held: true, by: "NAME" }));
export const cancelRow = ofFacts("cancel", (facts) => ({ row: rowOf(facts), by: "NAME" }));
export const release = ofFacts("release", (facts) => ({ row: rowOf(facts), by: "NAME", reason: "TEXT" }));
export const releaseAll = ofFacts("release", () => ({ all: true, by: "NAME", reason: "TEXT", total: "SUM" }));
/** A person says what became of a row that was looked up. */
export const settle = (as = "DONE-OR-NOT-DONE"): CommandOf =>
  ofFacts("settle", (facts) => ({ row: rowOf(facts), as, by: "NAME", note: "TEXT" }));

/** Of the other row that a sentence tells of. */
export const ofOther =
  (commandOf: CommandOf): CommandOf =>
  (facts) =>
    commandOf({ ...facts, batch: facts["otherBatch"], row: facts["otherRow"] });

/** Of the file that a sentence tells of. */
export const onFile =
  (name: string, flags: Flags = {}): CommandOf =>
  ({ file }) => ({ name, operand: textOf(file, "FILE"), flags });

/** Of the form that the fact `form` says. */
export const withPeriod: CommandOf = ({ form }) => {
  const written = { month: "YYYY-MM", week: "YYYY-Www", day: "YYYY-MM-DD" }[form as PeriodForm];
  return { flags: { period: written } };
};

/** Takes that file once more, of another period of that form. */
export const onPeriod: CommandOf = (facts) => onFile("run", withPeriod(facts).flags)(facts);

/** And in its own period: a label tells the two apart. */
export const onceMore: CommandOf = (facts) => {
  const { period } = facts;
  return period === undefined ? onPeriod(facts) : onFile("run", { period: `${period} again` })(facts);
};

export const resumeInbox: CommandOf = ({ inbox }) => ({
  name: "resume",
  flags: { inbox: textOf(inbox, "FOLDER"), by: "NAME" },
});

export const helpOn = (topic: string): CommandOf => typed("help", {}, topic);

/** How a command is called, by its name: what lacks in a call, or is wrong, is told with it. */
const EXAMPLES: Readonly<Record<string, CommandOf>> = {
  approve,
  cancel: cancelHeld,
  desk: typed("desk add", { role: "decide" }, "asha"),
  journal: typed("journal copy", { to: "postgres://paydrop@db.example/paydrop" }),
  release: ofFacts("release", () => ({ row: "N", by: "NAME", reason: "two payments are meant" })),
  resume: resumeInbox,
  retry: ofFacts("retry", () => ({ rejected: true, by: "NAME", reason: "there are funds now" })),
  settle: ofFacts("settle", () => ({ row: "91", as: "not-done", by: "NAME", note: "dashboard 1 Nov 10:12: no entry" })),
};

/** `example`, a fact: the name of the command. */
export const example: CommandOf = (facts) =>
  EXAMPLES[String(facts["example"])]?.({ inbox: facts["inbox"] }) ?? { flags: {} };
