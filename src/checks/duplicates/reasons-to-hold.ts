import type { HoldCode, JudgeRules, Verdict } from "./duplicates.ts";
import { isStatedDifferent, isUnclear, mayBeTheSame } from "./same-payment.ts";
import type { Seen, Stated } from "./seen.ts";

type Held = Verdict & { readonly state: "held" };

/** Why a person must decide, the gravest reason first. */
export function* reasonsToHold(
  stated: Stated,
  seen: readonly Seen[],
  nowMs: number,
  rules: JudgeRules,
): Generator<Held> {
  const elsewhere = seen.filter((other) => !other.sameBatch);
  const accepted = elsewhere.filter((other) => other.standing === "accepted");
  const open = elsewhere.filter((other) => other.standing === "open");
  const conflict = [...accepted, ...open].find((other) => other.sameReference && !other.sameCore);
  if (conflict) yield held("reference_conflict", conflict);
  const possible = accepted.filter((other) => other.sameCore && mayBeTheSame(stated, other, nowMs, rules));
  // whatever it states: while nobody knows how the open row ends, this one may be the same money
  if (open[0]) yield { ...held("other_row_open", open[0]), others: possible };
  // whatever was changed in the correction: one row of a file is one payment
  const kin = accepted.find((other) => other.kin !== undefined);
  if (kin) yield held(kin.kin === "origin" ? "origin_accepted" : "corrected_twice", kin);
  // before `waiting`: whoever releases this row must be told what went already
  const unclear = accepted.find((other) => other.sameCore && isUnclear(stated, other, nowMs, rules));
  if (unclear) yield held("period_unclear", unclear);
  const likeliest = likeliestOf(possible, stated);
  if (likeliest) {
    yield { ...held("possible_duplicate", likeliest), others: possible.filter((other) => other !== likeliest) };
  }
  const waiting = elsewhere.find(
    (other) =>
      other.standing === "held" && (other.kin !== undefined || !isStatedDifferent(stated, other, nowMs, rules)),
  );
  if (waiting) yield held("other_row_open", waiting);
  yield* reasonsInFile(
    stated,
    seen.filter((other) => other.sameBatch),
    nowMs,
    rules,
  );
}

/** Not next month's payment, which went later: whoever sees that it is another one would let this row go again. */
function likeliestOf(possible: readonly Seen[], { period }: Stated): Seen | undefined {
  const ofPeriod = possible.filter((other) => other.period === period);
  return ofPeriod.find((other) => other.sameKey) ?? ofPeriod[0] ?? possible[0];
}

function* reasonsInFile(stated: Stated, here: readonly Seen[], nowMs: number, rules: JudgeRules): Generator<Held> {
  const kin = here.find((other) => other.kin !== undefined && other.standing !== "ended");
  if (kin) yield held("corrected_twice", kin);
  const conflict = here.find((other) => other.sameReference && !other.sameCore);
  if (conflict) yield held("reference_conflict", conflict);
  const sameReference = here.find((other) => other.sameReference);
  if (sameReference) yield held("repeat_in_file", sameReference);
  const repeat = rules.allowRepeats
    ? undefined
    : here.find((other) => other.sameCore && !isStatedDifferent(stated, other, nowMs, rules));
  if (repeat) yield held("repeat_in_file", repeat);
}

export function held(code: HoldCode, other: Seen): Held {
  return { state: "held", code, other };
}
