import { actOf, sendReady } from "../batch.ts";
import { formatUnits, unitsOf } from "../amount.ts";
import { PaydropError } from "../errors.ts";
import type { Act, BatchRecord } from "../journal/store.ts";
import { openAnswer, putAnswer } from "../results/answers.ts";
import { say, summarize, writeAfter } from "./acting.ts";
import type { Call } from "./command.ts";
import { knownBatch, type OpenedWork, openEither } from "./open-work.ts";
import { withSending, type Sending } from "./sending.ts";

/** What a person's word let go. */
export interface LetGo {
  readonly rows: readonly number[];
  /** Why there are none, or what does not go: lines for a person. */
  readonly stays: readonly string[];
  /** The exit code where nothing goes. */
  readonly code?: number;
}

export interface Asked extends Sending {
  readonly work: OpenedWork;
  readonly batch: BatchRecord;
  /** The act of whoever said it, to be written down with the rows. */
  readonly act: (kind: Act["kind"], more?: Partial<Act>) => Act;
}

/**
 * Rows go by a person's word. `decide` is called inside `store.judging()` and makes them ready (I14); they and their sum
 * are told, then they are sent. While another process sends from this state folder (I9) they are left to it.
 */
export function letGo(call: Call, decide: (asked: Asked) => Promise<LetGo>): Promise<number> {
  return withSending(call, async (sending) => {
    const [work, isSender] = await openEither((mode) => sending.open(mode));
    try {
      const batch = await knownBatch(work.store, call.operands[0]);
      if (batch.phase === "cancelled") throw new PaydropError("batch_cancelled", { batch: batch.id });
      const act: Asked["act"] = (kind, more) => ({ ...actOf(work, kind, more), batch: batch.id });
      const going = await work.store.judging(() => decide({ ...sending, work, batch, act }));
      await tell(call, sending, work, { batch, going });
      if (isSender && going.rows.length > 0) return await send(sending, work, batch);
      const code = await writeAfter(work, batch);
      if (going.rows.length > 0) {
        // by this a watch that had done with the batch sees that it goes on
        await work.store.setBatch(batch.id, { owesResults: true });
        say(call, sending.config, "left", { batch: batch.id });
      }
      return summarize(call, sending.config, code || (going.code ?? 0), { batch: batch.id, requests: 0 });
    } finally {
      await work.close();
    }
  });
}

async function tell(
  call: Call,
  { config }: Sending,
  { store }: OpenedWork,
  { batch, going }: { readonly batch: BatchRecord; readonly going: LetGo },
): Promise<void> {
  const { rows, stays } = going;
  if (!config.json && !config.quiet) for (const line of stays) call.stdout.write(`${line}\n`);
  if (rows.length === 0) return;
  const records = await store.rows({ batch: batch.id, rows });
  const sum = formatUnits(records.reduce((units, { amount = "0" }) => units + unitsOf(amount), 0n));
  say(call, config, "going", { batch: batch.id, rows: rows.length, sum });
}

async function send({ teller }: Sending, work: OpenedWork, batch: BatchRecord): Promise<number> {
  const report = await sendReady(work, batch.id);
  await putAnswer(report.file, openAnswer(report));
  teller.ended(report);
  return report.exitCode;
}
