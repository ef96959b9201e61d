import { PaydropError } from "../errors.ts";
import type { Found } from "../messages/acts.ts";
import { actBy, knownBatch, noteOf, writeAfter, type OfBatch, type Open, type Person } from "./act.ts";

interface Values {
  readonly batch: string;
  readonly reason?: string | undefined;
}

/** Nothing new of the batch goes until `resume`; a process that is sending it stops after its rows on their way. */
export async function pause(open: Open, who: Person, { batch: said, reason }: Values): Promise<OfBatch> {
  const { store } = open;
  const { id, phase, tallies, onItsWay } = await knownBatch(store, said);
  if (phase === "cancelled") throw new PaydropError("batch_cancelled", { batch: id });
  const act = actBy(open, who, "pause", { ...noteOf(reason), batch: id });
  if (phase !== "paused") await store.setBatch(id, { phase: "paused" }, act);
  const rows = (tallies.ready?.rows ?? 0) - onItsWay + (tallies.not_sent?.rows ?? 0);
  const going: Found = { code: "on_their_way", facts: { batch: id, rows: onItsWay } };
  const found: readonly Found[] = [{ code: "paused", facts: { batch: id, rows } }, ...(onItsWay > 0 ? [going] : [])];
  return { batch: id, found, ...(await writeAfter(open, id)) };
}
