import { sumOf } from "../amount.ts";
import { PaydropError } from "../errors.ts";
import { waitsForApproval } from "../journal/approval.ts";
import type { Act, BatchRecord } from "../journal/store.ts";
import type { Found } from "../messages/acts.ts";
import { actBy, knownBatch, noteOf, writeAfter, type OfBatch, type Open, type Person } from "./act.ts";

/** Rows that a person let go. Whoever sends sends them next; everybody else calls `leave`. */
export interface LetGo extends OfBatch {
  readonly rows: readonly number[];
  /** Held until somebody else approves that they go (I16). */
  readonly proposed: readonly number[];
  /** What does not go, and why. */
  readonly stays: readonly Found[];
  /** The whole batch waits for its approval. */
  readonly waits: boolean;
}

export type Decided = Pick<LetGo, "rows" | "proposed" | "stays" | "code">;

/** A batch of which something may still go. Throws `usage` for a cancelled one. */
export async function openBatch({ store }: Pick<Open, "store">, said: string): Promise<BatchRecord> {
  const batch = await knownBatch(store, said);
  if (batch.phase === "cancelled") throw new PaydropError("batch_cancelled", { batch: batch.id });
  return batch;
}

interface Asked {
  readonly kind: Act["kind"];
  readonly batch: string;
  readonly reason?: string | undefined;
}

/**
 * Rows go by a person's word. `decide` is called inside `store.judging()` and makes them ready (I14); what became of it, and
 * the sum, are told. Nothing is sent.
 */
export async function letGo(
  open: Open,
  who: Person,
  { kind, batch: said, reason }: Asked,
  decide: (batch: BatchRecord, act: Act) => Promise<Decided>,
): Promise<LetGo> {
  const { store } = open;
  const batch = await openBatch(open, said);
  const [{ id }, waits] = [batch, waitsForApproval(batch)];
  const act = actBy(open, who, kind, { ...noteOf(reason), batch: id });
  // known anew: somebody may have cancelled or paused it meanwhile
  const decided = await store.judging(async () => decide(await openBatch(open, id), act));
  const { rows, proposed, stays, code } = decided;
  const isNone = rows.length + proposed.length + stays.length === 0;
  const found: Found[] = [];
  for (const [what, numbers] of [
    [waits ? "going_when_approved" : "going", rows],
    ["proposed", proposed],
  ] as const) {
    if (numbers.length === 0) continue;
    const sum = sumOf(await store.rows({ batch: id, rows: numbers }));
    found.push({ code: what, facts: { batch: id, rows: numbers.length, sum } });
    // a person has acted: what comes of it is news, also where it is the same again
    await store.keep("notice", id, undefined);
  }
  const none: Found = { code: "none_waits", facts: { batch: id } };
  return { batch: id, rows, proposed, waits, stays: isNone ? [none] : stays, found, code };
}

/** What was let go is left to whoever sends. `isLeft`: something goes as soon as they look. */
export async function leave(open: Open, { batch, rows, waits, code }: LetGo) {
  const isLeft = rows.length > 0;
  const written = await writeAfter(open, batch, isLeft);
  return { ...written, isLeft: isLeft && !waits, code: written.code || code };
}
