import type { InboxCount } from "../../drop-folder/file-queue.ts";
import type { RunEvent } from "../../events.ts";
import { addedUp } from "../../results/sums.ts";

/** Rows of one operation in one state, as the journal has them. */
export interface RowCount {
  readonly operation: string;
  readonly state: string;
  readonly rows: number;
  /** Exact decimal text. */
  readonly amount: string;
}

/** What has happened since these metrics began, across processes when they are kept in a file. */
export class Metrics {
  /** Set by whoever sweeps a drop folder; not shown before. */
  inbox: InboxCount | undefined;
  readonly #requests = new Map<string, number>();
  readonly #buckets = new Array<number>(BUCKETS_S.length).fill(0);
  #durationSum = 0;
  #durationCount = 0;
  #lastFinished: number | undefined;
  #lastSuccess: number | undefined;

  onEvent(event: RunEvent): void {
    // such a row goes again, and has its end later
    if (event.type === "waiting" && event.reason === "rate_limited") add(this.#requests, "rate_limited", 1);
    if (event.type !== "row") return;
    add(this.#requests, event.status, 1);
    if (event.durationMs === undefined) return;
    const seconds = event.durationMs / 1000;
    for (const [index, limit] of BUCKETS_S.entries()) {
      if (seconds <= limit) this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
    }
    this.#durationSum += seconds;
    this.#durationCount += 1;
  }

  /** A run, or a batch of a process that goes on, has ended. */
  finished(exitCode: number, nowMs: number): void {
    this.#lastFinished = Math.floor(nowMs / 1000);
    if (exitCode === 0) this.#lastSuccess = this.#lastFinished;
  }

  /** Goes on with the counters of an earlier process. What cannot be read begins at zero, as after a lost file. */
  goOn(text: string): void {
    for (const line of text.split("\n")) {
      const [, name = "", label, value = ""] = SAMPLE.exec(line) ?? [];
      const number = Number(value);
      if (name === "" || !Number.isFinite(number)) continue;
      if (name === "paydrop_requests_total" && label) add(this.#requests, label, number);
      if (name === "paydrop_request_duration_seconds_sum") this.#durationSum += number;
      if (name === "paydrop_request_duration_seconds_count") this.#durationCount += number;
      if (name === "paydrop_last_finished_timestamp_seconds") this.#lastFinished ??= number;
      if (name === "paydrop_last_success_timestamp_seconds") this.#lastSuccess ??= number;
      const bucket = BUCKETS_S.findIndex((limit) => String(limit) === label);
      if (name === "paydrop_request_duration_seconds_bucket" && bucket >= 0) {
        this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + number;
      }
    }
  }

  /**
   * The exposition format of Prometheus. Rows are gauges: they move between states. No batch, account or file name: only
   * labels with few values.
   */
  text(rows: readonly RowCount[], nowMs: number): string {
    const inState = (state: string): number => rows.reduce((sum, row) => sum + (row.state === state ? row.rows : 0), 0);
    const ofRow = ({ operation, state }: RowCount): string => `{operation="${operation}",state="${state}"}`;
    const { inbox } = this;
    const oldestSeconds = inbox?.oldestSince === undefined ? 0 : Math.max(0, (nowMs - inbox.oldestSince) / 1000);
    const one = (value: number | undefined): Sample[] => (value === undefined ? [] : [["", value]]);
    const requests = OUTCOMES.map((outcome): Sample => [`{outcome="${outcome}"}`, this.#requests.get(outcome) ?? 0]);
    const buckets = BUCKETS_S.map((limit, index): Sample => [`_bucket{le="${limit}"}`, this.#buckets[index] ?? 0]);
    return [
      family(
        "rows_total",
        "gauge",
        "Rows in the journal by operation and state.",
        rows.map((row) => [ofRow(row), row.rows]),
      ),
      family(
        "amount_total",
        "gauge",
        "Sums of amounts as written.",
        rows.map((row) => [ofRow(row), row.amount]),
      ),
      family("unknown_rows", "gauge", "Rows that a person must settle.", one(inState("unknown"))),
      family("held_rows", "gauge", "Rows that a person must release or cancel.", one(inState("held"))),
      family("inbox_files", "gauge", "Files that wait in the drop folders.", one(inbox?.files)),
      family("oldest_inbox_seconds", "gauge", "Age of the oldest of them.", one(inbox && oldestSeconds)),
      family(
        "requests_total",
        "counter",
        "Rows that were sent, by what became of them; rate_limited: sent, refused for rate and sent again.",
        requests,
      ),
      family("request_duration_seconds", "histogram", "Time from a request to its end.", [
        ...buckets,
        ['_bucket{le="+Inf"}', this.#durationCount],
        ["_sum", Number(this.#durationSum.toFixed(3))],
        ["_count", this.#durationCount],
      ]),
      family("last_finished_timestamp_seconds", "gauge", "When a run last ended.", one(this.#lastFinished)),
      family(
        "last_success_timestamp_seconds",
        "gauge",
        "When a run last ended with exit code 0.",
        one(this.#lastSuccess),
      ),
    ].join("");
  }
}

const BUCKETS_S: readonly number[] = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const OUTCOMES = ["accepted", "rejected", "unknown", "not_sent", "rate_limited"] as const;
const SAMPLE = /^(paydrop_[a-z_]+)(?:\{[a-z]+="([^"]*)"\})? ([0-9.]+)$/;

type Sample = readonly [suffix: string, value: number | string];

function family(name: string, kind: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([suffix, value]) => `paydrop_${name}${suffix} ${value}\n`);
  return lines.length === 0 ? "" : `# HELP paydrop_${name} ${help}\n# TYPE paydrop_${name} ${kind}\n${lines.join("")}`;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** Sums rows that fall together, such as those of many batches. */
export function summed(counts: readonly RowCount[]): RowCount[] {
  const together = Map.groupBy(counts, ({ operation, state }) => `${operation} ${state}`);
  return [...together.keys()].sort().flatMap((key) => {
    const group = together.get(key) ?? [];
    return group.slice(0, 1).map((first) => ({ ...first, ...addedUp(group) }));
  });
}
