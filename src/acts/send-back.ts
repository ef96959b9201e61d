import { join } from "node:path";
import { PaydropError } from "../errors.ts";
import { wantedOf } from "../journal/approval.ts";
import { printable } from "../printable.ts";
import { putAnswer, sentBackAnswer } from "../results/answers.ts";
import { knownBatch, neededText, type Named, type OfBatch, type Open } from "./act.ts";
import { cancel } from "./cancel.ts";

interface Values {
  readonly batch: string;
  readonly reason: string;
}

/**
 * Whoever may approve a file says that it is not right: what waits for approval never goes, and the reason stands beside the
 * file, for whoever brought it.
 */
export async function sendBack(open: Open, who: Named, { batch: said, reason }: Values): Promise<OfBatch> {
  const why = neededText(reason, "reason");
  const batch = await knownBatch(open.store, said);
  await who.proves("approve");
  const wanted = await wantedOf(open.store, batch);
  if (!wanted) throw new PaydropError("approval_not_asked", { batch: batch.id });
  const which = wanted.isWhole ? "whole" : wanted.proposed.map(({ row }) => row);
  const done = await cancel(open, who, { batch: batch.id, which, reason: why });
  const answer = sentBackAnswer(batch.fileName, { by: printable(who.by, 80), why: printable(why, 1000) });
  if (wanted.isWhole) await putAnswer(join(batch.folder, batch.fileName), answer);
  return done;
}
