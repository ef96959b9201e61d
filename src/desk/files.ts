import type { BatchRecord } from "../journal/store.ts";
import { periodText } from "../messages/pages.ts";
import { isUnapproved } from "../journal/approval.ts";
import { markup, tableOf, type Html } from "../pages/html.ts";
import { barOf, countsText, shownIn, tag } from "../pages/parts.ts";
import { byStatusOf } from "../results/totals.ts";
import type { Desk } from "./desk.ts";
import { batchLink, isGoing } from "./todo.ts";

/** What became of a file, in one word. */
export function stateTag(batch: BatchRecord): Html {
  const { phase, tallies, rows } = batch;
  if (phase === "cancelled") return tag("Cancelled");
  if (isUnapproved(batch)) return tag("Waits for approval");
  if (tallies.unknown) return tag("Needs a person", "ask");
  if (phase === "paused") return tag("Paused", "wait");
  if (tallies.held ?? tallies.settled_not_done) return tag("Needs a person", "wait");
  if (isGoing(batch)) return tag("On the way");
  if (tallies.accepted?.rows === rows) return tag("All accepted", "good");
  if (tallies.rejected ?? tallies.invalid) return tag("To correct", "bad");
  return tag("Done", "good");
}

export function filesTable(desk: Desk, batches: readonly BatchRecord[], caption: string): Html {
  const { figures, store } = desk;
  const lines = batches.map((batch) => {
    const { createdAt, rows, total, tallies, period } = batch;
    const byStatus = byStatusOf(tallies);
    const isPlain = shownIn(byStatus).length === 1;
    const became = markup`${stateTag(batch)}${!isPlain && barOf(byStatus)}${!isPlain && markup`<small>${countsText(byStatus, figures)}</small>`}`;
    return [
      markup`${batchLink(batch)}<small>${period === undefined ? "no period" : periodText(period)}</small>`,
      figures.time(createdAt, store.now()),
      ...[figures.count(rows), figures.money(total), became],
    ];
  });
  const columns = [
    "File",
    ["Taken", "less"],
    ["Payments", "n", "less"],
    ["Amount", "n"],
    ["What became of it", "wide"],
  ] as const;
  return tableOf({ caption, isHidden: true, columns, kind: "files" }, lines);
}
