import { isSameAmount } from "../amount.ts";
import { minuteOf } from "../day.ts";
import { PaydropError } from "../errors.ts";
import { approvalsIn, personOf, wantedOf, type Wanted } from "../journal/approval.ts";
import { batchNamed } from "../journal/circumstances.ts";
import { judgeRows } from "../journal/judge.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { namedRows } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { say, summarize, textNeeded, type Call } from "./command.ts";
import { actSaid, knownBatch, personNamed, withWork, type OpenedWork } from "./open-work.ts";
import { assertIs } from "./prove.ts";

const EXAMPLE = "paydrop approve BATCH --by NAME --total SUM";

/**
 * A second person's word (DESIGN §14): for these bytes, their rows and their sum, and for some hours; or for rows that somebody
 * let go since (I16). Nothing is sent.
 */
export function run(call: Call): Promise<number> {
  return withWork(call, "act", async (work, config) => {
    const { store, now } = work;
    const by = personNamed(config, EXAMPLE);
    const said = textNeeded(call, "total", EXAMPLE);
    const { id } = await knownBatch(store, call.operands[0]);
    await assertIs(call, store, by, "approve");
    // two who approve at once each see what the other one said
    const { batch, wanted, left, until, stay } = await store.judging(async () => {
      const batch = await batchNamed(store, id);
      const wanted = await approvable(store, batch, by, said);
      const { approvers, approvedUntil } = batch;
      const act = { ...actSaid(call, work, "approve", id), ...wordOn(batch, wanted) };
      const approvals = approvalsIn([...wanted.given, act], config.approval_hours, now());
      const last = approvals[approvers - 1];
      await store.setBatch(id, { approvers, approvedUntil: Math.max(last?.until ?? 0, approvedUntil) }, act);
      const stay = last ? await letProposedGo(work, batch, wanted) : 0;
      const own = approvals.find((one) => personOf(one.by) === personOf(by));
      return {
        batch,
        wanted,
        left: Math.max(0, approvers - approvals.length),
        until: (last ?? own)?.until ?? now(),
        stay,
      };
    });
    const { rows, sum } = wanted;
    const facts = { batch: id, file: printable(batch.fileName, 60), rows, sum, by, left, until: minuteOf(until) };
    say(call, config, "approved", facts);
    if (stay > 0)
      say(call, config, "now_held", {
        batch: id,
        rows: stay,
        why: "the same payment went meanwhile, or waits elsewhere",
      });
    return summarize(call, config, stay > 0 ? 6 : 0, { batch: id, left });
  });
}

/** What is approved, for an auditor. */
function wordOn({ sha256 }: BatchRecord, { isWhole, rows, sum, proposed }: Wanted) {
  const numbers = proposed.map(({ row }) => row);
  if (isWhole) return { note: `SHA-256 ${sha256}, ${rows} rows, ${sum}` };
  return { rows: numbers, note: `SHA-256 ${sha256}, ${namedRows(numbers.slice(0, 20), rows)}, ${sum}` };
}

/** They are judged once more (I14); gives how many must wait for another reason by now. */
async function letProposedGo(
  { store, config, now }: OpenedWork,
  { id }: BatchRecord,
  { proposed }: Wanted,
): Promise<number> {
  if (proposed.length === 0) return 0;
  const rows = proposed.map(({ row }) => row);
  const became = await judgeRows(store, { id }, rows, config, { now: now(), from: ["held"], as: "approved" });
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
  if (!isSameAmount(said, wanted.sum))
    throw new PaydropError("approval_total", { batch: id, said: printable(said, 40), isWhole: Number(wanted.isWhole) });
  return wanted;
}
