import { lstat } from "node:fs/promises";
import { basename } from "node:path";
import { printable } from "../../text/printable.ts";
import { systemCodeOf } from "../../errors.ts";
import { sha256Of } from "../../disk/file-hash.ts";
import type { FileFormat } from "../../format.ts";
import { firstRow, firstWorkbookRow, isObject, objectIn, readBeginning } from "../beginning.ts";
import { onDisk } from "./on-disk.ts";

/** What stands at the name of a file that paydrop is about to write. */
export type Standing =
  | { readonly kind: "free" }
  | { readonly kind: "ours"; readonly batch: string; readonly sha256?: string }
  /** `why` goes on after the name of the file: "is a link". */
  | { readonly kind: "foreign"; readonly why: string };

/** What the journal remembers of files that paydrop wrote. */
export interface WrittenMemory {
  /** SHA-256 in hex of what was last written at a path. */
  written(path: string): Promise<string | undefined>;
  /** Whether these bytes were ever written, at whichever path: a folder may come back as it was before. */
  wrote(sha256: string): Promise<boolean>;
  noteWritten(path: string, sha256: string): Promise<void>;
}

const NOT_OURS = { kind: "foreign", why: "is there already and is not a file that paydrop wrote" } as const;
const REPORT_MARK_BYTES_MAX = 256;
const SUMMARY_BYTES_MAX = 16 * 1024 * 1024;

/** A results file is ours by its columns; edited by hand it still is, and nothing in it is read as truth. */
export async function standingOfResults(path: string, format: FileFormat): Promise<Standing> {
  return standing(path, async () => {
    const first = await firstRow(path, format);
    if (first?.get("result_row") === undefined || first.get("result_status") === undefined) return NOT_OURS;
    return oursOf(first.get("result_batch"));
  });
}

/** A summary is ours by its key `paydrop`. */
export async function standingOfSummary(path: string): Promise<Standing> {
  return standing(path, async () => {
    const summary = await readOwnJson(path);
    return summary === undefined ? NOT_OURS : oursOf(String(summary["batch"]));
  });
}

/** The SHA-256 of a retry file as the summary beside it has it: the sandbox remembers nothing else from run to run. */
async function retryOfSummary(summary: string): Promise<string | undefined> {
  if ((await standingOfSummary(summary)).kind !== "ours") return undefined;
  const files = (await readOwnJson(summary))?.["files"];
  return isObject(files) && typeof files["retry_sha256"] === "string" ? files["retry_sha256"] : undefined;
}

/** A report is ours by its beginning, which names its batch; `mark` finds it there. */
export async function standingOfReport(path: string, mark: RegExp): Promise<Standing> {
  return standing(path, async () => oursOf(mark.exec(await readBeginning(path, REPORT_MARK_BYTES_MAX))?.[1]));
}

/** A report as a workbook is ours by its first two cells; the one beside the second names its batch. */
export async function standingOfWorkbook(
  path: string,
  mark: { readonly header: string; readonly batch: string; readonly value: string },
): Promise<Standing> {
  return standing(path, async () => {
    const first = await firstWorkbookRow(path);
    return first?.get(mark.header) === mark.batch ? oursOf(first.get(mark.value)) : NOT_OURS;
  });
}

/** A note in plain words is ours by its first word. */
export async function standingOfNote(path: string): Promise<Standing> {
  return standing(path, async () => {
    const isOurs = (await readBeginning(path, NOTE_MARK.length)) === NOTE_MARK;
    return isOurs ? { kind: "ours", batch: "" } : NOT_OURS;
  });
}

/** Every note in plain words begins with this, and is known as ours by it. */
export const NOTE_MARK = "paydrop: ";

/** A JSON file of ours: a summary, or the mark of an inbox. undefined for any other. */
export async function readOwnJson(path: string): Promise<Record<string, unknown> | undefined> {
  const document = objectIn(await readBeginning(path, SUMMARY_BYTES_MAX));
  return isObject(document?.["paydrop"]) ? document : undefined;
}

/** A retry file is ours only as long as it is byte for byte what we wrote; otherwise a person is correcting it. */
export async function standingOfRetry(
  path: string,
  format: FileFormat,
  memory: Pick<WrittenMemory, "written" | "wrote">,
): Promise<Standing> {
  return standing(path, async () => {
    const sha256 = await sha256Of(path);
    if (!(await isRetryAsWritten(path, sha256, memory)))
      return (await memory.written(path)) === undefined
        ? NOT_OURS
        : { kind: "foreign", why: "was changed by a person" };
    const first = await firstRow(path, format);
    const ours = oursOf(first?.get("retry_of")?.split(":")[0]);
    return ours.kind === "ours" ? { ...ours, sha256 } : ours;
  });
}

/** `payroll.csv.retry.csv`, `payroll.csv.retry.K7Q29F3M.csv`. */
const RETRY_NAME = /^(.*)\.retry(\.[0-9A-Z]{1,32})?\.[a-z]+$/is;

/** Whether a retry file is as it was written: by this journal, or by the one that wrote a summary beside it. */
export async function isRetryAsWritten(
  path: string,
  sha256: string,
  { wrote }: Pick<WrittenMemory, "wrote">,
): Promise<boolean> {
  if (await wrote(sha256)) return true;
  const [, input, batch] = RETRY_NAME.exec(path) ?? [];
  if (input === undefined) return false;
  // retry file and summary may both have been put aside, or only the retry file may have the batch's id in its name
  const summaries = ["", ...(batch === undefined ? [] : [batch])].map((id) => `${input}.summary${id}.json`);
  // a summary that cannot be read tells nothing
  const noted = await Promise.all(summaries.map((summary) => retryOfSummary(summary).catch(() => undefined)));
  return noted.includes(sha256);
}

/** A batch id goes into a file name, so it must look like one. */
function oursOf(batch: string | undefined): Standing {
  return batch !== undefined && /^[0-9A-Za-z]{1,32}$/.test(batch) ? { kind: "ours", batch } : NOT_OURS;
}

async function standing(path: string, look: () => Promise<Standing>): Promise<Standing> {
  return onDisk(path, async () => {
    try {
      const stats = await lstat(path);
      if (stats.isSymbolicLink()) return { kind: "foreign", why: "is a link" };
      if (stats.isDirectory()) return { kind: "foreign", why: "is a folder" };
      if (!stats.isFile()) return { kind: "foreign", why: "is not a file" };
    } catch (thrown) {
      if (systemCodeOf(thrown) === "ENOENT") return { kind: "free" };
      throw thrown;
    }
    return look();
  });
}

/** `payroll.csv.results.csv is a link`. */
export function describeForeign(path: string, why: string): string {
  return `${printable(basename(path))} ${why}`;
}
