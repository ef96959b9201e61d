import type { Stop } from "../events.ts";
import type { OperationName } from "../operations/operation.ts";
import { STOPS } from "../submission/stop-rules.ts";

/** What the service said to one batch, for those that send beside it or after it. */
export class SharedStops {
  #ofAll: Stop | undefined;
  readonly #ofOne = new Map<OperationName, Stop>();

  note(stop: Stop): void {
    // the others send to the same service; but refusals that are all the same are about the one file
    if (stop.code === STOPS.same_refusal.code) return;
    if (stop.operation === undefined) this.#ofAll ??= stop;
    else if (!this.#ofOne.has(stop.operation)) this.#ofOne.set(stop.operation, stop);
  }

  /** Why rows of these operations do not go now; a mixed file stops as a whole, since it goes on in input order. */
  of(operations: readonly OperationName[]): Stop | undefined {
    return this.#ofAll ?? operations.map((operation) => this.#ofOne.get(operation)).find(Boolean);
  }

  /** Nothing is worked on any more: what comes next asks anew. What one endpoint said holds until that one is tried again. */
  workEnded(): void {
    this.#ofAll = undefined;
  }

  tryAgain(operation: OperationName): void {
    this.#ofOne.delete(operation);
  }
}
