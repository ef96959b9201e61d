import { setTimeout as sleep } from "node:timers/promises";
import { batchNamed } from "../journal/circumstances.ts";
import { PaydropError } from "../errors.ts";
import { HOST_NEWS } from "../messages/hosts.ts";
import { told, toldLines } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { assertKeys } from "../submission/may-go.ts";
import { sendShares } from "../submission/shares.ts";
import { summarize, type Call } from "./command.ts";
import type { OpenedWork } from "./open-work.ts";
import { untilAsked, withSending } from "./sending.ts";

/** Sends shares of other hosts' files (DESIGN §13), until it is asked to end. */
export function run(call: Call): Promise<number> {
  return withSending(call, async (sending) => {
    const { config, teller, listening } = sending;
    const { signals } = listening;
    if (!config.shared) throw new PaydropError("work_needs_shared");
    const work = await untilAsked(sending.open("send", { isLarge: true }));
    if (!work) return 0;
    sending.monitor.lasts();
    try {
      teller.say(told(HOST_NEWS.working, { host: work.store.hosts?.me ?? "" }).text);
      await takeShares(work, signals.soft);
      return summarize(call, config, signals.hard.aborted ? 4 : 0);
    } finally {
      await work.close();
    }
  });
}

/** Until \`signal\`; what it is sending then comes to its end. Rejects where this host cannot send. */
export async function takeShares(work: OpenedWork, signal: AbortSignal): Promise<void> {
  const { store, shared, config, signals, now, tell, queue, destination } = work;
  const { hosts } = store;
  if (!hosts || !queue) return;
  const failed = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  const send = async (id: string): Promise<void> => {
    try {
      const batch = await batchNamed(store, id);
      await assertKeys(work, batch);
      const { concurrency } = config;
      await shared.together(async () => {
        const sender = await shared.sender();
        const parts = { hosts, sender, shared, config, signals, now, tell, concurrency };
        return sendShares(parts, { ...batch, destination }, false);
      });
    } catch (error) {
      failure ??= { error };
      failed.abort();
    }
  };
  await queue.take(work, config.environment, send, AbortSignal.any([signal, failed.signal]));
  if (failure) throw failure.error;
}

const ASKED_AGAIN_MS = 5_000;

/**
 * While this host has the lease of an inbox, and a clock that is right, it works there; with `signal` or the loss of the lease `work` ends, and it waits
 * for the lease again. Where no other host shares the journal it simply works.
 */
export async function whileHolding(
  { store: { hosts } }: Pick<OpenedWork, "store">,
  folder: string,
  signal: AbortSignal,
  say: (text: string) => void,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  if (!hosts) return work(signal);
  const name = `inbox ${folder}`;
  let code = 0;
  for (let isTold = false; !signal.aborted;) {
    if (!hosts.clockApart && (await hosts.lease(name))) {
      const lost = new AbortController();
      const look = (): void => {
        if (hosts.clockApart) lost.abort();
        if (!hosts.holds(name)) lost.abort("folder_elsewhere");
      };
      const kept = setInterval(look, ASKED_AGAIN_MS);
      try {
        code = await work(AbortSignal.any([signal, lost.signal]));
      } finally {
        clearInterval(kept);
        await hosts.giveBack(name);
      }
      isTold = false;
      continue;
    }
    const apart = hosts.clockApart;
    const news = apart
      ? told(HOST_NEWS.clock_apart, apart)
      : told(HOST_NEWS.inbox_elsewhere, { folder: printable(folder) });
    if (!isTold) say(toldLines(news));
    isTold = true;
    await sleep(ASKED_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
  return code;
}
