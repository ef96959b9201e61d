import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Stop } from "../events.ts";
import { inboxFolders, stopFilesIn } from "../intake/inbox-folders.ts";
import type { InboxHold, JournalStore } from "../journal/store.ts";
import { isOperationFolder } from "../operations/catalogue.ts";
import { asWord } from "../printable.ts";
import { INBOX_MARK, markAt } from "../results/found-mark.ts";

/** What the journal knows a held folder by, however it is named: a link to it is the same folder. */
export function holdKeyOf(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}

/** The one way on of a folder that is held. */
export function resumeCommand(folder: string): string {
  return `paydrop resume --inbox ${asWord(folder)} --by NAME`;
}

/** What is told of a folder that is held. */
export function heldText(folder: string, { message }: InboxHold): Pick<Stop, "message" | "hint"> {
  const hint = `a person lets it go on with \`${resumeCommand(folder)}\``;
  return { message: `${folder} is held: ${message}`, hint };
}

/** Why a folder is held for a STOP. */
export const STOP_MESSAGE = "a file named STOP was put into the folder";

/** Who asks whether a folder is held. */
export interface Asking {
  readonly journal: JournalStore;
  /** A STOP that it sees holds the folder from then on. Another process at work sees it by itself. */
  readonly hasLock: boolean;
  /** It works through an inbox, and looks for a STOP there all the time. */
  readonly keepsInbox: boolean;
}

/**
 * Why nothing goes of files in these folders: one of them, or the inbox that it is a folder of an operation of, is held.
 * Whatever asks for it (a release, a retry, the file by its name): only a person's resume lets it go on.
 */
export async function heldFolder(asking: Asking, folders: readonly string[]): Promise<Stop | undefined> {
  const keys = new Set(await Promise.all(folders.map(holdKeyOf)));
  for (const key of keys) if (isOperationFolder(basename(key))) keys.add(dirname(key));
  const holds = await Promise.all(
    [...keys].map(async (key) => ({
      key,
      hold: (await asking.journal.inboxHold(key)) ?? (await stopSeen(asking, key)),
    })),
  );
  for (const { key, hold } of holds) {
    if (!hold) continue;
    return { code: "folder_held", ...heldText(key, hold) };
  }
  return undefined;
}

/** A STOP that was put into an inbox of this journal since it was last looked at. In any other folder it is a file. */
async function stopSeen({ journal, hasLock, keepsInbox }: Asking, folder: string): Promise<InboxHold | undefined> {
  if (keepsInbox) return undefined;
  const found = await markAt(join(folder, INBOX_MARK));
  if (typeof found !== "object" || found.mark?.stateId !== journal.stateId) return undefined;
  if ((await stopFilesIn(await inboxFolders(folder))).length === 0) return undefined;
  const hold = { code: "stop_file", at: Date.now(), message: STOP_MESSAGE };
  if (hasLock) await journal.holdInbox(folder, hold);
  return hold;
}
