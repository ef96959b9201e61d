/**
 * A service in a process of its own, as the crash tests need it: every request is on stable storage in its ledger
 * before it is answered, and which of them it carries out, refuses or drops comes from a seed. Shares no code with
 * what is tested. `node ledger-server.ts '{"ledger":"/tmp/x.jsonl","seed":1,"rates":{…},"latencyMs":5}'`
 */
import { createDecipheriv, createHash } from "node:crypto";
import { fdatasync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export const API_KEY = "crash-test-api-key";
export const AES_KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778899aabbccddeeff0";
export const AES_IV = "00112233445566778899aabbccddeeff";

/** Shares of all requests, each between 0 and 1; the rest is carried out and answered with a 2xx. */
export interface Rates {
  readonly acceptThenReset?: number;
  readonly resetWithoutAccepting?: number;
  readonly acceptThen504?: number;
  readonly refuse?: number;
  /** 429 at the first request of a row. */
  readonly slowDown?: number;
}

export interface ServerOptions {
  readonly ledger: string;
  readonly seed: number;
  readonly rates: Rates;
  /** At most; each answer takes anything up to that. */
  readonly latencyMs: number;
  readonly latencyMinMs?: number;
  /** Of the very first answer, if it is another. */
  readonly firstLatencyMs?: number;
  /** Answers nothing at all. */
  readonly silent?: boolean;
  /** What it adds to every tenth answer. */
  readonly words?: string;
}

/** One request, written before its answer. */
export interface LedgerLine {
  /** What the payload says of itself: `narration`, or `to_account` of a transfer. */
  readonly marker: string;
  readonly executed: boolean;
  /** The status that is going to be sent; null when none is. */
  readonly status: number | null;
  readonly amount: number;
  /** `purpose` and `mobile` of the payload, which may come from a mapping and its table. */
  readonly said: string;
  /** Milliseconds since 1970 when its last byte had arrived. */
  readonly at: number;
}

type Fate = Pick<LedgerLine, "executed" | "status">;

if (process.argv[1] === import.meta.filename) serve(JSON.parse(process.argv[2] ?? "{}") as ServerOptions);

function serve(options: ServerOptions): void {
  const ledger = openSync(options.ledger, "a", 0o600);
  const times = new Map<string, number>();
  let tellNext = false;

  /** Requests of one moment share a sync, so that the server is not slower than what it is to test. */
  let nextSync: Promise<void> | undefined;
  function durable(): Promise<void> {
    nextSync ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        nextSync = undefined;
        fdatasync(ledger, (error) => (error ? reject(error) : resolve()));
      });
    });
    return nextSync;
  }

  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const at = Date.now();
    const isKey = request.headers["x-api-key"] === API_KEY;
    const payload = payloadOf(request.url ?? "", Buffer.concat(chunks).toString("utf8"));
    const marker = String(payload["narration"] ?? payload["to_account"]);
    const isFirst = times.size === 0;
    const time = (times.get(marker) ?? 0) + 1;
    times.set(marker, time);
    const fate = isKey ? fateOf(options, marker, time) : { executed: false, status: 401 };
    const said = [payload["purpose"], payload["mobile"]].filter(Boolean).join(" ");
    const line: LedgerLine = { marker, ...fate, amount: Number(payload["amount"]), said, at };
    writeSync(ledger, `${JSON.stringify(line)}\n`);
    await durable();
    if (tellNext) {
      tellNext = false;
      process.send?.("request");
    }
    if (options.silent) return;
    const wait = (isFirst ? options.firstLatencyMs : undefined) ?? latencyOf(options, marker);
    if (wait >= 1) await sleep(wait);
    answer(request, response, fate, share(options.seed, `words ${marker}`) < 0.1 ? options.words : undefined);
  }

  const server = createServer((request, response) => void onRequest(request, response).catch(fail));
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on("message", () => (tellNext = true));
  process.on("disconnect", () => process.exit(0));
}

function answer(request: IncomingMessage, response: ServerResponse, { status }: Fate, words?: string): void {
  if (status === null) {
    request.socket.resetAndDestroy();
    return;
  }
  const headers = { "content-type": "application/json", ...(status === 429 ? { "retry-after": "0" } : {}) };
  response.writeHead(status, headers).end(JSON.stringify({ status_was: status, ...(words && { words }) }));
}

/** Different successes and refusals, so that an answer that came to another row would be seen. */
function fateOf({ seed, rates }: ServerOptions, marker: string, time: number): Fate {
  const variant = Math.floor(share(seed, `variant ${marker}`) * 3);
  if (time === 1 && share(seed, `slow ${marker}`) < (rates.slowDown ?? 0)) return { executed: false, status: 429 };
  // what goes again has another fate, in whatever order rows come
  let left = share(seed, time === 1 ? marker : `${marker} ${time}`);
  const is = (rate = 0): boolean => (left -= rate) < 0;
  if (is(rates.acceptThenReset)) return { executed: true, status: null };
  if (is(rates.resetWithoutAccepting)) return { executed: false, status: null };
  if (is(rates.acceptThen504)) return { executed: true, status: 504 };
  if (is(rates.refuse)) return { executed: false, status: [400, 402, 422][variant] ?? 400 };
  return { executed: true, status: [200, 201, 202][variant] ?? 200 };
}

function latencyOf({ seed, latencyMs, latencyMinMs = 0 }: ServerOptions, marker: string): number {
  return latencyMinMs + share(seed, `latency ${marker}`) * (latencyMs - latencyMinMs);
}

/** Between 0 and 1, always the same for the same text. */
export function share(seed: number, text: string): number {
  return createHash("sha256").update(`${seed} ${text}`).digest().readUInt32BE(0) / 2 ** 32;
}

/** §5.2: AES-256-CBC, hex, `{"body": …}`; only payouts. */
export function payloadOf(path: string, text: string): Record<string, unknown> {
  const body = JSON.parse(text) as Record<string, unknown>;
  if (!path.endsWith("/payouts/pay")) return body;
  const decipher = createDecipheriv("aes-256-cbc", Buffer.from(AES_KEY, "hex"), Buffer.from(AES_IV, "hex"));
  const plain = Buffer.concat([decipher.update(String(body["body"]), "hex"), decipher.final()]).toString("utf8");
  return JSON.parse(plain) as Record<string, unknown>;
}

function fail(error: unknown): void {
  process.stderr.write(`ledger server: ${String(error)}\n`);
  process.exit(1);
}
