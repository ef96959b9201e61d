import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 10;
/** A look takes no longer in our count: a machine that stood still meanwhile kept everybody waiting. */
const LOOK_COUNTS_MS = 500;

export interface Waiting {
  /** The process that brings it about: when it has ended, nothing more comes. */
  readonly by?: Promise<{ readonly code?: unknown; readonly stderr?: string }>;
  /** How long it may take on a machine that has more to do: a minute unless said, an hour where a process is named. */
  readonly withinMs?: number;
}

/** Waits for something that must come; throws what never came, in the words of `what`. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { by, withinMs = by ? 3_600_000 : 60_000 }: Waiting = {},
): Promise<void> {
  let ended: Awaited<Waiting["by"]>;
  void by?.then((end) => (ended = end));
  let waitedMs = 0;
  for (;;) {
    const lookedAtMs = performance.now();
    // looked at before: what came at the last moment has come
    const [gone, isLate] = [ended, waitedMs > withinMs];
    if (await isSo()) return;
    if (gone)
      throw new Error(`it never came: ${what}; the process ended with ${String(gone.code)}\n${gone.stderr ?? ""}`);
    if (isLate) throw new Error(`it never came: ${what}`);
    await sleep(LOOK_MS);
    waitedMs += Math.min(LOOK_COUNTS_MS, performance.now() - lookedAtMs);
  }
}
