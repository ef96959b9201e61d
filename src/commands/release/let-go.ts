import { assertSendable } from "../../client/sender.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig, requireSending } from "../../config/load.ts";
import { PaydropError } from "../../errors.ts";
import type { RunEvent, Stop } from "../../events.ts";
import { gravest } from "../../exit-codes.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import { openProcessor, type Processor, type Services } from "../../processor.ts";
import type { Call } from "../command.ts";
import type { Going } from "./going.ts";
import { wholeBatch } from "../known-batch.ts";
import { monitored } from "../monitoring/monitor.ts";
import { sandboxedIfAsked, sendHandedOver, withTeller } from "../sending.ts";
import { tell } from "../screen/tell.ts";
import type { Teller } from "../screen/teller.ts";
import { trySending } from "../try-lock.ts";

/** What a person's word lets go. */
interface LettingGo {
  readonly act: "retry" | "release" | "resume";
  readonly by: string;
  readonly going: Going;
  /** What does not go, and why: a line each. */
  readonly stays: readonly string[];
  /** Makes the rows ready and notes the act. Left out when there is nothing to do. */
  readonly apply?: () => Promise<void>;
  /** Finding out what goes has changed the state of rows: the results beside the file do not say so yet. */
  readonly isJudgedAnew?: boolean;
  /** Exit code when there is nothing to do. */
  readonly code: number;
}

/** A person's call, and the batch that it is about. */
interface Spoken {
  readonly call: Call;
  readonly config: Config;
  readonly batch: BatchRecord;
}

/** What a command has at hand to find out what goes. */
interface Asked extends Spoken {
  readonly journal: JournalStore;
  /** This process sends: whatever is ready in the batch goes too. */
  readonly isSending: boolean;
}

/** Finds out what goes. Nothing goes before `apply`. */
export type Prepare = (asked: Asked) => Promise<LettingGo>;

/**
 * Rows go by a person's word: they and their sum are printed, then they are sent at once, or left to the process that
 * has the lock (DESIGN §7).
 */
export async function letGo(call: Call, prepare: Prepare): Promise<number> {
  const sandbox = call.flags["sandbox"] === true;
  const config = loadConfig({ flags: call.flags, env: call.env, secrets: sandbox ? "ignore" : "read" });
  return sandboxedIfAsked(call, config, (used) =>
    withTeller(call, used, async (teller, { signal }) => {
      const told: Told = { teller, listeners: [teller.onEvent] };
      const onEvent = (event: RunEvent): void => told.listeners.forEach((tellOne) => tellOne(event));
      const services = { config: used, sandbox, signal, onEvent, takesOver: true };
      const sender = await trySending(services);
      const word: Word = { call, services, prepare, told };
      return sender ? sendNow(word, sender) : leave(word);
    }),
  );
}

interface Told {
  readonly teller: Teller;
  readonly listeners: ((event: RunEvent) => void)[];
}

/** A person's word, and with what it is carried out. */
interface Word {
  readonly call: Call;
  readonly services: Services;
  readonly prepare: Prepare;
  readonly told: Told;
}

async function sendNow({ call, services: { config }, prepare, told }: Word, sender: Processor): Promise<number> {
  try {
    const batch = await wholeBatch(sender.journal, call.operands[0]);
    await requireKeys(sender.journal, batch, config);
    const spoken: Spoken = { call, config, batch };
    const going = await prepare({ ...spoken, journal: sender.journal, isSending: true });
    if (going.apply) await sender.assertMayGo(batch.id);
    tellGoing(spoken, going, await sender.heldFolder(batch.id));
    if (!going.apply) return await nothingToDo(spoken, sender, going);
    return await send(spoken, sender, told, going.apply);
  } finally {
    await sender.close();
  }
}

/** The rows wait, ready, for the process that has the lock: it looks for such rows before it ends. */
async function leave(word: Word): Promise<number> {
  const { call, services, prepare, told } = word;
  const { config } = services;
  const reader = await openProcessor(services, "read");
  let spoken: Spoken;
  let going: LettingGo;
  try {
    const batch = await wholeBatch(reader.journal, call.operands[0]);
    spoken = { call, config, batch };
    going = await prepare({ ...spoken, journal: reader.journal, isSending: false });
    if (going.apply) await reader.assertMayGo(batch.id);
    const held = await reader.heldFolder(batch.id);
    const why = going.apply && (await reader.whyNotTaken(batch.id));
    if (why !== undefined) return await sendWhenAlone(word, why);
    tellGoing(spoken, going, held);
    if (!going.apply) return await nothingToDo(spoken, reader, going);
    await reader.keepAddress(batch.id);
    await going.apply();
    const note = `${going.act}: left to the paydrop that is working`;
    await reader.journal.note(batch.id, { by: going.by, kind: "handover", note });
    if (held) return waits(spoken, going, held);
  } finally {
    await reader.close();
  }
  // the other process may have looked for such rows just before, and be ending now
  const sender = await trySending(services, HAND_OVER_PATIENCE_MS);
  if (!sender) return left(spoken, going);
  try {
    await requireKeys(sender.journal, spoken.batch, config);
    return await send(spoken, sender, told);
  } finally {
    await sender.close();
  }
}

const HAND_OVER_PATIENCE_MS = 1000;

/** Nothing is written down that nobody carries out: the process that has the lock may only have been ending. */
async function sendWhenAlone(word: Word, why: string): Promise<number> {
  const sender = await trySending(word.services, HAND_OVER_PATIENCE_MS);
  if (sender) return sendNow(word, sender);
  throw new PaydropError(
    "locked",
    `another paydrop works with this state folder at the moment, and these rows cannot be left to it: ${why}`,
    "say it again when that one has ended, or stop it first; nothing was sent or let go",
  );
}

/** Only a process that sends is measured and told to the monitor, not one that leaves its rows to another process. */
function send(
  { call, config, batch }: Spoken,
  sender: Processor,
  { teller, listeners }: Told,
  apply?: () => Promise<void>,
): Promise<number> {
  return monitored(call, config, async (monitor) => {
    listeners.push(monitor.onEvent);
    return monitor.following(sender.journal, async () => {
      await apply?.();
      const report = await sender.goOn(batch.id);
      teller.ended(report);
      return gravest([report.exitCode, ...(await sendHandedOver(sender, teller, config))]);
    });
  });
}

/** Missing keys, and what is set wrong, are told before anything is changed. */
async function requireKeys(journal: JournalStore, batch: BatchRecord, config: Config): Promise<void> {
  const operations = await journal.operations(batch.id);
  const hasPayouts = operations.some(({ operation }) => operation === "payout");
  requireSending(config, hasPayouts);
  assertSendable(config);
}

function tellGoing({ call, config, batch }: Spoken, letting: LettingGo, held?: Stop): void {
  const { act, by, going } = letting;
  const count = going.numbers.length;
  const stays = held && letting.apply ? [...letting.stays, `Not yet: ${held.message}`] : letting.stays;
  const lines = [...(count > 0 ? [going.text()] : []), ...stays];
  tell(call, config, lines.join("\n"), {
    type: "going",
    batch: batch.id,
    act,
    by,
    count,
    amount: going.sum,
    rows: going.listed,
    stays,
  });
}

async function nothingToDo(
  { call, config, batch }: Spoken,
  processor: Processor,
  { code, isJudgedAnew = false }: LettingGo,
): Promise<number> {
  // the process whose rows are on their way writes the results at its end
  const isAtRest = isJudgedAnew && !(await processor.journal.tallies(batch.id)).sending;
  if (isAtRest) await processor.writeResultsAgain(batch.id);
  tell(call, config, "", { type: "summary", batch: batch.id, requests: 0, exit_code: code });
  return code;
}

/** Tells that the rows wait: the folder of their file is held, so the process that has the lock sends none either. */
function waits({ call, config, batch }: Spoken, { going }: LettingGo, { hint }: Stop): number {
  const object = { type: "summary", batch: batch.id, left: going.numbers.length, requests: 0, exit_code: 7 };
  tell(call, config, `  → ${hint}`, object);
  return 7;
}

function left({ call, config, batch }: Spoken, { going }: LettingGo): number {
  const text = [
    "Another paydrop is working with this state folder at the moment: the rows are left to it, and it sends them before it ends.",
    `  → paydrop status ${batch.id} shows what became of them; if it was ended before: paydrop retry ${batch.id}`,
  ].join("\n");
  tell(call, config, text, { type: "summary", batch: batch.id, left: going.numbers.length, requests: 0, exit_code: 0 });
  return 0;
}
