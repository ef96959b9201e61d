import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runLife, startLife, type Life, type LifeEnd, type LifeOptions } from "../crash/lives.ts";
import type { Sample } from "./probe.ts";

const PROBE = fileURLToPath(new URL("./probe.ts", import.meta.url));
const HELD = /everything is held|is held: /g;

/** `paydrop watch` of one folder, through as many processes as it takes, with the person and the cron job beside it. */
export class Watcher {
  readonly inbox: string;
  readonly #folder: string;
  readonly #options: LifeOptions;
  #life: Life;
  #output = "";
  #isUp = false;
  lives = 1;
  kills = 0;
  resumes = 0;

  /** `folder`: holds inbox, state, log and metrics. */
  constructor(folder: string, url: string) {
    this.#folder = folder;
    this.inbox = join(folder, "inbox");
    this.#options = {
      stateDir: join(folder, "state"),
      url,
      nodeArgs: ["--expose-gc", "--import", PROBE],
      timeoutMs: LIFE_MAX_MS,
      env: {
        SOAK_PROBE: join(folder, "probe.jsonl"),
        PAYDROP_SETTLE: "300ms",
        PAYDROP_TIMEOUT: "2s",
        PAYDROP_RETRY_FOR: "500ms",
        PAYDROP_WATCH_RETRY: "1s",
        PAYDROP_LOG_FILE: join(folder, "paydrop.log"),
        PAYDROP_METRICS_FILE: join(folder, "paydrop.prom"),
      },
    };
    this.#life = this.#start();
  }

  #start(): Life {
    this.#isUp = false;
    const life = startLife(["watch", this.inbox], this.#options);
    for (const stream of [life.child.stdout, life.child.stderr]) {
      stream?.on("data", (text: string) => {
        this.#output += text;
        this.#isUp ||= text.includes("watching ");
      });
    }
    return life;
  }

  get stateDir(): string {
    return this.#options.stateDir;
  }

  /** Dead at once, then another one. */
  async killAndStart(): Promise<void> {
    this.#life.child.kill("SIGKILL");
    const { code, output } = await this.#life.ended;
    if (code !== undefined) throw new Error(`the watcher had ended by itself with ${code}\n${output}`);
    this.kills += 1;
    this.lives += 1;
    this.#life = this.#start();
  }

  /** A person says resume wherever the folder is held. */
  async resumeIfHeld(): Promise<void> {
    const output = this.#output;
    if (!HELD.test(output)) return;
    HELD.lastIndex = 0;
    this.#output = "";
    const { code, output: said } = await runLife(["resume", "--inbox", this.inbox, "--by", "soak"], this.#options);
    // a hold that was lifted before the last kill is told once more by nobody
    if (code !== 0 && !said.includes("is not held")) throw new Error(`resume ended with ${String(code)}\n${said}`);
    if (code === 0) this.resumes += 1;
  }

  /** As logrotate does. */
  rotateLog(): void {
    const log = join(this.#folder, "paydrop.log");
    // before it listens, a SIGHUP ends it as it ends every program
    if (!this.#isUp || !existsSync(log)) return;
    rmSync(`${log}.1`, { force: true });
    renameSync(log, `${log}.1`);
    this.#life.child.kill("SIGHUP");
  }

  stop(): Promise<LifeEnd> {
    this.#life.child.kill("SIGTERM");
    return this.#life.ended;
  }

  /** Of the process that lives now. */
  samples(): Sample[] {
    const path = join(this.#folder, "probe.jsonl");
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, "utf8").split("\n");
    const all = lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as Sample);
    return all.filter(({ pid }) => pid === this.#life.child.pid);
  }
}

const LIFE_MAX_MS = 24 * 3_600_000;
