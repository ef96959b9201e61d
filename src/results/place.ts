import { createHash } from "node:crypto";
import { lstat, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { ExchangedFolder, inFolderOf, makePrivateFolder, readFound } from "../disk.ts";
import { FileRefusedError, messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { formatOfName, type FileFormat } from "../file-format.ts";
import { eachPiece, isTooLarge, openRegular, statsOf } from "../intake/snapshot.ts";
import { elsewhereText } from "../messages/results.ts";
import { printable } from "../printable.ts";
import { openTable } from "../reader/open-table.ts";
import { fallbackFolder } from "../state-dir.ts";
import { textOf } from "./table.ts";

export const OUT_KINDS = ["results", "retry", "summary"] as const;
export type OutPaths = Readonly<Record<(typeof OUT_KINDS)[number], string>>;

/**
 * `payroll.csv` gives `payroll.csv.results.csv`; tables of any delimiter become `.csv`. `name`: of each such path makes
 * another one.
 */
export function outPaths(
  file: string,
  format: FileFormat,
  retryFormat: FileFormat = format,
  name = (path: string): string => path,
): OutPaths {
  const extension = (of: FileFormat): string => (of === "jsonl" && /\.ndjson$/i.test(file) ? "ndjson" : of);
  return {
    results: name(`${file}.results.${extension(format)}`),
    retry: name(`${file}.retry.${extension(retryFormat)}`),
    summary: name(`${file}.summary.json`),
  };
}

/** `payroll.csv.results.csv` of an earlier batch is kept as `payroll.csv.results.K7Q29F3M.csv`. */
export function nameOfBatch(path: string, batchId: string): string {
  const point = path.lastIndexOf(".");
  return `${path.slice(0, point)}.${batchId}${path.slice(point)}`;
}

/** What a summary notes of the files beside it. */
export interface Noted {
  readonly batch: string;
  readonly files: Readonly<Partial<Record<string, string>>>;
}

/** Our own have no lists that grow with the rows. */
const SUMMARY_BYTES_MAX = 4 * 1024 * 1024;

/** undefined where nothing readable of ours is there. A summary is ours by its first key. */
export async function notedIn(summary: string): Promise<Noted | undefined> {
  try {
    const text = (await readFound(summary, SUMMARY_BYTES_MAX)) ?? "";
    const { paydrop, batch, files = {} } = JSON.parse(text) as Partial<Noted> & { paydrop: unknown };
    return typeof paydrop === "object" && typeof batch === "string" ? { batch, files } : undefined;
  } catch {
    return undefined;
  }
}

/** The batch that a file is of, if it is ours. */
type BatchOf = (path: string) => Promise<string | undefined>;

/** How a file of each kind is known as ours. `noted`: of the summaries beside it. */
export function marksOf(noted: readonly (Noted | undefined)[]): Readonly<Record<keyof OutPaths, BatchOf>> {
  return {
    // by its columns; edited by hand it still is ours, and nothing in it is read as truth
    async results(path) {
      const first = await firstRowOf(path);
      if (first?.has("result_row") && first.has("result_status")) return first.get("result_batch") || noted[0]?.batch;
    },
    // only as long as it is byte for byte what we wrote; otherwise a person is correcting it
    async retry(path) {
      const sha256 = await sha256Of(path, mayBeRetry);
      return noted.find((one) => one?.files["retry_sha256"] === sha256)?.batch;
    },
    summary: async (path) => (await notedIn(path))?.batch,
  };
}

/** Whether a retry file is byte for byte what was written. A later batch moves it under its id before its summary. */
export async function isRetryAsWritten(path: string): Promise<boolean> {
  const [, file = "", id = ""] = /^(.+)\.retry(\.[0-9a-z]{1,32})?\.[a-z]+$/is.exec(path) ?? [];
  const noted = await Promise.all([`${file}.summary.json`, `${file}.summary${id}.json`].map(notedIn));
  const batch = await marksOf(noted)
    .retry(path)
    .catch(() => undefined);
  return batch !== undefined;
}

/** The first row by column name, empty where only the header can be read; undefined where not even that. */
async function firstRowOf(path: string): Promise<ReadonlyMap<string, string> | undefined> {
  let names: readonly string[] | undefined;
  try {
    const table = await openTable(path, basename(path));
    names = table.header;
    for await (const [row] of table.rows()) {
      if (row) return new Map(row.columns.map((name, index) => [name, textOf(row.cells[index] ?? "")]));
    }
  } catch (thrown) {
    if (!(thrown instanceof FileRefusedError)) throw thrown;
  }
  return names && new Map(names.map((name) => [name, ""]));
}

/** No retry file of ours has such bytes, and what is behind them may be holes without end. */
function mayBeRetry(piece: Buffer, path: string, sizeBytes: bigint): boolean {
  return formatOfName(path) === "xlsx" ? !isTooLarge(path, piece, sizeBytes) : !piece.includes(0);
}

/** In lower-case hex; empty where `isRead` says no of what was read. */
export async function sha256Of(path: string, isRead?: typeof mayBeRetry): Promise<string> {
  const hash = createHash("sha256");
  await using file = await openRegular(path);
  const { size } = await statsOf(file, path);
  let isWhole = true as boolean;
  await eachPiece(file, path, size, (piece) => {
    hash.update(piece);
    return (isWhole = isRead?.(piece, path, size) ?? true);
  });
  return isWhole ? hash.digest("hex") : "";
}

/** What has a name that is about to be written, and is not ours. */
export const FOREIGN = "";

/** Whose file has the name: undefined where nothing has it, else a batch's, or `FOREIGN`. */
export async function batchAt(path: string, batchOf: BatchOf): Promise<string | undefined> {
  const stats = await lstat(path).catch((thrown: unknown) => {
    if (systemCodeOf(thrown) !== "ENOENT") throw thrown;
  });
  if (!stats) return undefined;
  const batch = stats.isFile() ? await batchOf(path) : undefined;
  // it goes into a file name, so it must look like one
  return batch !== undefined && /^[0-9A-Za-z]{1,32}$/.test(batch) ? batch : FOREIGN;
}

/**
 * Makes `path` free for a file of the batch: an earlier batch's file goes under its id. Throws `in_the_way` for what is
 * not ours.
 */
export async function makeWay(path: string, batchId: string, batchOf: BatchOf): Promise<void> {
  const ownBatchAt = async (at: string): Promise<string | undefined> => {
    const batch = await batchAt(at, batchOf);
    if (batch === FOREIGN) throw new PaydropError("in_the_way", { name: printable(basename(at)) });
    return batch;
  };
  const batch = await ownBatchAt(path);
  if (batch === undefined || batch === batchId) return;
  const kept = nameOfBatch(path, batch);
  await ownBatchAt(kept);
  await rename(path, kept);
}

/**
 * Writes beside `file` or, where that cannot be, into the state directory: `write` gets the path that its names begin
 * with, and why it is not the file's own. Throws PaydropError `results_unwritable` only when neither can be written.
 */
export async function besideOrElsewhere<T>(
  file: string,
  batchId: string,
  stateDir: string,
  write: (file: string, shown: string, elsewhere?: string) => Promise<T>,
): Promise<T> {
  // what the disk refuses becomes a sentence
  const refused = (thrown: unknown): unknown => {
    if (thrown instanceof ExchangedFolder)
      return new PaydropError("folder_exchanged", { name: printable(basename(file)) });
    const code = systemCodeOf(thrown);
    if (thrown instanceof PaydropError || code === undefined) return thrown;
    const facts = { name: printable(basename(file)), code, found: printable(messageOf(thrown)) };
    return new PaydropError("unwritable", facts, { cause: thrown });
  };
  try {
    return await inFolderOf(file, (held) => write(held, file));
  } catch (thrown) {
    const why = refused(thrown);
    if (!(why instanceof PaydropError) || why.code !== "results_unwritable") throw why;
    const folder = elsewhereOf(batchId, stateDir);
    try {
      makePrivateFolder(folder);
      const there = join(folder, basename(file));
      return await write(there, there, elsewhereText(why.message, folder));
    } catch (again) {
      throw refused(again);
    }
  }
}

/** Where the files of a batch lie when their own folder cannot be written. */
export function elsewhereOf(batchId: string, stateDir: string): string {
  return join(fallbackFolder(stateDir), batchId);
}
