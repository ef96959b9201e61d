import { PaydropError } from "../errors.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { JournalStore } from "../journal/store.ts";
import { isResumable } from "../reason.ts";
import type { Call } from "./command.ts";
import { staysText, whichRows, type GoingRow } from "./going.ts";
import { letGo, type Prepare } from "./let-go.ts";
import { personOrLogin, textSaid } from "./who.ts";

/** Rows not sent, settled as not done, or refused for the key or the address go again. Exit code as `run`. */
export function run(call: Call): Promise<number> {
  return letGo(call, prepareRetry);
}

const prepareRetry: Prepare = async ({ call, config, journal, batch, isSending }) => {
  assertOpen(batch);
  const who = personOrLogin(config);
  // rows of a batch that is being sent go by themselves; other ready ones were freed by a settlement, and nobody knows
  const isOnItsWay = !isSending && (await journal.tallies(batch.id)).sending !== undefined;
  const rows = await safeRows(journal, batch, [
    ...(isOnItsWay ? [] : (["ready"] as const)),
    "not_sent",
    "settled_not_done",
    "rejected",
  ]);
  const going = rows.map(asGoing);
  const stays = await staysText(journal, batch, rows);
  const base = { act: "retry", by: who.by, rows: going, code: 0 } as const;
  if (rows.length === 0) return { ...base, stays: ["Nothing to send again.", ...stays] };
  const act = who.act("retry", textSaid(call.flags["reason"]), whichRows(rows));
  return { ...base, stays, apply: () => makeReady(journal, batch, rows, act) };
};

/** Rows of these states that are safe to send: a refused one only where the key or the address was at fault. */
export async function safeRows(
  journal: JournalStore,
  batch: BatchRecord,
  states: readonly RowRecord["state"][],
): Promise<readonly RowRecord[]> {
  const rows = await journal.rowsIn(batch.id, states);
  return rows.filter((row) => row.state !== "rejected" || isResumable(row));
}

/** The act never stands without its rows, nor the rows without the act (I5). */
export async function makeReady(
  journal: JournalStore,
  batch: BatchRecord,
  rows: readonly RowRecord[],
  act: { readonly by: string; readonly kind: string; readonly note: string },
): Promise<void> {
  const waiting = rows.filter((row) => row.state !== "ready");
  const states = [...new Set(waiting.map((row) => row.state))];
  const numbers = waiting.map((row) => row.number);
  await journal.makeReady(batch.id, numbers, states, act);
}

export function asGoing({ number, amount, state, code, settledBy }: RowRecord): GoingRow {
  const why =
    state === "settled_not_done"
      ? `settled as not done by ${settledBy ?? "a person"}`
      : state === "rejected"
        ? code === "key_refused"
          ? "refused because of the key"
          : "refused because of the address"
        : "not sent";
  return { number, amount, why };
}

function assertOpen({ id, phase }: BatchRecord): void {
  if (phase === "open") return;
  const hint = phase === "paused" ? `go on with \`paydrop resume ${id}\`` : "what was not sent stays unsent";
  throw new PaydropError("usage", `batch ${id} is ${phase}: nothing of it is sent`, hint);
}
