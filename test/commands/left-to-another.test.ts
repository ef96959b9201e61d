import { describe, expect, onTestFinished, test } from "vitest";
import { processFile } from "../../src/library/files.ts";
import { API_KEY, transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { accountOfRow, openOffice, requestsTo, type Office } from "../support/people.ts";
import { type Program, runProgram, startProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const BY = ["--by", "ravi", "--reason", "December payroll"] as const;
const [, LINE = ""] = transfersCsv(1).split("\n");

/** An office with a batch whose second row is held, and another service, which is silent. */
async function withHeldRow(): Promise<{ office: Office; batch: string; other: wire.FaultServer }> {
  const office = await openOffice(() => wire.answer(200));
  office.write("twice.csv", `${transfersCsv(1)}${LINE}\n`);
  await office.run("twice.csv");
  const other = await startService(() => wire.silence());
  office.write("long.csv", "from_account,to_account,amount\nACC-1,ACC-LONG,5.00\n");
  return { office, batch: office.batchOf("twice.csv"), other };
}

/** `paydrop run long.csv` on its way to the other service. */
async function working(office: Office, other: wire.FaultServer, ...flags: string[]): Promise<Program> {
  const env = { ...office.env, PAYDROP_BASE_URL: other.url };
  const program = startProgram(["run", "long.csv", ...flags], { env, cwd: office.folder });
  onTestFinished(() => void program.child.kill("SIGKILL"));
  await until("its request", () => other.requests.length === 1);
  return program;
}

describe("while another paydrop has the lock that sends elsewhere", () => {
  test.each([[[]], [["--accept-destination"]]])(
    "nothing is left to it, whatever it was started with: %j",
    async (flags) => {
      const { office, batch, other } = await withHeldRow();
      const program = await working(office, other, ...flags);
      const refused = await office.paydrop("release", batch, "--all", ...BY);
      expect(refused).toMatchObject({ code: 75, stdout: "" });
      expect(refused.stderr).toContain(
        `it sends to ${other.url} (test), and batch ${batch} goes to ${office.server.url}`,
      );
      expect(office.statuses("twice.csv")).toEqual({ 2: "accepted", 3: "held" });
      expect((await office.paydrop("status", batch)).stdout).not.toContain("ravi");
      program.child.kill("SIGKILL");
      await program.ended;
      expect((await office.paydrop("release", batch, "--all", ...BY)).code).toBe(0);
      expect([requestsTo(office.server, accountOfRow(2)), other.requests.length]).toEqual([2, 1]);
    },
  );

  test("rows that were left to one that was killed do not go elsewhere with the next one, nor end it", async () => {
    const { office, batch, other } = await withHeldRow();
    office.server.use(() => wire.silence());
    office.write("first.csv", "from_account,to_account,amount\nACC-1,ACC-FIRST,6.00\n");
    const first = office.start("run", "first.csv");
    await until("its request", () => office.server.requests.length === 2);
    expect((await office.paydrop("release", batch, "--all", ...BY)).code).toBe(0);
    first.child.kill("SIGKILL");
    await first.ended;
    other.use(() => wire.answer(200));
    const env = { ...office.env, PAYDROP_BASE_URL: other.url };
    const next = await runProgram(["run", "--accept-destination", "long.csv"], { env, cwd: office.folder });
    expect([next.code, other.requests.length]).toEqual([0, 1]);
    office.server.use(() => wire.answer(200));
    office.write("other.csv", "from_account,to_account,amount\nACC-1,ACC-OTHER,7.00\n");
    expect((await office.run("other.csv")).code).toBe(0);
    expect(office.statuses("twice.csv")).toEqual({ 2: "accepted", 3: "accepted" });
  });

  test("a person who accepts its address leaves the rows to it, and they go there", async () => {
    const { office, batch, other } = await withHeldRow();
    const answers: (() => void)[] = [];
    other.use(() => async (socket) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      await wire.answer(200)(socket);
    });
    const program = await working(office, other);
    const accepting = ["--accept-destination", "--base-url", other.url];
    const left = await office.paydrop("release", batch, "--all", ...BY, ...accepting);
    expect(left).toMatchObject({ code: 0 });
    expect(left.stdout).toContain("the rows are left to it");
    other.use(() => wire.answer(200));
    answers[0]?.();
    await program.ended;
    expect(office.statuses("twice.csv")).toEqual({ 2: "accepted", 3: "accepted" });
    expect((await office.paydrop("status", batch)).stdout).toContain(
      `ravi: destination ${office.server.url} → ${other.url}`,
    );
  });
});

test("a payout is not left to a process without the keys", async () => {
  const { office } = await withHeldRow();
  const payout = "ACC-1,Asha,501000000001,SBIN0000001,Asha,100.00,NEFT";
  office.write(
    "pay.csv",
    `debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode\n${payout}\n${payout}\n`,
  );
  await office.run("pay.csv");
  const batch = office.batchOf("pay.csv");
  office.server.use(() => wire.silence());
  const env = { ...office.env };
  delete env["PAYDROP_AES_KEY"];
  delete env["PAYDROP_AES_IV"];
  const program = startProgram(["run", "long.csv"], { env, cwd: office.folder });
  await until("its request", () => office.server.requests.length === 3);
  const refused = await office.paydrop("release", batch, "--all", ...BY);
  program.child.kill("SIGKILL");
  await program.ended;
  expect(refused).toMatchObject({ code: 75 });
  expect(refused.stderr).toContain("without the keys for payouts");
});

test("nothing is left to a program that sends one file by the library", async () => {
  const { office, batch } = await withHeldRow();
  office.server.use(() => wire.silence());
  const giveUp = new AbortController();
  const { PAYDROP_BASE_URL: baseUrl = "", PAYDROP_STATE_DIR: stateDir = "" } = office.env;
  const sending = processFile(`${office.folder}/long.csv`, {
    baseUrl,
    apiKey: API_KEY,
    stateDir,
    giveUpSignal: giveUp.signal,
  });
  await until("its request", () => office.server.requests.length === 2);
  const refused = await office.paydrop("release", batch, "--all", ...BY);
  giveUp.abort();
  await sending;
  expect(refused).toMatchObject({ code: 75 });
  expect(refused.stderr).toContain("nothing but what it was started for");
});
