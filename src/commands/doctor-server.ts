import { bytesOfKey } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { Looked } from "../postgres/look-at-server.ts";
import { finding, type Finding } from "../messages/config.ts";

const SERVER_CLOCK_SLACK_MS = 5_000;
const POSTGRES_MIN = 14;
const SESSIONS_OF_HOST = 6;

/** What a shared journal needs of its server (README §13); nothing is made there. `clock`: against what the journal knows. */
export async function serverFindings(
  { shared }: Pick<Config, "shared">,
  clock: () => Promise<Finding>,
): Promise<Finding[]> {
  if (!shared) return [];
  const { lookAtServer } = await import("../postgres/look-at-server.ts");
  const seen = await lookAtServer({ url: shared.url.reveal(), journalKey: bytesOfKey(shared.key) });
  const isOld = Number.parseInt(seen.version) < POSTGRES_MIN;
  const found = `${seen.server}, PostgreSQL ${seen.version}`;
  const { isMade, fingerprint } = seen;
  const journal = isMade
    ? `of this version and key (${fingerprint})`
    : `made by the first run, with key ${fingerprint}`;
  const findings = [
    finding("journal server", "fine", { found }),
    ...(isOld ? [finding("journal server", "server_old", { version: seen.version, needed: POSTGRES_MIN })] : []),
    ...(seen.isStandby ? [finding("journal server", "server_standby")] : []),
    finding("encoding", seen.encoding === "UTF8" ? "fine" : "server_encoding", { found: seen.encoding }),
    ...seen.settings.map(({ name, value, source }) =>
      finding(name, value === "off" ? "server_setting" : "fine", { name, source, found: value }),
    ),
    standbyFinding(seen),
    finding("sessions", seen.keepsSessions ? "fine" : "pooled", { found: "kept between transactions" }),
    roomFinding(seen),
    serverClockFinding(seen),
    finding("journal", "fine", { found: journal }),
    ...(seen.loss === undefined ? [] : [finding("journal", "commit_lost", { found: seen.loss })]),
  ];
  // of one that cannot be used only the server is told
  const isUsable = isMade && findings.every(({ health }) => health !== "wrong");
  return isUsable ? [...findings, await clock()] : findings;
}

function standbyFinding({ standbys, synchronous }: Looked): Finding {
  if (synchronous !== "") return finding("standbys", "fine", { found: `commits wait for ${synchronous}` });
  if (standbys === 0) return finding("standbys", "fine", { found: "none is connected, and commits wait for none" });
  return finding("standbys", "standby_asynchronous", { count: standbys });
}

/** Sessions for one more host. */
function roomFinding({ sessionsMax, sessions }: Looked): Finding {
  const isFull = sessionsMax - sessions < SESSIONS_OF_HOST;
  const facts = { most: sessionsMax, sessions, needed: SESSIONS_OF_HOST };
  return finding("connections", isFull ? "few_sessions" : "fine", { ...facts, found: `${sessions} of ${sessionsMax}` });
}

/** Leases go by the server's clock, and dates by this host's. */
function serverClockFinding({ at, here }: Looked): Finding {
  const [now, server] = [here, at].map((ms) => new Date(ms).toISOString());
  const isApart = Math.abs(at - here) > SERVER_CLOCK_SLACK_MS;
  return finding("server clock", isApart ? "clock_apart" : "fine", { now, server, found: server });
}
