import { basename, dirname, join, resolve } from "node:path";
import { heldText, holdsOf } from "../../batch/held-folder.ts";
import type { Config } from "../../config/config.ts";
import { PaydropError } from "../../errors.ts";
import { inboxFolders, stopFilesIn } from "../../intake/inbox-folders.ts";
import type { JournalStore } from "../../journal/store.ts";
import { isOperationFolder } from "../../operations/catalogue.ts";
import { openProcessor, type Processor } from "../../processor.ts";
import { assertKnown, INBOX_MARK, markAt, noMarkText } from "../../results/marks/found-mark.ts";
import type { Finding } from "./finding.ts";

/**
 * A drop folder of which nothing goes: another journal's mark lies in it, a STOP lies there, or the journal knows it as
 * held. A journal that cannot be read is told of elsewhere.
 */
export async function heldFindings(inboxes: readonly string[], config: Config): Promise<Finding[]> {
  if (inboxes.length === 0) return [];
  const processor = await openProcessor({ config }, "read").catch(() => undefined);
  try {
    const findings = inboxes.map(async (inbox): Promise<Finding[]> => {
      const folder = resolve(inbox);
      const folders = await inboxFolders(folder);
      return [
        ...(processor ? await markFindings(folder, folders, processor.journal, config) : []),
        ...(await holdFindings(folder, folders, processor)),
      ];
    });
    return (await Promise.all(findings)).flat();
  } finally {
    await processor?.close();
  }
}

/** The marks in the folder, judged as a run of one of its files would judge them (I9, I12). */
async function markFindings(
  folder: string,
  folders: readonly string[],
  journal: JournalStore,
  { environment }: Config,
): Promise<Finding[]> {
  const above = isOperationFolder(basename(folder)) ? [dirname(folder)] : [];
  const places = [...folders, ...above];
  const findings = places.map(async (place): Promise<Finding[]> => {
    const path = join(place, INBOX_MARK);
    const what = `inbox ${place}`;
    try {
      const found = await markAt(path);
      if (found === "foreign") return [{ what, health: "look", found: noMarkText(path), hint: "move it away" }];
      if (found === "gone") return [];
      await assertKnown(found, { journal, environment, place });
      return [];
    } catch (thrown) {
      if (!(thrown instanceof PaydropError)) throw thrown;
      return [{ what, health: "wrong", found: thrown.message, hint: thrown.hint }];
    }
  });
  return (await Promise.all(findings)).flat();
}

async function holdFindings(
  folder: string,
  folders: readonly string[],
  processor: Processor | undefined,
): Promise<Finding[]> {
  const [held] = processor ? await holdsOf(processor.journal, folder) : [];
  const [stop] = await stopFilesIn(folders);
  const message = held?.message ?? (stop && `${stop} lies there`);
  if (message === undefined) return [];
  const { hint } = heldText(folder, { message });
  return [{ what: `inbox ${folder}`, health: "look", found: `nothing goes from it: ${message}`, hint }];
}
