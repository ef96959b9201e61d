import { crc32 } from "node:zlib";
import type { RowName } from "../checks/beside.ts";
import { PaydropError } from "../errors.ts";
import { SHARE_ROWS } from "../journal/states.ts";
import { nameOfShare, type Seal } from "./copies.ts";
import { byName, isConnectionLost, type Postgres } from "./postgres.ts";
import { HOLD } from "./schema.ts";
import { LEASE, type Committer, type HeldShare } from "./shares.ts";
import type { Trust } from "./trust.ts";
import type { JournalStore, Progress, Share, Wanted, Who } from "../journal/store.ts";
import type { Word } from "./witness.ts";

/** What the hosts of a journal share. */
export interface Together {
  readonly postgres: Postgres;
  readonly seal: Seal;
  readonly committer: Committer;
  readonly trust: Trust;
  /** This process. */
  readonly me: string;
  /** What it holds alone, as of the last renewal. */
  readonly leases: Set<string>;
}

interface Claimed {
  readonly id: string;
  readonly proven: boolean;
  readonly batch: number;
  readonly share: number;
  readonly epoch: number;
  readonly place: number;
  readonly lanes: number;
}

/** What is claimed counts for the state directory in the same transaction. */
const CLAIM = `SELECT c.claimed, CASE WHEN c.claimed ->> 'gate' IS NULL AND c.claimed IS NOT NULL THEN bear_witness($witness, $host, $ofServer) END AS word
  FROM (SELECT claim_share($me, $batch, $destination, $environment, $lanes, $concurrency, $lease) AS claimed OFFSET 0) c`;

/** `gate`: why nothing goes now. */
interface FoundShare {
  readonly claimed?: Claimed | { readonly gate: "lost" | "other" | "waits"; readonly server: string };
  readonly word?: Word;
}

const LEFT = "SELECT 1 FROM share WHERE owner IS NOT NULL AND leaseUntil < clock_timestamp() LIMIT 1";

/** What dead hosts held is free from then on; gives the rows of it that are unknown. */
export async function takeOver(postgres: Postgres, who: Who): Promise<RowName[]> {
  // nearly always nobody has died
  if ((await postgres.query(LEFT)).length === 0) return [];
  const sql = "SELECT * FROM take_over($1, $2, $3)";
  return postgres.write(() => postgres.query(sql, JSON.stringify(who), postgres.now(), LEASE));
}

/** The same, by no person. */
export const takeOverBy = ({ postgres, me }: Pick<Together, "postgres" | "me">): Promise<RowName[]> =>
  takeOver(postgres, { login: "paydrop", host: me });

/** Which share goes where (README §13). */
export function claimsOf(together: Together): Pick<JournalStore, "claim" | "progress" | "stop"> {
  const { postgres, committer, me, trust } = together;
  /** Lanes that are being asked for: two batches of this process must not ask for the same. */
  let asking = 0;

  const claim = async ({ batch, destination, environment, concurrency }: Wanted, lanes: number) => {
    const [witness, host, ofServer] = trust.bearer;
    const wanted = { me, batch, destination, environment, lanes, concurrency, lease: LEASE };
    const asked = byName(CLAIM, { ...wanted, witness, host, ofServer });
    try {
      await takeOverBy(together);
      const { server } = trust;
      const found = await postgres.write(() => postgres.get<FoundShare>(...asked));
      const { claimed, word } = found ?? {};
      if (claimed && "gate" in claimed) await trust.lookAgain(claimed.gate === "lost" ? "" : claimed.server);
      if (!claimed || "gate" in claimed) return undefined;
      // of another server than the one that this process has looked at: free when its lease is over
      if (!word) await trust.look();
      if (!word || server !== trust.server) return undefined;
      trust.note(word);
      return await shareOf(together, claimed);
    } catch (error) {
      // asked for again later; what was claimed and not heard of is free when its lease is over
      if (isConnectionLost(error)) return undefined;
      throw error;
    }
  };

  return {
    async claim(wanted) {
      // two shares of a large batch side by side keep all lanes busy when one ends; of a small one its only share takes all
      const most = wanted.rows > SHARE_ROWS ? Math.ceil(wanted.lanes / 2) : wanted.lanes;
      const lanes = Math.min(most, wanted.lanes - committer.lanes - asking);
      if (lanes <= 0) return undefined;
      asking += lanes;
      return claim(wanted, lanes).finally(() => (asking -= lanes));
    },

    async progress(batch) {
      const sql = `SELECT count(*) FILTER (WHERE s.owner IS NOT NULL) AS held, coalesce(sum(s.letGo), 0) AS letGo, b.stop, b.phase, b.run, ${HOLD} AS hold,
          (SELECT count(*) FROM rows r WHERE r.batch = b.seq AND r.state = 'ready') AS ready
        FROM batch b LEFT JOIN share s ON s.batch = b.seq WHERE b.id = $1 GROUP BY b.seq`;
      const found = await postgres.get<Progress>(sql, batch);
      if (!found) throw new Error(`the journal has no batch ${batch}`);
      // what a dead host holds nobody else may be there to take over
      if (found.held > 0)
        await takeOverBy(together).catch((error: unknown) => {
          if (!isConnectionLost(error)) throw error;
        });
      return found;
    },

    async stop(batch, run, stop) {
      const sql = "UPDATE batch SET stop = coalesce(stop, $3) WHERE id = $1 AND run = $2";
      await postgres.query(sql, batch, run, JSON.stringify(stop));
    },
  };
}

/** With its payloads in memory. */
async function shareOf(
  { postgres, seal, committer, me }: Together,
  { id, proven, batch: seq, share: nth, epoch, place: from, lanes }: Claimed,
): Promise<Share> {
  const sql = "SELECT payloads FROM share WHERE batch = $1 AND share = $2";
  const found = await postgres.get<{ payloads?: Buffer }>(sql, seq, nth);
  const payloads = found?.payloads && seal.open(found.payloads, nameOfShare(id, nth));
  const share: HeldShare = {
    ...{ batch: id, lanes, isProven: proven, seq, nth, epoch, no: 0 },
    spool: {
      read({ place, size, crc }): string {
        const bytes = payloads?.subarray(place - from, place - from + size);
        if (bytes?.length === size && crc32(bytes) === crc) return bytes.toString("utf8");
        throw new PaydropError("spool_damaged", { path: `batch ${id}, share ${nth}` });
      },
    },
    leave: () => committer.letGo(share),
    async end() {
      committer.letGo(share);
      await postgres.query("SELECT end_share($1, $2, $3, $4)", seq, nth, epoch, me);
    },
  };
  committer.hold(share);
  return share;
}
