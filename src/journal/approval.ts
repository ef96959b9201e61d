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

/** Whether a batch waits for that. The journal lets nothing of it go meanwhile, whoever asks. */
export function waitsForApproval(
  { phase, approvers, approvedUntil }: Pick<BatchRecord, "phase" | "approvers" | "approvedUntil">,
  now = Date.now(),
): boolean {
  return phase !== "cancelled" && approvers > 0 && approvedUntil <= now;
}

/** Something of it is still to go, now or when it is approved. */
export const isToApprove = ({ approvers, phase, tallies }: BatchRecord): boolean =>
  approvers > 0 && phase !== "cancelled" && Boolean(tallies.ready ?? tallies.not_sent);

/** The same person, however the name is written. */
export const personOf = (name: string): string => name.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase();
const nameOf = ({ by, login }: Who): string => by ?? login;

/** What is kept of a file that was brought by hand (`keep`, kind `upload`), by its path. */
export interface Upload {
  readonly by: string;
  readonly at: number;
  readonly sha256: string;
}

/** Who brought the file: by hand before it was taken, or else whoever ran it, or had it run. */
export async function makersOf(
  store: Pick<JournalStore, "kept" | "acts" | "runs">,
  { id, sha256, folder, fileName }: BatchRecord,
): Promise<readonly string[]> {
  const uploads = await store.kept<Upload>("upload");
  const own = uploads.filter(({ name, value }) => value.sha256 === sha256 || name === `${folder}/${fileName}`);
  const [acts, runs] = await Promise.all([store.acts({ batch: id }), store.runs(id)]);
  const [first] = runs;
  const isTaken = own.some(({ value }) => value.at <= (first?.startedAt ?? Infinity));
  const asked = isTaken ? [] : [...acts.filter(({ kind }) => kind === "ask_approval"), ...(first ? [first] : [])];
  return [...own.map(({ value }) => value.by), ...asked.map(nameOf)];
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
