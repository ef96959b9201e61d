import { getEventListeners } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { createTypedClient } from "../../src/client/client.ts";
import type { Client, ClientOptions } from "../../src/client/client.ts";
import type { PayoutInline } from "../../src/client/requests.ts";
import { PaydropError } from "../../src/errors.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import type { SandboxOptions } from "../../src/sandbox/server.ts";
import { outcomeOf } from "../../src/submission/outcome.ts";
import * as wire from "../support/fault-server.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function createClient(options: ClientOptions): Client {
  const client = createTypedClient(options, (answer) => outcomeOf(answer, { retry429: true }));
  cleanups.push(() => client.close());
  return client;
}

async function start(options: SandboxOptions = {}, clientOptions: Partial<ClientOptions> = {}) {
  const sandbox = await startSandbox({ port: 0, ...options });
  cleanups.push(() => sandbox.close());
  const { url: baseUrl, apiKey, aesKey, aesIv } = sandbox;
  return { sandbox, client: createClient({ baseUrl, apiKey, aesKey, aesIv, ...clientOptions }) };
}

const INLINE: PayoutInline = {
  // not in the order of §2.5 on purpose
  amount: "99999999999.99",
  payment_mode: "NEFT",
  debit_account_id: "ACC-1",
  ifsc_code: "SBIN0001234",
  name: 'Zoë "R"',
  bank_acc_num: "001234567890",
  bank_owner_name: "Zoë R",
  email: "",
};

describe("each operation arrives as the interface describes it", () => {
  test("a collection, in INR unless said", async () => {
    const { sandbox, client } = await start();
    const result = await client.collect({ vpa: "asha@bank", amount: "0.10", expiry: 900 });
    expect(result).toMatchObject({ outcome: "accepted", reason: "accepted", status: 200 });
    expect(result.body).toContain("Request created");
    await client.collect({ amount: "5", vpa: "asha@bank", currency: "USD" });
    expect(sandbox.ledger().entries.map((entry) => entry.payload)).toEqual([
      '{"amount":0.10,"currency":"INR","vpa":"asha@bank","expiry":900}',
      '{"amount":5,"currency":"USD","vpa":"asha@bank"}',
    ]);
  });

  test("a transfer and a loan application", async () => {
    const { sandbox, client } = await start();
    await client.transfer({ amount: "90071992547409.93", to_account: "0087", from_account: "0012" });
    await client.applyForLoan({ tenure: 12, amount: "100000", borrower_id: "B-77" });
    expect(sandbox.ledger().entries.map((entry) => entry.payload)).toEqual([
      '{"from_account":"0012","to_account":"0087","amount":90071992547409.93}',
      '{"borrower_id":"B-77","amount":100000,"tenure":12}',
    ]);
  });

  test("payouts of both options, encrypted, without empty fields, in the order of §2.5", async () => {
    const { sandbox, client } = await start();
    expect(await client.payout(INLINE)).toMatchObject({ outcome: "accepted" });
    await client.payout({
      debit_account_id: "ACC-1",
      bene_id: "0042",
      bene_bank_id: 7,
      amount: "1.00",
      payment_mode: "IMPS",
      narration: " two spaces ",
    });
    expect(sandbox.ledger().entries.map((entry) => entry.payload)).toEqual([
      '{"debit_account_id":"ACC-1","name":"Zoë \\"R\\"","bank_acc_num":"001234567890","ifsc_code":"SBIN0001234","bank_owner_name":"Zoë R","amount":99999999999.99,"payment_mode":"NEFT"}',
      '{"debit_account_id":"ACC-1","bene_id":"0042","bene_bank_id":7,"amount":1.00,"payment_mode":"IMPS","narration":" two spaces "}',
    ]);
  });
});

describe("what became of it is a value", () => {
  const transfer = { from_account: "1", to_account: "2", amount: "1.00" };

  test("rejected, unknown and accepted by status", async () => {
    const { client } = await start();
    const ask = (word: string) => client.transfer({ ...transfer, from_account: `SANDBOX-${word}` });
    expect(await ask("422")).toMatchObject({ outcome: "rejected", reason: "refused", status: 422 });
    expect(await ask("500-AFTER")).toMatchObject({ outcome: "unknown", reason: "service_fault", status: 500 });
    expect(await ask("RESET")).toMatchObject({ outcome: "unknown", reason: "connection_broken" });
    expect(await ask("REDIRECT")).toMatchObject({ outcome: "unknown", status: 307 });
  });

  test("a wrong key is rejected, and no answer has no status", async () => {
    const { client } = await start({}, { apiKey: "wrong" });
    expect(await client.transfer(transfer)).toMatchObject({ outcome: "rejected", reason: "key_refused", status: 401 });
    const silent = await wire.startFaultServer(() => wire.silence());
    cleanups.push(() => silent.close());
    const impatient = createClient({ baseUrl: silent.url, apiKey: "k", timeoutMs: 150 });
    const result = await impatient.transfer(transfer);
    expect(result).toMatchObject({ outcome: "unknown", reason: "no_answer" });
    expect("status" in result).toBe(false);
  });

  test("no service at all is not_sent", async () => {
    const { sandbox, client } = await start();
    await sandbox.close();
    expect(await client.transfer(transfer)).toMatchObject({ outcome: "not_sent", reason: "unreachable" });
  });

  test("a signal gives up waiting", async () => {
    const caller = new AbortController();
    const silent = await wire.startFaultServer(() => {
      caller.abort();
      return wire.silence();
    });
    cleanups.push(() => silent.close());
    const client = createClient({ baseUrl: silent.url, apiKey: "k" });
    const { signal } = caller;
    expect(await client.transfer(transfer, { signal })).toMatchObject({ outcome: "unknown", reason: "interrupted" });
  });

  test("more calls than the concurrency wait their turn without using up their time", async () => {
    const { sandbox, client } = await start({ latencyMs: { min: 60, max: 60 } }, { concurrency: 2, timeoutMs: 300 });
    const results = await Promise.all(Array.from({ length: 20 }, () => client.transfer(transfer)));
    expect(results.map((result) => result.outcome)).toEqual(Array<string>(20).fill("accepted"));
    expect(sandbox.ledger().count).toBe(20);
  });

  test.each([1, 2, 8])("close waits for every call made before it, %i at a time", async (concurrency) => {
    const { sandbox, client } = await start({ latencyMs: { min: 20, max: 20 } }, { concurrency });
    const calls = Array.from({ length: 5 }, () => client.transfer(transfer));
    await client.close();
    expect(sandbox.ledger().count).toBe(5);
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ outcome: "accepted" });
    expect(await client.transfer(transfer)).toMatchObject({ outcome: "not_sent" });
  });

  test("a signal ends the wait for a turn as well, and nothing of that call ever goes", async () => {
    const silent = await wire.startFaultServer(() => wire.silence());
    cleanups.push(() => silent.close());
    const client = createClient({ baseUrl: silent.url, apiKey: "k", concurrency: 1 });
    const [mine, other] = [new AbortController(), new AbortController()];
    const first = client.transfer(transfer, { signal: mine.signal });
    const second = client.transfer(transfer, { signal: other.signal });
    other.abort();
    expect(await second).toMatchObject({ outcome: "not_sent" });
    expect(await client.transfer(transfer, { signal: AbortSignal.abort() })).toMatchObject({ outcome: "not_sent" });
    mine.abort();
    await first;
    expect(await client.transfer(transfer, { signal: mine.signal })).toMatchObject({ outcome: "not_sent" });
    await client.close();
    expect(silent.requests.length).toBeLessThan(2);
  });

  test("a signal of its own for each call leaves nothing behind", async () => {
    const { client } = await start();
    const { signal } = new AbortController();
    await client.transfer(transfer, { signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("a mistake in the call is thrown, before anything is sent and without values", () => {
  test.each([
    ["a number for an amount", { ...INLINE, amount: 5 }, /amount is not a plain decimal string/],
    ["an amount with an exponent", { ...INLINE, amount: "1e5" }, /amount is not a plain decimal/],
    ["a bare point is not an amount", { ...INLINE, amount: "." }, /amount is not a plain decimal/],
    ["an amount of nothing", { ...INLINE, amount: "0.00" }, /amount is not a plain decimal string above 0/],
    ["a number for an account", { ...INLINE, bank_acc_num: 1234567890 }, /bank_acc_num is not a string/],
    ["a missing field", { ...INLINE, ifsc_code: undefined }, /ifsc_code is missing/],
    ["a misspelt field", { ...INLINE, ifsc: "SBIN0001234" }, /ifsc is not a field/],
    ["half a character", { ...INLINE, name: "Zo\ud83d" }, /name has half a character/],
    ["fields of both options", { ...INLINE, bene_id: "BN1" }, /two different forms/],
  ])("%s", async (_what, fields, said) => {
    const { sandbox, client } = await start();
    const error = await client.payout(fields as unknown as PayoutInline).then(
      () => new Error("nothing was thrown"),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(PaydropError);
    expect(error).toMatchObject({ code: "usage" });
    expect((error as Error).message).toMatch(said);
    expect((error as Error).message).not.toMatch(/1234567890/);
    expect(sandbox.ledger().requests).toBe(0);
  });

  test("a payout without AES keys", async () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:9", apiKey: "k" });
    await expect(client.payout(INLINE)).rejects.toMatchObject({ code: "config" });
  });

  test("a tenure that is no whole number", async () => {
    const { client } = await start();
    await expect(client.applyForLoan({ borrower_id: "B", amount: "1", tenure: 1.5 })).rejects.toThrow(/whole number/);
  });
});
