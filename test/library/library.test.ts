import { createCipheriv } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as paydrop from "../../src/index.ts";
import type { BatchReport, ProcessOptions, RunEvent } from "../../src/index.ts";
import { SANDBOX_AES_IV, SANDBOX_AES_KEY, startSandbox, type Sandbox } from "../../src/sandbox/server.ts";
import { answer, inOrder, pause, silence, type FaultServer, type Script } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const { FileRefusedError, PaydropError, checkFile, createClient, encryptPayload, processFile, watchFolder } = paydrop;
const { openActs, pause: pauseBatch, release, resume, retry, tell } = paydrop;

/** A callback that fails. */
function mine(): never {
  throw new Error("mine");
}

const HEADER = "from_account,to_account,amount\n";

/** Transfers, one amount a row. */
function textOf(...amounts: readonly string[]): string {
  return HEADER + amounts.map((amount, at) => `ACC-1,ACC-TO-${at},${amount}\n`).join("");
}

function transfersFile(...amounts: readonly string[]): string {
  const path = join(temporaryDirectory(), "transfers.csv");
  writeFileSync(path, textOf(...amounts));
  return path;
}

async function newSandbox(): Promise<Sandbox> {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

async function newServer(script: Script): Promise<{ server: FaultServer; options: ProcessOptions }> {
  const server = await startService(script);
  return { server, options: { baseUrl: server.url, apiKey: "a-key-of-tests", stateDir: temporaryDirectory() } };
}

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return expect.unreachable("it was taken");
}

test("the public names → these and no others", () => {
  expect(Object.keys(paydrop).sort()).toEqual(
    [
      ...["FileRefusedError", "PaydropError", "Secret", "checkFile", "createClient", "encryptPayload", "processFile"],
      "watchFolder",
      ...[
        "approve",
        "cancel",
        "find",
        "openActs",
        "pause",
        "reconcile",
        "release",
        "resume",
        "resumeInbox",
        "retry",
        "settle",
        "settleList",
      ],
      ...["stopInbox", "tell"],
    ].sort(),
  );
});

describe("createClient", () => {
  test("each operation is a method, amounts keep their digits, nothing goes twice", async () => {
    const sandbox = await newSandbox();
    const { url: baseUrl, apiKey, aesKey, aesIv } = sandbox;
    const client = createClient({ baseUrl, apiKey, aesKey, aesIv });
    const sent = await Promise.all([
      client.transfer({ from_account: "ACC-1", to_account: "ACC-2", amount: "2500.10" }),
      client.applyForLoan({ borrower_id: "BRW-1", amount: "250000", tenure: 24 }),
      client.collect({ amount: "499.00", currency: "INR", vpa: "ravi@bank", expiry: 30 }),
      client.payout({
        ...{ debit_account_id: "ACC-1", bene_id: "BENE-1", bene_bank_id: 11, amount: "1.00", payment_mode: "NEFT" },
      }),
      client.transfer({ from_account: "ACC-1", to_account: "SANDBOX-422", amount: "1.00" }),
    ]);
    await client.close();
    expect(sent.map(({ outcome }) => outcome)).toEqual(["accepted", "accepted", "accepted", "accepted", "rejected"]);
    const payloads = sandbox.ledger().entries.map(({ payload }) => payload);
    expect(payloads).toContain('{"from_account":"ACC-1","to_account":"ACC-2","amount":2500.10}');
    expect(sandbox.ledger().requests).toBe(5);
  });

  test("a mistake in the call rejects and sends nothing", async () => {
    const sandbox = await newSandbox();
    const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    onTestFinished(() => client.close());
    const { transfer, payout } = client as unknown as Record<string, (fields: unknown) => Promise<unknown>>;
    const to = { from_account: "ACC-1", to_account: "ACC-2" };
    const wrong: [unknown, string][] = [
      [await thrownBy(() => transfer?.({ ...to, amount: 2500 })), "usage"],
      [await thrownBy(() => transfer?.({ ...to, amount: "1.00", note: "x" })), "usage"],
      [
        await thrownBy(() =>
          payout?.({ debit_account_id: "A", bene_id: "B", bene_bank_id: 1, amount: "1", payment_mode: "X" }),
        ),
        "config",
      ],
    ];
    for (const [error, code] of wrong) {
      expect(error).toBeInstanceOf(PaydropError);
      expect(error).toMatchObject({ code });
    }
    expect(sandbox.ledger().requests).toBe(0);
  });

  test.each<[string, object]>([
    ["headers", { headers: {} }],
    ["timeout", { timeout: 3 }],
    ["concurrency", { concurrency: "many" }],
    ["AES key", { aesKey: "0011", aesIv: SANDBOX_AES_IV }],
  ])("an option that cannot be right is named: %s", async (name, option) => {
    const right = { baseUrl: "https://api.bank.example", apiKey: "a-key-of-tests" };
    const error = await thrownBy(() => createClient({ ...right, ...option }));
    expect(error).toMatchObject({ code: "config", message: expect.stringContaining(name) as string });
  });
});

test("a payload is encrypted as §5.2 says", async () => {
  const keys = { aesKey: SANDBOX_AES_KEY, aesIv: SANDBOX_AES_IV };
  const cipher = createCipheriv("aes-256-cbc", Buffer.from(SANDBOX_AES_KEY, "hex"), Buffer.from(SANDBOX_AES_IV, "hex"));
  const expected = cipher.update('{"amount":1.00}', "utf8", "hex") + cipher.final("hex");
  expect(encryptPayload('{"amount":1.00}', keys)).toBe(expected);
  expect(encryptPayload('{"amount":1.00}', { ...keys, hexCase: "upper" })).toBe(expected.toUpperCase());
  expect(await thrownBy(() => encryptPayload("\ud800", keys))).toMatchObject({ code: "usage" });
  expect(await thrownBy(() => encryptPayload("{}", { ...keys, aesIv: "short" }))).toMatchObject({ code: "config" });
});

describe("processFile", () => {
  test("each valid row goes once, each is told, the results lie beside the file", async () => {
    const sandbox = await newSandbox();
    const events: RunEvent[] = [];
    const path = transfersFile("100.00", "1e+3", "0.10");
    const onEvent = (event: RunEvent): void => void events.push(event);
    const report = await processFile(path, { sandbox, stateDir: temporaryDirectory(), onEvent });
    expect(report).toMatchObject({ exitCode: 3, requests: 2, destination: "sandbox" });
    expect(report.byStatus).toMatchObject({ accepted: { rows: 2, amount: "100.10" }, invalid: { rows: 1 } });
    expect(events.map(({ type }) => type)).toEqual(["start", "row", "row"]);
    expect(report.files.results).toBe(`${path}.results.csv`);
    expect(readFileSync(`${path}.results.csv`, "utf8").split("\r\n")).toHaveLength(3 + 1 + 1);
  });

  test("the same file again sends nothing; a sandbox without stateDir forgets", async () => {
    const { server, options } = await newServer(() => answer(200));
    const path = transfersFile("1", "2", "3");
    const first = await processFile(path, options);
    expect(first).toMatchObject({ requests: 3, exitCode: 0 });
    expect(await processFile(path, options)).toMatchObject({ requests: 0, exitCode: 0, batch: first.batch });
    expect(server.requests).toHaveLength(3);
    const sandbox = await newSandbox();
    for (let times = 0; times < 2; times += 1) await processFile(path, { sandbox });
    expect(sandbox.ledger().requests).toBe(6);
  });

  test("a broken file is refused with its faults, and a missing one is a mistake", async () => {
    const { server, options } = await newServer(() => answer(200));
    const refused = await thrownBy(() => processFile(transfersFile("5"), { ...options, expectTotal: "6" }));
    expect(refused).toBeInstanceOf(FileRefusedError);
    expect(refused).toMatchObject({ code: "file_refused", faults: [{ code: "control_total_differs" }] });
    expect(await thrownBy(() => processFile("/nonexistent.csv", options))).toMatchObject({ code: "usage" });
    expect(server.requests).toEqual([]);
  });

  test("a second run on the state directory is refused while one works", async () => {
    const { server, options } = await newServer(() => inOrder(pause(200), answer(200)));
    const path = transfersFile("1");
    const first = processFile(path, options);
    await expect.poll(() => server.requests.length).toBe(1);
    expect(await thrownBy(() => processFile(path, options))).toMatchObject({ code: "locked" });
    expect(await first).toMatchObject({ requests: 1 });
  });

  test("a signal: rows on their way end, the others go by the next run", async () => {
    const stop = new AbortController();
    const { server, options } = await newServer(({ number }) => {
      if (number === 1) stop.abort();
      return answer(200);
    });
    const path = transfersFile("1", "2", "3");
    const stopped = await processFile(path, { ...options, signal: stop.signal });
    expect(stopped).toMatchObject({ requests: 1, exitCode: 7, stop: { code: "signal" } });
    const goOn = {
      name: "run",
      operand: path,
      flags: expect.objectContaining({ state_dir: options.stateDir, base_url: server.url }) as object,
    };
    expect(stopped.next.flatMap(({ commands }) => commands)).toContainEqual(goOn);
    expect(stopped.byStatus).toMatchObject({ accepted: { rows: 1 }, not_sent: { rows: 2 } });
    expect(await processFile(path, options)).toMatchObject({ requests: 2, exitCode: 0 });
    expect(server.requests).toHaveLength(3);
  });

  test("giving up: the row on its way is unknown, and never goes again", async () => {
    const giveUp = new AbortController();
    const { server, options } = await newServer(() => {
      giveUp.abort();
      return silence();
    });
    const path = transfersFile("1");
    const given = await processFile(path, { ...options, giveUpSignal: giveUp.signal });
    expect(given).toMatchObject({ exitCode: 4, byStatus: { unknown: { rows: 1 } } });
    expect(await processFile(path, options)).toMatchObject({ requests: 0, exitCode: 4 });
    expect(server.requests).toHaveLength(1);
  });

  test.for<[how: string, onEvent: () => unknown]>([
    ["throws", mine],
    ["rejects", () => Promise.reject(new Error("mine"))],
    ["rejects after the last row", () => setTimeout(500).then(mine)],
  ])("a callback that %s holds no row back: the error comes at the end", async ([, onEvent]) => {
    const { server, options } = await newServer(() => answer(200));
    const path = transfersFile("1", "2", "3");
    expect(await thrownBy(() => processFile(path, { ...options, onEvent }))).toMatchObject({ message: "mine" });
    expect(server.requests).toHaveLength(3);
    expect(existsSync(`${path}.results.csv`)).toBe(true);
  });

  test.each<[option: string, given: object | string | undefined]>([
    ["options", undefined],
    ["options", "text"],
    ["onEvent", { onEvent: "x" }],
    ["signal", { signal: {} }],
    ["timeoutMs", { timeoutMs: "30s" }],
    ["logFile", { logFile: "l.log" }],
    ["baseUrl, apiKey", { baseUrl: undefined, apiKey: undefined }],
  ])("%s that cannot be right → config, and nothing is sent", async (option, given) => {
    const { server, options } = await newServer(() => answer(200));
    const all = (typeof given === "object" ? { ...options, ...given } : given) as ProcessOptions;
    const error = await thrownBy(() => processFile(transfersFile("1"), all));
    expect(error).toMatchObject({ code: "config", message: expect.stringContaining(option) as string });
    expect(server.requests).toEqual([]);
  });

  test("neither environment nor paydrop.toml is read", async () => {
    const { server, options } = await newServer(() => answer(200));
    vi.stubEnv("PAYDROP_EXPECT_ROWS", "99");
    vi.stubEnv("PAYDROP_API_KEY", "a-key-of-tests");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await processFile(transfersFile("1"), options)).toMatchObject({ exitCode: 0 });
    const { baseUrl = "", stateDir = "" } = options;
    expect(await thrownBy(() => processFile(transfersFile("2"), { baseUrl, stateDir }))).toMatchObject({
      code: "config",
    });
    expect(server.requests).toHaveLength(1);
  });
});

test("checkFile → no network, nothing remembered, nothing written", async () => {
  const path = transfersFile("100.00", "1e+3", "100.00");
  const stateDir = join(temporaryDirectory(), "state");
  const checked = await checkFile(path, { stateDir, expectRows: 3 });
  expect(checked).toMatchObject({ operation: "transfer", total: { rows: 3, amount: "200.00" }, invalidCount: 1 });
  expect(checked.invalid[0]).toMatchObject({ code: "scientific_notation", row: 3, column: "amount" });
  expect([readdirSync(join(path, "..")), existsSync(stateDir)]).toEqual([["transfers.csv"], false]);
  expect(await thrownBy(() => checkFile(path, { expectRows: 4 }))).toBeInstanceOf(FileRefusedError);
});

test("an amount beyond 64 bits, a row without a debit account → right sums", async () => {
  const path = transfersFile("10.00", "12345678901234567890.12", "99999999999999999999");
  writeFileSync(path, `${readFileSync(path, "utf8")},ACC-9,2\n`);
  const checked = await checkFile(path, { stateDir: temporaryDirectory() });
  expect(checked).toMatchObject({ total: { amount: "12.00" }, byStatus: { invalid: { rows: 3, amount: "2.00" } } });
  expect(checked.accounts.map(({ account, total }) => [account, total.rows])).toEqual([
    ["ACC-1", 3],
    ["(none)", 1],
  ]);
});

describe("watchFolder", () => {
  /** Not below a folder of the test: that may go before the watching has its end. */
  const newInbox = (): string => mkdtempSync(join(tmpdir(), "paydrop-test-inbox-"));

  test("each dropped file is sent once and answered; a bad one is refused; close ends it", async () => {
    const { server, options } = await newServer(() => answer(200));
    const inbox = newInbox();
    const reports: BatchReport[] = [];
    const refused: unknown[] = [];
    const heard = {
      onReport: (report: BatchReport) => void reports.push(report),
      onRefused: (error: unknown) => void refused.push(error),
    };
    const watched = await watchFolder(inbox, { ...options, ...heard, settleMs: 50 });
    writeFileSync(join(inbox, "one.csv"), textOf("1", "2"));
    writeFileSync(join(inbox, "two.csv"), "from_account,to_account,amount\n");
    await expect.poll(() => [reports.length, refused.length]).toEqual([1, 1]);
    await watched.close();
    await watched.ended;
    expect(reports[0]).toMatchObject({ exitCode: 0, requests: 2 });
    expect(refused[0]).toMatchObject({ code: "file_refused" });
    expect(readdirSync(inbox)).toEqual(expect.arrayContaining(["one.csv.results.csv", "two.csv.refused.txt"]));
    expect(server.requests).toHaveLength(2);
    // its locks are free
    expect(await processFile(join(inbox, "one.csv"), options)).toMatchObject({ requests: 0 });
  });

  test.for<[how: string, onReport: () => unknown]>([
    ["throws", mine],
    ["rejects", () => Promise.reject(new Error("mine"))],
  ])("a callback that %s ends the watching with that error", async ([, onReport]) => {
    const { options } = await newServer(() => answer(200));
    const inbox = newInbox();
    const watched = await watchFolder(inbox, { ...options, settleMs: 50, onReport });
    writeFileSync(join(inbox, "one.csv"), textOf("1"));
    expect(await thrownBy(() => watched.ended)).toMatchObject({ message: "mine" });
  });

  test("what cannot begin rejects: no address, another process", async () => {
    const inbox = newInbox();
    const nowhere = { stateDir: temporaryDirectory() };
    expect(await thrownBy(() => watchFolder(inbox, nowhere))).toMatchObject({ code: "config" });
    const { options } = await newServer(() => answer(200));
    expect(await thrownBy(() => watchFolder(join(inbox, "gone"), options))).toMatchObject({ code: "usage" });
    const watched = await watchFolder(inbox, options);
    expect(await thrownBy(() => watchFolder(inbox, options))).toMatchObject({ code: "locked" });
    await watched[Symbol.asyncDispose]();
  });
});

describe("acts", () => {
  test("a held row is released by name, and goes with the next run; facts and words say so", async () => {
    const sandbox = await newSandbox();
    const stateDir = temporaryDirectory();
    const path = join(temporaryDirectory(), "transfers.csv");
    writeFileSync(path, `${HEADER}ACC-1,ACC-2,5.00\nACC-1,ACC-2,5.00\n`);
    const { batch, next } = await processFile(path, { sandbox, stateDir });
    const flags = { held: true, by: "NAME", state_dir: stateDir };
    expect(next[0]?.commands).toEqual([{ name: "cancel", batch, flags }]);
    expect(next.at(-1)?.commands[0]?.flags).toMatchObject({ row: "3", sandbox: true, state_dir: stateDir });
    await using open = await openActs({ stateDir });
    expect(() => open.person(" ")).toThrow(PaydropError);
    const asha = open.person("Asha");
    const values = { batch, which: [3], reason: "two are meant" };
    const { found, stays, code } = await release(open, asha, values);
    expect({ found, stays, code }).toEqual({
      found: [{ code: "going", facts: { batch, rows: 1, sum: "5.00" } }],
      stays: [],
      code: 0,
    });
    expect(found.map(tell)).toEqual([{ text: `1 row of batch ${batch} will be sent: 5.00`, todo: "", commands: [] }]);
    expect(await pauseBatch(open, asha, { batch })).toMatchObject({ batch, found: [{ code: "paused" }] });
    expect(await thrownBy(() => retry(open, asha, { batch }))).toMatchObject({
      ...{ reason: "batch_paused", todo: "" },
      commands: [{ name: "resume", batch }],
    });
    expect((await resume(open, asha, { batch })).rows).toEqual([3]);
    expect(sandbox.ledger().requests).toBe(1);
    expect(await processFile(path, { sandbox, stateDir })).toMatchObject({ exitCode: 0, requests: 1 });
    const sought = await Array.fromAsync(paydrop.find(open, { amount: "5" }));
    expect(sought.map(({ record, decided }) => [record.row, decided?.by])).toEqual([
      [2, undefined],
      [3, "Asha"],
    ]);
  });
});
