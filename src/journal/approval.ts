import { formatUnits, sumOf, unitsOf } from "../amount.ts";
import type { Config } from "../config/schema.ts";
import type { Reason } from "../duplicates/seen.ts";
import type { Act, BatchRecord, JournalStore, RowRecord, Who } from "./store.ts";

const HOUR_MS = 3_600_000;

/** So many people besides who brought a file must approve it before anything of it goes (README §14). */
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

/** Who brought these bytes at the desk: kept (kind `upload`) for each person, so that nobody is forgotten for another one. */
type Upload = Readonly<{ by: string; sha256: string }>;
type People = Pick<JournalStore, "kept" | "acts" | "runs">;

/**
 * `hands`: who brought the file by their own hand, at the desk; where nobody did, its owner on the disk. `took`: whoever ran
 * it, or had it run.
 */
async function originOf(store: People, { id, sha256 }: Pick<BatchRecord, "id" | "sha256">) {
  const acts = await store.acts({ batch: id });
  const uploads = (await store.kept<Upload>("upload")).filter(({ value }) => value.sha256 === sha256);
  const owners = acts.filter(({ kind, batch }) => kind === "bring_file" && batch === id);
  const hands = uploads.length > 0 ? uploads.map(({ value }) => value.by) : owners.map(nameOf);
  const asked = acts.find(({ kind }) => kind === "ask_approval");
  const [run] = await store.runs(id);
  // a process may end between the two; and later settings may ask
  const took = asked && asked.at < (run?.startedAt ?? Infinity) ? asked : run;
  return { acts, hands, took: took ? [nameOf(took)] : [] };
}

/** Who brought the file: by hand, and whoever ran it, or had it run: how it is read, and its month, are said there. */
export async function makersOf(store: People, batch: Pick<BatchRecord, "id" | "sha256">): Promise<readonly string[]> {
  const { hands, took } = await originOf(store, batch);
  return [...hands, ...took];
}

/** Rows of these went or may go. */
const COUNTED = ["ready", "accepted", "unknown", "not_sent", "held", "settled_done", "settled_not_done"] as const;

/**
 * The sum of a batch and of what else its people brought in the hours before it that nobody was asked to approve: whoever cuts
 * a file into pieces stays below no bound. `taker`: who takes it now. Those who run a folder for others are counted only where nobody else is known.
 */
export async function broughtTogether(
  store: People & Pick<JournalStore, "batches">,
  batch: BatchRecord,
  { hours, taker }: { readonly hours: number; readonly taker: Who },
): Promise<string> {
  const peopleOf = async (one: BatchRecord): Promise<readonly string[]> => {
    const { hands, took } = await originOf(store, one);
    const names = hands.length > 0 ? hands : took;
    return (names.length > 0 ? names : [nameOf(taker)]).map(personOf);
  };
  const people = await peopleOf(batch);
  const { environment, createdAt } = batch;
  const since = createdAt - hours * HOUR_MS;
  let units = unitsOf(batch.total);
  for (const one of await store.batches({ environment, since })) {
    const isBefore = one.createdAt > since && (one.createdAt - createdAt || (one.id < batch.id ? -1 : 0)) < 0;
    const isAlone = one.phase !== "cancelled" && one.approvers === 0;
    const counts = isAlone && isBefore && (await peopleOf(one)).some((name) => people.includes(name));
    for (const state of counts ? COUNTED : []) units += unitsOf(one.tallies[state]?.amount ?? "0");
  }
  return formatUnits(units);
}

export interface Approval {
  readonly by: string;
  readonly until: number;
}

/** Approvals that have not lapsed, of each person the newest; those that hold longest first. */
export function approvalsIn(acts: readonly Act[], hours: number, now: number): readonly Approval[] {
  const newest = new Map<string, Approval>();
  for (const act of acts.filter(({ kind }) => kind === "approve")) {
    const until = act.at + hours * HOUR_MS;
    if (until > now) newest.set(personOf(nameOf(act)), { by: nameOf(act), until });
  }
  return [...newest.values()].sort((one, other) => other.until - one.until);
}

/** What of a batch others are asked to approve, and who may not: with the sum that they type. */
export interface Wanted {
  /** The whole file, or only rows that somebody let go since. */
  readonly isWhole: boolean;
  readonly rows: number;
  readonly sum: string;
  /** Rows that somebody let go since (I16); they are approved together with the file, too. */
  readonly proposed: readonly RowRecord[];
  /** Who brought the file, let those rows go, or settled them. */
  readonly makers: readonly string[];
  /** Acts by which it was approved, or partly so. */
  readonly given: readonly Act[];
}

/**
 * What must be approved stays so, with whatever settings another process works. Gives the batch as it is then. `act`: of whoever
 * takes it now.
 */
export async function askApproval(
  store: People & Pick<JournalStore, "batches" | "setBatch">,
  batch: BatchRecord,
  config: Config,
  act: Act,
): Promise<BatchRecord> {
  const isBound = config.approval_above !== undefined && approversFor(config, batch.total) === 0;
  const together = isBound
    ? await broughtTogether(store, batch, { hours: config.approval_hours, taker: act })
    : batch.total;
  const approvers = approversFor(config, together);
  if (approvers <= batch.approvers) return batch;
  const asked = { approvers, approvedUntil: 0 };
  await store.setBatch(batch.id, asked, act);
  return { ...batch, ...asked };
}

/** undefined: nobody is asked. */
export async function wantedOf(
  store: People & Pick<JournalStore, "rows">,
  batch: BatchRecord,
): Promise<Wanted | undefined> {
  const { id, approvers, phase, tallies } = batch;
  if (approvers === 0 || phase === "cancelled") return undefined;
  const proposed = tallies.held ? await store.rows({ batch: id, states: ["held"], codes: [PROPOSED] }) : [];
  if (!isToApprove(batch) && proposed.length === 0) return undefined;
  const isWhole = isToApprove(batch) && (waitsForApproval(batch) || proposed.length === 0);
  const proposals = proposed.flatMap(({ reasons }) => reasons.filter(({ code }) => code === PROPOSED));
  // of a million rows, too: neither is spread into a call
  const since = proposals.reduce((last, { at = 0 }) => Math.max(last, at), -1);
  const people = [...proposals.map(({ by }) => by), ...proposed.map(({ settledBy }) => settledBy)];
  const { acts, hands, took } = await originOf(store, batch);
  const makers = [...new Set([...hands, ...took, ...people.filter((name) => name !== undefined)])];
  const given = acts.filter(({ kind, at }) => kind === "approve" && at > since);
  const [rows, sum] = isWhole ? [batch.rows, batch.total] : [proposed.length, sumOf(proposed)];
  return { isWhole, rows, sum, proposed, makers, given };
}

/** Of a row that somebody let go, and that somebody else must approve (I16). */
export const PROPOSED = "approval_wanted";

/** Why such a row is held. */
export const proposalOf = (act: Act): Reason => ({ code: PROPOSED, by: nameOf(act), at: act.at });
