import { setTimeout as sleep } from "node:timers/promises";
import type { PgBoss } from "pg-boss";
import { isConnectionLost } from "../postgres/postgres.ts";
import type { BatchRecord, Environment, OtherHosts } from "../journal/store.ts";

/** Which shares there are to send to one address, as hosts tell each other (README §13). */
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
const OFFERED_AGAIN_MS = 6_000;
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
  pollingIntervalSeconds: 3,
} as const;
/** Jobs are done as soon as they are heard: there is little to look after. */
const KEPT_IN_ORDER_SECONDS = 60;

/** `pg-boss` is loaded when it is first needed. Its own tables lie in a schema of their own. */
export function shareQueue(others: OtherHosts, destination: string): ShareQueue {
  return new Jobs(others, destination);
}

class Jobs implements ShareQueue {
  readonly #others: OtherHosts;
  readonly #destination: string;
  #opened: Promise<PgBoss> | undefined;

  constructor(others: OtherHosts, destination: string) {
    [this.#others, this.#destination] = [others, destination];
  }

  async offer({ environment, rows }: Pick<BatchRecord, "environment" | "rows">): Promise<void> {
    if (rows <= OFFERED_ROWS_MIN) return;
    const offering = this.#others.open(this.#destination, environment).then((shares) => this.#offerAll(shares));
    // other hosts look by themselves, too: that they are not told keeps nothing from going
    await offering.catch(() => undefined);
  }

  async take(environment: Environment, work: (batch: string) => Promise<void>, signal: AbortSignal): Promise<void> {
    /** By batch: one loop of this host claims whatever is free of it. */
    const working = new Map<string, Promise<void>>();
    const begin = (batch: string): void => {
      if (signal.aborted || working.has(batch)) return;
      const done = work(batch).finally(() => working.delete(batch));
      working.set(batch, done);
    };
    let queue: PgBoss | undefined;
    let listening: Promise<void> | undefined;
    while (!signal.aborted) {
      try {
        const shares = await this.#others.open(this.#destination, environment);
        for (const { batch } of shares) begin(batch);
        // jobs only make it sooner: without them this host looks by itself, and listens when it can
        listening ??= this.#listen(begin).then(
          (opened) => void (queue = opened),
          () => (listening = undefined),
        );
        if (queue) await this.#offerAll(shares);
      } catch (error) {
        // the server is away: when it is back, this goes on
        if (!queue && !isConnectionLost(error)) throw error;
      }
      await sleep(OFFERED_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
    await queue?.offWork(QUEUE, { wait: true }).catch((error: unknown) => {
      if (!isConnectionLost(error)) throw error;
    });
    // what it is sending comes to its end first
    await Promise.all(working.values());
  }

  async close(): Promise<void> {
    const queue = await this.#opened?.catch(() => undefined);
    await queue?.stop({ graceful: false, close: true });
  }

  #boss(): Promise<PgBoss> {
    return (this.#opened ??= open(this.#others).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    }));
  }

  async #listen(begin: (batch: string) => void): Promise<PgBoss> {
    const queue = await this.#boss();
    await queue.work<{ batch: string }>(QUEUE, WORK_OPTIONS, (jobs) => {
      for (const job of jobs) begin(job.data.batch);
      return Promise.resolve();
    });
    return queue;
  }

  async #offerAll(shares: Awaited<ReturnType<OtherHosts["open"]>>): Promise<void> {
    const offered = shares.slice(0, OFFERED_SHARES_MAX);
    const jobs = offered.map((share) => ({ data: share, singletonKey: `${share.batch} ${share.share}` }));
    if (jobs.length > 0) await (await this.#boss()).insert(QUEUE, jobs);
  }
}

async function open(others: OtherHosts): Promise<PgBoss> {
  const { PgBoss: Boss } = await import("pg-boss");
  const boss = new Boss({
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
