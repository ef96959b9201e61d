import { rm } from "node:fs/promises";
import { join } from "node:path";
import { resumeCommand } from "../batch/held-folder.ts";
import { inboxFolders, namesIn, stopFilesIn } from "../intake/inbox-folders.ts";
import type { InboxHold, JournalStore } from "../journal/store.ts";
import { removeOwn, writeOwn } from "../results/answers/files.ts";
import { stopAnswerName, stopAnswerText, type Progress } from "../results/answers/answers.ts";
import { rowsIn } from "../results/words/status.ts";

/** How often a STOP is looked for while rows are on their way: a network share tells of nothing. */
export const STOP_LOOK_MS = 500;

/** How far the batches that were cut off had got. undefined: none was. */
export async function sentSoFar(journal: JournalStore, batches: readonly string[]): Promise<Progress | undefined> {
  if (batches.length === 0) return undefined;
  let [sent, of] = [0, 0];
  const left: string[] = [];
  for (const batch of batches) {
    const tallies = await journal.tallies(batch);
    const gone = rowsIn(tallies, "accepted", "rejected", "unknown", "settled_done", "settled_not_done");
    sent += gone;
    const open = rowsIn(tallies, "ready", "sending", "not_sent");
    of += gone + open;
    if (open > 0) left.push(batch);
  }
  return { sent, of, left };
}

export async function answerStop(folder: string, hold: InboxHold, progress: Progress | undefined): Promise<void> {
  const path = join(folder, stopAnswerName(new Date(hold.at), progress));
  await clearStopAnswers(folder);
  await writeOwn(path, stopAnswerText(hold, progress, resumeCommand(folder)), 0o644).catch(() => undefined);
}

/** Removes only those that paydrop wrote. */
export async function clearStopAnswers(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) if (STOP_ANSWER.test(name)) await removeOwn(join(folder, name));
}

/** Takes every STOP out of an inbox. Throws the system's error where it has no right to. */
export async function removeStopFiles(folder: string): Promise<void> {
  for (const path of await stopFilesIn(await inboxFolders(folder))) await rm(path, { recursive: false });
}

const STOP_ANSWER = /^STOP - held .*\.txt$/;
