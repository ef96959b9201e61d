import { isSameAmount } from "../amount.ts";
import { PaydropError } from "../errors.ts";
import { askRelease } from "../journal/release.ts";
import { notReleasedFacts } from "../messages/holds.ts";
import { neededText, rowsNamed, typedSum, type Named, type Open } from "./act.ts";
import { assertAsSeen, type Seen } from "./as-seen.ts";
import { letGo, type LetGo } from "./let-go.ts";

export interface Values {
  readonly batch: string;
  /** All that are held, or these rows. */
  readonly which: "all" | readonly number[];
  readonly reason: string;
  /** The sum of what was accepted before, as the person typed it. */
  readonly total?: string | undefined;
  readonly seen?: Seen;
}

/** Held rows go, and duplicate ones that are named; never one that is held for a row without an end. */
export async function release(open: Open, who: Named, values: Values): Promise<LetGo> {
  try {
    return await releaseBy(open, who, values, { isProven: false });
  } catch (error) {
    if (!(error instanceof NeedsProof)) throw error;
    // outside of the lock: nobody else waits while a person types
    await who.proves("decide");
    return await releaseBy(open, who, values, { isProven: true });
  }
}

/** Another payee: a name that was only typed is no other person. Nothing was changed. */
class NeedsProof extends Error {}

function releaseBy(
  open: Open,
  who: Named,
  values: Values,
  { isProven }: { readonly isProven: boolean },
): Promise<LetGo> {
  const { store, config } = open;
  const { batch: said, which, total, seen } = values;
  const reason = neededText(values.reason, "reason");
  return letGo(open, who, { kind: "release", batch: said, reason }, async (batch, act) => {
    const isNamed = which !== "all";
    if (isNamed) assertAsSeen(seen, await rowsNamed(store, batch.id, which));
    const asked = { rules: config, now: store.now(), act };
    const { moves, refused, acceptedBefore, fourEyes } = await askRelease(store, batch, which, asked);
    const stays = refused.map((one) => ({ code: one.why, facts: notReleasedFacts(one, batch.id) }));
    // of rows that were named all go, or none
    if (isNamed && refused.length > 0)
      return { rows: [], proposed: [], stays, code: refused.every(({ why }) => why === "not_held") ? 2 : 6 };
    const isSaid = total !== undefined && isSameAmount(typedSum(total), acceptedBefore.amount);
    if (acceptedBefore.rows > 1 && !isSaid) {
      const { rows, amount: sum } = acceptedBefore;
      throw new PaydropError("release_total", { batch: batch.id, rows, sum });
    }
    if (fourEyes > 0 && !isProven) throw new NeedsProof();
    const isProposal = batch.approvers > 0;
    const moved = await store.move(batch.id, moves, isProposal ? { ...act, as: "a proposal" } : act);
    const code = refused.length > 0 || isProposal ? 6 : 0;
    return { rows: isProposal ? [] : moved, proposed: isProposal ? moved : [], stays, code };
  });
}
