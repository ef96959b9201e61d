import { formatUnits, unitsOf } from "../amount.ts";
import type { BatchRecord } from "../journal/store.ts";

/** What waits in an inbox: files, and since when the oldest of them lies there (milliseconds since 1970). */
export interface InboxCount {
  readonly files: number;
  readonly oldestSince?: number;
}

const SHOWN: Readonly<Record<string, string>> = {
  rows_total: "Rows in the journal by operation and state.",
  amount_total: "Sums of amounts as written.",
  unknown_rows: "Rows that a person must settle.",
  held_rows: "Rows that a person must release or cancel.",
  inbox_files: "Files that wait in the inboxes.",
  oldest_inbox_seconds: "Age of the oldest of them.",
  last_finished_timestamp_seconds: "When a run last ended.",
  last_success_timestamp_seconds: "When a run last ended with exit code 0.",
};

type Sample = readonly [name: string, value: number | string];

/**
 * The exposition format of Prometheus. Everything is a gauge: rows move between states. No batch, account or file name:
 * only labels with few values. `ended`: what `endings` gives.
 */
export function metricsText(
  batches: readonly BatchRecord[],
  inboxes: readonly InboxCount[],
  ended: Iterable<Sample>,
  nowMs: number,
): string {
  const samples = [...ofJournal(batches), ...ofInboxes(inboxes, nowMs), ...ended];
  const families = Object.entries(SHOWN).map(([name, help]) => {
    const lines = samples.flatMap(([sample, value]) =>
      sample.replace(/\{.*/, "") === name ? [`paydrop_${sample} ${value}\n`] : [],
    );
    return lines.length === 0 ? "" : `# HELP paydrop_${name} ${help}\n# TYPE paydrop_${name} gauge\n${lines.join("")}`;
  });
  return families.join("");
}

/** When runs ended, by the metrics that an earlier process left. */
export function endings(text: string): Map<string, number> {
  const found = text.matchAll(/^paydrop_(last_\w+) ([0-9]+)$/gm);
  return new Map(Array.from(found, ([, name = "", value]) => [name, Number(value)]));
}

/** A run, or a batch of a process that goes on, has ended. */
export function noteEnding(ended: Map<string, number>, exitCode: number, nowMs: number): void {
  ended.set("last_finished_timestamp_seconds", Math.floor(nowMs / 1000));
  if (exitCode === 0) ended.set("last_success_timestamp_seconds", Math.floor(nowMs / 1000));
}

/** Rows and exact sums over all batches, by operation and state. */
function ofJournal(batches: readonly BatchRecord[]): Sample[] {
  const sums = new Map<string, { rows: number; units: bigint }>();
  const inState: Record<string, number> = {};
  for (const { label, tallies } of batches) {
    // `payout, option B`
    const operation = /^[a-z]+(?=$|,)/.exec(label)?.[0] ?? "none";
    for (const [state, { rows, amount }] of Object.entries(tallies)) {
      const key = `{operation="${operation}",state="${state}"}`;
      const sum = sums.get(key) ?? { rows: 0, units: 0n };
      sums.set(key, { rows: sum.rows + rows, units: sum.units + unitsOf(amount) });
      inState[state] = (inState[state] ?? 0) + rows;
    }
  }
  const sorted = [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    ...sorted.map(([key, { rows }]): Sample => [`rows_total${key}`, rows]),
    ...sorted.map(([key, { units }]): Sample => [`amount_total${key}`, formatUnits(units)]),
    ...["unknown", "held"].map((state): Sample => [`${state}_rows`, inState[state] ?? 0]),
  ];
}

function ofInboxes(inboxes: readonly InboxCount[], nowMs: number): Sample[] {
  if (inboxes.length === 0) return [];
  const oldest = Math.min(nowMs, ...inboxes.map(({ oldestSince }) => oldestSince ?? nowMs));
  const files = inboxes.reduce((sum, inbox) => sum + inbox.files, 0);
  return [
    ["inbox_files", files],
    ["oldest_inbox_seconds", (nowMs - oldest) / 1000],
  ];
}
