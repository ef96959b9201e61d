import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, PaydropError } from "../errors.ts";
import { stopFilesIn } from "../intake/inbox.ts";
import { ACTED } from "../messages/acts.ts";
import { FOLDER_RESUMED } from "../messages/intake.ts";
import { told } from "../messages/sentence.ts";
import { wake } from "../submission/again.ts";
import { asWord, printable } from "../printable.ts";
import { answerStop } from "../results/answers.ts";
import { loadSettings } from "../config/load.ts";
import { personNamed, summarize, textSaid } from "./acting.ts";
import { openWork } from "./open-work.ts";
import { resumeCommand } from "./folder-work.ts";
import { optionOf, type Call } from "./command.ts";
import { letGo } from "./letting-go.ts";

/** A batch goes on, paused or not, with what its file would send again; `--inbox`: a folder after a STOP. */
export async function run(call: Call): Promise<number> {
  const inbox = optionOf(call, "inbox");
  if (inbox !== undefined) return resumeInbox(call, inbox);
  return letGo(call, async ({ config, work, batch, act }) => {
    const { store, now } = work;
    const note = textSaid(call, "reason");
    const word = act("resume", note === undefined ? {} : { note });
    if (batch.phase === "paused") await store.setBatch(batch.id, { phase: "open" }, word);
    await wake(store, batch.id, "run", { act: word, now: now(), rules: config });
    const waits = await store.rows({ batch: batch.id, states: ["ready"] });
    const rows = waits.filter(({ onItsWay }) => !onItsWay).map(({ row }) => row);
    const none = told(ACTED.none_waits, { batch: batch.id }).text;
    return { rows, stays: rows.length === 0 ? [none] : [] };
  });
}

/**
 * `--inbox DIR --by NAME`: what a STOP, or an unclear answer, held goes on. Nothing is sent by it: the watcher of the
 * folder goes on, or its next run.
 */
async function resumeInbox(call: Call, inbox: string): Promise<number> {
  const { config } = loadSettings(call);
  const by = personNamed(config, resumeCommand(inbox));
  const work = await openWork(config, undefined, "act");
  const { store, who } = work;
  const path = resolve(inbox);
  const folder = printable(path);
  try {
    const stops = await stopFilesIn(path);
    const isHeld = (await store.heldFolders()).some((held) => held.folder === path);
    if (!isHeld && stops.length === 0) throw new PaydropError("folder_not_held", { folder });
    // first of all: a STOP that stays would hold the folder again at once
    for (const stop of stops) {
      await rm(stop).catch((cause: unknown) => {
        throw new PaydropError("stop_stays", { path: printable(stop), found: messageOf(cause) }, { cause });
      });
    }
    await store.holdFolder(path, undefined, { ...who, at: work.now(), kind: "resume_folder" });
    await answerStop(path, undefined);
    const { text, todo } = told(FOLDER_RESUMED, { folder, by, command: `paydrop run ${asWord(path)}` });
    if (!config.json && !config.quiet) call.stdout.write(`${text}\n  → ${todo}\n`);
    return summarize(call, config, 0, { inbox });
  } finally {
    await work.close();
  }
}
