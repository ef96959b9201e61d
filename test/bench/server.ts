/**
 * The service as the measurements need it: a process of its own that reads requests off the socket by their
 * content-length and answers each with the same bytes, so that it costs a third of what any client costs. It checks
 * nothing. `node server.ts '{"delayMs":20,"slowShare":0.01,"slowMs":2000}'`; it tells its port and its counts by IPC.
 */
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface ServerOptions {
  /** Each answer takes so long. */
  readonly delayMs?: number;
  /** Of all answers, between 0 and 1, so many take `slowMs`: every hundredth for 0.01. */
  readonly slowShare?: number;
  readonly slowMs?: number;
}

/** Since the last `reset`. Times are milliseconds since 1970. */
export interface ServerCounts {
  readonly requests: number;
  /** When the first request had arrived, and when the last answer was written; 0 without any. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The first time that somebody asked for this mark: `watch` names it. */
  readonly markAt: number;
  /** User and system time of the server. */
  readonly cpuMs: number;
}

export type ServerQuestion = { readonly ask: "counts" } | { readonly ask: "reset"; readonly mark?: string };

const ANSWER = '{"status":"OK"}';
const RESPONSE = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${ANSWER.length}\r\n\r\n${ANSWER}`,
);
const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH = /content-length: *(\d+)/i;

if (process.argv[1] === import.meta.filename) serve(JSON.parse(process.argv[2] ?? "{}") as ServerOptions);

function serve({ delayMs = 0, slowShare = 0, slowMs = 0 }: ServerOptions): void {
  const slowEvery = slowShare > 0 ? Math.round(1 / slowShare) : Infinity;
  let requests = 0;
  let total = 0;
  let firstAt = 0;
  let lastAt = 0;
  let mark: Buffer | undefined;
  let markAt = 0;
  let cpuBefore = process.cpuUsage();

  function onRequest(socket: Socket, bytes: Buffer): void {
    if (requests === 0) firstAt = performance.timeOrigin + performance.now();
    if (mark && markAt === 0 && bytes.includes(mark)) markAt = performance.timeOrigin + performance.now();
    requests += 1;
    total += 1;
    const waitMs = total % slowEvery === 0 ? slowMs : delayMs;
    if (waitMs === 0) answer(socket);
    else setTimeout(answer, waitMs, socket);
  }

  function answer(socket: Socket): void {
    lastAt = performance.timeOrigin + performance.now();
    if (!socket.destroyed) socket.write(RESPONSE);
  }

  const server = createServer({ noDelay: true }, (socket) => {
    let rest: Buffer | undefined;
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      let bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
      rest = undefined;
      for (let end = endOfRequest(bytes); bytes.length > 0; end = endOfRequest(bytes)) {
        if (end === undefined || end > bytes.length) {
          rest = bytes;
          return;
        }
        onRequest(socket, bytes.subarray(0, end));
        bytes = bytes.subarray(end);
      }
    });
  });
  server.listen(0, "127.0.0.1", 1024, () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on("message", (question: ServerQuestion) => {
    const { user, system } = process.cpuUsage(cpuBefore);
    const counts: ServerCounts = { requests, firstAt, lastAt, markAt, cpuMs: (user + system) / 1000 };
    if (question.ask === "reset") {
      requests = firstAt = lastAt = markAt = 0;
      mark = question.mark === undefined ? undefined : Buffer.from(question.mark);
      cpuBefore = process.cpuUsage();
    }
    process.send?.(counts);
  });
  process.on("disconnect", () => process.exit(0));
}

/** Where the first request ends; undefined while its head is not complete. */
function endOfRequest(bytes: Buffer): number | undefined {
  const head = bytes.indexOf(HEAD_END);
  if (head < 0) return undefined;
  const length = LENGTH.exec(bytes.toString("latin1", 0, head))?.[1];
  return head + HEAD_END.length + Number(length ?? 0);
}
