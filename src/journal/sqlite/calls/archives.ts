import type { ArchiveCalls } from "../../archive-calls.ts";
import type { Parts } from "../parts.ts";

/** Old batches out of the journal and back, without forgetting what was sent. */
export function archiveCalls({ archives, batches, group, history, now, read }: Parts): ArchiveCalls {
  return {
    resting: (beforeMs) => read(() => archives.resting(beforeMs)),

    moveOut: (batchId, file, acts, act) =>
      group.run(() => {
        const isOut = archives.moveOut(batches.seqOf(batchId), file, acts);
        if (isOut) history.add(batchId, act, now());
        return isOut;
      }),

    putBack: (batchId, rows) => group.run(() => archives.putBack(batches.seqOf(batchId), rows)),

    moveIn: (batchId, act) =>
      group.run(() => {
        archives.moveIn(batches.seqOf(batchId));
        history.add(batchId, act, now());
      }),
  };
}
