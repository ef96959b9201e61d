import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Stop } from "../events.ts";
import { inboxFolders, stopFilesIn } from "../intake/inbox-folders.ts";
import type { HeldInbox, InboxHold, JournalStore } from "../journal/store.ts";
import { isOperationFolder } from "../operations/catalogue.ts";
import { STOPS } from "../submission/stop-rules.ts";
import { asWord } from "../text/printable.ts";
import { INBOX_MARK, markAt } from "../results/marks/found-mark.ts";

/**
 * What a folder may be known by: its name, and what that leads to at this moment. A link to a folder is the same folder,
 * also while the disk that it leads to is away.
 */
async function namesOf(folder: string): Promise<readonly string[]> {
  const named = resolve(folder);
  const target = (): Promise<string> => readlink(named).then((path) => resolve(dirname(named), path));
  return [...new Set([named, await realpath(named).catch(() => target().catch(() => named))])];
}

/** Every hold on a folder that has one of these names, under whichever name it was set. */
async function holdsAt(journal: JournalStore, names: readonly string[]): Promise<readonly HeldInbox[]> {
  const holds = await journal.inboxHolds();
  const known = await Promise.all(holds.map(({ folder }) => namesOf(folder)));
  return holds.filter((_, index) => known[index]?.some((name) => names.includes(name)));
}

/** The holds of a folder: one for each name that it was held under. */
export async function holdsOf(journal: JournalStore, folder: string): Promise<readonly HeldInbox[]> {
  return holdsAt(journal, await namesOf(folder));
}

/** Holds a folder under all of its names: whoever comes by one of them finds it. */
export async function setHold(journal: JournalStore, folder: string, hold: InboxHold): Promise<void> {
  for (const name of await namesOf(folder)) await journal.holdInbox(name, hold);
}

/** The first hold of each folder. */
export async function eachFolderOnce(holds: readonly HeldInbox[]): Promise<readonly HeldInbox[]> {
  const seen = new Set<string>();
  const real = await Promise.all(holds.map(async ({ folder }) => (await namesOf(folder)).at(-1) ?? folder));
  return holds.filter((_, index) => {
    const name = real[index] ?? "";
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/** The only thing that lets a held folder go on. */
export function resumeCommand(folder: string): string {
  return `paydrop resume --inbox ${asWord(folder)} --by NAME`;
}

/** What is told of a folder that is held. */
export function heldText(folder: string, { message }: Pick<InboxHold, "message">): Pick<Stop, "message" | "hint"> {
  const hint = `a person lets it go on with \`${resumeCommand(folder)}\``;
  return { message: `${folder} is held: ${message}`, hint };
}

/** Who asks whether a folder is held. */
interface Asking {
  readonly journal: JournalStore;
  /** Makes a STOP that is seen a hold of the folder. Without the lock, the process at work does that by itself. */
  readonly hasLock: boolean;
  /** It works through an inbox, and looks for a STOP there all the time. */
  readonly keepsInbox: boolean;
}

/**
 * Why nothing goes of files in these folders: one of them is held, or the inbox whose operation folder it is. Whatever
 * was asked for (a release, a retry, the file by its name), only a person's resume lets it go on.
 */
export async function heldFolder(asking: Asking, folders: readonly string[]): Promise<Stop | undefined> {
  const names = new Set((await Promise.all(folders.map(namesOf))).flat());
  for (const name of names) if (isOperationFolder(basename(name))) names.add(dirname(name));
  const [hold] = await holdsAt(asking.journal, [...names]);
  if (hold) return { code: "folder_held", ...heldText(hold.folder, hold) };
  for (const name of names) {
    const seen = await stopSeen(asking, name);
    if (seen) return { code: "folder_held", ...heldText(name, seen) };
  }
  return undefined;
}

/** A STOP that was put into an inbox of this journal since it was last looked at. In any other folder it is a file. */
async function stopSeen({ journal, hasLock, keepsInbox }: Asking, folder: string): Promise<InboxHold | undefined> {
  if (keepsInbox) return undefined;
  const found = await markAt(join(folder, INBOX_MARK));
  if (typeof found !== "object" || found.mark?.stateId !== journal.stateId) return undefined;
  if ((await stopFilesIn(await inboxFolders(folder))).length === 0) return undefined;
  const { code, message } = STOPS.stop_file;
  const hold = { code, at: Date.now(), message };
  if (hasLock) await setHold(journal, folder, hold);
  return hold;
}
