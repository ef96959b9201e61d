import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { rowsIn } from "../amount.ts";
import { inboxFolders } from "../intake/inbox.ts";
import { inputName, isOperationFolder } from "../intake/names.ts";
import { identityOf } from "../intake/snapshot.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { answerLines } from "../results/answers.ts";
import { isRetryAsWritten } from "../results/place.ts";
import type { Desk } from "./desk.ts";

/** A file of an inbox that is no batch yet, or was refused, and what the answer beside it says. */
export interface WaitingFile {
  readonly name: string;
  readonly lines: readonly string[];
  readonly isRefused: boolean;
  /** When it came or was changed. */
  readonly since: number;
}

export type Inbox = Awaited<ReturnType<typeof lookedAt>>[number];

/** `waiting`: undefined where the folder is not on this machine, or cannot be read. */
export async function lookedAt(desk: Desk) {
  const [holds, folders] = [await desk.store.heldFolders(), await desk.store.folders()];
  const all = inboxesOf(desk, folders).map(async (inbox) => {
    const held = holds.find(({ folder }) => folder === inbox);
    // what paydrop stopped by itself, or by a file named STOP, nobody is named for
    const act =
      held?.reason === "desk_stop"
        ? (await desk.store.acts({ since: held.at })).find(({ kind, as }) => kind === "hold_folder" && as === inbox)
        : undefined;
    return { inbox, held: held && { ...held, by: act?.by }, waiting: await waitingIn(desk, inbox) };
  });
  return Promise.all(all);
}

/** Those that were named, and those that files were taken from: an operation's folder is part of one. */
export function inboxesOf({ inboxes }: Desk, folders: readonly string[]): readonly string[] {
  const known = folders.map((folder) => (isOperationFolder(basename(folder)) ? dirname(folder) : folder));
  return [...new Set([...inboxes, ...known])].sort();
}

const FILES_SHOWN = 50;
const LINES_SHOWN = 8;
const ANSWER = /\.(?:refused|waiting)\.txt$/;

async function waitingIn({ store }: Desk, inbox: string): Promise<readonly WaitingFile[] | undefined> {
  const waiting: WaitingFile[] = [];
  for (const folder of await inboxFolders(inbox)) {
    const names = await readdir(folder).catch(() => undefined);
    if (!names && folder === inbox) return undefined;
    const answers = new Set(names?.filter((name) => ANSWER.test(name)));
    for (const name of names ?? []) {
      if (waiting.length >= FILES_SHOWN) return waiting;
      const said = inputName(name);
      if (said.kind !== "input") continue;
      const path = join(folder, name);
      // one that nobody has corrected yet is no work
      if (said.isRetry && (await isRetryAsWritten(path))) continue;
      const stats = await lstat(path, { bigint: true }).catch(() => undefined);
      const answer = ["refused", "waiting"].map((kind) => `${name}.${kind}.txt`).find((one) => answers.has(one));
      const isRefused = answer === `${name}.refused.txt`;
      const batch = stats?.isFile() ? await store.sourceOf(path, identityOf(stats)) : undefined;
      // what is open of a batch is told with the batch; that its file was sent back is told of the file
      if (batch !== undefined && !(isRefused && (await isSentBack(store, batch)))) continue;
      if (answer === undefined && !stats?.isFile()) continue;
      const lines =
        answer === undefined
          ? [DESK_WORDS.not_looked_at]
          : (await answerLines(join(folder, answer))).slice(0, LINES_SHOWN);
      const shown = folder === inbox ? name : join(basename(folder), name);
      waiting.push({ name: shown, lines, isRefused, since: Number(stats?.ctimeMs ?? Date.now()) });
    }
  }
  return waiting;
}

async function isSentBack(store: Desk["store"], id: string): Promise<boolean> {
  const [batch] = await store.batches({ id });
  return batch?.phase === "cancelled" && rowsIn(batch.tallies, "accepted", "unknown", "settled_done", "rejected") === 0;
}
