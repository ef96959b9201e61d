import { loadWithoutKeys } from "../config/load.ts";
import type { Tallies } from "../journal/batch-record.ts";
import type { WaitingBatch } from "../journal/store.ts";
import { withProcessor } from "../processor.ts";
import type { JsonLine } from "../results/json-lines.ts";
import { toldOf } from "../results/words/next-steps.ts";
import type { Call } from "./command.ts";
import { knownBatch } from "./known-batch.ts";
import { rewriteResults } from "./rewrite.ts";
import { tell } from "./screen/tell.ts";
import { personOrLogin, textSaid } from "./who.ts";

interface Stopped {
  readonly id: string;
  readonly by: string;
  /** The batch was so before: nothing was done. */
  readonly already: boolean;
  readonly tallies: Tallies;
  /** Batches that have rows waiting for a row of this one. */
  readonly waiting: readonly WaitingBatch[];
}

/** A person stops a batch, for now or for good. `words` says what that means for its rows, for people and as JSON. */
export async function stopBatch(
  call: Call,
  [phase, kind]: readonly ["paused", "pause"] | readonly ["cancelled", "cancel"],
  words: (stopped: Stopped) => readonly [string, JsonLine],
): Promise<number> {
  const config = loadWithoutKeys(call);
  const who = personOrLogin(config);
  const touched = await withProcessor({ config }, "read", async ({ journal }) => {
    const batch = await knownBatch(journal, call.operands[0]);
    const { id } = batch;
    const already = batch.phase === phase;
    if (!already) await journal.setPhase(id, phase, who.act(kind, textSaid(call.flags["reason"])));
    // a paused batch still stands in the way of rows that wait for it
    const waiting = phase === "cancelled" ? await journal.waitingBatches({ awaited: id }) : [];
    const [text, object] = words({ id, by: who.by, already, tallies: await journal.tallies(id), waiting });
    tell(call, config, toldOf(text, batch), object);
    return !already || (await journal.owesResults(id)) ? [id] : [];
  });
  return rewriteResults(call, config, touched);
}
