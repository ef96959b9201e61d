import { PaydropError } from "../errors.ts";
import { ACTED } from "../messages/acts.ts";
import { told } from "../messages/sentence.ts";
import { wake } from "../submission/again.ts";
import { personNamed, textNeeded, textSaid } from "./acting.ts";
import type { Call } from "./command.ts";
import { letGo } from "./letting-go.ts";

const EXAMPLE = 'paydrop retry BATCH --rejected --by NAME --reason "there are funds now"';

/**
 * Rows not sent, settled as not done, or refused for the key or the address go again; with `--rejected`, by a named
 * person, those that were refused for themselves, too, as they are.
 */
export function run(call: Call): Promise<number> {
  return letGo(call, async ({ config, work, batch, act }) => {
    if (batch.phase === "paused") throw new PaydropError("batch_paused", { batch: batch.id });
    const isRejected = call.flags["rejected"] === true;
    if (isRejected) personNamed(config, EXAMPLE);
    const note = isRejected ? textNeeded(call, "reason", EXAMPLE) : textSaid(call, "reason");
    const how = isRejected ? (["retry", "retry_rejected"] as const) : (["retry"] as const);
    const waking = { act: act("retry", note === undefined ? {} : { note }), now: work.now(), rules: config };
    const waits = await work.store.rows({ batch: batch.id, states: ["ready"] });
    const rows = waits.filter(({ onItsWay }) => !onItsWay).map(({ row }) => row);
    const stays: string[] = [];
    for (const one of how) {
      const { ready, held, duplicate } = await wake(work.store, batch.id, one, waking);
      rows.push(...ready);
      const facts = { batch: batch.id, rows: held.length + duplicate.length, why: "the same payment went meanwhile" };
      if (facts.rows > 0) stays.push(told(ACTED.now_held, facts).text);
    }
    if (rows.length === 0) stays.push(told(ACTED.none_waits, { batch: batch.id }).text);
    return { rows, stays };
  });
}
