import type { Parts } from "../parts.ts";
import type { PlaceCalls } from "../../place-calls.ts";

/** What the journal remembers of addresses, folders and files: marks (I12), held inboxes, what it took and wrote. */
export function placeCalls(parts: Parts): PlaceCalls {
  const { addresses, files, group, holds, laidBefore, lockHolders, marks, now, read } = parts;
  return {
    environmentAt: (destination) => read(() => addresses.environmentAt(destination)),
    setEnvironmentAt: (destination, environment) => group.run(() => addresses.set(destination, environment)),

    lockHolder: () => read(() => lockHolders.last()),
    setLockHolder: (holder) => group.run(() => lockHolders.set(holder)),

    mark: () => read(() => marks.now()),
    knows: (mark, place) => read(() => marks.knows(mark, place)),
    acceptLoss: (mark, place) => group.run(() => marks.accept(mark, place)),

    inboxHolds: () => read(() => holds.all()),
    holdInbox: (folder, hold) => group.run(() => holds.set(folder, hold)),
    liftInboxHold: (folder, by) => group.run(() => holds.lift(folder, by, now())),

    sourceBatch: (path, identity) => read(() => files.sourceBatch(path, identity)),
    sourceRenumbered: (path, sizeAndTime, changedMs) =>
      read(() => files.sourceRenumbered(path, sizeAndTime, changedMs)),
    sourcesOf: (batchId) => read(() => files.sourcesOf(batchId)),
    laidBefore: (file) => read(() => laidBefore.of(file)),
    noteSource: (path, identity, batchId) => group.run(() => files.noteSource(path, identity, batchId)),
    written: (path) => read(() => files.written(path)),
    wrote: (sha256) => read(() => files.wrote(sha256)),
    noteWritten: (path, sha256) => group.run(() => files.noteWritten(path, sha256)),
  };
}
