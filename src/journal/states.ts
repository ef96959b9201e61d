import { PaydropError } from "../errors.ts";
import { STATUSES } from "../messages/statuses.ts";

/** The state of a row, in the journal and in results (README §2). */
export type RowState = "ready" | keyof typeof STATUSES;

export const ROW_STATES: readonly RowState[] = ["ready", ...(Object.keys(STATUSES) as (keyof typeof STATUSES)[])];

/** `recording`: rows are still being written down; nothing of it goes, and nobody else sees its rows. */
export type Phase = "recording" | "open" | "paused" | "cancelled";

/** Where each phase leads to. A cancelled batch stays cancelled. */
const LEADS_TO: Readonly<Record<Phase, readonly Phase[]>> = {
  recording: ["open"],
  open: ["paused", "cancelled"],
  paused: ["open", "cancelled"],
  cancelled: [],
};

/** To be asked in the transaction that changes it: two people may act at the same time. */
export function assertPhase(batch: string, phase: Phase, wanted: Phase, isJudging: boolean): void {
  if (!LEADS_TO[phase].includes(wanted)) throw new PaydropError("batch_phase", { batch, phase, wanted });
  if (phase === "recording" && !isJudging) throw new Error("a batch is opened inside judging only (I14)");
}

/** What a person says became of a row. */
export type SettledAs = Extract<RowState, "settled_done" | "settled_not_done">;

const JUDGED: readonly RowState[] = ["ready", "duplicate", "held"];

/**
 * Every legal move (README §2): its picture, and what may go again. To `settled_done` also from where a retry has
 * brought a row that was settled as not done (`maySettle`). A move that is not here is a bug, and stops everything.
 */
const LEGAL_MOVES: Readonly<Record<RowState | "on_its_way", readonly RowState[]>> = {
  // what came of it; ready: it goes again, by a new turn
  on_its_way: ["accepted", "rejected", "unknown", "not_sent", "ready"],
  ready: [...JUDGED, "cancelled", "settled_done"],
  held: [...JUDGED, "cancelled", "settled_done"],
  duplicate: [...JUDGED, "cancelled", "settled_done"],
  not_sent: [...JUDGED, "cancelled", "settled_done"],
  settled_not_done: [...JUDGED, "cancelled", "settled_done"],
  rejected: [...JUDGED, "settled_done"],
  cancelled: ["settled_done"],
  unknown: ["settled_done", "settled_not_done"],
  // the bank gave the money back; a person corrects a person
  accepted: ["settled_not_done"],
  settled_done: ["settled_not_done"],
  invalid: [],
};

/** Why a row of a retry file is rejected that nobody changed, and that was not sent therefore. */
export const AS_IT_WAS = "as_it_was";

/** States that are left only by a journalled act (I5). */
const NEED_AN_ACT = ["accepted", "unknown", "rejected", "cancelled", "settled_done", "settled_not_done"];

/** Throws for a move that is not legal, and for one that needs an act and has none: a bug, never a fault of a person. */
export function assertMove(from: RowState | "on_its_way", to: RowState, { hasAct }: { hasAct: boolean }): void {
  if (!LEGAL_MOVES[from].includes(to)) throw new Error(`a row may not move from ${from} to ${to}`);
  if (!hasAct && NEED_AN_ACT.includes(from)) throw new Error(`nobody moves a row from ${from} to ${to}`);
}

/** What a row that a person let go again may have become without being accepted. */
const NOT_ACCEPTED_SINCE: readonly RowState[] = ["ready", "not_sent", "held", "duplicate", "rejected", "cancelled"];

/**
 * What a person's word may change. `wasSettled`: the row was settled before. What was settled as not done and shows up
 * at the bank after all must not go once more, whatever a retry has made of it meanwhile.
 */
export function maySettle(from: RowState, as: SettledAs, { wasSettled }: { wasSettled: boolean }): boolean {
  if (from === "unknown") return true;
  if (as === "settled_not_done") return from === "accepted" || from === "settled_done";
  return from === "settled_not_done" || (wasSettled && NOT_ACCEPTED_SINCE.includes(from));
}

/**
 * One person settled the row as not done, another one says that it went and had not seen that: it must not go by the word of
 * the first alone (I1). What it becomes: held, for a third word; where nothing of it can go any more, done.
 */
export function becomesContradicted(
  { state, settledBy }: { readonly state: RowState; readonly settledBy?: string },
  phase: Phase,
): "held" | "settled_done" | undefined {
  const isSaid =
    settledBy !== undefined && state !== "unknown" && maySettle(state, "settled_done", { wasSettled: true });
  if (!isSaid) return undefined;
  return state === "cancelled" || phase === "cancelled" ? "settled_done" : "held";
}

/** SQL: the row `r` of the batch `b` is on its way: its turn was let go, and its outcome is not known (I2). */
export const ON_ITS_WAY = "(r.state = 'ready' AND r.turn <= b.mark)";
/** SQL: the row `r` of the batch `b` went (README §7). */
export const WENT = `(r.state IN ('accepted', 'settled_done', 'unknown') OR ${ON_ITS_WAY})`;
/** SQL: the row `r` of the batch `b` may have gone, and nobody knows yet. */
export const UNENDED = `(r.state = 'unknown' OR ${ON_ITS_WAY})`;
/** SQL: the row `r` of the batch `b` went, or goes by itself. */
export const GOES = `(${WENT} OR r.state = 'ready' AND b.phase <> 'cancelled')`;
/** SQL: the row `r` of the batch `b` waits for a person. */
export const WAITS = "(r.state = 'held' AND b.phase <> 'cancelled')";

/** The same in Postgres, where the mark is that of the row's share `s`. */
export const ofShare = (sql: string): string => sql.replaceAll("b.mark", "s.mark");
export const ON_ITS_WAY_OF_SHARE: string = ofShare(ON_ITS_WAY);
export const WENT_OF_SHARE: string = ofShare(WENT);

/** States that few rows are in, for long: an index by state and batch has them, in both engines. */
export const WAITING_STATES = ["held", "unknown", "not_sent", "settled_not_done", "invalid", "rejected"] as const;
export type WaitingState = (typeof WAITING_STATES)[number];
/**
 * SQL: the batches that have rows in this state, from one to the next by an index: of each one row is looked at, and nothing
 * of the others. `newest`: so many of them.
 */
export function batchesWith(table: "row" | "rows", state: "ready" | WaitingState, newest?: number): string {
  const [best, next] = newest === undefined ? ["min", ">"] : ["max", "<"];
  return `(WITH RECURSIVE found(batch) AS (
      SELECT ${best}(r.batch) FROM ${table} r WHERE r.state = '${state}' UNION ALL
      SELECT (SELECT ${best}(r.batch) FROM ${table} r WHERE r.state = '${state}' AND r.batch ${next} found.batch)
      FROM found WHERE found.batch IS NOT NULL
    ) SELECT batch FROM found WHERE batch IS NOT NULL ${newest === undefined ? "" : `LIMIT ${newest}`})`;
}

/** SQL: the same of any of these states. */
export const batchesWithAny = (
  table: "row" | "rows",
  states: readonly ("ready" | WaitingState)[],
  newest?: number,
): string => states.map((state) => `SELECT batch FROM ${batchesWith(table, state, newest)} one`).join(" UNION ");

/** SQL: folders of batches, from one to the next. */
export const FOLDERS = `WITH RECURSIVE found(folder) AS (
    SELECT min(folder) FROM batch UNION ALL
    SELECT (SELECT min(b.folder) FROM batch b WHERE b.folder > found.folder) FROM found WHERE found.folder IS NOT NULL
  ) SELECT folder FROM found WHERE folder IS NOT NULL ORDER BY folder`;

/** So many rows are read that one is compared with, of a kind and by a key: where there are more, it does not go by itself. */
export const FOUND_MAX = 200;

/** So many batches are purged in one transaction. */
export const PURGED_AT_ONCE = 500;
export interface Looked {
  readonly seq: number;
  readonly createdAt: number;
}
/** How far a step of purging came, which looked at these batches. */
export function stepOf(looked: readonly Looked[]): { readonly next?: number; readonly until?: number } {
  const last = looked.at(-1);
  return last && looked.length === PURGED_AT_ONCE ? { next: last.seq, until: last.createdAt } : {};
}

/** A share is what one host sends of a batch in one go, and what is counted again after a change. */
export const SHARE_ROWS = 1000;

/** What one row becomes; what is missing stays, but a row that becomes ready forgets its code and its answer. */
export interface Change {
  readonly row: number;
  readonly from: readonly RowState[];
  readonly to: RowState;
  /** Only a row that is on its way (true), or only one that is not. */
  readonly isOnItsWay: boolean;
  /** Of a row that becomes ready, or stays ready: behind all others. */
  readonly turn?: number;
  readonly code?: string | undefined;
  /** JSON. */
  readonly reasons?: string | undefined;
  readonly settledBy?: string | undefined;
  readonly answer?: Readonly<Partial<Record<"tries" | "httpStatus" | "sentAt" | "durationMs", number | undefined>>> & {
    readonly response?: string | undefined;
  };
}

/** SQL with a `$name` where a value comes. */
const NAME = /\$([a-z]\w*)/gi;

/** For an engine whose places are `?1` or `$1`: bound by place they take half the time of SQLite's own names. */
export function createByName(mark: "?" | "$") {
  const known = new Map<string, { readonly placed: string; readonly names: readonly string[] }>();
  return <V>(sql: string, values: Readonly<Record<string, V>>): [placed: string, ...values: V[]] => {
    let found = known.get(sql);
    if (!found) {
      const names = [...new Set(Array.from(sql.matchAll(NAME), ([, name = ""]) => name))];
      const placed = sql.replaceAll(NAME, (_, name: string) => `${mark}${names.indexOf(name) + 1}`);
      known.set(sql, (found = { placed, names }));
    }
    const valueOf = (name: string): V => {
      const value = values[name];
      if (value === undefined) throw new Error(`nothing is given for $${name}`);
      return value;
    };
    return [found.placed, ...found.names.map(valueOf)];
  };
}

/** The only statement that changes a row's state or turn; `move` fills it. */
const MOVE = `UPDATE row SET state = $to, turn = coalesce($turn, turn),
    code = coalesce($code, iif($to = 'ready', NULL, code)), reasons = coalesce($reasons, reasons),
    settledBy = coalesce($settledBy, settledBy), attempts = attempts + $tries,
    httpStatus = iif($isAnswerNew, $httpStatus, httpStatus), sentAt = iif($isAnswerNew, $sentAt, sentAt),
    wentAt = iif($isAnswerNew, max($sentAt, (SELECT lastAt FROM batch WHERE seq = $batch)), wentAt),
    durationMs = iif($isAnswerNew, $durationMs, durationMs), response = iif($isAnswerNew, $response, response)
  WHERE batch = $batch AND row = $row AND instr($from, '"' || state || '"') > 0
    AND (state = 'ready' AND turn <= $mark) = $isOnItsWay`;

/** How an engine runs a statement, with the values of its `$names`; gives the number of rows that it changed. */
type Run = (sql: string, values: Readonly<Record<string, string | number | null>>) => number;

/** Moves one row of a batch. false: it was in another state, or on its way against expectation, and is as it was. */
export function move(run: Run, batch: { readonly seq: number; readonly mark: number }, change: Change): boolean {
  const { row, from, to, isOnItsWay, turn = null, code = null, reasons = null, settledBy = null, answer } = change;
  if (to === "ready" && (turn === null || turn <= batch.mark)) throw new Error("a ready row needs a new turn");
  const { tries = 0, httpStatus = null, sentAt = null, durationMs = null, response = null } = answer ?? {};
  const values = {
    batch: batch.seq,
    row,
    from: JSON.stringify(from),
    mark: batch.mark,
    isOnItsWay: Number(isOnItsWay),
    to,
    turn,
    code,
    reasons,
    settledBy,
    isAnswerNew: Number(answer !== undefined || to === "ready"),
    tries,
    httpStatus,
    sentAt,
    durationMs,
    response,
  };
  return run(MOVE, values) === 1;
}

/** Few rows of many, always found by their keys: no plan is made anew, and none that reads a whole table. */
export const BY_INDEX =
  "SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off";

/**
 * The same in Postgres, as a function of the journal: moves the rows of a batch that `changes` names, each with `from`, `to`
 * and `onItsWay` as above; gives those that were moved. What becomes, or stays, ready gets a turn behind all others of its
 * share. Their shares are locked first; `of_shares`: only changes of these, which the caller has locked and changes itself.
 * The batch comes with each change (`OFFSET 0` keeps it there): a planner that does not know a new batch yet takes it for one
 * row, and would walk through all of it.
 */
export const MOVE_ROWS = `
  CREATE FUNCTION move_rows(of_batch bigint, changes json, of_shares int[] DEFAULT NULL) RETURNS TABLE ("row" int) LANGUAGE plpgsql ${BY_INDEX} AS $$
  #variable_conflict use_column
  BEGIN
    IF of_shares IS NULL THEN
      PERFORM 1 FROM share s WHERE s.batch = of_batch AND s.share IN (
        SELECT r.share FROM (SELECT of_batch AS batch, (c.value ->> 'row')::int AS row FROM json_array_elements(changes) c OFFSET 0) c
        JOIN rows r ON r.batch = c.batch AND r.row = c.row)
        ORDER BY s.share FOR UPDATE;
    END IF;
    RETURN QUERY WITH u AS MATERIALIZED (
      SELECT c.*, r.share, s.mark, greatest(b.lastAt, s.lastAt) AS knownAt, s.nextTurn - 1 + row_number() OVER (PARTITION BY r.share, c.to ORDER BY c.n) AS newTurn
      FROM (SELECT of_batch AS batch, x.* FROM ROWS FROM (json_to_recordset(changes) AS (batch bigint, share int, row int, "from" jsonb, "to" text, onItsWay boolean, code text,
        reasons json, settledBy text, tries int, httpStatus int, sentAt bigint, durationMs int, response text))
        WITH ORDINALITY AS x(ofBatch, ofShare, row, "from", "to", isMeant, code, reasons, settledBy, tries, httpStatus, sentAt, durationMs, response, n)
        WHERE of_shares IS NULL OR x.ofBatch = of_batch AND x.ofShare = ANY(of_shares) OFFSET 0) c
      JOIN rows r ON r.batch = c.batch AND r.row = c.row AND (of_shares IS NULL OR r.share = ANY(of_shares))
      JOIN share s ON s.batch = r.batch AND s.share = r.share
      JOIN batch b ON b.seq = r.batch
    ), moved AS (
      UPDATE rows r SET state = u.to, turn = CASE u.to WHEN 'ready' THEN u.newTurn ELSE r.turn END,
        code = coalesce(u.code, CASE WHEN u.to <> 'ready' THEN r.code END),
        lateAnswer = CASE WHEN u.to <> 'ready' THEN r.lateAnswer END, reasons = coalesce(u.reasons, r.reasons),
        settledBy = coalesce(u.settledBy, r.settledBy), attempts = r.attempts + coalesce(u.tries, 0),
        httpStatus = CASE WHEN u.tries IS NULL AND u.to <> 'ready' THEN r.httpStatus ELSE u.httpStatus END,
        sentAt = CASE WHEN u.tries IS NULL AND u.to <> 'ready' THEN r.sentAt ELSE u.sentAt END,
        wentAt = CASE WHEN u.tries IS NULL AND u.to <> 'ready' THEN r.wentAt WHEN u.sentAt IS NOT NULL THEN greatest(u.sentAt, u.knownAt) END,
        durationMs = CASE WHEN u.tries IS NULL AND u.to <> 'ready' THEN r.durationMs ELSE u.durationMs END,
        response = CASE WHEN u.tries IS NULL AND u.to <> 'ready' THEN r.response ELSE u.response END
      FROM u WHERE r.batch = u.batch AND r.row = u.row AND u.from ? r.state
        AND (r.state = 'ready' AND r.turn <= u.mark) = u.isMeant
      RETURNING r.row, r.share
    ), shares AS (
      UPDATE share s SET tallies = CASE WHEN s.share NOT IN (SELECT share FROM moved) THEN s.tallies END, lastAt = greatest(s.lastAt, u.lastAt), nextTurn = s.nextTurn + u.turns
      FROM (SELECT share, count(*) FILTER (WHERE u.to = 'ready') AS turns,
        coalesce(max(sentAt + coalesce(durationMs, 0)), 0) AS lastAt FROM u GROUP BY share) u
      WHERE s.batch = of_batch AND s.share = u.share AND of_shares IS NULL
    ) SELECT moved.row FROM moved;
  END $$;
`;

/** By a clock that never goes back: what a clock that was behind had dated would be old, and could go once more. */
export const datedAfter = (lastAt: number, at: number): number => (at < lastAt ? lastAt + 1 : at);
