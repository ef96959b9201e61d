import { formatUnits, unitsOf } from "../amount.ts";
import { isAccepted, isSamePayment, isUnended, speakAgainst, verdictOf } from "../duplicates/rules.ts";
import type { RowName } from "../checks/beside.ts";
import type { Seen } from "../duplicates/seen.ts";
import { batchNamed, circumstancesOf, namedPages } from "./circumstances.ts";
import type { JudgingRules } from "./circumstances.ts";
import type { BatchRecord, JournalStore, Move, SeenRow, Tally } from "./store.ts";

/** Why a row is not let go: it is in another state, held for a row that has no end yet, or for two words and not named. */
export type NotReleased = "not_held" | "settle_first" | "on_its_way" | "contradiction";

/** What a person may let go of a batch, and what not yet. Nothing is changed by asking. */
export interface Release {
  readonly moves: readonly Move[];
  readonly refused: readonly { readonly row: number; readonly why: NotReleased; readonly other?: RowName }[];
  /** Of those that may go: whose payment was accepted before, or went as somebody says. Several of them need their sum said (`--total`). */
  readonly acceptedBefore: Tally;
}

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
  const refused = new Map<number, Release["refused"][number]>(rows.map((row) => [row, { row, why: "not_held" }]));
  const moves: Move[] = [];
  const accepted: string[] = [];
  for await (const page of namedPages(store, id, rows, known)) {
    for (const { row, others } of page) {
      if (row.state !== "held" && row.state !== "duplicate") continue;
      const against = speakAgainst(row, others, known);
      const unended = against.find(({ other }) => isUnended(other))?.other;
      if (unended) {
        const why = unended.state === "unknown" ? "settle_first" : "on_its_way";
        refused.set(row.row, { row: row.row, why, other: { batch: unended.batch, row: unended.row } });
        continue;
      }
      // who says yes to all has not read what two people say of one
      if (named === "all" && isContradicted(row)) {
        refused.set(row.row, { row: row.row, why: "contradiction" });
        continue;
      }
      refused.delete(row.row);
      // what the person saw, and what is so by now: this holds it no more
      const told = [...verdictOf(row, against).reasons, ...(row.reasons ?? [])];
      const reasons = [...new Map(told.map((reason) => [JSON.stringify(reason), reason])).values()];
      moves.push({ row: row.row, to: "ready", from: ["held", "duplicate"], reasons });
      if (wasAccepted(row, others)) accepted.push(row.amount ?? "0");
    }
  }
  const units = accepted.reduce((sum, amount) => sum + unitsOf(amount), 0n);
  const acceptedBefore = { rows: accepted.length, amount: formatUnits(units) };
  return { moves, refused: [...refused.values()], acceptedBefore };
}

const isContradicted = ({ reasons }: SeenRow["row"]): boolean =>
  reasons?.some(({ code }) => code === "contradiction") ?? false;

function wasAccepted(row: SeenRow["row"], others: readonly Seen[]): boolean {
  if (row.isCut || isContradicted(row) || row.reasons?.some(({ code }) => code === "same_file")) return true;
  return others.some((other) => isAccepted(other) && isSamePayment(row, other));
}
