/** What a person is told who settled rows. */
import type { MadeSince, Repeat } from "../../journal/act-calls.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import { operationNamed } from "../../operations/catalogue.ts";
import type { OperationName } from "../../operations/operation.ts";
import {
  releaseCommand,
  resumeBatchCommand,
  retryCommand,
  settleCommand,
  toldOf,
} from "../../results/words/next-steps.ts";
import { asInResults, STATE_WORDS } from "../../results/words/status.ts";
import { whichRows } from "../release/going.ts";
import { wordsOf, type Settling } from "./settling.ts";

/** So many of a kind are told one by one. */
const TOLD_OF_A_KIND = 5;

/** For a long list: what is told instead of a line for each unknown row after the first few of a kind. */
export function severalTexts(settlings: readonly Settling[]): ReadonlyMap<Settling, string> {
  const texts = new Map<Settling, string>();
  const unknown = settlings.filter(({ row }) => row.state === "unknown");
  for (const alike of Map.groupBy(unknown, ({ batch, word }) => JSON.stringify([batch, word.as, word.by])).values()) {
    const [first, ...more] = alike.slice(TOLD_OF_A_KIND);
    if (!first || more.length === 0) continue;
    const { batch, word } = first;
    const rows = whichRows([first, ...more].map(({ row }) => row.number).sort((a, b) => a - b));
    const many = `and ${more.length + 1} more of batch ${batch} settled as ${wordsOf(word.as)} by ${word.by}: ${rows}`;
    texts.set(first, many);
    for (const one of more) texts.set(one, "");
  }
  return texts;
}

export function settledText({ row, word: { as, by } }: Settling, batch: BatchRecord): string {
  const amount = row.amount === undefined ? "" : ` (${row.amount})`;
  const settled = `Row ${row.number} of batch ${batch.id}${amount} settled as ${wordsOf(as)} by ${by}.`;
  if (as === "settled_done") return `${settled} It is never sent again.`;
  if (batch.phase === "cancelled") return `${settled} Its batch is cancelled: it does not go again.`;
  const resume = batch.phase === "paused" ? `${resumeBatchCommand(batch.id)}, then ` : "";
  const lines = [`${settled} It may go again:  ${resume}${retryCommand(batch.id)}`];
  if (row.state === "accepted" || row.state === "settled_done") {
    lines.push(
      `  ATTENTION: it was ${row.state === "accepted" ? "accepted by the service" : STATE_WORDS.settled_done} before. Sent again, ${twiceText(row.operation)}.`,
      `  → a mistake?  ${settleCommand(batch.id, row.number, "done")}`,
    );
  }
  return toldOf(lines.join("\n"), batch);
}

/** Of a row that went after all, whose payment another row made since it was said not to have gone. */
export function madeTwiceText({ batch, row, state }: MadeSince, { row: { operation } }: Settling): string {
  const is = state === "sending" ? "is being sent at this moment" : `is ${asInResults(state)}`;
  return `  ATTENTION: row ${row} of batch ${batch} is the same payment, and ${is}: ${goneTwiceText(operation)} unless one of the two came to nothing.`;
}

function goneTwiceText(operation: OperationName | undefined): string {
  const party = operation && operationNamed(operation).party;
  if (party === "borrower") return "the borrower has two applications";
  return party === "payer" ? "the payer was asked for the money twice" : "the money went out twice";
}

/** What a second request would do, where the first one was accepted. */
function twiceText(operation: OperationName | undefined): string {
  const party = operation && operationNamed(operation).party;
  if (party === "borrower") return "the borrower has two applications unless the first one came to nothing";
  if (party === "payer") return "the payer is asked for the money twice unless the first request came to nothing";
  return "the money goes out twice unless the bank gave it back";
}

export function alreadyText({ batch, row, word: { as } }: Settling): string {
  const place = `Row ${row.number} of batch ${batch}`;
  const by = row.settledBy === undefined ? "" : ` by ${row.settledBy}`;
  if (row.state !== as)
    return `${place}: this was settled${by} before, and carried on since. Nothing was changed. Was it looked up anew? Then say what was seen now, in another note.`;
  return `${place} was settled as ${wordsOf(as)}${by} before. Nothing was changed.`;
}

export function repeatText({ batch, row, state }: Repeat): string {
  const place = `Row ${row} of batch ${batch}`;
  const is = state === "held" ? "is held because of it" : "is a duplicate of it";
  return `${place} ${is}, and was not sent. To send that one instead:  ${releaseCommand(batch, `--row ${row}`)}`;
}

export function waitedText({ id, phase }: BatchRecord, { number, state }: RowRecord): string {
  const waited = `Row ${number} of batch ${id} waited for it and is now ${state}`;
  if (state === "ready")
    return `${waited}. To send it:  ${phase === "paused" ? resumeBatchCommand(id) : retryCommand(id)}`;
  return state === "held" ? `${waited} for another reason:  paydrop status ${id}` : `${waited}: nothing to do.`;
}
