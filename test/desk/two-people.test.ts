import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describePostgres } from "../support/postgres.ts";
import { AtDesk, type Visitor } from "./at-desk.ts";

/** Of the pretended service the second row gets no answer. */
const FILE = `from_account,to_account,amount
ACC-OPS-01,200300401111,100.00
ACC-OPS-01,SANDBOX-504-2222,200.00
ACC-OPS-01,200300403333,300.00
ACC-OPS-01,200300403333,300.00
`;

describe("two people at the desk on SQLite", () => decideAtOnce("SQLite"));
describePostgres("two people at the desk on Postgres", () => decideAtOnce("Postgres"));

function decideAtOnce(journal: "SQLite" | "Postgres"): void {
  /** Row 3 is unknown, and row 5 is held; both people have the page that says so before them. */
  async function opened() {
    const at = await AtDesk.open(journal);
    at.put("payroll.csv", FILE);
    await at.once();
    const { id } = await at.batchOf("payroll.csv");
    const [asha, ravi] = [await at.person("Asha", "decide"), await at.person("Ravi", "decide")];
    for (const one of [asha, ravi]) await one.ask("/decide");
    const say = (one: Visitor, as: string) => one.post("/decide/unknown", { batch: id, row: "3", as, note: "looked" });
    const row = async (number = 3) => (await at.work.store.rows({ batch: id, rows: [number] }))[0];
    const retry = async (): Promise<void> => {
      const { code } = await at.run(["retry", id]);
      expect([0, 3, 4, 6, 7]).toContain(code);
    };
    return { at, id, asha, ravi, say, row, retry };
  }

  test("did not go, then went, of one row → held, by both names, until a third word", async () => {
    const { at, id, asha, ravi, say, row, retry } = await opened();
    await say(asha, "not-done");
    await say(ravi, "done");
    expect(ravi.news).toMatch(
      /was settled as not done by Asha before you .* held, .* Look it up once more with Asha\. Why it is held: see the batch \.$/,
    );
    expect(await row()).toMatchObject({ state: "held", code: "contradiction" });
    await retry();
    await at.once();
    expect(at.carriedOut).toBe(2);
    await ravi.ask("/decide");
    expect(ravi.section("Held in payroll.csv")).toMatch(
      /Asha said that it did not go, and Ravi said that it went Look it up once more, both of you\./,
    );
    const all = (await at.run(["release", id, "--all", "--by", "Meena", "--reason", "all of them"])).stdout;
    expect(all).toContain("Row 3 is held because two people said two things about it");
    expect(await row()).toMatchObject({ state: "held" });
    await ravi.ask("/decide");
    await ravi.post("/decide/held", { batch: id, row: "3", what: "release", reason: "it did not go" });
    expect(ravi.seen).toContain("1 payment of these was accepted before, or went as somebody says.");
    await ravi.post("/decide/held", { batch: id, row: "3", what: "done", reason: "dashboard 10:12" });
    expect(ravi.news).toContain("is settled as done by Ravi. It is never sent again. Asha had settled it as not done");
    expect(await row()).toMatchObject({ state: "settled_done" });
  });

  test("went, then did not go → it went; the second is told", async () => {
    const { asha, ravi, say, row } = await opened();
    await say(asha, "done");
    await say(ravi, "not-done");
    expect(ravi.news).toMatch(/was settled as done by Asha before you\. What you said changed nothing .* Ask Asha/);
    expect(await row()).toMatchObject({ state: "settled_done", settledBy: "Asha" });
  });

  test("both at once → one stands, or it is held; never sent by the first word", async () => {
    const { at, asha, ravi, say, row, retry } = await opened();
    await Promise.all([say(asha, "not-done"), say(ravi, "done")]);
    expect(["held", "settled_done"]).toContain((await row())?.state);
    await retry();
    expect(at.carriedOut).toBe(2);
  });

  test("did not go, let go again, then went → held before it leaves; after that told", async () => {
    const { at, id, asha, ravi, say, row, retry } = await opened();
    await say(asha, "not-done");
    await asha.ask(`/batch/${id}`);
    await asha.post(`/batch/${id}/retry`, {});
    expect(await row()).toMatchObject({ state: "ready" });
    await say(ravi, "done");
    expect(ravi.news).toContain("was settled as not done by Asha before you");
    await at.once();
    expect([at.carriedOut, (await row())?.state]).toEqual([2, "held"]);

    await at.run(["release", id, "--row", "3", "--by", "Meena", "--reason", "it did not go", "--total", "200"]);
    await retry();
    // the pretended service answers as before: unknown once more, by another attempt
    expect(await row()).toMatchObject({ state: "unknown", attempts: 2 });
    await say(ravi, "done");
    expect(ravi.news).toMatch(/and was sent again: it is unknown\. What you said changed nothing .* paid twice/);
    await say(asha, "not-done");
    expect(asha.news).toContain("it changed after the page was made");
    expect(await row()).toMatchObject({ state: "unknown" });
  });

  test("a held row changed meanwhile → release and cancel refused with what it is", async () => {
    const { at, id, asha, ravi, row } = await opened();
    const held = { batch: id, row: "5", reason: "two are meant" };
    await ravi.post("/decide/held", { ...held, what: "release" });
    expect(ravi.seen).toContain("Let 1 payment go: ₹300.00");
    await asha.post("/decide/held", { ...held, what: "cancel" });
    await ravi.post("/decide/release", { ...held, total: "300" });
    expect(ravi.news).toContain("row 5 of batch " + id + " is cancelled now: it changed after the page was made");
    expect((await row(5))?.state).toBe("cancelled");
    await ravi.post("/decide/held", { ...held, what: "release" });
    expect(ravi.news).toContain("Row 5 is cancelled now");
    await ravi.post("/decide/held", { ...held, what: "cancel" });
    expect(ravi.news).toContain("it changed after the page was made");
    await asha.post("/decide/held", { ...held, row: [], all: "yes", what: "release" });
    expect(asha.news).toContain("Other rows are held now");
    await at.once();
    expect(at.carriedOut).toBe(2);
  });

  test("more was settled as not done since the page → its button sends nothing", async () => {
    const { at, id, asha, ravi, say } = await opened();
    await ravi.ask(`/batch/${id}`);
    await say(asha, "not-done");
    await ravi.post(`/batch/${id}/retry`, {});
    expect(ravi.news).toContain("1 payment, ₹200.00 now. Nothing was sent.");
    await at.once();
    expect(at.carriedOut).toBe(2);
  });

  test("an old list says went of what is settled as not done → held", async () => {
    const { at, asha, say, row, retry } = await opened();
    const list = (await at.run(["status", "--unknown", "--csv"])).stdout;
    await say(asha, "not-done");
    const path = join(at.root, "unknown.csv");
    writeFileSync(path, list.replace(/,,,,,,\r\n$/, ",done,Ravi,dashboard 10:12,,,\r\n"));
    const said = await at.run(["settle", "--from", path]);
    expect([said.code, said.stdout]).toEqual([6, expect.stringContaining("was settled as not done by Asha")]);
    await retry();
    expect([at.carriedOut, (await row())?.state]).toEqual([2, "held"]);
  });
}
