import { typed } from "./commands.ts";
import type { Catalogue } from "./sentence.ts";

/** What speaks for a row in a line of a bank's statement, in a person's words. */
export const EVIDENCE_WORDS = {
  answer: "the service's own reference",
  reference: "your own reference",
  narration: "its narration",
  payee: "the account",
  name: "the name",
} as const;

/** What a statement says of one row, or of one line. */
export const FINDINGS = {
  proposed: "line {line}, {day}: {by}",
  returned: "the money came back: line {line}, {day}",
  undecided: ({ lines = 0, accepted = 0, unknown = 0 }) => {
    const there = "{lines:line}, {accepted} accepted and {unknown} unknown of this amount that nothing tells apart";
    if (Number(lines) === Number(accepted) + Number(unknown)) return `${there}: all of them went, by their number`;
    return Number(lines) === Number(accepted)
      ? `${there}: none of the unknown ones shows`
      : `${there}: nobody can tell`;
  },
  not_shown: "no line has this amount in its days. That proves nothing: the line may come later",
  strange: "no row explains this debit: somebody may have paid by hand",
} as const satisfies Catalogue;

export const RECONCILED = {
  seen: "seen in the bank's statement: {seen} of {accepted}",
  none_went:
    "no row of that account went in the days of this statement. If one did, the account is another one, or the state folder",
  before: "{lines:line} counted before, by an earlier statement",
  chain_whole: "each balance follows from the one before: no line is missing between them",
  chain_broken: "the balance of line {line} does not follow from the one before: nothing is said of what is missing",
  chain_none: "the statement has no balances: whether lines are missing nobody can tell",
  proposed: "{rows:unknown row shows|unknown rows show} in it, {sum}",
  returned: "the money of {rows:row} came back, {sum}",
  undecided: "{rows:unknown row is|unknown rows are} undecided, {sum}",
  not_shown: "{rows:unknown row does|unknown rows do} not show in it, {sum}. That proves nothing",
  strange: "{rows:debit} that no row explains, {sum}",
  nothing: "nothing needs a person",
  settle: [
    "look at the list, and correct it. Then, with the sum of the rows whose line was found:",
    ({ list, sum }) => typed("settle", { from: String(list), by: "NAME", total: String(sum) })({}),
  ],
} as const satisfies Catalogue;
