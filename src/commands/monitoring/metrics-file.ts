import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PaydropError, messageOf, systemCodeOf } from "../../errors.ts";

/** The metrics that an earlier process left; empty when there are none yet. Throws `config` when it may not be read. */
export function readMetricsFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return "";
    throw new PaydropError("config", `${path}: ${messageOf(error)}`, "name another file with --metrics-file");
  }
}

/** Whole or not at all: a collector never reads half a file. Readable by all, as collectors run as somebody else. */
export async function writeMetricsFile(path: string, text: string): Promise<void> {
  // not .prom: the node exporter reads every file of that name
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString("hex")}.tmp`);
  try {
    await writeFile(temporary, text, { mode: 0o644, flag: "wx" });
    // a umask, such as UMask=0027 of a systemd unit, took some of these rights away when the file was made
    await chmod(temporary, 0o644);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
