import { formatUnits, unitsOf } from "../amount.ts";
import type { RunEvent } from "../events.ts";
import type { HostRecord } from "../journal/store.ts";
import type { KnownBatch } from "./known-batches.ts";

/** What waits in an inbox: files, and since when the oldest of them lies there (milliseconds since 1970). */
export interface InboxCount {
  readonly files: number;
  readonly oldestSince?: number;
}

/** What the metrics tell of; times are milliseconds since 1970. */
export interface Known {
  readonly batches: readonly KnownBatch[];
  readonly inboxes: readonly InboxCount[];
  /** When runs ended, by metric, in seconds. */
  readonly endings: ReadonlyMap<string, number>;
  readonly counters: Counters;
  /** This one, where several share the journal. */
  readonly host?: HostRecord | undefined;
  /** Of a watch: when its folders were last looked at, the one that waits longest. */
  readonly lookedAt?: number | undefined;
  /** Of the server of a shared journal. */
  readonly server?: { readonly answeredAt: number; readonly awaySince: number | undefined } | undefined;
}

const ENDS = ["accepted", "rejected", "unknown", "not_sent"] as const;
/** The default timeout is the last of them: what is above had no answer. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, "+Inf"] as const;
const [ROWS, DURATION] = ["rows_total", "request_duration_seconds"] as const;
/** Their samples, made once and not for each row. */
const ROWS_IN = new Map(ENDS.map((state) => [state as string, `${ROWS}{state="${state}"}`]));
const UP_TO = BUCKETS.map((le) => ({
  sample: `${DURATION}_bucket{le="${le}"}`,
  seconds: le === "+Inf" ? Infinity : le,
}));
const [SUM, COUNT] = [`${DURATION}_sum`, `${DURATION}_count`];

/**
 * What only ever grows, by sample. All begin with 0: a first value that is not has grown from nothing, and no rule sees it.
 */
export class Counters {
  readonly #samples = new Map<string, number>([
    ...Array.from(ROWS_IN.values(), (sample) => [sample, 0] as const),
    ...UP_TO.map(({ sample }) => [sample, 0] as const),
    [SUM, 0],
    [COUNT, 0],
  ]);

  /** Of a row that has its end. What was never on the wire took no time. */
  count(event: RunEvent): void {
    if (event.type !== "row") return;
    const sample = ROWS_IN.get(event.status);
    if (sample !== undefined) this.#add(sample, 1);
    if (event.durationMs === undefined || (event.status === "not_sent" && event.httpStatus === undefined)) return;
    const seconds = event.durationMs / 1000;
    for (const upTo of UP_TO) if (seconds <= upTo.seconds) this.#add(upTo.sample, 1);
    this.#add(SUM, seconds);
    this.#add(COUNT, 1);
  }

  /** What an earlier process left in its file is gone on with: run by run it would begin anew, and never grow. */
  goOnWith(text: string): void {
    for (const [, sample = "", value] of text.matchAll(/^paydrop_(\S+) ([0-9.e+-]+)$/gm))
      if (this.#samples.has(sample)) this.#samples.set(sample, Number(value));
  }

  samplesOf(name: string): Samples {
    const of = [...this.#samples].filter(([sample]) => sample.startsWith(name));
    return of.map(([sample, value]) => [sample.slice(name.length), value]);
  }

  #add(sample: string, by: number): void {
    this.#samples.set(sample, (this.#samples.get(sample) ?? 0) + by);
  }
}

/** The exposition format of Prometheus; no batch, account or file name. */
export function metricsText(known: Known, nowMs: number): string {
  const { batches, counters, host } = known;
  const counted = [
    family(ROWS, "counter", "Rows that this process sent, by what came of them.", counters.samplesOf(ROWS)),
    family(DURATION, "histogram", "Time that the last request of a row took.", counters.samplesOf(DURATION)),
  ];
  return [...counted, ...ofJournal(batches), ...ofProcess(known, nowMs), ...(host ? ofHost(host) : [])].join("");
}

/** The same on all hosts that share the journal. */
function ofJournal(batches: readonly KnownBatch[]): string[] {
  const sums = sumsOf(batches);
  const [rows, amounts] = [
    sums.map((sum) => [sum.labels, sum.rows] as const),
    sums.map((sum) => [sum.labels, formatUnits(sum.units)] as const),
  ];
  const inState = (state: "unknown" | "held"): Samples =>
    one(batches.reduce((sum, { tallies }) => sum + (tallies[state]?.rows ?? 0), 0));
  return [
    family("journal_rows", "gauge", "Rows in the journal by operation and state.", rows),
    family("journal_amount", "gauge", "Sums of amounts in the journal, as written.", amounts),
    family("unknown_rows", "gauge", "Rows that a person must settle.", inState("unknown")),
    family("held_rows", "gauge", "Rows that a person must release or cancel.", inState("held")),
  ];
}

function ofProcess({ inboxes, endings, lookedAt, server }: Known, nowMs: number): string[] {
  const at = (ms: number | undefined): Samples => one(ms === undefined ? undefined : Math.floor(ms / 1000));
  const oldest = Math.min(nowMs, ...inboxes.map(({ oldestSince = nowMs }) => oldestSince));
  const waiting = inboxes.length === 0 ? undefined : inboxes.reduce((sum, { files }) => sum + files, 0);
  const [finished, succeeded] = ["last_finished_timestamp_seconds", "last_success_timestamp_seconds"] as const;
  const [isUp, answeredAt] = [server && Number(server.awaySince === undefined), at(server?.answeredAt)];
  return [
    family("journal_up", "gauge", "Whether the journal's server answers this process.", one(isUp)),
    family("journal_last_answer_timestamp_seconds", "gauge", "When that server last answered it.", answeredAt),
    family("watch_last_look_timestamp_seconds", "gauge", "When the watch last looked into its folders.", at(lookedAt)),
    family("inbox_files", "gauge", "Files that wait in the inboxes.", one(waiting)),
    family(
      "oldest_inbox_seconds",
      "gauge",
      "Age of the oldest of them.",
      one(waiting === undefined ? waiting : (nowMs - oldest) / 1000),
    ),
    family(finished, "gauge", "When a run last ended.", one(endings.get(finished))),
    family(succeeded, "gauge", "When a run last ended with exit code 0.", one(endings.get(succeeded))),
  ];
}

function ofHost({ name, shares, leases }: HostRecord): string[] {
  const own = (count: number): Samples => [[`{host="${name.replaceAll(/["\\\n]/g, "")}"}`, count]];
  const lanes = shares.reduce((sum, share) => sum + share.lanes, 0);
  const inboxes = leases.filter((lease) => lease.startsWith("inbox ")).length;
  return [
    family("host_shares", "gauge", "Shares of batches that this host sends.", own(shares.length)),
    family("host_lanes", "gauge", "Requests that it may have in flight.", own(lanes)),
    family("host_inboxes", "gauge", "Inboxes that it watches.", own(inboxes)),
  ];
}

/** What follows the name: labels, and of a histogram its parts. */
type Samples = readonly (readonly [rest: string, value: number | string])[];

const one = (value: number | undefined): Samples => (value === undefined ? [] : [["", value]]);

function family(name: string, type: "gauge" | "counter" | "histogram", help: string, samples: Samples): string {
  const lines = samples.map(([rest, value]) => `paydrop_${name}${rest} ${value}\n`);
  return lines.length === 0 ? "" : `# HELP paydrop_${name} ${help}\n# TYPE paydrop_${name} ${type}\n${lines.join("")}`;
}

function sumsOf(batches: readonly KnownBatch[]) {
  const sums = new Map<string, { labels: string; rows: number; units: bigint }>();
  for (const { label, tallies } of batches) {
    // `payout, option B`
    const operation = /^[a-z]+(?=$|,)/.exec(label)?.[0] ?? "none";
    for (const [state, { rows, amount }] of Object.entries(tallies)) {
      const labels = `{operation="${operation}",state="${state}"}`;
      const sum = sums.get(labels) ?? { labels, rows: 0, units: 0n };
      sums.set(labels, { labels, rows: sum.rows + rows, units: sum.units + unitsOf(amount) });
    }
  }
  return [...sums.values()].sort((one, other) => (one.labels < other.labels ? -1 : 1));
}
