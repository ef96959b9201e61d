import { describe, expect, test } from "vitest";
import { describePostgres } from "../support/postgres.ts";
import { AtDesk, statementOf, type Visitor } from "./at-desk.ts";

/** Rows 3 to 6 get no answer of the pretended service. */
const FILE = `from_account,to_account,amount,reference
ACC-OPS-01,200300401111,100.00,INV-41
ACC-OPS-01,SANDBOX-504-2222,1200.00,INV-42
ACC-OPS-01,SANDBOX-504-3333,1300.50,INV-43
ACC-OPS-01,SANDBOX-504-4444,400.00,INV-44
ACC-OPS-01,SANDBOX-504-5555,500.00,INV-45
`;

/** Rows 3 and 4 stand in it by their references, row 5 by its account, row 6 not at all. */
const LINES = [
  ["NEFT DR-N307-INV-41", "100.00"],
  ["NEFT DR-N308-INV-42", "1200.00"],
  ["IMPS-N309-INV-43", "1300.50"],
  ["NEFT DR-SANDBOX-504-4444-N3320418203347", "400.00"],
] as const;

describe("groups on Decide, SQLite", () => settledTogether("SQLite"));
describePostgres("groups on Decide, Postgres", () => settledTogether("Postgres"));

function settledTogether(journal: "SQLite" | "Postgres"): void {
  async function opened() {
    const at = await AtDesk.open(journal);
    at.put("pay.csv", FILE);
    await at.once();
    const { id } = await at.batchOf("pay.csv");
    const [asha, ravi] = [await at.person("Asha", "decide"), await at.person("Ravi", "decide")];
    const states = async (): Promise<readonly string[]> =>
      (await at.work.store.rows({ batch: id })).slice(1).map(({ state }) => state);
    const say = (by: Visitor, group: string, as: string, more = {}) =>
      by.post("/decide/unknown", { batch: id, group, as, note: "looked", ...more });
    return { at, id, asha, ravi, states, say };
  }
  const UNKNOWN = ["unknown", "unknown", "unknown", "unknown"];

  test("a group ticked at once → its sum is asked for, then each row has its line in its note", async () => {
    const { at, id, asha, states, say } = await opened();
    await asha.ask("/decide");
    expect(asha.section("No clear answer in pay.csv")).toContain("All 4 that no statement tells of, ₹3,400.50");
    await asha.bring("/reconcile", "hdfc.csv", statementOf(LINES), { account: "ACC-OPS-01" });
    await asha.ask("/decide");
    expect(asha.section("No clear answer in pay.csv")).toMatch(
      /All 2 with our own reference, ₹2,500\.50 .* 1 with payee and amount, ₹400\.00 .* 1 without a line, ₹500\.00/,
    );

    await say(asha, "reference", "done");
    expect(asha.seen).toMatch(/They went\? .* 2 payments, ₹2,500\.50\. .* A line of a statement speaks for 2 of the 2/);
    for (const total of ["", "2500", "1200.00", "3400.50"]) {
      await say(asha, "ticked", "done", { total });
      expect([asha.text.includes('name="total"'), await states()], total).toEqual([true, UNKNOWN]);
    }
    await say(asha, "ticked", "done", { total: "₹ 2,500.50" });
    expect(asha.news).toMatch(/^2 rows are settled as done by Asha: ₹2,500\.50\./);
    expect(await states()).toEqual(["settled_done", "settled_done", "unknown", "unknown"]);
    const notes = (await at.work.store.acts({ batch: id })).flatMap(({ kind, note }) =>
      kind === "settle" ? [note] : [],
    );
    expect(notes).toEqual([
      expect.stringMatching(/^looked; statement hdfc\.csv: line 6, .*: your own reference$/),
      expect.stringMatching(/^looked; statement hdfc\.csv: line 7, .*: your own reference$/),
    ]);

    // the same way for what did not go
    await say(asha, "not_shown", "not-done");
    expect(asha.seen).toMatch(/They did not go\? .* 1 payment, ₹500\.00\. .* speaks for 0 of the 1/);
    await say(asha, "ticked", "not-done", { total: "500" });
    expect(await states()).toEqual(["settled_done", "settled_done", "unknown", "settled_not_done"]);
    // all that was said sent nothing
    await at.once();
    expect(at.carriedOut).toBe(1);
  });

  test.each(["before the sum is asked for", "after it"])(
    "a row of a group settled meanwhile, %s → nothing",
    async (when) => {
      const { id, asha, ravi, states, say } = await opened();
      for (const one of [asha, ravi]) await one.ask("/decide");
      if (when === "after it") await say(asha, "not_read", "not-done");
      await ravi.post("/decide/unknown", { batch: id, row: "4", as: "done", note: "dashboard" });
      await say(asha, when === "after it" ? "ticked" : "not_read", "not-done", { total: "3400.50" });
      expect(asha.news).toContain("Row 4 is settled as done now");
      expect(await states()).toEqual(["unknown", "settled_done", "unknown", "unknown"]);
    },
  );

  test("money that came back → settled as not paid by its sum alone, and sent by nobody yet", async () => {
    const { at, id, asha } = await opened();
    const back = [...LINES, ["NEFT RETURN-ACCOUNT CLOSED-INV-41", "-100.00"]] as const;
    await asha.bring("/reconcile", "hdfc.csv", statementOf(back), { account: "ACC-OPS-01" });
    expect(asha.section("Came back")).toMatch(/1 payment, ₹100\.00 .* pay\.csv, row 2 .* ₹100\.00/);
    const [before] = await at.work.store.rows({ batch: id, rows: [2] });
    const statement = asha.carried("statement");
    await asha.ask("/");
    expect(asha.todo).toMatch(/Came back 1 payment in pay\.csv .* ₹100\.00 Say so/);
    await asha.ask(`/reconcile?statement=${statement}`);
    for (const [rows, total] of [
      [[], "100.00"],
      [[`${id}:2`], ""],
      [[`${id}:2`], "99.00"],
      [[`${id}:3`], "1200.00"],
    ] as const) {
      await asha.post("/reconcile/back", { statement, row: rows, total });
      expect(asha.news).toMatch(/Nothing was (?:settled|changed)/);
      expect(await at.work.store.rows({ batch: id, rows: [2] })).toEqual([before]);
    }
    await asha.post("/reconcile/back", { statement, row: `${id}:2`, total: "₹100.00" });
    expect(asha.news).toMatch(/^1 row is settled as not done by Asha: ₹100\.00\./);
    expect(await at.work.store.rows({ batch: id, rows: [2] })).toMatchObject([{ state: "settled_not_done" }]);
    await asha.ask("/");
    expect(asha.todo).not.toContain("Came back");
    await at.once();
    expect(at.carriedOut).toBe(1);
  });
}
