import { isSending } from "../acts/open.ts";
import { rowsIn } from "../amount.ts";
import type { Work } from "../batch.ts";
import { isUnapproved } from "../journal/approval.ts";
import type { BatchRecord } from "../journal/store.ts";
import { WAITS_FOR } from "../messages/results.ts";
import { told, type Facts } from "../messages/sentence.ts";
import { printable } from "../printable.ts";

/** So long a host says nothing only where it was lost, or stopped. */
export const SILENT_MS = 30_000;

type Journal = Pick<Work, "store" | "config">;

/** Which processes are at work now. On SQLite one sends, whatever it is (I9); hosts of one journal say what each has. */
export async function atWork({ store, config }: Journal) {
  if (!store.hosts.others) {
    const isAny = isSending(config)();
    return { isAny, watches: () => isAny, sends: () => isAny };
  }
  const hosts = (await store.hosts.all()).filter(({ silentMs }) => silentMs <= SILENT_MS);
  const leases = hosts.flatMap((host) => host.leases);
  const [inboxes, batches] = ["inbox ", "batch "].map((kind) =>
    leases.filter((name) => name.startsWith(kind)).map((name) => name.slice(kind.length)),
  );
  const sent = new Set([...(batches ?? []), ...hosts.flatMap(({ shares }) => shares.map(({ batch }) => batch))]);
  const watches = (folder: string): boolean => (inboxes ?? []).some((inbox) => isIn(folder, inbox));
  return { isAny: hosts.length > 0, watches, sends: ({ id, folder }: BatchRecord) => sent.has(id) || watches(folder) };
}

export const isIn = (folder: string, inbox: string): boolean => `${folder}/`.startsWith(`${inbox}/`);

export interface Waits {
  readonly code: keyof typeof WAITS_FOR;
  readonly text: string;
}

/** What rows wait for that are still to go, and are not on their way: their turn only where somebody sends them. */
export async function waitsIn(journal: Journal): Promise<(batch: BatchRecord) => Waits | undefined> {
  const [holds, at] = [await journal.store.heldFolders(), await atWork(journal)];
  const waits = (code: Waits["code"], facts: Facts = {}): Waits => ({ code, text: told(WAITS_FOR[code], facts).text });
  return (batch) => {
    const { phase, tallies, onItsWay, folder } = batch;
    if (phase === "cancelled" || onItsWay > 0 || rowsIn(tallies, "ready", "not_sent") === 0) return undefined;
    if (phase === "paused") return waits("batch_paused");
    const held = holds.find((one) => isIn(folder, one.folder));
    if (held) return waits("folder_stopped", { folder: printable(held.folder) });
    if (isUnapproved(batch)) return waits("unapproved");
    return waits(at.sends(batch) ? "its_turn" : "nobody_sends");
  };
}
