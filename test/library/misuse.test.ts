import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { PaydropError, Secret, checkFile, createClient, encryptPayload, processFile, watchFolder } from "../../src/index.ts"; // prettier-ignore
import { SANDBOX_AES_IV, SANDBOX_AES_KEY, startSandbox } from "../../src/sandbox/server.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

/** What a program in JavaScript, or one full of `any`, may write. */
const wrong = (value: unknown) => value as never;

const RIGHT = { baseUrl: "https://api.bank.example", apiKey: "a-key-of-tests" };
const TRANSFER = { from_account: "ACC-1", to_account: "ACC-2", amount: "1.00" };
const KEYS = { aesKey: SANDBOX_AES_KEY, aesIv: SANDBOX_AES_IV };

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return expect.unreachable("it was taken");
}

async function newSandbox() {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

describe("createClient", () => {
  test.each<[string, unknown, RegExp]>([
    ["no options", undefined, /^createClient: the options are missing/],
    ["an address alone", "https://api.bank.example", /^createClient: the options are missing/],
    ["an option of fetch", { ...RIGHT, headers: {} }, /^there is no option "headers"$/],
    ["a timeout under another name", { ...RIGHT, timeout: 3 }, /^there is no option "timeout"$/],
    ["a path for its text", { ...RIGHT, caFile: "/etc/ca.pem" }, /^there is no option "caFile"$/],
    ["a word for a number", { ...RIGHT, concurrency: "many" }, /^concurrency: "many" is not a whole number/],
    ["a word for yes or no", { ...RIGHT, reuseConnections: "never" }, /^reuseConnections: "never" is not true or/],
    ["certificates that are a path", { ...RIGHT, ca: "/etc/ca.pem" }, /^the certificates to trust are not right/],
    ["certificates that are empty", { ...RIGHT, ca: "" }, /^ca: the value is not a text of at least one character/],
    ["a certificate without its key", { ...RIGHT, clientCert: "x" }, /^a client certificate and its key belong/],
    ["a short AES key", { ...RIGHT, ...KEYS, aesKey: "0011" }, /^aesKey has 4 characters and is not 32 bytes/],
  ])("refuses %s", async (_, options, message) => {
    const error = await thrownBy(() => createClient(wrong(options)));
    expect(error).toBeInstanceOf(PaydropError);
    expect(error).toMatchObject({ code: "config", message: expect.stringMatching(message) as string });
  });

  test("reads texts as the settings do: a client with a timeout from a variable waits for its answer", async () => {
    const sandbox = await newSandbox();
    const { url: baseUrl, apiKey } = sandbox;
    const texts = { concurrency: "2", timeoutMs: "5000", retry429: "false", reuseConnections: "false" };
    const client = createClient({ baseUrl, apiKey, ...(texts as object) });
    expect(await client.transfer(TRANSFER)).toMatchObject({ outcome: "accepted" });
    expect(await client.transfer({ ...TRANSFER, to_account: "SANDBOX-429" })).toMatchObject({ outcome: "unknown" });
    await client.close();
  });

  test("options may be frozen, and are free to change afterwards", async () => {
    const sandbox = await newSandbox();
    const options = { baseUrl: sandbox.url, apiKey: sandbox.apiKey };
    const client = createClient(options);
    options.apiKey = "another-key-00000";
    expect(await client.transfer(Object.freeze({ ...TRANSFER }))).toMatchObject({ outcome: "accepted" });
    const other = createClient(Object.freeze(options));
    expect(await other.transfer(TRANSFER)).toMatchObject({ outcome: "rejected", reason: "key_refused" });
    await Promise.all([client.close(), other.close(), client.close()]);
  });
});

describe("a call", () => {
  test.each<[string, unknown[], RegExp]>([
    ["nothing", [], /^transfer: the request is no object$/],
    ["null", [null], /^transfer: the request is no object$/],
    [
      "an aborted signal that is not called signal",
      [TRANSFER, AbortSignal.abort()],
      /^transfer: the options of the call/,
    ],
    [
      "a timeout that a call does not have",
      [TRANSFER, { timeoutMs: 5 }],
      /^transfer: a call has no option "timeoutMs"/,
    ],
    ["a signal that is none", [TRANSFER, { signal: {} }], /^transfer: signal is no AbortSignal$/],
    ["null for its options", [TRANSFER, null], /^transfer: the options of the call are no object$/],
  ])("with %s sends nothing", async (_, args, message) => {
    const sandbox = await newSandbox();
    const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    onTestFinished(() => client.close());
    const error = await thrownBy(() => client.transfer(...(args as [never, never])));
    expect(error).toBeInstanceOf(PaydropError);
    expect(error).toMatchObject({ code: "usage", message: expect.stringMatching(message) as string });
    expect(sandbox.ledger().requests).toBe(0);
  });
});

test.each<[string, () => unknown, string, RegExp]>([
  ["no options", () => encryptPayload("{}", wrong(undefined)), "config", /^encryptPayload: the options are missing/],
  ["an object", () => encryptPayload(wrong({}), KEYS), "usage", /^the payload is no text$/],
  [
    "an unknown padding",
    () => encryptPayload("{}", { ...KEYS, padding: wrong("pkcs5") }),
    "config",
    /^padding: "pkcs5"/,
  ],
  ["an unknown case", () => encryptPayload("{}", { ...KEYS, hexCase: wrong("UPPER") }), "config", /^hexCase: "UPPER"/],
  ["a misspelt option", () => encryptPayload("{}", wrong({ ...KEYS, pading: "zero" })), "config", /no option "pading"/],
  ["an unknown encoding", () => encryptPayload("{}", { ...KEYS, keyEncoding: wrong("hx") }), "config", /^keyEncoding/],
])("encryptPayload refuses %s", async (_, call, code, message) => {
  const error = await thrownBy(call);
  expect(error).toBeInstanceOf(PaydropError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
});

test("a Secret of a variable that is not set says so", async () => {
  expect(await thrownBy(() => new Secret(wrong(undefined)))).toMatchObject({ code: "config" });
});

describe("files and folders", () => {
  test.each<[string, (sandbox: never) => unknown, string, RegExp]>([
    ["no path", () => processFile(wrong(undefined), RIGHT), "usage", /^processFile: the path is missing/],
    [
      "a URL",
      () => checkFile(wrong(new URL("file:///x.csv"))),
      "usage",
      /^checkFile: the path is missing or not a text/,
    ],
    ["an empty folder name", (sandbox) => watchFolder("", { sandbox }), "usage", /^watchFolder: the path is empty/],
    ["no options", () => processFile("x.csv", wrong(undefined)), "config", /^processFile: the options are missing/],
    ["null for options", () => checkFile("x.csv", wrong(null)), "config", /^checkFile: the options are missing/],
    [
      "a sandbox that nobody waited for",
      () => processFile("x.csv", { sandbox: wrong(Promise.resolve()) }),
      "config",
      /^sandbox is not what startSandbox gives/,
    ],
    [
      "a listener that is none",
      (sandbox) => processFile("x.csv", { sandbox, onEvent: wrong("x") }),
      "config",
      /^onEvent is not a function/,
    ],
    [
      "a controller for its signal",
      (sandbox) => processFile("x.csv", { sandbox, signal: wrong(new AbortController()) }),
      "config",
      /^signal is no AbortSignal/,
    ],
    [
      "a listener of reports that is none",
      (sandbox) => watchFolder("x", { sandbox, onReport: wrong({}) }),
      "config",
      /^onReport is not a function/,
    ],
    [
      "a word for poll",
      (sandbox) => watchFolder("x", { sandbox, poll: wrong("no") }),
      "config",
      /^poll is not true or false/,
    ],
  ])("%s: refused before anything begins", async (_, call, code, message) => {
    const sandbox = await newSandbox();
    const error = await thrownBy(() => call(wrong(sandbox)));
    expect(error).toBeInstanceOf(PaydropError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
  });

  test("a check with a sandbox sees what was tried there, and a check of real payments does not", async () => {
    const sandbox = await newSandbox();
    const folder = temporaryDirectory();
    const [path, stateDir] = [join(folder, "transfers.csv"), join(folder, "state")];
    writeFileSync(path, "from_account,to_account,amount\nACC-1,ACC-2,1.00\n");
    await processFile(path, { sandbox, stateDir });
    expect(await checkFile(path, { sandbox, stateDir })).toMatchObject({ ready: { rows: 0 }, duplicate: { rows: 1 } });
    expect(await checkFile(path, { sandbox })).toMatchObject({ ready: { rows: 1 }, duplicate: { rows: 0 } });
    expect(await checkFile(path, { stateDir })).toMatchObject({ ready: { rows: 1 }, duplicate: { rows: 0 } });
  });
});

describe("startSandbox", () => {
  test.each<[string, object, RegExp]>([
    ["a misspelt option", { fault: { refuse: 1 } }, /^there is no option "fault"$/],
    ["a misspelt fault", { faults: { refuze: 1 } }, /^there is no fault "refuze"$/],
    ["a number for latencies", { latencyMs: 5 }, /^latencyMs is not \{ min, max \}/],
    ["a padding that there is not", { padding: "pkcs5" }, /^padding is not a padding such as pkcs7/],
    ["a port that there is not", { port: 70_000 }, /^port is not a port from 0 to 65535/],
    ["a short AES key", { aesKey: "0011" }, /^aesKey has 4 characters/],
  ])("refuses %s: a test must not pass without the faults it asks for", async (_, options, message) => {
    const error = await thrownBy(() => startSandbox({ port: 0, ...options }));
    expect(error).toMatchObject({ code: "config", message: expect.stringMatching(message) as string });
  });

  test.each([null, "127.0.0.1:7900", 7900, [7900]])("refuses %j, which is no object of options", async (given) => {
    const error = await thrownBy(() => startSandbox(wrong(given)));
    expect(error).toMatchObject({ code: "config", message: "startSandbox: the options are no object" });
  });
});
