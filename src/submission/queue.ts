import { setTimeout as sleep } from "node:timers/promises";
import { isConnectionLost } from "../postgres/postgres.ts";
import type { BatchRecord, Environment, OtherHosts } from "../journal/store.ts";

/** Which shares there are to send to one address, as hosts tell each other (DESIGN §13). */
export interface ShareQueue {
  /** Tells the other hosts of a batch that this one begins to send. */
  offer(batch: Pick<BatchRecord, "environment" | "rows">): Promise<void>;
  /** Calls `work` with batches of which shares may be free, until `signal`. */
  take(environment: Environment, work: (batch: string) => Promise<void>, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const QUEUE = "shares";
const SCHEMA = "paydrop_jobs";
/** What is smaller has gone before another host could look. */
const OFFERED_ROWS_MIN = 2_000;
const OFFERED_AGAIN_MS = 5_000;
/** Of more shares no host hears sooner: each goes on by itself with the batch that it heard of. */
const OFFERED_SHARES_MAX = 32;
/**
 * Jobs are hints: lost, doubled and late ones change nothing, for a share is claimed in the journal. A job ends when it was
 * heard, and not when its share was sent: every host offers again what is open and has no job.
 */
const QUEUE_OPTIONS = { policy: "exclusive" } as const;
/** Whoever finds one fetches a few at a time, until none is left. */
const WORK_OPTIONS = {
  batchSize: 2,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 2,
} as const;
/** Jobs are done as soon as they are heard: there is little to look after. */
const KEPT_IN_ORDER_SECONDS = 60;

/** `pg-boss` is loaded when it is first needed. Its own tables lie in a schema of their own. */
export function shareQueue(others: OtherHosts, destination: string): ShareQueue {
  let opened: ReturnType<typeof open> | undefined;
  const boss = (): ReturnType<typeof open> =>
    (opened ??= open(others).catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));

  type Open = Awaited<ReturnType<OtherHosts["open"]>>;
  const offerAll = async (shares: Open): Promise<void> => {
    const jobs = shares
      .slice(0, OFFERED_SHARES_MAX)
      .map((share) => ({ data: share, singletonKey: `${share.batch} ${share.share}` }));
    if (jobs.length > 0) await (await boss()).insert(QUEUE, jobs);
  };

  return {
    async offer({ environment, rows }) {
      if (rows <= OFFERED_ROWS_MIN) return;
      const offering = others.open(destination, environment).then(offerAll);
      // other hosts look by themselves, too: that they are not told keeps nothing from going
      await offering.catch(() => undefined);
    },

    async take(environment, work, signal) {
      /** By batch: one loop of this host claims whatever is free of it. */
      const working = new Map<string, Promise<void>>();
      const begin = (batch: string): void => {
        if (!signal.aborted && !working.has(batch))
          working.set(batch, work(batch).finally(() => working.delete(batch))); // prettier-ignore
      };
      const at: { queue?: Awaited<ReturnType<typeof open>> } = {};
      let listening: Promise<void> | undefined;
      const listen = async (): Promise<void> => {
        const queue = await boss();
        await queue.work<{ batch: string }>(QUEUE, WORK_OPTIONS, (jobs) => {
          for (const job of jobs) begin(job.data.batch);
          return Promise.resolve();
        });
        at.queue = queue;
      };
      while (!signal.aborted) {
        try {
          const shares = await others.open(destination, environment);
          for (const { batch } of shares) begin(batch);
          // jobs only make it sooner: without them this host looks by itself, and listens when it can
          listening ??= listen().catch(() => (listening = undefined));
          if (at.queue) await offerAll(shares);
        } catch (error) {
          // the server is away: when it is back, this goes on
          if (!at.queue && !isConnectionLost(error)) throw error;
        }
        await sleep(OFFERED_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
      await at.queue?.offWork(QUEUE, { wait: true }).catch((error: unknown) => {
        if (!isConnectionLost(error)) throw error;
      });
      // what it is sending comes to its end first
      await Promise.all(working.values());
    },

    async close() {
      const queue = await opened?.catch(() => undefined);
      await queue?.stop({ graceful: false, close: true });
    },
  };
}

async function open(others: OtherHosts) {
  const { PgBoss } = await import("pg-boss");
  const boss = new PgBoss({
    // in sessions like those of the journal, whatever is set for the role, and given up together with them
    ...{
      db: { executeSql: (...asked: Parameters<OtherHosts["beside"]>) => others.beside(...asked) },
      schema: SCHEMA,
      schedule: false,
    },
    ...{ monitorIntervalSeconds: KEPT_IN_ORDER_SECONDS, superviseIntervalSeconds: KEPT_IN_ORDER_SECONDS },
    flowIntervalSeconds: KEPT_IN_ORDER_SECONDS,
  });
  // what it meets it meets again: the journal's own connection tells what is wrong
  boss.on("error", () => undefined);
  try {
    await boss.start();
    await boss.createQueue(QUEUE, QUEUE_OPTIONS);
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false, close: true }).catch(() => undefined);
    throw error;
  }
}
