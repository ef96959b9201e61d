import { onTestFinished } from "vitest";
import { openJournalOf } from "../../src/open-journal.ts";
import { Postgres } from "../../src/postgres/postgres.ts";
import type { JournalStore, Leaving, Share } from "../../src/journal/store.ts";
import { TestDesk, transfers } from "./desk.ts";
import { freshDatabase } from "./postgres.ts";

export const JOURNAL_KEY: string = "5e".repeat(32);

/** A desk whose journal is in a database of its own, and how commands find that. */
export async function sharedDesk(flags: Readonly<Record<string, unknown>> = {}) {
  const url = await freshDatabase();
  const env = { PAYDROP_JOURNAL_KEY: JOURNAL_KEY };
  const desk = await TestDesk.open({ ...flags, journal_url: url }, env);
  const postgres = await Postgres.open({ url });
  onTestFinished(() => postgres.close());
  const shape = (operands: readonly string[], more: Readonly<Record<string, unknown>> = {}) => ({
    operands,
    flags: { journal_url: url, state_dir: desk.config.state_dir, ...more },
    env,
  });
  return { desk, url, postgres, shape };
}

export interface LostHost {
  readonly batch: string;
  readonly store: JournalStore;
  readonly share: Share;
  readonly leaving: readonly Leaving[];
}

/** Of a batch of four transfers rows 3 and 4 are on the wire of another host, and its lease is over: they are unknown. */
export async function loseHost({ desk, postgres }: Awaited<ReturnType<typeof sharedDesk>>): Promise<LostHost> {
  const file = transfers(["ACC-1", "1.00"], ["ACC-2", "2.00"], ["ACC-3", "3.00"], ["ACC-4", "4.00"]);
  const { batch } = await desk.run("pay.csv", file, () => 401);
  const store = await openJournalOf(desk.config, { isSender: true });
  onTestFinished(() => store.close());
  await store.beginRun(batch, { login: "root", host: "pay2" }, desk.now);
  const { base_url: destination = "", environment } = desk.config;
  const share = await store.claim({ batch, rows: 4, destination, environment, lanes: 2, concurrency: 2 });
  if (!share) throw new Error("no share is free");
  const [{ leaving } = { leaving: [] }] = await store.commit([{ share, outcomes: [], freeLanes: 2 }]);
  await postgres.query("UPDATE share SET leaseUntil = clock_timestamp() - interval '1 s' WHERE owner IS NOT NULL");
  // as if the server had run for long: in its first seconds nothing is taken over
  const who = JSON.stringify({ login: "asha", host: "pay1" });
  await postgres.query("SELECT take_over($1, $2, interval '0')", who, desk.now);
  return { batch, store, share, leaving };
}
