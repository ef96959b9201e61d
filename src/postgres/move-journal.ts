import { existsSync } from "node:fs";
import { PaydropError } from "../errors.ts";
import { journalPath } from "../state-dir.ts";
import { Seal } from "./copies.ts";
import { takeInstanceLock } from "../sqlite/lock.ts";
import { assertCopied, copyAll, type Source } from "./move-rows.ts";
import { openJournal } from "../sqlite/open.ts";
import { identityOf, isMade, makeTables, sealedSecret, serverIn } from "./open.ts";
import { checkServer } from "./same-server.ts";
import { Postgres } from "./postgres.ts";
import { MOVED, readIdentity, type Moved } from "../sqlite/schema.ts";
import { batches } from "../sqlite/batches.ts";
import { Journal } from "../sqlite/store.ts";
import type { Who } from "../journal/store.ts";

interface Target {
  readonly url: string;
  /** `PAYDROP_JOURNAL_KEY`: 32 bytes. */
  readonly journalKey: Buffer;
}

/**
 * Moves the journal of a state directory to an empty one in Postgres (README §13). Its payments are known again there, and
 * the marks of its folders stay valid. First the old one says that it is being moved: nothing goes by it from then on. Then
 * the copy is one transaction, and then the old one says that it was moved. Cut off at any point, no more than one of the
 * two lets rows go, and the move is done once more.
 */
export async function moveJournal({ url, journalKey }: Target, from: Omit<Source, "journal"> & { readonly who: Who }) {
  const { stateDir } = from;
  if (!existsSync(journalPath(stateDir))) throw new PaydropError("journal_none", { folder: stateDir });
  const lock = takeInstanceLock(stateDir);
  try {
    // what an ended process left gets its end: nothing is on its way, and nothing half written down (I4)
    const store = await openJournal(stateDir, { isSender: true, isMoving: true });
    await store.recover(from.who).finally(() => store.close());
    const journal = new Journal(stateDir, { isMoving: true });
    const postgres = await Postgres.open({ url });
    try {
      await moveTo(new Copy(postgres, new Seal(journalKey), serverIn(url)), { ...from, journal });
      const all = batches(journal, {});
      return { to: serverIn(url), batches: all.length, rows: all.reduce((sum, { rows }) => sum + rows, 0) };
    } finally {
      await postgres.close();
      journal.database.close();
    }
  } finally {
    lock.release();
  }
}

async function moveTo(copy: Copy, from: Source): Promise<void> {
  const { journal, stateDir: folder } = from;
  const { to } = copy;
  const found = journal.get(MOVED);
  const begun = found && (JSON.parse(String(found["value"])) as Moved);
  if (begun && (begun.isOver || begun.to !== to)) {
    const at = new Date(begun.at).toISOString();
    throw new PaydropError(begun.isOver ? "journal_moved" : "journal_moving", { folder, to: begun.to, at });
  }
  const note = ({ isOver }: Pick<Moved, "isOver">): void => {
    const value = JSON.stringify({ to, at: Date.now(), isOver } satisfies Moved);
    journal.write(() => journal.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('moved', ?)", value));
  };
  await checkServer(copy.postgres);
  // an earlier move may have come to its end there, and the answer was lost
  if (!begun || !(await copy.isThere(from))) {
    if (!begun) await copy.postgres.write(() => copy.assertFree());
    note({ isOver: false });
    try {
      await copy.make(from);
    } catch (error) {
      const isThere = await copy.isThere(from).catch(() => true);
      if (!isThere) journal.write(() => journal.run("DELETE FROM meta WHERE key = 'moved'"));
      throw error;
    }
  }
  note({ isOver: true });
}

/** The new journal. */
class Copy {
  readonly postgres: Postgres;
  readonly #seal: Seal;
  /** Its server and database. */
  readonly to: string;

  constructor(postgres: Postgres, seal: Seal, to: string) {
    this.postgres = postgres;
    this.#seal = seal;
    this.to = to;
  }

  /** One that is being made is waited for. */
  isThere({ journal }: Source): Promise<boolean> {
    const { postgres } = this;
    return postgres.write(async () => {
      if (!(await isMade(postgres, { isToWait: true }))) return false;
      const { stateId } = await identityOf(postgres, this.#seal, this.to);
      return stateId === readIdentity(journal.database).stateId;
    });
  }

  /**
   * Of tables that were made before. Who begins to work with them says that it is present before it reads their secret: such
   * a process is seen here, or waits for the new one. In a transaction.
   */
  async assertFree(): Promise<void> {
    const { postgres, to } = this;
    if (!(await isMade(postgres, { isToWait: true }))) return;
    await postgres.query("LOCK TABLE meta, host IN ACCESS EXCLUSIVE MODE");
    await identityOf(postgres, this.#seal, to);
    const filled = ["batch", "act", "run", "source", "hold", "kept"].map((table) => `EXISTS (SELECT 1 FROM ${table})`);
    if (await postgres.get(`SELECT 1 WHERE ${filled.join(" OR ")}`))
      throw new PaydropError("journal_not_empty", { to });
    const present = "SELECT 1 FROM host WHERE seenAt > clock_timestamp() - interval '1 minute'";
    if (await postgres.get(present)) throw new PaydropError("journal_in_use", { to });
  }

  async make(from: Source): Promise<void> {
    const { postgres } = this;
    const secret = Buffer.from(readIdentity(from.journal.database).keySecret, "hex");
    await postgres.write(async () => {
      await this.assertFree();
      await makeTables(postgres, this.#seal, secret);
      const { keySecret } = sealedSecret(this.#seal, secret);
      await postgres.query("UPDATE meta SET value = $1 WHERE key = 'keySecret'", keySecret);
      await copyAll(from, postgres, this.#seal);
      await assertCopied(from, postgres, this.to);
    });
  }
}
