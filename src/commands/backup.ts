import { copyFile, mkdir, readdir, stat } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { loadSettings } from "../config/load.ts";
import { makePrivateFolder, syncFolder } from "../disk.ts";
import { PaydropError } from "../errors.ts";
import { journalPath, snapshotPath } from "../state-dir.ts";
import { say, summarize } from "./acting.ts";
import type { Call } from "./command.ts";
import { openWork } from "./open-work.ts";

/**
 * Copies the journal while it is in use, with the private copies and payloads that it knows, into a new folder: a state
 * directory that can take its place. The journal first: what it knows lies there already.
 */
export async function run(call: Call): Promise<number> {
  const { config } = loadSettings(call);
  const folder = resolve(call.operands[0] ?? "");
  if (existsSync(folder)) throw new PaydropError("exists", { name: folder });
  const work = await openWork(config, undefined, "read");
  try {
    makePrivateFolder(folder);
    await work.store.backup(journalPath(folder));
    const [from, to] = [config.state_dir, folder].map((dir) => dirname(snapshotPath(dir, "")));
    if (from === undefined || to === undefined) return 1;
    await mkdir(to, { mode: 0o700 });
    const names = (await readdir(from).catch(() => [])).filter((name) => !name.endsWith(".tmp"));
    for (const name of names) await copyFile(join(from, name), join(to, name));
    await syncFolder(to);
    await syncFolder(folder);
    const { size: bytes } = await stat(journalPath(folder));
    say(call, config, "backed_up", { file: folder, snapshots: names.length, bytes });
    return summarize(call, config, 0);
  } finally {
    await work.close();
  }
}
