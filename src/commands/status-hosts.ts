import { isoSecond } from "../day.ts";
import { SILENT_MS } from "../inbox/at-work.ts";
import type { HostRecord } from "../journal/store.ts";
import { HOST_WORDS } from "../messages/hosts.ts";
import { told, type Facts } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { iso } from "../results/summary.ts";

/** A host as a line of JSON, and as lines for a person: what it sends, conducts and watches, and since when. */
export function hostLines(one: HostRecord): readonly [line: object, lines: readonly string[]] {
  const { host, name, version, since, seenAt, silentMs } = one;
  const holds = Array.from(
    Map.groupBy(one.shares, ({ batch }) => batch),
    ([batch, shares]) => ({
      ...{ batch, shares: shares.map(({ share }) => share), lanes: shares.reduce((sum, { lanes }) => sum + lanes, 0) },
      since: Math.min(...shares.map((share) => share.since)),
    }),
  );
  const [conducts, inboxes] = (["batch ", "inbox "] as const).map((kind) =>
    one.leases.filter((lease) => lease.startsWith(kind)).map((lease) => lease.slice(kind.length)),
  );
  const isSilent = silentMs > SILENT_MS;
  const say = (word: keyof typeof HOST_WORDS, facts: Facts): string => told(HOST_WORDS[word], facts).text;
  const lines = [
    say("host", { host, version, since: isoSecond(since) }),
    ...(isSilent ? [say("silent", { at: isoSecond(seenAt) })] : []),
    ...holds.map(({ batch, shares, lanes, since: at }) =>
      say("holds", { batch, shares: shares.length, lanes, since: isoSecond(at) }),
    ),
    ...(conducts ?? []).map((batch) => say("conducts", { batch })),
    ...(inboxes ?? []).map((folder) => say("watches", { folder: printable(folder) })),
  ];
  const held = holds.map((batch) => ({ ...batch, since: iso(batch.since) }));
  const times = { since: iso(since), seen_at: iso(seenAt), silent: isSilent };
  return [{ type: "host", host, name, version, ...times, holds: held, conducts, inboxes }, lines];
}
