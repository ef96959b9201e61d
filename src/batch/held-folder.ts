import { realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { Stop } from "../events.ts";
import type { JournalStore } from "../journal/store.ts";
import { isOperationFolder } from "../operations/catalogue.ts";
import { asWord } from "../printable.ts";

/** What the journal knows a held folder by, however it is named: a link to it is the same folder. */
export function holdKeyOf(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}

/** The one way on of a folder that is held. */
export function resumeCommand(folder: string): string {
  return `paydrop resume --inbox ${asWord(folder)} --by NAME`;
}

/**
 * Why nothing goes of files in these folders: one of them, or the inbox that it is a folder of an operation of, is held.
 * Whatever asks for it (a release, a retry, the file by its name): only a person's resume lets it go on.
 */
export async function heldFolder(journal: JournalStore, folders: readonly string[]): Promise<Stop | undefined> {
  const keys = new Set(await Promise.all(folders.map(holdKeyOf)));
  for (const key of keys) if (isOperationFolder(basename(key))) keys.add(dirname(key));
  const holds = await Promise.all([...keys].map(async (key) => ({ key, hold: await journal.inboxHold(key) })));
  for (const { key, hold } of holds) {
    if (!hold) continue;
    const hint = `a person lets it go on with \`${resumeCommand(key)}\``;
    return { code: "folder_held", message: `${key} is held: ${hold.message}`, hint };
  }
  return undefined;
}
