import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { makePrivateFolder, syncFolder } from "../disk.ts";
import { PaydropError } from "../errors.ts";
import { journalPath, snapshotPath, spoolPath } from "../state-dir.ts";
import { daySaid, say, summarize, type Call } from "./command.ts";
import { withWork } from "./open-work.ts";

/**
 * Copies the journal while it is in use, with the private copies and payloads that it knows, into a new folder: a state
 * directory that can take its place. The journal first: what it knows lies there already.
 */
export function backup(call: Call): Promise<number> {
  const folder = resolve(call.operands[0] ?? "");
  if (existsSync(folder)) throw new PaydropError("exists", { name: folder });
  return withWork(call, "read", async ({ store }, config) => {
    makePrivateFolder(folder);
    await store.backup(journalPath(folder));
    const copiesIn = (dir: string): string => dirname(snapshotPath(dir, "any"));
    const [from, to] = [copiesIn(config.state_dir), copiesIn(folder)];
    await mkdir(to, { mode: 0o700 });
    const names = (await readdir(from).catch(() => [])).filter((name) => !name.endsWith(".tmp"));
    for (const name of names) await copyFile(join(from, name), join(to, name));
    await syncFolder(to);
    await syncFolder(folder);
    const { size: bytes } = await stat(journalPath(folder));
    say(call, config, "backed_up", { file: folder, snapshots: names.length, bytes });
    return summarize(call, config, 0);
  });
}

/**
 * Removes old private copies, payloads and answers of batches that are over; what tells a duplicate stays. Their results
 * cannot be written again.
 */
export function purge(call: Call): Promise<number> {
  const before = daySaid(call, "before");
  return withWork(call, "send", async ({ store }, config) => {
    const purged = await store.purge(before);
    const all = await store.batches({});
    const over = all.filter(({ id }) => purged.includes(id));
    const kept = new Set(all.filter((batch) => !over.includes(batch)).map(({ sha256 }) => sha256));
    for (const { id, sha256 } of over) {
      await rm(spoolPath(config.state_dir, id), { force: true });
      if (!kept.has(sha256)) await rm(snapshotPath(config.state_dir, sha256), { force: true });
    }
    say(call, config, "purged", { batches: purged.length });
    return summarize(call, config, 0, { batches: purged.length });
  });
}
