import type { Config } from "../../config/config.ts";
import { isoSecond } from "../../day.ts";
import { heldText } from "../../batch/held-folder.ts";
import type { RowState } from "../../journal/state.ts";
import type { HeldInbox } from "../../journal/store.ts";
import { printable } from "../../text/printable.ts";
import { folded } from "../../results/screen/folded.ts";
import { decisionsOf } from "../../results/report/acts.ts";
import type { Look } from "../../results/screen/look.ts";
import {
  rejectedNote,
  rowsIn,
  STATE_WORDS,
  statusNote,
  STAYS_UNSENT,
  UNSENT_STATES,
} from "../../results/words/status.ts";
import { rowsNamed } from "../../results/row-ranges.ts";
import { inTheFile } from "../../results/sums.ts";
import { tallyTable, type TallyLine } from "../../results/screen/tally-table.ts";
import { toldOf } from "../../results/words/next-steps.ts";
import { rowsOfState, statusNext } from "./next.ts";
import type { BatchStatus, FullStatus } from "../status.ts";

/** Where nothing was ever sent. Whoever works as another user looks into another state folder, and finds none. */
export function noBatchText({ stateDir }: Config): string {
  return `no batch yet in the state folder ${printable(stateDir)}\n`;
}

/** Batches that look ended, and whose results are not beside their file. */
export function owedText(all: readonly BatchStatus[], look: Look): string {
  const lines = all.flatMap(({ batch, owesResults }) => {
    if (owesResults !== true) return [];
    const what = `the results of batch ${batch.id} (${printable(batch.fileName)}) could not be written; to write them`;
    return [what, toldOf(`  paydrop results ${batch.id}`, batch)];
  });
  return lines.length === 0 ? "" : `${folded(lines.join("\n"), look)}\n`;
}

/** Folders of which nothing goes until a person says so. */
export function holdsText(holds: readonly HeldInbox[], look: Look): string {
  const lines = holds.flatMap((hold) => {
    const { message, hint } = heldText(hold.folder, hold);
    return [printable(message), `  → ${printable(hint)}`];
  });
  return lines.length === 0 ? "" : `${folded(lines.join("\n"), look)}\n`;
}

/** What is left to do about rows of each state, told where commands are at hand; nothing for rows at their end. */
const STATES: readonly (readonly [state: RowState, advice: string])[] = [
  ["accepted", ""],
  ["settled_done", ""],
  ["rejected", statusNote("rejected")],
  ["invalid", statusNote("invalid")],
  ["unknown", statusNote("unknown")],
  ["sending", "or its process died: the next run calls it unknown"],
  ["held", statusNote("held")],
  ["duplicate", ""],
  ["not_sent", "the next run sends it"],
  ["ready", "the next run sends it"],
  ["settled_not_done", "retry sends it"],
];

/** One batch in full: control totals, every state, the rows to look at, what people did. */
export function batchText(status: BatchStatus | FullStatus, look: Look): string {
  const { batch } = status;
  const period = batch.period === undefined ? "" : `   period ${batch.period}`;
  const lines = [
    `batch ${batch.id}   ${printable(batch.fileName)}   ${phaseOf(status)}${period}`,
    `begun ${isoSecond(batch.createdAt)}   to ${batch.destination} (${batch.environment})   in ${printable(batch.folder)}`,
    ...statesTable(status, look),
  ];
  if (!("open" in status)) return `${folded(lines.join("\n"), look)}\n`;
  for (const [state] of STATES) {
    if (status.open[state]?.length) lines.push(`${STATE_WORDS[state]}: ${rowsOfState(status, state)}`);
  }
  lines.push(...batch.remarks.map((remark) => printable(remark)));
  for (const { at, by, kind, rows, note } of decisionsOf(status.history)) {
    const which = rows.length === 0 ? "" : ` ${rowsNamed(rows)}`;
    lines.push(`${isoSecond(at)} ${by}: ${kind}${which} ${note}`.trimEnd());
  }
  const next = statusNext(status);
  if (next.length > 0) lines.push("next:", ...next.map((step) => `  ${step}`));
  return `${folded(lines.join("\n"), look)}\n`;
}

/** What becomes of rows that were not sent, where a person paused their batch. */
const WHEN_PAUSED: Readonly<Partial<Record<RowState, string>>> = {
  not_sent: "paused: resume sends it",
  ready: "paused: resume sends it",
  settled_not_done: "paused: after resume, retry sends it",
};

function noteOf(status: BatchStatus | FullStatus, state: RowState): string | undefined {
  const { phase } = status.batch;
  if (phase === "cancelled" && UNSENT_STATES.includes(state)) return STAYS_UNSENT;
  if (phase === "paused" && WHEN_PAUSED[state]) return WHEN_PAUSED[state];
  if (state !== "rejected" || !("resumable" in status)) return undefined;
  return rejectedNote(status.tallies.rejected?.rows ?? 0, status.resumable, phase);
}

function statesTable(status: BatchStatus | FullStatus, look: Look): string[] {
  const { batch, tallies } = status;
  const lines = STATES.flatMap(([state, advice]): TallyLine[] => {
    const tally = tallies[state];
    const note = noteOf(status, state) ?? advice;
    return tally && tally.rows > 0 ? [{ name: STATE_WORDS[state], tally, ...(note === "" ? {} : { note }) }] : [];
  });
  const total = { name: "total", tally: inTheFile(batch) };
  return tallyTable([...lines, total], { least: { name: 20, rows: 8, amount: 17 } }, look);
}

/** For people and programs alike. The journal knows no end of a batch: another act may always come. */
export function phaseOf({ batch: { archive, phase, rows }, tallies }: BatchStatus): string {
  if (archive !== undefined) return "archived";
  return phase === "open" && rowsIn(tallies, "accepted", "settled_done", "duplicate") === rows ? "ended" : phase;
}
