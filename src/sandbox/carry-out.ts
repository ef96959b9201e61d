import type { ServerResponse } from "node:http";
import type { Operation } from "../operations/operation.ts";
import type { Fate } from "./faults.ts";
import type { LedgerWriter } from "./ledger.ts";

/** Lets a valid request meet its fate: into the ledger first if it is carried out, then the answer, or none. */
export function carryOut(
  operation: Operation,
  payload: string,
  { fault, status }: Fate,
  response: ServerResponse,
  ledger: LedgerWriter,
): void {
  const add = (told: number) => ledger.add(operation.name, payload, told);
  if (status !== undefined) {
    answer(response, status, { sandbox: true, error: `refused on request with ${status}` });
    return;
  }
  switch (fault) {
    case undefined:
      answer(response, 200, accepted(operation, add(200)));
      return;
    case "refuse":
      answer(response, 422, { sandbox: true, error: "refused on request" });
      return;
    case "rateLimit":
      answer(response, 429, { sandbox: true, error: "too many requests, on request" }, { "retry-after": "1" });
      return;
    case "serverErrorBefore":
      answer(response, 500, { sandbox: true, error: "failed on request" });
      return;
    case "resetBefore":
      reset(response);
      return;
    case "html":
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>Sandbox</title><p>A web page, on request.");
      return;
    case "redirect":
      answer(response, 307, { sandbox: true, error: "moved, on request" }, { location: `/moved${operation.path}` });
      return;
    case "serverErrorAfter":
      add(500);
      answer(response, 500, { sandbox: true, error: "failed on request" });
      return;
    case "resetAfter":
      add(0);
      reset(response);
      return;
    case "noAnswer":
      add(0);
      return;
    case "slowBody":
      drip(response, JSON.stringify(accepted(operation, add(200))));
      return;
    case "hugeBody":
      answer(response, 200, { ...accepted(operation, add(200)), filling: "x".repeat(1024 * 1024) });
      return;
    default:
      fault satisfies never;
  }
}

/** §4 does not show the body of a 200: this one is the sandbox's own. */
function accepted(operation: Operation, number: number) {
  return { sandbox: true, message: operation.acceptedMessage, number };
}

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
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
