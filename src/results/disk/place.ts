import { lstat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "../../defined.ts";
import type { FileFormat } from "../../format.ts";
import { isEdited, keepEdited } from "./edited.ts";
import { inTheWay, makeWay, moveAside, moveOut, type Look, type Move } from "./make-way.ts";
import { nameOfBatch, outNames } from "../names.ts";
import { onDisk } from "./on-disk.ts";
import { standingOfResults, standingOfRetry, standingOfSummary, type Standing, type WrittenMemory } from "./own.ts";

/** Where the files out go, and what has to make way for them first. */
export interface Place {
  readonly results: string;
  readonly retry: string;
  readonly summary: string;
  /** Files of other batches, kept under their batch id. */
  readonly moves: readonly Move[];
  /** Results of this batch that a person has changed: kept under another name. */
  readonly edited: readonly string[];
  /** Retry files of this batch that nobody has touched. */
  readonly staleRetries: readonly string[];
  /** What was put aside of this batch, and is not true any more once the new files have their names. */
  readonly outdated: readonly string[];
}

/** Whose files out are written, and beside which file. */
interface Target {
  readonly folder: string;
  /** The file name that the names of the files out begin with. */
  readonly fileName: string;
  readonly format: FileFormat;
  readonly batchId: string;
  /** The file that lies there now may be another batch's: what was put aside of this batch stays aside. */
  readonly staysAside: boolean;
}

/** Looks and changes nothing. Throws `results_unwritable` where something stands in the way that is not ours. */
export async function findPlace(target: Target, memory: WrittenMemory): Promise<Place> {
  const { folder, fileName, format, batchId, staysAside } = target;
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
  const lookAtRetry: Look = (path) => standingOfRetry(path, format, memory);
  const retry = await findRetry(join(folder, names.retry), batchId, lookAtRetry);
  if (staysAside && moves.length === 2 && aside.length === 2) {
    const retryAside = nameOfBatch(join(folder, names.retry), batchId);
    const standing = await lookAtRetry(retryAside);
    if (standing.kind !== "foreign") return placeAside(aside, retryAside, standing, memory);
  }
  const isOfAnother = moves.some(({ from }) => from === results);
  const edited: string[] = [];
  for (const path of isOfAnother ? aside : [results, ...aside]) if (await isEdited(path, memory)) edited.push(path);
  return { results, summary, ...retry, moves: [...moves, ...retry.moves], outdated: aside, edited };
}

/**
 * What lies at the names that are about to be written, to be compared with a later look: a large file takes its time,
 * and meanwhile another process may write the results of another batch there, or finance may save a note into them. Of
 * a summary only its batch is compared: while rows go it is written every second.
 */
export async function lookOfPlace({ folder, fileName, format, batchId, staysAside }: Target): Promise<string> {
  const names = outNames(fileName, format);
  const usual = [join(folder, names.results), join(folder, names.retry)];
  const paths = staysAside ? [...usual, ...usual.map((path) => nameOfBatch(path, batchId))] : usual;
  const stats = paths.map((path) => lstat(path, { bigint: true }).catch(() => undefined));
  const looks = (await Promise.all(stats)).map((one) => one && [one.dev, one.ino, one.size, one.mtimeNs].join(" "));
  return JSON.stringify([await standingOfSummary(join(folder, names.summary)), ...looks]);
}

/**
 * The place of results that are written again where they were put aside: the file's names are another batch's by now.
 */
async function placeAside(
  aside: readonly string[],
  retry: string,
  atRetry: Standing,
  memory: WrittenMemory,
): Promise<Place> {
  const [results = "", summary = ""] = aside;
  const staleRetries = atRetry.kind === "ours" ? [retry] : [];
  const edited = (await isEdited(results, memory)) ? [results] : [];
  return { results, summary, retry, moves: [], staleRetries, edited, outdated: [] };
}

/** What stands at `path`, with the SHA-256 that was noted of it. */
async function noted(path: string, look: Promise<Standing>, memory: WrittenMemory): Promise<Standing> {
  const standing = await look;
  return standing.kind === "ours" ? defined({ ...standing, sha256: await memory.written(path) }) : standing;
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

/**
 * To be called only when the new files have their names: until then the outdated ones are all that tells of the batch.
 */
export async function removeOutdated({ outdated }: Place): Promise<void> {
  for (const path of outdated) await onDisk(path, () => unlink(path));
}

/** A retry file that a person is correcting stays where it is; ours then goes by its batch id. */
async function findRetry(
  usual: string,
  batchId: string,
  look: Look,
): Promise<Pick<Place, "retry" | "moves" | "staleRetries">> {
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
