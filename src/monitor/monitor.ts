import { existsSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Loaded } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { writeAtomically } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { RunEvent } from "../events.ts";
import type { Sight } from "../postgres/sight.ts";
import type { JournalStore } from "../journal/store.ts";
import { askOnce } from "./ask-once.ts";
import { KnownBatches } from "./known-batches.ts";
import { assertOwnFile } from "./log.ts";
import { Counters, metricsText, type InboxCount, type Known } from "./metrics.ts";

const EVERY_MS = 15_000;
const PING_TIMEOUT_MS = 5_000;
/** So long a page of metrics waits for the journal to be counted. */
const COUNTED_MS = 1_000;
const [BEAT_EVERY_MS, BEAT_LOOK_MS] = [60_000, 1_000];
/** A folder is looked at every few seconds; a large file that is taken keeps a look waiting. */
const LOOK_LATE_MS = 120_000;

type MonitorSettings = Pick<Config, "environment" | "metrics_file" | "metrics_port" | "ping_url">;

/** The journal whose rows are counted. */
type Followed = Pick<JournalStore, "batches" | "hosts" | "now">;

/** A trial must not report to the real monitor: in the sandbox these settings count only as flags. */
export function monitorSettings({ config, origins }: Loaded, isTrial: boolean): MonitorSettings {
  const names = ["metrics_file", "metrics_port", "ping_url"] as const;
  const counting = names.filter((name) => config[name] !== undefined && (!isTrial || origins[name]?.startsWith("--")));
  return { environment: config.environment, ...Object.fromEntries(counting.map((name) => [name, config[name]])) };
}

/**
 * Metrics while a process sends, in a file and on a port, and a ping: with the exit code at its end, and before that while it
 * lasts and is well. None of them ever changes the exit code or holds a payment up; only a file that holds something else is
 * refused at the start. `say`: what goes wrong is said once. `sight`: of the server of a shared journal.
 */
export class Monitor {
  readonly #settings: MonitorSettings;
  readonly #say: (text: string) => void;
  readonly #sight: Sight | undefined;
  readonly #heart: ReturnType<typeof heartOf>;
  /** undefined: none is wanted, or it may be somebody else's. */
  #file: string | undefined;
  readonly #inboxes = new Map<string, InboxCount>();
  /** When runs ended, by metric; what an earlier process left in the file is gone on with. */
  readonly #endings = new Map<string, number>();
  readonly #counters = new Counters();
  readonly #known: KnownBatches;
  #followed: Followed | undefined;
  #counted: Pick<Known, "batches" | "host"> = { batches: [] };
  #counting: Promise<void> | undefined;
  #server: Promise<Server | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #hasComplained = false;

  constructor(settings: MonitorSettings, say: (text: string) => void, sight?: Sight) {
    this.#settings = settings;
    this.#say = say;
    this.#sight = sight;
    this.#heart = heartOf(settings.ping_url, say, sight);
    this.#file = settings.metrics_file;
    this.#known = new KnownBatches(settings.environment);
  }

  saw(event: RunEvent): void {
    this.#counters.count(event);
  }

  batchEnded(exitCode: number): void {
    const atSecond = Math.floor(Date.now() / 1000);
    this.#endings.set("last_finished_timestamp_seconds", atSecond);
    if (exitCode === 0) this.#endings.set("last_success_timestamp_seconds", atSecond);
  }

  /** This process watches, or sends for others, until it is asked to end. */
  lasts(): void {
    this.#heart.begin();
  }

  /** `isRead`: the folder could be read. */
  sawInbox(folder: string, count: InboxCount, isRead = true): void {
    this.#inboxes.set(folder, count);
    if (isRead) this.#heart.looked(folder);
  }

  /** Another host watches it now. */
  leftInbox(folder: string): void {
    this.#inboxes.delete(folder);
    this.#heart.left(folder);
  }

  /** Answers on the port from here on: a shared journal may be away when this process begins. */
  async serve(): Promise<void> {
    const { metrics_port: port } = this.#settings;
    if (port === undefined) return;
    this.#server ??= listen(port, () => this.#text()).catch((error: unknown) => this.#complain(error));
    await this.#server;
  }

  /** For whoever holds the instance lock: rows are counted in this journal from now on, and the metrics file is ours. */
  async follow(store: Followed): Promise<void> {
    if (this.#file === undefined && this.#settings.metrics_port === undefined) return;
    this.#followed = store;
    try {
      if (this.#file !== undefined) this.#goOnWith(this.#file);
    } catch (error) {
      if (error instanceof PaydropError) throw error;
      this.#complain(error);
      // what cannot be read may be somebody else's
      this.#file = undefined;
    }
    await this.serve();
    const renew = (): unknown => (this.#writing = this.#writing.then(() => this.#write()));
    this.#timer = setInterval(renew, EVERY_MS).unref();
  }

  #goOnWith(file: string): void {
    assertOwnFile(file, /^# HELP paydrop_/);
    const left = existsSync(file) ? readFileSync(file, "utf8") : "";
    for (const [, name = "", second] of left.matchAll(/^paydrop_(last_\w+) ([0-9]+)$/gm))
      this.#endings.set(name, Number(second));
    this.#counters.goOnWith(left);
  }

  /** Before the journal is closed: counts its rows once more. */
  async unfollow(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.#text();
    this.#followed = undefined;
  }

  async close(exitCode: number): Promise<void> {
    clearInterval(this.#timer);
    this.#heart.stop();
    this.batchEnded(exitCode);
    await this.#writing;
    // a process without the lock would write over the file of the one that has it
    if (this.#timer) await this.#write();
    const listening = await this.#server;
    listening?.close();
    listening?.closeAllConnections();
    const { ping_url: url } = this.#settings;
    const why = url && (await askOnce(`${url}/${exitCode}`, AbortSignal.timeout(PING_TIMEOUT_MS)));
    if (why) this.#say(new PaydropError("ping_failed", { why }).message);
  }

  async #write(): Promise<void> {
    if (this.#file === undefined) return;
    try {
      // readable by all: collectors run as somebody else
      await writeAtomically(this.#file, [await this.#text()], { replace: true, mode: 0o644 });
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Counted in time, or as it was counted last: nobody who asks waits for the journal. */
  async #text(): Promise<string> {
    const counting = (this.#counting ??= this.#count().finally(() => (this.#counting = undefined)));
    if (this.#sight?.awaySince === undefined)
      await Promise.race([counting, sleep(COUNTED_MS, undefined, { ref: false })]);
    const known = {
      ...this.#counted,
      inboxes: [...this.#inboxes.values()],
      endings: this.#endings,
      counters: this.#counters,
      lookedAt: this.#heart.lookedAt(),
      server: this.#sight,
    };
    return metricsText(known, Date.now());
  }

  async #count(): Promise<void> {
    const store = this.#followed;
    if (!store) return;
    try {
      const batches = await this.#known.look(store);
      const host = (await store.hosts.all()).find((one) => one.host === store.hosts.me);
      this.#counted = { batches, host };
    } catch (error) {
      if (this.#followed) this.#complain(error);
    }
  }

  #complain(error: unknown): undefined {
    if (!this.#hasComplained) this.#say(new PaydropError("metrics_lost", { why: messageOf(error) }).message);
    this.#hasComplained = true;
  }
}

/**
 * Tells the ping every minute that a process which lasts is well: its folders were looked at just now, or it has none, and
 * the server of its journal answers.
 */
function heartOf(url: string | undefined, say: (text: string) => void, sight: Sight | undefined) {
  const looks = new Map<string, number>();
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let beatAtMs = -Infinity;
  let isTold = false;
  const lookedAt = (): number | undefined => (looks.size === 0 ? undefined : Math.min(...looks.values()));
  const isWell = (): boolean => {
    const at = lookedAt();
    const isLooking = at === undefined ? sight !== undefined : Date.now() - at < LOOK_LATE_MS;
    return isLooking && sight?.awaySince === undefined;
  };
  const beat = async (address: string): Promise<void> => {
    const why = await askOnce(address, AbortSignal.any([stopped.signal, AbortSignal.timeout(PING_TIMEOUT_MS)]));
    if (why !== undefined && !isTold && !stopped.signal.aborted) say(new PaydropError("ping_lost", { why }).message);
    isTold = why !== undefined;
  };
  const beatWhenDue = (): void => {
    if (url === undefined || performance.now() - beatAtMs < BEAT_EVERY_MS || !isWell()) return;
    beatAtMs = performance.now();
    void beat(url);
  };
  return {
    lookedAt,
    begin: (): void => void (timer ??= setInterval(beatWhenDue, BEAT_LOOK_MS).unref()),
    looked(folder: string): void {
      if (timer) looks.set(folder, Date.now());
    },
    left: (folder: string): unknown => looks.delete(folder),
    stop(): void {
      clearInterval(timer);
      stopped.abort();
    },
  };
}

async function listen(port: number, read: () => Promise<string>): Promise<Server> {
  // imported only here: at the top of the file it would load all of Node's own fetch in every run
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    const answer = (status: number, text: string): void =>
      void response.writeHead(status, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
    if (request.url?.split("?")[0] === "/metrics")
      read().then(
        (text) => answer(200, text),
        (error: unknown) => answer(500, `${messageOf(error)}\n`),
      );
    else answer(404, "look at /metrics\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new PaydropError("port_taken", { flag: "--metrics-port", port, why: error.message })),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  // metrics alone keep no process alive
  return server.unref();
}
