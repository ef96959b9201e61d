import pLimit from "p-limit";
import { hostname, userInfo } from "node:os";
import type { Work } from "../batch.ts";
import { openSender } from "../client/sender.ts";
import type { Config } from "../config/schema.ts";
import type { Secrets } from "../config/secret.ts";
import { PaydropError } from "../errors.ts";
import { faultPoint } from "../fault-point.ts";
import { takeInstanceLock } from "../journal/lock.ts";
import { openJournal } from "../journal/open.ts";
import type { BatchRecord, JournalStore, Who } from "../journal/store.ts";
import { printable } from "../printable.ts";
import { Shared } from "../submission/shared.ts";

export interface OpenedWork extends Work {
  close(): Promise<void>;
}

/** What a process gives that is not a setting. */
export interface Surroundings extends Partial<Pick<Work, "signals" | "tell" | "confirm" | "now">> {
  /** Many rows are expected: the journal gets a thread of its own. */
  readonly isLarge?: boolean;
  /** The service is the sandbox in this process: its address changes from run to run, and says nothing. */
  readonly isTrial?: boolean;
}

/**
 * Opens the journal, and what sends. `send` takes the instance lock (I9; PaydropError `locked`) and turns rows that were
 * on their way when an earlier process ended into unknown ones (I4); `act` and `read` work beside a process that sends.
 */
export async function openWork(
  config: Config,
  secrets: Secrets = {},
  mode: "send" | "act" | "read" = "read",
  around: Surroundings = {},
): Promise<OpenedWork> {
  const lock = mode === "send" ? takeInstanceLock(config.state_dir) : undefined;
  try {
    const options = { isSender: mode === "send", inThread: around.isLarge === true };
    const store = await openJournal(config.state_dir, options);
    const who = whoIs(config);
    if (lock) {
      faultPoint("recovery.begun");
      await store.recover(who);
      faultPoint("recovery.done");
    }
    const shared = new Shared(config, () => openSender(config, secrets));
    const turns = new Map<string, ReturnType<typeof pLimit>>();
    return {
      ...{ config, store, who, shared },
      isTrial: around.isTrial === true,
      destination: around.isTrial === true ? "sandbox" : (config.base_url ?? ""),
      signals: around.signals ?? { soft: NEVER, hard: NEVER },
      now: around.now ?? Date.now,
      tell: around.tell ?? (() => undefined),
      confirm: around.confirm,
      inTurn(name, work) {
        const turn = turns.get(name) ?? pLimit(1);
        turns.set(name, turn);
        return turn(work).finally(() => {
          if (turn.activeCount + turn.pendingCount === 0) turns.delete(name);
        });
      },
      async close() {
        await shared.close();
        await store.close();
        lock?.release();
      },
    };
  } catch (thrown) {
    lock?.release();
    throw thrown;
  }
}

/**
 * For a person's act: in mode `send`, so that rows which an ended process left on their way have their end first (I4), or
 * beside the process that sends.
 */
export async function openEither<T>(
  open: (mode: "send" | "act") => Promise<T>,
): Promise<readonly [T, isSender: boolean]> {
  try {
    return [await open("send"), true];
  } catch (error) {
    if (!(error instanceof PaydropError) || error.code !== "locked") throw error;
    return [await open("act"), false];
  }
}

const NEVER: AbortSignal = new AbortController().signal;

/** Who runs this process, for the journal. */
export function whoIs({ by }: Pick<Config, "by">): Who {
  const who = { login: loginName(), host: hostname() };
  return by === undefined || by.trim() === "" ? who : { ...who, by: cleanName(by) };
}

const NAME_CHARACTERS_MAX = 80;

export function cleanName(said: string): string {
  const name = printable(said.trim(), NAME_CHARACTERS_MAX);
  if (name.toLowerCase() === "paydrop") throw new PaydropError("not_a_person");
  return name;
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // a container whose user has no entry
    return process.getuid ? `uid ${process.getuid()}` : "unknown";
  }
}

/** The batch that a person named by its id, or by the beginning of it. Throws `usage` where none or several have it. */
export async function knownBatch(store: Pick<JournalStore, "batches">, said: string | undefined): Promise<BatchRecord> {
  const idPrefix = said?.trim().toUpperCase();
  const found = idPrefix ? await store.batches({ idPrefix }) : [];
  const batch = found.find(({ id }) => id === idPrefix) ?? found[0];
  if (batch && (found.length === 1 || batch.id === idPrefix)) return batch;
  throw new PaydropError("no_such_batch", { said: said && printable(said, 60), count: found.length });
}
