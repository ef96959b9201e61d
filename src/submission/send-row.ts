import type { Answer } from "../client/answer.ts";
import type { Sender } from "../client/sender.ts";
import type { Config } from "../config/schema.ts";
import { faultPoint } from "../fault-point.ts";
import type { Leaving, Outcome, Share } from "../journal/store.ts";
import type { Ended } from "./commits.ts";
import { excerptOf } from "./excerpt.ts";
import { outcomeOf, type Choices, type RowOutcome, type SendingEvent } from "./outcome.ts";
import { Retries } from "./pace.ts";
import { StopRules, type Halt, type Shared } from "./shared.ts";

export interface Submission {
  readonly share: Share;
  readonly sender: Pick<Sender, "send">;
  readonly shared: Shared;
  readonly config: Choices & Partial<Pick<Config, "answers">>;
  /**
   * `soft`: nothing new goes; its reason may be the code of a stop (`work_failed`), else a person asked. `hard`: what is
   * on its way becomes unknown.
   */
  readonly signals: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  /** By the journal's clock. */
  readonly now: () => number;
  readonly tell: (event: SendingEvent) => void;
}

/** So long a row may wait on its lane, marked as on its way; for longer it gets a new turn first. */
const ON_LANE_MS = 1_000;

/** Sends the rows of one share, as many at a time as its lanes ask for. */
export class RowSender {
  /** Those that may have left the machine. */
  requests = 0;
  /** Until one was accepted each row goes alone: a wrong key costs one row, not a file. */
  isAlone: boolean;
  readonly rules: StopRules;
  readonly #parts: Submission;
  readonly #halt: Halt;
  readonly #retries: Retries;

  constructor(parts: Submission, halt: Halt) {
    this.isAlone = !parts.share.isProven;
    this.#parts = parts;
    this.#halt = halt;
    this.#retries = new Retries(parts.shared.pace);
    this.rules = new StopRules(parts.shared);
  }

  /**
   * Sends a row, once more where it was proven unsent or turned away, until its outcome is known; or it gets a new turn.
   * Rejects where nobody knows what became of it.
   */
  async send(row: Leaving, alone: boolean): Promise<Ended> {
    const { sender, signals, config, shared } = this.#parts;
    const payload = this.#payloadOf(row);
    let tries = 0;
    while (payload !== undefined && !this.#halt.isStopping(row.operation)) {
      // the first try was counted before its commit
      const delayMs = shared.pace.delayMs(tries === 0);
      if (delayMs > ON_LANE_MS) break;
      if (delayMs > 0) {
        await this.#halt.wait(delayMs);
        continue;
      }
      if (tries > 0) shared.pace.start();
      const sentAt = this.#parts.now();
      this.requests += 1;
      shared.onTheWire += 1;
      const sending = sender.send(row.operation, payload, signals.hard, row.mayLeave).finally(() => {
        shared.onTheWire -= 1;
      });
      faultPoint("send.after");
      const answer = await sending;
      faultPoint("answer.read");
      tries += 1;
      if (answer.kind === "unsent") this.requests -= 1;
      else this.#retries.reached();
      if (answer.kind === "unsent" && answer.cause === "too_late") break;
      const found = outcomeOf(answer, config, config.answers?.[row.operation]);
      if (found.again !== undefined && this.#goesAgain(row, found, answer)) continue;
      const body = answer.kind === "answered" ? answer.body : "";
      const stop = this.#observe(row, found, body);
      const { state, code, httpStatus } = found;
      const response = excerptOf(body, row.operation, payload);
      const { durationMs } = answer;
      const answered = { httpStatus, sentAt, durationMs, response };
      return { row, outcome: { row: row.row, state, code, tries, ...answered, stop }, alone };
    }
    return { row, outcome: { row: row.row, state: "again", code: "not_left", tries }, alone };
  }

  #payloadOf(row: Leaving): string | undefined {
    try {
      const payload = this.#parts.share.spool.read(row);
      faultPoint("send.before");
      return payload;
    } catch (error) {
      this.#halt.fail(error);
      return undefined;
    }
  }

  /** false: this try was the row's last one. */
  #goesAgain({ row }: Leaving, { again = "backoff", code }: RowOutcome, answer: Answer): boolean {
    const waitMs = this.#retries.waitMs(row, again, answer.kind === "answered" ? answer.retryAfter : undefined);
    if (waitMs === undefined) return this.#halt.isStopping();
    // at once: no other lane may start a request meanwhile
    this.#parts.shared.pace.wait(waitMs);
    this.tell({ type: "waiting", batch: this.#parts.share.batch, reason: code, waitMs });
    return true;
  }

  /** What stops the run must be known before any lane gets its next row. */
  #observe({ row, operation }: Leaving, outcome: RowOutcome, body: string): Outcome["stop"] {
    const { shared } = this.#parts;
    this.#retries.ended(row);
    if (outcome.state === "accepted") this.isAlone = false;
    if (outcome.state === "accepted" || outcome.code === "refused") shared.pace.took();
    const stop = this.rules.observe(outcome, operation, body);
    if (!stop) return undefined;
    this.#halt.stopFor(stop);
    return { ...stop, all: shared.stopped(stop) };
  }

  /** Of an outcome that is durable. */
  tellRow({ row, outcome, alone }: Ended): void {
    const { state: status, code: reason, tries, httpStatus, sentAt, durationMs } = outcome;
    if (status === "again") return;
    const batch = this.#parts.share.batch;
    const attempts = row.attempts + tries;
    const told = { type: "row", batch, row: row.row, status, reason, amount: row.amount, attempts, alone } as const;
    this.tell({ ...told, httpStatus, sentAt, durationMs });
  }

  tell(event: SendingEvent): void {
    try {
      this.#parts.tell(event);
    } catch (error) {
      this.#halt.fail(error);
    }
  }
}
