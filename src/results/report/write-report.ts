import { unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PaydropError } from "../../errors.ts";
import { makingFile, writeAtomically } from "../disk/atomic.ts";
import { isUnwritable, onDisk } from "../disk/on-disk.ts";
import { nameOfBatch } from "../names.ts";
import { describeForeign, standingOfSummary, type Standing } from "../disk/own.ts";
import { fallbackPlace } from "../disk/fallback.ts";
import { makeWay, moveOut } from "../disk/make-way.ts";
import type { WrittenMemory } from "../disk/own.ts";

/** A report in one form, with what says of a file that it is one. */
export interface ReportDocument {
  readonly extension: string;
  readonly content: string | Uint8Array;
  /** Whether a file is a report of this form, and of which batch. */
  readonly standing: (path: string) => Promise<Standing>;
}

interface ReportPlace extends Pick<WrittenMemory, "noteWritten"> {
  readonly batchId: string;
  /** The path of the file in: the report lies beside it. */
  readonly file: string;
  /** Permission bits: no wider than the input's. */
  readonly mode: number;
  /** Private folder for what cannot lie beside the input; a folder per batch is made in it. */
  readonly fallbackFolder: string;
}

export interface WrittenReport {
  readonly path: string;
  /** Why it is not beside the input. */
  readonly elsewhere?: string;
}

/**
 * Writes `payroll.csv.report.html` beside the input or, where that cannot be, below `fallbackFolder` (DESIGN §9). A
 * report of another batch is kept under its batch id; where another batch has the name of the file by now, this report
 * gets its own batch id into its name.
 */
export async function writeReport(document: ReportDocument, place: ReportPlace): Promise<WrittenReport> {
  const name = basename(place.file);
  try {
    return { path: await writeAt(join(dirname(place.file), nameOf(name, document)), document, place, place.mode) };
  } catch (thrown) {
    if (!isUnwritable(thrown)) throw thrown;
    const { folder, fileName } = await fallbackPlace(place.fallbackFolder, place.batchId, name);
    const path = await writeAt(join(folder, nameOf(fileName, document)), document, place, 0o600);
    return { path, elsewhere: `${thrown.message}; the report is in ${folder} instead` };
  }
}

/** Writes the report to a file that a person named: a new one, or over an earlier report. */
export async function writeReportTo(path: string, document: ReportDocument, mode: number): Promise<WrittenReport> {
  const standing = await document.standing(path);
  if (standing.kind === "foreign") {
    throw new PaydropError("results_unwritable", describeForeign(path, standing.why), "name another file with --out");
  }
  await writeAtomically(path, document.content, mode);
  return { path };
}

function nameOf(fileName: string, { extension }: ReportDocument): string {
  return `${fileName}.report.${extension}`;
}

async function writeAt(path: string, document: ReportDocument, place: ReportPlace, mode: number): Promise<string> {
  if (await isOfAnother(place)) return writeAside(path, document, place, mode);
  const move = await makeWay(path, place.batchId, document.standing);
  await makingFile(path, mode, async (file) => {
    await file.write(document.content);
    await file.finish();
    if (move) await moveOut(move, place);
    await file.publish();
  });
  return path;
}

/** Whether the name of the file is another batch's by now: a report that is called after it must tell of that batch. */
async function isOfAnother({ file, batchId }: ReportPlace): Promise<boolean> {
  const there = await standingOfSummary(`${file}.summary.json`);
  return there.kind === "ours" && there.batch !== batchId;
}

async function writeAside(path: string, document: ReportDocument, place: ReportPlace, mode: number): Promise<string> {
  const aside = nameOfBatch(path, place.batchId);
  await makeWay(aside, place.batchId, document.standing);
  await writeAtomically(aside, document.content, mode);
  const left = await document.standing(path);
  if (left.kind === "ours" && left.batch === place.batchId) await onDisk(path, () => unlink(path));
  return aside;
}
