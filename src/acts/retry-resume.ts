import { PaydropError } from "../errors.ts";
import type { Act } from "../journal/store.ts";
import { WAITS_ANEW } from "../messages/acts.ts";
import { wake } from "../submission/again.ts";
import { neededText, type Open, type Person } from "./act.ts";
import { letGo, type Decided, type LetGo } from "./let-go.ts";

export interface Values {
  readonly batch: string;
  readonly reason?: string | undefined;
}

/** What may go again; with `rejected`, by a named person, also rows that were refused for themselves, as they are. */
export async function retry(
  open: Open,
  who: Person,
  { batch: said, reason, rejected = false }: Values & { readonly rejected?: boolean },
): Promise<LetGo> {
  if (rejected && who.by === undefined) throw new PaydropError("left_empty", { what: "name" });
  if (rejected) neededText(reason ?? "", "reason");
  return letGo(open, who, { kind: "retry", batch: said, reason }, async ({ id, phase }, act) => {
    if (phase === "paused") throw new PaydropError("batch_paused", { batch: id });
    return woken(open, id, act, rejected ? ["retry", "retry_rejected"] : ["retry"]);
  });
}

/** A batch goes on, paused or not, with what its file would send again. */
export async function resume(open: Open, who: Person, { batch: said, reason }: Values): Promise<LetGo> {
  return letGo(open, who, { kind: "resume", batch: said, reason }, async ({ id, phase }, act) => {
    if (phase === "paused") await open.store.setBatch(id, { phase: "open" }, act);
    return woken(open, id, act, ["run"]);
  });
}

/** All that waits, with the rows that are taken up again. */
async function woken(
  { store, config }: Open,
  batch: string,
  act: Act,
  how: readonly Parameters<typeof wake>[2][],
): Promise<Decided> {
  let stay = 0;
  const proposed: number[] = [];
  for (const one of how) {
    const became = await wake(store, batch, one, { act, now: store.now(), rules: config });
    stay += became.held.length + became.duplicate.length;
    proposed.push(...became.proposed);
  }
  const waiting = await store.rows({ batch, states: ["ready"] });
  const rows = waiting.filter(({ onItsWay }) => !onItsWay).map(({ row }) => row);
  const facts = { batch, rows: stay, why: WAITS_ANEW };
  const code = stay + proposed.length > 0 ? 6 : 0;
  return { rows, proposed, stays: stay > 0 ? [{ code: "now_held", facts }] : [], code };
}
