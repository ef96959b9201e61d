import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isOperationFolder } from "../intake/names.ts";

const STAGED_MAX = 20;

/** A file that was looked at, and may be put into its folder. */
export type Staged = Readonly<Record<"path" | "folder" | "by", string>>;

/** Files that were looked at, by an id; only the newest. */
export class Staging {
  readonly #folder: string;
  readonly #files = new Map<string, Staged>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  of(id: string): Staged | undefined {
    return this.#files.get(id);
  }

  /** `folder`: where it is to go. */
  async stage(file: File, by: string, folder = ""): Promise<readonly [id: string, Staged]> {
    const id = randomBytes(12).toString("hex");
    // by the name of its folder a check knows the operation
    const under = isOperationFolder(basename(folder)) ? join(id, basename(folder)) : id;
    const path = join(this.#folder, under, file.name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, Buffer.from(await file.arrayBuffer()), { mode: 0o600 });
    const staged = { path, folder, by };
    this.#files.set(id, staged);
    for (const [old] of [...this.#files].slice(0, -STAGED_MAX)) await this.remove(old);
    return [id, staged];
  }

  async remove(id: string): Promise<void> {
    this.#files.delete(id);
    await rm(join(this.#folder, id), { recursive: true, force: true });
  }
}
