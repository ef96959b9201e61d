import { chmodSync } from "node:fs";
import { join } from "node:path";
import { keepBallast } from "./database/ballast.ts";
import { noteClosed } from "./database/boot.ts";
import { asJournalError } from "./commit-group.ts";
import { actCalls } from "./calls/acts.ts";
import { archiveCalls } from "./calls/archives.ts";
import { attemptCalls } from "./calls/attempts.ts";
import { batchCalls } from "./calls/batches.ts";
import { placeCalls } from "./calls/places.ts";
import { readIdentity } from "./database/identity.ts";
import { PaymentKeys } from "./duplicates/keys.ts";
import { Meta, META_KEY } from "./meta.ts";
import { readFailure, isJournalThere, openJournalFile, type OpenOptions } from "./database/open.ts";
import { type JudgeOf, type Parts, partsOf, type PartsInput } from "./parts.ts";
import type { JournalStore } from "../store.ts";

export interface JournalOptions extends OpenOptions {
  /** Room is kept on the disk for the last outcomes, should it be full. */
  readonly keepsBallast?: boolean;
}

/** Opens the journal of a state directory; makes it when there is none. */
export function openSqliteJournal(
  stateDir: string,
  judgeOf: JudgeOf,
  now: () => number = Date.now,
  options: JournalOptions = {},
): JournalStore {
  const { keepsBallast = false, isChecked = false } = options;
  const ballast = keepsBallast ? keepBallast(stateDir) : undefined;
  const database = openJournalFile(stateDir, options);
  try {
    const { stateId, hashKey } = readIdentity(database);
    for (const suffix of ["-wal", "-shm"]) makeFilePrivate(join(stateDir, `journal.db${suffix}`));
    const parts = partsOf({ database, stateId, judgeOf, keys: new PaymentKeys(hashKey), now, ballast });
    return journalOf(stateId, parts, isChecked ? () => noteClosed(database) : undefined);
  } catch (error) {
    // not `readFailure`: the file could be opened a moment ago, so what fails now is the journal
    database.close();
    throw asJournalError(error);
  }
}

/**
 * A journal to throw away, in a directory of its own, that knows what the journal of `stateDir` has seen and changes
 * nothing there: what a check works on.
 */
export function openScratchJournal(
  scratchDir: string,
  stateDir: string,
  judgeOf: JudgeOf,
  now: () => number = Date.now,
): JournalStore {
  const database = openJournalFile(scratchDir);
  // nothing in it has to survive, and what is written must not hold up whoever reads
  database.exec("PRAGMA synchronous = OFF;");
  const scratch = { database, stateId: "", judgeOf, now };
  const opened = (more: Pick<PartsInput, "keys" | "past">): JournalStore =>
    journalOf("", partsOf({ ...scratch, ...more }));
  const path = join(stateDir, "journal.db");
  if (!isJournalThere(stateDir)) return opened({ keys: new PaymentKeys(readIdentity(database).hashKey) });
  try {
    database.exec(`ATTACH 'file:${encodeURI(path).replaceAll("'", "%27")}?mode=ro' AS past`);
    const hashKey = new Meta(database, "past").get(META_KEY.hashKey) as Uint8Array;
    return opened({ keys: new PaymentKeys(hashKey), past: "past" });
  } catch (error) {
    database.close();
    throw readFailure(stateDir, error);
  }
}

/** `JournalStore` on one SQLite file. `last`: what is written last of all, if everything before it was. */
function journalOf(stateId: string, parts: Parts, last?: () => void): JournalStore {
  return {
    stateId,
    ...batchCalls(parts),
    ...attemptCalls(parts),
    ...actCalls(parts),
    ...archiveCalls(parts),
    ...placeCalls(parts),
    async close() {
      if (last && parts.database.isOpen) await parts.group.run(last).catch(() => undefined);
      await parts.group.settled();
      if (parts.database.isOpen) parts.database.close();
    },
  };
}

function makeFilePrivate(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch {
    // there is none yet; SQLite gives it the mode of the journal itself
  }
}
