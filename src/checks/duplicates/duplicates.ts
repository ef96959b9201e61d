/**
 * Is this row surely, or possibly, a payment that was made before? One pure function, a reason per branch (DESIGN §7).
 * The journal looks up what it has seen of a row and asks: when the file is checked, and again inside the transaction
 * of the attempt.
 */
import { held, reasonsToHold } from "./reasons-to-hold.ts";
import { isSurelyTheSame } from "./same-payment.ts";
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
  /** `others`: rows beside `other` that were accepted, and may be the same payment as well. */
  | { readonly state: "held"; readonly code: HoldCode; readonly other?: Seen; readonly others?: readonly Seen[] };

/**
 * `nowMs`: what the clock says, and no later time that the journal knows. A clock that is behind only holds more rows;
 * the time of a run whose clock was ahead would free some.
 */
export type Judge = (stated: Stated, seen: readonly Seen[], nowMs: number) => Verdict;

/** What the rules of DESIGN §7 depend on. Plain data: the journal that asks may live in another thread. */
export interface JudgeRules {
  /** For so long after a payment an equal one is in doubt. */
  readonly duplicateDays: number;
  /** Equal rows of one file are several payments. */
  readonly allowRepeats: boolean;
  /** The file was dropped again: every row waits for a person; what surely was accepted stays a duplicate. */
  readonly holdsWholeFile?: boolean;
  /** A corrected row that pays somebody else: `hold` unless said. */
  readonly payeeChange?: "hold" | "allow";
  /** Ids of waiting batches of the same bytes that this one replaces: their held rows do not stand in its way. */
  readonly replaces?: readonly string[];
  /** Ids of batches taken from the same path some days ago, for another month: this may be one of them, corrected. */
  readonly laidBefore?: readonly string[];
  /** Rows are judged once more, since they waited for other ones. */
  readonly waited?: boolean;
  /** A person was told of this reason and is about to let the row go: only reasons that it hid are looked for. */
  readonly told?: HoldCode;
}

/** Reasons that hide others, in the order in which they are told. */
const HIDING: readonly HoldCode[] = [
  "same_file",
  "reference_conflict",
  "origin_accepted",
  "corrected_twice",
  "period_unclear",
  "possible_duplicate",
];

/** The rules of DESIGN §7 as a function that the journal can ask. */
export function createJudge(rules: JudgeRules): Judge {
  if (rules.told !== undefined) return judgeBehind(rules.told, rules);
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
      // judged as on the day of the release: what went since is no older payment, however late the row goes
      return judge(unreleased, since, Math.min(nowMs, released.at));
    }

    const accepted = elsewhere.filter((other) => other.standing === "accepted");
    const surely = accepted.find((other) => other.sameCore && isSurelyTheSame(stated, other, nowMs, rules));
    if (surely) return { state: "duplicate", other: surely };
    for (const reason of reasonsToHold(stated, seen, nowMs, rules)) return reason;
    return READY;
  };
  return judge;
}

/**
 * Only reasons that `told` may have hidden: one that is told before it would be asked for ever. `other_row_open` is
 * left to the check at the attempt; whoever lets that other row go is told of this one.
 */
function judgeBehind(told: HoldCode, rules: JudgeRules): Judge {
  const rank = HIDING.indexOf(told);
  if (rank < 0) return () => READY;
  return (stated, seen, nowMs) => {
    for (const reason of reasonsToHold(stated, seen, nowMs, rules)) {
      const isBehind = HIDING.includes(reason.code)
        ? HIDING.indexOf(reason.code) > rank
        : reason.code !== "other_row_open";
      if (isBehind) return reason;
    }
    return READY;
  };
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
    const isSure = verdict.state === "duplicate" && !isByFile(stated, verdict.other);
    if (isSure || (verdict.state === "held" && verdict.code !== "possible_duplicate")) return verdict;
    // names the row of the very same bytes: another file with this payment is told when somebody lets the row go
    const elsewhere = seen.filter((one) => !one.sameBatch);
    const ofFile = stated.file === undefined ? undefined : elsewhere.find((one) => one.file === stated.file);
    const other = ofFile ?? (verdict.state === "held" ? verdict.other : elsewhere[0]);
    return { state: "held", code: "same_file", ...(other ? { other } : {}) };
  };
}

/** A duplicate only by the period stated for two files of the same bytes: whether it is right is just what is asked. */
function isByFile({ file, isPeriodOfFile }: Stated, other: Seen): boolean {
  const isOfFiles = isPeriodOfFile === true && other.isPeriodOfFile === true;
  return isOfFiles && !other.sameReference && file !== undefined && other.file === file;
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

function isAcceptedSince(other: Seen, { before, at, act }: Release, nowMs: number): boolean {
  const { standing, lastAttempt = 0, acceptedAt = 0, decided = 0 } = other;
  // what a clock that was ahead accepted is not later: until that time came, no person's word would free the row
  const isLater = acceptedAt > at && acceptedAt <= nowMs;
  const isSettledSince = act !== undefined && decided > act;
  return standing === "accepted" && (lastAttempt >= before || isSettledSince || isLater);
}

const READY: Verdict = { state: "ready" };
