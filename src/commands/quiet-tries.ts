import type { RunEvent } from "../events.ts";
import { RESUMABLE_REFUSALS } from "../submission/reason.ts";

/**
 * A service that is away is told once. Every further try would tell the same: it is kept back until something else
 * comes of it, and then told from its beginning.
 */
export class QuietTries {
  readonly #tell: (event: RunEvent) => void;
  readonly #isTrying: () => boolean;
  #kept: RunEvent[] | undefined;

  constructor(tell: (event: RunEvent) => void, isTrying: () => boolean) {
    this.#tell = tell;
    this.#isTrying = isTrying;
  }

  readonly onEvent = (event: RunEvent): void => {
    if (event.type === "start") this.#kept = this.#isTrying() ? [] : undefined;
    if (this.#kept && !isNews(event)) {
      this.#kept.push(event);
      return;
    }
    for (const one of this.#kept ?? []) this.#tell(one);
    this.#kept = undefined;
    this.#tell(event);
  };
}

/** The service has answered to a row, and not that it does not know us. */
function isNews(event: RunEvent): boolean {
  return event.type === "row" && event.status !== "not_sent" && !RESUMABLE_REFUSALS.includes(event.reason);
}
