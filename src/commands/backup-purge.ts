import { existsSync } from "node:fs";
import { chown, copyFile, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { withWork } from "../acts/open.ts";
import { actOf } from "../batch.ts";
import { copiesOf } from "../checks/open-kept.ts";
import { dayOf } from "../day.ts";
import { makePrivateFolder, syncFolder } from "../disk.ts";
import { PaydropError } from "../errors.ts";
import type { JournalStore } from "../journal/store.ts";
import { ACTED } from "../messages/acts.ts";
import { told } from "../messages/sentence.ts";
import { journalPath, snapshotPath } from "../state-dir.ts";
import { daySaid, optionOf, say, summarize, type Call } from "./command.ts";

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

const TOLD_EVERY_MS = 2_000;

/**
 * Private copies and payloads go that no other batch needs; what tells a duplicate stays. In steps: whoever is cut off goes
 * on by saying it again.
 */
export function purge(call: Call): Promise<number> {
  const before = daySaid("before", optionOf(call, "before"));
  if (before > Date.now()) throw new PaydropError("day_ahead", { said: dayOf(before) });
  return withWork(call, "send", async (work, config) => {
    const { store } = work;
    let batches = 0;
    let toldAt = performance.now();
    for (let after: number | undefined = 0; after !== undefined;) {
      const { ids, next, until = before } = await store.purge(before, actOf(work, "purge"), after);
      batches += ids.length;
      after = next;
      if (after === undefined || config.quiet || performance.now() - toldAt < TOLD_EVERY_MS) continue;
      toldAt = performance.now();
      call.stderr.write(`${told(ACTED.purging, { batches, until: dayOf(until) }).text}\n`);
    }
    await removeCopies(work, config.state_dir);
    await forgetUploads(store, Math.min(before, store.now() - config.approval_hours * 3_600_000));
    say(call, config, "purged", { batches });
    return summarize(call, config, 0, { batches });
  });
}

/**
 * Who brought a file by hand may not approve it, and what one person brought within `approval_hours` is added up. So a name
 * stays until every batch of these bytes is purged, of which nothing can go any more; and where none was taken of them yet,
 * for the file may still lie in its folder.
 */
async function forgetUploads(store: JournalStore, before: number): Promise<void> {
  const uploads = await store.kept<{ readonly sha256: string; readonly at: number }>("upload");
  if (uploads.length === 0) return;
  const taken = Map.groupBy(await store.copied(), ({ sha256 }) => sha256);
  for (const { name, value } of uploads) {
    const batches = taken.get(value.sha256) ?? [];
    const isOver = batches.length > 0 && batches.every(({ isPurged }) => isPurged);
    if (isOver && value.at < before) await store.keep("upload", name, undefined);
  }
}

/** Also what was left by one that was cut off. Beside a host that takes files just now only what is known goes. */
async function removeCopies({ store }: { readonly store: JournalStore }, stateDir: string): Promise<void> {
  const [old, needed] = [new Set<string>(), new Set<string>()];
  for (const batch of await store.copied())
    for (const name of [`${batch.id}.spool`, ...copiesOf(batch)]) (batch.isPurged ? old : needed).add(name);
  const folder = snapshotPath(stateDir, "");
  const names = await readdir(folder).catch(() => []);
  for (const name of names)
    if (!needed.has(name) && (!store.hosts.others || old.has(name))) await rm(join(folder, name));
}
