import type { RowRecord } from "../../journal/row-record.ts";
import { statusOf } from "../words/status.ts";

/** What became of rows that were sent, as a timeline shows it. */
export const SENT_KINDS = ["accepted", "rejected", "unknown", "not_sent"] as const;
type SentKind = (typeof SENT_KINDS)[number];

/** A short piece of time. Times in milliseconds. */
export interface Slot {
  readonly fromMs: number;
  readonly rows: Readonly<Record<SentKind, number>>;
  /** How many answers came, by their time: see `ANSWER_BUCKETS`. */
  readonly answers: Uint32Array;
  readonly slowestMs: number;
}

/** When rows were sent, each at its last attempt, and how long the answers took. */
export interface Timeline {
  readonly slotMs: number;
  /** Slots in which a row was sent, in order. */
  readonly slots: readonly Slot[];
  readonly firstAt: number;
  /** The end of the last answer, or of the wait for it. */
  readonly lastAt: number;
  /** Rows with an answer, and how long the answers took: the median and the 95th percentile are right to a tenth. */
  readonly answered: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly slowest: { readonly row: number; readonly durationMs: number } | undefined;
}

/** Twenty buckets per power of ten, from a millisecond to a quarter of an hour and more. */
const ANSWER_BUCKETS = 120;
const BUCKETS_PER_TEN = 20;
const SLOTS_MAX = 1024;
const FIRST_SLOT_MS = 10;

interface Gathered {
  readonly rows: Record<SentKind, number>;
  readonly answers: Uint32Array;
  slowestMs: number;
}

/** Gathers rows into at most a thousand slots, however many rows there are and however long it took. */
export class TimelineCollector {
  #slotMs = FIRST_SLOT_MS;
  #slots = new Map<number, Gathered>();
  readonly #answers = new Uint32Array(ANSWER_BUCKETS);
  #answered = 0;
  #firstAt = Number.POSITIVE_INFINITY;
  #lastAt = 0;
  #slowest: Timeline["slowest"];

  add(record: RowRecord): void {
    const { sentAt, durationMs = 0 } = record;
    if (sentAt === undefined) return;
    this.#firstAt = Math.min(this.#firstAt, sentAt);
    this.#lastAt = Math.max(this.#lastAt, sentAt + Math.round(durationMs));
    const slot = this.#slotAt(sentAt);
    slot.rows[kindOf(record)] += 1;
    if (record.httpStatus === undefined || record.durationMs === undefined) return;
    const bucket = bucketOf(durationMs);
    slot.answers[bucket] = (slot.answers[bucket] ?? 0) + 1;
    slot.slowestMs = Math.max(slot.slowestMs, durationMs);
    this.#answers[bucket] = (this.#answers[bucket] ?? 0) + 1;
    this.#answered += 1;
    if (durationMs > (this.#slowest?.durationMs ?? -1)) this.#slowest = { row: record.number, durationMs };
  }

  /** undefined when nothing was ever sent. */
  timeline(): Timeline | undefined {
    if (this.#slots.size === 0) return undefined;
    const slots = [...this.#slots]
      .sort(([a], [b]) => a - b)
      .map(([index, gathered]) => ({ fromMs: index * this.#slotMs, ...gathered }));
    return {
      slotMs: this.#slotMs,
      slots,
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      answered: this.#answered,
      medianMs: quantileOf(this.#answers, 0.5),
      p95Ms: quantileOf(this.#answers, 0.95),
      slowest: this.#slowest,
    };
  }

  #slotAt(atMs: number): Gathered {
    const index = Math.floor(atMs / this.#slotMs);
    const known = this.#slots.get(index);
    if (known) return known;
    if (this.#slots.size >= SLOTS_MAX) {
      this.#widen();
      return this.#slotAt(atMs);
    }
    const made = emptySlot();
    this.#slots.set(index, made);
    return made;
  }

  /** Slots twice as wide: two neighbours become one. */
  #widen(): void {
    this.#slotMs *= 2;
    const wider = new Map<number, Gathered>();
    for (const [index, slot] of this.#slots) {
      const into = wider.get(Math.floor(index / 2));
      if (into) addInto(into, slot);
      else wider.set(Math.floor(index / 2), slot);
    }
    this.#slots = wider;
  }
}

export function emptySlot(): Gathered {
  return {
    rows: { accepted: 0, rejected: 0, unknown: 0, not_sent: 0 },
    answers: new Uint32Array(ANSWER_BUCKETS),
    slowestMs: 0,
  };
}

export function addInto(into: Gathered, slot: Gathered | Slot): void {
  for (const kind of SENT_KINDS) into.rows[kind] += slot.rows[kind];
  for (const [bucket, count] of slot.answers.entries()) into.answers[bucket] = (into.answers[bucket] ?? 0) + count;
  into.slowestMs = Math.max(into.slowestMs, slot.slowestMs);
}

/** The time below which this share of the answers came, to a tenth; 0 when there is none. */
export function quantileOf(answers: Uint32Array, share: number): number {
  const all = answers.reduce((sum, count) => sum + count, 0);
  let left = Math.ceil(all * share);
  if (left === 0) return 0;
  for (const [bucket, count] of answers.entries()) {
    left -= count;
    if (left <= 0) return 10 ** ((bucket + 0.5) / BUCKETS_PER_TEN);
  }
  return 0;
}

function bucketOf(durationMs: number): number {
  const bucket = Math.floor(Math.log10(Math.max(1, durationMs)) * BUCKETS_PER_TEN);
  return Math.min(ANSWER_BUCKETS - 1, bucket);
}

function kindOf(record: RowRecord): SentKind {
  const status = statusOf(record.state);
  switch (status) {
    case "accepted":
    case "rejected":
    case "unknown":
    case "not_sent":
      return status;
    // a row that a person settled was an unknown one when it was sent
    case "settled_done":
    case "settled_not_done":
      return "unknown";
    // nothing arrived, and before it went again the check found the same payment elsewhere
    case "held":
    case "duplicate":
    case "invalid":
      return "not_sent";
    default:
      return status satisfies never;
  }
}
