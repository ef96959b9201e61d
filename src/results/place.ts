import { mkdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "../defined.ts";
import { PaydropError } from "../errors.ts";
import type { FileFormat } from "../format.ts";
import { onDisk, renameDurably } from "./on-disk.ts";
import { keepEdited, lookAtEarlier } from "./edited.ts";
import { nameOfBatch, outNames } from "./names.ts";
import {
  describeForeign,
  standingOfResults,
  standingOfRetry,
  retryOfSummary,
  standingOfSummary,
  type Standing,
} from "./own.ts";

/** What the journal remembers of files that paydrop wrote. */
export interface WrittenMemory {
  /** SHA-256 in hex of what was last written at a path; of results also of what was written there before (`noteOf`). */
  written(path: string): Promise<string | undefined>;
  noteWritten(path: string, sha256: string): Promise<void>;
}

/** Where the files out go, and what has to make way for them first. */
export interface Place {
  readonly results: string;
  readonly retry: string;
  readonly summary: string;
  /** Files of other batches, kept under their batch id. */
  readonly moves: readonly Move[];
  /** Results of this batch that a person has changed: kept under another name. */
  readonly edited: readonly string[];
  /** SHA-256 in hex of the results that are replaced. */
  readonly replaced?: string | undefined;
  /** Retry files of this batch that nobody has touched. */
  readonly staleRetries: readonly string[];
  /** What was put aside of this batch, and is not true any more once the new files have their names. */
  readonly outdated: readonly string[];
}

interface Move {
  readonly from: string;
  readonly to: string;
  /** What was noted of the file, to be noted for its new name too. */
  readonly sha256?: string;
}

/**
 * Looks and changes nothing. Throws `results_unwritable` where something stands in the way that is not ours.
 * `staysAside`: the file that lies there now may be another batch's; what was put aside for that one stays aside.
 */
export async function findPlace(
  folder: string,
  fileName: string,
  format: FileFormat,
  batchId: string,
  memory: WrittenMemory,
  staysAside = false,
): Promise<Place> {
  const names = outNames(fileName, format);
  const results = join(folder, names.results);
  const summary = join(folder, names.summary);
  const aside = await putAside([results, summary], format, batchId);
  const lookAtResults = (path: string): Promise<Standing> => noted(path, standingOfResults(path, format), memory);
  const moves: Move[] = [];
  for (const [path, look] of [
    [results, lookAtResults],
    [summary, standingOfSummary],
  ] as const) {
    const move = await makeWay(path, batchId, look);
    if (move) moves.push(move);
  }
  const written = async (path: string): Promise<string | undefined> =>
    (await memory.written(path)) ?? retryOfSummary(summary, path);
  const retry = await findRetry(join(folder, names.retry), format, batchId, written);
  if (staysAside && moves.length === 2 && aside.length === 2) {
    const retryAside = nameOfBatch(join(folder, names.retry), batchId);
    const standing = await standingOfRetry(retryAside, format, written);
    if (standing.kind !== "foreign") return placeAside(aside, retryAside, standing, memory);
  }
  const isOfAnother = moves.some(({ from }) => from === results);
  const earlier = isOfAnother ? {} : await lookAtEarlier(results, memory);
  const edited = earlier.isEdited ? [results] : [];
  for (const path of aside) if ((await lookAtEarlier(path, memory)).isEdited) edited.push(path);
  const all = { results, summary, ...retry, moves: [...moves, ...retry.moves], outdated: aside };
  return { ...all, edited, replaced: earlier.sha256 };
}

/** Written again where they were put aside: the names of the file are another batch's by now. */
async function placeAside(
  aside: readonly string[],
  retry: string,
  atRetry: Standing,
  memory: WrittenMemory,
): Promise<Place> {
  const [results = "", summary = ""] = aside;
  const { sha256: replaced, isEdited } = await lookAtEarlier(results, memory);
  const staleRetries = atRetry.kind === "ours" ? [retry] : [];
  const edited = isEdited ? [results] : [];
  return { results, summary, retry, moves: [], staleRetries, edited, replaced, outdated: [] };
}

/** With the SHA-256 that was noted of the file. */
async function noted(path: string, look: Promise<Standing>, memory: WrittenMemory): Promise<Standing> {
  const standing = await look;
  return standing.kind === "ours" ? defined({ ...standing, sha256: await memory.written(path) }) : standing;
}

/** In the state directory, for what cannot lie beside its input. */
export const FALLBACK_FOLDER = "results";

/** Where what cannot lie beside the input goes: a private folder for each batch. */
export async function fallbackPlace(
  fallbackFolder: string,
  batchId: string,
  fileName: string,
): Promise<{ readonly folder: string; readonly fileName: string }> {
  const folder = join(fallbackFolder, batchId);
  await onDisk(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  // the name that was too long beside the input would be too long here too
  return { folder, fileName: Buffer.byteLength(fileName) > 200 ? batchId : fileName };
}

/** Which of results and summary lie there under the batch's id. */
async function putAside([results, summary]: [string, string], format: FileFormat, batchId: string): Promise<string[]> {
  const aside = [nameOfBatch(results, batchId), nameOfBatch(summary, batchId)] as const;
  const standings = [await standingOfResults(aside[0], format), await standingOfSummary(aside[1])];
  return aside.filter((_, index) => {
    const standing = standings[index];
    return standing?.kind === "ours" && standing.batch === batchId;
  });
}

/**
 * Does what `findPlace` found to be necessary, just before the new files get their names. Gives under which name results
 * that a person changed are kept.
 */
export async function clearPlace(place: Place, memory: WrittenMemory): Promise<string | undefined> {
  for (const move of place.moves) await moveOut(move, memory);
  for (const path of place.staleRetries) await onDisk(path, () => unlink(path));
  const kept: string[] = [];
  for (const path of place.edited) kept.push(await keepEdited(path));
  return kept[0];
}

/** Only when the new files have their names: until then these are the only files on the batch. */
export async function removeOutdated({ outdated }: Place): Promise<void> {
  for (const path of outdated) await onDisk(path, () => unlink(path));
}

export async function moveOut({ from, to, sha256 }: Move, memory: WrittenMemory): Promise<void> {
  // Noted first: a watcher must never take our own file under its new name for a person's.
  if (sha256 !== undefined) await memory.noteWritten(to, sha256);
  await renameDurably(from, to);
}

type Look = (path: string) => Promise<Standing>;

/** `undefined`: free, or ours of the same batch and simply replaced. */
export async function makeWay(path: string, batchId: string, look: Look): Promise<Move | undefined> {
  const standing = await look(path);
  if (standing.kind === "foreign") throw inTheWay(path, standing.why);
  if (standing.kind === "free" || standing.batch === batchId) return undefined;
  return moveAside(path, standing, look);
}

async function moveAside(path: string, standing: Standing & { kind: "ours" }, look: Look): Promise<Move> {
  const to = nameOfBatch(path, standing.batch);
  const there = await look(to);
  if (there.kind === "foreign") throw inTheWay(to, there.why);
  return { from: path, to, ...(standing.sha256 === undefined ? {} : { sha256: standing.sha256 }) };
}

/** A retry file that a person is correcting stays where it is; ours then goes by its batch id. */
async function findRetry(
  usual: string,
  format: FileFormat,
  batchId: string,
  written: WrittenMemory["written"],
): Promise<Pick<Place, "retry" | "moves" | "staleRetries">> {
  const look: Look = (path) => standingOfRetry(path, format, written);
  const byBatch = nameOfBatch(usual, batchId);
  const [atUsual, atBatch] = [await look(usual), await look(byBatch)];
  const staleRetries = [
    ...(atUsual.kind === "ours" && atUsual.batch === batchId ? [usual] : []),
    ...(atBatch.kind === "ours" ? [byBatch] : []),
  ];
  if (atUsual.kind === "ours" && atUsual.batch !== batchId) {
    return { retry: usual, moves: [await moveAside(usual, atUsual, look)], staleRetries };
  }
  if (atUsual.kind !== "foreign") return { retry: usual, moves: [], staleRetries };
  if (atBatch.kind === "foreign") throw inTheWay(byBatch, atBatch.why);
  return { retry: byBatch, moves: [], staleRetries };
}

function inTheWay(path: string, why: string): PaydropError {
  return new PaydropError(
    "results_unwritable",
    describeForeign(path, why),
    "move it away or give it another name, then write the results again with paydrop results",
  );
}
