import { existsSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Loaded } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { writeAtomically } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { assertOwnFile } from "./log.ts";
import { endings, metricsText, noteEnding, type InboxCount } from "./metrics.ts";

const EVERY_MS = 15_000;
const PING_TIMEOUT_MS = 5_000;

type MonitorSettings = Pick<Config, "environment" | "metrics_file" | "metrics_port" | "ping_url">;

/** A trial must not report to the real monitor: in the sandbox these settings count only as flags. */
export function monitorSettings({ config, origins }: Loaded, isTrial: boolean): MonitorSettings {
  const names = ["metrics_file", "metrics_port", "ping_url"] as const;
  const counting = names.filter((name) => config[name] !== undefined && (!isTrial || origins[name]?.startsWith("--")));
  return { environment: config.environment, ...Object.fromEntries(counting.map((name) => [name, config[name]])) };
}

/**
 * Metrics while a process sends, in a file and on a port, and a ping with the exit code at its end. None of them ever
 * changes the exit code or holds a payment up; only a port that is taken, or a file that cannot be read, is refused at
 * the start. `say`: what goes wrong is said once.
 */
export class Monitor {
  readonly #settings: MonitorSettings;
  readonly #say: (text: string) => void;
  readonly #inboxes = new Map<string, InboxCount>();
  #ended = new Map<string, number>();
  #store: JournalStore | undefined;
  #batches: readonly BatchRecord[] = [];
  #server: Server | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isOwner = false;
  #hasComplained = false;

  constructor(settings: MonitorSettings, say: (text: string) => void) {
    this.#settings = settings;
    this.#say = say;
  }

  /** A batch of a process that goes on has ended. */
  batchEnded(exitCode: number): void {
    noteEnding(this.#ended, exitCode, Date.now());
  }

  /** What waits in an inbox now. */
  sawInbox(folder: string, count: InboxCount): void {
    this.#inboxes.set(folder, count);
  }

  /** For whoever holds the instance lock: rows are counted in this journal from now on, and the metrics file is ours. */
  async follow(store: JournalStore): Promise<void> {
    const { metrics_file: file, metrics_port: port } = this.#settings;
    if (file === undefined && port === undefined) return;
    this.#store = store;
    if (file !== undefined) {
      assertOwnFile(file, /^# HELP paydrop_/);
      this.#ended = endings(existsSync(file) ? readFileSync(file, "utf8") : "");
    }
    if (port !== undefined) this.#server = await listen(port, () => this.#text());
    this.#isOwner = true;
    this.#timer = setInterval(() => {
      this.#writing = this.#writing.then(() => this.#write());
    }, EVERY_MS).unref();
  }

  /** Before the journal is closed: counts its rows once more. */
  async unfollow(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.#text().catch((error: unknown) => this.#complain(error));
    this.#store = undefined;
  }

  async close(exitCode: number): Promise<void> {
    clearInterval(this.#timer);
    noteEnding(this.#ended, exitCode, Date.now());
    await this.#writing;
    // a process without the lock would write over the file of the one that has it
    if (this.#isOwner) await this.#write();
    this.#server?.close();
    this.#server?.closeAllConnections();
    const failed = this.#settings.ping_url === undefined ? undefined : await ping(this.#settings.ping_url, exitCode);
    if (failed !== undefined) this.#say(new PaydropError("ping_failed", { why: failed }).message);
  }

  async #text(): Promise<string> {
    if (this.#store) this.#batches = await this.#store.batches({ environment: this.#settings.environment });
    return metricsText(this.#batches, [...this.#inboxes.values()], this.#ended, Date.now());
  }

  async #write(): Promise<void> {
    const { metrics_file: file } = this.#settings;
    if (file === undefined) return;
    try {
      // readable by all: collectors run as somebody else
      await writeAtomically(file, [await this.#text()], { replace: true, mode: 0o644 });
    } catch (error) {
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    if (!this.#hasComplained) this.#say(new PaydropError("metrics_lost", { why: messageOf(error) }).message);
    this.#hasComplained = true;
  }
}

/** `GET /metrics` on 127.0.0.1. */
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

/**
 * Tells a monitor that a run has ended: `GET url/<exit code>`, and nothing else is sent. Gives what went wrong, or
 * undefined; a monitor that cannot be reached changes nothing about payments.
 */
async function ping(url: string, exitCode: number): Promise<string | undefined> {
  const { origin, pathname: path } = new URL(`${url}/${exitCode}`);
  const { EnvHttpProxyAgent } = await import("undici");
  const agent = new EnvHttpProxyAgent({ connect: { rejectUnauthorized: true, timeout: PING_TIMEOUT_MS } });
  try {
    const signal = AbortSignal.timeout(PING_TIMEOUT_MS);
    const { statusCode, body } = await agent.request({ origin, path, method: "GET", signal });
    body.on("error", () => undefined).destroy();
    return statusCode < 300 ? undefined : `the answer was ${statusCode}`;
  } catch (error) {
    return messageOf(error);
  } finally {
    await agent.destroy();
  }
}
