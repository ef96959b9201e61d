import { basename } from "node:path";
import { PaydropError } from "../../errors.ts";
import { printable } from "../../text/printable.ts";
import { writeAtomically } from "../disk/atomic.ts";
import { modeOf } from "../disk/mode-of.ts";
import { describeForeign, NOTE_MARK, standingOfNote, type Standing } from "../disk/own.ts";

/** `payroll.csv.check.txt`: what a check found, for whoever looks into the folder. */
function checkNotePath(file: string): string {
  return `${file}.check.txt`;
}

/** Whether an earlier check left its answer there: it would be out of date now. */
export async function hasCheckNote(file: string): Promise<boolean> {
  return (await standingOfNote(checkNotePath(file))).kind === "ours";
}

/** Writes the answer beside the file, over an earlier one; never over a file that is not ours. Gives its path. */
export async function writeCheckNote(file: string, text: string): Promise<string> {
  const path = checkNotePath(file);
  assertOurs(path, await standingOfNote(path));
  await writeAtomically(path, noteText(file, text), await modeOf(file));
  return path;
}

/** CRLF, since it is read with Notepad. The note is known as ours by its beginning. */
function noteText(file: string, text: string): string {
  const head = `${NOTE_MARK}${printable(basename(file))} was checked. Nothing was sent.`;
  return `${head}\n\n${text}`.replaceAll("\n", "\r\n");
}

function assertOurs(path: string, standing: Standing): void {
  if (standing.kind !== "foreign") return;
  const hint = "move it away or give it another name, then check again with --write";
  throw new PaydropError("results_unwritable", describeForeign(path, standing.why), hint);
}
