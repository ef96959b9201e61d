import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { spoolPath } from "../src/state-dir.ts";
import { TestDesk, transfers } from "./support/desk.ts";

const PAYOUTS = `debit_account_id,bene_id,bene_bank_id,amount,payment_mode\r\nACC-1,BENE-1,1,5.00,NEFT\r\n`;
const MIXED = `operation,from_account,to_account,debit_account_id,bene_id,bene_bank_id,payment_mode,amount\r
transfer,ACC-1,T1,,,,,5.00\r
payout,,,ACC-1,BENE-1,1,NEFT,6.00\r
`;

test.each([
  ["a file of payouts", PAYOUTS, 1],
  ["a mixed file", MIXED, 2],
])("%s without AES keys: an error of the configuration, and nothing goes", async (_what, text, ready) => {
  const desk = await TestDesk.open();
  desk.encrypts = false;
  let sent = 0;
  const error = await desk.run("pay.csv", text, () => void (sent += 1)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "config", reason: "keys_missing" });
  const [batch] = await desk.store.batches({});
  expect([sent, batch?.tallies.ready?.rows, batch?.onItsWay]).toEqual([0, ready, 0]);
  desk.encrypts = true;
  expect(await desk.run("pay.csv")).toMatchObject({ exitCode: 0, requests: ready });
});

test("transfers need no AES keys", async () => {
  const desk = await TestDesk.open();
  desk.encrypts = false;
  expect(await desk.run("pay.csv", transfers(["T1", "5.00"]))).toMatchObject({ exitCode: 0 });
});

test.each([
  ["the last row", 3, undefined, 3],
  ["a row that is not the last", 2, "signal", 7],
])("asked to stop while %s is on its way, one was refused → exit code", async (_what, at, code, exitCode) => {
  const desk = await TestDesk.open();
  let sent = 0;
  const report = await desk.run("pay.csv", transfers(["T1", "1.00"], ["T2", "2.00"], ["T3", "3.00"]), () => {
    sent += 1;
    if (sent === at) desk.soft.abort();
    return sent === 1 ? 422 : 200;
  });
  expect([report.stop?.code, report.exitCode]).toEqual([code, exitCode]);
  expect(desk.events.some(({ type }) => type === "stopped")).toBe(code !== undefined);
});

test("a run that goes on → a person is asked again, and a no sends nothing", async () => {
  const desk = await TestDesk.open();
  const asked: number[] = [];
  const says = (isYes: boolean): typeof desk.confirm => {
    return (checked) => Promise.resolve(isYes && asked.push(checked.byStatus.not_sent?.rows ?? 0) > 0);
  };
  desk.confirm = says(true);
  let sent = 0;
  const stopAfterOne = (): undefined => {
    sent += 1;
    desk.soft.abort();
  };
  await desk.run("pay.csv", transfers(["T1", "1.00"], ["T2", "2.00"], ["T3", "3.00"]), stopAfterOne);
  desk.soft = new AbortController();
  desk.confirm = says(false);
  await expect(desk.run("pay.csv", undefined, () => void (sent += 1))).rejects.toThrow("nobody was asked");
  expect(sent).toBe(1);
  desk.confirm = says(true);
  expect(await desk.run("pay.csv", undefined, () => void (sent += 1))).toMatchObject({ exitCode: 0 });
  expect([sent, asked]).toEqual([3, [3, 2]]);
});

test("the same address in the other environment → nothing goes, unless a person says so", async () => {
  const desk = await TestDesk.open({ environment: "live" });
  let sent = 0;
  const count = (): undefined => void (sent += 1);
  await desk.run("pay.csv", transfers(["T1", "1.00"]), count);
  const other = { ...desk.config, environment: "test" } as const;
  desk.config = other;
  await expect(desk.run("pay.csv", undefined, count)).rejects.toMatchObject({ reason: "sent_as_other" });
  expect(sent).toBe(1);
  desk.config = { ...other, accept_destination: true };
  await desk.run("pay.csv", undefined, count);
  expect(sent).toBe(2);
});

test("paid by another file while a person reads the question → held, not sent", async () => {
  const desk = await TestDesk.open();
  const payment = transfers(["T1", "1.00"]);
  let sent = 0;
  const count = (): undefined => void (sent += 1);
  desk.confirm = async () => {
    desk.confirm = undefined;
    await desk.run("other.csv", `${payment}\r\n`, count);
    return true;
  };
  expect(await desk.run("pay.csv", payment, count)).toMatchObject({ exitCode: 6, requests: 0 });
  expect(sent).toBe(1);
});

test("a spreadsheet took zeros in front → no second payment, and no quiet correction", async () => {
  const desk = await TestDesk.open();
  const first = await desk.run("pay.csv", transfers(["00012345", "5.00"], ["00067890", "6.00"]), (payload) =>
    payload.includes("67890") ? 422 : 200,
  );
  expect(await desk.run("again.csv", transfers(["12345", "5.00"]))).toMatchObject({ exitCode: 6, requests: 0 });
  const retry = `from_account,to_account,amount,retry_of\r\nACC-OPS-01,67890,6.00,${first.batch}:3\r\n`;
  const { batch, ...report } = await desk.run("retry.csv", retry);
  expect(report).toMatchObject({ exitCode: 6, requests: 0 });
  const [row] = await desk.store.rows({ batch });
  expect(row?.reasons).toEqual([expect.objectContaining({ code: "correction", isOtherPayee: true, zeros: -3 })]);
});

test("the wrong row is held elsewhere → the first step is to cancel that one, and then the right one goes", async () => {
  const desk = await TestDesk.open();
  await desk.run("pay.csv", transfers(["00012345", "5.00"]));
  const wrong = await desk.run("wrong.csv", transfers(["12345", "7.00"]));
  desk.now += 1000;
  const right = await desk.run("right.csv", transfers(["00012345", "7.00"]));
  expect([wrong.exitCode, right.exitCode]).toEqual([6, 6]);
  expect(right.next.flatMap(({ commands }) => commands)[0]).toEqual({
    ...{ name: "cancel", batch: wrong.batch },
    flags: { row: "2", by: "NAME" },
  });
  expect(desk.read("right.csv.results.csv")).toContain(`paydrop cancel ${wrong.batch} --row 2 --by NAME`);
});

test.each([
  ["csv", (row: string, from: string) => `from_account,to_account,amount,retry_of\r\n${from},T2,6.00,${row}\r\n`],
  [
    "json",
    (row: string, from: string) => `[{"from_account":"${from}","to_account":"T2","amount":"6.00","retry_of":"${row}"}]`,
  ],
])("a retry file (%s) that states no period → is of the period of the row that it corrects", async (format, retry) => {
  const desk = await TestDesk.open();
  const file = transfers(["T1", "5.00"], ["T2", "6.00"]);
  const none = desk.config;
  desk.config = { ...none, period: "2026-11" };
  const refuse = (payload: string): number | undefined => (payload.includes("T2") ? 422 : undefined);
  const { batch } = await desk.run("pay.csv", file, refuse);
  desk.config = none;
  const next = await desk.run(`mended.${format}`, retry(`${batch}:3`, "ACC-OPS-02"), refuse);
  // a correction of the correction, too
  expect(
    await desk.run(`again.${format}`, retry(`${next.batch}:${format === "csv" ? 2 : 1}`, "ACC-OPS-03")),
  ).toMatchObject({ exitCode: 0, requests: 1 });
  desk.config = { ...desk.config, period: "2026-12" };
  expect(await desk.run("next.csv", transfers(["T2", "6.00"], ["T3", "1.00"]))).toMatchObject({
    exitCode: 0,
    requests: 2,
  });
  // however late: the same payment of the same period
  desk.config = { ...desk.config, period: "2026-11", duplicate_days: 0 };
  expect(await desk.run("late.csv", `${file}\r\n`)).toMatchObject({ exitCode: 0, requests: 0 });
});

test("weekly wages by the week in their name → they go; an hour later for the next week → asked", async () => {
  const desk = await TestDesk.open();
  const wages = transfers(["T1", "500.00"], ["T2", "600.00"]);
  for (const week of [45, 46, 47]) {
    expect(await desk.run(`wages-2026-W${week}.csv`, wages)).toMatchObject({ exitCode: 0, requests: 2 });
    desk.now += 7 * 86_400_000;
  }
  desk.now += 3_600_000 - 7 * 86_400_000;
  expect(await desk.run("wages-2026-W48.csv", wages)).toMatchObject({ exitCode: 6, requests: 0 });
  expect(desk.read("wages-2026-W48.csv.results.csv")).toMatch(
    /went already on 10 Dec 2026 \(batch \w{8}, period 2026-W47\), and this file says 2026-W48/,
  );
});

test("a payload that was changed on the disk → is not sent", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", transfers(["T1", "1.00"], ["T2", "2.00"]), () => 401);
  const spool = spoolPath(desk.config.state_dir, batch);
  writeFileSync(spool, readFileSync(spool, "utf8").replace("T2", "T9"));
  const sent: string[] = [];
  const error = await desk
    .run("pay.csv", undefined, (payload) => void sent.push(payload))
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ reason: "spool_damaged" });
  expect(sent.filter((payload) => !payload.includes("T1"))).toEqual([]);
});
