import { isSameAmount } from "../amount.ts";
import { PaydropError } from "../errors.ts";
import { askRelease, release } from "../journal/release.ts";
import { tellNotReleased } from "../messages/holds.ts";
import { personNamed, rowsSaid, textNeeded } from "./acting.ts";
import { optionOf, type Call } from "./command.ts";
import { letGo } from "./letting-go.ts";

const EXAMPLE = 'paydrop release BATCH --row N --by NAME --reason "two payments are meant"';

/** Held rows go, and duplicate ones that are named; never one that is held for a row without an end. */
export function run(call: Call): Promise<number> {
  return letGo(call, async ({ config, work, batch, act }) => {
    personNamed(config, EXAMPLE);
    const note = textNeeded(call, "reason", EXAMPLE);
    const rows = rowsSaid(call);
    if ((call.flags["all"] === true) === (rows !== undefined)) {
      throw new PaydropError("rows_or_all", { all: "--all", example: EXAMPLE });
    }
    const { store } = work;
    const asked = await askRelease(store, batch, rows ?? "all", config, work.now());
    const { acceptedBefore, refused } = asked;
    const stays = refused.map((one) => tellNotReleased(one, batch.id));
    // of rows that were named all go, or none
    if (rows && refused.length > 0) return { rows: [], stays, code: 6 };
    const total = optionOf(call, "total");
    const isSaid = total !== undefined && isSameAmount(total, acceptedBefore.amount);
    if (acceptedBefore.rows > 1 && !isSaid) {
      const { rows: count, amount: sum } = acceptedBefore;
      throw new PaydropError("release_total", { batch: batch.id, rows: count, sum });
    }
    const released = await release(store, batch, asked, act("release", { note }));
    return { rows: released, stays, code: refused.length > 0 ? 6 : 0 };
  });
}
