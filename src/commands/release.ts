import type { JudgeRules } from "../checks/duplicates.ts";
import { counted } from "../counted.ts";
import { PaydropError } from "../errors.ts";
import { cancelledError } from "../journal/batches.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { JournalStore } from "../journal/store.ts";
import { settleCommand } from "../results/next-steps.ts";
import { sentenceOf } from "../results/sentences.ts";
import type { Call } from "./command.ts";
import { whichRows } from "./going.ts";
import { letGo, type Prepare } from "./let-go.ts";
import { asGoing } from "./retry.ts";
import { rowsSaid } from "./rows-said.ts";
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
  const { changed, freed, isJudgedAnew } = await judgeOpenOnes(journal, batch, judgeRulesOf(config), wanted);

  const rows = await chosenRows(journal, batch, wanted, freed);
  const blockers = await openOthers(journal, rows);
  const blocked = rows.filter((row) => isBlocked(row, blockers));
  const going = rows.filter((row) => !isBlocked(row, blockers) && !changed.has(row.number));
  const stays = [
    ...blockedTexts(blocked, blockers),
    ...changedText(rows, changed, batch),
    ...(wanted === "all" ? await duplicatesText(journal, batch) : []),
    ...(batch.phase === "paused" ? [`The batch is paused: paydrop resume ${batch.id} sends them`] : []),
  ];
  const ready = isSending && batch.phase === "open" ? await journal.rowsIn(batch.id, ["ready"]) : freed;
  const base = { act: "release", by, stays, isJudgedAnew, code: rows.length > 0 ? 6 : 0 } as const;
  if (wanted !== "all" && going.length < rows.length)
    return { ...base, rows: [], stays: [...stays, ...freedText(freed, batch), "Nothing was released."] };
  if (going.length + freed.length === 0)
    return { ...base, rows: [], stays: [rows.length > 0 ? "Nothing was released." : "Nothing is held.", ...stays] };
  return {
    ...base,
    rows: [
      ...going.map((row) => ({ number: row.number, amount: row.amount, why: whyHeld(row, batch) })),
      ...ready.map(asGoing),
    ],
    apply: async () => {
      const act = { by, kind: "release", note: reason };
      await Promise.all([
        journal.release(batch.id, going.map((row) => row.number), act, seenAtMs), // prettier-ignore
        ...freed.map(({ number: row }) => journal.note(batch.id, { ...act, row })),
      ]);
    },
  };
};

const NAMED_MAX = 5;

function wantedRows(call: Call): readonly number[] | "all" {
  const isAll = call.flags["all"] === true;
  const said = call.flags["row"];
  if (isAll !== (said === undefined)) throw new PaydropError("usage", "say either --row N… or --all", EXAMPLE);
  return isAll ? "all" : rowsSaid(said);
}

interface JudgedAnew {
  readonly changed: ReadonlySet<number>;
  readonly freed: readonly RowRecord[];
  readonly isJudgedAnew: boolean;
}

/**
 * The row that these waited for may have come to an end meanwhile, or the same payment was made once more; then they are
 * held for another reason, or for none, and nobody has seen that yet. Gives those of the wanted ones that are held for
 * another one now, and the free ones.
 */
async function judgeOpenOnes(
  journal: JournalStore,
  batch: BatchRecord,
  rules: JudgeRules,
  wanted: readonly number[] | "all",
): Promise<JudgedAnew> {
  const before = await journal.rowsIn(batch.id, ["held"]);
  if (before.length === 0) return { changed: new Set(), freed: [], isJudgedAnew: false };
  await journal.judgeAgain(batch.id, rules);
  const waited = new Map(before.map((row) => [row.number, row]));
  const after = (await journal.rowsIn(batch.id, ["held", "duplicate", "ready"])).filter(({ number }) =>
    waited.has(number),
  );
  const isAsBefore = (row: RowRecord): boolean => {
    const held = waited.get(row.number);
    return row.state === held?.state && row.code === held.code && waitsForTheSame(row, held);
  };
  const moved = after.filter((row) => row.code !== "other_row_open" && !isAsBefore(row));
  const named = wanted === "all" ? undefined : new Set(wanted);
  const now = moved.filter(({ number, state }) => named?.has(number) ?? state !== "duplicate");
  return {
    changed: new Set(now.filter(({ state }) => state !== "ready").map((row) => row.number)),
    freed: now.filter(({ state }) => state === "ready"),
    isJudgedAnew: !after.every(isAsBefore),
  };
}

function waitsForTheSame(row: RowRecord, before: RowRecord | undefined): boolean {
  return row.other?.batch === before?.other?.batch && row.other?.row === before?.other?.row;
}

/** Of those nothing is to be released, but they do not go with the others that were named. */
function freedText(freed: readonly RowRecord[], { id }: BatchRecord): string[] {
  if (freed.length === 0) return [];
  return [`Nothing stands in the way of ${whichRows(freed)} any more:  paydrop retry ${id}`];
}

async function chosenRows(
  journal: JournalStore,
  batch: BatchRecord,
  wanted: readonly number[] | "all",
  freed: readonly RowRecord[],
): Promise<readonly RowRecord[]> {
  if (wanted === "all") return journal.rowsIn(batch.id, ["held"]);
  const rows: RowRecord[] = [];
  const wrong: string[] = [];
  const free = new Set(freed.map((row) => row.number));
  for (const number of wanted.filter((one) => !free.has(one))) {
    const row = await journal.row(batch.id, number);
    if (row?.state === "held" || row?.state === "duplicate") rows.push(row);
    else wrong.push(row ? `row ${number} is ${row.state.replaceAll("_", " ")}` : `there is no row ${number}`);
  }
  if (wrong.length === 0) return rows;
  throw new PaydropError(
    "usage",
    `${wrong.slice(0, NAMED_MAX).join("; ")}: only held and duplicate rows can be released`,
    "nothing was released",
  );
}

type Others = ReadonlyMap<string, RowRecord>;

/** The rows that these are held for, as far as those have no end yet. */
async function openOthers(journal: JournalStore, rows: readonly RowRecord[]): Promise<Others> {
  const others = new Map<string, RowRecord>();
  for (const id of new Set(rows.flatMap(({ other }) => other?.batch ?? []))) {
    const batch = await journal.batch(id);
    const states = batch?.phase === "cancelled" ? UNKNOWN : OPEN;
    for (const row of await journal.rowsIn(id, states)) others.set(`${id}/${row.number}`, row);
  }
  return others;
}

const UNKNOWN = ["unknown", "sending"] as const;
const OPEN = [...UNKNOWN, "ready"] as const;

function isBlocked(row: RowRecord, others: Others): boolean {
  const other = otherOf(row, others);
  if (row.state !== "held" || !other) return false;
  return other.state !== "ready" || row.code === "other_row_open";
}

function otherOf({ other }: RowRecord, others: Others): RowRecord | undefined {
  return other && others.get(`${other.batch}/${other.row}`);
}

function blockedTexts(blocked: readonly RowRecord[], others: Others): string[] {
  const more = blocked.length - NAMED_MAX;
  return [
    ...blocked.slice(0, NAMED_MAX).map((row) => blockedText(row, others)),
    ...(more > 0 ? [`and ${counted(more)} more that wait for another row`] : []),
  ];
}

function blockedText(row: RowRecord, others: Others): string {
  const place = row.other ? `row ${row.other.row} of batch ${row.other.batch}` : "another row";
  const state = otherOf(row, others)?.state;
  if (state === "unknown" && row.other) {
    return [
      `Row ${row.number} stays held: it waits for ${place}, which is unknown and may have gone through.`,
      `  → look that one up, then: ${settleCommand(row.other.batch, row.other.row)}`,
    ].join("\n");
  }
  const is = state === "sending" ? "is being sent" : "is about to be sent";
  return `Row ${row.number} stays held: it waits for ${place}, which ${is}.`;
}

function changedText(rows: readonly RowRecord[], changed: ReadonlySet<number>, batch: BatchRecord): string[] {
  return rows
    .filter((row) => changed.has(row.number))
    .slice(0, NAMED_MAX)
    .map(
      (row) =>
        `Row ${row.number} is not released: ${sentenceOf(row, batch).message}. This is new: look, then release it again`,
    );
}

async function duplicatesText(journal: JournalStore, batch: BatchRecord): Promise<string[]> {
  const duplicates = await journal.rowsIn(batch.id, ["duplicate"]);
  if (duplicates.length === 0) return [];
  return [
    `${counted(duplicates.length)} accepted before ${duplicates.length === 1 ? "stays" : "stay"} as duplicate (${whichRows(duplicates)}): --all means held rows, a duplicate goes only by --row N`,
  ];
}

function whyHeld(row: RowRecord, batch: BatchRecord): string {
  if (row.state === "duplicate") return "accepted before";
  return sentenceOf(row, batch).message.replace(/^Waiting for a person:? ?/, "") || "held";
}
