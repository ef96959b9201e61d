import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { createEnvelope, encryptPayload } from "../../src/client/envelope.ts";
import { readAesIv, readAesKey } from "../../src/client/keys.ts";
import { createTransport } from "../../src/client/transport.ts";
import { Secret } from "../../src/config/secret.ts";
import {
  SANDBOX_AES_IV,
  SANDBOX_AES_KEY,
  SANDBOX_API_KEY,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from "../../src/sandbox/server.ts";

const PAYOUTS = "/v1/tech/product/payouts/pay";
const TRANSFERS = "/v1/banking/transfer";
const LOANS = "/v1/lending/loan/apply";
const COLLECTIONS = "/v1/upi/collect";
const encryption = { key: readAesKey(SANDBOX_AES_KEY), iv: readAesIv(SANDBOX_AES_IV) };
const envelope = createEnvelope(encryption);

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ port: 0, ...options });
  cleanups.push(() => sandbox.close());
  return sandbox;
}

async function post(sandbox: Sandbox, path: string, body: string, headers: Record<string, string> = {}) {
  const given = { "content-type": "application/json", "x-api-key": SANDBOX_API_KEY, ...headers };
  const answer = await request(sandbox.url + path, { method: "POST", body, headers: given });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
}

function open(sandbox: Sandbox) {
  const transport = createTransport({
    baseUrl: sandbox.url,
    apiKey: new Secret(sandbox.apiKey),
    concurrency: 8,
    timeoutMs: 400,
    connectTimeoutMs: 400,
    bodyTimeoutMs: 200,
    reuseConnections: true,
  });
  cleanups.push(() => transport.close());
  return transport;
}

const COLLECTION = '{"amount":499.00,"currency":"INR","vpa":"asha@bank","expiry":900}';
const TRANSFER = '{"from_account":"0012345678","to_account":"0087654321","amount":2500.50}';
const LOAN = '{"borrower_id":"B-77","amount":100000,"tenure":12}';
const PAYOUT_A =
  '{"debit_account_id":"ACC-1","bene_id":"BN1","bene_bank_id":12,"amount":100.00,"payment_mode":"IMPS","narration":"Nov pay"}';
const PAYOUT_B =
  '{"debit_account_id":"ACC-1","name":"Zoë R","bank_acc_num":"001234567890","ifsc_code":"SBIN0001234","bank_owner_name":"Zoë R","amount":0.1,"payment_mode":"NEFT"}';

describe("the four endpoints of §4", () => {
  test.each([
    ["collection", COLLECTIONS, COLLECTION, COLLECTION],
    ["transfer", TRANSFERS, TRANSFER, TRANSFER],
    ["loan", LOANS, LOAN, LOAN],
    ["payout", PAYOUTS, envelope(PAYOUT_A), PAYOUT_A],
    ["payout", PAYOUTS, envelope(PAYOUT_B), PAYOUT_B],
  ])(
    "a %s is carried out, and its plaintext is in the ledger digit by digit",
    async (operation, path, body, payload) => {
      const sandbox = await start();
      const answer = await post(sandbox, path, body);
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({ sandbox: true, number: 1 });
      expect(sandbox.ledger()).toEqual({
        count: 1,
        requests: 1,
        entries: [{ number: 1, operation, payload, status: 200 }],
      });
    },
  );

  test("the ledger is also an address", async () => {
    const sandbox = await start();
    await post(sandbox, TRANSFERS, TRANSFER);
    await post(sandbox, LOANS, LOAN);
    const answer = await request(`${sandbox.url}/sandbox/ledger`);
    expect(answer.statusCode).toBe(200);
    expect(await answer.body.json()).toEqual(sandbox.ledger());
    expect(sandbox.ledger().entries.map((entry) => entry.operation)).toEqual(["transfer", "loan"]);
  });

  test("an upper-case hex body and a charset in the content type are fine", async () => {
    const sandbox = await start();
    const upper = createEnvelope({ ...encryption, hexCase: "upper" })(PAYOUT_A);
    const answer = await post(sandbox, PAYOUTS, upper, { "content-type": "application/json; charset=utf-8" });
    expect(answer.status).toBe(200);
  });
});

describe("its own refusals, none of them carried out", () => {
  test.each([
    ["a wrong key", 401, TRANSFERS, TRANSFER, { "x-api-key": "wrong" }],
    ["an empty key", 401, TRANSFERS, TRANSFER, { "x-api-key": "" }],
    ["an unknown path", 404, "/v1/banking/transfers", TRANSFER, {}],
    ["a query", 404, `${TRANSFERS}?x=1`, TRANSFER, {}],
    ["another content type", 415, TRANSFERS, TRANSFER, { "content-type": "text/plain" }],
    ["a content type that only begins alike", 415, TRANSFERS, TRANSFER, { "content-type": "application/jsonp" }],
    ["more than 1 MiB", 413, TRANSFERS, " ".repeat(1024 * 1024 + 1), {}],
    ["no JSON", 400, TRANSFERS, "{", {}],
    ["an array", 400, TRANSFERS, "[]", {}],
    ["no fields", 400, TRANSFERS, "{}", {}],
    ["a number where §2 says string", 400, TRANSFERS, TRANSFER.replace('"0012345678"', "12345678"), {}],
    ["a string where §2 says number", 400, TRANSFERS, TRANSFER.replace("2500.50", '"2500.50"'), {}],
    ["a fraction where §2 says integer", 400, LOANS, LOAN.replace("12}", "12.5}"), {}],
    ["a null", 400, LOANS, LOAN.replace("12}", "null}"), {}],
    ["a field that §2 does not have", 400, TRANSFERS, TRANSFER.replace("{", '{"reference":"r-1",'), {}],
    ["a field of another operation", 400, TRANSFERS, COLLECTION, {}],
    ["a payout in the clear", 400, PAYOUTS, PAYOUT_A, {}],
    ["an envelope with something beside its body", 400, PAYOUTS, envelope(PAYOUT_A).replace("}", ',"iv":"00"}'), {}],
    ["a body that is not hex", 400, PAYOUTS, '{"body":"not hex"}', {}],
    [
      "another key's ciphertext",
      400,
      PAYOUTS,
      createEnvelope({ ...encryption, key: Buffer.alloc(32, 1) })(PAYOUT_A),
      {},
    ],
    ["another padding", 400, PAYOUTS, createEnvelope({ ...encryption, padding: "zero" })(PAYOUT_A), {}],
    ["a payload that is not compact", 400, PAYOUTS, envelope(PAYOUT_A.replaceAll(",", ", ")), {}],
    ["fields of both forms of a payout", 400, PAYOUTS, envelope(PAYOUT_B.replace("{", '{"bene_id":"BN1",')), {}],
    ["a payout of the wrong type", 400, PAYOUTS, envelope(PAYOUT_A.replace("12,", '"12",')), {}],
  ])("%s: %i", async (_what, status, path, body, headers) => {
    const sandbox = await start();
    const answer = await post(sandbox, path, body, headers);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ sandbox: true, error: expect.any(String) as string });
    expect(sandbox.ledger().count).toBe(0);
    expect((await post(sandbox, TRANSFERS, TRANSFER)).status).toBe(200);
  });

  test("another method: 405, and which one is right", async () => {
    const sandbox = await start();
    const headers = { "x-api-key": SANDBOX_API_KEY };
    const answer = await request(sandbox.url + TRANSFERS, { method: "PUT", body: TRANSFER, headers });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers["allow"]).toBe("POST");
    expect((await request(`${sandbox.url}/sandbox/ledger`, { method: "POST" })).statusCode).toBe(405);
  });

  test("a space inside a text is no space between tokens", async () => {
    const sandbox = await start();
    const spaced = PAYOUT_A.replace("Nov pay", 'a \\" : , {b');
    expect((await post(sandbox, PAYOUTS, envelope(spaced))).status).toBe(200);
    expect(encryptPayload(spaced, encryption)).not.toBe("");
  });
});

describe("faults on request", () => {
  function transferOf(word: string): string {
    return `{"from_account":"SANDBOX-${word}","to_account":"2","amount":1.00}`;
  }

  test.each([
    ["422", { kind: "answered", status: 422 }, 0],
    ["404", { kind: "answered", status: 404 }, 0],
    ["500", { kind: "answered", status: 500 }, 0],
    ["500-AFTER", { kind: "answered", status: 500 }, 1],
    ["RESET", { kind: "no_answer", cause: "broken" }, 1],
    ["RESET-BEFORE", { kind: "no_answer", cause: "broken" }, 0],
    ["TIMEOUT", { kind: "no_answer", cause: "timeout" }, 1],
    ["HTML", { kind: "answered", status: 200, contentType: "text/html" }, 0],
    ["REDIRECT", { kind: "answered", status: 307 }, 0],
    ["SLOW", { kind: "answered", status: 200, bodyEnd: "stalled" }, 1],
    ["HUGE", { kind: "answered", status: 200, bodyEnd: "too_large" }, 1],
    ["NOTHING-KNOWN", { kind: "answered", status: 200, bodyEnd: "complete" }, 1],
  ])("the word SANDBOX-%s in a field", async (word, expected, carriedOut) => {
    const sandbox = await start();
    expect(await open(sandbox).post(TRANSFERS, transferOf(word))).toMatchObject(expected);
    expect(sandbox.ledger().count).toBe(carriedOut);
  });

  test("the word works inside an encrypted narration", async () => {
    const sandbox = await start();
    const body = envelope(PAYOUT_A.replace("Nov pay", "SANDBOX-422"));
    expect(await open(sandbox).post(PAYOUTS, body)).toMatchObject({ status: 422 });
  });

  test("SANDBOX-429 asks to wait once and then carries out", async () => {
    const sandbox = await start();
    const transport = open(sandbox);
    expect(await transport.post(TRANSFERS, transferOf("429"))).toMatchObject({ status: 429, retryAfter: "1" });
    expect(await transport.post(TRANSFERS, transferOf("429"))).toMatchObject({ status: 200 });
    expect(sandbox.ledger().count).toBe(1);
  });

  async function statuses(options: SandboxOptions, order: "forward" | "backward"): Promise<Map<number, number>> {
    const sandbox = await start(options);
    const transport = open(sandbox);
    const numbers = Array.from({ length: 400 }, (_, index) => index);
    if (order === "backward") numbers.reverse();
    const told = new Map<number, number>();
    for (const number of numbers) {
      const answer = await transport.post(TRANSFERS, `{"from_account":"a","to_account":"b","amount":${number + 1}}`);
      told.set(number, answer.kind === "answered" ? answer.status : 0);
    }
    return told;
  }

  test("rates are met roughly, and the same seed meets the same rows in any order", async () => {
    const faults = { refuse: 0.2, rateLimit: 0.1, serverErrorBefore: 0.1 };
    const one = await statuses({ seed: 7, faults }, "forward");
    const same = await statuses({ seed: 7, faults }, "backward");
    const other = await statuses({ seed: 8, faults }, "forward");
    const count = (status: number) => [...one.values()].filter((told) => told === status).length;
    expect([...same].toSorted(([a], [b]) => a - b)).toEqual([...one]);
    expect([...other]).not.toEqual([...one]);
    expect(count(422)).toBeGreaterThan(50);
    expect(count(422)).toBeLessThan(110);
    expect(count(429)).toBeGreaterThan(20);
    expect(count(500)).toBeGreaterThan(20);
    expect(count(200)).toBeGreaterThan(200);
  });

  test("rates above one are refused", async () => {
    await expect(startSandbox({ port: 0, faults: { refuse: 0.6, html: 0.6 } })).rejects.toThrow(/at most 1/);
  });

  test.each([
    ["port", "7900"],
    ["host", 5],
    ["apiKey", ""],
    ["seed", "a"],
    ["faults", 3],
    ["faults", { refuse: "0.1" }],
    ["ledgerFile", 3],
    ["ledgerEntriesMax", 0.5],
  ])("an option that cannot be right is refused by name: %s %j", async (name, given) => {
    const starting = startSandbox({ port: 0, [name]: given }).then((sandbox) => sandbox.close());
    const named = expect.stringContaining(name === "faults" ? "fault" : name) as string;
    await expect(starting).rejects.toMatchObject({ code: "config", message: named });
  });

  test("latency delays the answer", async () => {
    const sandbox = await start({ latencyMs: { min: 80, max: 120 } });
    const answer = await open(sandbox).post(TRANSFERS, TRANSFER);
    expect(answer.durationMs).toBeGreaterThanOrEqual(75);
  });
});

describe("the ledger", () => {
  test("with a file every entry is a line of it before the answer, over restarts", async () => {
    const folder = mkdtempSync(join(tmpdir(), "paydrop-sandbox-"));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const ledgerFile = join(folder, "ledger.jsonl");
    for (const body of [TRANSFER, TRANSFER.replace("2500.50", "7")]) {
      const sandbox = await start({ ledgerFile });
      expect((await post(sandbox, TRANSFERS, body)).status).toBe(200);
      const last = readFileSync(ledgerFile, "utf8").trimEnd().split("\n").at(-1) ?? "";
      expect(JSON.parse(last)).toMatchObject({ operation: "transfer", payload: body, status: 200 });
      await sandbox.close();
    }
    expect(readFileSync(ledgerFile, "utf8").match(/\n/g)).toHaveLength(2);
  });

  test("only the newest entries are kept in memory; the count goes on", async () => {
    const sandbox = await start({ ledgerEntriesMax: 3 });
    const transport = open(sandbox);
    for (let n = 1; n <= 1200; n += 1) await transport.post(LOANS, `{"amount":${n}}`);
    const ledger = sandbox.ledger();
    expect(ledger.count).toBe(1200);
    expect(ledger.entries.map((entry) => entry.number)).toEqual([1198, 1199, 1200]);
  });
});

test("a port that is taken is the system's own error", async () => {
  const sandbox = await start();
  await expect(startSandbox({ port: sandbox.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
