import { existsSync } from "node:fs";
import { chown, copyFile, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makePrivateFolder, syncFolder } from "../disk.ts";
import { actOf } from "../batch.ts";
import { dayOf } from "../day.ts";
import { PaydropError } from "../errors.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { journalPath, snapshotPath } from "../state-dir.ts";
import { daySaid, say, summarize, type Call } from "./command.ts";
import { withWork } from "./open-work.ts";

/** The journal first: the private copies and payloads that it knows lie there already. */
export function backup(call: Call): Promise<number> {
  const folder = resolve(call.operands[0] ?? "");
  if (existsSync(folder)) throw new PaydropError("exists", { name: folder });
  return withWork(call, "read", async ({ store }, config) => {
    if (config.shared) throw new PaydropError("server_no_backup");
    makePrivateFolder(folder);
    await store.backup(journalPath(folder));
    const [from, to] = [snapshotPath(config.state_dir, ""), snapshotPath(folder, "")];
    await mkdir(to, { mode: 0o700 });
    const names = (await readdir(from).catch(() => [])).filter((name) => !name.endsWith(".tmp"));
    for (const name of names) await copyFile(join(from, name), join(to, name));
    // what root copied the service must be able to work with
    const { uid, gid } = await stat(config.state_dir);
    const copied = [folder, journalPath(folder), to, ...names.map((name) => join(to, name))];
    if (process.getuid?.() === 0) for (const path of copied) await chown(path, uid, gid);
    await syncFolder(to);
    await syncFolder(folder);
    const { size: bytes } = await stat(journalPath(folder));
    say(call, config, "backed_up", { file: folder, snapshots: names.length, bytes });
    return summarize(call, config, 0);
  });
}

/** Private copies and payloads go that no other batch needs; what tells a duplicate stays. */
export function purge(call: Call): Promise<number> {
  const before = daySaid(call, "before");
  if (before > Date.now()) throw new PaydropError("day_ahead", { said: dayOf(before) });
  return withWork(call, "send", async (work, config) => {
    const { store } = work;
    const purged = await store.purge(before);
    const all = await store.batches({});
    const [old, kept] = [true, false].map((isPurged) => all.filter(({ id }) => purged.includes(id) === isPurged));
    const [oldNames, named] = [namesOf(old), namesOf(kept)];
    const folder = snapshotPath(config.state_dir, "");
    const copies = await readdir(folder).catch(() => []);
    // beside a host that takes files just now only what is known goes
    const gone = copies.filter((name) => !named.includes(name) && (!store.hosts || oldNames.includes(name)));
    for (const name of gone) await rm(join(folder, name));
    for (const { id } of all) {
      const isNew = store.hosts ? purged.includes(id) && !(await wasPurged(store, id)) : gone.includes(`${id}.spool`);
      if (isNew) await store.setBatch(id, {}, actOf(work, "purge"));
    }
    say(call, config, "purged", { batches: purged.length });
    return summarize(call, config, 0, { batches: purged.length });
  });
}

/** The copies of a batch's lookup tables are named in how it was read. */
function namesOf(batches: readonly BatchRecord[] = []): string {
  return batches.map(({ id, sha256, reading }) => `${id}.spool ${sha256} ${reading}`).join();
}

/** Of a shared journal: by whichever host. */
async function wasPurged(store: JournalStore, batch: string): Promise<boolean> {
  return (await store.acts({ batch })).some(({ kind }) => kind === "purge");
}
