import { createDecipheriv } from "node:crypto";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { PaydropError, Secret, createClient, encryptPayload } from "../../src/index.ts";
import type { CallResult, Client, CreateClientOptions, PayoutInline, PayoutToExisting } from "../../src/index.ts";
import { SANDBOX_AES_IV, SANDBOX_AES_KEY, SANDBOX_API_KEY, startSandbox } from "../../src/sandbox/server.ts";
import { answer, inOrder, pause, reset } from "../support/fault-server.ts";
import type { Received, Script } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";

const KEYS = { apiKey: SANDBOX_API_KEY, aesKey: SANDBOX_AES_KEY, aesIv: SANDBOX_AES_IV };

function clientOf(options: CreateClientOptions): Client {
  const client = createClient(options);
  onTestFinished(() => client.close());
  return client;
}

/** A client of a server that answers as the script says. */
async function clientOfServer(script: Script, options: Partial<CreateClientOptions> = {}) {
  const server = await startService(script);
  return { server, client: clientOf({ baseUrl: server.url, ...KEYS, ...options }) };
}

const PAYOUT: PayoutToExisting = {
  debit_account_id: "ACC-1",
  bene_id: "BENE-1",
  bene_bank_id: 11,
  amount: "1234567890123.45",
  payment_mode: "NEFT",
};

describe("a client", () => {
  test("sends each of the four operations with the digits it was given", async () => {
    const sandbox = await startSandbox({ port: 0 });
    onTestFinished(() => sandbox.close());
    const client = clientOf({ baseUrl: sandbox.url, ...KEYS });
    const inline: PayoutInline = {
      debit_account_id: "ACC-1",
      name: "Asha Verma",
      bank_acc_num: "00012345678",
      ifsc_code: "EXMB0100200",
      bank_owner_name: "Asha Verma",
      amount: "0.10",
      payment_mode: "IMPS",
    };
    const results = [
      await client.collect({ amount: "499.00", vpa: "ravi@demobank", expiry: 30 }),
      await client.transfer({ from_account: "ACC-1", to_account: "ACC-2", amount: "2500.00" }),
      await client.applyForLoan({ borrower_id: "BRW-1", amount: "250000", tenure: 24 }),
      await client.payout(PAYOUT),
      await client.payout(inline),
    ];
    for (const result of results) expect(result).toMatchObject({ outcome: "accepted", status: 200 });
    expect(sandbox.ledger().entries.map((entry) => entry.payload)).toEqual([
      '{"amount":499.00,"currency":"INR","vpa":"ravi@demobank","expiry":30}',
      '{"from_account":"ACC-1","to_account":"ACC-2","amount":2500.00}',
      '{"borrower_id":"BRW-1","amount":250000,"tenure":24}',
      '{"debit_account_id":"ACC-1","bene_id":"BENE-1","bene_bank_id":11,"amount":1234567890123.45,"payment_mode":"NEFT"}',
      '{"debit_account_id":"ACC-1","name":"Asha Verma","bank_acc_num":"00012345678","ifsc_code":"EXMB0100200",' +
        '"bank_owner_name":"Asha Verma","amount":0.10,"payment_mode":"IMPS"}',
    ]);
  });

  test.each([
    [200, "accepted", "accepted"],
    [422, "rejected", "refused"],
    [401, "rejected", "key_refused"],
    [303, "unknown", "redirect"],
    [503, "unknown", "service_fault"],
    [418, "unknown", "unclear_refusal"],
  ])("reads %i by the outcome table: %s, %s", async (status, outcome, reason) => {
    const { server, client } = await clientOfServer(() => answer(status));
    const result = await client.transfer({ from_account: "A-1", to_account: "A-2", amount: "1" });
    expect(result).toMatchObject({ outcome, reason, status, body: '{"ok":true}' });
    expect(server.requests).toHaveLength(1);
  });

  test("calls a request whose answer is missing unknown, and sends it once", async () => {
    const { server, client } = await clientOfServer(() => reset());
    const result = await client.payout(PAYOUT);
    expect(result).toMatchObject({ outcome: "unknown", reason: "connection_broken" });
    expect(result).not.toHaveProperty("status");
    expect(result.detail).toEqual(expect.stringMatching(/ECONNRESET|closed/));
    expect(server.requests).toHaveLength(1);
  });

  test("says that a request never left when nobody listens", async () => {
    const { server, client } = await clientOfServer(() => answer(200));
    await server.close();
    const result = await client.payout(PAYOUT);
    expect(result).toMatchObject({ outcome: "not_sent", reason: "unreachable" });
    expect(result.detail).toContain("ECONNREFUSED");
  });

  test("takes no call any more from the moment that it is closed, and finishes those made before", async () => {
    const { server, client } = await clientOfServer(() => inOrder(pause(50), answer(200)), { concurrency: 1 });
    const transfer = { from_account: "A-1", to_account: "A-2", amount: "1" };
    const before = [client.transfer(transfer), client.transfer(transfer)];
    const closing = client.close();
    const late = { outcome: "not_sent", detail: "the client is closed" };
    expect(await client.transfer(transfer)).toMatchObject(late);
    for (const result of await Promise.all(before)) expect(result).toMatchObject({ outcome: "accepted" });
    await closing;
    expect(await client.transfer(transfer)).toMatchObject(late);
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    [{}, "not_sent", "rate_limited"],
    [{ retry429: false }, "unknown", "rate_limited_unclear"],
  ] as const)("calls a 429 as chosen, and never repeats it by itself: %o", async (options, outcome, reason) => {
    const { server, client } = await clientOfServer(() => answer(429), options);
    expect(await client.payout(PAYOUT)).toMatchObject({ outcome, reason, status: 429 });
    expect(server.requests).toHaveLength(1);
  });

  test("takes Secrets as well as strings, and shows neither", async () => {
    const options = { apiKey: new Secret("a-key-of-tests"), aesKey: new Secret(SANDBOX_AES_KEY) };
    const { server, client } = await clientOfServer(() => answer(200), options);
    await client.payout(PAYOUT);
    expect(server.requests[0]?.headers).toMatchObject({ "x-api-key": "a-key-of-tests" });
    expect(JSON.stringify(options)).not.toContain("a-key-of-tests");
  });

  test("a key that the service repeats in its answer is not handed on", async () => {
    const apiKey = "a-key-that-is-repeated";
    const refusal = ({ headers }: Received) => answer(401, { error: `no such key: ${headers["x-api-key"]}` });
    const { client } = await clientOfServer(refusal, { apiKey });
    const result = await client.payout(PAYOUT);
    expect(result).toMatchObject({ outcome: "rejected", body: '{"error":"no such key: [secret]"}' });
  });

  test("sends no payout without AES key and IV", async () => {
    const server = await startService();
    const client = clientOf({ baseUrl: server.url, apiKey: "a-key-of-tests" });
    await expect(client.payout(PAYOUT)).rejects.toMatchObject({ name: "PaydropError", code: "config" });
    expect(server.requests).toHaveLength(0);
  });

  test("rejects a call that no service could take, and repeats no value of it", async () => {
    const { server, client } = await clientOfServer(() => answer(200));
    const wrong = { ...PAYOUT, amount: 2500 as unknown as string };
    await expect(client.payout(wrong)).rejects.toMatchObject({ code: "usage" });
    await expect(client.payout({ ...PAYOUT, amount: "2,500.00" })).rejects.toThrow(/amount is not a plain decimal/);
    expect(server.requests).toHaveLength(0);
  });
});

describe("an option that cannot be right throws before anything is sent", () => {
  const right: CreateClientOptions = { baseUrl: "https://api.bank.example", ...KEYS };

  test.each<[string, object, RegExp]>([
    ["no address", { baseUrl: undefined }, /^baseUrl: the address is not an address such as/],
    ["plain http", { baseUrl: "http://api.bank.example" }, /^baseUrl: the address is not an https address/],
    ["no key", { apiKey: undefined }, /^apiKey is missing/],
    ["a key with a line break", { apiKey: "abcdefgh\n" }, /^apiKey holds a line break as character 9/],
    ["an IV without a key", { aesKey: undefined }, /^aesKey and aesIv belong together/],
    ["a short AES key", { aesKey: "0011" }, /^aesKey has 4 characters/],
    ["no connection at all", { concurrency: 0 }, /^concurrency: 0 is not a whole number from 1 to 1000$/],
    ["a timeout that is no number", { timeoutMs: Number.NaN }, /^timeoutMs: NaN is not a number of milliseconds/],
    ["an unknown padding", { padding: "pkcs5" }, /^padding: "pkcs5" is not one of pkcs7/],
  ])("%s", (_, wrong, message) => {
    const call = () => createClient({ ...right, ...wrong });
    expect(call).toThrow(message);
    expect(call).toThrow(PaydropError);
  });
});

describe("encryptPayload", () => {
  // key and IV of NIST SP 800-38A, F.2.5
  const KEY = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
  const IV = "000102030405060708090a0b0c0d0e0f";

  test("gives what another AES-256-CBC takes apart again", () => {
    const payload = '{"amount":0.10,"name":"आशा"}';
    const hex = encryptPayload(payload, { aesKey: KEY, aesIv: IV });
    expect(hex).toMatch(/^[0-9a-f]+$/);
    const decipher = createDecipheriv("aes-256-cbc", Buffer.from(KEY, "hex"), Buffer.from(IV, "hex"));
    expect(decipher.update(hex, "hex", "utf8") + decipher.final("utf8")).toBe(payload);
  });

  test("takes key and IV as bytes, hex, base64 or a Secret alike", () => {
    const [key, iv] = [Buffer.from(KEY, "hex"), Buffer.from(IV, "hex")];
    const hex = encryptPayload("{}", { aesKey: KEY, aesIv: IV });
    expect(encryptPayload("{}", { aesKey: key, aesIv: iv })).toBe(hex);
    expect(encryptPayload("{}", { aesKey: key.toString("base64"), aesIv: new Secret(IV) })).toBe(hex);
    expect(encryptPayload("{}", { aesKey: key, aesIv: iv, hexCase: "upper" })).toBe(hex.toUpperCase());
  });

  test("refuses a key of another length without showing it", () => {
    const call = () => encryptPayload("{}", { aesKey: new Uint8Array(31), aesIv: IV });
    expect(call).toThrow("aesKey has 31 bytes");
  });
});

test("amounts are strings, and an outcome is one of four", () => {
  expectTypeOf<PayoutToExisting["amount"]>().toEqualTypeOf<string>();
  expectTypeOf<CallResult["outcome"]>().toEqualTypeOf<"accepted" | "rejected" | "unknown" | "not_sent">();
  expectTypeOf<Client["payout"]>().parameter(0).toEqualTypeOf<PayoutToExisting | PayoutInline>();
  expectTypeOf<CreateClientOptions>().toHaveProperty("baseUrl").toEqualTypeOf<string>();
});
