import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { holdKeyOf, resumeCommand } from "../batch/held-folder.ts";
import type { Config } from "../config/config.ts";
import { stopFilesIn } from "../drop-folder/stop-file.ts";
import { inboxFolders } from "../intake/inbox-folders.ts";
import { openProcessor } from "../processor.ts";
import type { Finding } from "./doctor-finding.ts";

/** A drop folder of which nothing goes until a person says so: a STOP lies in it, or the journal knows it as held. */
export async function heldFindings(inboxes: readonly string[], config: Config): Promise<Finding[]> {
  const folders = inboxes.map((inbox) => resolve(inbox));
  const held = folders.length > 0 ? await holdsKnown(folders, config) : [];
  const findings = folders.map(async (folder, index): Promise<Finding[]> => {
    const [stop] = await stopFilesIn(await inboxFolders(folder));
    const why = held[index] ?? (stop && `${stop} lies there`);
    const found = `nothing goes from it: ${why ?? ""}`;
    const hint = `a person lets it go on with \`${resumeCommand(folder)}\``;
    return why === undefined ? [] : [{ what: `inbox ${folder}`, health: "look", found, hint }];
  });
  return (await Promise.all(findings)).flat();
}

/** Of each folder why it is held. A journal that cannot be read is told of elsewhere. */
async function holdsKnown(folders: readonly string[], config: Config): Promise<readonly (string | undefined)[]> {
  if (!existsSync(join(config.stateDir, "journal.db"))) return [];
  const processor = await openProcessor({ config }, "read").catch(() => undefined);
  if (!processor) return [];
  try {
    const { journal } = processor;
    return await Promise.all(folders.map(async (one) => (await journal.inboxHold(await holdKeyOf(one)))?.message));
  } finally {
    await processor.close();
  }
}
