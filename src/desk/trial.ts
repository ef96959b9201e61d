import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadSettings } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { openRegular } from "../intake/snapshot.ts";
import { printable } from "../printable.ts";
import { outPaths } from "../results/place.ts";
import { APPROVED_ABOVE, samplesOf, STATEMENT_NAME, statementOf, type Sample } from "./trial-samples.ts";
import type { Call } from "../screen/look.ts";

/**
 * Everything of the desk in one process, for somebody who tries paydrop: a pretended service, and an inbox of its own with
 * copies of the files, or with samples. Throws `usage` without `--sandbox`.
 */
export async function tryDesk(call: Call, watch: (call: Call) => Promise<number>): Promise<number> {
  if (call.flags["sandbox"] !== true) throw new PaydropError("desk_folder");
  const files = call.operands;
  const names = files.map((file) => basename(file));
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new PaydropError("exists", { name: printable(twice) });
  for (const file of files) await (await openRegular(file)).close();
  const { config, origins } = loadSettings({ ...call, env: { ...call.env } }, "trial");
  const isKept = origins["state_dir"] === "--state-dir";
  const folder = isKept ? config.state_dir : await mkdtemp(join(tmpdir(), "paydrop-try-"));
  const inbox = join(folder, "inbox");
  const ended = new AbortController();
  try {
    await mkdir(inbox, { recursive: true });
    for (const file of files) await copyFile(file, join(inbox, basename(file)));
    const samples = files.length === 0 ? samplesOf(Date.now()) : [];
    for (const sample of samples) {
      if (sample.after === undefined) await writeFile(join(inbox, sample.name), sample.text);
      else void comeAfter(join(inbox, sample.after), sample, ended.signal);
    }
    if (samples.length > 0) await writeFile(join(folder, STATEMENT_NAME), statementOf(Date.now()));
    // whoever only looks waits for nothing long; what happens is told on the pages; and one of the samples waits for a second person
    const usual = {
      ...(!origins["settle"] && { settle: "500ms" }),
      ...(!origins["log_level"] && { log_level: "error" }),
      ...(samples.length > 0 && { approval_above: APPROVED_ABOVE }),
    };
    return await watch({ ...call, operands: [inbox], flags: { ...usual, ...call.flags } });
  } finally {
    ended.abort();
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

const LOOK_MS = 100;

/** Writes a sample beside the file `path` when that one has its results. */
async function comeAfter(path: string, { name, text }: Sample, ended: AbortSignal): Promise<void> {
  const { results } = outPaths(path, "csv");
  while (!ended.aborted && !existsSync(results)) await sleep(LOOK_MS);
  // what is ending takes nothing more
  if (!ended.aborted) await writeFile(join(dirname(path), name), text).catch(() => undefined);
}
