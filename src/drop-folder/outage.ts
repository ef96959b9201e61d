import type { BatchReport, Stop } from "../events.ts";
import type { OperationName } from "../operations/operation.ts";
import { troubleAnswer, type Answer } from "../results/answers/answers.ts";
import { EndpointsAway, manyOf, type Trial } from "./endpoints-away.ts";
import type { FolderListener } from "./folder-listener.ts";
import { Away, kindOfStop, mendingOf } from "./service-away.ts";

interface OutageParts {
  readonly listener: Pick<FolderListener, "say">;
  /** Goes on for ever: what waits is tried again by itself, and that is told. */
  readonly isWatching: boolean;
  /** After so long what is away is tried again, then less often. */
  readonly watchRetryMs: number;
}

/** What the run of a batch was to find out. */
export interface Tried {
  /** The service was away when it began. */
  readonly isTry: boolean;
  /** The endpoint that was tried. */
  readonly tries?: OperationName;
}

/**
 * What the ends of batches show: the service, or one of its endpoints, takes no rows for now; what waits, and how long.
 */
export class Outage {
  readonly #parts: OutageParts;
  /** The whole service. */
  readonly #away: Away;
  /** Endpoints that alone refuse. */
  readonly #endpoints: EndpointsAway;

  constructor(parts: OutageParts) {
    this.#parts = parts;
    this.#away = new Away(parts.watchRetryMs);
    this.#endpoints = new EndpointsAway(parts.watchRetryMs);
  }

  /** The whole service: nothing goes but what tries it. */
  get isAway(): boolean {
    return this.#away.isAway;
  }

  /** How long until the service, or else one of its endpoints, is tried again. */
  get retryInMs(): number | undefined {
    return this.#away.retryInMs ?? this.#endpoints.retryInMs;
  }

  /** A batch that finds out now whether an endpoint takes rows again. */
  nextTrial(): Trial | undefined {
    return this.#endpoints.next();
  }

  /** Batches that waited for an endpoint which takes rows again. Gives each once. */
  takeFreed(): readonly string[] {
    return this.#endpoints.takeFreed();
  }

  /** The answer to a file that waits for the service; undefined: the service is not away. */
  answer(path: string): Answer | undefined {
    if (!this.isAway) return undefined;
    return troubleAnswer(path, this.#away.code, "the service does not take rows for now", "Ask IT");
  }

  /** Whether a try found nothing new. `trouble`: why rows of the batch did not go. */
  isKnown(trouble: Stop | undefined, { isTry, tries }: Tried): boolean {
    if (trouble?.operation !== undefined) return tries === trouble.operation && this.#endpoints.isKnown(trouble);
    return isTry && this.isAway && this.#away.code === trouble?.code;
  }

  /** Notes what the end of a batch shows, and tells what is news of it. `trouble`: why rows of the batch did not go. */
  ended(report: BatchReport, trouble: Stop | undefined, { isTry, tries }: Tried): void {
    const kind = trouble && kindOfStop(trouble);
    const isAnswered = report.requests > 0 && (kind === undefined || kind === "endpoint");
    if (isAnswered && isTry && this.isAway) {
      this.#parts.listener.say(kind === undefined ? "the service takes rows again" : "the service answers again");
      this.#away.isBack();
    }
    if (tries !== undefined && (kind === undefined || kind === "batch")) this.#endpointTakes(tries, report);
    if (trouble?.operation !== undefined) this.#endpointFailed(trouble, trouble.operation, report.batch, tries);
    if (trouble && kind === "service") this.#serviceFailed(trouble, isTry);
  }

  /** Something unclear answers: a run that ends by itself sends nothing more there, as if the service were away. */
  notUnderstood({ code }: Stop, { isTry }: Tried): void {
    this.#away.failed(code, isTry);
  }

  /** The endpoint takes rows again, or the batch had none left to find that out with: then the next one does. */
  #endpointTakes(operation: OperationName, { requests, stop }: BatchReport): void {
    if (requests > 0 && stop === undefined) this.#parts.listener.say(`the service takes ${manyOf(operation)} again`);
    this.#endpoints.isBack(operation);
  }

  #endpointFailed(trouble: Stop, operation: OperationName, batch: string, tries: OperationName | undefined): void {
    const isNews = !this.#endpoints.isKnown(trouble);
    this.#endpoints.failed(operation, trouble.code, batch, tries === operation);
    if (this.#parts.isWatching && isNews) this.#sayWaits(manyOf(operation), trouble);
  }

  #serviceFailed(trouble: Stop, isTry: boolean): void {
    const isNews = this.#away.failed(trouble.code, isTry);
    if (this.#parts.isWatching && isNews) this.#sayWaits("everything", trouble);
  }

  #sayWaits(what: string, { code, message }: Stop): void {
    const mending = mendingOf(code);
    const hint = mending === undefined ? "" : `\n  → ${mending}`;
    const waits = what === "everything" ? "waits" : "wait";
    this.#parts.listener.say(`${what} ${waits}: ${message}; it is tried again by itself${hint}`);
  }
}
