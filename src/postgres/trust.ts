import { PaydropError } from "../errors.ts";
import { addAct } from "./batches.ts";
import type { Postgres } from "./postgres.ts";
import { serverOf, type Server } from "./same-server.ts";
import { LEASE_MS } from "./shares.ts";
import type { Who } from "../journal/store.ts";
import type { Noted, Witness, Word } from "./witness.ts";

/**
 * So long a host that may be here is waited for after a server that began again on its own timeline: without one that is lost
 * the others go on within a minute.
 */
const COMES_BACK_MS = 40_000;

/** Who accepts that the journal has forgotten commits; `rejectedFor`: reasons of rejected rows that the next run sends again. */
export interface Accepted {
  readonly who: Who;
  readonly rejectedFor: readonly string[];
}

/** A loss as it stands in the journal. */
export interface Loss {
  readonly found: string;
  /** When it was seen, and by whom. */
  readonly at?: number;
  readonly host?: string;
}

const LOOKING_LOCK = 7_210_003;

type Meta = ReadonlyMap<string, string>;

const NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** Of a new journal, or of one to which all was copied: it knows its server. In a transaction. */
export async function trustServer(postgres: Postgres, server: Server): Promise<void> {
  const { system, timeline, isSynchronous } = server;
  const own = { system, timeline: String(timeline), synchronous: String(isSynchronous), lineage: "first" };
  for (const [key, value] of Object.entries(own)) await setMeta(postgres, key, value);
  await postgres.query("INSERT INTO meta (key, value) SELECT 'server', server_now()");
}

async function setMeta(postgres: Postgres, key: string, value: string): Promise<void> {
  const sql = "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
  await postgres.query(sql, key, value);
}

/**
 * Whether the server still knows all that it had confirmed (README §13, I12): asked at a start, and whenever the journal says
 * that nobody has looked at this server yet. The functions of the journal let nothing go on one that is not trusted.
 */
export class Trust {
  readonly #postgres: Postgres;
  readonly #witness: Witness;
  readonly #host: string;
  #lineage: string | undefined;
  /** The server that this process has found to have all. */
  #server = "";

  constructor(postgres: Postgres, witness: Witness, host: string) {
    this.#postgres = postgres;
    this.#witness = witness;
    this.#host = host;
  }

  /** What changes when another server has come: an answer that was asked of the one before is none. */
  get server(): string {
    return this.#server;
  }

  get bearer(): readonly [witness: string, host: string, server: string] {
    return [this.#witness.id, this.#host, this.#server];
  }

  /** Of a confirmed commit, before any of its rows leaves. null: the journal lets none go. */
  note(word: Word | null): void {
    if (!word) return;
    this.#witness.note(word);
    this.#lineage = word.lineage;
  }

  /** `server`: as the journal names the one that let nothing go. */
  async lookAgain(server: string): Promise<void> {
    if (server !== this.#server) await this.look();
  }

  /** Rejects with PaydropError `server_lost_commit`; then the loss is written down, and no host lets anything go. */
  async look(accepted?: Accepted): Promise<void> {
    const found = await this.#postgres.write(() => this.#compare(accepted));
    if (found === undefined) return;
    await this.#writeDown(found);
    throw new PaydropError("server_lost_commit", { found });
  }

  /** What this process knows of its own shares is not there. */
  async lost(found: string): Promise<never> {
    await this.#writeDown(found);
    throw new PaydropError("server_lost_commit", { found });
  }

  /**
   * Whether commits wait for a standby is written down while the server confirms them: one that takes over may say anything. A
   * host that says nothing more, and had looked at this server, is not waited for by a later one. Looks again where nothing goes.
   */
  async renew(): Promise<void> {
    const looked = await this.#postgres.get<{ gate: string; server: string }>(RENEW);
    if (looked && looked.gate !== "open") await this.lookAgain(looked.server);
  }

  /** At an end with a word. A server that was not looked at waits for this host. */
  async leave(): Promise<void> {
    const sql = `UPDATE witness SET isHere = false WHERE id = $1 AND vouchedFor = server_now() AND NOT EXISTS (
      SELECT 1 FROM host h WHERE h.witness = $1 AND h.host <> $2 AND h.seenAt > clock_timestamp() - interval '1 minute')`;
    await this.#postgres.query(sql, this.#witness.id, this.#host);
  }

  /** One after the other over all hosts. */
  async #compare(accepted: Accepted | undefined): Promise<string | undefined> {
    const postgres = this.#postgres;
    // not by a row: the commit of such a lock would wait for standbys, which may never come
    await postgres.query("SELECT pg_advisory_xact_lock($1)", LOOKING_LOCK);
    const meta = await metaIn(postgres);
    const server = await serverOf(postgres);
    const now = (await postgres.get<{ server: string }>("SELECT server_now() AS server"))?.server ?? "";
    const standing = meta.get("loss");
    const noted = this.#witness.all();
    const loss =
      lossOf(meta, server, now) ?? (await this.#forgotten(meta, noted)) ?? (standing && lossIn(standing).found);
    if (accepted && (loss !== undefined || (await waitsFor(postgres)).length > 0)) {
      await this.#accept(accepted, server, loss ?? "a host was not waited for");
    } else {
      if (loss !== undefined) return loss;
      // this process began before that: what it holds is unknown by now
      if (this.#lineage !== undefined && this.#lineage !== meta.get("lineage"))
        throw new PaydropError("server_lost_commit", { found: "a loss was accepted meanwhile" });
      await this.#vouch(meta, server, now, noted);
    }
    this.#lineage = (await metaIn(postgres)).get("lineage");
    this.#server = now;
    return undefined;
  }

  /** What the files of this state directory know, and the journal does not. */
  async #forgotten(meta: Meta, all: readonly Noted[]): Promise<string | undefined> {
    const own = this.#lineage === undefined ? [] : [{ id: "", lineage: this.#lineage, commits: 0, at: 0 }];
    for (const { id, lineage, commits, at } of [...own, ...all]) {
      if (lineage !== meta.get("lineage")) {
        if (at <= Number(meta.get(`accepted:${lineage}`) ?? -1)) continue;
        return "it does not know that a person accepted its last loss, or commits came after that";
      }
      const sql = "SELECT commits FROM witness WHERE id = $1";
      const known = (await this.#postgres.get<{ commits: number }>(sql, id))?.commits ?? 0;
      if (known < commits) return `it knows ${known} of ${commits} commits of this state folder`;
    }
    return undefined;
  }

  async #vouch(meta: Meta, server: Server, now: string, noted: readonly Noted[]): Promise<void> {
    const postgres = this.#postgres;
    const { system, timeline, isSynchronous } = server;
    const isOther = meta.get("server") !== now;
    const isPromoted = meta.get("timeline") !== String(timeline);
    if (isOther || isPromoted) {
      const ms = (await postgres.get<{ ms: number }>(`SELECT ${NOW_MS} AS ms`))?.ms ?? 0;
      await setMeta(postgres, "waitFrom", String(ms + LEASE_MS));
      await setMeta(postgres, "waitUntil", isPromoted ? "Infinity" : String(ms + COMES_BACK_MS));
    }
    const own = { server: now, system, timeline: String(timeline), synchronous: String(isSynchronous) };
    for (const [key, value] of Object.entries(own)) if (meta.get(key) !== value) await setMeta(postgres, key, value);
    const ids = [...new Set(noted.map(({ id }) => id))];
    await postgres.query("UPDATE witness SET vouchedFor = $1 WHERE id = ANY($2) AND vouchedFor <> $1", now, ids);
  }

  async #accept({ who, rejectedFor }: Accepted, { system, timeline, isSynchronous }: Server, found: string) {
    const postgres = this.#postgres;
    const sql = `SELECT row FROM accept_loss($1, ${NOW_MS}, $2, $3)`;
    const unknown = await postgres.query(sql, JSON.stringify(who), found, rejectedFor);
    if (unknown.length === 0)
      await addAct(postgres, { ...who, at: postgres.now(), kind: "accept_lost_journal", note: found });
    const own = { system, timeline: String(timeline), synchronous: String(isSynchronous) };
    for (const [key, value] of Object.entries(own)) await setMeta(postgres, key, value);
  }

  /** Where every host reads it. It waits for no standby: one may never come. */
  #writeDown(found: string): Promise<void> {
    const postgres = this.#postgres;
    return postgres.write(async () => {
      await postgres.query("SET LOCAL synchronous_commit = local");
      const sql = `INSERT INTO meta (key, value) SELECT 'loss', json_build_object('found', $1::text, 'at', ${NOW_MS}, 'host', $2::text)::text
        ON CONFLICT (key) DO NOTHING`;
      await postgres.query(sql, found, this.#host);
    });
  }
}

const IS_TRUSTED = "(SELECT value FROM meta WHERE key = 'server') = server_now()";
const IS_SYNCHRONOUS = "(current_setting('synchronous_standby_names') <> '')::text";
/** SQL: one statement, for each host says it every few seconds. */
const RENEW = `WITH standbys AS (
    UPDATE meta SET value = ${IS_SYNCHRONOUS} WHERE key = 'synchronous' AND value <> ${IS_SYNCHRONOUS} AND ${IS_TRUSTED}
  ), silent AS (
    UPDATE witness w SET isHere = false WHERE isHere AND vouchedFor = server_now() AND ${IS_TRUSTED} AND NOT EXISTS (
      SELECT 1 FROM host h WHERE h.witness = w.id AND h.seenAt > clock_timestamp() - interval '1 minute')
  ) SELECT journal_gate() AS gate, server_now() AS server`;

async function metaIn(postgres: Postgres): Promise<Meta> {
  const found = await postgres.query<{ key: string; value: string }>("SELECT key, value FROM meta");
  return new Map(found.map(({ key, value }) => [key, value]));
}

/** What the journal itself tells of another server. */
function lossOf(meta: Meta, { system, timeline }: Server, now: string): string | undefined {
  if (meta.get("system") !== system) return "it is another server";
  // when it began, which database it is, and which transaction wrote it
  const [, ...known] = (meta.get("server") ?? "").split(" ");
  const [, ...found] = now.split(" ");
  if (known.join(" ") !== found.join(" ")) return "it was restored from a dump, or is a copy of the database";
  const before = Number(meta.get("timeline"));
  if (timeline === before || (timeline > before && meta.get("synchronous") === "true")) return undefined;
  return `its timeline was ${before} and is ${timeline}`;
}

const lossIn = (text: string): Loss => JSON.parse(text) as Loss;

/** A loss that was seen, or that the journal itself tells, and that nobody has accepted: for whoever only looks. */
export async function lossSeen(postgres: Postgres): Promise<Loss | undefined> {
  const meta = await metaIn(postgres);
  const standing = meta.get("loss");
  if (standing !== undefined) return lossIn(standing);
  const now = (await postgres.get<{ server: string }>("SELECT server_now() AS server"))?.server ?? "";
  const found = lossOf(meta, await serverOf(postgres), now);
  return found === undefined ? undefined : { found };
}

/** Hosts that may have sent rows which this server has forgotten: nothing goes before they have looked. */
export async function waitsFor(postgres: Postgres): Promise<readonly string[]> {
  const sql = `SELECT DISTINCT name FROM witness w WHERE isHere AND journal_gate() = 'waits'
    AND vouchedFor <> (SELECT value FROM meta WHERE key = 'server') ORDER BY name`;
  return (await postgres.query<{ name: string }>(sql)).map(({ name }) => name);
}
