import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { FileRefusedError, PaydropError, checkFile, processFile } from "../../src/index.ts";
import type { BatchReport, CheckReport, ProcessOptions, RunEvent } from "../../src/index.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { answer, inOrder, pause, silence } from "../support/fault-server.ts";
import type { FaultServer, Script } from "../support/fault-server.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { startService } from "../support/service.ts";

const HEADER = "from_account,to_account,amount\n";

/** A file of transfers; one amount per row. */
function transfersFile(...amounts: string[]): string {
  const path = join(temporaryDirectory(), "transfers.csv");
  writeFileSync(path, HEADER + amounts.map((amount, index) => `ACC-1,ACC-TO-${index},${amount}\n`).join(""));
  return path;
}

async function newSandbox(): Promise<Sandbox> {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A server and the options for it, with a memory of their own. */
async function newServer(script: Script): Promise<{ server: FaultServer; options: ProcessOptions }> {
  const server = await startService(script);
  return { server, options: { baseUrl: server.url, apiKey: "a-key-of-tests", stateDir: temporaryDirectory() } };
}

/** What a call rejects with. */
async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.unreachable("it did not reject"),
    (error: unknown) => error,
  );
}

/** Stands in a folder until the test ends. */
function standIn(folder: string): void {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
}

describe("a path that is relative", () => {
  test("is of the folder in which the program stood when it called", async () => {
    const [here, there] = [temporaryDirectory(), temporaryDirectory()];
    writeFileSync(join(here, "t.csv"), `${HEADER}ACC-1,ACC-HERE,1.00\n`);
    writeFileSync(join(there, "t.csv"), `${HEADER}ACC-1,ACC-THERE,77.00\n`);
    const { server, options } = await newServer(() => answer(200));
    standIn(here);
    const checking = checkFile("t.csv");
    const sending = processFile("t.csv", options);
    process.chdir(there);
    expect((await checking).total).toBe("1.00");
    expect((await sending).total.amount).toBe("1.00");
    expect(server.requests.map(({ body }) => body)).toEqual([expect.stringContaining("ACC-HERE")]);
    expect([readdirSync(here).length > 1, readdirSync(there)]).toEqual([true, ["t.csv"]]);
  });
});

describe("processFile", () => {
  test("sends each valid row once, tells each, and writes the results beside the file", async () => {
    const sandbox = await newSandbox();
    const events: RunEvent[] = [];
    const path = transfersFile("100.00", "1e3", "0.10");
    const onEvent = (event: RunEvent): void => void events.push(event);
    const report = await processFile(path, { sandbox, stateDir: temporaryDirectory(), onEvent });

    expect(report).toMatchObject({ exitCode: 3, requests: 2, destination: "sandbox" });
    expect(report.byStatus).toMatchObject({ accepted: { rows: 2, amount: "100.10" }, invalid: { rows: 1 } });
    expect(sandbox.ledger().entries.map((entry) => entry.payload)).toEqual([
      '{"from_account":"ACC-1","to_account":"ACC-TO-0","amount":100.00}',
      '{"from_account":"ACC-1","to_account":"ACC-TO-2","amount":0.10}',
    ]);
    expect(events.map((event) => event.type)).toEqual(["start", "row", "row"]);
    expect(report.files.results).toBe(`${path}.results.csv`);
    expect(readFileSync(`${path}.results.csv`, "utf8").split("\r\n")).toHaveLength(3 + 1 + 1);
  });

  test("the same file again sends nothing", async () => {
    const { server, options } = await newServer(() => answer(200));
    const path = transfersFile("1", "2", "3");
    const first = await processFile(path, options);
    expect(first).toMatchObject({ requests: 3, exitCode: 0 });
    expect(first).not.toHaveProperty("sentBefore");
    const again = await processFile(path, options);
    expect(again).toMatchObject({ requests: 0, exitCode: 0 });
    expect(again.sentBefore).toBeGreaterThanOrEqual(first.startedAt);
    expect(again.sentBefore).toBeLessThanOrEqual(again.startedAt);
    expect(server.requests).toHaveLength(3);
  });

  test("a run that reached nobody is not one that had nothing to send", async () => {
    const { server, options } = await newServer(() => answer(200));
    await server.close();
    const path = transfersFile("1");
    for (let times = 0; times < 2; times += 1) {
      const report = await processFile(path, { ...options, retryForMs: 1 });
      expect(report).toMatchObject({ requests: 0, byStatus: { not_sent: { rows: 1 } } });
      expect(report).not.toHaveProperty("sentBefore");
    }
  });

  test("reads every option as the command line does", async () => {
    const inFlight = { now: 0, most: 0 };
    const { options } = await newServer(() => {
      inFlight.now += 1;
      inFlight.most = Math.max(inFlight.most, inFlight.now);
      return inOrder(pause(20), () => void (inFlight.now -= 1), answer(200));
    });
    const path = transfersFile("1", "2", "3", "4");
    const report = await processFile(path, { ...options, concurrency: 1, expectRows: 4, expectTotal: "10.00" });
    expect(report.exitCode).toBe(0);
    expect(inFlight.most).toBe(1);
    const refused = await thrownBy(processFile(transfersFile("5"), { ...options, expectTotal: "6" }));
    expect(refused).toMatchObject({ code: "file_refused", faults: [{ code: "control_total_differs" }] });
  });

  test("a second run on the state directory is refused while the first one works", async () => {
    const { server, options } = await newServer(() => inOrder(pause(50), answer(200)));
    const path = transfersFile("1");
    const first = processFile(path, options);
    const second = await thrownBy(processFile(path, options));
    expect(second).toBeInstanceOf(PaydropError);
    expect(second).toMatchObject({ code: "locked" });
    expect(await first).toMatchObject({ requests: 1 });
    expect(server.requests).toHaveLength(1);
    // and it is free again
    expect(await processFile(path, options)).toMatchObject({ requests: 0 });
  });

  test("a signal stops it softly: the row in flight ends, the others go by the next run", async () => {
    const stop = new AbortController();
    const { server, options } = await newServer(({ number }) => {
      if (number === 1) stop.abort();
      return answer(200);
    });
    const path = transfersFile("1", "2", "3");
    const stopped = await processFile(path, { ...options, signal: stop.signal });
    expect(stopped).toMatchObject({ requests: 1, exitCode: 7, stop: { code: "signal" } });
    expect(stopped.byStatus).toMatchObject({ accepted: { rows: 1 }, not_sent: { rows: 2 } });
    expect(await processFile(path, options)).toMatchObject({ requests: 2, exitCode: 0 });
    expect(server.requests).toHaveLength(3);
  });

  test("giving up makes the row in flight unknown, and it never goes again by itself", async () => {
    const stop = new AbortController();
    const { server, options } = await newServer(() => {
      stop.abort();
      return silence();
    });
    const path = transfersFile("1", "2");
    const report = await processFile(path, { ...options, giveUpSignal: stop.signal });
    expect(report.byStatus).toMatchObject({ unknown: { rows: 1 }, not_sent: { rows: 1 } });
    server.use(() => answer(200));
    expect(await processFile(path, options)).toMatchObject({ requests: 1, exitCode: 4 });
    expect(server.requests).toHaveLength(2);
  });

  test("a listener that throws holds no row back, and what it threw comes at the end", async () => {
    const { server, options } = await newServer(() => answer(200));
    const path = transfersFile("1", "2", "3");
    let calls = 0;
    const onEvent = (): never => {
      calls += 1;
      throw new RangeError("a mistake in the listener");
    };
    expect(await thrownBy(processFile(path, { ...options, onEvent }))).toBeInstanceOf(RangeError);
    expect(calls).toBe(1);
    expect(server.requests).toHaveLength(3);
    expect(existsSync(`${path}.results.csv`)).toBe(true);
  });

  test("an async listener that rejects holds no row back either, and its error comes at the end", async () => {
    const { server, options } = await newServer(() => answer(200));
    const path = transfersFile("1", "2", "3");
    // by way of a promise, as the insert into somebody's database would
    const onEvent = (): Promise<never> => Promise.reject(new RangeError("a mistake in the listener"));
    expect(await thrownBy(processFile(path, { ...options, onEvent }))).toBeInstanceOf(RangeError);
    expect(server.requests).toHaveLength(3);
    expect(existsSync(`${path}.results.csv`)).toBe(true);
  });

  test("a payout without AES keys names the options: a library call reads no variable", async () => {
    const { server, options } = await newServer(() => answer(200));
    const path = join(temporaryDirectory(), "payroll.csv");
    copyFileSync(join(import.meta.dirname, "../../samples/payroll.csv"), path);
    const error = await thrownBy(processFile(path, options));
    expect(error).toMatchObject({ code: "config", hint: "give the options aesKey and aesIv" });
    expect((error as Error).message).not.toContain("PAYDROP_");
    expect(server.requests).toHaveLength(0);
  });

  test("a broken file is refused with its faults, and nothing is sent or written", async () => {
    const { server, options } = await newServer(() => answer(200));
    const path = transfersFile("1");
    writeFileSync(path, `${HEADER}"ACC-1,ACC-2,100\n`);
    const error = await thrownBy(processFile(path, options));
    expect(error).toBeInstanceOf(FileRefusedError);
    expect(error).toMatchObject({ code: "file_refused", faults: [{ row: 2 }] });
    expect(server.requests).toHaveLength(0);
    expect(readdirSync(join(path, ".."))).toEqual(["transfers.csv"]);
  });

  test("a sandbox without a state directory leaves no memory behind", async () => {
    const sandbox = await newSandbox();
    const path = transfersFile("1");
    expect(await processFile(path, { sandbox })).toMatchObject({ requests: 1 });
    expect(await processFile(path, { sandbox })).toMatchObject({ requests: 1 });
  });

  test.each<[string, object, RegExp]>([
    ["no address", { baseUrl: undefined }, /^baseUrl/],
    ["no key", { apiKey: undefined }, /^apiKey is missing/],
    ["a misspelt option", { alowRepeats: true }, /^there is no option "alowRepeats"$/],
    ["a word for a number", { concurrency: "many" }, /^concurrency: "many" is not a whole number/],
    [
      "milliseconds said as a duration",
      { timeoutMs: "90s" },
      /^timeoutMs: "90s" is not a number of milliseconds from 1 to/,
    ],
    ["a number that JSON does not have", { expectRows: 1n }, /^expectRows: 1 is not a whole number/],
    [
      "a private key for its path",
      { clientKeyFile: "-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n" },
      /^clientKeyFile: the value is not a path/,
    ],
    ["an address with a password", { baseUrl: "https://me:hunter2@api.bank.example" }, /^baseUrl: the address is not/],
  ])("an option that cannot be right is named: %s", async (_, wrong, message) => {
    const { options } = await newServer(() => answer(200));
    const error = await thrownBy(processFile(transfersFile("1"), { ...options, ...wrong }));
    expect(error).toMatchObject({ code: "config", message: expect.stringMatching(message) as string });
  });

  test("a misspelt option gets the one that was meant", async () => {
    const options = { alowRepeats: true } as object;
    expect(await thrownBy(processFile("any.csv", { sandbox: await newSandbox(), ...options }))).toMatchObject({
      hint: "did you mean allowRepeats?",
    });
    const listener = { onevent: () => undefined } as object;
    expect(await thrownBy(processFile("any.csv", { sandbox: await newSandbox(), ...listener }))).toMatchObject({
      hint: "did you mean onEvent?",
    });
  });
});

describe("checkFile", () => {
  test("needs no keys, sends nothing, writes nothing, and names what is wrong", async () => {
    const path = transfersFile("100.00", "1e3");
    const stateDir = join(temporaryDirectory(), "state");
    const report = await checkFile(path, { stateDir });
    expect(report).toMatchObject({ rows: 2, exitCode: 3, ready: { rows: 1, amount: "100.00" } });
    expect(report.faults).toMatchObject([{ row: 3, faults: [{ code: "scientific_notation" }] }]);
    expect(readdirSync(join(path, ".."))).toEqual(["transfers.csv"]);
  });

  test("sees what was accepted before", async () => {
    const { options } = await newServer(() => answer(200));
    const { stateDir = "" } = options;
    await processFile(transfersFile("1", "2"), { ...options, period: "2026-11" });
    const report = await checkFile(transfersFile("1", "2", "3"), { stateDir, period: "2026-11", environment: "test" });
    expect(report).toMatchObject({ duplicate: { rows: 2 }, ready: { rows: 1 } });
  });

  test("holds an amount that was edited after it went, as a run would", async () => {
    const { options } = await newServer(() => answer(200));
    await processFile(transfersFile("1", "2"), options);
    const edited = transfersFile("1", "7", "3");
    const report = await checkFile(edited, { stateDir: options.stateDir ?? "", environment: "test" });
    expect(report).toMatchObject({ ready: { rows: 1 }, held: { rows: 2 }, exitCode: 6 });
    expect(report.holds).toMatchObject([
      { row: 2, code: "possible_duplicate" },
      { row: 3, code: "near_duplicate" },
    ]);
    expect(await processFile(edited, options)).toMatchObject({ requests: 1, byStatus: { held: { rows: 2 } } });
  });

  test("of a file that went before says how its rows stand, and that nothing is left to do", async () => {
    const { options } = await newServer(() => answer(200));
    const { stateDir = "" } = options;
    const path = transfersFile("1", "2", "1e3");
    const before = await checkFile(path, { stateDir, environment: "test" });
    expect(before).toMatchObject({
      ...{ ready: { rows: 2 }, remarks: ["the amount of 1 row cannot be read: it is in no sum"] },
    });
    expect(before).not.toHaveProperty("taken");
    const { batch } = await processFile(path, options);
    const after = await checkFile(path, { stateDir, environment: "test" });
    expect(after).toMatchObject({
      ...{ ready: { rows: 0 }, invalid: { rows: 1 }, held: { rows: 0 }, duplicate: { rows: 2, amount: "3.00" } },
      ...{ holds: [], exitCode: 3, taken: { batch: { id: batch }, byStatus: { accepted: { rows: 2 } } } },
    });
    expect(after.faults.map(({ row }) => row)).toEqual([4]);
    const [remark = ""] = after.remarks;
    expect(remark).toMatch(new RegExp(`taken in before, as batch ${batch} on \\d+ \\w+ \\d+: 2 accepted, 1 invalid`));
    expect(remark).toContain("Running it again sends nothing. To do: correct the rows in its retry file");

    const right = transfersFile("5", "6");
    await processFile(right, options);
    const done = await checkFile(right, { stateDir, environment: "test" });
    expect(done).toMatchObject({ exitCode: 0, duplicate: { rows: 2 } });
    expect(done.remarks).toEqual([expect.stringContaining("Nothing is left to do")]);
  });

  test.each([
    ["unknown", 504, 4, "look up the unknown rows"],
    ["rejected", 422, 3, "correct the rows in its retry file"],
    ["rejected", 401, 3, "Running it again sends 1 row."],
  ] as const)("of a file with a row that ended %s by %d: exit %d, %s", async (status, http, exitCode, said) => {
    const { options } = await newServer(() => answer(http));
    const path = transfersFile("1");
    await processFile(path, options);
    const report = await checkFile(path, { stateDir: options.stateDir ?? "", environment: "test" });
    expect(report).toMatchObject({ exitCode, ready: { rows: 0 }, taken: { byStatus: { [status]: { rows: 1 } } } });
    expect(report.remarks.join()).toContain(said);
    expect(report.remarks.join().includes("correct the rows")).toBe(http === 422);
  });

  test("of a row whose wait is over says that it may go, as it does", async () => {
    const { server, options } = await newServer(() => answer(401));
    const check = (path: string) => checkFile(path, { stateDir: options.stateDir ?? "", environment: "test" });
    const [first, second] = [transfersFile("1", "2"), transfersFile("1", "2", "3")];
    await processFile(first, options);
    server.use(({ body }) => answer(body.includes('"amount":3') ? 200 : 422));
    expect(await processFile(second, options)).toMatchObject({ byStatus: { held: { rows: 1 } } });
    expect((await check(second)).remarks.join()).toContain("Running it again sends nothing.");

    await processFile(first, options);
    const said = "Running it again may send 1 row: what 1 held row waited for has its end.";
    expect((await check(second)).remarks.join()).toContain(said);
    expect(await processFile(second, options)).toMatchObject({ requests: 1 });
  });

  test("holds the file under the name of another month, as a run would", async () => {
    const { options } = await newServer(() => answer(200));
    const path = transfersFile("1", "2");
    await processFile(path, options);
    const copy = join(path, "..", "salaries-2031-05.csv");
    copyFileSync(path, copy);
    const report = await checkFile(copy, { stateDir: options.stateDir ?? "", environment: "test" });
    expect(report).toMatchObject({ exitCode: 6, held: { rows: 2 }, holds: [{ code: "same_file" }, {}] });
    expect(await processFile(copy, options)).toMatchObject({ exitCode: 6, byStatus: { held: { rows: 2 } } });
  });

  test("a file without a valid row has an operation all the same", async () => {
    const { options } = await newServer(() => answer(200));
    const path = transfersFile("1e3");
    expect(await checkFile(path, { stateDir: temporaryDirectory() })).toMatchObject({ operation: "transfer" });
    expect(await processFile(path, options)).toMatchObject({ operation: "transfer", exitCode: 3 });
  });

  test("a file that is not there is named", async () => {
    const error = await thrownBy(checkFile(join(temporaryDirectory(), "missing.csv")));
    expect(error).toMatchObject({ code: "usage", message: expect.stringContaining("missing.csv") as string });
  });
});

test("in a browser's bundle the package only says why it is not there", async () => {
  await expect(import("../../src/browser.ts")).rejects.toThrow("must never appear in client-side code (§5.2)");
});

test("reports are what their types say", () => {
  expectTypeOf(processFile).returns.resolves.toEqualTypeOf<BatchReport>();
  expectTypeOf(checkFile).returns.resolves.toEqualTypeOf<CheckReport>();
  expectTypeOf<BatchReport["exitCode"]>().toEqualTypeOf<number>();
});
