import { resolve } from "node:path";
import { holdKeyOf, resumeCommand } from "../batch/held-folder.ts";
import { loadWithoutKeys } from "../config/load.ts";
import { PaydropError, messageOf } from "../errors.ts";
import { asWord } from "../printable.ts";
import { withProcessor } from "../processor.ts";
import type { Call } from "./command.ts";
import { clearStopAnswers, removeStopFiles, STOP_MESSAGE } from "../drop-folder/stop-file.ts";
import { tell } from "./tell.ts";
import { personNamed } from "./who.ts";

/**
 * An inbox that was held, by a file named STOP or because something unclear answered, goes on by a person's word. It
 * sends nothing itself: the watcher goes on, or the next run of the inbox.
 */
export async function resumeInbox(call: Call): Promise<number> {
  const config = loadWithoutKeys(call);
  const folder = resolve(String(call.flags["inbox"]));
  const by = personNamed(config, resumeCommand(folder));
  return withProcessor({ config }, "read", async ({ journal }) => {
    const key = await holdKeyOf(folder);
    const hold = await journal.inboxHold(key);
    const removed = await removeStop(folder);
    if (!hold && removed === 0) {
      throw new PaydropError(
        "usage",
        `${folder} is not held`,
        "name the folder as it was named to paydrop watch or run",
      );
    }
    if (hold) await journal.liftInboxHold(key, by);
    await clearStopAnswers(folder);
    const text = [
      `${folder} goes on, by ${by}. It was held: ${hold?.message ?? STOP_MESSAGE}`,
      `  → a watcher goes on by itself; without one: paydrop run --inbox ${asWord(folder)}`,
    ];
    tell(call, config, text.join("\n"), { type: "summary", inbox: folder, by, exit_code: 0 });
    return 0;
  });
}

/** First of all: a STOP that stays would hold the folder again at once. */
async function removeStop(folder: string): Promise<number> {
  try {
    return await removeStopFiles(folder);
  } catch (error) {
    const message = `the file STOP in ${folder} cannot be removed: ${messageOf(error)}`;
    throw new PaydropError("usage", message, "remove it, then say it again; the folder is still held");
  }
}
