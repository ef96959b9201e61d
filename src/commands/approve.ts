import { isSameAmount } from "../amount.ts";
import { minuteOf } from "../day.ts";
import { PaydropError } from "../errors.ts";
import { approvalsIn, isToApprove, makersOf, personOf } from "../journal/approval.ts";
import { batchNamed } from "../journal/circumstances.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { printable } from "../printable.ts";
import { say, summarize, textNeeded, type Call } from "./command.ts";
import { actSaid, knownBatch, personNamed, withWork } from "./open-work.ts";

const EXAMPLE = "paydrop approve BATCH --by NAME --total SUM";

/** A second person's word (DESIGN §14): for these bytes, their rows and their sum, and for some hours. Nothing is sent. */
export function run(call: Call): Promise<number> {
  return withWork(call, "act", async (work, config) => {
    const { store, now } = work;
    const by = personNamed(config, EXAMPLE);
    const said = textNeeded(call, "total", EXAMPLE);
    const { id } = await knownBatch(store, call.operands[0]);
    // two who approve at once each see what the other one said
    const { batch, left, until } = await store.judging(async () => {
      const batch = await batchNamed(store, id);
      await assertMayApprove(store, batch, by, said);
      const { sha256, rows, total, approvers } = batch;
      const act = { ...actSaid(call, work, "approve", id), note: `SHA-256 ${sha256}, ${rows} rows, ${total}` };
      const approvals = approvalsIn([...(await store.acts({ batch: id })), act], config.approval_hours, now());
      const last = approvals[approvers - 1];
      await store.setBatch(id, { approvers, approvedUntil: last?.until ?? 0 }, act);
      const own = approvals.find((one) => personOf(one.by) === personOf(by));
      return { batch, left: Math.max(0, approvers - approvals.length), until: (last ?? own)?.until ?? now() };
    });
    const { fileName, rows, total: sum } = batch;
    const facts = { batch: id, file: printable(fileName, 60), rows, sum, by, left, until: minuteOf(until) };
    say(call, config, "approved", facts);
    return summarize(call, config, 0, { batch: id, left });
  });
}

/** Throws PaydropError `usage`; then nothing was changed. */
async function assertMayApprove(store: JournalStore, batch: BatchRecord, by: string, said: string): Promise<void> {
  const { id, phase, total } = batch;
  if (phase === "cancelled") throw new PaydropError("batch_cancelled", { batch: id });
  if (!isToApprove(batch)) throw new PaydropError("approval_not_asked", { batch: id });
  const makers = (await makersOf(store, batch)).map(personOf);
  if (makers.includes(personOf(by))) throw new PaydropError("approval_own", { batch: id, by });
  if (!isSameAmount(said, total)) throw new PaydropError("approval_total", { batch: id, said: printable(said, 40) });
}
