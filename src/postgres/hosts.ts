import { PaydropError } from "../errors.ts";
import { bringCopy, keepCopy, keepPayloads } from "./copies.ts";
import { assertRecorder } from "./recording.ts";
import { takeOverBy, type Together } from "./claims.ts";
import { LEASE, LEASE_MS } from "./shares.ts";
import type { HostRecord, Hosts, OtherHosts } from "../journal/store.ts";
import { lossSeen, waitsFor } from "./trust.ts";

const SEEN_EVERY_MS = LEASE_MS / 3;
const MS = "extract(epoch FROM $) * 1000";
const msOf = (time: string): string => `(${MS.replace("$", time)})::bigint`;

/** SQL: who is here, since when, and what each holds. */
const ALL = `SELECT h.host, h.name, h.version, ${msOf("h.since")} AS since, ${msOf("h.seenAt")} AS seenAt,
          ${msOf("clock_timestamp() - h.seenAt")} AS silentMs,
          coalesce((SELECT json_agg(json_build_object('batch', b.id, 'share', s.share, 'lanes', s.lanes, 'since',
            ${msOf("s.leasedAt")}) ORDER BY b.seq, s.share) FROM share s JOIN batch b ON b.seq = s.batch WHERE s.owner = h.host),
            '[]') AS shares,
          coalesce((SELECT json_agg(l.name ORDER BY l.name) FROM lease l WHERE l.owner = h.host AND l.until > clock_timestamp()),
            '[]') AS leases
         FROM host h ORDER BY h.since`;

/** What hosts do beside the store (README §13). */
export function hostsOf(together: Together): Hosts {
  const { postgres, seal, me, leases } = together;
  return {
    me,
    get clockApart() {
      return postgres.clockApart;
    },
    async keepCopies(batch, copies, spool) {
      for (const [sha256, path] of copies) await keepCopy(postgres, seal, sha256, path);
      await assertRecorder(postgres, batch, me, { isOurs: true });
      await keepPayloads(postgres, seal, batch, spool);
    },
    bringCopy: (sha256, path) => bringCopy(postgres, seal, sha256, path),

    async lease(name) {
      const sql = `INSERT INTO lease (name, owner, until) VALUES ($1, $2, clock_timestamp() + $3::interval)
        ON CONFLICT (name) DO UPDATE SET owner = $2, until = clock_timestamp() + $3::interval
        WHERE lease.owner = $2 OR lease.until < clock_timestamp() RETURNING owner`;
      const isOurs = (await postgres.get(sql, name, me, LEASE)) !== undefined;
      if (isOurs) leases.add(name);
      return isOurs;
    },

    holds: (name) => leases.has(name),

    async giveBack(name) {
      leases.delete(name);
      await postgres.query("DELETE FROM lease WHERE name = $1 AND owner = $2", name, me);
    },

    async quietIn(batch, row, timeoutMs) {
      const found = await postgres.get<{ ms: number }>(
        `SELECT ${msOf("s.takenOverAt - clock_timestamp()")} + $3::bigint AS ms FROM batch b
         JOIN rows r ON r.batch = b.seq AND r.row = $2 JOIN share s ON s.batch = b.seq AND s.share = r.share
         WHERE b.id = $1 AND r.state IN ('unknown', 'settled_done') AND r.code IN ('interrupted', 'commit_lost') AND s.takenOverAt IS NOT NULL`,
        ...([batch, row, timeoutMs] as const),
      );
      return Math.max(0, found?.ms ?? 0);
    },

    async loss(): Promise<string | undefined> {
      return (await lossSeen(postgres))?.found;
    },

    waitsFor: () => waitsFor(postgres),

    others: othersOf(together),

    async all(): Promise<readonly HostRecord[]> {
      return postgres.query<HostRecord>(ALL);
    },
  };
}

function othersOf({ postgres, me }: Together): OtherHosts {
  return {
    beside: (text, values) => postgres.beside(text, values),

    async open(destination, environment) {
      // whoever is dead offers nothing, and a busy host claims nothing
      await takeOverBy({ postgres, me });
      return postgres.query(
        `SELECT b.id AS batch, s.share FROM batch b JOIN share s ON s.batch = b.seq WHERE b.run IS NOT NULL AND b.stop IS NULL
          AND b.phase = 'open' AND b.destination = $1 AND b.environment = $2 AND s.owner IS NULL AND EXISTS (
            SELECT 1 FROM rows r WHERE r.batch = s.batch AND r.share = s.share AND r.state = 'ready') ORDER BY b.seq, s.share`,
        destination,
        environment,
      );
    },

    async reserve(destination, starts, rate) {
      const lot = `$2 * interval '1 second' / $3::float8`;
      // not durable: what is lost with the server are starts that nobody used
      const found = await postgres.write(async () => {
        await postgres.query("SET LOCAL synchronous_commit = off");
        await postgres.query("INSERT INTO pace (destination) VALUES ($1) ON CONFLICT DO NOTHING", destination);
        return postgres.get<{ ms: number }>(
          `UPDATE pace SET nextAt = greatest(nextAt, clock_timestamp()) + ${lot} WHERE destination = $1
           RETURNING extract(epoch FROM nextAt - ${lot} - clock_timestamp())::float8 * 1000 AS ms`,
          ...([destination, starts, rate] as const),
        );
      });
      return Math.max(0, found?.ms ?? 0);
    },
  };
}

/**
 * Says that this process is here, again and again, and renews what it holds alone. Gives how to take leave. A server that is
 * away is asked again at the next time.
 */
export async function bePresent(
  { postgres, me, leases, trust }: Together,
  name: string,
  version: string,
): Promise<() => Promise<void>> {
  const here = async (): Promise<void> => {
    await postgres.lookAtClock();
    const sql = `WITH here AS (
        INSERT INTO host (host, name, version, since, seenAt, witness)
        VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp(), $5) ON CONFLICT (host) DO UPDATE SET seenAt = clock_timestamp()
      ) UPDATE lease SET until = clock_timestamp() + $4::interval WHERE owner = $1 AND until > clock_timestamp() RETURNING name`;
    const before = [...leases];
    const renewed = await postgres.query<{ name: string }>(sql, me, name, version, LEASE, trust.bearer[0]);
    await trust.renew();
    const ours = new Set(renewed.map((lease) => lease.name));
    for (const one of before) if (!ours.has(one)) leases.delete(one);
  };
  await here();
  await postgres.query("DELETE FROM host WHERE seenAt < clock_timestamp() - interval '1 day'");
  // whoever comes later sees this one
  const other =
    "SELECT name AS host, version FROM host WHERE version <> $1 AND seenAt > clock_timestamp() - interval '30 s'";
  const [found] = await postgres.query<{ host: string; version: string }>(other, version);
  if (found) {
    await postgres.query("DELETE FROM host WHERE host = $1", me);
    throw new PaydropError("host_other_version", { ...found, own: version });
  }
  let last: Promise<void> | undefined;
  // one at a time: while the server is away each would ask for a session of its own until it is back
  const renew = (): unknown =>
    (last ??= here()
      .catch(() => undefined)
      .finally(() => (last = undefined)));
  const timer = setInterval(renew, SEEN_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await last;
    await trust.leave().catch(() => undefined);
    await postgres.query("DELETE FROM lease WHERE owner = $1", me).catch(() => undefined);
    await postgres.query("DELETE FROM host WHERE host = $1", me).catch(() => undefined);
  };
}
