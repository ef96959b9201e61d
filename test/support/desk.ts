import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { runFile, writeAgain, type Work } from "../../src/batch.ts";
import type { Answer } from "../../src/client/answer.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { Config } from "../../src/config/schema.ts";
import type { BatchReport, RunEvent } from "../../src/events.ts";
import { openJournalOf } from "../../src/open-journal.ts";
import type { Act, JournalStore } from "../../src/journal/store.ts";
import { Shared } from "../../src/submission/shared.ts";
import { temporaryDirectory } from "./state-dir.ts";

/** What the service answers to a payload; 200 where it says nothing. */
export type Answers = (payload: string) => Answer | number | undefined;

export const NOW: number = Date.UTC(2026, 10, 26, 9, 30);
export const SILENT: Answer = { kind: "no_answer", cause: "timeout", detail: "", durationMs: 120_000 };

export function answered(status: number, body = ""): Answer {
  return { kind: "answered", status, contentType: "application/json", body, bodyEnd: "complete", durationMs: 4 };
}

/**
 * A folder with files, a state directory with a real journal, and the whole way of a batch; only the service is made up,
 * and the clock stands still.
 */
export class TestDesk {
  readonly folder: string = join(temporaryDirectory(), "inbox");
  config: Config;
  readonly store: JournalStore;
  readonly events: RunEvent[] = [];
  now: number = NOW;
  /** Whether AES key and IV are there. */
  encrypts = true;
  /** Asks a run to stop. */
  soft: AbortController = new AbortController();

  private constructor(folder: string, config: Config, store: JournalStore) {
    this.folder = folder;
    this.config = config;
    this.store = store;
  }

  /** `env`: with the key of a journal in Postgres, which `flags` names. */
  static async open(flags: Readonly<Record<string, unknown>> = {}, env: NodeJS.ProcessEnv = {}): Promise<TestDesk> {
    const root = temporaryDirectory();
    const folder = join(root, "inbox");
    mkdirSync(folder);
    return TestDesk.at(folder, { state_dir: join(root, "state"), ...flags }, env);
  }

  /** In a folder that is there, and a state directory that `flags` names. */
  static async at(folder: string, flags: Readonly<Record<string, unknown>>, env: NodeJS.ProcessEnv): Promise<TestDesk> {
    const said = { base_url: "http://127.0.0.1:1", concurrency: "1", ...flags };
    const { config } = loadSettings({ flags: said, env: { ...env } });
    const store = await openJournalOf(config, config.shared ? { isSender: true } : {});
    onTestFinished(() => store.close());
    return new TestDesk(folder, config, store);
  }

  /** What a person on a terminal says. */
  confirm: Work["confirm"];

  write(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  names(): string[] {
    return readdirSync(this.folder)
      .filter((name) => name !== ".paydrop")
      .sort();
  }

  /** Takes a file and sends it; also one that lies there already. */
  async run(name: string, content?: string | Uint8Array, answers: Answers = () => undefined): Promise<BatchReport> {
    const path = content === undefined ? join(this.folder, name) : this.write(name, content);
    const send = (_operation: string, payload: string): Promise<Answer> => {
      const answer = answers(payload) ?? 200;
      return Promise.resolve(typeof answer === "number" ? answered(answer) : answer);
    };
    const never = new AbortController().signal;
    const openSender = () =>
      Promise.resolve({
        ...{ send, close: () => Promise.resolve(), encrypts: this.encrypts },
        preflight: () => Promise.reject(new Error("no test connects")),
      });
    const shared = new Shared(this.config, { store: this.store, openSender });
    const work: Work = {
      ...{ config: this.config, store: this.store, shared, destination: this.config.base_url ?? "" },
      ...{
        who: { login: "asha", host: "pay1" },
        signals: { soft: this.soft.signal, hard: never },
        now: () => this.now,
      },
      isTrial: false,
      tell: (event) => this.events.push(event),
      inTurn: (_, what) => what(),
      confirm: this.confirm,
    };
    try {
      const report = await runFile(work, path);
      if (!report) throw new Error("nobody was asked");
      return report;
    } finally {
      await shared.close();
    }
  }

  again(batch: string, more: Parameters<typeof writeAgain>[2] = {}): Promise<BatchReport> {
    return writeAgain(this, batch, more);
  }

  act(kind: Act["kind"], more: Partial<Act> = {}): Act {
    return { login: "asha", host: "pay1", by: "Asha Rao", at: this.now, kind, ...more };
  }

  /** A person settles or cancels rows. */
  async move(
    batch: string,
    to: "settled_done" | "settled_not_done" | "cancelled",
    rows: readonly number[],
  ): Promise<void> {
    const from = to === "cancelled" ? (["held", "ready", "not_sent"] as const) : (["unknown"] as const);
    const moves = rows.map((row) => ({ row, to, from }));
    await this.store.move(batch, moves, this.act(to === "cancelled" ? "cancel" : "settle", { batch, rows }));
  }
}

/** Two payouts. The second has an account where its employee number and its reference should be. */
export const PAYROLL = `Emp No,debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode,reference,bank_id
007,ACC-OPS-01,Asha Rao,00012345678901,SBIN0001234,Asha Rao,25000.00,NEFT,SAL-1,1
00012345670042,ACC-OPS-01,Ravi Kumar,00012345670042,SBIN0001234,Ravi Kumar,26000.00,NEFT,00123456789,1
`;

/** A file of transfers, one line for each payee and amount. */
export function transfers(...rows: readonly (readonly [to: string, amount: string, more?: string])[]): string {
  const lines = rows.map(([to, amount, more = ""]) => `ACC-OPS-01,${to},${amount},${more && `"${more}"`}\r\n`);
  return `from_account,to_account,amount,notes\r\n${lines.join("")}`;
}
