import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchPhase } from "../../src/batch/stopping.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { countsOf, transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import type { Office } from "../support/people.ts";
import { openOffice } from "../support/people.ts";
import { runProgram } from "../support/program.ts";
import { until } from "../support/until.ts";

const ROWS = 300;

/** A run of some seconds that has sent a few rows. */
async function running(): Promise<{ office: Office; batch: string; run: ReturnType<Office["start"]> }> {
  const office = await openOffice(() => wire.inOrder(wire.pause(100), wire.answer(200)));
  office.write("pay.csv", transfersCsv(ROWS));
  const run = office.start("run", "pay.csv", "--concurrency", "2");
  await until("some rows", () => office.server.requests.length >= 3);
  const [{ batch } = {}] = await office.lines("status");
  return { office, batch: String(batch), run };
}

test("a paused run finishes its rows in flight and exits 7; resume sends the rest, each row once", async () => {
  const { office, batch, run } = await running();
  const paused = await office.paydrop("pause", batch, "--by", "asha", "--reason", "wrong file?");
  expect(paused.code).toBe(0);
  expect(paused.stdout).toMatch(
    /^Paused batch \w+\. \d+ rows wait\.\n[12] rows? in flight will be finished; nothing new/,
  );
  expect(await run.ended).toMatchObject({ code: 7 });
  const sent = office.server.requests.length;
  expect(sent).toBeLessThan(ROWS);
  expect(countsOf(office.results("pay.csv"))).toEqual({ accepted: sent, not_sent: ROWS - sent });
  expect(office.results("pay.csv").at(-1)?.result_message).toBe("Not sent yet: the batch is paused");

  // only resume goes on
  office.server.use(() => wire.answer(200));
  expect(await office.run("pay.csv")).toMatchObject({ code: 7 });
  expect(await office.paydrop("retry", batch)).toMatchObject({ code: 2 });
  expect(office.server.requests).toHaveLength(sent);

  const resumed = await office.paydrop("resume", batch, "--by", "asha");
  expect(resumed.code).toBe(0);
  expect(resumed.stdout).toContain(`${ROWS - sent} rows go: rows ${sent + 2}-${ROWS + 1}, `);
  expect(office.server.requests).toHaveLength(ROWS);
  expect(new Set(office.server.requests.map((request) => request.body)).size).toBe(ROWS);
  const { stdout } = await office.paydrop("status", batch);
  expect(stdout).toContain("asha: pause wrong file?");
  expect(stdout).toContain("asha: resume");
});

test("whoever cancels a batch is told whose rows waited for it, and how those go on", async () => {
  let status = 401;
  const office = await openOffice(() => wire.answer(status));
  office.write("pay.csv", transfersCsv(3));
  await office.run("pay.csv");
  office.write("again.csv", transfersCsv(4));
  await office.run("again.csv");
  expect(office.statuses("again.csv")).toMatchObject({ 3: "held", 4: "held" });
  const { stdout } = await office.paydrop("cancel", office.batchOf("pay.csv"), "--by", "asha");
  expect(stdout).toContain(`2 rows of batch ${office.batchOf("again.csv")} waited for it: run its file again`);
  status = 200;
  await office.run("again.csv");
  expect(new Set(Object.values(office.statuses("again.csv")))).toEqual(new Set(["accepted"]));
});

test("what was cut off when a batch was cancelled is done when it is cancelled again: its results", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("pay.csv", transfersCsv(3));
  expect((await office.run("pay.csv")).code).toBe(7);
  const word = ["cancel", office.batchOf("pay.csv"), "--by", "asha"];
  const env = { ...office.env, PAYDROP_TEST: "1", PAYDROP_FAULT: "crash@commit.after:1" };
  expect((await runProgram(word, { env, cwd: office.folder })).signal).toBe("SIGKILL");
  expect(office.results("pay.csv").at(-1)?.result_message).not.toContain("cancelled");
  expect((await office.paydrop(...word)).stdout).toMatch(/was cancelled already\.\n[^]*results +\S/);
  expect(office.results("pay.csv").at(-1)?.result_message).toContain("cancelled");
  expect((await office.paydrop(...word)).stdout).not.toContain("results");
});

test("a journal that does not answer is asked once whether the batch was paused: outcomes stand behind every question", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const batch = vi.fn(() => new Promise<undefined>(() => undefined));
  const phase = watchPhase({ batch } as unknown as JournalStore, "AAAA1111");
  vi.advanceTimersByTime(10_000);
  phase.close();
  expect(batch).toHaveBeenCalledTimes(1);
});

test("a batch that is paused when its last row has gone is nothing to do: cron reads the exit code", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("pay.csv", transfersCsv(2));
  await office.run("pay.csv");
  await office.paydrop("pause", office.batchOf("pay.csv"), "--by", "asha");
  const again = await office.run("pay.csv");
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toContain("\nnothing was sent in this run: every row was accepted before;");
  expect(again.stdout).not.toContain("resume");
  expect(office.server.requests).toHaveLength(2);
});

test("a cancelled run sends nothing more, then or later; what was accepted cannot be called back", async () => {
  const { office, batch, run } = await running();
  const cancelled = await office.paydrop("cancel", batch);
  expect(cancelled.stdout).toMatch(/\d+ rows were not sent and will not be\.\n/);
  expect(cancelled.stdout).toMatch(/[12] rows? in flight cannot be stopped any more\.\n/);
  expect(cancelled.stdout).toMatch(/\d+ rows? (?:was|were) accepted and cannot be called back\./);
  expect(await run.ended).toMatchObject({ code: 7 });
  const sent = office.server.requests.length;
  expect(sent).toBeLessThan(ROWS);
  office.server.use(() => wire.answer(200));
  for (const name of ["resume", "retry", "pause", "release"]) {
    const ended = await office.refused(name, [batch], { all: true, by: "ravi", reason: "after all" });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("cancelled");
  }
  // cron reads the exit code: what a person cancelled is nothing to do, and running it again changes nothing
  const again = await office.run("pay.csv");
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toContain("\nnothing was sent: the batch was cancelled\n");
  expect(office.server.requests).toHaveLength(sent);
  expect(office.results("pay.csv").at(-1)?.result_message).toBe("Not sent: the batch was cancelled");
  // nobody was named: the login name stands there, and that it is one
  expect((await office.paydrop("status", batch)).stdout).toMatch(/Z \S.*: cancel by login name\n/);
});

test("who cancels is told what was not sent, and that an unknown row must be looked up all the same", async () => {
  const office = await openOffice(({ number }) => (number === 1 ? wire.reset() : wire.answer(401)));
  const rows = transfersCsv(4);
  // the last row twice: the second one is held
  office.write("pay.csv", `${rows}${rows.trimEnd().split("\n").at(-1) ?? ""}\n`);
  expect((await office.run("pay.csv")).code).toBe(4);
  const batch = office.batchOf("pay.csv");
  const { stdout } = await office.paydrop("cancel", batch);
  expect(stdout).toContain("3 rows were not sent and will not be.");
  expect(stdout).toContain(`1 row unknown still must be looked up:  paydrop settle ${batch} `);
  expect(stdout).not.toMatch(/accepted|in flight/);
});

test("nothing that is printed of a paused or cancelled batch names a command that it refuses", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("pay.csv", `${transfersCsv(3)}${transfersCsv(1).split("\n")[1] ?? ""}\n`);
  await office.run("pay.csv");
  const batch = office.batchOf("pay.csv");
  await office.paydrop("pause", batch);
  for (const args of [
    ["run", "pay.csv"],
    ["results", batch],
  ]) {
    const { stdout } = await office.paydrop(...args);
    expect(stdout).toContain(`paydrop resume ${batch} --by NAME\n`);
    expect(stdout).not.toContain("paydrop run");
  }

  await office.paydrop("cancel", batch);
  for (const args of [
    ["run", "pay.csv"],
    ["results", batch],
    ["status", batch],
  ]) {
    const { stdout } = await office.paydrop(...args);
    expect(stdout).toMatch(/held +1 +\S+ +cancelled: stays unsent\n/);
    expect(stdout).not.toMatch(/paydrop (?:release|run|retry|resume)|a person must decide/);
  }
  const checked = await office.paydrop("check", "pay.csv");
  expect(checked.stdout).toContain("The batch was cancelled: a row that must go after all goes in a new file");
  expect(checked.stdout).not.toMatch(/release/);
  // read by a program, a line has every column, however long: the phase says that nobody waits for these rows
  expect((await office.paydrop("status")).stdout).toMatch(/ cancelled +\S+Z +http:\S+\n/);
  const held = office.results("pay.csv").find((row) => row.result_status === "held");
  expect([held?.result_message, held?.result_action]).toEqual(["Not sent: the batch was cancelled", "Nothing"]);
});

test("to run a cancelled file again changes no row: one that was refused for the key stays so (I5)", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("pay.csv", transfersCsv(3));
  await office.run("pay.csv");
  await office.paydrop("cancel", office.batchOf("pay.csv"), "--by", "asha");
  const before = office.results("pay.csv");
  expect(countsOf(before)).toEqual({ rejected: 1, not_sent: 2 });
  const again = await office.run("pay.csv");
  expect(office.results("pay.csv")).toEqual(before);
  // nor is anything left to do about it
  expect(before.map((row) => row["result_action"])).toEqual(["Nothing", "Nothing", "Nothing"]);
  expect(again.code).toBe(0);
  for (const { stdout } of [again, await office.paydrop("status", office.batchOf("pay.csv"))])
    expect(stdout).toMatch(/rejected +1 +\S+ +cancelled: stays unsent\n/);
  expect(office.server.requests).toHaveLength(1);
});

test("pausing twice and resuming what is not paused say so and change nothing", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("pay.csv", transfersCsv(3));
  await office.run("pay.csv");
  const batch = office.batchOf("pay.csv");
  const stdout = expect.stringContaining(`is not paused; paydrop retry ${batch} sends what was not sent`) as string;
  expect(await office.paydrop("resume", batch)).toMatchObject({ code: 7, stdout });
  expect((await office.paydrop("pause", batch)).stdout).toContain("2 rows wait");
  expect((await office.paydrop("pause", batch)).stdout).toContain("was paused already");
  const lines = await office.lines("pause", batch);
  expect(lines.map((line) => line["type"])).toEqual(["paused", "summary"]);
  expect(office.server.requests).toHaveLength(1);
});

test("a row refused for the key is not over: status names it, its command, and for monitoring what is open", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("pay.csv", transfersCsv(1));
  expect((await office.run("pay.csv")).code).toBe(7);
  const batch = office.batchOf("pay.csv");
  expect(await office.paydrop("status", "--check", "--quiet")).toMatchObject({ code: 7 });
  const { stdout } = await office.paydrop("status", batch);
  expect(stdout).toMatch(/rejected +1 +101\.00 +not for its own sake/);
  expect(stdout).toContain(`paydrop retry ${batch}\n`);
  const again = await office.paydrop("results", batch);
  expect(again.stdout).toMatch(/rejected +1 +101\.00 +not for its own sake/);
  expect(again.stdout).toContain(`paydrop retry ${batch}\n`);
  expect(JSON.parse(readFileSync(join(office.folder, "pay.csv.summary.json"), "utf8"))).toMatchObject({ exit_code: 7 });

  office.server.use(() => wire.answer(422));
  expect((await office.paydrop("retry", batch)).code).toBe(3);
  expect(await office.paydrop("status", "--check", "--quiet")).toMatchObject({ code: 0 });
  expect((await office.paydrop("status", batch)).stdout).toContain("correct and drop again");
});

test("retry sends again what was refused because of the key, and what was not sent, each once", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("pay.csv", transfersCsv(3));
  expect((await office.run("pay.csv")).code).toBe(7);
  office.server.use((request) => wire.answer(request.number === 3 ? 422 : 200));
  const batch = office.batchOf("pay.csv");
  const lines = await office.lines("retry", batch, "--by", "asha");
  expect(lines[0]).toMatchObject({ type: "going", act: "retry", by: "asha", count: 3, amount: "306.00" });
  expect(lines.at(-1)).toMatchObject({ type: "summary", exit_code: 3 });
  expect(office.server.requests).toHaveLength(4);
  // refused for itself: it needs a corrected file
  expect((await office.paydrop("retry", batch)).stdout).toContain("1 refused or invalid (need a corrected file)");
  expect(office.server.requests).toHaveLength(4);
});
