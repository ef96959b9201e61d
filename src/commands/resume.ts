import { join, resolve } from "node:path";
import { holdsOf, resumeCommand } from "../batch/held-folder.ts";
import type { Config } from "../config/config.ts";
import { loadWithoutKeys } from "../config/load.ts";
import { clearStopAnswers, removeStopFiles } from "../drop-folder/stop-file.ts";
import { PaydropError, messageOf } from "../errors.ts";
import { inboxFolders, stopFilesIn } from "../intake/inbox-folders.ts";
import type { JournalStore } from "../journal/store.ts";
import { asWord } from "../text/printable.ts";
import { withProcessor } from "../processor.ts";
import { assertKnown, INBOX_MARK, markAt } from "../results/marks/found-mark.ts";
import type { Call } from "./command.ts";
import { Going, staysText } from "./release/going.ts";
import { assertUnchanged, leftIn } from "./release/left-in-folder.ts";
import { letGo, type Prepare } from "./release/let-go.ts";
import { makeReady, safeRows } from "./retry.ts";
import { tell } from "./screen/tell.ts";
import { personNamed, personOrLogin, textSaid } from "./who.ts";

/** A paused batch goes on: nothing else starts it again. Exit code as `run`. */
export async function run(call: Call): Promise<number> {
  if (call.flags["inbox"] !== undefined) return resumeInbox(call);
  return letGo(call, prepareResume);
}

const prepareResume: Prepare = async ({ call, config, journal, batch, isSending }) => {
  const who = personOrLogin(config);
  if (batch.phase === "cancelled") {
    throw new PaydropError(
      "usage",
      `batch ${batch.id} is cancelled: it does not go on`,
      "what was not sent stays unsent; put the rows that must go after all into a new file",
    );
  }
  const safe = await safeRows(journal, batch, ["ready", "not_sent", "rejected"], config);
  const { length } = safe.going.numbers;
  const stays = await staysText(journal, batch, safe.counts);
  const base = { act: "resume", by: who.by, code: 0 } as const;
  if (batch.phase === "open") {
    return {
      ...base,
      // where a resume was cut off, the batch is open already: whoever says it again must not take the rest for sent
      code: isSending && length > 0 ? 7 : 0,
      going: new Going(config.json),
      stays: [`Batch ${batch.id} is not paused; paydrop retry ${batch.id} sends what was not sent`],
    };
  }
  return {
    ...base,
    going: safe.going,
    stays: [...(length === 0 ? ["The batch is open again; nothing of it waits to be sent."] : []), ...stays],
    apply: async () => {
      await journal.setPhase(batch.id, "open", who.act("resume", textSaid(call.flags["reason"])));
      await makeReady(journal, batch, safe, { by: who.by, kind: "resume", note: `${length} rows` });
    },
  };
};

/**
 * An inbox that was held, by a file named STOP or by an unclear answer, goes on by a person's word. This sends nothing
 * itself: the watcher does, or the next run of the inbox.
 */
async function resumeInbox(call: Call): Promise<number> {
  const config = loadWithoutKeys(call);
  const folder = resolve(String(call.flags["inbox"]));
  const by = personNamed(config, resumeCommand(folder));
  return withProcessor({ config }, "read", async ({ journal }) => {
    const held = await holdsOf(journal, folder);
    const isHeld = held.length > 0;
    if (!isHeld) await assertNotOfAnother(folder, journal, config);
    if (!isHeld && (await stopFilesIn(await inboxFolders(folder))).length === 0) {
      throw new PaydropError(
        "usage",
        `${folder} is not held`,
        "name the folder as it was named to paydrop watch or run",
      );
    }
    const left = await leftIn(journal, [...new Set([folder, ...held.map((hold) => hold.folder)])], config);
    if (call.flags["as_taken"] !== true) await assertUnchanged(left);
    await removeStop(folder);
    // only now: a watcher that saw the STOP just before it was taken away has held the folder since
    const holds = await holdsOf(journal, folder);
    for (const hold of holds) await journal.liftInboxHold(hold.folder, by);
    await clearStopAnswers(folder);
    const text = [
      `${folder} goes on, by ${by}. ${holds[0] ? `It was held: ${holds[0].message}` : NOT_SEEN}`,
      ...left.map(({ text }) => `goes as it was taken: ${text}`),
      `  → a watcher goes on by itself; without one: paydrop run --inbox ${asWord(folder)}`,
    ];
    tell(call, config, text.join("\n"), { type: "summary", inbox: folder, by, exit_code: 0 });
    return 0;
  });
}

const NOT_SEEN = "The file named STOP was taken out of it; no paydrop had held it for that yet";

/** A folder that belongs to another journal is resumed there: its STOP stays where it is. */
async function assertNotOfAnother(folder: string, journal: JournalStore, { environment }: Config): Promise<void> {
  const found = await markAt(join(folder, INBOX_MARK));
  if (typeof found === "object") await assertKnown(found, { journal, environment, place: folder });
}

/** To be done first of all: a STOP that stays would hold the folder again at once. */
async function removeStop(folder: string): Promise<void> {
  try {
    await removeStopFiles(folder);
  } catch (error) {
    const message = `the file STOP in ${folder} cannot be removed: ${messageOf(error)}`;
    const hint = "remove it, then run this again; the folder is still held";
    throw new PaydropError("results_unwritable", message, hint, { cause: error });
  }
}
