import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { readMappings, type Mapping } from "../../config/mapping.ts";
import { messageOf, PaydropError, systemCodeOf } from "../../errors.ts";
import { makeFolder } from "../../disk/make-folder.ts";
import { writeAtomically } from "../../results/disk/atomic.ts";
import { INBOX_MARK, inboxesOf, markAt } from "../../results/marks/found-mark.ts";
import { onDisk, withHint } from "../../results/disk/on-disk.ts";

/**
 * Adds tables at the end of a paydrop.toml, which may not be there yet; what stands in it stays byte for byte. Throws
 * PaydropError `config` where the settings could not be read afterwards, or the file lies in a drop folder;
 * `results_unwritable` where the disk refuses it.
 */
export async function appendToToml(path: string, tables: string): Promise<void> {
  const target = (await ifThere(path, () => realpath(path))) ?? path;
  await assertNoInbox(target);
  const before = (await ifThere(target, () => readFile(target, "utf8"))) ?? "";
  const gap = before === "" ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const text = before + gap + tables;
  assertReadable(target, text);
  const found = await ifThere(target, () => stat(target));
  await writing(target, async () => {
    makeFolder(dirname(target));
    await writeAtomically(target, text, found ? found.mode & 0o777 : 0o600);
  });
}

/**
 * undefined where there is no such file. A file that the disk does not give must not be taken for a missing one, and
 * replaced.
 */
function ifThere<T>(path: string, look: () => Promise<T>): Promise<T | undefined> {
  return writing(path, () =>
    look().catch((error: unknown) => {
      if (systemCodeOf(error) !== "ENOENT") throw error;
      return undefined;
    }),
  );
}

async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await onDisk(path, work);
  } catch (error) {
    throw withHint(
      error,
      "make room on the disk and let paydrop write there, or add the lines by hand, without --write",
    );
  }
}

/** The mapping as `paydrop.toml` will be read, so that what was shown, checked and written is one thing. */
export function mappingIn(tables: string, name: string, folder: string): Mapping {
  const found = readMappings(parse(tables)["mapping"], folder, () => "").find((mapping) => mapping.name === name);
  if (!found) throw new Error(`the tables hold no mapping ${name}`);
  return found;
}

function assertReadable(path: string, text: string): void {
  try {
    readMappings(parse(text.replace(/^\ufeff/, ""))["mapping"], dirname(path), () => "");
  } catch (error) {
    const message = `${path} could not be read any more: ${messageOf(error)}`;
    throw new PaydropError("config", message, "nothing was written; give the mapping another --name", { cause: error });
  }
}

/** Settings are never read from a drop folder: who can drop a file must not be able to say how files are read. */
async function assertNoInbox(path: string): Promise<void> {
  for (const folder of inboxesOf(path)) {
    if (typeof (await markAt(join(folder, INBOX_MARK))) !== "object") continue;
    const message = `${folder} is a drop folder: settings do not belong there`;
    throw new PaydropError("config", message, "name another file with --config");
  }
}
