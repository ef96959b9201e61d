import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { openPostgres } from "../../src/postgres/open.ts";
import { dropRecordings } from "../../src/postgres/recording.ts";
import { Postgres } from "../../src/postgres/postgres.ts";
import type { Commit, Committed, JournalStore, Leaving } from "../../src/journal/store.ts";
import { freshDatabase } from "../support/postgres.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import type { TestJournal } from "./stores.ts";

/** An empty journal in a database of its own. Its rows leave from the first share of a batch, which a commit claims. */
export async function openTestJournal(): Promise<TestJournal & { readonly postgres: Postgres }> {
  const stateDir = temporaryDirectory();
  const options = { url: await freshDatabase(), isSender: true, journalKey: randomBytes(32), stateDir };
  const postgres = await Postgres.open(options);
  const opened: { close(): Promise<void> }[] = [postgres];
  onTestFinished(async () => {
    for (const one of opened) await one.close();
  });
  const open = async (): Promise<JournalStore> => {
    const store = await openPostgres(options);
    opened.push(store);
    return withCommit(store, postgres);
  };
  const journal = {
    postgres,
    store: await open(),
    another: open,
    async crash() {
      await postgres.query("UPDATE share SET leaseUntil = clock_timestamp() - interval '1 s' WHERE owner IS NOT NULL");
      await postgres.query("DELETE FROM host");
      journal.store = await open();
    },
  };
  return journal;
}

function withCommit(store: JournalStore, postgres: Postgres): JournalStore {
  const shares = new FirstShares(postgres);
  return {
    ...store,
    commit: (all) => Promise.all(all.map((one) => shares.commit(one))),
    async recover(who) {
      await dropRecordings(postgres);
      // as if the server had run for long: in its first seconds nothing is taken over
      const taken = "SELECT batch, row FROM take_over($1, $2, interval '0')";
      return { unknown: await postgres.write(() => postgres.query(taken, JSON.stringify(who), Date.now())) };
    },
    async endRun(run, ended) {
      await shares.end(run);
      await store.endRun(run, ended);
    },
  };
}

interface Held {
  readonly batch: number;
  readonly epoch: number;
  no: number;
}

/** The first share of each batch, held by this process from its first commit on. */
class FirstShares {
  readonly #postgres: Postgres;
  readonly #me = randomBytes(4).toString("hex");
  readonly #held = new Map<string, Held>();

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  async commit({ share: { batch }, outcomes, freeLanes: free }: Commit): Promise<Committed> {
    const held = this.#held.get(batch) ?? (await this.#claim(batch));
    const wanted = [{ ...held, share: 0, no: (held.no += 1), free }];
    const changes = outcomes.map(({ state, ...outcome }) => {
      const to = state === "again" ? "ready" : state;
      return { ...outcome, batch: held.batch, share: 0, from: ["ready"], to, onItsWay: true };
    });
    type Answer = Pick<Committed, "phase" | "hold"> & { leaving: (Leaving & { turn: number })[] };
    const sql = "SELECT commit_shares($1, $2, $3, interval '15 s') AS answers";
    const values = [JSON.stringify(wanted), JSON.stringify(changes), this.#me];
    const found = await this.#postgres.write(() => this.#postgres.get<{ answers: Answer[] }>(sql, ...values));
    const [answer] = found?.answers ?? [];
    if (!answer) throw new Error("the share is another one's");
    const leaving = answer.leaving.map(({ row, operation, amount, attempts, place, size, crc }) => ({
      row,
      operation,
      amount,
      attempts,
      place,
      size,
      crc,
    }));
    return { leaving, phase: answer.phase, hold: answer.hold ?? undefined, isLost: false };
  }

  async #claim(batch: string): Promise<Held> {
    const sql = `UPDATE share SET epoch = epoch + 1, owner = $1, leaseUntil = clock_timestamp() + interval '15 s', commitNo = 0
      WHERE batch = (SELECT seq FROM batch WHERE id = $2) AND share = 0 RETURNING batch, epoch`;
    const claimed = await this.#postgres.get<Omit<Held, "no">>(sql, this.#me, batch);
    if (!claimed) throw new Error(`there is no batch ${batch}`);
    const held = { ...claimed, no: 0 };
    this.#held.set(batch, held);
    return held;
  }

  async end(run: number): Promise<void> {
    const of = await this.#postgres.get<{ batch: string }>("SELECT batch FROM run WHERE id = $1", run);
    const held = this.#held.get(of?.batch ?? "");
    if (!of || !held) return;
    this.#held.delete(of.batch);
    const sql = "SELECT end_share($1, 0, $2, $3)";
    await this.#postgres.write(() => this.#postgres.query(sql, held.batch, held.epoch, this.#me));
  }
}
