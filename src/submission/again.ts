import { batchNamed } from "../journal/circumstances.ts";
import { judgeRows, type Became, type JudgingRules } from "../journal/judge.ts";
import { AS_IT_WAS, type RowState } from "../journal/states.ts";
import type { Act, JournalStore, RowFilter, RowRecord } from "../journal/store.ts";
import { AGAIN } from "../messages/outcomes.ts";
import { told, type Told } from "../messages/sentence.ts";

/** By what a row may go again, or be kept from going. `run`: the next run of its file, a watch, `resume`. */
export type How = "run" | "retry" | "retry_rejected" | "release" | "cancel";

interface Rule {
  /** Its words in `messages/`. */
  readonly name: keyof typeof AGAIN;
  readonly states: readonly RowState[];
  /** Only rows whose first reason is one of these. */
  readonly codes?: readonly string[];
  readonly by: readonly How[];
}

const FOR_KEY_OR_ADDRESS = ["key_refused", "address_refused"];
const FOR_ITSELF = ["refused", "no_funds", AS_IT_WAS];

/**
 * Who lets a row go again (README §2): the one table that code, the journal's filters and `paydrop help again` are made
 * from. A row that no line lets go is never sent again.
 */
const TABLE: readonly Rule[] = [
  { name: "waiting", states: ["ready", "not_sent"], by: ["run", "retry", "cancel"] },
  { name: "not_for_itself", states: ["rejected"], codes: FOR_KEY_OR_ADDRESS, by: ["run", "retry"] },
  { name: "for_itself", states: ["rejected"], codes: FOR_ITSELF, by: ["retry_rejected"] },
  { name: "invalid", states: ["invalid"], by: [] },
  { name: "settled_not_done", states: ["settled_not_done"], by: ["retry", "cancel"] },
  { name: "unknown", states: ["unknown"], by: [] },
  { name: "held", states: ["held"], by: ["release", "cancel"] },
  { name: "duplicate", states: ["duplicate"], by: ["release"] },
  { name: "over", states: ["accepted", "settled_done"], by: [] },
  { name: "cancelled", states: ["cancelled"], by: [] },
];

/** For `paydrop help again`: the state, and by what it goes again. */
export function againTable(): readonly Told[] {
  return TABLE.map(({ name }) => told(AGAIN[name]));
}

/** The journal's filters for the rows that `how` may move. A ready row needs no move to go. */
export function filtersOf(how: How): readonly Pick<RowFilter, "states" | "codes">[] {
  return rulesOf(how).map(({ states, codes }) => ({ states, ...(codes && { codes }) }));
}

function rulesOf(how: How): readonly Rule[] {
  const rules = TABLE.filter(({ by }) => by.includes(how));
  const moving =
    how === "cancel"
      ? rules
      : rules.map((rule) => ({ ...rule, states: rule.states.filter((state) => state !== "ready") }));
  return moving.filter(({ states }) => states.length > 0);
}

/** Why rows were rejected that go again by themselves. */
export const REJECTED_FOR: readonly string[] = filtersOf("run").flatMap(({ states, codes = [] }) =>
  states?.includes("rejected") ? codes : [],
);

/** A rejected row that the next run sends as it is; every other one needs a correction, or a person's word. */
export function goesAgainAsItIs({ state, code = "" }: Pick<RowRecord, "state" | "code">): boolean {
  return state === "rejected" && FOR_KEY_OR_ADDRESS.includes(code);
}

export interface Waking {
  /** Who said so, or started the run: a rejected row never moves without (I5). */
  readonly act: Act;
  readonly now: number;
  readonly rules: JudgingRules;
  /** Only these rows. */
  readonly rows?: readonly number[];
}

/**
 * Takes up the rows of a batch that `how` lets go again. Each is judged on its way into `ready` (I14), and may be held
 * instead, or be a duplicate; and what goes only by a person's word waits for another one, where approval is asked for (I16).
 * To be called within `store.judging`.
 */
export async function wake(
  store: JournalStore,
  batch: string,
  how: Exclude<How, "release" | "cancel">,
  { act, now, rules, rows: named }: Waking,
): Promise<Became> {
  const became = { ready: [], held: [], duplicate: [], proposed: [] } satisfies Became as Record<
    keyof Became,
    number[]
  >;
  const isAsked = (await batchNamed(store, batch)).approvers > 0;
  for (const { from, rows, byItself } of await rowsFor(store, batch, how, named)) {
    const as = isAsked && !byItself ? ({ as: "proposed" } as const) : {};
    const judged = await judgeRows(store, { id: batch }, rows, rules, { now, from, act, ...as });
    for (const what of Object.keys(became) as (keyof Became)[]) became[what].push(...judged[what]);
  }
  return became;
}

/** A person says that rows shall not go; gives those that will not. `states`: only rows in one of these. */
export async function cancel(
  store: JournalStore,
  batch: string,
  { act, rows: named, states }: Pick<Waking, "act" | "rows"> & { readonly states?: readonly RowState[] },
): Promise<readonly number[]> {
  const moved: number[] = [];
  for (const { from, rows } of await rowsFor(store, batch, "cancel", named)) {
    const meant = states ? from.filter((state) => states.includes(state)) : from;
    const moves = rows.map((row) => ({ row, to: "cancelled" as const, from: meant }));
    if (meant.length > 0) moved.push(...(await store.move(batch, moves, act)));
  }
  return moved;
}

const PAGE_ROWS = 1000;

interface RowsFor {
  readonly from: readonly RowState[];
  readonly rows: readonly number[];
  /** The next run of the file lets them go as well. */
  readonly byItself: boolean;
}

/** All rows that `how` may move, by the states of one rule each. They are looked for first: moving changes what is found. */
async function rowsFor(
  store: Pick<JournalStore, "rows">,
  batch: string,
  how: How,
  named: readonly number[] | undefined,
): Promise<readonly RowsFor[]> {
  const all: RowsFor[] = [];
  for (const { states: from, codes, by } of rulesOf(how)) {
    const filter = { batch, states: from, ...(codes && { codes }), ...(named && { rows: named }), limit: PAGE_ROWS };
    const rows: number[] = [];
    let page = await store.rows(filter);
    while (page.length > 0) {
      // a row whose correction went is over
      rows.push(...page.filter(({ onItsWay, correctedBy }) => !onItsWay && !correctedBy).map(({ row }) => row));
      page = await store.rows({ ...filter, after: page.at(-1)?.row ?? 0 });
    }
    if (rows.length > 0) all.push({ from, rows, byItself: by.includes("run") });
  }
  return all;
}
