import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { addBatch, batches, dropBatch, dropRecordings, overlaps, purge, setBatch, sumsOfDay } from "../../src/journal/postgres-batches.ts"; // prettier-ignore
import { acts, addRows, beginRun, endRows, endRun, facts, heldFolders, holdFolder, move, rows, runs, sourceOf } from "../../src/journal/postgres-rows.ts"; // prettier-ignore
import { FUNCTIONS, POSTGRES_SCHEMA, TABLES } from "../../src/journal/postgres-schema.ts";
import { seen } from "../../src/journal/postgres-seen.ts";
import { Postgres } from "../../src/journal/postgres.ts";
import { MOVE_ROWS } from "../../src/journal/states.ts";
import type { Committed, JournalFacts, JournalStore, Leaving, Outcome } from "../../src/journal/store.ts";
import { freshDatabase } from "../support/postgres.ts";
import { NOW, type TestJournal } from "./stores.ts";

/** An empty journal in a database of its own. Its rows leave from the first share of a batch, which `commit` claims. */
export async function openTestJournal(): Promise<TestJournal> {
  const url = await freshDatabase();
  const identity = { stateId: randomBytes(8).toString("hex"), keySecret: randomBytes(32).toString("hex") };
  const opened: Postgres[] = [];
  onTestFinished(async () => {
    for (const one of opened) await one.close();
  });
  const openPostgres = async (): Promise<Postgres> => {
    const postgres = await Postgres.open({ url, isSender: false });
    opened.push(postgres);
    return postgres;
  };
  const open = async (): Promise<JournalStore> => storeOf(await openPostgres(), identity);
  const keeper = await openPostgres();
  await keeper.query(`CREATE SCHEMA ${POSTGRES_SCHEMA}`);
  await keeper.query(`${TABLES} ${MOVE_ROWS} ${FUNCTIONS}`);
  const journal: TestJournal = {
    store: await open(),
    another: open,
    async crash() {
      await keeper.query("UPDATE share SET leaseUntil = clock_timestamp() - interval '1 s' WHERE owner IS NOT NULL");
      await keeper.query("DELETE FROM host");
      journal.store = await open();
    },
  };
  return journal;
}

async function storeOf(
  postgres: Postgres,
  identity: Pick<JournalFacts, "stateId" | "keySecret">,
): Promise<JournalStore> {
  const me = `pay1:${randomBytes(4).toString("hex")}`;
  const here = "INSERT INTO host (host, name, version, since, seenAt) VALUES ($1, 'pay1', '1', now(), now())";
  await postgres.query(here, me);
  const shares = new FirstShares(postgres, me);
  return {
    facts: async () => ({ ...(await facts(postgres)), ...identity }),
    addBatch: (batch) => addBatch(postgres, batch, me),
    addRows: (...values) => addRows(postgres, ...values),
    endRows: (...values) => endRows(postgres, ...values),
    setBatch: (...values) => setBatch(postgres, ...values),
    dropBatch: (...values) => dropBatch(postgres, ...values),
    batches: (filter) => batches(postgres, filter),
    rows: (filter) => rows(postgres, filter),
    judging: (work) => postgres.judging(work),
    seen: (...values) => seen(postgres, ...values),
    overlaps: (batch) => overlaps(postgres, batch),
    sumsOfDay: (...values) => sumsOfDay(postgres, ...values),
    move: (...values) => move(postgres, ...values),
    commit: (...values) => shares.commit(...values),
    async recover(who) {
      await dropRecordings(postgres);
      const taken = "SELECT batch, row FROM take_over($1, $2, interval '0')";
      return { unknown: await postgres.write(() => postgres.query(taken, JSON.stringify(who), NOW)) };
    },
    beginRun: (...values) => beginRun(postgres, ...values),
    async endRun(run, ended) {
      await shares.end(run);
      await endRun(postgres, run, ended);
    },
    runs: (batch) => runs(postgres, batch),
    acts: (filter) => acts(postgres, filter),
    sourceOf: (...values) => sourceOf(postgres, ...values),
    heldFolders: () => heldFolders(postgres),
    holdFolder: (...values) => holdFolder(postgres, ...values),
    purge: (before) => purge(postgres, before),
    backup: () => Promise.reject(new Error("a journal in Postgres is backed up there")),
    close: () => postgres.close(),
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
  readonly #me: string;
  readonly #held = new Map<string, Held>();

  constructor(postgres: Postgres, me: string) {
    this.#postgres = postgres;
    this.#me = me;
  }

  async commit(batch: string, outcomes: readonly Outcome[], free: number): Promise<Committed> {
    const held = this.#held.get(batch) ?? (await this.#claim(batch));
    const wanted = [{ ...held, share: 0, no: (held.no += 1), free }];
    const changes = outcomes.map(({ state, ...outcome }) => {
      const to = state === "again" ? "ready" : state;
      return { ...outcome, batch: held.batch, share: 0, from: ["ready"], to, onItsWay: true };
    });
    type Answer = Pick<Committed, "phase"> & { held: boolean; leaving: (Leaving & { turn: number })[] };
    const sql = "SELECT commit_shares($1, $2, $3, interval '15 s') AS answers";
    const values = [JSON.stringify(wanted), JSON.stringify(changes), this.#me];
    const found = await this.#postgres.write(() => this.#postgres.get<{ answers: Answer[] }>(sql, ...values));
    const [answer] = found?.answers ?? [];
    if (!answer) throw new Error("the share is another one's");
    const leaving = answer.leaving.map(({ row, operation, amount, attempts, place, size, crc }) => ({ row, operation, amount, attempts, place, size, crc })); // prettier-ignore
    return { leaving, phase: answer.phase, isHeld: answer.held };
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
