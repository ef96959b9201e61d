import { counted } from "../../text/counted.ts";
import { dayOf } from "../../day.ts";
import type { ResultStatus, RowState } from "../../journal/state.ts";
import type { BatchRecord, ByStatus, Tallies, Tally } from "../../journal/batch-record.ts";
import { releaseCommand, resumeBatchCommand, retryCommand } from "./next-steps.ts";
import { asInResults, isAnyUnsent, occurringIn, rowsIn, statusOf } from "./status.ts";
import { addedUp } from "../sums.ts";

/** The batch that a file was taken as before, and how its rows stand now. */
export interface TakenBefore {
  readonly batch: BatchRecord;
  readonly byStatus: ByStatus;
  /** Of the rejected rows those that were refused for the key or the address: they need no correction. */
  readonly resumable: number;
  /** Of the rejected and invalid rows those that went since, corrected. */
  readonly corrected: number;
  /** Of the held rows those that waited for another row which has its end: a run judges them anew. */
  readonly waitIsOver: number;
}

export function byStatusOf(tallies: Tallies): ByStatus {
  const sums: Partial<Record<ResultStatus, Tally>> = {};
  for (const [state, tally] of Object.entries(tallies)) {
    const status = statusOf(state as RowState);
    sums[status] = addedUp([sums[status], tally]);
  }
  return sums;
}

/**
 * What became of a file that went before, and what is left to do. `waiting`: how many of its held rows wait for another
 * row.
 */
export function takenText(taken: TakenBefore, waiting: number): string {
  const { batch, byStatus } = taken;
  const counts = occurringIn(byStatus).map(([status, { rows }]) => `${rows} ${asInResults(status)}`);
  const said = `this very file was taken in before, as batch ${batch.id} on ${dayOf(batch.createdAt)}: ${counts.join(", ")}`;
  // a run of an archived file is refused: nothing can be promised of it
  if (batch.archive !== undefined)
    return `${said}. Its details are archived, and it cannot be run before they are back: paydrop archive --restore ${batch.id}`;
  const todo = leftIn(taken, waiting);
  return `${said}. Running it again ${sendsText(taken)}.${todo === "" ? "" : ` ${todo}`}`;
}

function sendsText(taken: TakenBefore): string {
  const { batch, waitIsOver } = taken;
  const toSend = batch.phase === "open" ? toSendIn(taken) : 0;
  if (batch.phase === "open" && waitIsOver > 0)
    return `may send ${counted(toSend + waitIsOver)}: what ${waitIsOver} held ${waitIsOver === 1 ? "row" : "rows"} waited for has its end`;
  return `sends ${toSend > 0 ? counted(toSend) : "nothing"}`;
}

function toSendIn({ byStatus, resumable }: TakenBefore): number {
  return rowsIn(byStatus, "not_sent") + resumable;
}

/** What a person has to do, the gravest first. */
function leftIn(taken: TakenBefore, waiting: number): string {
  const { batch, byStatus, resumable, corrected, waitIsOver } = taken;
  const { id, phase } = batch;
  const rows = (...statuses: ResultStatus[]): number => rowsIn(byStatus, ...statuses);
  const steps: string[] = [];
  if (rows("unknown") > 0) steps.push("look up the unknown rows: paydrop status --unknown");
  if (phase === "cancelled") steps.push("it was cancelled: what was not sent stays unsent");
  else {
    const isOver = phase === "open" ? waitIsOver : 0;
    if (rows("held") > waiting)
      steps.push(`decide on the held rows: ${releaseCommand(id, "--row N")}, or paydrop cancel ${id}`);
    // `status` knows whether anything can be released yet
    else if (rows("held") > isOver) steps.push(`see to what the held rows wait for: paydrop status ${id}`);
    if (phase === "paused" && isAnyUnsent(byStatus, resumable))
      steps.push(`it is paused, to go on: ${resumeBatchCommand(id)}`);
    if (rows("settled_not_done") > 0) steps.push(`to send what is settled as not done: ${retryCommand(id)}`);
  }
  if (rows("invalid", "rejected") - resumable - corrected > 0)
    steps.push("correct the rows in its retry file, and run that one");
  if (steps.length > 0) return `To do: ${steps.join("; ")}`;
  return toSendIn(taken) + waitIsOver > 0
    ? ""
    : "Nothing is left to do; the same payments of a new month go with --period";
}
