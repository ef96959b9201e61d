import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fieldsOf, OPERATIONS, type OperationName } from "../operations/index.ts";
import type { FieldFacts, Operation } from "../operations/operation.ts";
import type { Fate, FaultName } from "./faults.ts";

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

/** What requests are judged by, and where they are written down. */
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
  if (read.length === 3) {
    const [, status, error] = read;
    // what is left of the request is not read
    const last: Record<string, string> = request.complete ? {} : { connection: "close" };
    answer(response, status, { sandbox: true, error }, status === 405 ? { ...last, allow: "POST" } : last);
    return;
  }
  const fate = service.fateOf(read[1]);
  if (fate.latencyMs > 0) await sleep(fate.latencyMs);
  if (!service.isClosed) carryOut(service, read, fate, response);
}

const LEDGER = "/sandbox/ledger";

type Read = readonly [operation: Operation<OperationName>, payload: string];
type Refused = readonly ["refused", status: number, error: string];

/** The order of what is looked at is the sandbox's own: path, method, key, content type, body. */
async function readRequest(service: Service, request: IncomingMessage): Promise<Read | Refused> {
  if (request.url === LEDGER) return ["refused", 405, "only GET"];
  const operation = OPERATIONS.find(({ path }) => path === request.url);
  if (!operation) return ["refused", 404, "no such path (§4)"];
  service.requests += 1;
  if (request.method !== "POST") return ["refused", 405, "only POST (§4)"];
  const { "x-api-key": key, "content-type": type = "" } = request.headers;
  if (key !== service.apiKey) return ["refused", 401, "the x-api-key header is missing or wrong (§5.1)"];
  const isJson = /^application\/json *(?:;|$)/i.test(type);
  if (!isJson) return ["refused", 415, "the content type is not application/json (§4)"];
  const body = await bodyOf(request);
  if (body === undefined) return ["refused", 413, `more than ${BODY_BYTES_MAX} bytes`];
  const payload = operation.encrypted ? opened(body, service.open) : body;
  const refusal = typeof payload === "string" ? refusalOfFields(operation, payload) : payload.refusal;
  return typeof payload === "string" && refusal === undefined ? [operation, payload] : ["refused", 400, refusal ?? ""];
}

/** The whole body, or undefined when it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The payload out of the envelope of §2.4, or why it cannot be had. */
function opened(body: string, open: Service["open"]): string | { readonly refusal: string } {
  const envelope = parseObject(body);
  const hex = envelope?.["body"];
  if (!envelope || typeof hex !== "string" || Object.keys(envelope).length !== 1)
    return { refusal: 'the request is not {"body": "<hex>"} (§2.4)' };
  const payload = open(hex);
  if (payload === undefined) return { refusal: "the body does not decrypt with this key, IV and padding (§5.2)" };
  const isCompact = !/\s/.test(payload.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'));
  return isCompact ? payload : { refusal: "the decrypted payload is not compact JSON (§5.2, step 1)" };
}

/** §2.6 shows no required fields, so none is missed here, but an empty object is. */
function refusalOfFields({ forms }: Operation, payload: string): string | undefined {
  const given = parseObject(payload);
  if (!given) return "the payload is not one JSON object";
  const names = Object.keys(given);
  if (names.length === 0) return "the payload has no fields";
  const has = (shape: object, name: string): boolean => Object.hasOwn(shape, name);
  const unknown = names.find((name) => !forms.some(({ schema }) => has(schema.shape, name)));
  if (unknown !== undefined) return `the field ${JSON.stringify(unknown.slice(0, 40))} is not in §2`;
  const form = forms.find(({ schema }) => names.every((name) => has(schema.shape, name)));
  if (!form) return "the fields belong to two different forms of §2.5";
  const wrong = fieldsOf(form).find(({ name, kind }) => name in given && !hasType(kind, given[name]));
  return wrong && `the field ${wrong.name} is not of its type (§2)`;
}

function hasType(kind: FieldFacts["kind"], value: unknown): boolean {
  if (kind === "whole") return Number.isInteger(value);
  return typeof value === (kind === "amount" ? "number" : "string");
}

/** A null-prototype object, or undefined for anything else. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return Object.assign(Object.create(null), value) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Lets a valid request meet its fate: into the ledger first if it is carried out, then the answer, or none. */
function carryOut(
  { entries }: Service,
  [operation, payload]: Read,
  { fault, status }: Fate,
  response: ServerResponse,
): void {
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
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { "content-type": "application/json", "content-length": length, ...headers });
  response.end(text);
}

/** Answers at one byte per second. */
function drip(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
  let sent = 0;
  const timer = setInterval(() => {
    response.write(text.charAt(sent));
    sent += 1;
    if (sent === text.length) response.end();
  }, 1000);
  response.flushHeaders();
  response.on("close", () => clearInterval(timer));
}
