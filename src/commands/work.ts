import type { OpenedWork } from "../acts/open.ts";
import { untilAsked, withSending } from "../acts/sending.ts";
import { PaydropError } from "../errors.ts";
import { batchNamed } from "../journal/circumstances.ts";
import { HOST_NEWS } from "../messages/hosts.ts";
import { told } from "../messages/sentence.ts";
import { assertKeys } from "../submission/may-go.ts";
import { sendShares } from "../submission/shares.ts";
import { summarize, type Call } from "./command.ts";

/** Sends shares of other hosts' files (README §13), until it is asked to end. */
export function run(call: Call): Promise<number> {
  return withSending(call, async (sending) => {
    const { config, teller, listening } = sending;
    const { signals } = listening;
    if (!config.shared) throw new PaydropError("work_needs_shared");
    const work = await untilAsked(sending.open("send", { isLarge: true }));
    if (!work) return 0;
    sending.monitor.lasts();
    try {
      teller.say(told(HOST_NEWS.working, { host: work.store.hosts.me }).text);
      await takeShares(work, signals.soft);
      return summarize(call, config, signals.hard.aborted ? 4 : 0);
    } finally {
      await work.close();
    }
  });
}

/** Until \`signal\`; what it is sending then comes to its end. Rejects where this host cannot send. */
export async function takeShares(work: OpenedWork, signal: AbortSignal): Promise<void> {
  const { store, shared, config, queue, destination } = work;
  if (!queue) return;
  const failed = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  const send = async (id: string): Promise<void> => {
    try {
      const batch = await batchNamed(store, id);
      await assertKeys(work, batch);
      const { concurrency } = config;
      await shared.together(async () => {
        const sender = await shared.sender();
        return sendShares({ ...work, sender, concurrency }, { ...batch, destination });
      });
    } catch (error) {
      failure ??= { error };
      failed.abort();
    }
  };
  await queue.take(config.environment, send, AbortSignal.any([signal, failed.signal]));
  if (failure) throw failure.error;
}
