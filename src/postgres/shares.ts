import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { PaydropError } from "../errors.ts";
import { faultPoint } from "../fault-point.ts";
import type { Stop } from "../messages/outcomes.ts";
import { ask, byName, durably, failureOf, isConnectionLost, type Postgres } from "./postgres.ts";
import { assertMove } from "../journal/states.ts";
import type { Commit, Committed, Leaving, Outcome, Phase, Share } from "../journal/store.ts";
import type { Word } from "./witness.ts";

/** So long a share is a host's that says nothing more, by the clock of the server; a test has no time. */
export const LEASE_MS: number = Number(
  (process.env["PAYDROP_TEST"] === "1" && process.env["PAYDROP_TEST_LEASE_MS"]) || 15_000,
);
export const LEASE = `${LEASE_MS} ms`;
/** A row leaves no later than this after the commit that let it go began: whoever was paused meanwhile sends nothing. */
const GUARD_MS = LEASE_MS / 3;
const RENEWED_EVERY_MS = LEASE_MS / 5;
/** Two sessions would lose each other's rows: a deadlock is solved by asking again. */
const DEADLOCK = "40P01";

interface Answer {
  readonly batch: number;
  readonly share: number;
  readonly phase: Phase;
  readonly hold: Committed["hold"] | null;
  readonly stop: Stop | null;
  readonly leaving: readonly Leaving[];
}

/** Whether the server still knows what it had confirmed (I12). */
interface Trusted {
  /** Another one when another server has come. */
  readonly server: string;
  readonly bearer: readonly [witness: string, host: string, server: string];
  look(): Promise<void>;
  lost(found: string): Promise<never>;
  /** Beside the server, before any row of a confirmed commit leaves. */
  note(word: Word | null): void;
}

/** A share that this process holds: the `nth` of the batch `seq`. */
export interface HeldShare extends Share {
  readonly seq: number;
  readonly nth: number;
  readonly epoch: number;
  /** Commits of this holder. */
  no: number;
}

type Asked = Omit<Commit, "share"> & { readonly share: HeldShare };

/**
 * The one session in which a process commits, for all shares that it holds. It says the same once more where the answer was
 * lost: the functions of the journal do nothing twice.
 */
export class Committer {
  readonly #postgres: Postgres;
  readonly #me: string;
  readonly #trust: Trusted;
  readonly #held = new Set<HeldShare>();
  /** One commit after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #isRenewing = false;
  #client: Client | undefined;
  #failure: Error | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(postgres: Postgres, me: string, trust: Trusted) {
    this.#postgres = postgres;
    this.#me = me;
    this.#trust = trust;
    // an answer may take longer than a lease: whoever holds a share says so all the same
    this.#timer = setInterval(() => void this.#renew(), RENEWED_EVERY_MS).unref();
  }

  /** Lanes of all shares that are held. */
  get lanes(): number {
    return Array.from(this.#held, ({ lanes }) => lanes).reduce((sum, lanes) => sum + lanes, 0);
  }

  hold(share: HeldShare): void {
    this.#held.add(share);
  }

  letGo(share: HeldShare): void {
    this.#held.delete(share);
  }

  commit(all: readonly Commit[]): Promise<readonly Committed[]> {
    return this.#inTurn(() => this.#commitTogether(all));
  }

  close(): void {
    clearInterval(this.#timer);
    if (this.#client) this.#postgres.give(this.#client);
    this.#client = undefined;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing || this.#held.size === 0) return;
    this.#isRenewing = true;
    // those that are held when its turn has come: what was left must not be renewed
    const all = (): Commit[] => Array.from(this.#held, (share) => ({ share, outcomes: [], freeLanes: 0 }));
    await this.#inTurn(() => this.#commitTogether(all())).catch(() => undefined);
    this.#isRenewing = false;
  }

  async #commitTogether(all: readonly Commit[]): Promise<readonly Committed[]> {
    // there are no shares but those of this journal
    const asked = all as readonly Asked[];
    try {
      for (const { share } of asked) share.no += 1;
      const { answers, mayLeave } = await this.#ask(asked);
      const committed: Committed[] = [];
      for (const one of asked) {
        const { seq, nth } = one.share;
        const answer = answers.find(({ batch, share }) => batch === seq && share === nth);
        if (!answer) await this.#keepLate(one);
        committed.push(answer ? committedOf(answer, mayLeave) : LOST);
      }
      return committed;
    } catch (error) {
      const failure = failureOf(error) as Error;
      this.#failure ??= failure;
      // all of it was undone: the next one has its number
      if (isRefusal(failure)) for (const { share } of asked) share.no -= 1;
      throw this.#failure;
    }
  }

  /** Until it is known to be durable. The guard counts from the beginning of the call whose answer came. */
  async #ask(asked: readonly Asked[]) {
    // after a refusal nothing goes, and what came back is saved if it can be
    const isLast = this.#failure !== undefined;
    if (this.#failure && !(isRefusal(this.#failure) && asked.every(({ freeLanes }) => freeLanes === 0)))
      throw this.#failure;
    const wanted = asked.map(({ share: { seq, nth, epoch, no }, freeLanes: free }) => {
      return { batch: seq, share: nth, epoch, no, free };
    });
    const changes = asked.flatMap(({ share, outcomes }) => outcomes.map((outcome) => changeOf(share, outcome)));
    const values = { wanted: JSON.stringify(wanted), changes: JSON.stringify(changes), me: this.#me, lease: LEASE };
    for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, 2_000)) {
      const mayLeave = guard();
      try {
        this.#client ??= await this.#reconnected(asked);
        faultPoint("commit.before");
        const client = this.#client;
        const [witness, host, server] = this.#trust.bearer;
        const [sql, ...all] = byName(COMMIT, { ...values, witness, host, server });
        const { rows } = await durably(client, () => ask(client, sql, all, "commit_shares()"));
        const { answers, word } = rows[0] as { answers: readonly Answer[]; word: Word | null };
        // another server has come meanwhile: it may not know of this commit, or this process has not looked at it
        const isNew =
          server !== this.#trust.server || (word === null && answers.some(({ leaving }) => leaving.length > 0));
        if (isNew) throw new PaydropError("server_away", { found: "another one has come" });
        this.#trust.note(word);
        this.#postgres.sight.answered();
        faultPoint("commit.after");
        return { answers, mayLeave };
      } catch (error) {
        if ((error as { code?: unknown }).code === DEADLOCK) continue;
        if (isLast || !isConnectionLost(error)) throw error;
        this.#postgres.sight.failed(error);
        if (this.#client) this.#postgres.drop(this.#client);
        this.#client = undefined;
        await sleep(waitMs);
      }
    }
  }

  async #reconnected(asked: readonly Asked[]): Promise<Client> {
    const client = await this.#postgres.take();
    try {
      await this.#trust.look();
      for (const held of this.#held) {
        const { batch, seq, nth, epoch } = held;
        const sql = "SELECT epoch, commitNo FROM share WHERE batch = $1 AND share = $2";
        const [known] = (await ask(client, sql, [seq, nth])).rows as { epoch: number; commitNo: number }[];
        // the one that is asked may be on its way; what was confirmed before must be there, and the claim before all
        const confirmed = held.no - Number(asked.some(({ share }) => share === held));
        if (!known || known.epoch < epoch || (known.epoch === epoch && known.commitNo < confirmed))
          await this.#trust.lost(`share ${nth} of batch ${batch}`);
      }
      return client;
    } catch (error) {
      this.#postgres.drop(client);
      throw error;
    }
  }

  /** Another host holds the share by now: evidence for whoever settles the row. */
  async #keepLate({ share, outcomes }: Asked): Promise<void> {
    this.#held.delete(share);
    for (const { row, state, httpStatus, response = "" } of outcomes) {
      const heard = [state, httpStatus && `HTTP ${httpStatus}`, response].filter(Boolean).join(": ");
      const said = state === "again" ? "not sent by its host" : heard;
      const sql = `UPDATE rows SET lateAnswer = $3 WHERE batch = $1 AND row = $2 AND state = 'unknown' AND code IN ('interrupted', 'commit_lost')`;
      await this.#postgres.query(sql, share.seq, row, said);
    }
  }
}

/** The server said no, and changed nothing. */
const isRefusal = (error: unknown): boolean => error instanceof PaydropError && error.reason === "server_refused";

/** It counts for the state directory in the same transaction, and after it, so that its lock is the last one. */
const COMMIT = `SELECT commit_shares($wanted, $changes, $me, $lease) AS answers,
  bear_witness($witness, $host, $server) AS word`;
const LOST = { leaving: [], phase: "open", isLost: true } as const;

function committedOf({ leaving, phase, hold, stop }: Answer, mayLeave: () => boolean) {
  const rows = leaving.map((row): Leaving => ({ ...row, mayLeave }));
  return { leaving: rows, phase, hold: hold ?? undefined, isLost: false, ...(stop ? { stop } : {}) };
}

/** By the larger of two clocks: one of them may stand still while a machine is paused. */
function guard(): () => boolean {
  const [wall, monotonic] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - monotonic) < GUARD_MS;
}

function changeOf({ seq: batch, nth: share }: HeldShare, { state, code, stop, ...answer }: Outcome): object {
  const to = state === "again" ? "ready" : state;
  assertMove("on_its_way", to, { hasAct: false });
  const { row, tries, httpStatus, sentAt, durationMs, response } = answer;
  const moved = { batch, share, row, from: ["ready"], to, onItsWay: true, code };
  return { ...moved, tries, httpStatus, sentAt, durationMs, response, stop };
}
