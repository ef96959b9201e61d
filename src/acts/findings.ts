import { sumOf } from "../amount.ts";
import { dayOf } from "../day.ts";
import { maskNumbers } from "../mask.ts";
import { EVIDENCE_WORDS, FINDINGS, RECONCILED } from "../messages/reconcile.ts";
import { told, type Facts } from "../messages/sentence.ts";
import type { Line, Statement } from "../statements/read.ts";
import type { Reconciled, Reconciling } from "./reconcile.ts";

/** A row that a person looks at, or a line that no row explains. */
export type Finding = Reconciled | { readonly is: "strange"; readonly line: Line };

export const findingsOf = ({ rows, strange }: Reconciling): readonly Finding[] => [
  ...rows,
  ...strange.map((line) => ({ is: "strange", line }) as const),
];

const sayingOf = (code: keyof typeof RECONCILED, facts: Facts = {}): string => told(RECONCILED[code], facts).text;

/** `line 6, 3 Nov 2026: your own reference`. */
export function findingText(one: Finding): string {
  const { line, by } = { by: undefined, ...one };
  const facts: Facts = {
    ...(line && { line: line.line, day: bookedOn(line) }),
    ...(by && { by: EVIDENCE_WORDS[by] }),
    ...(one.is === "undecided" && one.equals),
  };
  return told(FINDINGS[one.is], facts).text;
}

/** Why a row is settled, for the history. */
export const noteText = (one: Finding, fileName = ""): string =>
  `statement${fileName && ` ${fileName}`}: ${findingText(one)}`;

export const bookedOn = ({ day }: Pick<Line, "day">): string => dayOf(Date.parse(day));

/** What the bank says of it, as it may be shown (I10). */
export const narrationOf = ({ text }: Pick<Line, "text">): string => maskNumbers(text);

const KINDS = ["proposed", "returned", "undecided", "not_shown", "strange"] as const;

/** What was found of one kind: how many, their sum, and this in words. */
export interface Group {
  readonly is: Finding["is"];
  readonly all: readonly Finding[];
  readonly rows: number;
  readonly amount: string;
  readonly text: string;
}

/** Those kinds that were found, in the order in which a person looks at them. */
export function groupsOf(found: Reconciling): readonly Group[] {
  const all = Map.groupBy(findingsOf(found), ({ is }) => is);
  return KINDS.flatMap((is) => groupOf(is, all.get(is) ?? []));
}

/** None where nothing is. */
export function groupOf(is: Finding["is"], all: readonly Finding[]): readonly Group[] {
  const amount = sumOf(all.map((one) => (one.is === "strange" ? one.line : one.record)));
  const text = sayingOf(is, { rows: all.length, sum: amount });
  return all.length === 0 ? [] : [{ is, all, rows: all.length, amount, text }];
}

/** `seen in the bank's statement: 205 of 210`. `rows`: of which something else is told. */
export function seenText({ accepted, seen, rows }: Pick<Reconciling, "accepted" | "seen"> & { rows: number }): string {
  return accepted + rows === 0 ? sayingOf("none_went") : sayingOf("seen", { seen, accepted });
}

export const nothingText = (): string => sayingOf("nothing");

/** What else must be known of the statement. */
export function notesOn({
  statement: { chain },
  before,
}: Pick<Reconciling, "statement" | "before">): readonly string[] {
  const counted = before > 0 ? [sayingOf("before", { lines: before })] : [];
  if (typeof chain === "object") return [...counted, sayingOf("chain_broken", { line: chain.brokenAt })];
  return [...counted, sayingOf(chain === "whole" ? "chain_whole" : "chain_none")];
}

/** `HDFC`, `account ••1234`, `3 Nov 2026 to 13 Nov 2026`, where they are known. */
export function statementTexts({ layout, account, days }: Pick<Statement, "layout" | "account" | "days">) {
  const [first, last] = (days ?? []).map((day) => dayOf(Date.parse(day)));
  return {
    bank: layout,
    account: account && `account ••${account.slice(-4)}`,
    days: first && last && `${first} to ${last}`,
  };
}
