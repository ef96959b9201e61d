import type { Stop } from "../events.ts";
import type { OperationName } from "../operations/operation.ts";
import { STOPS } from "../submission/stop-rules.ts";

/** What the service said to one batch, for those that send beside it or after it. */
export class SharedStops {
  #ofAll: Stop | undefined;
  readonly #ofOne = new Map<OperationName, Stop>();

  note(stop: Stop): void {
    // it is the same service for whoever sends beside; what a service says of one file is about that file
    if (stop.code === STOPS.same_refusal.code) return;
    if (stop.operation === undefined) this.#ofAll ??= stop;
    else if (!this.#ofOne.has(stop.operation)) this.#ofOne.set(stop.operation, stop);
  }

  /** Why rows of these operations do not go now; of a mixed file none goes where one cannot: it goes on in input order. */
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
