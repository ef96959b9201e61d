import { join } from "node:path";
import type { BatchReport } from "../events.ts";
import type { LookedFile } from "../intake/inbox.ts";
import { isUnapproved } from "../journal/approval.ts";
import type { Shared } from "../submission/shared.ts";
import type { BatchRecord } from "../journal/store.ts";

export interface Worked {
  readonly batch: string;
  /** How it ended: when it is otherwise by then, a person has let it go on. See `standOf`. */
  readonly stand: string;
  readonly requests: number;
  /** Why rows did not go, or results are not where they belong. `isOfAll`: nothing else would go either. */
  readonly trouble: { readonly code: string; readonly isOfAll: boolean } | undefined;
}

/** Stops that a watch waits out: proven unsent, or refused for the key or the address, so that nothing goes twice. */
const WAITED_OUT = /^(?:unreachable|rate_limited|local_error|(?:key|address|certificate)_refused)$/;
export const needsAPerson = (code: string): boolean =>
  /^(?:redirect|html_answer|unknown_in_a_row|many_unknown)$/.test(code);

export const fileOf = ({ folder, fileName }: BatchRecord): string => join(folder, fileName);
/** Phase, rows that are left to go, whether results are owed, and whether they wait for an approval. */
export const standOf = (batch: BatchRecord): string =>
  [batch.phase, leftOf(batch), batch.owesResults, batch.phase === "open" && isUnapproved(batch)].join();
const leftOf = ({ tallies: { ready, not_sent: unsent } }: BatchRecord): number =>
  (ready?.rows ?? 0) + (unsent?.rows ?? 0);

export function troubleOf({ stop, byStatus, files, phase }: BatchReport, isOnce: boolean): Worked["trouble"] {
  // fewer rows than stop a run were not sent all the same
  const code = stop?.code ?? (byStatus.not_sent ? "unreachable" : "");
  if (needsAPerson(code)) return { code, isOfAll: isOnce };
  if (WAITED_OUT.test(code)) return { code, isOfAll: stop?.operation === undefined };
  if (code === "day_over_cap") return { code, isOfAll: false };
  const owesOnly = files.elsewhere !== undefined && (!stop || phase !== undefined);
  return owesOnly ? { code: "results_unwritable", isOfAll: false } : undefined;
}

/** So many things are done at a time; only one of them may be a large file, or a batch that goes on. */
const AT_ONCE = 3;
const SMALL_BYTES_MAX = 512n * 1024n;
const RETRY_MAX_MS = 750_000;

type Piece = Readonly<{ path: string; isLarge: boolean; carryOut: () => Promise<Worked | undefined> }>;
type Waits = Readonly<{ waitMs: number; dueMs: number }>;
export type Away = Waits & Readonly<{ code: string }>;

interface Carrier {
  process(file: LookedFile): Promise<Worked | undefined>;
  goOn(batch: BatchRecord): Promise<Worked | undefined>;
  unfinished(): Promise<readonly BatchRecord[]>;
  tell(code: "takes_again" | "waits", facts?: { readonly code: string }): void;
  readonly failure: AbortController;
  readonly shared: Shared;
}

/**
 * What is to be done in a folder, in which order, and what waits. While the service is away nothing goes but one piece
 * that tries it; what concerns one operation, or the place of results, only keeps its own batch waiting. `retryMs`: after
 * so long what is away is tried again; Infinity: not by this run.
 */
export function folderQueue(desk: Carrier, retryMs: number, pieceEnded: () => void) {
  let files: LookedFile[] = [];
  let batches: BatchRecord[] = [];
  let failure: { readonly error: unknown } | undefined;
  let away: Away | undefined;
  const working = new Map<Piece, Promise<void>>();
  const ended = new Map<string, { readonly stand: string; readonly waits: Waits | undefined }>();

  const pathsAtWork = (): ReadonlySet<string> => new Set(Array.from(working.keys(), ({ path }) => path));
  const fail = (error: unknown): void => {
    failure ??= { error };
    desk.failure.abort("work_failed");
  };
  const later = (before: Waits | undefined): Waits => {
    const waitMs = before ? Math.min(2 * before.waitMs, RETRY_MAX_MS) : retryMs;
    return { waitMs, dueMs: performance.now() + waitMs };
  };

  /** First what was begun before, then files, the oldest first; beside a large one small ones. */
  const next = (): Piece | undefined => {
    if (working.size >= AT_ONCE) return undefined;
    // one alone finds out whether the service is back
    if (away && (working.size > 0 || away.dueMs > performance.now())) return undefined;
    const mayBeLarge = ![...working.keys()].some(({ isLarge }) => isLarge);
    const batch = mayBeLarge ? batches.shift() : undefined;
    if (batch) return { path: fileOf(batch), isLarge: true, carryOut: () => desk.goOn(batch) };
    const at = files.findIndex(({ stats }) => mayBeLarge || stats.size <= SMALL_BYTES_MAX);
    const [file] = at < 0 ? [] : files.splice(at, 1);
    const isLarge = file !== undefined && file.stats.size > SMALL_BYTES_MAX;
    return file && { path: file.path, isLarge, carryOut: () => desk.process(file) };
  };

  const note = ({ batch, stand, requests, trouble }: Worked, isTrial: boolean): void => {
    const isAway = trouble?.isOfAll === true;
    if (isTrial && !isAway && requests > 0) {
      desk.tell("takes_again");
      away = undefined;
    }
    if (isAway && !away && retryMs < Infinity) desk.tell("waits", { code: trouble.code });
    // a batch that was on its way before tells of the same outage, and is no reason to wait longer
    if (isAway && (isTrial || !away)) away = { ...later(away), code: trouble.code };
    const own = trouble && later(ended.get(batch)?.waits);
    // when the service is back each goes on at once
    ended.set(batch, { stand, waits: own && isAway ? { ...own, dueMs: 0 } : own });
  };

  const carryOut = async (piece: Piece): Promise<void> => {
    const isTrial = away !== undefined;
    try {
      // what stopped it stops the others until it is noted: nothing that begins meanwhile tries the service, too
      await desk.shared.together(async () => {
        const worked = await piece.carryOut();
        if (worked) note(worked, isTrial);
      });
    } catch (error) {
      fail(error);
    }
    working.delete(piece);
    pieceEnded();
  };

  return {
    pathsAtWork,
    fail,
    /** Complete files that wait for their turn, the oldest first. */
    files: (): readonly LookedFile[] => files,
    length: (): number => files.length + batches.length,
    isWorking: (): boolean => working.size > 0,
    isAway: (): Away | undefined => away,
    hasFailed: (): boolean => failure !== undefined,

    /** One that has ended goes on when its wait is over, or a person has let it go on. */
    async refill(complete: LookedFile[]): Promise<void> {
      // what ends while the journal is asked is not to be taken up at once
      const atWork = pathsAtWork();
      const unfinished = await desk.unfinished();
      files = complete;
      batches = unfinished.filter((batch) => {
        const { stand, waits } = ended.get(batch.id) ?? {};
        const isDue = waits !== undefined && waits.dueMs <= performance.now();
        return !atWork.has(fileOf(batch)) && (stand !== standOf(batch) || isDue);
      });
    },

    /** A person let the folder go on: all that was left may go. */
    forget(): void {
      ended.clear();
      away = undefined;
    },

    begin(): void {
      for (let piece; failure === undefined && (piece = next());) working.set(piece, carryOut(piece));
    },

    async untilDone(): Promise<void> {
      await Promise.all(working.values());
      if (failure) throw failure.error;
    },
  };
}
