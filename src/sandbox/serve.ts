import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { OPERATIONS } from "../operations/catalogue.ts";
import type { Operation } from "../operations/operation.ts";
import { carryOut } from "./carry-out.ts";
import type { Fate } from "./faults.ts";
import type { LedgerWriter } from "./ledger.ts";
import { readRequest } from "./request.ts";

/** What requests are judged by, and where they are written down. */
export interface Service {
  readonly open: (hex: string) => string | undefined;
  readonly fateOf: (payload: string) => Fate;
  readonly ledger: LedgerWriter;
  readonly keyDigest: Buffer;
  isClosed: boolean;
}

/** Answers one request, or leaves it without an answer where that is its fate. */
export function serve(service: Service, request: IncomingMessage, response: ServerResponse): void {
  const { ledger, keyDigest } = service;
  const path = request.url ?? "";
  if (path === "/sandbox/ledger") {
    answerLedger(request, response, ledger);
    return;
  }
  const operation = BY_PATH.get(path);
  if (!operation) {
    refuse(request, response, 404, "no such path (§4)");
    return;
  }
  ledger.received();
  const refusal = refusalOfHead(request, keyDigest);
  if (refusal) {
    refuse(request, response, refusal.status, refusal.reason);
    return;
  }
  readBody(request, (body) => {
    if (body === undefined) refuse(request, response, 413, `more than ${BODY_BYTES_MAX} bytes`);
    else serveBody(service, operation, body, request, response);
  });
}

function serveBody(
  service: Service,
  operation: Operation,
  body: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const read = readRequest(operation, body, service.open);
  if (read.refusal !== undefined) {
    refuse(request, response, 400, read.refusal);
    return;
  }
  const fate = service.fateOf(read.payload);
  const act = (): void => {
    if (!service.isClosed) carryOut(operation, read.payload, fate, response, service.ledger);
  };
  if (fate.latencyMs > 0) setTimeout(act, fate.latencyMs);
  else act();
}

const BODY_BYTES_MAX = 1024 * 1024;
const BY_PATH: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((operation) => [operation.path, operation]));

/** Why a request is refused by its head. The order is the sandbox's own: method, key, content type. */
function refusalOfHead(request: IncomingMessage, keyDigest: Buffer): { status: number; reason: string } | undefined {
  if (request.method !== "POST") return { status: 405, reason: "only POST (§4)" };
  const key = request.headers["x-api-key"];
  if (typeof key !== "string" || !timingSafeEqual(digest(key), keyDigest)) {
    return { status: 401, reason: "the x-api-key header is missing or wrong (§5.1)" };
  }
  if (!/^application\/json *(?:;|$)/i.test(request.headers["content-type"] ?? "")) {
    return { status: 415, reason: "the content type is not application/json (§4)" };
  }
  return undefined;
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, reason: string): void {
  // what is left of the request is not read
  const last = request.complete ? {} : { connection: "close" };
  const allow = status === 405 ? { allow: "POST" } : {};
  response.writeHead(status, { "content-type": "application/json", ...last, ...allow });
  response.end(JSON.stringify({ sandbox: true, error: reason }));
}

function answerLedger(request: IncomingMessage, response: ServerResponse, ledger: LedgerWriter): void {
  if (request.method !== "GET") {
    refuse(request, response, 405, "only GET");
    return;
  }
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(ledger.read()));
}

/** The whole body, or undefined when it is too large. */
function readBody(request: IncomingMessage, done: (body: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    else if (bytes - chunk.length <= BODY_BYTES_MAX) done(undefined);
  });
  request.on("end", () => {
    if (bytes > BODY_BYTES_MAX) return;
    const only = chunks.length === 1 ? chunks[0] : undefined;
    done((only ?? Buffer.concat(chunks)).toString("utf8"));
  });
}

export function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
