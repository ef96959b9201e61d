import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import type { Lying } from "../checks/spool.ts";
import { PaydropError } from "../errors.ts";
import { faultPoint } from "../fault-point.ts";
import type { Stop } from "../messages/outcomes.ts";
import { crc32 } from "node:zlib";
import { nameOfShare, type Seal } from "./copies.ts";
import { ask, durably, failureOf, isConnectionLost, type Postgres } from "./postgres.ts";
import { assertMove } from "../journal/states.ts";
import type { Committed, Leaving, Outcome, Phase, Share } from "../journal/store.ts";
import type { Word } from "./witness.ts";

/** So long a share is a host's that says nothing more, by the clock of the server; a test has no time. */
export const LEASE_MS: number = Number(
  (process.env["PAYDROP_TEST"] === "1" && process.env["PAYDROP_TEST_LEASE_MS"]) || 15_000,
);
export const LEASE = `${LEASE_MS} ms`;
/** A row leaves no later than this after the commit that let it go began: whoever was paused meanwhile sends nothing. */
const GUARD_MS = LEASE_MS / 3;
const RENEWED_EVERY_MS = LEASE_MS / 5;
const GATHER_MS = 1;
/** Two sessions would lose each other's rows: a deadlock is solved by asking again. */
const DEADLOCK = "40P01";

interface Claimed {
  readonly id: string;
  readonly proven: boolean;
  readonly batch: number;
  readonly share: number;
  readonly epoch: number;
  readonly place: number;
  readonly lanes: number;
}

interface Answer {
  readonly batch: number;
  readonly share: number;
  readonly phase: Phase;
  readonly hold: Committed["hold"] | null;
  readonly stop: Stop | null;
  readonly leaving: readonly Leaving[];
}

interface Asked {
  readonly of: HeldShare;
  readonly outcomes: readonly Outcome[];
  readonly free: number;
  readonly settled: PromiseWithResolvers<Committed & { readonly isLost: boolean }>;
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

/** What holds a share needs of it. */
interface HeldShare extends Pick<Claimed, "id" | "batch" | "share" | "epoch"> {
  /** Commits of this holder. */
  no: number;
  /** Rows that its commits let go, and of which none has told an outcome yet. */
  readonly onTheirWay: Set<number>;
}

/**
 * The one committer of a process: what all of its shares wait for is one call, one transaction and one fsync. It keeps a
 * session of its own, and says the same once more where the answer was lost: the functions of the journal do nothing twice.
 */
export class Committer {
  readonly #postgres: Postgres;
  readonly #me: string;
  readonly #trust: Trusted;
  readonly #held = new Set<HeldShare>();
  #waiting: Asked[] = [];
  #isBusy = false;
  #client: Client | undefined;
  #failure: Error | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(postgres: Postgres, me: string, trust: Trusted) {
    this.#postgres = postgres;
    this.#me = me;
    this.#trust = trust;
    // an answer may take longer than a lease: whoever holds a share says so all the same
    this.#timer = setInterval(() => this.#renew(), RENEWED_EVERY_MS).unref();
  }

  hold(share: HeldShare): void {
    this.#held.add(share);
  }

  letGo(share: HeldShare): void {
    this.#held.delete(share);
  }

  commit(of: HeldShare, outcomes: readonly Outcome[], free: number): Asked["settled"]["promise"] {
    const settled = Promise.withResolvers<Committed & { readonly isLost: boolean }>();
    this.#waiting.push({ of, outcomes, free, settled });
    if (!this.#isBusy) void this.#commitAll();
    return settled.promise;
  }

  close(): void {
    clearInterval(this.#timer);
    if (this.#client) this.#postgres.give(this.#client);
    this.#client = undefined;
  }

  #renew(): void {
    for (const share of this.#held) {
      if (!this.#waiting.some(({ of }) => of === share)) this.commit(share, [], 0).catch(() => undefined);
    }
  }

  async #commitAll(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      // what is answered at about one moment shares a commit: with half as many the server has a third less to do
      await sleep(GATHER_MS);
      const asked = this.#waiting;
      this.#waiting = [];
      // two commits of one share are one after the other
      const now = new Map(asked.map((one) => [one.of, one]).reverse() as [HeldShare, Asked][]);
      this.#waiting.push(...asked.filter((one) => now.get(one.of) !== one));
      await this.#commitTogether([...now.values()]);
    }
    this.#isBusy = false;
  }

  async #commitTogether(asked: readonly Asked[]): Promise<void> {
    try {
      for (const { of } of asked) of.no += 1;
      const { answers, mayLeave } = await this.#ask(asked);
      for (const one of asked) {
        const answer = answers.find(({ batch, share }) => batch === one.of.batch && share === one.of.share);
        if (!answer) await this.#keepLate(one);
        for (const { row } of one.outcomes) one.of.onTheirWay.delete(row);
        for (const { row } of answer?.leaving ?? []) one.of.onTheirWay.add(row);
        one.settled.resolve(answer ? committedOf(answer, mayLeave) : LOST);
      }
    } catch (error) {
      const failure = failureOf(error) as Error;
      this.#failure ??= failure;
      // all of it was undone: the next one has its number
      if (isRefusal(failure)) for (const { of } of asked) of.no -= 1;
      for (const { settled } of asked) settled.reject(this.#failure);
    }
  }

  /** Until it is known to be durable. The guard counts from the beginning of the call whose answer came. */
  async #ask(asked: readonly Asked[]) {
    // after a refusal nothing goes, and what came back is saved if it can be
    const isLast = this.#failure !== undefined;
    if (this.#failure && !(isRefusal(this.#failure) && asked.every(({ free }) => free === 0))) throw this.#failure;
    const wanted = asked.map(({ of: { batch, share, epoch, no }, free }) => ({ batch, share, epoch, no, free }));
    const changes = asked.flatMap(({ of, outcomes }) => outcomes.map((outcome) => changeOf(of, outcome)));
    const values = [JSON.stringify(wanted), JSON.stringify(changes), this.#me, LEASE];
    for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, 2_000)) {
      const mayLeave = guard();
      try {
        this.#client ??= await this.#reconnected(asked);
        faultPoint("commit.before");
        const client = this.#client;
        const { server } = this.#trust;
        const all = [...values, ...this.#trust.bearer];
        const { rows } = await durably(client, () => ask(client, COMMIT, all, "commit_shares()"));
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
        const { id, batch, share, epoch } = held;
        const sql = "SELECT epoch, commitNo FROM share WHERE batch = $1 AND share = $2";
        const [known] = (await ask(client, sql, [batch, share])).rows as { epoch: number; commitNo: number }[];
        // the one that is asked may be on its way; what was confirmed before must be there, and the claim before all
        const confirmed = held.no - Number(asked.some(({ of }) => of === held));
        if (!known || known.epoch < epoch || (known.epoch === epoch && known.commitNo < confirmed))
          await this.#trust.lost(`share ${share} of batch ${id}`);
      }
      return client;
    } catch (error) {
      this.#postgres.drop(client);
      throw error;
    }
  }

  /** Another host holds the share by now: evidence for whoever settles the row. */
  async #keepLate({ of, outcomes }: Asked): Promise<void> {
    this.#held.delete(of);
    for (const { row, state, httpStatus, response = "" } of outcomes) {
      const heard = [state, httpStatus && `HTTP ${httpStatus}`, response].filter(Boolean).join(": ");
      const said = state === "again" ? "not sent by its host" : heard;
      const sql = `UPDATE rows SET lateAnswer = $3 WHERE batch = $1 AND row = $2 AND state = 'unknown' AND code IN ('interrupted', 'commit_lost')`;
      await this.#postgres.query(sql, of.batch, row, said);
    }
  }
}

/** The server said no, and changed nothing. */
const isRefusal = (error: unknown): boolean => error instanceof PaydropError && error.reason === "server_refused";

/** It counts for the state directory in the same transaction, and after it, so that its lock is the last one. */
const COMMIT = "SELECT commit_shares($1, $2, $3, $4) AS answers, bear_witness($5, $6, $7) AS word";
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

function changeOf({ batch, share }: HeldShare, { state, code, stop, ...answer }: Outcome): object {
  const to = state === "again" ? "ready" : state;
  assertMove("on_its_way", to, false);
  const { row, tries, httpStatus, sentAt, durationMs, response } = answer;
  const moved = { batch, share, row, from: ["ready"], to, onItsWay: true, code };
  return { ...moved, tries, httpStatus, sentAt, durationMs, response, stop };
}

/** A share that this process holds, with its payloads in memory. */
export async function shareOf(
  { postgres, seal, committer, me }: { postgres: Postgres; seal: Seal; committer: Committer; me: string },
  claimed: Claimed,
): Promise<Share> {
  const { id, proven, batch, share, epoch, place: from, lanes } = claimed;
  const held: HeldShare = { id, batch, share, epoch, no: 0, onTheirWay: new Set() };
  const sql = "SELECT payloads FROM share WHERE batch = $1 AND share = $2";
  const found = await postgres.get<{ payloads?: Buffer }>(sql, batch, share);
  const payloads = found?.payloads && seal.open(found.payloads, nameOfShare(id, share));
  committer.hold(held);
  return {
    ...{ batch: id, share, lanes, isProven: proven },
    spool: {
      read({ place, size, crc }: Lying): string {
        const bytes = payloads?.subarray(place - from, place - from + size);
        if (bytes?.length === size && crc32(bytes) === crc) return bytes.toString("utf8");
        throw new PaydropError("spool_damaged", { path: `batch ${id}, share ${share}` });
      },
    },
    commit: (outcomes, freeLanes) => committer.commit(held, outcomes, freeLanes),
    leave: () => committer.letGo(held),
    async end() {
      committer.letGo(held);
      if (held.onTheirWay.size > 0) return;
      await postgres.query("SELECT end_share($1, $2, $3, $4)", batch, share, epoch, me);
    },
  };
}
