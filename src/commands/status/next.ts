import type { RowState } from "../../journal/state.ts";
import {
  cancelCommand,
  decisionSteps,
  resumeBatchCommand,
  retryCommand,
  settleCommand,
  stepsToldOf,
  waitingSteps,
  WHAT_RETRY_SENDS,
  WHEN_MENDED,
} from "../../results/words/next-steps.ts";
import { isAnyUnsent, rowsIn } from "../../results/words/status.ts";
import { whichRows } from "../release/going.ts";
import type { FullStatus } from "../status.ts";

/** What a person can do with this batch now, the gravest first; each line with the command to copy. */
export function statusNext(status: FullStatus): string[] {
  return stepsToldOf(stepsOf(status), status.batch);
}

function stepsOf(status: FullStatus): string[] {
  const { batch, folderHeld, notMade = [], open, owesResults, resumable, tallies, waitsFor } = status;
  const { id, phase, archive } = batch;
  if (archive !== undefined) {
    return [
      `its details lie in archive/${archive} of the state directory; to bring them back`,
      `  paydrop archive --restore ${id}`,
    ];
  }
  const rows = (...states: RowState[]): number => rowsIn(tallies, ...states);
  const steps: string[] = [];
  const named = (state: RowState): string => rowsOfState(status, state);
  if (rows("unknown") > 0) {
    steps.push(`look up ${named("unknown")} in the service's dashboard (paydrop status --unknown), then`);
    steps.push(`  ${settleCommand(id, open.unknown?.[0])}`);
  }
  if (phase === "cancelled") {
    if (isAnyUnsent(tallies)) steps.push("cancelled: what was not sent stays unsent");
    return steps;
  }
  if (rows("held") > 0 && waitsFor) {
    const [what, command] = waitingSteps(named("held"), rows("held"), waitsFor);
    steps.push(what, `  ${command}`);
  } else if (rows("held") > 0) {
    const which = rows("held") === 1 ? named("held").replace(/^row/, "--row") : undefined;
    steps.push(...decisionSteps(id, named("held"), which).map((step) => step.replace(/^paydrop /, "  $&")));
  }
  // a resume lets go what the folder's hold keeps; a retry before it would send nothing
  if (folderHeld && isAnyUnsent(tallies, resumable)) {
    steps.push(`${folderHeld.message}; ${folderHeld.hint}`);
  } else if (phase === "paused") {
    if (isAnyUnsent(tallies, resumable)) steps.push("paused; to go on", `  ${resumeBatchCommand(id)}`);
  } else if (notMade.length > 0) {
    steps.push(...notMadeSteps(id, whichRows(notMade)));
  } else if (rows("ready", "not_sent") > 0) {
    steps.push(WHAT_RETRY_SENDS, `  ${retryCommand(id)}`);
  } else if (resumable > 0) {
    steps.push(WHEN_MENDED, `  ${retryCommand(id)}`);
  }
  if (owesResults) steps.push("its results are not written to the end; to write them", `  paydrop results ${id}`);
  return steps;
}

/** Nobody but a person knows of a payment to a corrected account, or by hand: what a retry sends would be a second one. */
function notMadeSteps(id: string, named: string): string[] {
  return [
    `look first whether the payment settled as not done (${named}) was made in another way since, to another account or by hand: then send nothing more of this batch`,
    `  ${cancelCommand(id)}`,
    `if it was not, ${WHAT_RETRY_SENDS}`,
    `  ${retryCommand(id)}`,
  ];
}

/** `rows 61, 62, 64-92`, `rows 2-1001 and 1167 more`; a list of many gaps is cut, its count stands in the table. */
export function rowsOfState({ open, tallies }: FullStatus, state: RowState): string {
  const rows = open[state] ?? [];
  const told = whichRows(rows);
  const more = rowsIn(tallies, state) - rows.length;
  return more > 0 && !told.endsWith("…") ? `${told} and ${more} more` : told;
}
