import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { systemCodeOf } from "../errors.ts";

/**
 * Makes a private folder, with those above it, where there is none; another process may make the same at this moment.
 * Not by `recursive`: with it Node says that the folder is not there where the disk is read-only or does not answer,
 * and in /proc it tries for ever, deaf to every signal. Throws what the system says.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirUnlessThere(folder);
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT" || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    mkdirUnlessThere(folder);
  }
}

function mkdirUnlessThere(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
  }
}
