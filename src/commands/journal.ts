import { whoIs } from "../acts/open.ts";
import { copiesOf } from "../checks/open-kept.ts";
import { bytesOfKey, loadSettings } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { moveJournal } from "../postgres/move-journal.ts";
import { optionOf, say, summarize, type Call } from "./command.ts";

/** `journal copy`: the journal of the state folder goes to Postgres, with all that it knows, and sends nothing any more. */
export async function run(call: Call): Promise<number> {
  if (call.operands[0] !== "copy") throw new PaydropError("journal_copy_word", { example: "journal" });
  const { config } = loadSettings({ ...call, flags: { ...call.flags, journal_url: optionOf(call, "to") } });
  const { shared, state_dir: stateDir } = config;
  if (!shared) throw new PaydropError("word_missing", { option: "--to", example: "journal" });
  const target = { url: shared.url.reveal(), journalKey: bytesOfKey(shared.key) };
  const moved = await moveJournal(target, { stateDir, copiesOf, who: whoIs(config) });
  say(call, config, "journal_copied", { ...moved, folder: stateDir });
  return summarize(call, config, 0);
}
