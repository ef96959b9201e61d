import { formatUnits, unitsOf } from "../amount.ts";
import { isAccepted, isSamePayment, isUnended, speakAgainst } from "../duplicates/rules.ts";
import { verdictOf } from "../duplicates/verdict.ts";
import type { RowName } from "../checks/beside.ts";
import type { NOT_RELEASED } from "../messages/holds.ts";
import type { Reason, Seen } from "../duplicates/seen.ts";
import { batchNamed, circumstancesOf, namedPages } from "./circumstances.ts";
import type { JudgingRules } from "./circumstances.ts";
import { makersOf, personOf, proposalOf, PROPOSED } from "./approval.ts";
import type { Act, BatchRecord, JournalStore, Move, SeenRow, Tally } from "./store.ts";

/**
 * Why a row is not let go: it is in another state, held for a row that has no end yet, held for two words and not named, let
 * go before and not approved yet, or pays another payee than the row that it corrects, or another account of a person, and
 * whoever asks brought the file.
 */
export type NotReleased = keyof typeof NOT_RELEASED;

interface Refused {
  readonly row: number;
  readonly why: NotReleased;
  readonly other?: RowName;
  readonly by?: string;
}

/** What a person may let go of a batch, and what not yet. Nothing is changed by asking. */
export interface Release {
  readonly moves: readonly Move[];
  readonly refused: readonly Refused[];
  /** Of those that may go: another payee than that of the row that they correct, or another account, so that another person decides. */
  readonly fourEyes: number;
  /** Of those that may go: whose payment was accepted before, or went as somebody says. Several of them need their sum said (`--total`). */
  readonly acceptedBefore: Tally;
}

/**
 * What `paydrop release` may let go: held rows, all of them or those named, and duplicates only where they are named; but
 * none that is held for an unknown row or one on its way. Where others are asked to approve they stay held until somebody
 * does (I16). Ask, and make these moves, inside one `store.judging()`.
 */
export async function askRelease(
  store: JournalStore,
  { id }: Pick<BatchRecord, "id">,
  named: readonly number[] | "all",
  { rules, now, act }: { readonly rules: JudgingRules; readonly now: number; readonly act: Act },
): Promise<Release> {
  const batch = await batchNamed(store, id);
  const by = act.by ?? act.login;
  const isMaker = (await makersOf(store, batch)).some((name) => personOf(name) === personOf(by));
  const proposal = batch.approvers > 0 ? [proposalOf(act)] : [];
  const known = await circumstancesOf(store, batch, { rules: { ...rules, allow_repeats: false }, now, isAgain: true });
  const held = named === "all" ? await store.rows({ batch: id, states: ["held"] }) : [];
  const rows = named === "all" ? held.map(({ row }) => row) : [...new Set(named)];
  const refused = new Map<number, Refused>(rows.map((row) => [row, { row, why: "not_held" }]));
  const moves: Move[] = [];
  const accepted: string[] = [];
  let fourEyes = 0;
  for await (const page of namedPages(store, id, rows, known)) {
    for (const { row, others } of page) {
      if (row.state !== "held" && row.state !== "duplicate") continue;
      if (row.reasons?.some(({ code }) => code === PROPOSED)) {
        refused.set(row.row, { row: row.row, why: "approval_wanted" });
        continue;
      }
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
      // what the person saw, and what is so by now: this holds it no more
      const told = [...verdictOf(row, against).reasons, ...(row.reasons ?? [])];
      const reasons = [...new Map(told.map((reason) => [keyOf(reason), reason])).values()];
      const isAccount = reasons.some(({ code }) => code === "other_account");
      const isOther = isAccount || reasons.some(({ isOtherPayee, written }) => isOtherPayee && written === undefined);
      if (isOther && isMaker) {
        refused.set(row.row, { row: row.row, why: isAccount ? "own_account" : "own", by });
        continue;
      }
      refused.delete(row.row);
      fourEyes += Number(isOther);
      const to = batch.approvers > 0 ? "held" : "ready";
      moves.push({ row: row.row, to, from: ["held", "duplicate"], reasons: [...proposal, ...reasons] });
      if (wasAccepted(row, others)) accepted.push(row.amount ?? "0");
    }
  }
  const units = accepted.reduce((sum, amount) => sum + unitsOf(amount), 0n);
  const acceptedBefore = { rows: accepted.length, amount: formatUnits(units) };
  return { moves, refused: [...refused.values()], acceptedBefore, fourEyes };
}

/** Told once, also where what was found then was kept in other words. */
const keyOf = ({ code, other, isOtherPayee, written }: Reason): string =>
  [code, other?.batch, other?.row, isOtherPayee, written].join();
const isContradicted = ({ reasons }: SeenRow["row"]): boolean =>
  reasons?.some(({ code }) => code === "contradiction") ?? false;

function wasAccepted(row: SeenRow["row"], others: readonly Seen[]): boolean {
  if (row.isCut || isContradicted(row) || row.reasons?.some(({ code }) => code === "same_file")) return true;
  return others.some((other) => isAccepted(other) && isSamePayment(row, other));
}
