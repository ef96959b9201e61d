import { rowsIn } from "../amount.ts";
import { isMostlyPaid, isSameFileAgain, speakAgainst, type Against, type Circumstances } from "../duplicates/rules.ts";
import { monthBefore, verdictOf } from "../duplicates/verdict.ts";
import type { HoldCode, Judged, Reason, Seen, Verdict } from "../duplicates/seen.ts";
import { PROPOSED, proposalOf } from "./approval.ts";
import { batchNamed, circumstancesOf, GONE, namedPages, pagesOf } from "./circumstances.ts";
import type { JudgingRules, KnownCircumstances } from "./circumstances.ts";
import type { RowState } from "./states.ts";
import type { Act, BatchRecord, Environment, JournalStore, Move, RowRecord, SeenRow } from "./store.ts";

export type { JudgingRules } from "./circumstances.ts";

const JUDGED: readonly RowState[] = ["ready", "held", "duplicate"];
/**
 * What the rules look for at each judging. Every other reason was found once, in the file or by what people said, and stays
 * until a person lets the row go.
 */
const FOUND_ANEW: readonly HoldCode[] = [
  ...(["same_payment", "reference_used", "open_elsewhere", "correction", "maybe_paid", "other_amount"] as const),
  ...(["other_account", "too_many"] as const),
];
/** By these a row repeats one of an earlier batch. */
const REPEATS: readonly HoldCode[] = ["same_payment", "open_elsewhere", "maybe_paid"];

/**
 * Judges all rows of a batch that is written down, before it is opened. To be called inside `store.judging()`, together
 * with the call that opens the batch: rows of a batch that is not open yet are seen by nobody (I14). It may be called
 * again, until then.
 */
export async function judgeBatch(
  store: JournalStore,
  { id }: Pick<BatchRecord, "id">,
  rules: JudgingRules,
  now: number,
): Promise<void> {
  const batch = await batchNamed(store, id);
  const known = await circumstancesOf(store, batch, { rules, now, isAgain: false });
  const ofFile: Reason[] = rules.all_or_nothing && batch.tallies.invalid ? [{ code: "all_or_nothing" }] : [];
  ofFile.push(...(await sameFileOf(store, id, known)));
  const back = batch.tallies.invalid ? await moneyBack(store, id) : new Map<string | undefined, number>();
  const repeats = new Repeats();
  // a row that nothing ties to another one stays ready, but where the whole file waits, or its payees are asked for (6)
  const isConcerned = ofFile.length === 0 && known.corrected.size === 0 && back.size === 0;
  for await (const page of pagesOf(store, id, { ...known, isConcerned })) {
    const verdicts = page.map(({ row, others }) => {
      const against = speakAgainst(row, others, known);
      repeats.add(row, against);
      // a held row has a fault where a column says that it is not to go now
      const isLater = row.state === "held" && row.faults !== undefined;
      // where nobody is named it may be taken from any of them
      const from = back.get(row.payee) ?? back.get(undefined);
      const ofRow: Reason[] = from ? [{ code: "money_back", other: { batch: id, row: from } }] : [];
      return verdictOf(row, against, [...ofFile, ...ofRow, ...(isLater ? [{ code: "not_now" } as const] : [])]);
    });
    const changed = verdicts.filter(({ state }, at) => state !== "ready" || page[at]?.row.state !== "ready");
    const moves = changed.map((verdict) => moveTo(verdict, JUDGED));
    await store.move(id, moves);
  }
  const mostly = await repeats.mostlyPaid(store, await batchNamed(store, id));
  if (!mostly) return;
  const ready = await store.rows({ batch: id, states: ["ready"] });
  const hold = (row: RowRecord): Move => moveTo({ row: row.row, state: "held", reasons: [mostly] }, JUDGED);
  await store.move(id, ready.map(hold));
}

/** Rows that are money back, by their payees: what these are paid in this file is too much. */
async function moneyBack(store: JournalStore, batch: string): Promise<ReadonlyMap<string | undefined, number>> {
  const rows = await store.rows({ batch, states: ["invalid"], codes: ["takes_back"], hasHidden: true });
  return new Map(rows.map(({ payee, row }) => [payee, row]));
}

/** Which rows became what; `proposed`: held until somebody else approves them (I16). */
export type Became = Readonly<Record<Verdict["state"] | "proposed", readonly number[]>>;

interface JudgingAgain {
  readonly now: number;
  readonly from: readonly RowState[];
  readonly act?: Act | undefined;
  /** A person's word by which they would go, while others are asked to approve; or such rows are approved. */
  readonly as?: "proposed" | "approved";
}

/**
 * Judges rows on their way into `ready` by anything but a release: a run or retry that takes them up again (`from`: the
 * states that they may come from, `act` who said so), or the end of what they waited for. What does not become ready is
 * held, or a duplicate. To be called inside `store.judging()`.
 */
export async function judgeRows(
  store: JournalStore,
  { id }: Pick<BatchRecord, "id">,
  rows: readonly number[],
  rules: JudgingRules,
  { now, from, act, as }: JudgingAgain,
): Promise<Became> {
  const batch = await batchNamed(store, id);
  const known = await circumstancesOf(store, batch, { rules, now, isAgain: true });
  const releases = (await store.acts({ batch: id })).filter(({ kind }) => kind === "release");
  const released = new Map(releases.flatMap(({ rows: all = [], at }) => all.map((row) => [row, at])));
  const verdicts = new Map<number, Verdict>();
  for await (const page of namedPages(store, id, rows, known)) {
    for (const { row, others } of page) {
      if (row.state === "on_its_way" || !from.includes(row.state)) continue;
      const said = { releasedAt: released.get(row.row), isApproved: as === "approved" };
      const judged = judgeAgain(row, others, known, said);
      const verdict = act && as === "proposed" && judged.state === "ready" ? proposed(judged, act) : judged;
      if (!isAsItWas(row, verdict)) verdicts.set(row.row, verdict);
    }
  }
  const moves = [...verdicts.values()].map((verdict) => moveTo(verdict, from));
  const moved = moves.length === 0 ? [] : await store.move(id, moves, act);
  const became = Map.groupBy(moved, (row) => {
    const { state, reasons } = verdicts.get(row) as Verdict;
    return reasons[0]?.code === PROPOSED ? "proposed" : state;
  });
  const of = (what: keyof Became): readonly number[] => became.get(what) ?? [];
  return { ready: of("ready"), held: of("held"), duplicate: of("duplicate"), proposed: of("proposed") };
}

const proposed = ({ row }: Verdict, act: Act): Verdict => ({ row, state: "held", reasons: [proposalOf(act)] });

/** What a person let it go in spite of holds it no more: what went before that, what was told then, its own file. */
function judgeAgain(
  row: SeenRow["row"],
  others: readonly Seen[],
  known: Circumstances,
  { releasedAt, isApproved }: { readonly releasedAt: number | undefined; readonly isApproved: boolean },
): Verdict {
  // repeats of one file were told apart, or not, when it was taken
  const circumstances = { ...known, allowRepeats: true };
  const { state, reasons = [] } = row;
  const stays = ({ code }: Reason): boolean =>
    code === PROPOSED ? !isApproved : releasedAt === undefined && !FOUND_ANEW.includes(code);
  const kept = state === "held" ? reasons.filter(stays) : [];
  if (releasedAt === undefined) {
    return verdictOf(row, speakAgainst(row, others, circumstances), kept);
  }
  const since = others.filter(({ batch, row: number, wentAt = Infinity }) => {
    const wasTold = reasons.some(({ other }) => other?.batch === batch && other.row === number);
    return batch !== known.batch && wentAt > releasedAt && !wasTold;
  });
  return verdictOf(row, speakAgainst(row, since, circumstances), kept);
}

function isAsItWas({ state, reasons }: SeenRow["row"], verdict: Verdict): boolean {
  return state === verdict.state && (state === "ready" || JSON.stringify(reasons) === JSON.stringify(verdict.reasons));
}

/**
 * Judges again what is held as `open_elsewhere` for rows of these batches, after something became of them (`all`: at the
 * start, after a process that was killed before it could); gives how many rows of which batches may go now. Their results
 * are to be written again. Inside `store.judging()`.
 */
export async function judgeWaiting(
  store: JournalStore,
  ended: readonly string[] | "all",
  environment: Environment,
  rules: JudgingRules,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const isFor = ({ code, other }: Reason): boolean =>
    code === "open_elsewhere" && (ended === "all" || ended.includes(other?.batch ?? ""));
  const held = await store.rows({ environment, states: ["held"], codes: ["open_elsewhere"] });
  const waiting = held.filter(({ reasons }) => reasons.some(isFor));
  const mayGo = new Map<string, number>();
  // by batches as they were taken: the earlier one goes first
  for (const [id, rows] of Map.groupBy(waiting, ({ batch }) => batch)) {
    const numbers = rows.map(({ row }) => row);
    const { ready, held: still, duplicate } = await judgeRows(store, { id }, numbers, rules, { now, from: ["held"] });
    if (ready.length + still.length + duplicate.length > 0) await store.setBatch(id, { owesResults: true });
    if (ready.length > 0) mayGo.set(id, ready.length);
  }
  return mayGo;
}

/** Rule 8: a row of the file, and the first one that went, stand for all of theirs. */
async function sameFileOf(store: JournalStore, batch: string, known: KnownCircumstances): Promise<Reason[]> {
  if (known.same.length === 0) return [];
  const [first] = await store.seen(batch, { limit: 1 }, []);
  for (const other of known.same) {
    const [gone] = await store.rows({ batch: other, states: GONE, limit: 1 });
    const [before] = gone ? await store.seen(other, { rows: [gone.row] }, []) : [];
    const at = gone?.wentAt;
    if (!first || !before || !isSameFileAgain(first.row, { ...before.row, ...(at && { wentAt: at }) }, known)) continue;
    const of = { batch: other, row: before.row.row };
    const { period = "that one" } = before.row;
    const own = first.row.period;
    // without a period it is held because that one is long ago: any month tells the two files apart
    const periods = own === undefined ? { period } : { periods: [period, own] as const };
    return [{ code: "same_file", other: of, ...(at && { at }), ...periods }];
  }
  return [];
}

/** Counts which earlier batches the rows of a file repeat. */
class Repeats {
  #repeating = 0;
  readonly #batches = new Map<string, { rows: number; readonly reason: Reason }>();

  add(row: Judged, against: readonly Against[]): void {
    const repeated = new Map(
      against.filter(({ code }) => REPEATS.includes(code)).map(({ other }) => [other.batch, other]),
    );
    if (repeated.size > 0) this.#repeating += 1;
    for (const [batch, other] of repeated) {
      const known = this.#batches.get(batch);
      const of = { batch, row: other.row };
      if (known) known.rows += 1;
      else
        this.#batches.set(batch, { rows: 1, reason: { code: "mostly_paid", other: of, ...monthBefore(row, other) } });
    }
  }

  /** Why all other rows of the batch that was judged wait, too. */
  async mostlyPaid(store: JournalStore, batch: BatchRecord): Promise<Reason | undefined> {
    const ready = rowsIn(batch.tallies, "ready");
    const judged = batch.rows - rowsIn(batch.tallies, "invalid");
    for (const [id, { rows: repeated, reason }] of this.#batches) {
      if (ready === 0 || repeated * 2 <= judged) continue;
      const others = ready + this.#repeating - repeated;
      const before = await batchNamed(store, id);
      // neither went, there or elsewhere, nor goes by itself
      const notGone = before.rows - rowsIn(before.tallies, ...GONE, "ready", "duplicate");
      if (isMostlyPaid({ rows: judged, repeated, others, notGone })) return reason;
    }
    return undefined;
  }
}

function moveTo({ row, state, reasons }: Verdict, from: readonly RowState[]): Move {
  return { row, to: state, from, ...(reasons.length > 0 && { reasons }) };
}
