import { listed } from "../../text/counted.ts";
import type { ResultStatus } from "../../journal/state.ts";
import { SANDBOX } from "../words/next-steps.ts";
import { RESULT_STATUSES } from "../words/status.ts";
import type { Report } from "./report.ts";
import { countsIn, PHASE_WORDS, SANDBOX_MEANS } from "./words.ts";

/** What happened, in one or two sentences, and how much it asks of whoever reads it. */
interface Headline {
  readonly sentence: string;
  /** The rest of the rows, and what holds for the whole batch. */
  readonly more: readonly string[];
  readonly tone: "calm" | "attention" | "urgent";
}

const CALM: ReadonlySet<ResultStatus> = new Set(["accepted", "duplicate", "settled_done"]);

export function headlineOf({ batch, totals, acts }: Report): Headline {
  const { total, byStatus } = totals;
  const accepted = byStatus.accepted?.rows ?? 0;
  const others = RESULT_STATUSES.filter((status) => status !== "accepted" && byStatus[status]);
  const rest = countsIn(byStatus, others);
  const phase = PHASE_WORDS[batch.phase];
  const stop = acts.own.findLast(({ kind }) => kind === "stop");
  const isStopped = stop !== undefined && byStatus.not_sent !== undefined && batch.phase === "open";
  return {
    sentence: sentenceOf(accepted, total.rows),
    more: [
      ...(batch.destination === SANDBOX ? [SANDBOX_MEANS] : []),
      ...(rest.length > 0 ? [`${listed(rest, "and")}.`] : []),
      ...(phase === "" ? [] : [phase]),
      ...(isStopped ? [`The last run stopped before the end: ${stop.note}.`] : []),
    ],
    tone: byStatus.unknown ? "urgent" : others.every((status) => CALM.has(status)) ? "calm" : "attention",
  };
}

function sentenceOf(accepted: number, rows: number): string {
  if (accepted === 0) return `No row was accepted by the service.`;
  if (rows === 1) return "The one row was accepted by the service.";
  return accepted === rows
    ? `All ${rows} rows were accepted by the service.`
    : `${accepted} of ${rows} rows ${accepted === 1 ? "was" : "were"} accepted by the service.`;
}
