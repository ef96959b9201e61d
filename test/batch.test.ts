import { expect, test } from "vitest";
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
