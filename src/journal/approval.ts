import { unitsOf } from "../amount.ts";
import type { Config } from "../config/schema.ts";
import type { Act, BatchRecord, JournalStore, Who } from "./store.ts";

/** So many people besides who brought a file must approve it before anything of it goes (DESIGN §14). */
export function approversFor(
  { approval, approval_above: above, approvers }: Pick<Config, "approval" | "approval_above" | "approvers">,
  total: string,
): number {
  const isWanted = approval === "always" || (above !== undefined && unitsOf(total) > unitsOf(above));
  return isWanted ? approvers : 0;
}

/** Whether a batch waits for that, by the journal's clock. It lets nothing of it go meanwhile, whoever asks. */
export const waitsForApproval = ({
  phase,
  approvers,
  approvedUntil,
}: Pick<BatchRecord, "phase" | "approvers" | "approvedUntil">): boolean =>
  phase !== "cancelled" && approvers > 0 && approvedUntil === 0;

/** Something of it is still to go, now or when it is approved. */
export const isToApprove = ({ approvers, phase, tallies }: BatchRecord): boolean =>
  approvers > 0 && phase !== "cancelled" && Boolean(tallies.ready ?? tallies.not_sent);

/** Whether that is what it waits for. */
export const isUnapproved = (batch: BatchRecord): boolean => isToApprove(batch) && waitsForApproval(batch);

/** The same person, however the name is written. */
export const personOf = (name: string): string => name.normalize("NFKC").trim().replaceAll(/\s+/g, " ").toLowerCase();
const nameOf = ({ by, login }: Who): string => by ?? login;

/** Who brought these bytes by hand: kept (kind `upload`) for each person, so that nobody is forgotten for another one. */
type Upload = Readonly<{ by: string; sha256: string }>;

/** Who brought the file: by hand, and whoever ran it, or had it run: how it is read, and its month, are said there. */
export async function makersOf(
  store: Pick<JournalStore, "kept" | "acts" | "runs">,
  { id, sha256 }: Pick<BatchRecord, "id" | "sha256">,
): Promise<readonly string[]> {
  const uploads = (await store.kept<Upload>("upload")).filter(({ value }) => value.sha256 === sha256);
  const asked = (await store.acts({ batch: id })).find(({ kind }) => kind === "ask_approval");
  const [run] = await store.runs(id);
  // a process may end between the two; and later settings may ask
  const took = asked && asked.at < (run?.startedAt ?? Infinity) ? asked : run;
  return [...uploads.map(({ value }) => value.by), ...(took ? [nameOf(took)] : [])];
}

export interface Approval {
  readonly by: string;
  readonly until: number;
}

/** Approvals that have not lapsed, of each person the newest; those that hold longest first. */
export function approvalsIn(acts: readonly Act[], hours: number, now: number): readonly Approval[] {
  const newest = new Map<string, Approval>();
  for (const act of acts.filter(({ kind }) => kind === "approve")) {
    const until = act.at + hours * 3_600_000;
    if (until > now) newest.set(personOf(nameOf(act)), { by: nameOf(act), until });
  }
  return [...newest.values()].sort((one, other) => other.until - one.until);
}
