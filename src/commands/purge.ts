import { rm } from "node:fs/promises";
import { loadSettings } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { printable } from "../printable.ts";
import { snapshotPath, spoolPath } from "../state-dir.ts";
import { say, summarize } from "./acting.ts";
import { optionOf, type Call } from "./command.ts";
import { openWork } from "./open-work.ts";

/**
 * Removes old private copies, payloads and answers of batches that are over; what tells a duplicate stays. Their results
 * cannot be written again.
 */
export async function run(call: Call): Promise<number> {
  const { config } = loadSettings(call);
  const said = optionOf(call, "before") ?? "";
  const before = Date.parse(`${said}T00:00:00Z`);
  if (Number.isNaN(before)) throw new PaydropError("no_day", { option: "--before", said: printable(said, 40) });
  const work = await openWork(config, undefined, "send");
  try {
    const purged = await work.store.purge(before);
    const kept = new Set<string>();
    const batches = await work.store.batches({});
    for (const batch of batches) if (!purged.includes(batch.id)) kept.add(batch.sha256);
    for (const { id, sha256 } of batches) {
      if (!purged.includes(id)) continue;
      await rm(spoolPath(config.state_dir, id), { force: true });
      if (!kept.has(sha256)) await rm(snapshotPath(config.state_dir, sha256), { force: true });
    }
    say(call, config, "purged", { batches: purged.length });
    return summarize(call, config, 0, { batches: purged.length });
  } finally {
    await work.close();
  }
}
