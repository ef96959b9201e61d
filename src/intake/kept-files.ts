import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { keepText, takeSnapshot, verifySnapshot, type KeptFile } from "./snapshot.ts";

/** The private folder of the snapshots, for what a batch must find again besides its own file. */
export interface KeptFiles {
  /** Keeps a copy of the file at a path; throws as `takeSnapshot` does. */
  copy(path: string): Promise<KeptFile>;
  keep(text: string, extension: string): Promise<KeptFile>;
  /** The text of a kept file; undefined when it is gone, or holds other bytes. */
  read(file: KeptFile): Promise<string | undefined>;
  pathOf(file: KeptFile): string;
}

export function filesKeptIn(directory: string): KeptFiles {
  const pathOf = ({ name }: KeptFile): string => join(directory, name);
  return {
    pathOf,
    copy: async (path) => {
      const { path: copy, sha256 } = await takeSnapshot(path, directory);
      return { name: basename(copy), sha256 };
    },
    keep: (text, extension) => keepText(text, extension, directory),
    read: async (file) => {
      const path = pathOf(file);
      return (await verifySnapshot(path, file.sha256)) ? readFile(path, "utf8") : undefined;
    },
  };
}
