import { existsSync, renameSync, rmSync } from "node:fs";

/**
 * Removes a folder in which a program writes at this moment, at once and whole. `rmSync` alone ends without a word, with
 * half of the folder left, where a file that it is about to remove goes by itself.
 */
export function removeUnder(folder: string): void {
  const aside = `${folder}.removed`;
  renameSync(folder, aside);
  while (existsSync(aside)) rmSync(aside, { recursive: true, maxRetries: 10 });
}
