import type { Committed, JournalStore, Outcome, Share } from "../../src/journal/store.ts";

/** A share that nobody claimed: SQLite's journal goes by its batch. */
export function bareShare(batch: string, more: Partial<Share> = {}): Share {
  const read = (): string => "{}";
  return {
    batch,
    lanes: 4,
    isProven: false,
    spool: { read },
    end: () => Promise.resolve(),
    leave: () => undefined,
    ...more,
  };
}

/** One commit of one batch. */
export async function commitTo(
  store: Pick<JournalStore, "commit">,
  batch: string,
  outcomes: readonly Outcome[],
  freeLanes: number,
): Promise<Committed> {
  const [committed] = await store.commit([{ share: bareShare(batch), outcomes, freeLanes }]);
  if (!committed) throw new Error("a commit has no answer");
  return committed;
}
