import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isOperationFolder, OPERATIONS } from "../operations/catalogue.ts";
import { isStopName } from "./names.ts";

/** An inbox and its folders of operations, in whatever case they are written; also folders that are not there yet. */
export async function inboxFolders(inbox: string): Promise<readonly string[]> {
  const there = (await namesIn(inbox)).filter(isOperationFolder);
  const missing = OPERATIONS.map((operation) => operation.folder).filter(
    (folder) => !there.some((name) => name.toLowerCase() === folder),
  );
  return [inbox, ...[...there, ...missing].map((name) => join(inbox, name))];
}

/** Files with which a person says stop. */
export async function stopFilesIn(folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    for (const name of await namesIn(folder)) if (isStopName(name)) found.push(join(folder, name));
  }
  return found;
}

/** The names of what lies in a folder; none where it cannot be read. */
export function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((): string[] => []);
}
