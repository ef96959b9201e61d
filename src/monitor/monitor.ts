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
import { verdictOf } from "../submission/verdict.ts";
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
export function createMonitor(settings: MonitorSettings, say: (text: string) => void, sight?: Sight) {
  const { environment, metrics_port: port, ping_url: url } = settings;
  let file = settings.metrics_file;
  const inboxes = new Map<string, InboxCount>();
  /** When runs ended, by metric; what an earlier process left in the file is gone on with. */
  const endings = new Map<string, number>();
  const counters = new Counters();
  let followed: Pick<JournalStore, "batches" | "hosts" | "now"> | undefined;
  let counted: Pick<Known, "batches" | "host"> = { batches: [] };
  const known = new KnownBatches(environment);
  let counting: Promise<void> | undefined;
  let server: Promise<Server | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let hasComplained = false;
  const heart = heartOf(url, say, sight);

  const complain = (error: unknown): undefined => {
    if (!hasComplained) say(new PaydropError("metrics_lost", { why: messageOf(error) }).message);
    hasComplained = true;
  };
  const count = async (): Promise<void> => {
    const store = followed;
    if (!store) return;
    try {
      const batches = await known.look(store);
      const host = (await store.hosts.all()).find((one) => one.host === store.hosts.me);
      counted = { batches, host };
    } catch (error) {
      if (followed) complain(error);
    }
  };
  /** Counted in time, or as it was counted last: nobody who asks waits for the journal. */
  const text = async (): Promise<string> => {
    counting ??= count().finally(() => (counting = undefined));
    if (sight?.awaySince === undefined) await Promise.race([counting, sleep(COUNTED_MS, undefined, { ref: false })]);
    const all = { ...counted, inboxes: [...inboxes.values()], endings, counters, lookedAt: heart.lookedAt() };
    return metricsText({ ...all, server: sight }, Date.now());
  };
  const write = async (): Promise<void> => {
    if (file === undefined) return;
    try {
      // readable by all: collectors run as somebody else
      await writeAtomically(file, [await text()], { replace: true, mode: 0o644 });
    } catch (error) {
      complain(error);
    }
  };
  const batchEnded = (exitCode: number): void => {
    const atSecond = Math.floor(Date.now() / 1000);
    endings.set("last_finished_timestamp_seconds", atSecond);
    if (exitCode === 0) endings.set("last_success_timestamp_seconds", atSecond);
  };
  const serve = async (): Promise<void> => {
    if (port !== undefined) await (server ??= listen(port, text).catch(complain));
  };
  return {
    batchEnded,
    /** Answers on the port from here on: a shared journal may be away when this process begins. */
    serve,
    saw: (event: RunEvent): void => counters.count(event),

    /** This process watches, or sends for others, until it is asked to end. */
    lasts: (): void => heart.begin(),
    /** `isRead`: the folder could be read. */
    sawInbox(folder: string, count: InboxCount, isRead = true): void {
      inboxes.set(folder, count);
      if (isRead) heart.looked(folder);
    },
    /** Another host watches it now. */
    leftInbox(folder: string): void {
      inboxes.delete(folder);
      heart.left(folder);
    },

    /** For whoever holds the instance lock: rows are counted in this journal from now on, and the metrics file is ours. */
    async follow(store: Pick<JournalStore, "batches" | "hosts" | "now">): Promise<void> {
      if (file === undefined && port === undefined) return;
      followed = store;
      try {
        if (file !== undefined) assertOwnFile(file, /^# HELP paydrop_/);
        const left = file !== undefined && existsSync(file) ? readFileSync(file, "utf8") : "";
        for (const [, name = "", second] of left.matchAll(/^paydrop_(last_\w+) ([0-9]+)$/gm))
          endings.set(name, Number(second));
        counters.goOnWith(left);
      } catch (error) {
        if (error instanceof PaydropError) throw error;
        complain(error);
        // what cannot be read may be somebody else's
        file = undefined;
      }
      await serve();
      const renew = (): unknown => (writing = writing.then(write));
      timer = setInterval(renew, EVERY_MS).unref();
    },

    /** Before the journal is closed: counts its rows once more. */
    async unfollow(): Promise<void> {
      clearInterval(timer);
      await writing;
      await text();
      followed = undefined;
    },

    async close(exitCode: number): Promise<void> {
      clearInterval(timer);
      heart.stop();
      batchEnded(exitCode);
      await writing;
      // a process without the lock would write over the file of the one that has it
      if (timer) await write();
      const listening = await server;
      listening?.close();
      listening?.closeAllConnections();
      const why = url && (await askOnce(`${url}/${exitCode}`, AbortSignal.timeout(PING_TIMEOUT_MS)));
      if (why) say(new PaydropError("ping_failed", { why }).message);
    },
  };
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

const ANSWER_BYTES_MAX = 1024;

/** Of an answer that is short, the whole of it. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of body) {
    pieces.push(piece);
    if (pieces.reduce((sum, one) => sum + one.length, 0) >= ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(pieces).toString("utf8").slice(0, ANSWER_BYTES_MAX);
}

/** One request beside payments: with `json` a POST. Gives what went wrong; a redirect is not followed. */
export async function askOnce(address: string, signal: AbortSignal, json?: object): Promise<string | undefined> {
  const { origin, pathname, search } = new URL(address);
  const { EnvHttpProxyAgent } = await import("undici");
  const agent = new EnvHttpProxyAgent({ connect: { rejectUnauthorized: true } });
  const post = json && { headers: { "content-type": "application/json" }, body: JSON.stringify(json) };
  try {
    const method = json ? "POST" : "GET";
    const { statusCode, body } = await agent.request({ origin, path: pathname + search, method, ...post, signal });
    const said = json && statusCode < 300 ? await beginningOf(body) : "";
    body.on("error", () => undefined).destroy();
    if (statusCode >= 300) return `the answer was ${statusCode}`;
    return verdictOf(said) === "says_no" ? `the answer was ${statusCode}: ${said}` : undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    await agent.destroy();
  }
}
