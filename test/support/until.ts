import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 10;
/** A look takes no longer in our count: a machine that is slow at it keeps everybody waiting. */
const LOOK_COUNTS_MS = 50;
const WITHIN_MS = 60_000;
/** Longer than a process may live (`follow`), which then says more. */
const OF_PROCESS_WITHIN_MS = 250_000;

export interface Waiting {
  /** The process that brings it about: when it has ended, nothing more comes. */
  readonly by?: Promise<{
    readonly code?: unknown;
    readonly output?: string;
    readonly stdout?: string;
    readonly stderr?: string;
  }>;
  /** How long it may take on a machine that has more to do. */
  readonly withinMs?: number;
}

/** Waits for something that must come; throws what never came, in the words of `what`. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { by, withinMs = by ? OF_PROCESS_WITHIN_MS : WITHIN_MS }: Waiting = {},
): Promise<void> {
  let ended: string | undefined;
  by?.then(
    ({ code, stdout = "", stderr = "", output = stdout + stderr }) =>
      (ended = `the process ended with ${String(code)}\n${output}`),
    (error: unknown) => (ended = String(error)),
  );
  let waitedMs = 0;
  for (;;) {
    const lookedAtMs = performance.now();
    // looked at before: what came at the last moment has come
    const [gone, isLate] = [ended, waitedMs > withinMs];
    if (await isSo()) return;
    if (gone !== undefined) throw new Error(`it never came: ${what}; ${gone}`);
    if (isLate) throw new Error(`it never came: ${what}`);
    await sleep(LOOK_MS);
    waitedMs += Math.min(LOOK_COUNTS_MS, performance.now() - lookedAtMs);
  }
}

/** The same of a promise that another part settles: what it gives, or an error that says that it never came. */
export async function came<T>(what: string, promise: Promise<T>, waiting: Waiting = {}): Promise<T> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  promise.then(settle, settle);
  await until(what, () => isSettled, waiting);
  return promise;
}
