import { request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEnvelope } from "../../src/client/envelope.ts";
import { readAesIv, readAesKey } from "../../src/client/envelope.ts";
import { createTransport } from "../../src/client/transport.ts";
import { Secret } from "../../src/config/secret.ts";
import { fieldsOf, OPERATIONS } from "../../src/operations/index.ts";
import * as sandboxes from "../../src/sandbox/server.ts";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/server.ts";
import { startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";

const PAYOUTS = "/v1/tech/product/payouts/pay";
const TRANSFERS = "/v1/banking/transfer";
const LOANS = "/v1/lending/loan/apply";
const { SANDBOX_AES_IV, SANDBOX_AES_KEY, SANDBOX_API_KEY } = sandboxes;
const encryption = { key: readAesKey(SANDBOX_AES_KEY), iv: readAesIv(SANDBOX_AES_IV) };
const envelope = createEnvelope(encryption);

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await sandboxes.startSandbox({ port: 0, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

async function post(sandbox: Sandbox, path: string, body: string, headers: Record<string, string> = {}) {
  const given = { "content-type": "application/json", "x-api-key": SANDBOX_API_KEY, ...headers };
  const answer = await request(sandbox.url + path, { method: "POST", body, headers: given });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
}

function open({ url, apiKey }: Sandbox) {
  const transport = createTransport({
    ...{ base_url: url, apiKey: new Secret(apiKey), concurrency: 8, reuse_connections: true },
    ...{ timeout: 1500, connect_timeout: 1500, bodyTimeoutMs: 200 },
  });
  onTestFinished(() => transport.close());
  return transport;
}

const TRANSFER = '{"from_account":"0012345678","to_account":"0087654321","amount":2500.50}';
const LOAN = '{"borrower_id":"B-77","amount":100000,"tenure":12}';
const PAYOUT_A =
  '{"debit_account_id":"ACC-1","bene_id":"BN1","bene_bank_id":12,"amount":100.00,"payment_mode":"IMPS","narration":"Nov pay"}';

describe("the endpoints of §4", () => {
  test("every form of every operation is carried out, and is in the ledger digit by digit", async () => {
    const sandbox = await start();
    const sent = OPERATIONS.flatMap((operation) =>
      operation.forms.map((form) => {
        const fields = fieldsOf(form).map(({ name, kind, examples }) => {
          const isNumber = kind === "amount" || kind === "whole";
          return `"${name}":${isNumber ? examples[0] : JSON.stringify(examples[0])}`;
        });
        return { operation, payload: `{${fields.join(",")}}` };
      }),
    );
    for (const { operation, payload } of sent) {
      const answer = await post(sandbox, operation.path, operation.encrypted ? envelope(payload) : payload);
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
        200,
        { sandbox: true, message: operation.accepted },
      ]);
    }
    const entries = sent.map(({ operation, payload }, at) => ({
      number: at + 1,
      operation: operation.name,
      payload,
      status: 200,
    }));
    expect(sandbox.ledger()).toEqual({ count: sent.length, requests: sent.length, entries });
    const ledger = await request(`${sandbox.url}/sandbox/ledger`);
    expect(await ledger.body.json()).toEqual(sandbox.ledger());
  });
});

describe("its own refusals, none of them carried out", () => {
  test.each<readonly [string, number, string, string, Record<string, string>]>([
    ["a wrong key", 401, TRANSFERS, TRANSFER, { "x-api-key": "wrong" }],
    ["an unknown path", 404, "/v1/banking/transfers", TRANSFER, {}],
    ["a query", 404, `${TRANSFERS}?x=1`, TRANSFER, {}],
    ["another content type", 415, TRANSFERS, TRANSFER, { "content-type": "application/jsonp" }],
    ["more than 1 MiB", 413, TRANSFERS, " ".repeat(1024 * 1024 + 1), {}],
    ["no JSON", 400, TRANSFERS, "{", {}],
    ["an array", 400, TRANSFERS, "[]", {}],
    ["no fields", 400, TRANSFERS, "{}", {}],
    ["a number where §2 says string", 400, TRANSFERS, TRANSFER.replace('"0012345678"', "12345678"), {}],
    ["a string where §2 says number", 400, TRANSFERS, TRANSFER.replace("2500.50", '"2500.50"'), {}],
    ["a fraction where §2 says integer", 400, LOANS, LOAN.replace("12}", "12.5}"), {}],
    ["a field that §2 does not have", 400, TRANSFERS, TRANSFER.replace("{", '{"reference":"r-1",'), {}],
    ["a payout in the clear", 400, PAYOUTS, PAYOUT_A, {}],
    ["an envelope with more in it", 400, PAYOUTS, envelope(PAYOUT_A).replace("}", ',"iv":"00"}'), {}],
    ["another padding", 400, PAYOUTS, createEnvelope({ ...encryption, padding: "zero" })(PAYOUT_A), {}],
    ["a payload that is not compact", 400, PAYOUTS, envelope(PAYOUT_A.replaceAll(",", ", ")), {}],
    ["fields of both forms", 400, PAYOUTS, envelope(PAYOUT_A.replace("{", '{"name":"Z",')), {}],
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
    const answer = await request(sandbox.url + TRANSFERS, { method: "PUT", body: TRANSFER });
    expect([answer.statusCode, answer.headers["allow"]]).toEqual([405, "POST"]);
    expect((await request(`${sandbox.url}/sandbox/ledger`, { method: "POST" })).statusCode).toBe(405);
  });
});

describe("faults on request", () => {
  const transferOf = (word: string): string => `{"from_account":"SANDBOX-${word}","to_account":"2","amount":1.00}`;

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
  ])("the word SANDBOX-%s in a field, also inside the envelope", async (word, expected, carriedOut) => {
    const sandbox = await start();
    const transport = open(sandbox);
    expect(await transport.post(TRANSFERS, transferOf(word))).toMatchObject(expected);
    const payout = envelope(PAYOUT_A.replace("Nov pay", `SANDBOX-${word}`));
    expect(await transport.post(PAYOUTS, payout)).toMatchObject(expected);
    expect(sandbox.ledger().count).toBe(2 * carriedOut);
  });

  test("SANDBOX-429 asks to wait once and then carries out", async () => {
    const sandbox = await start();
    const transport = open(sandbox);
    expect(await transport.post(TRANSFERS, transferOf("429"))).toMatchObject({ status: 429, retryAfter: "1" });
    expect(await transport.post(TRANSFERS, transferOf("429"))).toMatchObject({ status: 200 });
  });

  test("rates are met roughly, and the same seed meets the same rows in any order", async () => {
    const faults = { refuse: 0.2, rateLimit: 0.1, serverErrorBefore: 0.1 };
    const statuses = async (seed: number, isBackward = false): Promise<number[]> => {
      const transport = open(await start({ seed, faults }));
      const told: number[] = [];
      const numbers = Array.from({ length: 300 }, (_, index) => index);
      for (const number of isBackward ? numbers.reverse() : numbers) {
        const answer = await transport.post(TRANSFERS, `{"from_account":"a","amount":${number + 1}}`);
        told[number] = answer.kind === "answered" ? answer.status : 0;
      }
      return told;
    };
    const one = await statuses(7);
    expect(await statuses(7, true)).toEqual(one);
    expect(await statuses(8)).not.toEqual(one);
    const count = (status: number): number => one.filter((told) => told === status).length;
    expect([count(422) > 35, count(422) < 85, count(429) > 12, count(200) > 150]).toEqual([true, true, true, true]);
  });

  test("latency delays the answer", async () => {
    const sandbox = await start({ latencyMs: { min: 80, max: 120 } });
    expect((await open(sandbox).post(TRANSFERS, TRANSFER)).durationMs).toBeGreaterThanOrEqual(75);
  });
});

describe("options", () => {
  test.each([
    ["port", "7900"],
    ["seed", "a"],
    ["faults", 3],
    ["faults", { refuse: "0.1" }],
    ["faults", { refuse: 0.6, html: 0.6 }],
    ["refused", undefined],
    ["latencyMs", { min: 2, max: 1 }],
    ["latency", 5],
  ])("what cannot be right is refused by name: %s %j", async (name, given) => {
    const options = (name === "refused" ? { faults: { refused: 0.1 } } : { [name]: given }) as SandboxOptions;
    const starting = sandboxes.startSandbox({ port: 0, ...options }).then((sandbox) => sandbox.close());
    await expect(starting).rejects.toMatchObject({ code: "config", message: expect.stringContaining(name) as string });
  });

  test("a port that is taken is the system's own error", async () => {
    const { port } = await start();
    await expect(sandboxes.startSandbox({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

test("paydrop sandbox prints where it is and its keys, and ends by a signal", async () => {
  const program = startProgram(["sandbox", "--port", "0", "--json"]);
  onTestFinished(() => void program.child.kill("SIGKILL"));
  await until("its address", () => program.stdout().includes("\n"), { by: program.ended });
  const { url, variables } = JSON.parse(program.stdout()) as { url: string; variables: Record<string, string> };
  expect(variables).toMatchObject({ PAYDROP_BASE_URL: url, PAYDROP_API_KEY: SANDBOX_API_KEY });
  expect((await request(`${url}/sandbox/ledger`)).statusCode).toBe(200);
  expect(program.stderr()).toContain("nothing here moves money");
  program.child.kill("SIGTERM");
  expect((await program.ended).code).toBe(0);
});
