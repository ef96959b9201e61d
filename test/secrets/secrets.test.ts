import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { createOpener } from "../../src/client/envelope.ts";
import { createCertificates } from "../support/certificates.ts";
import { openDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk.ts";
import type { FaultServer, Received, Reply, Script } from "../support/fault-server.ts";
import * as wire from "../support/fault-server.ts";
import type { ProgramEnded } from "../support/program.ts";
import { startProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** Fresh in every run, so that a find is never chance. */
const digits = (length: number): string => `9${[...randomBytes(length - 1)].map((byte) => String(byte % 10)).join("")}`;
const letters = (length: number): string =>
  [...randomBytes(length)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("");

const KEYS = {
  apiKey: `Canary+${letters(12)}/${digits(8)}==`,
  aesKey: randomBytes(32).toString("hex"),
  aesIv: randomBytes(16).toString("hex"),
};

const PERSON = {
  debit_account_id: digits(14),
  name: `Kanari ${letters(9)}`,
  mobile: digits(10),
  email: `${letters(8)}.K@staff.example`,
  bank_acc_num: digits(13),
  bank_owner_name: `Owner ${letters(9)}`,
};
const VPA = `${letters(11)}@okbank`;

const envelopeOpener = createOpener({ key: Buffer.from(KEYS.aesKey, "hex"), iv: Buffer.from(KEYS.aesIv, "hex") });

/** A text as it is and as it could hide. */
function formsOf(canary: string): string[] {
  const contents = [Buffer.from(canary)];
  if (/^(?:[0-9a-f]{2}){16,}$/.test(canary)) contents.push(Buffer.from(canary, "hex"));
  const encoded = contents.flatMap((bytes) => {
    const hex = bytes.toString("hex");
    const base64 = bytes.toString("base64").replace(/=+$/, "");
    return [hex, hex.toUpperCase(), base64, base64.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const json = JSON.stringify(canary).slice(1, -1);
  return [...new Set([canary, canary.toLowerCase(), canary.toUpperCase(), encodeURIComponent(canary), json, ...encoded])];
} // prettier-ignore

/** Names the canaries that stand in the bytes, in any form. */
function found(bytes: Buffer | string, canaries: Readonly<Record<string, string>>): string[] {
  const text = typeof bytes === "string" ? bytes : bytes.toString("latin1");
  return Object.entries(canaries).flatMap(([name, canary]) =>
    formsOf(canary).some((form) => text.includes(form)) ? [name] : [],
  );
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).isFile());
}

interface Trial {
  readonly desk: Desk;
  readonly server: FaultServer;
  readonly input: string;
  readonly ended: ProgramEnded[];
}

/** Everything that was written anywhere, looked through for every canary. What was found, and where. */
function leaks({ desk, server, input, ended }: Trial): string[] {
  const people = { ...PERSON, VPA };
  const said: [string, Buffer | string][] = ended.flatMap(({ stdout, stderr }, at) => [
    [`stdout ${at + 1}`, stdout] as [string, string],
    [`stderr ${at + 1}`, stderr] as [string, string],
  ]);
  const finds = said.flatMap(([where, text]) => found(text, { ...KEYS, ...people }).map((name) => `${name} in ${where}`));
  for (const path of [...filesBelow(desk.folder), ...filesBelow(desk.stateDir)]) {
    const where = relative(join(desk.folder, ".."), path);
    const bytes = readFileSync(path);
    if (path.endsWith(".pem")) continue;
    finds.push(...found(bytes, KEYS).map((name) => `${name} in ${where}`));
    // the person's own file, its private copy, and the columns of it that go out again
    const isOwn = path === join(desk.folder, input) || where.startsWith("state/snapshots/");
    const isTable = path.endsWith(".results.csv") || path.endsWith(".retry.csv");
    if (!isOwn && !isTable) finds.push(...found(bytes, people).map((name) => `${name} in ${where}`));
    for (const request of server.requests) {
      const hex = /"body":"([0-9a-f]+)"/.exec(request.body)?.[1];
      if (hex && bytes.toString("latin1").toLowerCase().includes(hex.slice(0, 64))) finds.push(`ciphertext in ${where}`);
    }
  }
  for (const row of desk.results(input)) {
    for (const [column, text] of Object.entries(row)) {
      const isOurs = column.startsWith("result_") || column.startsWith("retry_");
      if (isOurs) finds.push(...found(text, people).map((name) => `${name} in ${column}`));
    }
  }
  return [...new Set(finds)];
} // prettier-ignore

function payoutsCsv(rows: number): string {
  const names = [...Object.keys(PERSON), "ifsc_code", "amount", "payment_mode"];
  const lines = Array.from({ length: rows }, (_, at) =>
    [...Object.values(PERSON), "HDFC0001234", `${100 + at}.00`, "NEFT"].join(","),
  );
  return `${names.join(",")}\n${lines.join("\n")}\n`;
}

function collectionsCsv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, at) => `${100 + at}.00,INR,${VPA},30`);
  return `amount,currency,vpa,expiry\n${lines.join("\n")}\n`;
}

const LOUD = { PAYDROP_LOG_LEVEL: "trace", PAYDROP_API_KEY: KEYS.apiKey, PAYDROP_AES_KEY: KEYS.aesKey, PAYDROP_AES_IV: KEYS.aesIv }; // prettier-ignore

const AS_TEXT = ["--verbose", "--log-file", "paydrop.log"];
const AS_JSON = ["--verbose", "--json", "--log-file", "paydrop.log", "--log-format", "json"];
const LOG_ON_STDERR = ["--verbose", "--log-format", "json"];

interface TryOut {
  readonly csv?: string;
  readonly env?: Record<string, string>;
  readonly flags?: readonly string[];
}

/** One run, loud in one way; then everything is looked through. */
async function tryOut(script: Script, { csv = payoutsCsv(4), env = {}, flags = AS_TEXT }: TryOut = {}): Promise<Trial> {
  const server = await startService(script);
  const desk = openDesk(server.url, { ...LOUD, ...env });
  const input = "people.csv";
  desk.write(input, csv);
  return { desk, server, input, ended: [await desk.run(input, "--timeout", "1s", ...flags)] };
}

/** A service that tells everything it knows in its answer, in every writing it knows. */
function echo(status: number, request: Received): Reply {
  const hex = /"body":"([0-9a-f]+)"/.exec(request.body)?.[1];
  const plain = hex === undefined ? request.body : (envelopeOpener(hex) ?? "");
  const fields = Object.values(JSON.parse(plain) as Record<string, unknown>).filter((value) => typeof value === "string");
  const secrets = [request.headers["x-api-key"] ?? "", KEYS.aesKey, KEYS.aesIv, ...fields];
  const turned = request.number % 4;
  const written = secrets.flatMap((secret) => formsOf(secret).filter((_, at) => at % 4 === turned));
  // in parts, so that each stands within the excerpt once
  const from = (request.number * 3) % Math.max(1, written.length);
  const text = [...written.slice(from, from + 8), hex ?? "", request.body, plain].join(" ");
  return wire.answer(status, { error: "refused", text }, { "content-type": "application/json", "retry-after": "0" });
} // prettier-ignore

const THROWER = `
process.once("SIGUSR2", () => {
  const { CANARY_A: a, CANARY_B: b } = process.env;
  throw Object.assign(new Error("x-api-key: " + a + " " + Buffer.from(a).toString("hex") + " " + b), { key: a });
});
`;

describe("no secret and no account number in anything that is written", () => {
  const replies: Readonly<Record<string, (request: Received) => Reply>> = {
    "200": () => wire.answer(200),
    "a reset": () => wire.reset(),
    silence: () => wire.silence(),
    "half a head": () => wire.inOrder(wire.raw("HTTP/1.1 200 OK\r\nx-"), wire.close()),
    "a redirect": (request) => wire.redirect(307, `https://elsewhere.example/?key=${request.headers["x-api-key"] ?? ""}`),
    "a broken head with the key in it": (request) => wire.raw(`HTTPZ ${request.headers["x-api-key"] ?? ""}\r\n${request.body}\r\n\r\n`),
    "200 that echoes": (request) => echo(200, request),
    "400 that echoes": (request) => echo(400, request),
    "401 that echoes": (request) => echo(401, request),
    "500 that echoes": (request) => echo(500, request),
    "429 that echoes": (request) => echo(429, request),
  }; // prettier-ignore

  const ways = { AS_TEXT, AS_JSON, LOG_ON_STDERR };
  const cases = Object.entries(replies).flatMap(([how, reply]) =>
    Object.entries(ways).flatMap(([way, flags], at) =>
      at === 0 || how.includes("echo") ? [[how, way, reply, flags] as const] : [],
    ),
  );

  test.each(cases)("payouts: %s, told %s", async (_how, _way, reply, flags) => {
    const trial = await tryOut(reply, { flags });
    expect(leaks(trial)).toEqual([]);
    expect(trial.server.requests.length).toBeGreaterThan(0);
    // the scan itself is awake: what the person wrote is in the results, and was found there
    expect(found(readFileSync(join(trial.desk.folder, "people.csv.results.csv")), PERSON)).toHaveLength(6);
  });

  test("collections, whose address is echoed", async () => {
    for (const status of [200, 422]) {
      const trial = await tryOut((request) => echo(status, request), { csv: collectionsCsv(4) });
      expect(leaks(trial)).toEqual([]);
      expect(trial.server.requests[0]?.body).toContain(VPA);
    }
  });

  test("nobody there, and a certificate that is refused", async () => {
    const gone = await startService(() => wire.answer(200));
    await gone.close();
    const nobody = await tryOut(() => wire.answer(200), {
      env: { PAYDROP_BASE_URL: gone.url, PAYDROP_RETRY_FOR: "100ms" },
    });
    expect(leaks(nobody)).toEqual([]);
    expect(nobody.ended[0]?.code).toBe(7);
    const tls = await startService(() => wire.answer(200), { tls: createCertificates().selfSigned });
    const refused = await tryOut(() => wire.answer(200), { env: { PAYDROP_BASE_URL: tls.url } });
    expect(leaks(refused)).toEqual([]);
    expect(refused.ended[0]?.stderr).toContain("certificate");
  });

  test.each([
    ["the columns shifted", (csv: string) => csv.replaceAll(/^9/gm, "x,9")],
    ["the columns in another order than their cells", (csv: string) => csv.replace(/^.*$/m, (header) => header.split(",").reverse().join(","))],
    ["no header", (csv: string) => csv.slice(csv.indexOf("\n") + 1)],
    ["a quote that never ends", (csv: string) => `${csv}"${Object.values(PERSON).join(",")}`],
    ["cells that a spreadsheet spoiled", (csv: string) => csv.replaceAll(PERSON.bank_acc_num, `${PERSON.bank_acc_num}.0`).replaceAll(PERSON.mobile, `'${PERSON.mobile}`)],
    ["spaces and signs in every cell", (csv: string) => csv.replaceAll(/,(?=9)/g, ", \u200b").replaceAll("@", "@@")],
    ["rows that repeat each other", (csv: string) => csv + csv.slice(csv.indexOf("\n") + 1)],
  ] as const)("a file with %s", async (_how, spoil) => {
    const trial = await tryOut(() => wire.answer(200), { csv: spoil(payoutsCsv(3)), flags: [...AS_TEXT, "--operation", "payout"] });
    // what stands in the wrong column cannot be known for a name
    const finds = leaks(trial).filter((find) => !/^(?:name|bank_owner_name) /.test(find));
    expect(finds).toEqual([]);
    expect(trial.ended[0]?.code).not.toBe(0);
  }); // prettier-ignore

  test.each([
    ["a line break inside the API key", { PAYDROP_API_KEY: `${KEYS.apiKey}\n${KEYS.apiKey}` }],
    ["a curly quote around the API key", { PAYDROP_API_KEY: `\u201c${KEYS.apiKey}\u201d` }],
    ["an AES key that is too long", { PAYDROP_AES_KEY: `${KEYS.aesKey}00` }],
    ["an AES key of which a character is missing", { PAYDROP_AES_KEY: KEYS.aesKey.slice(1) }],
    ["the keys as address", { PAYDROP_BASE_URL: `https://user:${KEYS.aesKey}@bank.example/?k=${KEYS.apiKey}` }],
    ["the key as log level", { PAYDROP_LOG_LEVEL: KEYS.apiKey }],
    ["the key as path of its file", { PAYDROP_API_KEY: "", PAYDROP_API_KEY_FILE: KEYS.apiKey }],
  ] as const)("%s is refused without repeating it", async (_how, env) => {
    const trial = await tryOut(() => wire.answer(200), { env });
    expect(leaks(trial)).toEqual([]);
    expect(trial.ended[0]?.code).toBe(2);
    expect(trial.server.requests).toEqual([]);
  });

  test("a key that only the header refuses: nothing is sent and nothing repeated", async () => {
    // DEL and control characters pass no check of ours, and would be printed by Headers.append
    const trial = await tryOut(() => wire.answer(200), { env: { PAYDROP_API_KEY: `${KEYS.apiKey}\u007f` } });
    expect(leaks(trial)).toEqual([]);
    expect(trial.server.requests).toEqual([]);
  });

  test("an exception that nobody catches, with the secrets in it, ends with code 1 and without them", async () => {
    for (const flags of [["--verbose"], ["--verbose", "--json"]]) {
      const server = await startService(() => wire.silence());
      const desk = openDesk(server.url, LOUD);
      desk.write("people.csv", payoutsCsv(3));
      const thrower = desk.write("throw.mjs", THROWER);
      const env = { ...desk.env, CANARY_A: KEYS.apiKey, CANARY_B: KEYS.aesKey };
      const program = startProgram(["run", "people.csv", ...flags], { env, cwd: desk.folder, nodeArgs: ["--import", thrower] });
      await until("the first request", () => server.requests.length > 0, { by: program.ended });
      program.child.kill("SIGUSR2");
      const ended = await program.ended;
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain("x-api-key");
      expect(leaks({ desk, server, input: "people.csv", ended: [ended] })).toEqual([]);
    }
  }); // prettier-ignore

  test.skipIf(process.platform !== "linux")("the process list shows no secret, and a child would inherit none", async () => {
    const server = await startService(() => wire.silence());
    const desk = openDesk(server.url, LOUD);
    const env: Record<string, string> = {};
    for (const [name, value] of Object.entries(desk.env)) {
      const isSecret = Object.values<string>(KEYS).includes(value);
      env[isSecret ? `${name}_FILE` : name] = isSecret ? desk.write(`${name}.pem`, `${value}\n`) : value;
    }
    desk.write("people.csv", payoutsCsv(3));
    const program = startProgram(["run", "people.csv"], { env, cwd: desk.folder });
    await until("the first request", () => server.requests.length > 0, { by: program.ended });
    const proc = (name: string): string => readFileSync(`/proc/${program.pid}/${name}`, "latin1");
    for (const name of ["cmdline", "environ", "comm"]) expect(found(proc(name), { ...KEYS, ...PERSON })).toEqual([]);
    program.child.kill("SIGKILL");
    const ended = await program.ended;
    expect(leaks({ desk, server, input: "people.csv", ended: [ended] })).toEqual([]);
  }); // prettier-ignore
});
