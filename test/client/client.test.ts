import { expect, describe, onTestFinished, test } from "vitest";
import { createTypedClient, type Client, type ClientOptions } from "../../src/client/client.ts";
import type { Requests } from "../../src/client/client.ts";
import { PaydropError } from "../../src/errors.ts";
import { OPERATIONS } from "../../src/operations/index.ts";
import { startSandbox, type SandboxOptions } from "../../src/sandbox/server.ts";
import { outcomeOf } from "../../src/submission/outcome.ts";
import { freePort } from "./opened.ts";

function createClient(options: ClientOptions): Client {
  const client = createTypedClient(options, outcomeOf);
  onTestFinished(() => client.close());
  return client;
}

async function start(options: SandboxOptions = {}, clientOptions: Partial<ClientOptions> = {}) {
  const sandbox = await startSandbox({ port: 0, ...options });
  onTestFinished(() => sandbox.close());
  const { url: baseUrl, apiKey, aesKey, aesIv } = sandbox;
  return { sandbox, client: createClient({ baseUrl, apiKey, aesKey, aesIv, ...clientOptions }) };
}

const INLINE: Requests["payout"] = {
  // not in the order of §2.5 on purpose
  ...{ amount: "99999999999.99", payment_mode: "NEFT", debit_account_id: "ACC-1", ifsc_code: "SBIN0001234" },
  ...{ name: 'Zoë "R"', bank_acc_num: "001234567890", bank_owner_name: "Zoë R", email: "" },
};
const TRANSFER: Requests["transfer"] = { from_account: "1", to_account: "2", amount: "1.00" };

describe("each operation arrives as §2 and §5 describe it", () => {
  test("in the order of §2, with the very digits, without empty fields, payouts encrypted", async () => {
    const { sandbox, client } = await start();
    const result = await client.collect({ vpa: "asha@bank", amount: "0.10", expiry: 900 });
    expect(result).toMatchObject({ outcome: "accepted", reason: "accepted", status: 200 });
    expect(result.body).toContain("Request created");
    await client.collect({ amount: "5", vpa: "asha@bank", currency: "USD" });
    await client.transfer({ amount: "9007199254740.93", to_account: "0087", from_account: "0012" });
    await client.applyForLoan({ tenure: 12, amount: "100000", borrower_id: "B-77" });
    await client.payout(INLINE);
    await client.payout({
      ...{ debit_account_id: "ACC-1", bene_id: "0042", bene_bank_id: 7, amount: "1.00", payment_mode: "IMPS" },
      narration: " two spaces ",
    });
    expect(sandbox.ledger().entries.map((entry) => entry.payload)).toEqual([
      '{"amount":0.10,"currency":"INR","vpa":"asha@bank","expiry":900}',
      '{"amount":5,"currency":"USD","vpa":"asha@bank"}',
      '{"from_account":"0012","to_account":"0087","amount":9007199254740.93}',
      '{"borrower_id":"B-77","amount":100000,"tenure":12}',
      '{"debit_account_id":"ACC-1","name":"Zoë \\"R\\"","bank_acc_num":"001234567890","ifsc_code":"SBIN0001234","bank_owner_name":"Zoë R","amount":99999999999.99,"payment_mode":"NEFT"}',
      '{"debit_account_id":"ACC-1","bene_id":"0042","bene_bank_id":7,"amount":1.00,"payment_mode":"IMPS","narration":" two spaces "}',
    ]);
  });

  test("every operation has its method, and nothing else has one", async () => {
    const { client } = await start();
    expect(Object.keys(client).sort()).toEqual([...OPERATIONS.map(({ method }) => method), "close"].sort());
  });
});

describe("what became of it is a value", () => {
  test("rejected, unknown, not sent and a wrong key", async () => {
    const { sandbox, client } = await start();
    const ask = (word: string) => client.transfer({ ...TRANSFER, from_account: `SANDBOX-${word}` });
    expect(await ask("422")).toMatchObject({ outcome: "rejected", reason: "refused", status: 422 });
    expect(await ask("500-AFTER")).toMatchObject({ outcome: "unknown", reason: "service_fault", status: 500 });
    expect(await ask("RESET")).toMatchObject({ outcome: "unknown", reason: "connection_broken" });
    expect(await ask("429")).toMatchObject({ outcome: "not_sent", reason: "rate_limited", status: 429 });
    const other = createClient({ baseUrl: sandbox.url, apiKey: "another-wrong-key" });
    expect(await other.transfer(TRANSFER)).toMatchObject({ outcome: "rejected", reason: "key_refused", status: 401 });
    const nobody = createClient({ baseUrl: `http://127.0.0.1:${await freePort()}`, apiKey: "k-nobody-1" });
    const unsent = await nobody.transfer(TRANSFER);
    expect(unsent).toMatchObject({ outcome: "not_sent", reason: "unreachable" });
    expect(unsent.detail).toContain("ECONNREFUSED");
  });

  test("more calls than lanes wait their turn without using up their time", async () => {
    const { sandbox, client } = await start({ latencyMs: { min: 60, max: 60 } }, { concurrency: 2, timeoutMs: 300 });
    const results = await Promise.all(Array.from({ length: 20 }, () => client.transfer(TRANSFER)));
    expect(results.map(({ outcome }) => outcome)).toEqual(Array<string>(20).fill("accepted"));
    expect(sandbox.ledger().count).toBe(20);
  });

  test("close waits for every call made before it, and later calls are not sent", async () => {
    const { sandbox, client } = await start({ latencyMs: { min: 20, max: 20 } }, { concurrency: 2 });
    const calls = Array.from({ length: 5 }, () => client.transfer(TRANSFER));
    await client.close();
    expect(sandbox.ledger().count).toBe(5);
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ outcome: "accepted" });
    expect(await client.transfer(TRANSFER)).toMatchObject({ outcome: "not_sent" });
  });
});

describe("a mistake in the call is thrown before anything is sent, without values", () => {
  test.each<readonly [string, keyof Requests, object, RegExp]>([
    ["a number for an amount", "payout", { ...INLINE, amount: 5 }, /amount is missing or not right/],
    ["a decimal too many", "payout", { ...INLINE, amount: "1.005" }, /amount is missing or not right/],
    ["a digit too many", "payout", { ...INLINE, amount: "1234567890123456" }, /amount is missing or not right/],
    ["an amount with an exponent", "payout", { ...INLINE, amount: "1e5" }, /amount is missing or not right/],
    ["an amount of nothing", "payout", { ...INLINE, amount: "0.00" }, /amount is missing or not right/],
    [
      "a number for an account",
      "payout",
      { ...INLINE, bank_acc_num: 1234567890 },
      /bank_acc_num is missing or not right/,
    ],
    ["a missing field", "payout", { ...INLINE, ifsc_code: undefined }, /ifsc_code is missing or not right/],
    ["a misspelt field", "payout", { ...INLINE, ifsc: "SBIN0001234" }, /"ifsc" is no field/],
    ["half a character", "payout", { ...INLINE, name: "Zo\ud83d" }, /name is missing or not right/],
    ["fields of both options", "payout", { ...INLINE, bene_id: "BN1" }, /not the fields of one form/],
    ["a tenure that is not whole", "applyForLoan", { borrower_id: "B", amount: "1", tenure: 1.5 }, /tenure is missing/],
  ])("%s", async (_what, method, fields, said) => {
    const { sandbox, client } = await start();
    const call = client[method] as (fields: object) => Promise<unknown>;
    const error = await call(fields).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PaydropError);
    expect(error).toMatchObject({ code: "usage" });
    expect((error as Error).message).toMatch(said);
    expect((error as Error).message).not.toContain("1234567890");
    expect(sandbox.ledger().requests).toBe(0);
  });

  test("a payout without AES keys, one key without the other, no address", async () => {
    const base = { baseUrl: "http://127.0.0.1:9", apiKey: "k-without-aes" };
    await expect(createClient(base).payout(INLINE)).rejects.toMatchObject({ code: "config" });
    expect(() => createClient({ ...base, aesKey: "0".repeat(64) })).toThrow(/aesIv/);
    expect(() => createClient({ apiKey: "k-without-url" })).toThrow(/baseUrl/);
  });
});

test("a key that is no key is named, and not repeated", () => {
  const bad = (): unknown =>
    createClient({
      baseUrl: "http://127.0.0.1:9",
      apiKey: "k-bad-key-1",
      aesKey: "short-key-text",
      aesIv: "0".repeat(32),
    });
  expect(bad).toThrow(/^the AES key has 14 characters; right would be 64 of hex, 44 of base64 or 32 of plain text/);
  expect(bad).not.toThrow(/short-key-text/);
});
