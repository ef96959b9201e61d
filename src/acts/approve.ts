import { isSameAmount } from "../amount.ts";
import { minuteOf } from "../day.ts";
import { PaydropError } from "../errors.ts";
import { approvalsIn, personOf, wantedOf, type Wanted } from "../journal/approval.ts";
import { batchNamed } from "../journal/circumstances.ts";
import { judgeRows } from "../journal/judge.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { WAITS_ANEW, type Found } from "../messages/acts.ts";
import { namedRows } from "../messages/statuses.ts";
import { printable, textIn } from "../printable.ts";
import { actBy, knownBatch, neededText, typedSum, type Named, type OfBatch, type Open } from "./act.ts";

interface Values {
  readonly batch: string;
  /** The sum as the person typed it. */
  readonly total: string;
  readonly note?: string | undefined;
}

/**
 * A second person's word (README §14): for these bytes, their rows and their sum, and for some hours; or for rows that somebody
 * let go since (I16). Nothing is sent. `left`: how many other people must say it, too.
 */
export async function approve(
  open: Open,
  who: Named,
  { batch: said, total, note }: Values,
): Promise<OfBatch & { readonly left: number }> {
  const { store, config } = open;
  const { by } = who;
  const typed = neededText(total, "sum");
  const { id } = await knownBatch(store, said);
  await who.proves("approve");
  // two who approve at once each see what the other one said
  const { batch, wanted, left, until, stay } = await store.judging(async () => {
    const batch = await batchNamed(store, id);
    const wanted = await approvable(store, batch, by, typed);
    const { approvers, approvedUntil } = batch;
    const act = actBy(open, who, "approve", { ...wordOn(batch, wanted, note), batch: id });
    const approvals = approvalsIn([...wanted.given, act], config.approval_hours, store.now());
    const last = approvals[approvers - 1];
    await store.setBatch(id, { approvers, approvedUntil: Math.max(last?.until ?? 0, approvedUntil) }, act);
    const stay = last ? await letProposedGo(open, batch, wanted) : 0;
    const own = approvals.find((one) => personOf(one.by) === personOf(by));
    return {
      batch,
      wanted,
      left: Math.max(0, approvers - approvals.length),
      until: (last ?? own)?.until ?? store.now(),
      stay,
    };
  });
  const { rows, sum } = wanted;
  const facts = {
    batch: id,
    file: printable(batch.fileName, 60),
    rows,
    sum,
    by,
    left,
    until: minuteOf(until),
    until_at: until,
  };
  const waits: Found = { code: "now_held", facts: { batch: id, rows: stay, why: WAITS_ANEW } };
  const found: readonly Found[] = [{ code: "approved", facts }, ...(stay > 0 ? [waits] : [])];
  return { batch: id, left, found, code: stay > 0 ? 6 : 0 };
}

/** What is approved, for an auditor. */
function wordOn({ sha256 }: BatchRecord, { isWhole, rows, sum, proposed }: Wanted, said: string | undefined) {
  const numbers = proposed.map(({ row }) => row);
  const which = isWhole ? `${rows} rows` : namedRows(numbers.slice(0, 20), rows);
  const own = textIn(said);
  const note = `SHA-256 ${sha256}, ${which}, ${sum}${own === undefined ? "" : `: ${own}`}`;
  return { ...(!isWhole && { rows: numbers }), note };
}

/** They are judged once more (I14); gives how many must wait for another reason by now. */
async function letProposedGo({ store, config }: Open, { id }: BatchRecord, { proposed }: Wanted): Promise<number> {
  if (proposed.length === 0) return 0;
  const rows = proposed.map(({ row }) => row);
  const became = await judgeRows(store, { id }, rows, config, { now: store.now(), from: ["held"], as: "approved" });
  // by this a watch that had done with the batch sees that it goes on
  await store.setBatch(id, { owesResults: true });
  return became.held.length + became.duplicate.length;
}

/** Throws PaydropError `usage`; then nothing was changed. */
async function approvable(store: JournalStore, batch: BatchRecord, by: string, said: string): Promise<Wanted> {
  const { id, phase } = batch;
  if (phase === "cancelled") throw new PaydropError("batch_cancelled", { batch: id });
  const wanted = await wantedOf(store, batch);
  if (!wanted) throw new PaydropError("approval_not_asked", { batch: id });
  if (wanted.makers.map(personOf).includes(personOf(by))) throw new PaydropError("approval_own", { batch: id, by });
  if (!isSameAmount(typedSum(said), wanted.sum))
    throw new PaydropError("approval_total", { batch: id, said: printable(said, 40), isWhole: Number(wanted.isWhole) });
  return wanted;
}
