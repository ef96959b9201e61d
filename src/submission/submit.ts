import type { LimitFunction } from "p-limit";
import type { Answer } from "../client/answer.ts";
import type { Stop } from "../events.ts";
import { faultPoint } from "../fault-point.ts";
import type { AttemptEnd } from "../journal/row-record.ts";
import type { Begun } from "../journal/store.ts";
import type { Operation } from "../operations/operation.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { OwnLanes } from "./own-lanes.ts";
import { type Pace, TurnedAway } from "./pace.ts";
import { Retries, type RetryLimits } from "./retry.ts";
import { stopOfEndpoint, stopOfSignal, StopRules, type UnknownsInARow } from "./stop-rules.ts";

/** What submission needs from the other stages. */
interface SubmitParts<Row> {
  /** Rows that are ready, in input order. Read only as fast as they are sent. */
  readonly rows: AsyncIterable<readonly Row[]>;
  /** I2: resolves when the attempt is on stable storage, or says that the row may not go. */
  readonly begin: (row: Row) => Promise<Begun>;
  /** Resolves when the outcome is on stable storage. */
  readonly end: (attempt: number, end: AttemptEnd) => Promise<void>;
  /** Makes a row that was not sent ready again. */
  readonly again: (row: Row) => Promise<void>;
  /** Never rejects. Aborting `signal` gives up on the answer. */
  readonly send: (row: Row, signal: AbortSignal) => Promise<Answer>;
  readonly operationOf: (row: Row) => Operation;
  /** A cleaned excerpt of a body. */
  readonly excerpt: (row: Row, body: string) => string | undefined;
  readonly onOutcome: (row: Row, sent: Sent) => void;
  readonly onWait: (reason: string, waitMs: number) => void;
  /** The reason to stop that comes from outside, if there is one: the batch was paused or cancelled. */
  readonly stopAsked: () => Stop | undefined;
  /** Called when an answer stops this run: at once, before the next row of any batch can go alone. */
  readonly onStop: (stop: Stop) => void;
}

/** One row's last attempt of this run. */
export interface Sent extends AttemptEnd {
  readonly ordinal: number;
  readonly sentAt: number;
  readonly alone: boolean;
}

export interface SubmitOptions {
  /** The lanes that all batches of a process share: who asks first goes first, one row in each (I8). */
  readonly lanes: LimitFunction;
  /** Shared by all batches: when the service asks for time, no batch sends. */
  readonly pace: Pace;
  /** Shared by all batches: rows without a clear answer count together, whichever file they are from. */
  readonly unknowns: UnknownsInARow;
  /** Shared by all batches: at most one of them sends a row alone at a time. */
  readonly alone: LimitFunction;
  readonly retry429: boolean;
  readonly limits: RetryLimits;
  /** First signal: no new attempt. Second: what is in flight becomes unknown. */
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  readonly random: () => number;
}

export interface Submitted {
  readonly requests: number;
  readonly stop?: Stop;
}

/**
 * Sends rows, at most `concurrency` in flight. The first row goes alone; the others follow when it was accepted or
 * refused for its own sake (DESIGN §8). Rejects only when the journal fails: then nothing more is sent.
 */
export async function submit<Row>(parts: SubmitParts<Row>, options: SubmitOptions): Promise<Submitted> {
  const run = new Run(parts, options);
  await run.sendAll();
  return run.stop === undefined ? { requests: run.requests } : { requests: run.requests, stop: run.stop };
}

class Run<Row> {
  requests = 0;
  stop: Stop | undefined;
  readonly #parts: SubmitParts<Row>;
  readonly #options: SubmitOptions;
  readonly #lanes: OwnLanes;
  readonly #pace: Pace;
  readonly #retries: Retries;
  readonly #rules: StopRules;
  readonly #stopping = new AbortController();
  /** Until one is accepted or refused for its own sake, each row goes alone: a wrong key costs one row, not a file. */
  #alone = true;
  /** The commit of the last outcome. Outcomes commit in the order they come in: when the last is durable, all are. */
  #lastEnded: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(parts: SubmitParts<Row>, options: SubmitOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#lanes = new OwnLanes(options.lanes);
    this.#pace = options.pace;
    this.#rules = new StopRules(options.unknowns);
    this.#retries = new Retries(options.limits, () => performance.now(), options.random);
  }

  async sendAll(): Promise<void> {
    const onSoft = (): void => this.#stopFor(stopOfSignal(this.#options.soft));
    if (this.#options.soft.aborted) onSoft();
    this.#options.soft.addEventListener("abort", onSoft);
    try {
      await this.#feed();
    } catch (error) {
      this.#fail(error);
    } finally {
      await this.#lanes.ended();
      await this.#lastEnded.catch((error: unknown) => this.#fail(error));
      this.#options.soft.removeEventListener("abort", onSoft);
      this.stop ??= this.#rules.atEnd();
    }
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  /** Hands rows to free lanes, one at a time: a queue of closures would hold the whole file in memory. */
  async #feed(): Promise<void> {
    for await (const rows of this.#parts.rows) {
      for (const row of rows) {
        if (this.#alone) await this.#options.alone(() => this.#startAlone(row));
        else if (!this.#isStopping()) await this.#start(row, false);
        if (this.#isStopping()) return;
      }
    }
  }

  async #startAlone(row: Row): Promise<void> {
    if (this.#isStopping()) return;
    await this.#start(row, true);
    await this.#lanes.ended();
  }

  /** Resolves when the row has got a free lane. */
  #start(row: Row, alone: boolean): Promise<void> {
    return this.#lanes.start(() => this.#sendRow(row, alone).catch((error: unknown) => this.#fail(error)));
  }

  /** Sends one row, again where it may go again, until it has an end or the run stops. */
  async #sendRow(row: Row, alone: boolean): Promise<void> {
    const turnedAway = new TurnedAway(this.#pace);
    for (;;) {
      await this.#pace.turn(this.#stopping.signal);
      if (this.#isStopping()) return;
      const begun = await this.#parts.begin(row);
      if (begun.attempt === undefined) return;

      const sentAt = Date.now();
      this.requests += 1;
      faultPoint("send.before");
      const sending = this.#parts.send(row, this.#options.hard);
      faultPoint("send.after");
      const answer = await sending;
      faultPoint("answer.read");
      const outcome = outcomeOf(answer, this.#options);
      if (answer.kind === "unsent") this.requests -= 1;
      else this.#retries.reached();

      const body = answer.kind === "answered" ? answer.body : "";
      const end = attemptEnd(outcome, answer, body === "" ? undefined : this.#parts.excerpt(row, body));
      const waitMs = this.#isStopping() ? undefined : this.#waitBeforeNext(outcome, answer, turnedAway);
      // What stops the run must be known before any lane asks for its next row.
      if (waitMs === undefined) this.#observe(row, outcome, body);
      const ended = this.#parts.end(begun.attempt, end);
      if (waitMs === undefined) {
        // not awaited: the next attempts share this commit (I8)
        this.#lastEnded = ended.then(
          () => this.#parts.onOutcome(row, { ...end, ordinal: begun.ordinal, sentAt, alone }),
          (error: unknown) => this.#fail(error),
        );
        // while rows go one by one, whether the next one goes may depend on this outcome
        if (this.#alone || this.#isStopping()) await ended;
        return;
      }
      // before the commit: no other lane may start a request meanwhile
      this.#pace.waitMs(waitMs);
      await ended;
      this.#parts.onWait(outcome.reason, waitMs);
      await this.#parts.again(row);
    }
  }

  /** Milliseconds until this row goes again, or undefined when this attempt was its last. */
  #waitBeforeNext(outcome: Outcome, answer: Answer, turnedAway: TurnedAway): number | undefined {
    if (outcome.again === "backoff") return this.#retries.unreachable();
    if (outcome.again !== "as_told") return undefined;
    return this.#retries.rateLimited(turnedAway.onceMore(), answer.kind === "answered" ? answer.retryAfter : undefined);
  }

  #observe(row: Row, outcome: Outcome, body: string): void {
    if (outcome.state === "accepted" || outcome.reason === "refused") {
      this.#alone = false;
      this.#pace.took();
    }
    const found = this.#rules.observe(outcome, body);
    if (!found) return;
    const stop = stopOfEndpoint(found, outcome, this.#parts.operationOf(row));
    this.#parts.onStop(stop);
    this.#stopFor(stop);
  }

  #isStopping(): boolean {
    if (this.#stopping.signal.aborted) return true;
    const asked = this.#parts.stopAsked();
    if (asked) this.#stopFor(asked);
    return asked !== undefined;
  }

  #stopFor(stop: Stop): void {
    this.stop ??= stop;
    this.#stopping.abort();
  }

  /** The journal failed: no further send, whatever else happens. */
  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#stopping.abort();
  }
}

function attemptEnd(outcome: Outcome, answer: Answer, response: string | undefined): AttemptEnd {
  return {
    state: outcome.state,
    reason: outcome.reason,
    durationMs: answer.durationMs,
    ...(outcome.httpStatus === undefined ? {} : { httpStatus: outcome.httpStatus }),
    ...(response === undefined ? {} : { response }),
  };
}
