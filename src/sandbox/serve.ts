import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fieldsOf, OPERATIONS, type OperationName } from "../operations/index.ts";
import type { FieldFacts, Operation } from "../operations/operation.ts";

/**
 * What the sandbox can do to a request instead of a plain 200, without carrying it out: 422; 429 with `Retry-After: 1`;
 * 500; a reset; 200 with a web page, as a captive portal does; 307 to another path. And after carrying it out: 500; a
 * reset; no answer; a body at one byte per second; a body of 1 MiB.
 */
export const FAULTS = [
  ...(["refuse", "rateLimit", "serverErrorBefore", "resetBefore", "html", "redirect"] as const),
  ...(["serverErrorAfter", "resetAfter", "noAnswer", "slowBody", "hugeBody"] as const),
] as const;

/** What can go wrong with a request, by name. */
export type FaultName = (typeof FAULTS)[number];

/** Share of the requests that meet each fault, 0 to 1, together at most 1. */
export type FaultRates = Readonly<Partial<Record<FaultName, number>>>;

/** Milliseconds. */
export interface LatencyRange {
  readonly min: number;
  readonly max: number;
}

interface Fate {
  readonly fault?: FaultName | undefined;
  readonly status?: number;
  readonly latencyMs: number;
}

/**
 * Decides by seed, payload and how often that payload has come, so that the same file meets the same faults in whatever
 * order its rows arrive. A word in the payload (`SANDBOX-422`, `SANDBOX-TIMEOUT`, …) goes before the rates.
 */
export function createFates(seed: number, rates: FaultRates, { min, max }: LatencyRange): (payload: string) => Fate {
  const seen = new Map<string, number>();
  return (payload) => {
    const isMarked = payload.includes("SANDBOX-");
    if (Object.keys(rates).length === 0 && max === min && !isMarked) return { latencyMs: min };
    const times = (seen.get(payload) ?? 0) + 1;
    seen.set(payload, times);
    const drawn = createHash("sha256").update(`${seed} ${times} ${payload}`).digest();
    // two numbers from 0 to 1 that depend on nothing else
    const [forLatency, forFault] = [drawn.readUInt32BE(0) / 2 ** 32, drawn.readUInt32BE(4) / 2 ** 32];
    let edge = 0;
    const fault = FAULTS.find((name) => forFault < (edge += rates[name] ?? 0));
    const said = isMarked ? faultSaid(payload, times) : undefined;
    return { ...(said ?? { fault }), latencyMs: min + (max - min) * forLatency };
  };
}

const WORDS: Readonly<Record<string, FaultName>> = {
  ...{ "429": "rateLimit", "500-AFTER": "serverErrorAfter", RESET: "resetAfter", "RESET-BEFORE": "resetBefore" },
  ...{ TIMEOUT: "noAnswer", HTML: "html", REDIRECT: "redirect", SLOW: "slowBody", HUGE: "hugeBody" },
};

/** `SANDBOX-404` is that status, not carried out; `SANDBOX-429` only the first time, so that waiting helps. */
function faultSaid(payload: string, times: number): { fault?: FaultName; status?: number } | undefined {
  const word = /SANDBOX-([A-Z0-9]+(?:-(?:AFTER|BEFORE))?)/.exec(payload)?.[1] ?? "";
  if (word === "429" && times > 1) return {};
  const fault = WORDS[word];
  if (fault) return { fault };
  return /^[45]\d\d$/.test(word) ? { status: Number(word) } : undefined;
}

/** One request that the sandbox carried out. */
export interface LedgerEntry {
  /** From 1, in the order of carrying out. */
  readonly number: number;
  readonly operation: OperationName;
  /** The plaintext JSON exactly as it arrived; for a payout, as it was decrypted. */
  readonly payload: string;
  /** What the caller was told; 0 when no answer was given. */
  readonly status: number;
}

export interface Ledger {
  /** Requests carried out since the start. */
  readonly count: number;
  /** All requests that reached one of the endpoints, carried out or refused. */
  readonly requests: number;
  readonly entries: readonly LedgerEntry[];
}

export interface Service {
  readonly apiKey: string;
  readonly open: (hex: string) => string | undefined;
  readonly fateOf: (payload: string) => Fate;
  readonly entries: LedgerEntry[];
  requests: number;
  isClosed: boolean;
}

export function ledgerOf({ requests, entries }: Service): Ledger {
  return { count: entries.length, requests, entries: [...entries] };
}

const BODY_BYTES_MAX = 1024 * 1024;

/** Answers one request, or leaves it without an answer where that is its fate. */
export async function serve(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === LEDGER && request.method === "GET") {
    answer(response, 200, ledgerOf(service));
    return;
  }
  const read = await readRequest(service, request);
  if ("error" in read) {
    const { status, error } = read;
    // what is left of the request is not read
    const last: Record<string, string> = request.complete ? {} : { connection: "close" };
    answer(response, status, { sandbox: true, error }, status === 405 ? { ...last, allow: "POST" } : last);
    return;
  }
  const fate = service.fateOf(read.payload);
  if (fate.latencyMs > 0) await sleep(fate.latencyMs);
  if (!service.isClosed) carryOut(service, read, fate, response);
}

const LEDGER = "/sandbox/ledger";

interface Read {
  readonly operation: Operation<OperationName>;
  readonly payload: string;
}

/** The order of what is looked at is the sandbox's own: path, method, key, content type, body. */
async function readRequest(
  service: Service,
  request: IncomingMessage,
): Promise<Read | { readonly status: number; readonly error: string }> {
  if (request.url === LEDGER) return { status: 405, error: "only GET" };
  const operation = OPERATIONS.find(({ path }) => path === request.url);
  if (!operation) return { status: 404, error: "no such path (§4)" };
  service.requests += 1;
  if (request.method !== "POST") return { status: 405, error: "only POST (§4)" };
  const { "x-api-key": key, "content-type": type = "", "content-length": length } = request.headers;
  if (key !== service.apiKey) return { status: 401, error: "the x-api-key header is missing or wrong (§5.1)" };
  const isJson = /^application\/json *(?:;|$)/i.test(type);
  if (!isJson) return { status: 415, error: "the content type is not application/json (§4)" };
  if (Number(length ?? 0) > BODY_BYTES_MAX) return { status: 413, error: `more than ${BODY_BYTES_MAX} bytes` };
  const body = await textOf(request);
  const payload = operation.encrypted ? opened(body, service.open) : body;
  if (payload === undefined)
    return { status: 400, error: 'this is not {"body": "<hex>"} of compact JSON with this key, IV and padding (§2.4)' };
  const error = refusalOfFields(operation, payload);
  return error === undefined ? { operation, payload } : { status: 400, error };
}

/** The payload out of the envelope of §2.4, if it is as §5.2 wants it. */
function opened(body: string, open: Service["open"]): string | undefined {
  const { body: hex, ...others } = parseObject(body) ?? {};
  const payload = typeof hex === "string" && Object.keys(others).length === 0 ? open(hex) : undefined;
  const isCompact = payload && !/\s/.test(payload.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'));
  return isCompact ? payload : undefined;
}

/** §2.6 shows no required fields, so none is missed here, but an empty object is. */
function refusalOfFields({ forms }: Operation, payload: string): string | undefined {
  const given = Object.entries(parseObject(payload) ?? {});
  if (given.length === 0) return "the payload is not one JSON object with fields";
  const wrong = forms.map((form) => {
    const kinds = new Map(fieldsOf(form).map(({ name, kind }) => [name, kind]));
    return given.find(([name, value]) => !hasType(kinds.get(name), value))?.[0];
  });
  if (wrong.includes(undefined)) return undefined;
  const names = [...new Set(wrong)].map((name) => JSON.stringify(name?.slice(0, 40)));
  return `the field ${names.join(" or ")} is not of this form or not of its type (§2)`;
}

function hasType(kind: FieldFacts["kind"] | undefined, value: unknown): boolean {
  if (kind === "whole") return Number.isInteger(value);
  return kind !== undefined && typeof value === (kind === "amount" ? "number" : "string");
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Lets a valid request meet its fate: into the ledger first if it is carried out, then the answer, or none. */
function carryOut(service: Service, { operation, payload }: Read, { fault, status }: Fate, response: ServerResponse) {
  const { entries } = service;
  const add = (told: number): number =>
    entries.push({ number: entries.length + 1, operation: operation.name, payload, status: told });
  // §4 does not show the body of a 200: this one is the sandbox's own
  const accepted = () => ({ sandbox: true, message: operation.accepted, number: add(200) });
  const no = (told: number, error: string, headers: Record<string, string> = {}): void =>
    answer(response, told, { sandbox: true, error: `${error}, on request` }, headers);
  const fates: Readonly<Record<FaultName, () => unknown>> = {
    refuse: () => no(422, "refused"),
    rateLimit: () => no(429, "too many requests", { "retry-after": "1" }),
    serverErrorBefore: () => no(500, "failed"),
    resetBefore: () => response.socket?.resetAndDestroy(),
    html: () => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Sandbox</title>"),
    redirect: () => no(307, "moved", { location: `/moved${operation.path}` }),
    serverErrorAfter: () => no(add(500) && 500, "failed"),
    resetAfter: () => (add(0), response.socket?.resetAndDestroy()),
    noAnswer: () => add(0),
    slowBody: () => drip(response, JSON.stringify(accepted())),
    hugeBody: () => answer(response, 200, { ...accepted(), filling: "x".repeat(1024 * 1024) }),
  };
  if (status !== undefined) no(status, "refused");
  else if (fault === undefined) answer(response, 200, accepted());
  else fates[fault]();
}

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const json = JSON.stringify(body);
  const length = Buffer.byteLength(json);
  response.writeHead(status, { "content-type": "application/json", "content-length": length, ...headers }).end(json);
}

function drip(response: ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).flushHeaders();
  let sent = 0;
  const timer = setInterval(() => {
    response.write(body.charAt(sent));
    sent += 1;
    if (sent === body.length) response.end();
  }, 1000);
  response.on("close", () => clearInterval(timer));
}
