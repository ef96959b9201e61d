import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RowState } from "../../src/journal/state.ts";
import { exitCodeOfTotals } from "../../src/results/exit-code.ts";
import { TotalsCollector } from "../../src/results/totals.ts";
import { STOPS } from "../../src/submission/stop-rules.ts";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { runProgram } from "../support/program.ts";
import { rowRecord } from "../support/records.ts";
import { startService } from "../support/service.ts";

/** One accepted row of 100.00 from each of these accounts. */
function sumsFrom(...accounts: readonly string[]): (readonly [account: string, rows: number, total: string])[] {
  const collector = new TotalsCollector();
  for (const [index, account] of accounts.entries()) collector.add(rowRecord(index + 2, { amount: "100.00" }), account);
  return collector.totals().accounts.map(({ account, total }) => [account, total.rows, total.amount]);
}

test("an account in groups and the same without them have one sum", () => {
  expect(sumsFrom("5010 0271 8289 99", "50100271828999", "50 100 271 828 999")).toEqual([["••8999", 3, "300.00"]]);
});

test("two ids of the same digits have two sums", () => {
  expect(sumsFrom("12-345", "123-45").map(([, rows]) => rows)).toEqual([1, 1]);
});

test("two accounts that end in the same digits have a name each, in the order of the file", () => {
  expect(sumsFrom("50100271828999", "ACC-OPS-01", "90100271828999", "50100271828999", "70100271828999")).toEqual([
    ["••8999", 2, "200.00"],
    ["ACC-OPS-01", 1, "100.00"],
    ["••8999 (2)", 1, "100.00"],
    ["••8999 (3)", 1, "100.00"],
  ]);
});

test.each<[string, { states?: readonly RowState[]; stop?: boolean; elsewhere?: boolean; cancelled?: boolean }, number]>(
  [
    ["all accepted", { states: ["accepted", "duplicate", "settled_done"] }, 0],
    ["a held row", { states: ["accepted", "held"] }, 6],
    ["a held row of a cancelled batch", { states: ["held", "ready"], cancelled: true }, 0],
    ["a rejected row", { states: ["held", "rejected"] }, 3],
    ["an invalid row", { states: ["held", "invalid"] }, 3],
    ["a row that was not sent", { states: ["rejected", "held", "not_sent"] }, 7],
    ["a run that was stopped", { states: ["accepted"], stop: true }, 7],
    ["an unknown row", { states: ["unknown", "not_sent", "rejected", "held"], stop: true }, 4],
    ["an unknown row of a cancelled batch", { states: ["unknown", "ready"], cancelled: true }, 4],
    ["results that lie elsewhere", { states: ["unknown", "accepted"], elsewhere: true }, 74],
  ],
)("the exit code of %s", (_what, { states = [], stop, elsewhere = false, cancelled = false }, code) => {
  const collector = new TotalsCollector();
  for (const [index, state] of states.entries()) collector.add(rowRecord(index + 2, { state, amount: "1.00" }), "A");
  expect(exitCodeOfTotals(collector.totals(), stop ? STOPS.signal : undefined, elsewhere, cancelled)).toBe(code);
});

test("a row whose amount cannot be read is in no sum, and all that tell the sum say so", async () => {
  const server = await startService();
  const desk = openDesk(server.url);
  // of a totals row its complaint says that it is one, and that it was not sent
  desk.write("a.csv", `${transfersCsv(4).replace("102.00", '"1,02"').replace("103.00", "x")}Grand total,,205.00\n`);
  const said = "the amount of 2 rows cannot be read: they are in no sum";
  const { stdout } = await runProgram(["check", "a.csv"], { env: desk.env, cwd: desk.folder });
  expect(stdout).toContain(`a.csv: ${said}\n`);
  const ran = await desk.run("a.csv");
  expect(ran.stdout).toMatch(/total +5 +205\.00 +equals the file\n/);
  expect(ran.stdout).toContain(`note       ${said}\n`);
  const summary = JSON.parse(readFileSync(join(desk.folder, "a.csv.summary.json"), "utf8")) as { remarks: string[] };
  expect(summary.remarks).toEqual([said]);
});
