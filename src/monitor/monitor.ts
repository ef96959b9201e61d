import { existsSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import { formatUnits, unitsOf } from "../amount.ts";
import type { Loaded } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { writeAtomically } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { HostRecord, JournalStore } from "../journal/store.ts";
import { type KnownBatch, KnownBatches } from "./known-batches.ts";
import { assertOwnFile } from "./log.ts";

const EVERY_MS = 15_000;
const PING_TIMEOUT_MS = 5_000;

type MonitorSettings = Pick<Config, "environment" | "metrics_file" | "metrics_port" | "ping_url">;

/** A trial must not report to the real monitor: in the sandbox these settings count only as flags. */
export function monitorSettings({ config, origins }: Loaded, isTrial: boolean): MonitorSettings {
  const names = ["metrics_file", "metrics_port", "ping_url"] as const;
  const counting = names.filter((name) => config[name] !== undefined && (!isTrial || origins[name]?.startsWith("--")));
  return { environment: config.environment, ...Object.fromEntries(counting.map((name) => [name, config[name]])) };
}

/** What waits in an inbox: files, and since when the oldest of them lies there (milliseconds since 1970). */
interface InboxCount {
  readonly files: number;
  readonly oldestSince?: number;
}

/**
 * Metrics while a process sends, in a file and on a port, and a ping with the exit code at its end. None of them ever
 * changes the exit code or holds a payment up; only a file that holds something else is refused at the start. `say`: what
 * goes wrong is said once.
 */
export function createMonitor(settings: MonitorSettings, say: (text: string) => void) {
  const { environment, metrics_port: port, ping_url: url } = settings;
  let file = settings.metrics_file;
  const inboxes = new Map<string, InboxCount>();
  /** When runs ended, by metric; what an earlier process left in the file is gone on with. */
  const endings = new Map<string, number>();
  let followed: Pick<JournalStore, "batches" | "hosts"> | undefined;
  let host: HostRecord | undefined;
  const known = new KnownBatches(environment);
  let batches: readonly KnownBatch[] = [];
  let server: Server | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let hasComplained = false;

  const complain = (error: unknown): undefined => {
    if (!hasComplained) say(new PaydropError("metrics_lost", { why: messageOf(error) }).message);
    hasComplained = true;
  };
  const text = async (): Promise<string> => {
    if (followed) batches = await known.look(followed);
    const { hosts } = followed ?? {};
    if (hosts) host = (await hosts.all()).find((one) => one.host === hosts.me);
    return metricsText(batches, [...inboxes.values()], endings, Date.now(), host);
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
  return {
    batchEnded,
    sawInbox: (folder: string, count: InboxCount): unknown => inboxes.set(folder, count),

    /** For whoever holds the instance lock: rows are counted in this journal from now on, and the metrics file is ours. */
    async follow(store: Pick<JournalStore, "batches" | "hosts">): Promise<void> {
      if (file === undefined && port === undefined) return;
      followed = store;
      try {
        if (file !== undefined) assertOwnFile(file, /^# HELP paydrop_/);
        const left = file !== undefined && existsSync(file) ? readFileSync(file, "utf8") : "";
        for (const [, name = "", second] of left.matchAll(/^paydrop_(last_\w+) ([0-9]+)$/gm))
          endings.set(name, Number(second));
      } catch (error) {
        if (error instanceof PaydropError) throw error;
        complain(error);
        // what cannot be read may be somebody else's
        file = undefined;
      }
      if (port !== undefined) server = await listen(port, text).catch(complain);
      const renew = (): unknown => (writing = writing.then(write));
      timer = setInterval(renew, EVERY_MS).unref();
    },

    /** Before the journal is closed: counts its rows once more. */
    async unfollow(): Promise<void> {
      clearInterval(timer);
      await writing;
      await text().catch(complain);
      followed = undefined;
    },

    async close(exitCode: number): Promise<void> {
      clearInterval(timer);
      batchEnded(exitCode);
      await writing;
      // a process without the lock would write over the file of the one that has it
      if (timer) await write();
      server?.close();
      server?.closeAllConnections();
      const why = url && (await askOnce(`${url}/${exitCode}`, AbortSignal.timeout(PING_TIMEOUT_MS)));
      if (why) say(new PaydropError("ping_failed", { why }).message);
    },
  };
}

/**
 * The exposition format of Prometheus; no batch, account or file name. `ended`: when runs ended, by metric; `host`: this
 * one, where several share the journal. Rows and sums are those of the journal, the same on all of them.
 */
export function metricsText(
  batches: readonly KnownBatch[],
  inboxes: readonly InboxCount[],
  ended: ReadonlyMap<string, number>,
  nowMs: number,
  host?: HostRecord,
): string {
  const sums = sumsOf(batches);
  const inState = (state: "unknown" | "held"): number =>
    batches.reduce((sum, { tallies }) => sum + (tallies[state]?.rows ?? 0), 0);
  const ofInboxes = (value: number): Samples => (inboxes.length === 0 ? [] : [["", value]]);
  const oldest = Math.min(nowMs, ...inboxes.map(({ oldestSince = nowMs }) => oldestSince));
  const lastOf = (name: string): Samples => (ended.has(name) ? [["", ended.get(name) ?? 0]] : []);
  const sumOf = (counts: readonly number[] = []): number => counts.reduce((sum, count) => sum + count, 0);
  const ofHost = (count = 0): Samples => (host ? [[`{host="${host.name.replaceAll(/["\\\n]/g, "")}"}`, count]] : []);
  const [finished, succeeded] = ["last_finished_timestamp_seconds", "last_success_timestamp_seconds"] as const;
  const gauges: readonly (readonly [name: string, help: string, samples: Samples])[] = [
    ["rows_total", "Rows in the journal by operation and state.", sums.map(({ labels, rows }) => [labels, rows])],
    ["amount_total", "Sums of amounts as written.", sums.map(({ labels, units }) => [labels, formatUnits(units)])],
    ["unknown_rows", "Rows that a person must settle.", [["", inState("unknown")]]],
    ["held_rows", "Rows that a person must release or cancel.", [["", inState("held")]]],
    ["inbox_files", "Files that wait in the inboxes.", ofInboxes(inboxes.reduce((sum, { files }) => sum + files, 0))],
    ["oldest_inbox_seconds", "Age of the oldest of them.", ofInboxes((nowMs - oldest) / 1000)],
    ["host_shares", "Shares of batches that this host sends.", ofHost(host?.shares.length)],
    ["host_lanes", "Requests that it may have in flight.", ofHost(sumOf(host?.shares.map(({ lanes }) => lanes)))],
    ["host_inboxes", "Inboxes that it watches.", ofHost(host?.leases.filter((one) => one.startsWith("inbox ")).length)],
    [finished, "When a run last ended.", lastOf(finished)],
    [succeeded, "When a run last ended with exit code 0.", lastOf(succeeded)],
  ];
  return gauges.map((one) => gauge(...one)).join("");
}

type Samples = readonly (readonly [labels: string, value: number | string])[];

function gauge(name: string, help: string, samples: Samples): string {
  const lines = samples.map(([labels, value]) => `paydrop_${name}${labels} ${value}\n`);
  return lines.length === 0 ? "" : `# HELP paydrop_${name} ${help}\n# TYPE paydrop_${name} gauge\n${lines.join("")}`;
}

function sumsOf(batches: readonly KnownBatch[]) {
  const sums = new Map<string, { labels: string; rows: number; units: bigint }>();
  for (const { label, tallies } of batches) {
    // `payout, option B`
    const operation = /^[a-z]+(?=$|,)/.exec(label)?.[0] ?? "none";
    for (const [state, { rows, amount }] of Object.entries(tallies)) {
      const labels = `{operation="${operation}",state="${state}"}`;
      const sum = sums.get(labels) ?? { labels, rows: 0, units: 0n };
      sums.set(labels, { labels, rows: sum.rows + rows, units: sum.units + unitsOf(amount) });
    }
  }
  return [...sums.values()].sort((one, other) => (one.labels < other.labels ? -1 : 1));
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

/** One request beside payments: with `json` a POST. Gives what went wrong; a redirect is not followed. */
export async function askOnce(address: string, signal: AbortSignal, json?: object): Promise<string | undefined> {
  const { origin, pathname, search } = new URL(address);
  const { EnvHttpProxyAgent } = await import("undici");
  const agent = new EnvHttpProxyAgent({ connect: { rejectUnauthorized: true } });
  const post = json && { headers: { "content-type": "application/json" }, body: JSON.stringify(json) };
  try {
    const method = json ? "POST" : "GET";
    const { statusCode, body } = await agent.request({ origin, path: pathname + search, method, ...post, signal });
    body.on("error", () => undefined).destroy();
    return statusCode < 300 ? undefined : `the answer was ${statusCode}`;
  } catch (error) {
    return messageOf(error);
  } finally {
    await agent.destroy();
  }
}
