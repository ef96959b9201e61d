import { join } from "node:path";
import type { BatchReport } from "../events.ts";
import { isUnapproved } from "../journal/approval.ts";
import type { BatchRecord } from "../journal/store.ts";

/** How work on a file, or on a batch that goes on, came to its end. */
export interface Worked {
  readonly batch: string;
  /** How the batch stood then: when it is otherwise, a person has let it go on. See `standOf`. */
  readonly stand: string;
  readonly requests: number;
  /** Why rows did not go, or results are not where they belong. `isOfAll`: nothing else would go either. */
  readonly trouble: { readonly code: string; readonly isOfAll: boolean } | undefined;
}

export const fileOf = ({ folder, fileName }: BatchRecord): string => join(folder, fileName);

/** Phase, rows that are left to go, whether results are owed, and whether they wait for an approval. */
export const standOf = (batch: BatchRecord): string =>
  [batch.phase, leftOf(batch), batch.owesResults, batch.phase === "open" && isUnapproved(batch)].join();

const leftOf = ({ tallies: { ready, not_sent: unsent } }: BatchRecord): number =>
  (ready?.rows ?? 0) + (unsent?.rows ?? 0);

/** The same by the report: what a person lets go from there on is news. */
export function standAfter({ phase, byStatus, files, stop }: BatchReport): string {
  const isUnapproved = stop?.code === "approval_wanted";
  return [phase ?? "open", byStatus.not_sent?.rows ?? 0, files.elsewhere !== undefined, isUnapproved].join();
}

/** Stops that a watch waits out: proven unsent, or refused for the key or the address, so that nothing goes twice. */
const WAITED_OUT = /^(?:unreachable|rate_limited|local_error|(?:key|address|certificate)_refused)$/;
export const needsAPerson = (code: string): boolean =>
  /^(?:redirect|html_answer|unknown_in_a_row|many_unknown)$/.test(code);

export function troubleOf({ stop, byStatus, files, phase }: BatchReport, isOnce: boolean): Worked["trouble"] {
  // fewer rows than stop a run were not sent all the same
  const code = stop?.code ?? (byStatus.not_sent ? "unreachable" : "");
  if (needsAPerson(code)) return { code, isOfAll: isOnce };
  if (WAITED_OUT.test(code)) return { code, isOfAll: stop?.operation === undefined };
  if (code === "day_over_cap") return { code, isOfAll: false };
  const owesOnly = files.elsewhere !== undefined && (!stop || phase !== undefined);
  return owesOnly ? { code: "results_unwritable", isOfAll: false } : undefined;
}
