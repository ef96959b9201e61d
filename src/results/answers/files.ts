import { lstat, readFile, unlink } from "node:fs/promises";
import { basename } from "node:path";
import { systemCodeOf } from "../../errors.ts";
import type { Answer } from "./answers.ts";
import { writeAtomically } from "../disk/atomic.ts";
import { Leftovers } from "../disk/leftovers.ts";
import { modeOf } from "../disk/mode-of.ts";
import { NOTE_MARK } from "../disk/own.ts";

/** One tag for all unfinished answers: after a crash the file of an answer may be gone, and so its name. */
const UNFINISHED = "answer";

/**
 * Makes this the only answer beside the file at `path`; undefined: none. A file of that name which is not ours stays as
 * it is. Gives whether the folder now says so; false where it cannot be written.
 */
export async function putAnswer(path: string, wanted: Answer | undefined): Promise<boolean> {
  try {
    for (const kind of ["refused", "waiting"] as const) {
      const target = `${path}.${kind}.txt`;
      if (wanted?.kind === kind) await writeOwn(target, wanted.text, await modeOf(path));
      else await removeOwn(target);
    }
    return true;
  } catch {
    return false;
  }
}

/** The name of the file that an answer of this name speaks of; undefined: no answer has that name. */
export function answeredFile(name: string): string | undefined {
  return /^(.+)\.(?:refused|waiting)\.txt$/.exec(name)?.[1];
}

export async function isOwnAnswer(path: string): Promise<boolean> {
  const found = await ownText(path);
  return found !== undefined && found !== "foreign";
}

/** Writes over what is ours, or into a free place; throws for anything else. */
export async function writeOwn(path: string, text: string, mode: number): Promise<void> {
  const found = await ownText(path);
  if (found === text) return;
  if (found === "foreign") throw new Error(`${basename(path)} is not a file that paydrop wrote`);
  await writeAtomically(path, text, mode, UNFINISHED);
}

export async function removeOwn(path: string): Promise<void> {
  if (await isOwnAnswer(path)) await unlink(path);
}

/**
 * Removes the answers that a killed process left unfinished; only for the holder of the folder, who alone writes
 * answers.
 */
export async function removeUnfinishedAnswers(folder: string): Promise<void> {
  await new Leftovers().remove(folder, [UNFINISHED]);
}

const ANSWER_BYTES_MAX = 64 * 1024;

/** What is ours at this path; undefined: nothing is there. */
export async function ownText(path: string): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size > ANSWER_BYTES_MAX) return "foreign";
    const text = await readFile(path, "utf8");
    return text.startsWith(NOTE_MARK) ? text : "foreign";
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    return "foreign";
  }
}
