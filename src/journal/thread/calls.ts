import type { Worker } from "node:worker_threads";
import type { JudgeRules } from "../../checks/duplicates/duplicates.ts";
import { messageOf, PaydropError } from "../../errors.ts";
import { Places } from "../../places.ts";
import type { AttemptEnd } from "../row-record.ts";
import type { Begun, JournalStore } from "../store.ts";
import { errorOf, ROW_BEGINS, ROW_ENDS, type Answers, type Calls } from "./messages.ts";

type OfRow = typeof ROW_BEGINS | typeof ROW_ENDS;

/**
 * While so few calls wait for an answer, the service is the limit, and each row goes to the disk as soon as it comes.
 * When more wait, the calls that come while one group commits make the next group: fewer messages, larger groups.
 */
const FEW_CALLS = 12;

interface Waiting {
  readonly method: keyof JournalStore | OfRow;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls of a journal in a thread of its own, gathered to few messages, and their answers. */
export class ThreadCalls {
  readonly #worker: Worker;
  /**
   * So many calls make a group. It is as many as there are lanes, of which each ends one row and begins another: while
   * half of the lanes wait for a commit, the other half is sent and answered. Larger groups make thread, service and
   * requests wait for each other in turn, smaller ones cost a tenth of all time in more commits than are needed.
   */
  readonly #many: number;
  readonly #waiting = new Places<Waiting>();
  #calls: unknown[] = [];
  #isPosting = false;
  /** How many calls of `begin` and `end` wait to be posted; `#committing`: how many are on their way to a commit. */
  #gathered = 0;
  #committing = 0;
  #failure: Error | undefined;
  #rules: JudgeRules | undefined;
  #areRulesNew = false;

  /** `lanes`: how many rows are sent at one time. */
  constructor(worker: Worker, lanes: number) {
    this.#worker = worker;
    this.#many = lanes;
    worker.on("message", (answers: Answers) => this.#settle(answers));
    worker.on("error", (error) => this.#fail(messageOf(error)));
    worker.on("exit", () => this.#fail("its thread has ended"));
  }

  call<T>(method: keyof JournalStore, args: readonly unknown[]): Promise<T> {
    this.#postSoon();
    return this.#add(method, args.length, ...args);
  }

  begin(batchId: string, row: number, rules: JudgeRules): Promise<Begun> {
    // the rules in a message hold for every call in it: calls under other rules go before
    if (this.#rules !== rules && this.#calls.length > 0) this.#post();
    this.#areRulesNew ||= this.#rules !== rules;
    this.#rules = rules;
    return this.#addOfRow(ROW_BEGINS, batchId, row);
  }

  end(attempt: number, { state, reason, durationMs, httpStatus, response }: AttemptEnd): Promise<void> {
    return this.#addOfRow(ROW_ENDS, attempt, state, reason, durationMs, httpStatus, response);
  }

  #addOfRow<T>(method: OfRow, ...said: readonly unknown[]): Promise<T> {
    this.#gathered += 1;
    const answered = this.#add<T>(method, ...said);
    if (this.#gathered >= this.#many) this.#post();
    else if (this.#waiting.size <= FEW_CALLS) this.#postSoon((post) => process.nextTick(post));
    else if (this.#committing === 0) this.#postSoon();
    return answered;
  }

  #add<T>(method: keyof JournalStore | OfRow, ...said: readonly unknown[]): Promise<T> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise<T>((resolve, reject) => {
      const id = this.#waiting.put({ method, resolve: resolve as (value: unknown) => void, reject });
      this.#calls.push(id, method, ...said);
    });
  }

  /** Closes the journal, after what was called before. */
  async close(): Promise<void> {
    if (this.#failure) return;
    const ended = new Promise((resolve) => this.#worker.once("exit", resolve));
    await this.call("close", []);
    await ended;
  }

  #postSoon(soon: (post: () => void) => unknown = setImmediate): void {
    if (this.#isPosting) return;
    this.#isPosting = true;
    soon(() => {
      this.#isPosting = false;
      this.#post();
    });
  }

  #post(): void {
    if (this.#calls.length === 0) return;
    const calls = this.#calls;
    this.#calls = [];
    this.#committing += this.#gathered;
    this.#gathered = 0;
    const rules = this.#areRulesNew ? this.#rules : undefined;
    this.#areRulesNew = false;
    this.#worker.postMessage((rules ? { rules, calls } : { calls }) satisfies Calls);
  }

  #settle({ done, failed }: Answers): void {
    for (let at = 0; at < done.length; at += 2) {
      const waiting = this.#take(done[at] as number);
      waiting?.resolve(waiting.method === ROW_BEGINS ? begunOf(done[at + 1]) : done[at + 1]);
    }
    for (const [id, error] of failed) this.#take(id)?.reject(errorOf(error));
    if (this.#gathered >= this.#many) this.#post();
    // not at once: rows that were settled here are sent first, and what is answered meanwhile goes along
    else setImmediate(() => this.#postIfNoneCommits());
  }

  #postIfNoneCommits(): void {
    if (this.#committing === 0) this.#post();
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.take(id);
    if (waiting && isOfRow(waiting.method)) this.#committing -= 1;
    return waiting;
  }

  #fail(why: string): void {
    this.#failure ??= new PaydropError(
      "journal",
      `the journal failed: ${why}`,
      "sending has stopped; run again: what was in flight is shown as unknown",
    );
    for (const { reject } of this.#waiting) reject(this.#failure);
  }
}

function isOfRow(method: keyof JournalStore | OfRow): method is OfRow {
  return method === ROW_BEGINS || method === ROW_ENDS;
}

function begunOf(told: unknown): Begun {
  return typeof told === "number" ? { attempt: told, ordinal: 1 } : (told as Begun);
}
