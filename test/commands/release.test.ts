import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { accountOf, accountOfRow, openOffice, requestsTo } from "../support/people.ts";
import { until } from "../support/until.ts";

const BY = ["--by", "ravi", "--reason", "December payroll"] as const;

test("a released possible duplicate is printed with its sum and sent, once", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("november.csv", transfersCsv(3));
  await office.run("november.csv");
  office.write("december.csv", `${transfersCsv(3)}50100271828001,60200000000099,9.00\n`);
  expect((await office.run("december.csv")).code).toBe(6);
  const batch = office.batchOf("december.csv");
  expect(office.server.requests).toHaveLength(4);

  const one = await office.paydrop("release", batch, "--row", "3", ...BY);
  expect(one.code).toBe(6);
  expect(one.stdout).toMatch(/^1 row goes: row 3, 102\.00, same payment as row 3 of batch \w+, accepted /);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(2);

  const rest = await office.paydrop("release", batch, "--all", ...BY);
  expect(rest.code).toBe(0);
  expect(rest.stdout).toMatch(/^2 rows go, 204\.00 in all:/);
  expect(office.server.requests).toHaveLength(7);
  expect(await office.paydrop("release", batch, "--all", ...BY)).toMatchObject({
    code: 0,
    stdout: "Nothing is held.\n",
  });
  expect(office.server.requests).toHaveLength(7);
  expect((await office.paydrop("status", batch)).stdout).toMatch(/Z ravi: release rows 2-4 December payroll\n/);
});

test.each([
  [2, "1 row waits to be sent (row 3)"],
  [3, "2 rows wait to be sent (rows 3, 4)"],
])("a release of %i rows that was ended before they went says, done again: %s", async (rows, waiting) => {
  const office = await openOffice(() => wire.answer(200));
  office.write("november.csv", transfersCsv(rows));
  await office.run("november.csv");
  office.write("december.csv", `${transfersCsv(rows)}50100271828001,60200000000099,9.00\n`);
  await office.run("december.csv");
  const batch = office.batchOf("december.csv");
  const release = ["release", batch, "--all", ...BY];
  const env = { ...office.env, PAYDROP_TEST: "1", PAYDROP_FAULT: "crash@send.before:1" };
  expect((await runProgram(release, { env, cwd: office.folder })).signal).toBe("SIGKILL");
  expect(office.server.requests).toHaveLength(rows + 1);

  const again = await office.paydrop(...release);
  expect(again).toMatchObject({ code: 7 });
  expect(again.stdout).toBe(`Nothing is held.\n${waiting}:  paydrop retry ${batch}\n`);
  expect(office.statuses("december.csv")).toMatchObject({ 2: "unknown", 3: "not_sent", [rows + 2]: "accepted" });
  await office.paydrop("retry", batch);
  expect(office.server.requests).toHaveLength(2 * rows);
});

test("a row held for an unknown one is not released: the message names that row and how to settle it", async () => {
  const office = await openOffice((request) =>
    accountOf(request) === accountOfRow(3) ? wire.reset() : wire.answer(200),
  );
  office.write("pay.csv", transfersCsv(2));
  expect((await office.run("pay.csv")).code).toBe(4);
  const first = office.batchOf("pay.csv");
  office.write("corrected.csv", `${transfersCsv(2)}50100271828001,60200000000099,9.00\n`);
  office.server.use(() => wire.answer(200));
  await office.run("corrected.csv");
  const batch = office.batchOf("corrected.csv");
  for (const which of [["--row", "3"], ["--all"]]) {
    const ended = await office.paydrop("release", batch, ...which, ...BY);
    expect(ended.stdout).toContain(`waits for row 3 of batch ${first}, which is unknown and may have gone through`);
    expect(ended.stdout).toContain(`paydrop settle ${first} --row 3 --as done|not-done`);
  }
  expect(requestsTo(office.server, accountOfRow(3))).toBe(1);
  expect(office.statuses("corrected.csv")).toMatchObject({ 3: "held" });
});

test("where every held row waits for an open one elsewhere, what is next is that one, not a release", async () => {
  const office = await openOffice((request) =>
    accountOf(request) === accountOfRow(3) ? wire.reset() : wire.answer(200),
  );
  office.write("pay.csv", transfersCsv(2));
  await office.run("pay.csv");
  const first = office.batchOf("pay.csv");
  office.write("again.csv", transfersCsv(2).replace(accountOfRow(2), "60200000000077"));
  const ended = await office.run("again.csv");
  const batch = office.batchOf("again.csv");
  expect(ended.counts).toEqual({ accepted: 1, held: 1 });
  for (const { stdout } of [ended, await office.paydrop("status", batch), await office.paydrop("results", batch)]) {
    expect(stdout).toContain(`row 3 waits for row 3 of batch ${first}, which has no end yet: see to that one first\n`);
    expect(stdout).toContain(`paydrop status ${first}\n`);
    expect(stdout).not.toContain("paydrop release");
  }
  await office.paydrop("settle", first, "--row", "3", "--as", "done", "--by", "ravi", "--note", "in the dashboard");
  expect((await office.paydrop("status", batch)).stdout).toContain(`paydrop release ${batch} --row 3`);
});

test("what a row turns out to be when it is about to be released stands in the results, though nothing goes", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("pay.csv", transfersCsv(2, { reference: (index) => `REF-${index}` }));
  expect((await office.run("pay.csv")).code).toBe(7);
  office.server.use(() => wire.answer(200));
  office.write("again.csv", transfersCsv(3, { reference: (index) => `REF-${index}` }));
  await office.run("again.csv");
  expect(office.statuses("again.csv")).toEqual({ 2: "accepted", 3: "held", 4: "accepted" });
  await office.run("pay.csv");
  const ended = await office.paydrop("release", office.batchOf("again.csv"), "--row", "3", ...BY);
  expect(ended).toMatchObject({ code: 6, stdout: expect.stringContaining("Nothing was released.") as string });
  expect(office.statuses("again.csv")).toEqual({ 2: "accepted", 3: "duplicate", 4: "accepted" });
  expect(requestsTo(office.server, accountOfRow(3))).toBe(1);
});

test("who lets a row go that waits for one that nobody sends is told what sends that one", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("first.csv", transfersCsv(2));
  await office.run("first.csv");
  office.server.use(() => wire.answer(200));
  office.write("second.csv", `from_account,to_account,amount\n${transfersCsv(2).split("\n")[2] ?? ""}\n`);
  await office.run("second.csv");
  const ended = await office.paydrop("release", office.batchOf("second.csv"), "--row", "2", ...BY);
  const first = office.batchOf("first.csv");
  expect(ended.stdout).toContain(`Row 2 stays held: it waits for row 3 of batch ${first}, which was not sent yet.\n`);
  expect(ended.stdout).toContain(`  → to send that one:  paydrop retry ${first}\n`);
  expect(await office.paydrop("retry", first)).toMatchObject({ code: 0 });
  expect(requestsTo(office.server, accountOfRow(3))).toBe(1);
});

test("a row that waits for another one than before says so in the results, though nothing goes", async () => {
  const office = await openOffice(() => wire.answer(401));
  const payment = (row: number): string => transfersCsv(row).split("\n")[row] ?? "";
  const file = (name: string, ...rows: readonly number[]): void =>
    void office.write(name, `from_account,to_account,amount\n${rows.map((row) => `${payment(row)}\n`).join("")}`);
  file("first.csv", 1, 2);
  await office.run("first.csv");
  office.server.use((request) => (accountOf(request) === accountOfRow(4) ? wire.reset() : wire.answer(200)));
  file("unknown.csv", 3);
  await office.run("unknown.csv");
  file("second.csv", 2);
  await office.run("second.csv");
  file("third.csv", 2, 3);
  const others = (): (string | undefined)[] =>
    office.results("third.csv").map(({ result_message: message }) => /row \d+ of batch \w+/.exec(message)?.[0]);
  await office.run("third.csv");
  const unknown = `row 2 of batch ${office.batchOf("unknown.csv")}`;
  expect(others()).toEqual([`row 3 of batch ${office.batchOf("first.csv")}`, unknown]);
  await office.paydrop("cancel", office.batchOf("first.csv"));
  const ended = await office.paydrop("release", office.batchOf("third.csv"), "--row", "2", "--row", "3", ...BY);
  expect(ended.stdout).toContain("Nothing was released.");
  expect(others()).toEqual([`row 2 of batch ${office.batchOf("second.csv")}`, unknown]);
});

test("a row that waits for a held one can be released, and the next step says so", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("pay.csv", transfersCsv(1));
  await office.run("pay.csv");
  office.write("again.csv", `${transfersCsv(1)}50100271828001,60200000000099,9.00\n`);
  await office.run("again.csv");
  office.write("once-more.csv", `${transfersCsv(1)}50100271828001,60200000000088,9.00\n`);
  const { stdout } = await office.run("once-more.csv");
  const batch = office.batchOf("once-more.csv");
  expect(stdout).toContain(`paydrop release ${batch} --row 2`);
  expect((await office.paydrop("release", batch, "--row", "2", ...BY)).stdout).toContain("1 row goes: row 2");
});

test("who decides that held rows do not go is told how, and then the next month goes", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("pay.csv", transfersCsv(2));
  await office.run("pay.csv");
  office.write("corrected.csv", `${transfersCsv(2)}50100271828001,60200000000099,9.00\n`);
  const ended = await office.run("corrected.csv");
  expect(ended.counts).toEqual({ accepted: 1, held: 2 });
  const batch = office.batchOf("corrected.csv");
  const { stdout: later } = await office.paydrop("check", "corrected.csv");
  for (const { stdout } of [ended, await office.paydrop("status", batch)]) {
    expect(stdout).toContain(`to send nothing more of this batch\n`);
    expect(stdout).toContain(`paydrop cancel ${batch} --by NAME --reason TEXT\n`);
  }
  expect(later).toContain(`, or paydrop cancel ${batch}`);
  await office.paydrop("cancel", batch, ...BY);
  expect((await office.paydrop("status", "--check")).code).toBe(0);
  office.write("later.csv", `${transfersCsv(2)}50100271828001,60200000000099,9.00\n\n`);
  expect((await office.run("later.csv", "--period", "2099-12")).counts).toEqual({ accepted: 3 });
});

test("--all leaves duplicates alone and says how many; a duplicate goes when a person names its row", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("pay.csv", transfersCsv(2, { reference: (index) => `REF-${index}` }));
  await office.run("pay.csv");
  office.write("again.csv", transfersCsv(3, { reference: (index) => `REF-${index}` }));
  await office.run("again.csv");
  const batch = office.batchOf("again.csv");
  expect(office.statuses("again.csv")).toEqual({ 2: "duplicate", 3: "duplicate", 4: "accepted" });
  const all = await office.paydrop("release", batch, "--all", ...BY);
  expect(all.stdout).toContain("2 rows accepted before stay as duplicate (rows 2, 3)");
  expect(office.server.requests).toHaveLength(3);
  expect((await office.paydrop("release", batch, "--row", "3", ...BY)).code).toBe(0);
  expect(requestsTo(office.server, accountOfRow(3))).toBe(2);
  expect(office.server.requests).toHaveLength(4);
});

test("who releases, which rows and why must be said; a row that is not held is refused, and the others with it", async () => {
  const office = await openOffice(() => wire.answer(200));
  const [line = ""] = transfersCsv(1).split("\n").slice(1);
  office.write("pay.csv", `${transfersCsv(1)}${line}\n`);
  expect((await office.run("pay.csv")).code).toBe(6);
  const batch = office.batchOf("pay.csv");
  const by = { by: "ravi", reason: "meant" };
  for (const [flags, said] of [
    [{ row: ["3"], reason: "meant" }, "name of the person"],
    [{ row: ["3"], by: "ravi" }, "--reason is missing"],
    [by, "say either --row N… or --all"],
    [{ row: ["3"], all: true, ...by }, "say either --row N… or --all"],
    [{ row: ["2,3"], ...by }, "row 2 is accepted: only held and duplicate rows"],
    [{ row: ["x"], ...by }, "is not a row number"],
  ] as const) {
    const ended = await office.refused("release", [batch], flags);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(said);
  }
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "held" });
  expect(office.server.requests).toHaveLength(1);
});

test("without keys nothing is released", async () => {
  const office = await openOffice(() => wire.answer(200));
  const [line = ""] = transfersCsv(1).split("\n").slice(1);
  office.write("pay.csv", `${transfersCsv(1)}${line}\n`);
  await office.run("pay.csv");
  const batch = office.batchOf("pay.csv");
  office.env["PAYDROP_API_KEY"] = "";
  const ended = await office.paydrop("release", batch, "--row", "3", ...BY);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain("PAYDROP_API_KEY");
  expect(office.statuses("pay.csv")).toMatchObject({ 3: "held" });
  expect((await office.paydrop("status", batch)).stdout).not.toContain("release row");
});

test.each([
  ["another environment", { PAYDROP_ENVIRONMENT: "live" }, "is a test one"],
  ["another address", { PAYDROP_BASE_URL: "http://127.0.0.1:9" }, "began with"],
])(
  "by the settings of %s nothing is released, retried or resumed, and nothing of it is in the history",
  async (_, settings, why) => {
    const office = await openOffice(({ number }) => (number === 1 ? wire.answer(200) : wire.answer(401)));
    office.write("pay.csv", `${transfersCsv(2)}${transfersCsv(1).split("\n")[1]}\n`);
    const ran = await office.run("pay.csv");
    expect(ran.counts).toEqual({ accepted: 1, rejected: 1, held: 1 });
    const batch = office.batchOf("pay.csv");
    const before = (await office.paydrop("status", batch)).stdout;
    const asked = { ...office.env, ...settings };
    for (const words of [
      ["release", batch, "--all", ...BY],
      ["retry", batch, "--by", "ravi"],
    ]) {
      const refused = await runProgram(words, { env: asked, cwd: office.folder });
      expect(refused).toMatchObject({ code: 78, stdout: "", stderr: expect.stringContaining(why) as unknown });
    }
    expect((await office.paydrop("status", batch)).stdout).toBe(before);
    await office.paydrop("pause", batch);
    const paused = await runProgram(["resume", batch, "--by", "ravi"], { env: asked, cwd: office.folder });
    expect(paused.code).toBe(78);
    expect((await office.paydrop("status", batch)).stdout).not.toContain("ravi");
    expect(office.server.requests).toHaveLength(2);
  },
);

test("rows released while their batch is being sent go in the same run", async () => {
  const answers: (() => void)[] = [];
  const office = await openOffice((request) =>
    request.number === 2
      ? async (socket) => {
          await new Promise<void>((resolve) => answers.push(resolve));
          await wire.answer(200)(socket);
        }
      : wire.answer(200),
  );
  const [line = ""] = transfersCsv(1).split("\n").slice(1);
  // row 3 repeats row 2 and is held; row 5 is answered only when the test says so
  office.write("pay.csv", `${transfersCsv(1)}${line}\n50100271828001,60200000000098,9.00\n`);
  const program = office.start("run", "pay.csv");
  await until("the second request", () => answers.length === 1);
  const [{ batch } = {}] = await office.lines("status");
  const released = await office.paydrop("release", String(batch), "--row", "3", ...BY);
  expect(released.code).toBe(0);
  expect(released.stdout).toContain("1 row goes: row 3, 101.00");
  expect(released.stdout).toContain("Another paydrop is working with this state folder");
  expect(requestsTo(office.server, accountOfRow(2))).toBe(1);
  answers[0]?.();
  expect((await program.ended).code).toBe(0);
  expect(requestsTo(office.server, accountOfRow(2))).toBe(2);
  expect(office.statuses("pay.csv")).toEqual({ 2: "accepted", 3: "accepted", 4: "accepted" });
});

test("rows of another batch released while a run has the lock are sent by it before it ends, and count for its exit code", async () => {
  const office = await openOffice(() => wire.answer(200));
  const [line = ""] = transfersCsv(1).split("\n").slice(1);
  office.write("first.csv", `${transfersCsv(1)}${line}\n`);
  await office.run("first.csv");
  const batch = office.batchOf("first.csv");
  const answers: (() => void)[] = [];
  office.server.use(() => async (socket) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    await wire.answer(200)(socket);
  });
  office.write("second.csv", "from_account,to_account,amount\n50100271828001,60200000000097,9.00\n");
  const program = office.start("run", "second.csv");
  await until("the second request", () => answers.length === 1);
  expect((await office.paydrop("release", batch, "--row", "3", ...BY)).code).toBe(0);
  office.server.use(() => wire.answer(422));
  answers[0]?.();
  const { code, stdout } = await program.ended;
  expect(code).toBe(3);
  for (const name of ["first.csv", "second.csv"]) expect(stdout).toContain(`${name}.results.csv`);
  expect(requestsTo(office.server, accountOfRow(2))).toBe(2);
  expect(office.statuses("second.csv")).toEqual({ 2: "accepted" });
  expect(office.statuses("first.csv")).toEqual({ 2: "accepted", 3: "rejected" });
});

test("rows left to a process that is killed before it took them go with the next one, whatever it is for", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("twice.csv", `${transfersCsv(1)}50100271828001,60200000000001,101.00\n`);
  await office.run("twice.csv");
  const batch = office.batchOf("twice.csv");
  office.server.use(() => wire.silence());
  office.write("long.csv", "from_account,to_account,amount\nACC-1,ACC-LONG,5.00\n");
  const long = office.start("run", "long.csv");
  await until("the second request", () => office.server.requests.length === 2);
  const left = await office.paydrop("release", batch, "--all", ...BY);
  expect(left.stdout).toContain("the rows are left to it");
  long.child.kill("SIGKILL");
  await long.ended;
  office.server.use(() => wire.answer(200));
  office.write("other.csv", "from_account,to_account,amount\nACC-1,ACC-OTHER,7.00\n");
  expect((await office.run("other.csv")).code).toBe(0);
  expect(office.statuses("twice.csv")).toEqual({ 2: "accepted", 3: "accepted" });
  expect(office.server.requests).toHaveLength(4);
  expect((await office.run("other.csv")).code).toBe(0);
  expect(office.server.requests).toHaveLength(4);
});

test("beside a process that sends nothing is let go to another address, and results say that rows are on their way", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("twice.csv", `${transfersCsv(1)}50100271828001,60200000000001,101.00\n`);
  await office.run("twice.csv");
  const batch = office.batchOf("twice.csv");
  office.server.use(() => wire.silence());
  office.write("long.csv", "from_account,to_account,amount\nACC-1,ACC-LONG,5.00\n");
  const long = office.start("run", "long.csv");
  await until("the second request", () => office.server.requests.length === 2);
  const other = "http://127.0.0.1:9";
  const released = await office.paydrop("release", batch, "--all", ...BY, "--base-url", other);
  expect(released).toMatchObject({ code: 78, stdout: "" });
  expect(released.stderr).toContain(`batch ${batch} began with`);
  expect(office.statuses("twice.csv")).toEqual({ 2: "accepted", 3: "held" });
  expect((await office.paydrop("status", batch)).stdout).not.toContain("ravi");

  const results = await office.paydrop("results", office.batchOf("long.csv"));
  expect(results).toMatchObject({ code: 0 });
  expect(results.stdout).toMatch(
    /^results +\S+long\.csv\.results\.csv\nRows of batch \w{8} are on their way at this moment/,
  );
  expect(office.results("long.csv")).toMatchObject([
    { result_message: "No answer yet: it is being sent at this moment" },
  ]);
  long.child.kill("SIGKILL");
  await long.ended;
  expect((await office.paydrop("results", office.batchOf("long.csv"))).stdout).toContain("DO NOT SEND AGAIN");
});

test("a release speaks of what was accepted by then: what went elsewhere since is asked for again", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("november.csv", transfersCsv(1));
  await office.run("november.csv");
  office.write("december.csv", transfersCsv(1, { note: () => "december" }));
  await office.run("december.csv");
  const december = office.batchOf("december.csv");
  office.server.use(() => wire.answer(401));
  expect((await office.paydrop("release", december, "--all", ...BY)).code).toBe(7);

  // the key is mended; somebody saves the list again, and has that one released
  office.server.use(() => wire.answer(200));
  office.write("december-2.csv", transfersCsv(1, { note: () => "december again" }));
  expect((await office.run("december-2.csv")).counts).toEqual({ held: 1 });
  expect((await office.paydrop("release", office.batchOf("december-2.csv"), "--all", ...BY)).code).toBe(0);
  expect(requestsTo(office.server, accountOfRow(2))).toBe(3);

  const resumed = await office.run("december.csv");
  expect({ code: resumed.code, counts: resumed.counts }).toEqual({ code: 6, counts: { held: 1 } });
  expect(resumed.results[0]?.result_duplicate_of).toContain(office.batchOf("december-2.csv"));
  expect(requestsTo(office.server, accountOfRow(2))).toBe(3);
  expect((await office.paydrop("release", december, "--all", ...BY)).code).toBe(0);
  expect(requestsTo(office.server, accountOfRow(2))).toBe(4);
});

/** November went; two copies of it wait for a person. */
async function twoCopies() {
  const office = await openOffice(() => wire.answer(200));
  office.write("november.csv", transfersCsv(1));
  await office.run("november.csv");
  for (const name of ["one", "two"]) {
    office.write(`${name}.csv`, transfersCsv(1, { note: () => name }));
    expect((await office.run(`${name}.csv`)).counts).toEqual({ held: 1 });
  }
  return { office, one: office.batchOf("one.csv"), two: office.batchOf("two.csv") };
}

test("who releases one of two copies is told first that the other one went since", async () => {
  const { office, one, two } = await twoCopies();
  expect((await office.paydrop("release", one, "--all", ...BY)).code).toBe(0);
  const told = await office.paydrop("release", two, "--all", ...BY);
  expect([told.code, requestsTo(office.server, accountOfRow(2))]).toEqual([6, 2]);
  expect(told.stdout).toMatch(
    new RegExp(`same payment as row 2 of batch ${one}, accepted .*\\. This is new: look at it, then release it again`),
  );
  expect(office.results("two.csv")[0]?.result_duplicate_of).toContain(one);
  expect((await office.paydrop("release", two, "--all", ...BY)).code).toBe(0);
  expect(requestsTo(office.server, accountOfRow(2))).toBe(3);
});

test("what was unknown when a row was released, and turns out to be done, is asked for again", async () => {
  const { office, one, two } = await twoCopies();
  office.server.use(() => wire.reset());
  expect((await office.paydrop("release", one, "--all", ...BY)).code).toBe(4);
  await office.paydrop("pause", two, "--by", "ravi");
  await office.paydrop("release", two, "--all", ...BY);
  office.server.use(() => wire.answer(200));
  await office.paydrop("settle", one, "--row", "2", "--as", "done", "--by", "asha", "--note", "dashboard");
  expect((await office.paydrop("resume", two, "--by", "ravi")).code).toBe(6);
  expect([requestsTo(office.server, accountOfRow(2)), office.statuses("two.csv")]).toEqual([2, { 2: "held" }]);
});

test.each([["--all"], ["--row", "3"]])(
  "%s lets a row go that nothing stands in the way of any more, though nobody had seen that yet",
  async (...which) => {
    const office = await openOffice(() => wire.answer(401));
    office.write("first.csv", transfersCsv(2));
    await office.run("first.csv");
    // its row 3 is ready, and stands in the way of the same payment in the next file
    office.write("second.csv", transfersCsv(2, { note: () => "again" }));
    expect((await office.run("second.csv")).counts).toEqual({ rejected: 1, held: 1 });
    office.server.use((request) => wire.answer(accountOf(request) === accountOfRow(3) ? 422 : 200));
    expect((await office.run("first.csv")).counts).toEqual({ accepted: 1, rejected: 1 });

    office.server.use(() => wire.answer(200));
    const released = await office.paydrop("release", office.batchOf("second.csv"), ...which, ...BY);
    expect(released.stdout).toContain("1 row goes: row 3, 102.00, not sent.");
    expect(office.statuses("second.csv")).toEqual({ 2: "rejected", 3: "accepted" });
    expect((await office.paydrop("status", office.batchOf("second.csv"))).stdout).toContain("ravi: release row 3");
  },
);
