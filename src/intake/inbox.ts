import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, readdir, readlink, realpath, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PaydropError, systemCodeOf } from "../errors.ts";
import { binaryOfBytes, type FileFormat } from "../file-format.ts";
import type { Fault } from "../messages/sentence.ts";
import { OPERATIONS } from "../operations/index.ts";
import { inputName, isOperationFolder, isStopName } from "./names.ts";
import { eachPiece, isTooLarge, isUnchanged, kindOf, openRegular, statsOf } from "./snapshot.ts";

export interface FoundFile {
  readonly path: string;
  readonly stats: BigIntStats;
  /** undefined: nothing of it is read. */
  readonly format?: FileFormat;
  /** Why it is never taken. */
  readonly fault?: Fault;
  readonly isRetry?: boolean;
  /** Where it really lies: through a link that its folder was exchanged for meanwhile nothing is read. */
  readonly realFolder?: string;
}

export interface LookedFile extends FoundFile {
  /** Why it is not complete yet; undefined: it lay still for long enough, and is. */
  readonly waits: "being_written" | "unreadable" | undefined;
  /** What it held at the last look, in lower-case hex; empty where nothing of it is read. */
  readonly sha256: string;
  readonly forMs: number;
}

export interface Sweep {
  /** The system's code for why the inbox, or a folder in it, cannot be read: what lies there is not known. */
  unreadable?: string | undefined;
  readonly files: LookedFile[];
}

/** What is remembered of a file as it lies there. A refused one is asked about again at each sweep. */
type IsKnown = (file: FoundFile) => Promise<"taken" | "refused" | "new">;

/** An inbox and its operation folders, with what is remembered from one sweep to the next. */
export function createInbox(folder: string, settleMs: number, isKnown: IsKnown) {
  const looks = twoLooks(settleMs);
  let taken: ReadonlyMap<string, BigIntStats> = new Map();
  /** What lay there at the last sweep that came to its end. */
  let swept: ReadonlySet<string> | undefined;
  return {
    looks,
    /** What came after that; nothing is opened, and nobody is asked. */
    async arrived(): Promise<readonly FoundFile[]> {
      const files: FoundFile[] = [];
      if (swept) for await (const file of filesIn(folder, { files: [] })) if (!swept.has(file.path)) files.push(file);
      return files;
    },

    /** Only regular files with the name of an input file are ever opened. */
    async sweep(): Promise<Sweep> {
      const sweep: Sweep = { files: [] };
      const [present, still] = [new Set<string>(), new Map<string, BigIntStats>()];
      for await (const file of filesIn(folder, sweep)) {
        const { path, stats } = file;
        present.add(path);
        const before = taken.get(path);
        const known = before && isUnchanged(before, stats) ? "taken" : await isKnown(file);
        if (known === "taken") still.set(path, stats);
        const looked = known === "new" ? await looks.look(file) : undefined;
        if (looked) sweep.files.push(looked);
      }
      [taken, swept] = [still, present];
      looks.keepOnly(present);
      // the oldest first
      sweep.files.sort(
        (one, other) => Number(one.stats.mtimeNs - other.stats.mtimeNs) || (one.path < other.path ? -1 : 1),
      );
      return sweep;
    },
  };
}

async function* filesIn(folder: string, sweep: Sweep, within?: string): AsyncGenerator<FoundFile> {
  const isTop = within === undefined;
  const realFolder = within ?? (await realpath(folder).catch(() => folder));
  // as bytes: a name that is not UTF-8 is found by nothing else
  const names = await readdir(folder, { encoding: "buffer" }).catch((thrown: unknown) => {
    if (isTop || systemCodeOf(thrown) !== "ENOENT") sweep.unreadable = systemCodeOf(thrown) ?? "unknown";
    return [];
  });
  for (const bytes of names) {
    const name = bytes.toString();
    const said = inputName(name);
    if (said.kind === "stop" || said.kind === "passed_over") continue;
    const path = join(folder, name);
    const exact = Buffer.concat([Buffer.from(`${folder}/`), bytes]);
    const stats = await lstat(exact, { bigint: true }).catch(() => undefined);
    if (stats?.isDirectory()) {
      if (isTop && isOperationFolder(name)) yield* filesIn(path, sweep, join(realFolder, name));
    } else if (stats) {
      const fault = { code: "not_regular", facts: { kind: kindOf(stats) } };
      yield { path, realFolder, stats, ...(stats.isFile() ? said : { fault }) };
    }
  }
}

/** An inbox and its operation folders, in whatever case they are written; also those that are not there yet. */
export async function inboxFolders(inbox: string): Promise<readonly string[]> {
  const there = (await readdir(inbox).catch((): string[] => [])).filter(isOperationFolder);
  const isThere = (folder: string): boolean => there.some((name) => name.toLowerCase() === folder);
  const missing = OPERATIONS.flatMap(({ folder }) => (isThere(folder) ? [] : [folder]));
  return [inbox, ...[...there, ...missing].map((name) => join(inbox, name))];
}

export async function stopFilesIn(inbox: string): Promise<readonly string[]> {
  const lists = (await inboxFolders(inbox)).map(async (folder) => {
    const names = await readdir(folder).catch((): string[] => []);
    return names.filter(isStopName).map((name) => join(folder, name));
  });
  return (await Promise.all(lists)).flat();
}

interface Look extends Pick<LookedFile, "stats" | "sha256" | "waits"> {
  /** So long it must lie still; 0: it is looked at again each time. */
  readonly neededMs: number;
}

/** A file without its last line end, or empty, waits longer (README §6): no parser can see that its end was cut off. */
const UNENDED_TIMES = 3;

/**
 * Finds out whether a file is complete. Neither events nor clocks are trusted, only two looks of our own, at least
 * `settleMs` apart, that find the same size, times and content. `now`: milliseconds of a clock that nobody sets.
 */
export function twoLooks(settleMs: number, now: () => number = () => performance.now()) {
  const watched = new Map<string, Look & { readonly sinceMs: number; readonly atMs: number }>();
  return {
    /** undefined: it is gone. */
    async look(file: FoundFile): Promise<LookedFile | undefined> {
      const before = watched.get(file.path);
      const nowMs = now();
      const { sinceMs, atMs } = before ?? { sinceMs: nowMs, atMs: nowMs };
      const isEarly = before?.waits === undefined || nowMs - atMs < before.neededMs;
      const isAsBefore = before !== undefined && isSameFile(before.stats, file.stats) && isEarly;
      const look = isAsBefore ? before : await lookInto(file, settleMs);
      if (look === "gone") return undefined;
      const { stats, sha256 } = look;
      const isStill = before !== undefined && isSameFile(before.stats, stats) && before.sha256 === sha256;
      const waits = look.waits ?? (isStill ? undefined : "being_written");
      if (!isAsBefore) watched.set(file.path, { ...look, waits, sinceMs, atMs: nowMs });
      return { ...file, stats, sha256, waits, forMs: nowMs - sinceMs };
    },

    /** Until a waiting file can be complete, and a little more, so that files that came together go in their order. */
    nextLookMs(): number | undefined {
      const dueMs = [...watched.values()].flatMap(({ waits, atMs, neededMs }) =>
        waits !== undefined && neededMs > 0 ? [atMs + neededMs + settleMs / 10 - now()] : [],
      );
      return dueMs.length === 0 ? undefined : Math.max(0, Math.min(...dueMs));
    },

    /** Forgets all files but these: what is gone may come back as something else. */
    keepOnly(paths: ReadonlySet<string>): void {
      for (const path of watched.keys()) if (!paths.has(path)) watched.delete(path);
    },
  };
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return isUnchanged(one, other) && one.ino === other.ino && one.dev === other.dev;
}

async function lookInto({ path, realFolder, stats, format }: FoundFile, settleMs: number): Promise<Look | "gone"> {
  if (format === undefined) return { stats, sha256: "", waits: undefined, neededMs: settleMs };
  try {
    await using file = await openRegular(path);
    if (realFolder !== undefined && dirname(await placeOf(file, path)) !== realFolder) return "gone";
    const opened = await statsOf(file, path);
    const hash = createHash("sha256");
    // UTF-16 with its mark: every second byte of plain text is NUL, but never three together
    let isWide = false;
    // a workbook or a packed file, by whatever name, holds them for ever; a copy does whose size was set before it came
    let isBinary = format === "xlsx";
    let hasZeros = false as boolean;
    let tail = Buffer.alloc(0);
    await eachPiece(file, path, opened.size, (piece, position) => {
      hash.update(piece);
      tail = Buffer.concat([tail, piece.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
      if (position === 0) {
        isWide = ["fffe", "feff"].includes(piece.toString("hex", 0, 2));
        isBinary ||= binaryOfBytes(piece) !== undefined;
      }
      hasZeros ||= piece.includes(isWide ? "\0\0\0" : 0);
      // it is not complete, or is refused, whatever comes behind: that may be holes without end
      return !(isBinary ? isTooLarge(path, piece, opened.size) : hasZeros);
    });
    const waits = hasZeros && !isBinary ? "being_written" : undefined;
    const neededMs = settleMs * (hasEnd(tail, format, isWide) ? 1 : UNENDED_TIMES);
    return { stats: opened, sha256: hash.digest("hex"), waits, neededMs };
  } catch (thrown) {
    if (!(thrown instanceof PaydropError)) throw thrown;
    return thrown.reason === "file_unreadable" ? { stats, sha256: "", waits: "unreadable", neededMs: 0 } : "gone";
  }
}

/** The path of what was opened, whatever has been exchanged since, as far as the system knows it. */
function placeOf({ fd }: FileHandle, path: string): Promise<string> {
  return readlink(`/proc/self/fd/${fd}`).catch(() => realpath(path));
}

/** The mark of a zip file's directory, which is written last, and followed by a short comment at most. */
const ZIP_END = "PK\u0005\u0006";
const TAIL_BYTES = 1024;

/** Whether a CSV file has its last line end, and a workbook its directory. */
function hasEnd(tail: Buffer, format: FileFormat, isWide: boolean): boolean {
  if (tail.length === 0) return false;
  if (format === "xlsx") return tail.includes(ZIP_END, 0, "latin1");
  // in UTF-16 the line end is in the last byte or the one before it
  return format !== "csv" || /[\r\n]/.test(tail.toString("latin1", tail.length - (isWide ? 2 : 1)));
}
