import { join } from "node:path";
import type { LedgerLine, Rates } from "./ledger-server.ts";
import { startService } from "./lives.ts";
import type { Service } from "./lives.ts";
import { toldOf } from "./oracle.ts";
import type { Ledger } from "./oracle.ts";

export type Environment = "test" | "live";

/** One request, as its service has it: a payment is a marker in an environment. */
export interface Request extends LedgerLine {
  readonly environment: Environment;
  readonly payment: string;
  /** Days after the first act. */
  readonly day: number;
}

/** A service for tests and the one that moves money, each with a ledger of its own. */
export class TwoServices {
  readonly #services: Readonly<Record<Environment, Service>>;
  /** When a day began: what was in the ledgers. */
  readonly #days: { readonly day: number; readonly lines: Readonly<Record<Environment, number>> }[] = [];

  constructor(services: Readonly<Record<Environment, Service>>) {
    this.#services = services;
    this.beginDay(0);
  }

  url(environment: Environment): string {
    return this.#services[environment].url;
  }

  beginDay(day: number): void {
    const { test, live } = this.#services;
    this.#days.push({ day, lines: { test: test.lines().length, live: live.lines().length } });
  }

  get requests(): readonly Request[] {
    return ENVIRONMENTS.flatMap((environment) =>
      this.#services[environment].lines().map((line, index) => {
        const day = this.#days.findLast(({ lines }) => lines[environment] <= index)?.day ?? 0;
        return { ...line, environment, payment: paymentOf(environment, line.marker), day };
      }),
    );
  }

  /** By payment. */
  get ledger(): Ledger {
    return toldOf(this.requests.map((request) => ({ ...request, marker: request.payment })));
  }

  /** Resolves at the next request that arrives there. */
  nextRequest(environment: Environment): Promise<void> {
    return this.#services[environment].nextRequest();
  }

  async close(): Promise<void> {
    await Promise.all(ENVIRONMENTS.map((environment) => this.#services[environment].close()));
  }
}

export async function startServices(folder: string, seed: number, rates: Rates): Promise<TwoServices> {
  const start = (environment: Environment): Promise<Service> =>
    startService({ ledger: join(folder, `${environment}.jsonl`), seed, rates, latencyMs: 4 });
  const [test, live] = await Promise.all([start("test"), start("live")]);
  return new TwoServices({ test, live });
}

export function paymentOf(environment: Environment, marker: string): string {
  return environment === "live" ? `live ${marker}` : marker;
}

const ENVIRONMENTS: readonly Environment[] = ["test", "live"];
