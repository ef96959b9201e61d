import type { Act } from "../../journal/store.ts";
import { printable } from "../../printable.ts";
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

/** The same as one list. */
export function decisionsOf(history: readonly Act[]): readonly Decision[] {
  const decisions: (Omit<Decision, "what"> & { readonly rows: number[] })[] = [];
  for (const { at, by, kind, row, note } of history) {
    const last = decisions.at(-1);
    const isSame = last?.kind === kind && last.by === by && last.note === note && last.rows.length > 0;
    if (isSame && row !== undefined && at - last.at <= TOGETHER_MS) last.rows.push(row);
    else decisions.push({ at, by, kind, note, rows: row === undefined ? [] : [row] });
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
