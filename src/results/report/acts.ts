import type { Act } from "../../journal/store.ts";
import { printable } from "../../text/printable.ts";
import { wordsOfAct } from "./words.ts";

/** The same act on one or many rows, told once. */
export interface Decision {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
  /** `release`, `settle`. */
  readonly kind: string;
  /** `released`, `settled`, in words. */
  readonly what: string;
  readonly note: string;
  /** In order; empty where the act was on the whole batch. */
  readonly rows: readonly number[];
}

/** The history of a batch: what people decided, and what paydrop itself had to do. */
export interface Acts {
  readonly people: readonly Decision[];
  readonly own: readonly Decision[];
}

const OWN_NAME = "paydrop";
const NOTE_CHARACTERS_MAX = 1000;

/** Acts that came together, one per row, become one. */
export function actsOf(history: readonly Act[]): Acts {
  const shown = decisionsOf(history);
  return {
    people: shown.filter(({ by }) => by !== OWN_NAME),
    own: shown.filter(({ by }) => by === OWN_NAME),
  };
}

/** The same acts as one list. In a list of settled rows done and not done come by turns: each is told once. */
export function decisionsOf(history: readonly Act[]): readonly Decision[] {
  const decisions: (Omit<Decision, "what"> & { readonly rows: number[] })[] = [];
  /** Places in `decisions`: of each act on rows since the last one on the whole batch, and of the last act on a row. */
  const alike = new Map<string, number>();
  const ofRow = new Map<number, number>();
  for (const { at, by, kind, row, note } of history) {
    if (row === undefined) {
      decisions.push({ at, by, kind, note, rows: [] });
      alike.clear();
      continue;
    }
    const key = JSON.stringify([by, kind, note]);
    let place = alike.get(key) ?? decisions.length;
    const earlier = decisions[place];
    // not joined where another act on this row lies between: it would be told before that one
    const isTogether = earlier && at - earlier.at <= TOGETHER_MS && (ofRow.get(row) ?? 0) <= place;
    if (isTogether) earlier.rows.push(row);
    else place = decisions.push({ at, by, kind, note, rows: [row] }) - 1;
    alike.set(key, place);
    ofRow.set(row, place);
  }
  return decisions.map(({ at, by, kind, note, rows }) => ({
    at,
    by: printable(by, 80),
    kind,
    what: wordsOfAct(kind),
    note: printable(note, NOTE_CHARACTERS_MAX),
    rows: rows.sort((a, b) => a - b),
  }));
}

/** A release of many rows writes one act for each. */
const TOGETHER_MS = 60_000;
