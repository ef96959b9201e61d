import { bytesOfKey } from "./config/load.ts";
import type { Config } from "./config/schema.ts";
import type { JournalStore } from "./journal/store.ts";
import type { Waiting } from "./postgres/sessions.ts";
import { openJournal, type JournalOptions } from "./sqlite/open.ts";

/**
 * The journal of these settings: that of several hosts (§13), whose parts are loaded only then, or that of the state
 * directory. \`isTrial\`: nothing that is written there stays; of the second kind the caller makes a copy.
 */
export async function openJournalOf(
  { state_dir, shared }: Pick<Config, "state_dir" | "shared">,
  options: JournalOptions & {
    readonly isTrial?: boolean;
    readonly rejectedFor?: readonly string[];
    readonly waiting?: Waiting;
  } = {},
): Promise<JournalStore> {
  const { isTrial = false, waiting, rejectedFor, ...opening } = options;
  if (!shared) return openJournal(state_dir, opening);
  const { openPostgres } = await import("./postgres/open.ts");
  const { isSender = false, lossAcceptedBy } = opening;
  const given = { url: shared.url.reveal(), journalKey: bytesOfKey(shared.key), stateDir: state_dir };
  return openPostgres({ ...given, isSender, isTrial, lossAcceptedBy, rejectedFor, waiting });
}
