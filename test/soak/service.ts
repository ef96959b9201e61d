import { setTimeout as sleep } from "node:timers/promises";
import { API_KEY, payloadOf, share } from "../crash/ledger-server.ts";
import type { Ledger } from "../crash/oracle.ts";
import { answer, cutBody, inOrder, pause, reset, silence, startFaultServer } from "../support/fault-server.ts";
import type { FaultServer, Received, Reply } from "../support/fault-server.ts";

/** A service that fails now and then, is away now and then, and remembers what it carried out. */
export interface Service {
  readonly url: string;
  readonly ledger: Ledger;
  readonly requests: number;
  /** Refuses connections for so long; what is in flight is cut off. */
  goAway(durationMs: number): Promise<void>;
  close(): Promise<void>;
}

interface Fate {
  readonly executed: boolean;
  /** As the client can see it; null when no status line comes. */
  readonly status: number | null;
  readonly reply: Reply;
}

/** Shares of all rows, and what becomes of them. The rest is accepted. */
const FAULTS: readonly (readonly [share: number, Fate])[] = [
  [0.004, { executed: true, status: null, reply: reset() }],
  [0.004, { executed: false, status: null, reply: reset() }],
  [0.004, { executed: true, status: 504, reply: answer(504) }],
  [0.004, { executed: true, status: null, reply: silence() }],
  [0.01, { executed: true, status: 200, reply: cutBody(200) }],
  [0.01, { executed: true, status: 200, reply: inOrder(pause(400), answer(200)) }],
  [0.01, { executed: false, status: 422, reply: answer(422, { reason: "the account is closed" }) }],
];
const SLOW_DOWN_SHARE = 0.01;
const LATENCY_MAX_MS = 30;

export async function startService(seed: number): Promise<Service> {
  const told = new Map<string, { requests: number; executed: number; limited: number; statuses: (number | null)[] }>();
  let requests = 0;

  const script = ({ path, headers, body }: Received): Reply => {
    if (headers["x-api-key"] !== API_KEY) throw new Error("a request without our key");
    const marker = String(payloadOf(path, body)["narration"]);
    const one = told.get(marker) ?? { requests: 0, executed: 0, limited: 0, statuses: [] };
    const { executed, status, reply } = fateOf(seed, marker, one.requests + 1);
    requests += 1;
    one.requests += 1;
    one.executed += executed ? 1 : 0;
    one.limited += status === 429 ? 1 : 0;
    one.statuses.push(status);
    told.set(marker, one);
    return inOrder(pause(share(seed, `latency ${marker}`) * LATENCY_MAX_MS), unlessGone(reply));
  };

  let server: FaultServer = await startFaultServer(script);
  const { port, url } = server;
  return {
    url,
    ledger: told,
    get requests() {
      return requests;
    },
    async goAway(durationMs) {
      await server.close();
      await sleep(durationMs);
      server = await startFaultServer(script, { port });
    },
    close: () => server.close(),
  };
}

function fateOf(seed: number, marker: string, time: number): Fate {
  if (time === 1 && share(seed, `slow ${marker}`) < SLOW_DOWN_SHARE) {
    return { executed: false, status: 429, reply: answer(429, {}, { "retry-after": "0" }) };
  }
  let left = share(seed, marker);
  for (const [rate, fate] of FAULTS) if ((left -= rate) < 0) return fate;
  return { executed: true, status: 200, reply: answer(200) };
}

/** The watcher may have been killed meanwhile. */
function unlessGone(reply: Reply): Reply {
  return (socket) => (socket.destroyed ? undefined : reply(socket));
}
