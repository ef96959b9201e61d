import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config/config.ts";
import { PaydropError } from "../errors.ts";
import { openProcessor, type Processor, type Services } from "../processor.ts";

const LOOK_MS = 100;

/** A processor that may send; undefined when another process has the lock, and still has it after `patienceMs`. */
export async function trySending(services: Services, patienceMs = 0): Promise<Processor | undefined> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await openProcessor(services, "send");
    } catch (error) {
      if (!(error instanceof PaydropError && error.code === "locked")) throw error;
      if (performance.now() >= until) return undefined;
      await sleep(LOOK_MS);
    }
  }
}

/** I4: rows of a process that died become unknown; false while a process has the lock. */
export async function recoverIfDead(config: Config): Promise<boolean> {
  const processor = await trySending({ config });
  await processor?.close();
  return processor !== undefined;
}
