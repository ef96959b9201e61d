import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RowName } from "../../src/checks/correction.ts";
import { DAY_MS } from "../../src/day.ts";
import { openDesk, transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import type { Office } from "../support/people.ts";
import { runProgram } from "../support/program.ts";
import { accountOf, accountOfRow, openOffice, requestsTo } from "../support/people.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** Row 3 reached the service, which then reset the connection: nobody knows. */
async function withUnknownRow(): Promise<{ office: Office; batch: string }> {
  const office = await openOffice((request) =>
    accountOf(request) === accountOfRow(3) && request.number < 100 ? wire.reset() : wire.answer(200),
  );
  office.write("pay.csv", transfersCsv(3));
  expect((await office.run("pay.csv")).code).toBe(4);
  expect(office.statuses("pay.csv")).toEqual({ 2: "accepted", 3: "unknown", 4: "accepted" });
  return { office, batch: office.batchOf("pay.csv") };
}

function settle(office: Office, batch: string, as: string, ...more: string[]): ReturnType<Office["paydrop"]> {
  return office.paydrop("settle", batch, "--row", "3", "--as", as, "--by", "asha", "--note", "looked it up", ...more);
}

test("a row settled as not done goes exactly once more by retry, and by nothing else", async () => {
  const { office, batch } = await withUnknownRow();
  const settled = await settle(office, batch, "not-done");
  expect(settled.code).toBe(0);
  expect(settled.stdout).toContain(
    `Row 3 of batch ${batch} (102.00) settled as not done by asha. It may go again:  paydrop retry`,
  );
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "settled_not_done" });
  expect(office.results("pay.csv")[1]).toMatchObject({ result_settled_by: "asha" });

  office.server.use(() => wire.answer(200));
  expect((await office.run("pay.csv")).code).toBe(0);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(1);

  const retried = await office.paydrop("retry", batch);
  expect(retried.code).toBe(0);
  expect(retried.stdout).toContain("1 row goes: row 3, 102.00, settled as not done by asha.\nStay: 2 accepted\n");
  expect(requestsTo(office.server, accountOfRow(3))).toBe(2);
  expect(office.statuses("pay.csv")).toEqual({ 2: "accepted", 3: "accepted", 4: "accepted" });
  // the service answered this time: nobody's word stands for it any more
  expect(office.results("pay.csv")[1]).toMatchObject({ result_status: "accepted", result_settled_by: "" });

  const again = await office.paydrop("retry", batch);
  expect(again).toMatchObject({ code: 0, stdout: "Nothing to send again.\nStay: 3 accepted\n" });
  expect(office.server.requests).toHaveLength(4);
});

/** The rows of `withUnknownRow`, each of this month. */
const ofMonth = (month: string): string => transfersCsv(3, { period: () => month });

test.each<[string, number, (office: Office, batch: string) => Promise<unknown>]>([
  ["goes by retry", 0, (office, batch) => office.paydrop("retry", batch)],
  ["goes in another file", 0, (office) => office.run("again.csv")],
  ["stays unsent with its batch", 0, (office, batch) => office.paydrop("cancel", batch)],
  ["is found at the bank after all", 0, (office, batch) => settle(office, batch, "done")],
  ["waits, whoever is paid the same for another month", 7, (office) => office.run("december.csv")],
])("a monitor hears of a payment that was settled as not done until it %s", async (_, code, act) => {
  const office = await openOffice((request) =>
    accountOf(request) === accountOfRow(3) && request.number < 100 ? wire.reset() : wire.answer(200),
  );
  const check = async (): Promise<number | undefined> => (await office.paydrop("status", "--check", "--quiet")).code;
  office.write("pay.csv", ofMonth("2026-11"));
  expect([(await office.run("pay.csv")).code, await check()]).toEqual([4, 4]);
  const batch = office.batchOf("pay.csv");
  await settle(office, batch, "not-done");
  expect(await check()).toBe(7);
  expect((await office.paydrop("status", batch, "--check", "--quiet")).code).toBe(7);
  office.server.use(() => wire.answer(200));
  const [header = "", , row3 = ""] = ofMonth("2026-11").split("\n");
  office.write("again.csv", `${header}\n${row3}\n`);
  office.write("december.csv", ofMonth("2026-12"));
  await act(office, batch);
  expect(await check()).toBe(code);
});

test("whoever settles a row as done after all hears of the row that made the same payment meanwhile", async () => {
  const { office, batch } = await withUnknownRow();
  const [header = "", , row3 = ""] = transfersCsv(3).split("\n");
  office.write("b.csv", `${header}\n${row3}\n`);
  expect((await office.run("b.csv")).code).toBe(6);
  await settle(office, batch, "not-done");
  const attention = /ATTENTION|the same payment/;
  expect((await settle(office, batch, "done")).stdout).not.toMatch(attention);
  await settle(office, batch, "not-done", "--note", "the bank has nothing after all");
  office.server.use(() => wire.answer(200));
  expect((await office.run("b.csv")).code).toBe(0);
  const other = office.batchOf("b.csv");
  const lines = (await settle(office, batch, "done", "--note", "it came late")).stdout.split("\n");
  expect(lines.slice(0, 2)).toEqual([
    `Row 3 of batch ${batch} (102.00) settled as done by asha. It is never sent again.`,
    `  ATTENTION: row 2 of batch ${other} is the same payment, and is accepted: the money went out twice unless one of the two came to nothing.`,
  ]);
});

test.each([
  ["soon is the one that was not made", "2026-11-20T10:00:00Z", 0],
  ["much later is another one", "2026-12-20T10:00:00Z", 7],
])("an equal payment of no period that goes %s", async (_, later, code) => {
  const desk = openDesk((await startService(({ number }) => wire.answer(number === 1 ? 500 : 200))).url);
  const at = (day: string): { now: () => number } => ({ now: () => Date.parse(day) });
  desk.write("pay.csv", transfersCsv(1));
  const { batch } = await desk.process("pay.csv", at("2026-11-09T10:00:00Z"));
  const act = { by: "asha", kind: "settle", note: "none" };
  const settled = [{ batch, row: 2, as: "settled_not_done", act }] as const;
  await desk.inProcess(({ journal }) => journal.settle(settled), at("2026-11-10T10:00:00Z"));
  const notMade = (): Promise<readonly RowName[]> =>
    desk.inProcess(({ journal }) => journal.notMade(20 * DAY_MS), at("2026-12-21T10:00:00Z"));
  expect(await notMade()).toEqual([{ batch, row: 2 }]);
  desk.write("again.csv", `${transfersCsv(1)}ACC-1,ACC-2,7.00\n`);
  expect((await desk.process("again.csv", at(later))).byStatus.accepted?.rows).toBe(2);
  expect(await notMade()).toEqual(code === 0 ? [] : [{ batch, row: 2 }]);
});

test.each([
  ["was accepted", "accepted"],
  ["has no clear answer either", "unknown"],
])("the same words said twice reopen nothing where the retry between them %s; other words do", async (_, state) => {
  const { office, batch } = await withUnknownRow();
  await settle(office, batch, "not-done");
  if (state === "accepted") office.server.use(() => wire.answer(200));
  await office.paydrop("retry", batch);
  const again = await settle(office, batch, "not-done");
  expect(again.code).toBe(0);
  expect(again.stdout).toContain("carried on since. Nothing was changed");
  expect(office.statuses("pay.csv")).toMatchObject({ 3: state });
  expect(await settle(office, batch, "not-done", "--note", "looked up once more")).toMatchObject({ code: 0 });
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "settled_not_done" });
  // a mistake that was put right, and put right again: nothing was sent in between
  for (const as of ["done", "not-done"]) await settle(office, batch, as, "--note", "looked up once more");
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "settled_not_done" });
});

test("whoever says that an accepted row was not carried out is told of its duplicate, which was not sent either", async () => {
  const office = await openOffice(() => wire.answer(200));
  const file = (rows: number): string => transfersCsv(rows, { reference: (index) => `R-${index}` });
  office.write("pay.csv", file(2));
  office.write("again.csv", file(3));
  for (const name of ["pay.csv", "again.csv"]) expect((await office.run(name)).code).toBe(0);
  const { stdout } = await settle(office, office.batchOf("pay.csv"), "not-done");
  const other = office.batchOf("again.csv");
  expect(stdout).toContain(`Row 3 of batch ${other} is a duplicate of it, and was not sent`);
  expect(stdout).toContain(`paydrop release ${other} --row 3`);
  expect(stdout).not.toContain(`Row 2 of batch ${other}`);
  // beside its file too, without a run
  const rowThree = (): Readonly<Record<string, string>> => office.results("again.csv")[1] ?? {};
  const first = office.batchOf("pay.csv");
  expect(rowThree().result_message).toContain("the same payment, which was settled as not done since");
  expect(rowThree().result_action).toBe(`If it is to be made again: paydrop retry ${first}`);
  await office.paydrop("cancel", first, "--by", "asha", "--reason", "closed");
  await office.paydrop("results", other);
  expect(rowThree().result_action).toContain(`paydrop release ${other} --row 3`);
  await settle(office, first, "done", "--note", "it came after all");
  await office.paydrop("results", other);
  expect(rowThree()).toMatchObject({ result_status: "duplicate", result_action: "Nothing, or release" });
});

test("a row that is held for one that was settled as not done is told as that, beside its file and by its release", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("pay.csv", transfersCsv(2));
  office.write("again.csv", transfersCsv(3));
  await office.run("pay.csv");
  await office.run("again.csv");
  const [first, other] = [office.batchOf("pay.csv"), office.batchOf("again.csv")];
  const { stdout } = await settle(office, first, "not-done");
  expect(stdout).toContain(`Row 3 of batch ${other} is held because of it, and was not sent`);
  const words = new RegExp(
    `same payment as row 3 of batch ${first}, accepted .*, settled by a person as not done since`,
  );
  expect(office.results("again.csv")[1]?.result_message).toMatch(words);
  expect(office.results("again.csv")[0]?.result_message).not.toContain("not done");
  const released = await office.paydrop("release", other, "--row", "3", "--by", "asha", "--reason", "instead of it");
  expect(released.stdout).toMatch(words);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(2);
  // what was settled as not done does not go as well
  await office.paydrop("retry", first);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(2);
});

test("what was cut off when a row was settled is done when it is settled again: its results, and who waited for it", async () => {
  const { office, batch } = await withUnknownRow();
  office.write("corrected.csv", `${transfersCsv(3)}50100271828001,60200000000099,9.00\n`);
  await office.run("corrected.csv");
  const waiting = office.batchOf("corrected.csv");
  const word = ["settle", batch, "--row", "3", "--as", "not-done", "--by", "asha", "--note", "looked it up"];
  const env = { ...office.env, PAYDROP_TEST: "1", PAYDROP_FAULT: "crash@commit.after:1" };
  expect((await runProgram(word, { env, cwd: office.folder })).signal).toBe("SIGKILL");
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "unknown" });

  const again = await office.paydrop(...word);
  expect(again.code).toBe(0);
  expect(again.stdout).toContain(
    `Row 3 of batch ${batch} was settled as not done by asha before. Nothing was changed.`,
  );
  expect(again.stdout).toContain(`Row 3 of batch ${waiting} waited for it and is now ready.`);
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "settled_not_done" });
  // then nothing is owed any more
  expect((await office.paydrop(...word)).stdout).not.toContain("results");
});

test("what settle says to do next can be done: of a paused batch resume comes first, of a cancelled one nothing goes", async () => {
  const { office, batch } = await withUnknownRow();
  await office.paydrop("pause", batch);
  expect((await settle(office, batch, "not-done")).stdout).toContain(
    `It may go again:  paydrop resume ${batch} --by NAME, then paydrop retry ${batch}`,
  );
  const cancelled = await office.paydrop("cancel", batch);
  expect(cancelled.stdout).toContain("1 row was not sent and will not be.");
  await settle(office, batch, "done");
  const settled = await settle(office, batch, "not-done");
  expect(settled.stdout).toContain("Its batch is cancelled: it does not go again.");
  expect(settled.stdout).not.toContain("paydrop retry");
});

test("a row settled as done is never sent again", async () => {
  const { office, batch } = await withUnknownRow();
  const settled = await settle(office, batch, "done");
  expect(settled).toMatchObject({ code: 0 });
  expect(settled.stdout).toContain(`Row 3 of batch ${batch} (102.00) settled as done by asha. It is never sent again.`);
  office.server.use(() => wire.answer(200));
  const retried = await office.paydrop("retry", batch);
  expect(retried).toMatchObject({ code: 0, stdout: "Nothing to send again.\nStay: 2 accepted, 1 settled as done\n" });
  expect(await office.run("pay.csv")).toMatchObject({ code: 0 });
  expect(requestsTo(office.server, accountOfRow(3))).toBe(1);
  expect(office.results("pay.csv")[1]).toMatchObject({ result_status: "settled_done", result_settled_by: "asha" });
});

test("notes that a person made in the results outlive what settle writes, and it says where they are", async () => {
  const { office, batch } = await withUnknownRow();
  const path = join(office.folder, "pay.csv.results.csv");
  office.write("pay.csv.results.csv", `${readFileSync(path, "utf8")}asked the bank: 14 Nov\r\n`);
  const settled = await settle(office, batch, "done");
  const kept = join(office.folder, "pay.csv.results.edited.csv");
  expect(settled.stdout).toContain(`results    ${path}\nkept       ${kept}   changed by hand\n`);
  expect(readFileSync(kept, "utf8")).toContain("asked the bank: 14 Nov");
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "settled_done" });
  // ours, as it was written: nothing is kept of it
  expect((await settle(office, batch, "not-done")).stdout).not.toContain("kept");

  office.server.use(() => wire.answer(200));
  office.write("pay.csv.results.csv", `${readFileSync(path, "utf8")}sent again?\r\n`);
  const retried = await office.paydrop("retry", batch);
  expect(retried.stdout).toContain(
    `kept       ${join(office.folder, "pay.csv.results.edited-2.csv")}   changed by hand`,
  );
  expect(office.statuses("pay.csv")).toEqual({ 2: "accepted", 3: "accepted", 4: "accepted" });
});

test("a row that is unknown is sent by neither retry nor run, before it is settled", async () => {
  const { office, batch } = await withUnknownRow();
  office.server.use(() => wire.answer(200));
  const { stdout } = await office.paydrop("retry", batch);
  expect(stdout).toContain("1 unknown (row 3: look up, then paydrop settle");
  await office.run("pay.csv");
  expect(requestsTo(office.server, accountOfRow(3))).toBe(1);
});

test("the same settlement again changes nothing and says who settled it; the other one is a correction", async () => {
  const { office, batch } = await withUnknownRow();
  await settle(office, batch, "not-done");
  const again = await settle(office, batch, "not-done");
  expect(again.code).toBe(0);
  expect(again.stdout).toContain(
    `Row 3 of batch ${batch} was settled as not done by asha before. Nothing was changed.`,
  );
  expect((await settle(office, batch, "done")).code).toBe(0);
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "settled_done" });
  await office.paydrop("retry", batch);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(1);
});

test("what was settled as not done and shows up at the bank after all goes no more, whatever its retry met", async () => {
  const { office, batch } = await withUnknownRow();
  office.server.use(() => wire.answer(422, { error: "already paid" }));
  await settle(office, batch, "not-done");
  await office.paydrop("retry", batch);
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "rejected" });
  expect((await settle(office, batch, "done")).stdout).toContain("settled as done by asha. It is never sent again.");
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "settled_done" });
  expect(existsSync(join(office.folder, "pay.csv.retry.csv"))).toBe(false);

  // the service is away: what the next run would send
  await settle(office, batch, "not-done");
  office.server.use(() => wire.answer(429, {}, { "retry-after": "0" }));
  await office.paydrop("retry", batch);
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "not_sent" });
  expect((await settle(office, batch, "done")).code).toBe(0);

  const requests = requestsTo(office.server, accountOfRow(3));
  office.server.use(() => wire.answer(200));
  await office.run("pay.csv");
  await office.paydrop("retry", batch);
  const [header, , row3] = transfersCsv(3).split("\n");
  office.write("twin.csv", `${header ?? ""}\n${row3 ?? ""}\n`);
  await office.run("twin.csv");
  expect(office.statuses("twin.csv")).toEqual({ 2: "held" });
  // no word of a person ever stood for this one
  const twin = ["--row", "2", "--as", "done", "--by", "asha", "--note", "x"];
  expect((await office.paydrop("settle", office.batchOf("twin.csv"), ...twin)).code).toBe(2);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(requests);
  expect(office.statuses("pay.csv")).toEqual({ 2: "accepted", 3: "settled_done", 4: "accepted" });
});

test("who settles, what and why must be said, and nothing changes without", async () => {
  const { office, batch } = await withUnknownRow();
  const note = "looked it up";
  for (const [flags, missing] of [
    [{ row: ["3"], as: "done", note }, "name of the person"],
    [{ row: ["3"], as: "done", by: "asha" }, "--note is missing"],
    [{ row: ["3"], as: "paid", by: "asha", note }, "--as must be done or not-done"],
    [{ as: "done", by: "asha", note }, "--row is missing"],
    [{ row: ["3"], as: "done", by: "paydrop", note }, "not a person"],
    [{ row: ["77"], as: "done", by: "asha", note }, "has no row 77"],
    [{ row: ["2"], as: "done", by: "asha", note }, "row 2 is accepted"],
    // all rows are looked at before any is settled
    [{ row: ["3", "2"], as: "done", by: "asha", note }, "row 2 is accepted"],
  ] as const) {
    const ended = await office.refused("settle", [batch], flags);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(missing);
  }
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "unknown" });
  expect((await office.paydrop("status", batch)).stdout).not.toContain("settle row");
});

test("only what is unknown is settled: an accepted row never as done, and as not done only loudly", async () => {
  const { office, batch } = await withUnknownRow();
  const note = ["--by", "asha", "--note", "the bank gave it back"];
  expect(await office.paydrop("settle", batch, "--row", "2", "--as", "done", ...note)).toMatchObject({ code: 2 });
  expect(office.statuses("pay.csv")).toMatchObject({ 2: "accepted", 3: "unknown" });
  const back = await office.paydrop("settle", batch, "--row", "2", "--as", "not-done", ...note);
  expect(back.code).toBe(0);
  expect(back.stdout).toContain("ATTENTION: it was accepted by the service before.");
  expect(office.statuses("pay.csv")).toMatchObject({ 2: "settled_not_done" });
});

test("status shows who did what and what is next; --json ends with a summary", async () => {
  const { office, batch } = await withUnknownRow();
  expect((await office.paydrop("status", batch)).stdout).toContain(
    `paydrop settle ${batch} --row 3 --as done|not-done`,
  );
  const lines = await office.lines("settle", batch, "--row", "3", "--as", "not-done", "--by", "asha", "--note", "none");
  expect(lines[0]).toMatchObject({ type: "settled", row: 3, amount: "102.00", as: "not-done", was: "unknown" });
  expect(lines.at(-1)).toMatchObject({ type: "summary", batches: [batch], exit_code: 0 });
  const { stdout } = await office.paydrop("status", batch);
  expect(stdout).toMatch(/Z asha: settle row 3 as not done: none\n/);
  expect(stdout).toContain(`paydrop retry ${batch}`);
});

test("--json names the files out by the keys that the summary of a run has", async () => {
  const office = await openOffice(() => wire.reset());
  office.write("pay.csv", `${transfersCsv(1)}ACC-1,ACC-2,much\n`);
  const ran = (await office.lines("run", "pay.csv")).at(-1) as { batch: string; files: object };
  const settling = ["settle", ran.batch, "--row", "2", "--as", "done", "--by", "asha", "--note", "none"];
  const results = (await office.lines(...settling)).find(({ type }) => type === "results");
  expect(ran.files).toMatchObject({ retry_rows: 1 });
  expect(results?.["files"]).toEqual(ran.files);
});

test("each row that waited for one of several settled rows is told, and stands in the history", async () => {
  const office = await openOffice((request) => (request.number === 1 ? wire.answer(200) : wire.reset()));
  office.write("pay.csv", transfersCsv(3));
  await office.run("pay.csv");
  const batch = office.batchOf("pay.csv");
  expect(office.statuses("pay.csv")).toEqual({ 2: "accepted", 3: "unknown", 4: "unknown" });
  office.server.use(() => wire.answer(200));
  office.write("again.csv", transfersCsv(3).concat("50100271828001,60200000000099,9.00\n"));
  await office.run("again.csv");
  const waiting = office.batchOf("again.csv");
  const { stdout } = await settle(office, batch, "not-done", "--row", "4");
  for (const row of [3, 4]) expect(stdout).toContain(`Row ${row} of batch ${waiting} waited for it and is now ready.`);
  expect((await office.paydrop("status", waiting)).stdout.match(/paydrop: judged row [34] of/g)).toHaveLength(2);
});

test("a corrected file that waited for the row is judged again when it is settled", async () => {
  const { office, batch } = await withUnknownRow();
  office.write("corrected.csv", transfersCsv(3).concat("50100271828001,60200000000099,9.00\n"));
  office.server.use(() => wire.answer(200));
  await office.run("corrected.csv");
  expect(office.statuses("corrected.csv")).toMatchObject({ 3: "held", 5: "accepted" });
  const waiting = office.batchOf("corrected.csv");
  const { stdout } = await settle(office, batch, "not-done");
  expect(stdout).toContain(
    `Row 3 of batch ${waiting} waited for it and is now ready. To send it:  paydrop retry ${waiting}`,
  );
  expect(office.statuses("corrected.csv")).toMatchObject({ 3: "not_sent" });
  // it goes by one of the two, never by both
  await office.paydrop("retry", waiting);
  await office.paydrop("retry", batch);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(2);
});

test("a row is settled while its batch is being sent; the run writes that into its results when it ends", async () => {
  const answers: (() => void)[] = [];
  const office = await openOffice((request) => {
    if (accountOf(request) === accountOfRow(3)) return wire.reset();
    if (accountOf(request) !== accountOfRow(4)) return wire.answer(200);
    return async (socket) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      await wire.answer(200)(socket);
    };
  });
  office.write("pay.csv", transfersCsv(3));
  const program = office.start("run", "pay.csv", "--concurrency", "1");
  await until("the row that is not answered yet", () => answers.length === 1);
  const [{ batch } = {}] = await office.lines("status");
  const settled = await settle(office, String(batch), "done");
  expect(settled.code).toBe(0);
  expect(settled.stdout).toContain("its results are written when that run ends");
  expect(office.results("pay.csv")).toEqual([]);
  answers[0]?.();
  expect((await program.ended).code).toBe(0);
  expect(office.statuses("pay.csv")).toEqual({ 2: "accepted", 3: "settled_done", 4: "accepted" });
  expect(office.server.requests).toHaveLength(3);
});

test("what waited for the row goes by the retry that settle names, also while another run has the lock", async () => {
  const office = await openOffice(() => wire.reset());
  office.write("a.csv", transfersCsv(1));
  await office.run("a.csv");
  office.write("b.csv", transfersCsv(1, { note: () => "corrected" }));
  expect((await office.run("b.csv")).counts).toEqual({ held: 1 });

  const answers: (() => void)[] = [];
  office.server.use(() => async (socket) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    await wire.answer(200)(socket);
  });
  office.write("long.csv", "from_account,to_account,amount\n50100271828001,60200000000097,9.00\n");
  const long = office.start("run", "long.csv");
  await until("the row that is not answered yet", () => answers.length === 1);
  const by = ["--as", "not-done", "--by", "asha", "--note", "no entry"];
  const settled = await office.paydrop("settle", office.batchOf("a.csv"), "--row", "2", ...by);
  const [, command = ""] = /is now ready\. To send it: {2}paydrop (.*)/.exec(settled.stdout) ?? [];

  const left = await office.paydrop(...command.split(" "));
  expect(left.stdout).toContain("1 row goes: row 2, 101.00");
  expect(left.stdout).toContain("the rows are left to it");
  office.server.use(() => wire.answer(200));
  answers[0]?.();
  expect((await long.ended).code).toBe(0);
  expect(office.statuses("b.csv")).toEqual({ 2: "accepted" });
  expect(requestsTo(office.server, accountOfRow(2))).toBe(2);
});
