import { hostname } from "node:os";
import { openSpool } from "../checks/spool.ts";
import { spoolPath } from "../state-dir.ts";
import type { CommitOfBatch } from "./shares.ts";
import type { Committed, Hosts, JournalStore, Progress, Share } from "../journal/store.ts";

/** What the thread of the journal does of it. */
export interface SharesOfJournal {
  claimable(batch: string): Promise<boolean>;
  commit(all: readonly CommitOfBatch[]): Promise<Committed[]>;
  progress(batch: string): Promise<Omit<Progress, "held">>;
}

/** Shares where the instance lock (I9) keeps other processes away: each batch is one, which this process takes once. */
export function sharesOfOneHost(
  stateDir: string,
  journal: SharesOfJournal,
): Pick<JournalStore, "claim" | "commit" | "progress" | "stop"> {
  const held = new Set<string>();
  const take = async (batch: string, lanes: number): Promise<Share | undefined> => {
    if (!(await journal.claimable(batch))) return undefined;
    const spool = openSpool(spoolPath(stateDir, batch));
    const leave = (): void => {
      spool.close();
      held.delete(batch);
    };
    const end = (): Promise<void> => Promise.try(leave);
    return { batch, lanes, isProven: false, spool, leave, end };
  };
  return {
    async claim({ batch, lanes }) {
      if (held.has(batch)) return undefined;
      held.add(batch);
      const share = await take(batch, lanes).catch((error: unknown) => {
        held.delete(batch);
        throw error;
      });
      if (!share) held.delete(batch);
      return share;
    },
    commit: (all) => journal.commit(all.map(({ share: { batch }, ...asked }) => ({ batch, ...asked }))),
    progress: async (batch) => ({ ...(await journal.progress(batch)), held: Number(held.has(batch)) }),
    // whoever asks for it is the only one who sends, and claims no more
    stop: () => Promise.resolve(),
  };
}

/** Nobody else is there to share anything with. */
export const ONE_HOST: Hosts = {
  me: `${hostname()}:${process.pid}`,
  keepCopies: () => Promise.resolve(),
  bringCopy: () => Promise.resolve(),
  lease: () => Promise.resolve(true),
  holds: () => true,
  giveBack: () => Promise.resolve(),
  quietIn: () => Promise.resolve(0),
  loss: () => Promise.resolve(undefined),
  waitsFor: () => Promise.resolve([]),
  clockApart: undefined,
  all: () => Promise.resolve([]),
};
