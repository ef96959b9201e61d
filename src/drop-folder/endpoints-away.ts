import type { Stop, StopCode } from "../events.ts";
import { operationNamed } from "../operations/catalogue.ts";
import type { OperationName } from "../operations/operation.ts";
import { Away } from "./service-away.ts";

interface WaitingOnes {
  readonly away: Away;
  /** The first one is what it is tried with. */
  batches: readonly string[];
}

/** A batch with which it is tried whether an endpoint takes rows by now. */
export interface Trial {
  readonly batch: string;
  readonly tries: OperationName;
}

/** Endpoints that refuse what goes there while others take theirs: which batches wait for each, and when it is tried. */
export class EndpointsAway {
  readonly #firstMs: number;
  readonly #waiting = new Map<OperationName, WaitingOnes>();
  #freed: readonly string[] = [];

  /** `firstMs`: after so long it is tried again, then less often. */
  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  /** A batch that is tried now, of an endpoint whose time has come. */
  next(): Trial | undefined {
    for (const [operation, ones] of this.#waiting) {
      const [batch, ...others] = ones.batches;
      if (batch === undefined || ones.away.retryInMs !== 0) continue;
      // whatever becomes of it: one that cannot be tried is not tried for ever
      ones.batches = others;
      return { batch, tries: operation };
    }
    return undefined;
  }

  /** How long until the next time has come. What has come is taken by whoever looks next, and rings nobody. */
  get retryInMs(): number | undefined {
    const times = [...this.#waiting.values()]
      .filter(({ batches }) => batches.length > 0)
      .map(({ away }) => away.retryInMs);
    const coming = times.filter((ms) => ms !== undefined && ms > 0) as number[];
    return coming.length === 0 ? undefined : Math.min(...coming);
  }

  /** Whether that it does not take rows is known, for this reason. */
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

  /** What waited for it goes. */
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
