import { formatUnits, unitsOf } from "../amount.ts";
import { isAccepted, isSamePayment, isUnended, speakAgainst, verdictOf } from "../duplicates/rules.ts";
import type { RowName } from "../checks/beside.ts";
import { batchNamed, circumstancesOf, inPages } from "./circumstances.ts";
import type { JudgingRules, SeenRecord } from "./circumstances.ts";
import type { RowState } from "./states.ts";
import type { BatchRecord, JournalStore, Move, Tally } from "./store.ts";

/** Why a row is not let go: it is in another state, or held for a row that has no end yet. */
export type NotReleased = "not_held" | "settle_first" | "on_its_way";

/** What a person may let go of a batch, and what not yet. Nothing is changed by asking. */
export interface Release {
  readonly moves: readonly Move[];
  readonly refused: readonly { readonly row: number; readonly why: NotReleased; readonly other?: RowName }[];
  /** Of those that may go: whose payment was accepted before. Several of them need their sum said (`--total`). */
  readonly acceptedBefore: Tally;
}

const RELEASED_FROM: readonly RowState[] = ["held", "duplicate"];

/**
 * What `paydrop release` may let go: held rows, all of them or those named, and duplicates only where they are named; but
 * none that is held for an unknown row or one on its way. Ask, and make these moves, inside one `store.judging()`.
 */
export async function askRelease(
  store: JournalStore,
  { id }: Pick<BatchRecord, "id">,
  named: readonly number[] | "all",
  rules: JudgingRules,
  now: number,
): Promise<Release> {
  const batch = await batchNamed(store, id);
  const known = await circumstancesOf(store, batch, { rules: { ...rules, allow_repeats: false }, now, isAgain: true });
  const held = named === "all" ? await store.rows({ batch: id, states: ["held"] }) : [];
  const rows = named === "all" ? held.map(({ row }) => row) : [...new Set(named)];
  const found = new Map<number, { readonly move?: Move; readonly refused?: Release["refused"][number] }>();
  let accepted = { rows: 0, units: 0n };
  for await (const page of inPages(store, id, rows, known)) {
    for (const { row, others, record } of page) {
      if (!RELEASED_FROM.includes(record.state)) continue;
      const against = speakAgainst(row, others, known);
      const unended = against.find(({ other }) => isUnended(other))?.other;
      if (unended) {
        const why = unended.state === "unknown" ? "settle_first" : "on_its_way";
        found.set(row.row, { refused: { row: row.row, why, other: { batch: unended.batch, row: unended.row } } });
        continue;
      }
      // what the person saw, and what is so by now: this holds it no more
      const told = [...verdictOf(row, against).reasons, ...record.reasons];
      const reasons = [...new Map(told.map((reason) => [JSON.stringify(reason), reason])).values()];
      found.set(row.row, { move: { row: row.row, to: "ready", from: RELEASED_FROM, reasons } });
      if (!wasAccepted({ row, others, record })) continue;
      accepted = { rows: accepted.rows + 1, units: accepted.units + unitsOf(record.amount ?? "0") };
    }
  }
  const outcomes = rows.map((row) => found.get(row) ?? { refused: { row, why: "not_held" as const } });
  return {
    moves: outcomes.flatMap(({ move }) => move ?? []),
    refused: outcomes.flatMap(({ refused }) => refused ?? []),
    acceptedBefore: { rows: accepted.rows, amount: formatUnits(accepted.units) },
  };
}

function wasAccepted({ row, others, record }: Pick<SeenRecord, "row" | "others" | "record">): boolean {
  if (record.reasons.some(({ code }) => code === "same_file")) return true;
  return others.some((other) => isAccepted(other) && isSamePayment(row, other));
}
