import type { Config } from "../../config/config.ts";
import type { InboxCount } from "../../drop-folder/file-queue.ts";
import { messageOf } from "../../errors.ts";
import type { RunEvent } from "../../events.ts";
import { exitCodeOf } from "../../exit-codes.ts";
import type { JournalStore } from "../../journal/store.ts";
import { readMetricsFile, writeMetricsFile } from "./metrics-file.ts";
import { startMetricsServer, type MetricsServer } from "./metrics-server.ts";
import { Metrics } from "./metrics.ts";
import type { Call } from "../command.ts";
import { RowCounts } from "../status/row-counts.ts";

const EVERY_MS = 15_000;

/** What a monitor is told of a process that sends: metrics while it works, and a ping with the exit code at its end. */
export interface Monitor {
  readonly onEvent: (event: RunEvent) => void;
  /**
   * Runs work that holds the instance lock: rows are counted in this journal, and the metrics file is ours.
   */
  following<T>(journal: JournalStore, work: () => Promise<T>): Promise<T>;
  /** What waits in a drop folder now. */
  sawInbox(folder: string, count: InboxCount): void;
  /** A batch of a process that goes on has ended. */
  batchEnded(exitCode: number): void;
}

/**
 * Runs a piece of work under `metrics_file`, `metrics_port` and `ping_url`. None of the three ever changes the exit code
 * or holds a payment up; only a port that is taken, or a file that cannot be read, is refused at the start.
 */
export async function monitored(
  call: Call,
  config: Config,
  work: (monitor: Monitor) => Promise<number>,
): Promise<number> {
  const monitor = new OwnMonitor(call, config);
  let code = 1;
  try {
    code = await work(monitor);
    return code;
  } catch (error) {
    code = exitCodeOf(error);
    throw error;
  } finally {
    await monitor.ended(code);
  }
}

/** A trial must not report to the real monitor: in the sandbox these settings count only as flags. */
export function withoutMonitors(config: Config): Config {
  const { metricsFile, metricsPort, pingUrl, ...rest } = config;
  const isFlag = (name: string): boolean => config.origins?.[name]?.startsWith("--") === true;
  return {
    ...rest,
    ...(metricsFile !== undefined && isFlag("metrics_file") ? { metricsFile } : {}),
    ...(metricsPort !== undefined && isFlag("metrics_port") ? { metricsPort } : {}),
    ...(pingUrl !== undefined && isFlag("ping_url") ? { pingUrl } : {}),
  };
}

class OwnMonitor implements Monitor {
  readonly #call: Call;
  readonly #config: Config;
  readonly #metrics = new Metrics();
  readonly #counts: RowCounts;
  readonly #inboxes = new Map<string, InboxCount>();
  readonly #isMeasured: boolean;
  #server: MetricsServer | undefined;
  #journal: JournalStore | undefined;
  #isOwner = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #hasComplained = false;

  constructor(call: Call, config: Config) {
    this.#call = call;
    this.#config = config;
    this.#counts = new RowCounts(config.environment);
    this.#isMeasured = config.metricsFile !== undefined || config.metricsPort !== undefined;
  }

  readonly onEvent = (event: RunEvent): void => {
    if (!this.#isMeasured) return;
    this.#metrics.onEvent(event);
    this.#counts.touch(event.batch);
  };

  async following<T>(journal: JournalStore, work: () => Promise<T>): Promise<T> {
    try {
      await this.#follow(journal);
      return await work();
    } finally {
      await this.#unfollow();
    }
  }

  async #follow(journal: JournalStore): Promise<void> {
    if (!this.#isMeasured) return;
    const { metricsFile, metricsPort } = this.#config;
    this.#journal = journal;
    if (metricsFile !== undefined) this.#metrics.goOn(readMetricsFile(metricsFile));
    if (metricsPort !== undefined) this.#server = await startMetricsServer(metricsPort, () => this.#text());
    this.#isOwner = true;
    this.#timer = setInterval(() => {
      this.#writing = this.#writing.then(() => this.#write());
    }, EVERY_MS).unref();
  }

  async #unfollow(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    if (this.#journal) await this.#counts.read(this.#journal).catch((error: unknown) => this.#complain(error));
    this.#journal = undefined;
  }

  sawInbox(folder: string, count: InboxCount): void {
    this.#inboxes.set(folder, count);
    this.#metrics.inbox = summedInboxes([...this.#inboxes.values()]);
  }

  batchEnded(exitCode: number): void {
    this.#metrics.finished(exitCode, Date.now());
  }

  async ended(exitCode: number): Promise<void> {
    clearInterval(this.#timer);
    this.#metrics.finished(exitCode, Date.now());
    await this.#writing;
    // a process without the lock would write over the file of the one that has it
    if (this.#isOwner) await this.#write();
    await this.#server?.close();
    const { pingUrl } = this.#config;
    if (pingUrl === undefined) return;
    const { ping } = await import("../../client/ping.ts");
    const failed = await ping(pingUrl, exitCode);
    if (failed !== undefined) this.#say(`the monitor could not be told the exit code: ${failed}`);
  }

  async #text(): Promise<string> {
    if (this.#journal) await this.#counts.read(this.#journal);
    return this.#metrics.text(this.#counts.all, Date.now());
  }

  async #write(): Promise<void> {
    const { metricsFile } = this.#config;
    if (metricsFile === undefined) return;
    try {
      await writeMetricsFile(metricsFile, await this.#text());
    } catch (error) {
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.#say(`the metrics cannot be written: ${messageOf(error)}; payments go on`);
  }

  #say(text: string): void {
    this.#call.stderr.write(this.#config.json ? `${JSON.stringify({ type: "remark", message: text })}\n` : `${text}\n`);
  }
}

function summedInboxes(counts: readonly InboxCount[]): InboxCount {
  const since = counts.flatMap(({ oldestSince }) => oldestSince ?? []);
  const files = counts.reduce((sum, count) => sum + count.files, 0);
  return { files, ...(since.length > 0 ? { oldestSince: Math.min(...since) } : {}) };
}
