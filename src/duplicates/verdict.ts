import { HOLDS } from "../messages/holds.ts";
import { isUnended, type Against, type Said } from "./rules.ts";
import type { Judged, Reason, Seen, Verdict } from "./seen.ts";

/** What a row becomes. `kept`: reasons that were found otherwise. */
export function verdictOf(row: Judged, against: readonly Against[], kept: readonly Reason[] = []): Verdict {
  const cut: readonly Reason[] = row.isCut ? [{ code: "too_many" }] : [];
  const reasons = [...reasonsOf(row, against), ...cut, ...kept].sort((one, other) => placeOf(one) - placeOf(other));
  const [first] = reasons;
  const state = first === undefined ? "ready" : first.code === "same_payment" ? "duplicate" : "held";
  return { row: row.row, state, reasons };
}

const IN_ORDER = Object.keys(HOLDS);

function placeOf({ code }: Reason): number {
  return IN_ORDER.indexOf(code);
}

/** One for each rule: of several rows the one that has no end yet, else the one that went last. */
function reasonsOf(row: Judged, against: readonly Against[]): readonly Reason[] {
  const first = new Map<string, Against>();
  for (const one of against) {
    const rule = `${one.code} ${one.isOtherPayee ?? false} ${one.written}`;
    const told = first.get(rule);
    if (told === undefined || weightOf(one.other) > weightOf(told.other)) first.set(rule, one);
  }
  return Array.from(first.values(), (one) => reasonOf(row, one));
}

function weightOf(seen: Seen): number {
  return isUnended(seen) ? Infinity : (seen.wentAt ?? 0);
}

function reasonOf(judged: Judged, { code, other, isOtherPayee, written }: Against): Reason {
  const { batch, row, wentAt, amount, last4 } = other;
  const zeros = (judged.zeros ?? 0) - (other.zeros ?? 0);
  const isByZeros = written === "payee" && zeros !== 0;
  return {
    ...{ code, other: { batch, row } },
    ...(wentAt !== undefined && { at: wentAt }),
    ...(isOtherPayee && { isOtherPayee }),
    ...(isByZeros ? { zeros } : written && { written }),
    ...(code === "open_elsewhere" && other.state === "held" && { isHeld: true as const }),
    ...(code === "other_amount" && amount !== undefined && { amount }),
    ...(code === "other_account" && last4 !== undefined && { last4 }),
    ...monthBefore(judged, other),
  };
}

/** The period of the other one, where stating another one would tell the two apart. */
export function monthBefore(row: Said, other: Said): Pick<Reason, "period"> {
  const isByReference = row.reference !== undefined && other.reference !== undefined;
  return row.period === undefined && other.period !== undefined && !isByReference ? { period: other.period } : {};
}
