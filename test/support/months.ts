import { referencesIn, type Entry, type WentRow } from "../../src/statements/match.ts";

/** A month of payments, its statement, and which line is which row's. */
export interface Month {
  readonly rows: readonly (WentRow & { readonly isWhole: boolean })[];
  readonly lines: readonly Entry[];
  /** By the number of the row: the lines of the debit and of the money that came back; none where it never went. */
  readonly truth: ReadonlyMap<number, { readonly debit: number; readonly credit?: number }>;
}

const FIRST = "Asha Ravi Meena Imran Kavita Suresh Anita Lakshmi Joseph Farah Deepak Nisha".split(" ");
const LAST = "Rao Kumar Das Sheikh Joshi Pillai Menon Nair Verma Khan Iyer Bose".split(" ");
const AMOUNTS = ["25000.00", "25000.00", "31500.00", "18250.50", "48100.00", "12000.00"];

/** The same seed gives the same month; `salaries`: so many rows, all of one amount. */
export function monthOf(seed: number, salaries = 0): Month {
  const dice = diceOf(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(dice() * all.length)] as T;
  const digits = (count: number): string => Array.from({ length: count }, () => Math.floor(dice() * 10)).join("");
  const drafts: (Omit<Entry, "line"> & { readonly of?: number; readonly isBack?: boolean })[] = [];
  const [hasReferences, hasOwnNarrations] = [dice() < 0.6, dice() < 0.4];
  const rows = Array.from({ length: salaries || 40 + Math.floor(dice() * 60) }, (_, at) => {
    const row = at + 2;
    const name = `${pick(FIRST)} ${pick(LAST)}`;
    const payee = dice() < 0.1 ? `${name.split(" ")[0]?.toLowerCase()}${digits(3)}@okbank` : `9001${digits(10)}`;
    const reference = hasReferences ? `SAL-${seed % 97}-${1000 + at}` : undefined;
    const narration = hasOwnNarrations ? `Salary Nov E${1000 + at}` : "Salary November";
    const amount =
      salaries > 0 ? "25000.00" : dice() < 0.7 ? pick(AMOUNTS) : `${1000 + Math.floor(dice() * 90_000)}.${digits(2)}`;
    const state = dice() < 0.15 ? "unknown" : "accepted";
    const day = `2026-11-0${1 + Math.floor(dice() * 3)}`;
    const answer = state === "accepted" && dice() < 0.3 ? `{"id":"pout_${seed}x${digits(8)}"}` : undefined;
    const isGone = state === "accepted" ? dice() < 0.99 : dice() < 0.6;
    const shown = textOf();
    // nobody can say anything of what is booked a week later, or in one sum with others
    const [isLate, isInSum] = [dice() < 0.02, dice() < 0.02];
    if (isGone && !isInSum)
      drafts.push({
        of: row,
        ...lineOf(shown.text, amount, isLate ? later(day, 8) : later(day, Math.floor(dice() * 3)), "debit"),
      });
    if (isGone && !isInSum && !isLate && dice() < 0.04)
      drafts.push({ of: row, isBack: true, ...lineOf(`RETURN ${shown.text}`, amount, later(day, 4), "credit") });
    return {
      batch: "B",
      row,
      state,
      amount,
      day,
      reference,
      narration,
      payee,
      name,
      answer: referencesIn(answer),
      isWhole: shown.isWhole && isGone && !isInSum && !isLate,
    } as const;

    function textOf(): { text: string; isWhole: boolean } {
      const how = dice();
      const [utr, whole] = [`N${digits(12)}`, name.toUpperCase()];
      if (answer && how < 0.5)
        return { text: `NEFT ${/pout_\w+/.exec(answer)?.[0] ?? ""} ${whole.slice(0, 9)}`, isWhole: true };
      if (how < 0.4)
        return {
          text: `NEFT-${utr}-${whole}-${reference ?? narration}`,
          isWhole: reference !== undefined || hasOwnNarrations,
        };
      if (how < 0.6) return { text: `IMPS/${utr}/${payee}/${whole.slice(0, 7)}`, isWhole: true };
      if (how < 0.75) return { text: `TRF TO XXXXXX${payee.slice(-4)} ${narration.slice(0, 10)}`, isWhole: false };
      if (how < 0.9) return { text: `BULK/${utr}/${whole}`, isWhole: false };
      // cut in the middle of everything
      return { text: `NEFT-${utr}-${whole.slice(0, 5)}`, isWhole: false };
    }
  });
  for (let other = 0; other < 25; other += 1) {
    const [amount, day] = [
      dice() < 0.5 ? pick(AMOUNTS) : `${Math.floor(dice() * 9000) + 1}.00`,
      later("2026-11-01", Math.floor(dice() * 9)),
    ];
    const text = pick([
      "ATM WDL",
      `CHQ PAID ${digits(6)}`,
      "RENT OFFICE PUNE",
      `NEFT-N${digits(12)}-ACME SUPPLIES`,
      "BULK UPLOAD 14 TXNS",
    ]);
    drafts.push(lineOf(text, amount, day, dice() < 0.8 ? "debit" : "credit"));
  }
  const inOrder = drafts
    .map((one) => [dice(), one] as const)
    .sort(([a, one], [b, other]) => (one.day < other.day ? -1 : one.day > other.day ? 1 : a - b));
  const lines = inOrder.map(([, { of: _of, isBack: _isBack, ...entry }], at) => ({ ...entry, line: at + 12 }));
  const truth = new Map<number, { debit: number; credit?: number }>();
  for (const [at, [, { of, isBack }]] of inOrder.entries()) {
    if (of === undefined) continue;
    const known = truth.get(of) ?? { debit: 0 };
    truth.set(of, isBack ? { ...known, credit: at + 12 } : { ...known, debit: at + 12 });
  }
  return { rows, lines, truth };
}

function lineOf(text: string, amount: string, day: string, direction: Entry["direction"]): Omit<Entry, "line"> {
  return { text, amount, day, direction, references: [] };
}

function later(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Numbers from 0 to 1 by a seed (mulberry32). */
function diceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
