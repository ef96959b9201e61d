import type { Stop, StopCode } from "../events.ts";
import { operationNamed } from "../operations/catalogue.ts";
import type { OperationName } from "../operations/operation.ts";
import { Away } from "./service-away.ts";

interface WaitingOnes {
  readonly away: Away;
  /** The endpoint is tried with the first of them. */
  batches: readonly string[];
}

/** A batch that finds out whether an endpoint takes rows again. */
export interface Trial {
  readonly batch: string;
  readonly tries: OperationName;
}

/** Endpoints that refuse what goes there while others take theirs: which batches wait for each, and when it is tried. */
export class EndpointsAway {
  readonly #firstMs: number;
  readonly #waiting = new Map<OperationName, WaitingOnes>();
  #freed: readonly string[] = [];

  /** `firstMs`: after so long an endpoint is tried again, then less often. */
  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  /** A batch to try now, for an endpoint whose time has come. */
  next(): Trial | undefined {
    for (const [operation, ones] of this.#waiting) {
      const [batch, ...others] = ones.batches;
      if (batch === undefined || ones.away.retryInMs !== 0) continue;
      // taken out whatever becomes of it: one that cannot be tried is not tried for ever
      ones.batches = others;
      return { batch, tries: operation };
    }
    return undefined;
  }

  /** How long until the next endpoint is to be tried; not one whose time has come: whoever looks next takes it. */
  get retryInMs(): number | undefined {
    const times = [...this.#waiting.values()]
      .filter(({ batches }) => batches.length > 0)
      .map(({ away }) => away.retryInMs);
    const coming = times.filter((ms) => ms !== undefined && ms > 0) as number[];
    return coming.length === 0 ? undefined : Math.min(...coming);
  }

  /** Whether it is known that the endpoint takes no rows, for this reason. */
  isKnown({ operation, code }: Stop): boolean {
    return operation !== undefined && this.#waiting.get(operation)?.away.code === code;
  }

  /** The batch waits until the endpoint takes rows; one that was tried comes first again. */
  failed(operation: OperationName, code: StopCode, batch: string, isTry: boolean): void {
    const ones = this.#waiting.get(operation) ?? { away: new Away(this.#firstMs), batches: [] };
    this.#waiting.set(operation, ones);
    ones.away.failed(code, isTry);
    const others = ones.batches.filter((one) => one !== batch);
    ones.batches = isTry ? [batch, ...others] : [...others, batch];
  }

  /** The endpoint takes rows again: what waited for it goes. */
  isBack(operation: OperationName): void {
    this.#freed = [...this.#freed, ...(this.#waiting.get(operation)?.batches ?? [])];
    this.#waiting.delete(operation);
  }

  takeFreed(): readonly string[] {
    const freed = this.#freed;
    this.#freed = [];
    return freed;
  }
}

/** `loans` */
export function manyOf(operation: OperationName): string {
  return operationNamed(operation).folder;
}
