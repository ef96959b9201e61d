import { PaydropError } from "../errors.ts";
import { judgeWaiting } from "../journal/judge.ts";
import type { BatchRecord } from "../journal/store.ts";
import type { Found } from "../messages/acts.ts";
import { STATUSES } from "../messages/statuses.ts";
import { statusOf } from "../results/totals.ts";
import { cancel as cancelRows, filtersOf } from "../submission/again.ts";
import { actBy, knownBatch, noteOf, rowsNamed, writeAfter, type Named, type OfBatch, type Open } from "./act.ts";
import { assertAsSeen, type Seen } from "./as-seen.ts";

interface Values {
  readonly batch: string;
  /** The whole batch, what is held of it, or these rows. */
  readonly which: "whole" | "held" | readonly number[];
  readonly reason?: string | undefined;
  readonly seen?: Seen;
}

/** Rows that did not go never go: some, the held ones, or the whole batch. What was accepted cannot be called back. */
export async function cancel(open: Open, who: Named, values: Values): Promise<OfBatch> {
  const { store } = open;
  const { id, environment } = await knownBatch(store, values.batch);
  const { moved, waiting } = await cancelIn(open, who, { ...values, batch: id, environment });
  const isWhole = values.which === "whole";
  const facts = (rows: number) => ({ batch: id, rows });
  const [batch] = await store.batches({ id });
  const { tallies: { accepted, unknown } = {}, onItsWay = 0 } = batch ?? {};
  const found: readonly Found[] = [
    { code: isWhole ? "cancelled_whole" : "cancelled", facts: facts(moved.length) },
    ...(isWhole && accepted ? [{ code: "cannot_recall", facts: facts(accepted.rows) } as const] : []),
    ...(unknown ? [{ code: "still_unknown", facts: facts(unknown.rows) } as const] : []),
    ...(onItsWay > 0 ? [{ code: "on_their_way", facts: facts(onItsWay) } as const] : []),
    ...[...waiting].map(([other, rows]) => ({ code: "freed", facts: { batch: other, rows } }) as const),
  ];
  return { batch: id, found, ...(await writeAfter(open, id)) };
}

/** One judging: what waited for these rows is judged again with it (I14). `waiting`: how many may go of which batch. */
function cancelIn(open: Open, who: Named, asked: Values & Pick<BatchRecord, "environment">) {
  const { batch: id, environment, which, reason, seen } = asked;
  const { store, config } = open;
  const rows = typeof which === "string" ? undefined : which;
  return store.judging(async () => {
    // of rows that were named all are cancelled, or none
    const states = filtersOf("cancel").flatMap((one) => one.states ?? []);
    const named = rows ? await rowsNamed(store, id, rows) : [];
    assertAsSeen(seen, named);
    const other = named.find(({ state }) => ![...states, "cancelled"].includes(state));
    if (other) throw new PaydropError("cancel_state", { row: other.row, state: STATUSES[statusOf(other)].word });
    // first: a process that sends the batch must let nothing more of it go
    if (which === "whole") await store.setBatch(id, { phase: "cancelled" });
    const chosen = { ...(rows ? { rows } : {}), ...(which === "held" ? { states: ["held" as const] } : {}) };
    const act = actBy(open, who, "cancel", { ...noteOf(reason), batch: id });
    const moved = await cancelRows(store, id, { act, ...chosen });
    if (which === "whole" && moved.length === 0) await store.setBatch(id, {}, act);
    return { moved, waiting: await judgeWaiting(store, [id], environment, config, store.now()) };
  });
}
