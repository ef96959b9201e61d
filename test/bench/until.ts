import { setTimeout as sleep } from "node:timers/promises";
import type { Usage } from "./child.ts";

const LOOK_MS = 20;

/** Waits until it is so; throws when the process that should bring it about has ended instead. */
export async function until(isSo: () => boolean | Promise<boolean>, ended: Promise<Usage>): Promise<void> {
  let gone: Usage | undefined;
  void ended.then((usage) => (gone = usage));
  while (!(await isSo())) {
    if (gone) throw new Error(`paydrop ended with ${String(gone.code)} too early\n${gone.stderr}`);
    await sleep(LOOK_MS);
  }
}
