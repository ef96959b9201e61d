import { canonicalAmount } from "../amount.ts";
import { oneSpelling } from "../one-spelling.ts";

/** A row that went, or may have gone: what speaks for it in a statement. In clear: it is never logged or stored. */
export interface WentRow {
  readonly batch: string;
  readonly row: number;
  readonly state: "accepted" | "settled_done" | "unknown";
  readonly amount: string;
  /** When it was sent: `2026-11-03`. */
  readonly day: string;
  readonly reference?: string | undefined;
  readonly narration?: string | undefined;
  /** Its account, id or UPI id. */
  readonly payee?: string | undefined;
  readonly name?: string | undefined;
  /** What its answer may name as the service's own reference (`referencesIn`). */
  readonly answer?: readonly string[] | undefined;
}

/** An entry of a statement, as far as it is compared. */
export interface Entry {
  readonly line: number;
  readonly day: string;
  readonly text: string;
  readonly references: readonly string[];
  readonly amount: string;
  readonly direction: "debit" | "credit";
}

/** What speaks for a row, the strongest first. */
export const EVIDENCE = ["answer", "reference", "narration", "payee", "name"] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** One line and one row, by evidence. */
export interface Pair<R extends WentRow = WentRow, E extends Entry = Entry> {
  readonly row: R;
  readonly line: E;
  readonly by: Evidence;
}

/** Rows and lines of one amount that nothing tells apart. */
export interface Equals<R extends WentRow = WentRow, E extends Entry = Entry> {
  readonly lines: readonly E[];
  readonly accepted: readonly R[];
  readonly unknown: readonly R[];
}

export interface Matched<R extends WentRow, E extends Entry> {
  readonly pairs: readonly Pair<R, E>[];
  readonly equals: readonly Equals<R, E>[];
  /** Debits that no row explains. */
  readonly strange: readonly E[];
}

/** A payment is booked on the day that it was sent, or so many days later (README §15). */
export const BOOKED_WITHIN_DAYS = 5;
/** Money comes back so many days after it was booked, at most. */
const RETURNED_WITHIN_DAYS = 10;

/**
 * Which line of a statement speaks for which row, both of one debit account. Amounts are equal to the last digit. A line that
 * speaks for several rows, and a row for which several lines speak, are not chosen among. What is absent says nothing.
 */
export function match<R extends WentRow, E extends Entry>(rows: readonly R[], lines: readonly E[]): Matched<R, E> {
  const debits = new Map(
    Map.groupBy(
      lines.filter(({ direction }) => direction === "debit"),
      ({ amount }) => canonicalAmount(amount),
    ),
  );
  const groups = Map.groupBy(rows, ({ amount }) => canonicalAmount(amount));
  const pairs: Pair<R, E>[] = [];
  const equals: Equals<R, E>[] = [];
  const strange: E[] = [];
  for (const [amount, all] of debits) {
    const { found, rows: rowsLeft, lines: linesLeft } = matchEqual(groups.get(amount) ?? [], all);
    pairs.push(...found);
    const near = rowsLeft.filter((row) => linesLeft.some((line) => isWithin(row, line)));
    const open = linesLeft.filter((line) => near.some((row) => isWithin(row, line)));
    strange.push(...linesLeft.filter((line) => !open.includes(line)));
    if (open.length === 0) continue;
    const [unknown, accepted] = [true, false].map((is) => near.filter(({ state }) => (state === "unknown") === is)) as [
      R[],
      R[],
    ];
    equals.push({ lines: open, accepted, unknown });
  }
  return { pairs, equals, strange };
}

/** Of one amount: by the strongest evidence first; what it finds stands in the way of nothing weaker. */
function matchEqual<R extends WentRow, E extends Entry>(rows: readonly R[], lines: readonly E[]) {
  const found: Pair<R, E>[] = [];
  const index = new Index(lines);
  let [rowsLeft, linesLeft] = [rows, lines];
  for (const by of EVIDENCE) {
    if (rowsLeft.length === 0 || linesLeft.length === 0) break;
    const isLeft = new Set(linesLeft);
    const speaks = rowsLeft.map((row) => [row, index.spokenFor(row, by).filter((line) => isLeft.has(line))] as const);
    const rowsOf = new Map<E, number>();
    for (const [, of] of speaks) for (const line of of) rowsOf.set(line, (rowsOf.get(line) ?? 0) + 1);
    const chosen = speaks.flatMap(([row, [line, ...more]]): Pair<R, E>[] =>
      line !== undefined && more.length === 0 && rowsOf.get(line) === 1 ? [{ row, line, by }] : [],
    );
    found.push(...chosen);
    const [rowsTaken, linesTaken] = [new Set(chosen.map(({ row }) => row)), new Set(chosen.map(({ line }) => line))];
    rowsLeft = rowsLeft.filter((row) => !rowsTaken.has(row));
    linesLeft = linesLeft.filter((line) => !linesTaken.has(line));
  }
  return { found, rows: rowsLeft, lines: linesLeft };
}

/** So few lines are all looked at; of more only those that hold a word which must be there. */
const LOOKED_AT_MAX = 100;

/** Lines of one amount by their words: a month's salaries may all be equal. */
class Index<E extends Entry> {
  readonly #all: readonly E[];
  readonly #words: ReadonlyMap<E, Words>;
  readonly #byWord = new Map<string, E[]>();

  constructor(lines: readonly E[]) {
    this.#all = lines;
    this.#words = new Map(lines.map((line) => [line, wordsIn(line)]));
    if (lines.length <= LOOKED_AT_MAX) return;
    for (const [line, { all }] of this.#words)
      for (const word of all) {
        const known = this.#byWord.get(word);
        if (known) known.push(line);
        else this.#byWord.set(word, [line]);
      }
  }

  spokenFor(row: WentRow, by: Evidence): readonly E[] {
    const test = TESTS[by](row);
    if (!test) return [];
    const day = dayNumber(row.day);
    return this.#lookedAt(test).filter((line) => {
      const words = this.#words.get(line) ?? NO_WORDS;
      return isBookedFor(day, words.day) && test.isIn(words);
    });
  }

  /** `least` of its words must be there: the most frequent ones need not be looked up. */
  #lookedAt({ words, least }: Test): readonly E[] {
    if (this.#all.length <= LOOKED_AT_MAX) return this.#all;
    const lists = words.map((word) => this.#byWord.get(word) ?? []).sort((one, other) => one.length - other.length);
    const [first = [], ...more] = lists.slice(0, words.length - least + 1);
    return more.length === 0 ? first : [...new Set([first, ...more].flat())];
  }
}

const dayNumber = (day: string): number => Date.parse(day) / 86_400_000;

function isBookedFor(sent: number, booked: number): boolean {
  return booked >= sent && booked <= sent + BOOKED_WITHIN_DAYS;
}

function isWithin({ day }: WentRow, line: Entry): boolean {
  return isBookedFor(dayNumber(day), dayNumber(line.day));
}

/** The words of a line, in one spelling, and all of it without spaces and signs. */
interface Words {
  readonly all: ReadonlySet<string>;
  readonly joined: string;
  readonly day: number;
}

const NO_WORDS: Words = { all: new Set(), joined: "", day: Number.NaN };
const WORD = /[\p{L}\p{M}\p{N}]+(?:[._-][\p{L}\p{M}\p{N}]+)*(?:@[\p{L}\p{N}.-]+)?/gu;
/** `XXXXXX8901`: the last four of an account, behind what hides the others. */
const HIDDEN = /^x+(\d{4})$/;
const hidden = (last4: string): string => `x${last4}`;

function wordsIn({ text, references, day }: Entry): Words {
  const whole = [text, ...references].join(" ").toLowerCase();
  const found = whole.match(WORD) ?? [];
  // `NEFT-N123-INV-42` holds each part, and each row of parts
  const parts = found.flatMap((word) => (SIGN.test(word) ? pieces(word.split(SIGN)) : []));
  const all = new Set(
    [...found, ...parts]
      .map((word) => HIDDEN.exec(word)?.[1] ?? "")
      .filter(Boolean)
      .map(hidden),
  );
  for (const word of [...found, ...parts]) all.add(oneSpelling(word));
  return { all, joined: found.join("").replaceAll(/[._-]/g, ""), day: dayNumber(day) };
}

const SIGN = /[._-]/;
const PIECES_MAX = 4;

function pieces(parts: readonly string[]): string[] {
  return parts.flatMap((_, from) =>
    Array.from({ length: Math.min(PIECES_MAX, parts.length - from) }, (_none, more) =>
      parts.slice(from, from + more + 1).join("-"),
    ),
  );
}

/** What must stand in a line: `least` of these words, and whatever `isIn` asks for besides. */
interface Test {
  readonly words: readonly string[];
  readonly least: number;
  readonly isIn: (line: Words) => boolean;
}

/** By a row; undefined: it has nothing that could speak for it. */
const TESTS: Readonly<Record<Evidence, (row: WentRow) => Test | undefined>> = {
  answer: ({ state, answer }) => (state === "unknown" ? undefined : wordsTest(answer ?? [])),
  reference: ({ reference }) => wordsTest(reference ? [oneSpelling(reference)] : []),
  narration: ({ narration }) => narrationTest(narration),
  payee: ({ payee }) => payeeTest(payee),
  name: ({ name }) => {
    const words = [...new Set(name?.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [])];
    return wordsTest(
      words.filter((word) => word.length >= NAME_WORD_CHARACTERS_MIN),
      2,
    );
  },
};

/** A short word stands anywhere by chance. */
const WORD_CHARACTERS_MIN = 4;
const ANSWER_CHARACTERS_MIN = 8;
const LAST_DIGITS = 4;
const NAME_WORD_CHARACTERS_MIN = 3;

function wordsTest(words: readonly string[], least = 1): Test | undefined {
  const long = least > 1 ? words : words.filter((word) => word.length >= WORD_CHARACTERS_MIN);
  if (long.length < least) return undefined;
  return { words: long, least, isIn: ({ all }) => long.filter((word) => all.has(word)).length >= least };
}

/** Of an answer: the service's own references have digits, and are long. */
export function referencesIn(answer = ""): readonly string[] {
  const words = answer.toLowerCase().match(/[a-z0-9_-]+/g) ?? [];
  return words.filter((word) => /[0-9]{3}/.test(word) && word.length >= ANSWER_CHARACTERS_MIN).map(oneSpelling);
}

/** A narration that the row has for itself holds a digit: `Salary November` stands in all of them. */
function narrationTest(narration = ""): Test | undefined {
  const words = narration.toLowerCase().match(WORD) ?? [];
  const own = words.filter((word) => /[0-9]/.test(word)).map(oneSpelling);
  const joined = words.join("").replaceAll(/[._-]/g, "");
  if (own.length === 0 || joined.length < WORD_CHARACTERS_MIN) return undefined;
  return { words: own, least: own.length, isIn: (line) => line.joined.includes(joined) };
}

/** All of an account, or its last four behind what hides the others. */
function payeeTest(payee = ""): Test | undefined {
  if (payee.includes("@")) return wordsTest([oneSpelling(payee.toLowerCase())]);
  const spelled = oneSpelling(payee);
  return spelled.length <= LAST_DIGITS ? undefined : wordsTest([spelled, hidden(spelled.slice(-LAST_DIGITS))]);
}

/** The credits by which money came back, of rows whose debits were booked on `day`: the same amount, soon after, and evidence. */
export function returnsOf<R extends WentRow, E extends Entry>(
  seen: readonly { readonly row: R; readonly day: string }[],
  lines: readonly E[],
): readonly { readonly row: R; readonly line: E }[] {
  const credits = lines.filter(({ direction }) => direction === "credit");
  const byAmount = Map.groupBy(credits, ({ amount }) => canonicalAmount(amount));
  const words = new Map(credits.map((line) => [line, wordsIn(line)]));
  const found = seen.map(({ row, day }) => {
    const tests = EVIDENCE.map((by) => TESTS[by](row));
    const back = (byAmount.get(canonicalAmount(row.amount)) ?? []).filter((credit) => {
      const days = dayNumber(credit.day) - dayNumber(day);
      return (
        days >= 0 && days <= RETURNED_WITHIN_DAYS && tests.some((test) => test?.isIn(words.get(credit) ?? NO_WORDS))
      );
    });
    return { row, back };
  });
  const times = new Map<E, number>();
  for (const { back } of found) for (const credit of back) times.set(credit, (times.get(credit) ?? 0) + 1);
  return found.flatMap(({ row, back: [line, ...more] }) =>
    line !== undefined && more.length === 0 && times.get(line) === 1 ? [{ row, line }] : [],
  );
}
