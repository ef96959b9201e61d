import { chmodSync, readdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, PaydropError } from "../../../errors.ts";
import { makeFolder } from "../../../disk/make-folder.ts";
import { asWord, printable } from "../../../text/printable.ts";

/**
 * Makes the directory, or makes it private (0700). Throws PaydropError `config` for one that others can write: they
 * could make rows go twice.
 */
export function makePrivate(directory: string): void {
  try {
    if (!isThere(directory)) makeFolder(resolve(directory));
    const stat = statSync(directory);
    if (!stat.isDirectory()) throw new Error("it is not a directory");
    if ((stat.mode & 0o022) !== 0) {
      throw new PaydropError(
        "config",
        `the state directory ${directory} can be written by others (mode ${(stat.mode & 0o777).toString(8)})`,
        `make it private: chmod 700 ${asWord(directory)}`,
      );
    }
    if ((stat.mode & 0o077) !== 0) tighten(directory);
  } catch (error) {
    throw error instanceof PaydropError ? error : unusable(directory, error);
  }
}

/** Whether the folder is there. Throws PaydropError `journal` where that cannot be seen (rights, disk). */
export function isThere(directory: string): boolean {
  try {
    return statSync(directory, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw unusable(directory, error);
  }
}

function unusable(directory: string, error: unknown): PaydropError {
  return new PaydropError(
    "journal",
    `the state directory ${directory} cannot be used: ${messageOf(error)}`,
    "name another one with --state-dir, or mend this one; nothing was sent",
    { cause: error },
  );
}

const OWN_NAMES = /^(?:journal\.db|lock\.db|ballast$|snapshots$|archive$|results$|lost\+found$|\.)/;

/** Makes the folder private. Throws for one that is also used for something else: its other users would be shut out. */
function tighten(directory: string): void {
  const foreign = readdirSync(directory).find((name) => !OWN_NAMES.test(name));
  if (foreign !== undefined) {
    throw new PaydropError(
      "config",
      `the state directory ${directory} is open to others and holds other files, such as ${printable(foreign)}`,
      "name a folder of its own with --state-dir",
    );
  }
  chmodSync(directory, 0o700);
}
