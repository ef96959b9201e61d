import { counted } from "../text/counted.ts";
import { PaydropError } from "../errors.ts";
import { cancelledError } from "../journal/sqlite/batches.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { RowState } from "../journal/state.ts";
import type { JournalStore } from "../journal/store.ts";
import { resumeBatchCommand, settleCommand } from "../results/words/next-steps.ts";
import { sentenceOf } from "../results/words/sentences.ts";
import type { Call } from "./command.ts";
import { Going, numbersIn, whichRows } from "./release/going.ts";
import { letGo, type Prepare } from "./release/let-go.ts";
import { addReady, chooseRows, type Some, type Wanted } from "./release/rows.ts";
import { rowsSaid } from "./release/rows-said.ts";
import { personNamed, textSaid } from "./who.ts";
import { judgeRulesOf } from "../batch/record.ts";

/** Held rows go, and duplicate ones that are named; never one that is held for an unknown row. Exit code as `run`. */
export function run(call: Call): Promise<number> {
  return letGo(call, prepareRelease);
}

const EXAMPLE = 'paydrop release BATCH --row N --by NAME --reason "December payroll"';

const prepareRelease: Prepare = async ({ call, config, journal, batch, isSending }) => {
  const by = personNamed(config, EXAMPLE);
  const reason = textSaid(call.flags["reason"]);
  if (reason === undefined) throw new PaydropError("usage", "--reason is missing", EXAMPLE);
  if (batch.phase === "cancelled") throw cancelledError(batch.id);
  const wanted = wantedRows(call);
  const seenAtMs = Date.now();
  // what these rows waited for may have ended meanwhile, or the same payment may have been made once more
  const isAnyHeld = (await journal.tallies(batch.id)).held !== undefined;
  const judged = new Set(isAnyHeld ? await journal.judgeAgain(batch.id, judgeRulesOf(config)) : []);
  for await (const numbers of piecesOf(wanted, journal, batch)) {
    for (const number of await journal.judgeNamed(batch.id, numbers, judgeRulesOf(config))) judged.add(number);
  }
  const release = { journal, batch, wanted, judged };
  const { going, count, blocked, changed } = await chooseRows(release, config);
  const released = [...going.numbers];
  const freed = await addReady(release, isSending && batch.phase === "open", going);
  const stays = [
    ...(await blockedTexts(journal, blocked)),
    ...changedTexts(changed, batch),
    ...(wanted === "all" ? await duplicatesText(journal, batch) : []),
    ...(batch.phase === "paused" ? [`The batch is paused: ${resumeBatchCommand(batch.id)} sends them`] : []),
  ];
  const base = { act: "release", by, isJudgedAnew: judged.size > 0, code: count > 0 ? 6 : 0 } as const;
  const nothing = { ...base, going: new Going(config.json) };
  if (wanted !== "all" && released.length < count)
    return { ...nothing, stays: [...stays, ...freedText(freed, batch), "Nothing was released."] };
  if (released.length + freed.length === 0) {
    const left = isSending && batch.phase === "open" ? await leftText(journal, batch) : [];
    const said = count > 0 ? "Nothing was released." : "Nothing is held.";
    const isLeft = left.length > 0;
    return {
      ...nothing,
      ...{ isJudgedAnew: base.isJudgedAnew || isLeft, code: isLeft && base.code === 0 ? 7 : base.code },
      stays: [said, ...left, ...stays],
    };
  }
  return {
    ...base,
    stays,
    going,
    apply: async () => {
      const act = { by, kind: "release", note: reason };
      await Promise.all([journal.release(batch.id, released, act, seenAtMs), journal.noteRows(batch.id, freed, act)]);
    },
  };
};

/** Numbers of the wanted rows, in pieces: a process that sends meanwhile waits for no more than one piece. */
async function* piecesOf(wanted: Wanted, journal: JournalStore, batch: BatchRecord): AsyncGenerator<readonly number[]> {
  if (wanted !== "all") yield wanted;
  else for await (const rows of journal.rowsIn(batch.id, ["held"])) yield rows.map(({ number }) => number);
}

function wantedRows(call: Call): Wanted {
  const isAll = call.flags["all"] === true;
  const said = call.flags["row"];
  if (isAll !== (said === undefined)) throw new PaydropError("usage", "say either --row N… or --all", EXAMPLE);
  return isAll ? "all" : rowsSaid(said);
}

/** Rows that nothing holds any more need no release; they are told, since nothing goes now. */
function freedText(freed: readonly number[], { id }: BatchRecord): string[] {
  if (freed.length === 0) return [];
  return [`Nothing stands in the way of ${whichRows(freed)} any more:  paydrop retry ${id}`];
}

/** For a release that was cut off before it sent, and is said again: nothing is held any more, and nothing went. */
async function leftText(journal: JournalStore, batch: BatchRecord): Promise<string[]> {
  const ready = await numbersIn(journal, batch, "ready");
  if (ready.length === 0) return [];
  const wait = ready.length === 1 ? "waits" : "wait";
  return [`${counted(ready.length)} ${wait} to be sent (${whichRows(ready)}):  paydrop retry ${batch.id}`];
}

async function blockedTexts(journal: JournalStore, { count, first }: Some): Promise<string[]> {
  const texts: string[] = [];
  for (const { number, other } of first) {
    const state = other && (await journal.row(other.batch, other.row))?.state;
    texts.push(blockedText(number, other, state));
  }
  const more = count - first.length;
  return [...texts, ...(more > 0 ? [`and ${counted(more)} more that wait for another row`] : [])];
}

function blockedText(number: number, other: RowRecord["other"], state: RowState | undefined): string {
  const place = other ? `row ${other.row} of batch ${other.batch}` : "another row";
  if (state === "unknown" && other) {
    return [
      `Row ${number} stays held: it waits for ${place}, which is unknown and may have gone through.`,
      `  → look that one up, then: ${settleCommand(other.batch, other.row)}`,
    ].join("\n");
  }
  if (state === "ready" && other) {
    return [
      `Row ${number} stays held: it waits for ${place}, which was not sent yet.`,
      `  → to send that one:  paydrop retry ${other.batch}`,
    ].join("\n");
  }
  return `Row ${number} stays held: it waits for ${place}, which is being sent.`;
}

function changedTexts({ first }: Some, batch: BatchRecord): string[] {
  return first.map(
    (row) =>
      `Row ${row.number} is not released: ${sentenceOf(row, batch).message}. This is new: look at it, then release it again`,
  );
}

async function duplicatesText(journal: JournalStore, batch: BatchRecord): Promise<string[]> {
  const duplicates = await numbersIn(journal, batch, "duplicate");
  if (duplicates.length === 0) return [];
  return [
    `${counted(duplicates.length)} accepted before ${duplicates.length === 1 ? "stays" : "stay"} as duplicate (${whichRows(duplicates)}): --all means held rows, a duplicate goes only by --row N`,
  ];
}
