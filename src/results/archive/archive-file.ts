import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline as joined } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { PaydropError } from "../../errors.ts";
import type { BatchRecord, Tallies } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import type { Act, JournalStore } from "../../journal/store.ts";
import { makingFile } from "../disk/atomic.ts";

/** One batch as the archive keeps it; its rows follow it. */
interface BatchLine extends BatchRecord {
  readonly type: "batch";
  readonly tallies: Tallies;
  readonly history: readonly Act[];
}
interface RowLine extends RowRecord {
  readonly type: "row";
  readonly batch: string;
}
type ArchiveLine = BatchLine | RowLine;

/** What an archive file was found to hold of a batch. */
interface BatchKept {
  readonly batch: BatchRecord;
  readonly acts: number;
  readonly rows: number;
}

/**
 * Writes these batches, one JSON object per line, compressed, reads the file back from the disk, and gives what it
 * found in it. Throws PaydropError `results_unwritable`, and `journal` when it does not hold what was written.
 */
export async function writeArchive(
  path: string,
  batches: readonly BatchRecord[],
  journal: JournalStore,
): Promise<readonly BatchKept[]> {
  const hash = createHash("sha256");
  await writePacked(path, async function* () {
    for await (const text of textOf(batches, journal)) {
      hash.update(text);
      yield Buffer.from(text);
    }
  });
  const found = await readBack(path);
  if (found.sha256 !== hash.digest("hex")) throw notAsWritten(path);
  for (const { batch, rows } of found.batches) {
    if (rows !== batch.rows) throw notAsWritten(path);
  }
  return found.batches;
}

export function notAsWritten(path: string): PaydropError {
  return new PaydropError(
    "journal",
    `${path} does not hold what was written into it`,
    "check the disk; nothing was moved",
  );
}

/** The lines of an archive file, in order. Throws what zlib throws of a damaged one. */
export async function* archiveLines(path: string): AsyncGenerator<ArchiveLine> {
  for await (const line of linesOf(path)) yield JSON.parse(line) as ArchiveLine;
}

/** Compresses into a new file that is on stable storage, under its name, when this resolves. */
export async function writePacked(path: string, pieces: () => AsyncIterable<Buffer>): Promise<void> {
  await makingFile(path, 0o600, async (file) => {
    await pipeline(pieces, createGzip(), async (packed: AsyncIterable<Buffer>) => {
      for await (const piece of packed) await file.write(piece);
    });
    await file.finish();
    await file.publish();
  });
}

/** The bytes that were compressed. */
export function unpacked(path: string): AsyncIterable<Buffer> {
  const gunzip = createGunzip();
  // a failure is thrown to the reader of `gunzip`
  joined(createReadStream(path), gunzip, () => undefined);
  return gunzip;
}

async function* textOf(batches: readonly BatchRecord[], journal: JournalStore): AsyncGenerator<string> {
  for (const batch of batches) {
    const [tallies, history] = await Promise.all([journal.tallies(batch.id), journal.history(batch.id)]);
    yield lineOf({ type: "batch", ...batch, tallies, history });
    for await (const rows of journal.rows(batch.id)) {
      yield rows.map((row) => lineOf({ type: "row", batch: batch.id, ...row })).join("");
    }
  }
}

function lineOf(line: ArchiveLine): string {
  return `${JSON.stringify(line)}\n`;
}

async function readBack(path: string): Promise<{ readonly sha256: string; readonly batches: readonly BatchKept[] }> {
  const hash = createHash("sha256");
  const batches = new Map<string, { batch: BatchRecord; acts: number; rows: number }>();
  for await (const text of linesOf(path)) {
    hash.update(`${text}\n`);
    const line = JSON.parse(text) as ArchiveLine;
    if (line.type === "batch") batches.set(line.id, { batch: line, acts: line.history.length, rows: 0 });
    else {
      const of = batches.get(line.batch);
      if (of) of.rows += 1;
    }
  }
  return { sha256: hash.digest("hex"), batches: [...batches.values()] };
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let carried = "";
  for await (const piece of unpacked(path)) {
    const lines = (carried + decoder.decode(piece, { stream: true })).split("\n");
    carried = lines.pop() ?? "";
    yield* lines;
  }
}
