import type { Config } from "../config/config.ts";
import { PaydropError } from "../errors.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { RowState } from "../journal/state.ts";
import type { JournalStore } from "../journal/store.ts";
import { isResumable } from "../reason.ts";
import { resumeBatchCommand } from "../results/words/next-steps.ts";
import { STATE_WORDS } from "../results/words/status.ts";
import type { Call } from "./command.ts";
import { Going, staysText, whichRows, type GoingRow } from "./release/going.ts";
import { letGo, type Prepare } from "./release/let-go.ts";
import { personOrLogin, textSaid } from "./who.ts";

/** Rows not sent, settled as not done, or refused for the key or the address go again. Exit code as `run`. */
export function run(call: Call): Promise<number> {
  return letGo(call, prepareRetry);
}

const prepareRetry: Prepare = async ({ call, config, journal, batch, isSending }) => {
  assertOpen(batch);
  const who = personOrLogin(config);
  // while a batch is being sent, its ready rows go by themselves; else a settlement freed them, and they wait for a
  // retry
  const isOnItsWay = !isSending && (await journal.tallies(batch.id)).sending !== undefined;
  const states = ["not_sent", "settled_not_done", "rejected"] as const;
  const safe = await safeRows(journal, batch, isOnItsWay ? states : ["ready", ...states], config);
  const stays = await staysText(journal, batch, safe.counts);
  const base = { act: "retry", by: who.by, going: safe.going, code: 0 } as const;
  if (safe.going.numbers.length === 0) return { ...base, stays: ["Nothing to send again.", ...stays] };
  const act = who.act("retry", textSaid(call.flags["reason"]), whichRows(safe.going.numbers));
  return { ...base, stays, apply: () => makeReady(journal, batch, safe, act) };
};

/** Rows that are safe to send. */
interface SafeRows {
  readonly going: Going;
  /** How many of each state. */
  readonly counts: ReadonlyMap<RowState, number>;
  /** Numbers of the rows that are not ready yet. */
  readonly waiting: readonly number[];
}

/** Rows of these states that are safe to send: a refused one only where the key or the address was at fault. */
export async function safeRows(
  journal: JournalStore,
  batch: BatchRecord,
  states: readonly RowState[],
  { json }: Pick<Config, "json">,
): Promise<SafeRows> {
  const going = new Going(json);
  const counts = new Map<RowState, number>();
  const waiting: number[] = [];
  for await (const rows of journal.rowsIn(batch.id, states)) {
    for (const row of rows) {
      if (row.state === "rejected" && !isResumable(row)) continue;
      going.add(asGoing(row));
      counts.set(row.state, (counts.get(row.state) ?? 0) + 1);
      if (row.state !== "ready") waiting.push(row.number);
    }
  }
  return { going, counts, waiting };
}

/** The act never stands without its rows, nor the rows without the act (I5). */
export async function makeReady(
  journal: JournalStore,
  batch: BatchRecord,
  { counts, waiting }: SafeRows,
  act: { readonly by: string; readonly kind: string; readonly note: string },
): Promise<void> {
  const states = [...counts.keys()].filter((state) => state !== "ready");
  await journal.makeReady(batch.id, waiting, states, act);
}

export function asGoing({ number, amount, state, code, settledBy }: RowRecord): GoingRow {
  const why =
    state === "settled_not_done"
      ? `${STATE_WORDS.settled_not_done} by ${settledBy ?? "a person"}`
      : state === "rejected"
        ? code === "key_refused"
          ? "refused because of the key"
          : "refused because of the address"
        : STATE_WORDS.not_sent;
  return { number, amount, why };
}

function assertOpen({ id, phase }: BatchRecord): void {
  if (phase === "open") return;
  const hint = phase === "paused" ? `go on with \`${resumeBatchCommand(id)}\`` : "what was not sent stays unsent";
  throw new PaydropError("usage", `batch ${id} is ${phase}: nothing of it is sent`, hint);
}
