import { expect, test } from "vitest";
import { contentOf } from "../../src/checks/as-it-was.ts";
import { isAsItWas } from "../../src/duplicates/keys.ts";
import { wake } from "../../src/submission/again.ts";
import { TestDesk, transfers } from "../support/desk.ts";
import { describePostgres } from "../support/postgres.ts";
import { sharedDesk } from "../support/shared-desk.ts";
import { bookFile, textRow } from "../support/workbooks.ts";
import { readFileSync } from "node:fs";

test.for([
  [["1000.00", "1000", "1000.0", "01000"], true],
  [["2026-11-28", "28-11-2026", "11/28/2026", "28-Nov-26", "28.11.2026 00:00:00"], true],
  [["2026-11", "Nov-26", "11/2026"], true],
  [["1.23457E+11", "123457000000"], true],
  [["1000", "1000.01"], false],
  [["asha", "Asha"], false],
  [["ACC-7", "ACC-07"], false],
  [["1,250.00", "1250.00"], false],
] as const)("%j → the same to a spreadsheet: %s", ([texts, isSame]) => {
  expect(new Set(texts.map((one) => contentOf([one]).text)).size === 1).toBe(isSame);
});

test("zeros in front: a spreadsheet takes them, only a person writes them", () => {
  expect([
    isAsItWas("sent:x:0", "sent:x:2"),
    isAsItWas("sent:x:2", "sent:x:2"),
    isAsItWas("sent:x:3", "sent:x:2"),
  ]).toEqual([true, true, false]);
  expect([isAsItWas("sent:x:0", "cells:x:0"), isAsItWas("sent:y:0", "sent:x:0")]).toEqual([false, false]);
});

const statesOf = async (desk: TestDesk, batch: string): Promise<string> =>
  (await desk.store.rows({ batch })).map(({ row, state, code = "" }) => `${row} ${state} ${code}`.trim()).join(", ");

async function staysWhatItWas(desk: TestDesk): Promise<void> {
  const sent: string[] = [];
  const answers = (payload: string): number | undefined => {
    sent.push(/"to_account":"([^"]+)/.exec(payload)?.[1] ?? "");
    return payload.includes("REFUSED") ? 422 : undefined;
  };
  const file = transfers(["T1", "5.00"], ["0REFUSED", "1000.00"], ["T3", "1e3"], ["T4", "7.00"]);
  const { batch } = await desk.run("pay.csv", file, answers);
  const retry = desk.read("pay.csv.retry.csv");
  expect(sent.splice(0)).toEqual(["T1", "0REFUSED", "T4"]);
  // copied, renamed, saved by a spreadsheet
  const forms = [retry, retry.replace("1000.00", "1000"), retry.replaceAll("\r\n", "\n").replace("\uFEFF", "")];
  for (const [at, form] of forms.entries()) {
    const { batch: next, ...report } = await desk.run(`copy${at}.csv`, form, answers);
    expect(report).toMatchObject({ exitCode: 3, requests: 0 });
    expect(await statesOf(desk, next)).toBe("2 rejected as_it_was, 3 invalid not_a_number");
    expect(desk.read(`copy${at}.csv.results.csv`)).toContain(`Refused before (row 3 of batch ${batch})`);
    expect(desk.read(`copy${at}.csv.retry.csv`)).toContain(`${next}:2`);
  }
  expect(sent).toEqual([]);
  // one is corrected: it goes, alone; and the other one as it is only by a person's word
  const mended = await desk.run("mended.csv", retry.replace("1e3", "1000"), answers);
  expect([sent.splice(0), await statesOf(desk, mended.batch)]).toEqual([
    ["T3"],
    "2 rejected as_it_was, 3 accepted accepted",
  ]);
  const act = desk.act("retry", { batch: mended.batch });
  const woken = await desk.store.judging(() =>
    wake(desk.store, mended.batch, "retry_rejected", { act, now: desk.now, rules: desk.config }),
  );
  expect(woken).toMatchObject({ ready: [2] });
  // another amount is another row
  const other = await desk.run("other.csv", retry.replace("1000.00", "1000.50"), answers);
  expect(await statesOf(desk, other.batch)).toMatch(/^2 held correction/);
}

test("rows of a retry file that nobody changed → are not sent, and stay rejected and invalid", async () => {
  await staysWhatItWas(await TestDesk.open());
});

describePostgres("in a shared journal", () => {
  test("rows of a retry file that nobody changed → are not sent, and stay rejected and invalid", async () => {
    await staysWhatItWas((await sharedDesk()).desk);
  });
});

test("a correction of the amount → goes; what was refused again and is not changed again → stays", async () => {
  const desk = await TestDesk.open();
  await desk.run("pay.csv", transfers(["T1", "5.00"]), () => 422);
  const mended = desk.read("pay.csv.retry.csv").replace("5.00", "6.00");
  expect(await desk.run("mended.csv", mended, () => 422)).toMatchObject({ requests: 1 });
  expect(await desk.run("again.csv", desk.read("mended.csv.retry.csv"))).toMatchObject({ requests: 0, exitCode: 3 });
  // the retry file of the file that stayed
  expect(await desk.run("third.csv", desk.read("again.csv.retry.csv"))).toMatchObject({ requests: 0, exitCode: 3 });
  expect(await desk.run("fourth.csv", desk.read("third.csv.retry.csv").replace("6.00", "6.50"))).toMatchObject({
    requests: 1,
    exitCode: 0,
  });
});

test("a number in place of an account, the workbook saved as CSV → stays invalid; with its zeros it goes", async () => {
  const desk = await TestDesk.open();
  const header = textRow(1, ["from_account", "to_account", "amount"]);
  const bad =
    '<row r="2"><c r="A2" t="inlineStr"><is><t>ACC-OPS-01</t></is></c><c r="B2"><v>12345678</v></c><c r="C2"><v>5</v></c></row>';
  const { batch } = await desk.run("pay.xlsx", readFileSync(bookFile({ sheets: { a: header + bad } })));
  expect(await statesOf(desk, batch)).toBe("2 invalid number_not_text");
  const csv = (account: string): string =>
    `from_account,to_account,amount,retry_message,retry_of\r\nACC-OPS-01,${account},5.00,see there,${batch}:2\r\n`;
  const saved = await desk.run("saved.csv", csv("12345678"));
  expect([saved.requests, saved.exitCode, await statesOf(desk, saved.batch)]).toEqual([
    0,
    3,
    "2 invalid still_as_it_was",
  ]);
  expect(saved.invalid).toMatchObject([{ code: "still_as_it_was" }]);
  expect(saved.remarks).toContainEqual({ code: "as_they_were", facts: { rows: 1 } });
  const again = desk.read("saved.csv.retry.csv");
  expect(await desk.run("again.csv", again)).toMatchObject({ requests: 0, exitCode: 3 });
  expect(await desk.run("mended.csv", again.replace("12345678", "0012345678"))).toMatchObject({
    requests: 1,
    exitCode: 0,
  });
});

test("a row of JSON with two amounts → told, and in no retry file", async () => {
  const desk = await TestDesk.open();
  const row = (more: string): string => `{"from_account":"ACC-OPS-01","to_account":"T1",${more}}`;
  const both = '"amount":"5.00","amount":"50.00"';
  await desk.run("pay.json", `[${row(both)},${row('"amount":"x"')}]`);
  const retry = desk.read("pay.json.retry.json");
  expect([retry.includes("50.00"), retry.includes('"x"')]).toEqual([false, true]);
  expect(desk.read("pay.json.results.json")).toContain("stands twice in this row");
  const alone = await desk.run("alone.json", `[${row(both)}]`);
  expect([alone.exitCode, alone.files.retry]).toEqual([3, undefined]);
});
