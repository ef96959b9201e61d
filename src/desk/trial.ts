import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { loadSettings } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { openRegular } from "../intake/snapshot.ts";
import { printable } from "../printable.ts";
import { APPROVED_ABOVE, samplesOf, STATEMENT_NAME, statementOf } from "./trial-samples.ts";
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
  try {
    await mkdir(inbox, { recursive: true });
    for (const file of files) await copyFile(file, join(inbox, basename(file)));
    const samples = files.length === 0 ? samplesOf(Date.now()) : [];
    for (const { name, text } of samples) await writeFile(join(inbox, name), text);
    if (samples.length > 0) await writeFile(join(folder, STATEMENT_NAME), statementOf(Date.now()));
    // whoever only looks waits for nothing long; what happens is told on the pages; and one of the samples waits for a second person
    const usual = {
      ...(!origins["settle"] && { settle: "500ms" }),
      ...(!origins["log_level"] && { log_level: "error" }),
      ...(samples.length > 0 && { approval_above: APPROVED_ABOVE }),
    };
    return await watch({ ...call, operands: [inbox], flags: { ...usual, ...call.flags } });
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}
