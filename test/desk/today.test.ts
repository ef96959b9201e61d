import { describe, expect, test } from "vitest";
import { describePostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { AtDesk } from "./at-desk.ts";

/** Of the pretended service the second row gets no answer. */
const FILE = `from_account,to_account,amount
ACC-OPS-01,200300401111,100.00
ACC-OPS-01,SANDBOX-504-2222,200.00
ACC-OPS-01,200300403333,300.00
ACC-OPS-01,200300403333,300.00
`;

describe("Today on SQLite", () => tellsTruly("SQLite"));
describePostgres("Today on Postgres", () => tellsTruly("Postgres"));

function tellsTruly(journal: "SQLite" | "Postgres"): void {
  test("nothing will move → what rows wait for, there and in status, never their turn", async () => {
    const at = await AtDesk.open(journal);
    const asha = await at.person("Asha", "decide");
    at.put("payroll.csv", FILE);
    await at.once();
    const { id } = await at.batchOf("payroll.csv");
    const today = async (): Promise<string> => {
      await asha.ask("/");
      return asha.todo;
    };
    const goes = async (): Promise<string> => {
      await asha.ask("/");
      return asha.section("On the way");
    };
    const status = async (): Promise<string> =>
      (await at.run(["status"])).stdout + (await at.run(["status", id])).stdout;
    const twice = (words: string): RegExp => new RegExp(`${words}[^]*${words}`);
    const NOBODY = "nobody sends it: no paydrop is at work here";

    await asha.ask("/decide");
    await asha.post("/decide/unknown", { batch: id, row: "3", as: "not-done", note: "no entry" });
    expect(await today()).toMatch(
      /Held 1 payment .* ₹300\.00 .* Send again\? 1 payment in payroll\.csv Looked up by Asha: .* ₹200\.00 Send 1 again/,
    );
    expect(asha.section("On the way")).toBe("");
    expect(asha.seen).toMatch(/Nobody watches: no paydrop is at work here\. .* To do/);

    await asha.ask(`/batch/${id}`);
    await asha.post(`/batch/${id}/retry`, {});
    expect(await goes()).toContain(NOBODY);
    expect(await status()).toMatch(twice(NOBODY));
    await asha.ask(`/batch/${id}`);
    expect(asha.seen).toContain(NOBODY);

    await asha.post("/stop", { inbox: at.inbox });
    expect(await goes()).toContain("inbox is stopped: nothing goes from it");
    expect(asha.seen).toMatch(
      /stopped in “ inbox ” since \S+, by Asha\. Somebody pressed STOP at the desk\. 1 payment, ₹200\.00 wait behind it\. Let sending go on .* To do/,
    );
    expect(await status()).toMatch(twice("inbox is stopped: nothing goes from it"));
    await asha.post("/go-on", { inbox: at.inbox });
    await asha.ask(`/batch/${id}`);
    await asha.post(`/batch/${id}/pause`, {});
    expect(await today()).toMatch(/Paused payroll\.csv 1 payment waits/);
    expect(await status()).toMatch(twice("paused: nothing goes until a person lets it go on"));
    expect(at.carriedOut).toBe(2);
    const lines = at.read("payroll.csv.results.csv");
    expect(lines).toContain("When the batch goes on. To let it go on: paydrop resume");

    await asha.ask(`/batch/${id}`);
    await asha.post(`/batch/${id}/resume`, {});
    const watch = at.start();
    await until("somebody watches", async () => !(await asha.ask("/")).includes("Nobody watches"));
    await until("the row goes again", async () => /No clear answer 1 payment .* ₹200\.00/.test(await today()));
    expect(asha.seen).not.toMatch(/nobody sends|waits for its turn/);
    watch.child.kill("SIGKILL");
    await until("nobody watches", async () => (await asha.ask("/")).includes("Nobody watches"), { withinMs: 60_000 });
  });
}
