import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf, PaydropError } from "../errors.ts";
import { stopFilesIn } from "../intake/inbox.ts";
import { printable } from "../printable.ts";
import { answerStop, putAnswer } from "../results/answers.ts";
import { actBy, type Acted, type Named, type Open } from "./act.ts";

interface Values {
  /** The folder, from the root. */
  readonly inbox: string;
}

/** Nothing new goes from the folder until `resumeInbox`. */
export async function stopInbox(open: Open, who: Named, { inbox }: Values): Promise<Acted> {
  await open.store.holdFolder(inbox, "desk_stop", actBy(open, who, "hold_folder"));
  return { found: [{ code: "folder_stopped", facts: { folder: printable(inbox) } }], code: 0 };
}

/** What a STOP, or an unclear answer, held goes on: by the watcher of the folder, or its next run. */
export async function resumeInbox(open: Open, who: Named, { inbox }: Values): Promise<Acted> {
  const { store } = open;
  const folder = printable(inbox);
  const stops = await stopFilesIn(inbox);
  const isHeld = (await store.heldFolders()).some((held) => held.folder === inbox);
  if (!isHeld && stops.length === 0) throw new PaydropError("folder_not_held", { folder });
  // first of all: a STOP that stays would hold the folder again at once
  for (const stop of stops) {
    await rm(stop).catch((cause: unknown) => {
      throw new PaydropError("stop_stays", { path: printable(stop), found: messageOf(cause) }, { cause });
    });
  }
  await store.holdFolder(inbox, undefined, actBy(open, who, "resume_folder"));
  await answerStop(inbox);
  const facts = { folder, by: who.by, file: inbox };
  return { found: [{ code: "folder_resumed", facts }], code: 0 };
}

/** Refused files lie there, so that the inbox holds what is to go. */
const AWAY = "put away";

/** A refused file goes into a folder of its own beside the others; nothing of it is lost. `name`: from the inbox on. */
export async function putAway(
  open: Open,
  who: Named,
  { inbox, name }: Values & { readonly name: string },
): Promise<Acted> {
  const from = join(inbox, name);
  const folder = join(dirname(from), AWAY);
  const at = open.store.now();
  const [plain, stamped] = [join(folder, basename(from)), join(folder, `${at} ${basename(from)}`)];
  try {
    await mkdir(folder, { recursive: true });
    const isTaken = await lstat(plain).then(
      () => true,
      () => false,
    );
    await rename(from, isTaken ? stamped : plain);
  } catch (cause) {
    throw new PaydropError("not_put_away", { name: printable(name), found: messageOf(cause) }, { cause });
  }
  await putAnswer(from, undefined);
  const shown = printable(name, 200);
  await open.store.keep(
    "upload",
    `away ${from}`,
    undefined,
    actBy(open, who, "put_away_file", { as: shown, note: printable(folder) }),
  );
  return { found: [{ code: "put_away", facts: { name: shown, folder: AWAY } }], code: 0 };
}
