import pLimit, { type LimitFunction } from "p-limit";
import type { Sender } from "../client/sender.ts";
import { conceal } from "../config/conceal.ts";
import type { AccountTotals, CorrectionsSaid, Stop } from "../events.ts";
import { assertRoomForRows } from "../journal/sqlite/database/room.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { Begun } from "../journal/store.ts";
import { labelOf, operationNamed } from "../operations/catalogue.ts";
import type { OperationName } from "../operations/operation.ts";
import { markedFirst, type SendMark } from "../results/marks/mark-keeper.ts";
import { modeOf } from "../results/disk/mode-of.ts";
import { excerptOf } from "../submission/excerpt.ts";
import { Pace } from "../submission/pace.ts";
import { RETRY_LIMITS } from "../submission/retry.ts";
import { sendableRows, type Sendable } from "../submission/sendable-rows.ts";
import { STOPS, UnknownsInARow } from "../submission/stop-rules.ts";
import { submit, type Sent, type SubmitOptions, type Submitted } from "../submission/submit.ts";
import { mappingSaid, readingOf, type OpenedSnapshot } from "../reading.ts";
import { keepAddress } from "./address.ts";
import type { Ground } from "./ground.ts";
import { SharedSender } from "./shared-sender.ts";
import { SharedStops } from "./shared-stops.ts";
import { byProxy, hadGone, noteStop, readsOtherwise, stopOfPhase, watchPhase } from "./stopping.ts";
import { compareToday } from "./today.ts";

/** What is told of a file when it is taken in, and not again. */
export interface Told {
  readonly accounts: readonly AccountTotals[];
  readonly corrections?: CorrectionsSaid;
}

export const NOTHING_TOLD: Told = { accounts: [] };

/** A batch whose ready rows go. */
interface Going {
  readonly batch: BatchRecord;
  /** It was known before this run. */
  readonly resumed: boolean;
  readonly told: Told;
  /** Path of the file that the mark and the results lie beside. */
  readonly file: string;
}

interface OpenedBatch extends Pick<Going, "batch" | "file"> {
  readonly opened: OpenedSnapshot;
  readonly sender: Sender;
  readonly operations: readonly OperationName[];
}

/** Sends what is ready of batches; those that go at the same time share the lanes, the pace and what stops them. */
export class BatchSending {
  readonly #ground: Ground;
  readonly #lanes: LimitFunction;
  readonly #pace: Pace;
  readonly #alone: LimitFunction = pLimit(1);
  readonly #unknowns = new UnknownsInARow();
  /** Batches that send, or are about to: what is ready in them goes today. */
  readonly #going = new Set<string>();
  #working = 0;
  readonly #stops = new SharedStops();
  readonly #sender: SharedSender;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#sender = new SharedSender(ground.config);
    this.#lanes = pLimit({ concurrency: ground.config.concurrency, rejectOnClear: true });
    this.#pace = new Pace(ground.config.rate);
  }

  /** What the service said to one batch stops those beside it, until no work is left. */
  async together<T>(work: () => Promise<T>): Promise<T> {
    this.#working += 1;
    this.#sender.keep();
    try {
      return await work();
    } finally {
      this.#working -= 1;
      if (this.#working === 0) {
        this.#stops.workEnded();
        this.#sender.closeSoon();
      }
    }
  }

  /** Forgets what the endpoint of an operation answered: it is asked anew. */
  tryAgain(operation: OperationName): void {
    this.#stops.tryAgain(operation);
  }

  close(): Promise<void> {
    return this.#sender.close();
  }

  /** Rows that people let go meanwhile go in the same run: every pass takes all ready rows to another state, or stops. */
  async send(going: Going): Promise<Submitted> {
    const { batch, file } = going;
    let sent = await this.#sendReady(going);
    while (!sent.stop && (await this.#hasReady(batch.id))) {
      const again = await this.#ground.known(batch.id);
      const more = await this.#sendReady({ batch: again, resumed: true, told: NOTHING_TOLD, file });
      sent = { ...more, requests: sent.requests + more.requests };
    }
    return sent;
  }

  async #hasReady(batchId: string): Promise<boolean> {
    for await (const page of this.#ground.journal.readyRows(batchId)) return page.length > 0;
    return false;
  }

  /** Sends every ready row; the attempt is durable first (I2). */
  async #sendReady(going: Going): Promise<Submitted> {
    const { batch, file } = going;
    const { journal } = this.#ground;
    const stop = stopOfPhase(batch.phase);
    if (stop) return (await hadGone(this.#ground, batch.id, stop)) ? { requests: 0 } : { requests: 0, stop };
    const [tallies, operations] = await Promise.all([journal.tallies(batch.id), journal.operations(batch.id)]);
    const toSend = tallies.ready?.rows ?? 0;
    // what is over goes nowhere, whatever the address is by now
    if (toSend > 0) await keepAddress(this.#ground, batch);
    const opened = toSend > 0 ? await this.#ground.openWhole(batch) : undefined;
    await this.#tellStart(going, operations, toSend, opened);
    if (!opened) return { requests: 0 };
    await assertRoomForRows(this.#ground.config.stateDir, toSend);
    this.#going.add(batch.id);
    try {
      const overCap = await this.#compareToday();
      if (overCap) return await noteStop(this.#ground, batch, { requests: 0, stop: overCap });
      // opened first: without the keys nothing begins, and nothing beside the file may say that it did
      const sender = this.#sender.open(operations.some(({ operation }) => operationNamed(operation).encrypted));
      return await this.#submitOpened({
        batch,
        opened,
        sender,
        file,
        operations: operations.map(({ operation }) => operation),
      });
    } finally {
      this.#going.delete(batch.id);
    }
  }

  async #tellStart(
    { batch, resumed, told }: Going,
    operations: Parameters<typeof labelOf>[0],
    toSend: number,
    opened: OpenedSnapshot | undefined,
  ): Promise<void> {
    this.#ground.tell({
      type: "start",
      batch: batch.id,
      file: batch.fileName,
      operation: labelOf(operations, readingOf(batch).operation),
      destination: this.#ground.destination,
      ...(batch.period === undefined ? {} : { period: batch.period }),
      ...(opened ? await mappingSaid(opened) : {}),
      rows: batch.rows,
      total: batch.total,
      ...told,
      toSend,
      resumed,
    });
  }

  /** As long as rows go, the mark beside the file is renewed (I12), and what a person says of the batch is heard. */
  async #submitOpened({ batch, opened, sender, file, operations }: OpenedBatch): Promise<Submitted> {
    const { journal } = this.#ground;
    const phase = watchPhase(journal, batch.id);
    let mark: SendMark | undefined;
    let refused: Stop | undefined;
    try {
      mark = await this.#ground.marks.keepBeside(file, batch, this.#ground.now(), await modeOf(file));
      const submitted = await submit(
        {
          rows: sendableRows(opened.sheet, opened.checker, journal.readyRows(batch.id), (row, fault) => {
            refused ??= readsOtherwise(batch.id, row, fault.message);
          }),
          begin: markedFirst(mark, (row) => this.#begin(batch, row)),
          end: (attempt, end) => journal.end(attempt, end),
          again: async (row) => {
            await journal.makeReady(batch.id, [row.number], ["not_sent"]);
          },
          send: (row, signal) => sender.send(row.operation, row.payload, signal),
          operationOf: ({ operation }) => operation,
          excerpt: (row, body) => excerptOf(body, row, conceal),
          onOutcome: (row, sent) => this.#tellOutcome(batch.id, row, sent),
          onWait: (reason, waitMs) => this.#ground.tell({ type: "waiting", batch: batch.id, reason, waitMs }),
          stopAsked: () => stopOfPhase(phase.phase()) ?? this.#stops.of(operations),
          onStop: (stop) => this.#stops.note(byProxy(stop, sender.proxy)),
        },
        this.#sharedOptions(),
      );
      const { requests, stop = refused } = submitted;
      return await noteStop(this.#ground, batch, stop ? { requests, stop: byProxy(stop, sender.proxy) } : { requests });
    } finally {
      phase.close();
      await mark?.close();
    }
  }

  /** I2: an attempt is written only where the next process will read it. */
  async #begin(batch: BatchRecord, row: Sendable): Promise<Begun> {
    this.#ground.state?.assertNowAndThen();
    return this.#ground.journal.begin(batch.id, row.number, this.#ground.rules);
  }

  /** All batches of this process share the lanes, the pace, and the turn of a row that goes alone. */
  #sharedOptions(): SubmitOptions {
    const { config, services } = this.#ground;
    return {
      lanes: this.#lanes,
      pace: this.#pace,
      alone: this.#alone,
      unknowns: this.#unknowns,
      retry429: config.choices.retry429,
      limits: { ...RETRY_LIMITS, unreachableMs: config.retryForMs },
      soft: services.signal?.soft ?? NEVER,
      hard: services.signal?.hard ?? NEVER,
      random: Math.random,
    };
  }

  #tellOutcome(batch: string, row: Sendable, sent: Sent): void {
    this.#ground.tell({
      type: "row",
      batch,
      row: row.number,
      status: sent.state,
      reason: sent.reason,
      amount: row.amount,
      attempts: sent.ordinal,
      sentAt: sent.sentAt,
      durationMs: Math.round(sent.durationMs),
      alone: sent.alone,
      ...(sent.httpStatus === undefined ? {} : { httpStatus: sent.httpStatus }),
    });
  }

  /**
   * People let rows go that were not counted when the file was taken in: held ones, or those that were not sent the
   * day before. By the rules of now, since it is about the day and not about the file.
   */
  async #compareToday(): Promise<Stop | undefined> {
    const { rules } = this.#ground.config.choices;
    const { refused } = await compareToday(this.#ground.journal, rules, this.#ground.config, this.#ground.now(), [
      ...this.#going,
    ]);
    return refused[0] && { ...STOPS.day_over_cap, message: refused[0].message };
  }
}

const NEVER: AbortSignal = new AbortController().signal;
