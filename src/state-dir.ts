import { join } from "node:path";

/** What lies where in the state directory (0700, files 0600). */
export const journalPath = (stateDir: string): string => join(stateDir, "journal.db");
export const lockPath = (stateDir: string): string => join(stateDir, "lock.db");
/** Held while rows are judged (I14). */
export const judgingPath = (stateDir: string): string => join(stateDir, "judging.db");
/** Of a process that waits for the server of a shared journal: since when. */
export const serverGonePath = (stateDir: string): string => join(stateDir, "server-gone.json");
/** Room that is freed on a full disk, so that outcomes in flight are saved. */
export const ballastPath = (stateDir: string): string => join(stateDir, "ballast");
/** I7: the immutable copy of an input file, by its hash; the copy of a mapping's lookup tables lies beside it. */
export const snapshotPath = (stateDir: string, sha256: string): string => join(stateDir, "snapshots", sha256);
/** The payloads of a batch's valid rows, one line each in row order. */
export const spoolPath = (stateDir: string, batch: string): string => join(stateDir, "snapshots", `${batch}.spool`);
/** Results that cannot be written beside their file. */
export const fallbackFolder = (stateDir: string): string => join(stateDir, "results");
/** What the server of a shared journal has confirmed to a process: one file each. */
export const witnessName = (stateId: string, process: string): string => `witness.${stateId}.${process}`;
