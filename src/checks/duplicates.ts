/**
 * Is this row surely, or possibly, a payment that was made before? One pure function, a reason per branch (DESIGN §7).
 * The journal looks up what it has seen of a row and asks: when the file is checked, and again inside the transaction
 * of the attempt.
 */
import { isStatedDifferent, isSurelyTheSame, isUnclear, mayBeTheSame } from "./same-payment.ts";
import type { Release, Seen, Stated } from "./seen.ts";

export type HoldCode =
  | "same_file"
  | "possible_duplicate"
  | "period_unclear"
  | "reference_conflict"
  | "near_duplicate"
  | "repeat_in_file"
  | "other_row_open"
  | "origin_accepted"
  | "corrected_twice"
  | "payee_changed"
  | "all_or_nothing";

export type Verdict =
  | { readonly state: "ready" }
  | { readonly state: "duplicate"; readonly other: Seen }
  /** `more`: so many other rows, accepted too, may be the same payment as well. */
  | { readonly state: "held"; readonly code: HoldCode; readonly other?: Seen; readonly more?: number };

/** `nowMs`: by the clock alone. One that is behind holds more; the time of a run whose clock was ahead would free rows. */
export type Judge = (stated: Stated, seen: readonly Seen[], nowMs: number) => Verdict;

/** What the rules of DESIGN §7 depend on. Plain data: the journal that asks may live in another thread. */
export interface JudgeRules {
  readonly duplicateDays: number;
  /** Equal rows of one file are meant. */
  readonly allowRepeats: boolean;
  /** The file was dropped again: every row waits for a person; what surely was accepted stays a duplicate. */
  readonly holdsWholeFile?: boolean;
  /** A corrected row that pays somebody else: `hold` unless said. */
  readonly payeeChange?: "hold" | "allow";
  /** Copies of this very file that wait as a whole are replaced by it: what they hold does not stand in its way. */
  readonly replaces?: readonly string[];
}

/** The rules of DESIGN §7 as a function that the journal can ask. */
export function createJudge(rules: JudgeRules): Judge {
  const judge = replacing(askingForPayee(judgeRow(rules), rules), new Set(rules.replaces));
  return rules.holdsWholeFile ? holdingWholeFile(judge) : judge;
}

function judgeRow(rules: JudgeRules): Judge {
  const judge: Judge = (stated, seen, nowMs) => {
    const elsewhere = seen.filter((other) => !other.sameBatch);
    const open = elsewhere.find((other) => other.standing === "open");
    if (stated.released) {
      if (open) return held("other_row_open", open);
      const { released, ...unreleased } = stated;
      const since = elsewhere.filter((other) => isAcceptedSince(other, released, nowMs));
      // as on that day: what went since is no older payment, however late the row goes
      return judge(unreleased, since, Math.min(nowMs, released.at));
    }

    const accepted = elsewhere.filter((other) => other.standing === "accepted");
    const surely = accepted.find((other) => other.sameCore && isSurelyTheSame(stated, other, nowMs, rules));
    if (surely) return { state: "duplicate", other: surely };

    const conflict = [...accepted, ...elsewhere.filter((other) => other.standing === "open")].find(
      (other) => other.sameReference && !other.sameCore,
    );
    if (conflict) return held("reference_conflict", conflict);
    // Whatever it is called: while nobody knows how that one ends, this one may be the same money.
    if (open) return held("other_row_open", open);
    // whatever was changed in it: one row of a file is one payment
    const kin = accepted.find((other) => other.kin !== undefined);
    if (kin) return held(kin.kin === "origin" ? "origin_accepted" : "corrected_twice", kin);
    // before a row that only waits: whoever releases this one must be told what went already
    const unclear = accepted.find((other) => other.sameCore && isUnclear(stated, other, nowMs, rules));
    if (unclear) return held("period_unclear", unclear);
    const possible = accepted.filter((other) => other.sameCore && mayBeTheSame(stated, other, nowMs, rules));
    const likeliest = likeliestOf(possible, stated);
    if (likeliest) return { ...held("possible_duplicate", likeliest), more: possible.length - 1 };
    const waiting = elsewhere.find(
      (other) => other.standing === "held" && (other.kin !== undefined || !isStatedDifferent(stated, other)),
    );
    if (waiting) return held("other_row_open", waiting);
    return judgeInFile(
      stated,
      seen.filter((other) => other.sameBatch),
      rules,
    );
  };
  return judge;
}

/** Not the next month's payment, which went later: whoever sees that this row is none of it would let it go again. */
function likeliestOf(possible: readonly Seen[], { period }: Stated): Seen | undefined {
  const ofPeriod = possible.filter((other) => other.period === period);
  return ofPeriod.find((other) => other.sameKey) ?? ofPeriod[0] ?? possible[0];
}

/** The last rule: what else speaks against the row is told first, and the change is told beside it. */
function askingForPayee(judge: Judge, { payeeChange = "hold" }: JudgeRules): Judge {
  if (payeeChange === "allow") return judge;
  return (stated, seen, nowMs) => {
    const verdict = judge(stated, seen, nowMs);
    const isAsked = verdict.state === "ready" && stated.payeeChanged === true && stated.released === undefined;
    return isAsked ? { state: "held", code: "payee_changed" } : verdict;
  };
}

function holdingWholeFile(judge: Judge): Judge {
  return (stated, seen, nowMs) => {
    const verdict = judge(stated, seen, nowMs);
    if (verdict.state === "duplicate" || (verdict.state === "held" && verdict.code !== "possible_duplicate")) {
      return verdict;
    }
    const other = verdict.state === "held" ? verdict.other : seen.find((one) => !one.sameBatch);
    return { state: "held", code: "same_file", ...(other ? { other } : {}) };
  };
}

function replacing(judge: Judge, batches: ReadonlySet<string>): Judge {
  if (batches.size === 0) return judge;
  return (stated, seen, nowMs) =>
    judge(
      stated,
      seen.filter((other) => other.standing !== "held" || !batches.has(other.batch)),
      nowMs,
    );
}

function judgeInFile(stated: Stated, here: readonly Seen[], rules: JudgeRules): Verdict {
  const kin = here.find((other) => other.kin !== undefined && other.standing !== "ended");
  if (kin) return held("corrected_twice", kin);
  const conflict = here.find((other) => other.sameReference && !other.sameCore);
  if (conflict) return held("reference_conflict", conflict);
  const sameReference = here.find((other) => other.sameReference);
  if (sameReference) return held("repeat_in_file", sameReference);
  const repeat = rules.allowRepeats
    ? undefined
    : here.find((other) => other.sameCore && !isStatedDifferent(stated, other));
  return repeat ? held("repeat_in_file", repeat) : READY;
}

function isAcceptedSince(other: Seen, { before, at, act }: Release, nowMs: number): boolean {
  const { standing, lastAttempt = 0, acceptedAt = 0, decided = 0 } = other;
  // what a run whose clock was ahead accepted is none of this time: until then no person's word would do
  const isLater = acceptedAt > at && acceptedAt <= nowMs;
  const isSettledSince = act !== undefined && decided > act;
  return standing === "accepted" && (lastAttempt >= before || isSettledSince || isLater);
}

const READY: Verdict = { state: "ready" };

function held(code: HoldCode, other: Seen): Verdict & { readonly state: "held" } {
  return { state: "held", code, other };
}
