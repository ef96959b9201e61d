import { describe, expect, test } from "vitest";
import { describePostgres } from "../support/postgres.ts";
import { came, until } from "../support/until.ts";
import { removeAccount } from "../../src/acts/accounts.ts";
import { actOf } from "../../src/batch.ts";
import { AtDesk, type Visitor } from "./at-desk.ts";

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

/** What comes to an open page, part by part. */
async function liveParts(at: AtDesk, { cookie }: Visitor, path: string) {
  const live = await fetch(at.deskUrl + path, { headers: { cookie } });
  const events = (live.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  return async (): Promise<Readonly<Record<string, string>> | undefined> => {
    const { value = "" } = await came("what is live", events.read());
    return value === "" ? undefined : (JSON.parse(value.replace(/^data: /, "")) as Record<string, string>);
  };
}

test("an open page → each message has its time; what changed comes, until one may not look", async () => {
  const at = await AtDesk.open("SQLite");
  const asha = await at.person("Asha", "decide");
  // without a script, too, it says of when it is, and nothing says that it is old
  expect(asha.text).toMatch(/<body data-live="\/live\/today">[^]*Up to date, <span id="now">\d\d:\d\d:\d\d</);
  expect(asha.text).toContain('<div id="stale" hidden>');
  const next = await liveParts(at, asha, "/live/today");
  const first = await next();
  expect(Object.keys(first ?? {}).sort()).toEqual([
    "alerts",
    "count-approvals",
    "count-decide",
    "live",
    "now",
    "watched",
  ]);
  const second = await next();
  expect([Object.keys(second ?? {}), (second?.["now"] ?? "") > (first?.["now"] ?? "")]).toEqual([["now"], true]);
  await at.work.store.holdFolder(at.inbox, "desk_stop", actOf(at.work, "hold_folder", { by: "Ravi" }));
  at.put("broken.csv", "name,amount\nx,1\n");
  expect(await next()).toMatchObject({
    now: expect.stringMatching(/^\d\d:\d\d:\d\d$/) as string,
    alerts: expect.stringContaining("by Ravi") as string,
    live: expect.stringContaining("broken.csv") as string,
  });
  await removeAccount(at.work.store, "Asha", actOf(at.work, "remove_account"));
  // what was on its way may still come
  expect((await next()) === undefined || (await next()) === undefined).toBe(true);
});
