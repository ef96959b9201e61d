import { describe, expect, test } from "vitest";
import { SHARE_ROWS } from "../../src/journal/states.ts";
import { describeApart, describePostgres } from "../support/postgres.ts";
import { openTestJournal } from "./postgres-store.ts";
import { describeJournalStore } from "./store-contract.ts";
import { ASHA, newBatch, newRow, opened, outcome, record, rowOf } from "./stores.ts";
import { letsRowsGoByTurns, ONE_LANE, TWO_LANES } from "./turns-contract.ts";
import { commitTo } from "../support/commit.ts";

describeApart("Postgres by the model of turns, two lanes", () => letsRowsGoByTurns(openTestJournal, [TWO_LANES]));

describePostgres("a journal in Postgres", () => {
  describeJournalStore("Postgres", openTestJournal);
  // of all that its functions do, shares by their model tell more
  describe("Postgres by the model of turns", () => letsRowsGoByTurns(openTestJournal, [ONE_LANE]));

  test("more rows than a share takes → cut in order, each share counted by itself", async () => {
    const { store, postgres } = await openTestJournal();
    const rows = Array.from({ length: 2 * SHARE_ROWS + 1 }, (_, at) => newRow(at + 2, String(at), { amount: "0.01" }));
    await store.addBatch(newBatch("A"));
    for (let at = 0; at < rows.length; at += 1500) await store.addRows("A", rows.slice(at, at + 1500));
    const cut = await postgres.query("SELECT share, firstRow, lastRow, nextTurn FROM share ORDER BY share");
    expect(cut).toEqual([
      { share: 0, firstRow: 2, lastRow: SHARE_ROWS + 1, nextTurn: SHARE_ROWS + 1 },
      { share: 1, firstRow: SHARE_ROWS + 2, lastRow: 2 * SHARE_ROWS + 1, nextTurn: SHARE_ROWS + 1 },
      { share: 2, firstRow: 2 * SHARE_ROWS + 2, lastRow: 2 * SHARE_ROWS + 2, nextTurn: 2 },
    ]);
    const turns = `SELECT count(*) FROM rows WHERE share <> (row - 2) / ${SHARE_ROWS} OR turn <> (row - 2) % ${SHARE_ROWS} + 1`;
    expect(await postgres.query(turns)).toEqual([{ count: 0 }]);
    const totals = { rows: rows.length, total: "40.01", label: "transfer", payments: "x", remarks: [] };
    await store.endRows("A", totals);
    await store.judging(() => store.setBatch("A", { phase: "open" }));
    // so that it shows when the share of one row is counted again
    await postgres.query("UPDATE share SET tallies = '{}' WHERE share = 2");
    await store.move("A", [
      { row: 3, to: "held", from: ["ready"] },
      { row: SHARE_ROWS + 2, to: "cancelled", from: ["ready"] },
    ]);
    const tallies = {
      ready: { rows: rows.length - 3, amount: ((rows.length - 3) / 100).toFixed(2) },
      held: { rows: 1, amount: "0.01" },
      cancelled: { rows: 1, amount: "0.01" },
    };
    expect((await store.batches({ id: "A" }))[0]?.tallies).toEqual(tallies);
    expect(await postgres.query("SELECT 1 FROM share WHERE tallies IS NULL")).toEqual([]);
  });

  test("a batch half written down → goes once its host is gone, and not before", async () => {
    const { store, postgres } = await openTestJournal();
    await record(store, newBatch("A"), [newRow(2, "1")]);
    await store.recover(ASHA);
    expect(await store.batches({ id: "A" })).toHaveLength(1);
    await postgres.query("UPDATE host SET seenAt = clock_timestamp() - interval '61 s'");
    await store.recover(ASHA);
    expect(await store.batches({ id: "A" })).toEqual([]);
    expect(await postgres.query("SELECT 1 FROM key")).toEqual([]);
  });

  test("an approval that is over by the server's clock → over for a host whose clock is behind", async () => {
    const { store } = await openTestJournal();
    const id = await opened(store, "A", ["1"]);
    const approvedUntil = Date.now() + 60_000;
    await store.setBatch(id, { approvers: 1, approvedUntil });
    expect(await store.batches({ id })).toMatchObject([{ approvedUntil }]);
    await store.setBatch(id, { approvers: 1, approvedUntil: Date.now() - 1_000 });
    expect(await store.batches({ id })).toMatchObject([{ approvedUntil: 0 }]);
  });

  test("what a lost host heard too late → shown with the row", async () => {
    const { store, postgres } = await openTestJournal();
    const id = await opened(store, "A", ["1"]);
    await commitTo(store, id, [], 1);
    await commitTo(store, id, [outcome(2, "unknown")], 0);
    await postgres.query("UPDATE rows SET lateAnswer = 'accepted: HTTP 200'");
    expect(await rowOf(store, id, 2)).toMatchObject({ state: "unknown", lateAnswer: "accepted: HTTP 200" });
  });
});
