import { join } from "node:path";
import { inFolderOf, readFound, writeAtomically } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { MARK_NOTE } from "../messages/intake.ts";
import { printable } from "../printable.ts";

/** Hidden, so that it is never taken for input. */
const NAME = ".paydrop";
const BYTES_MAX = 64 * 1024;
const RENEWED_EVERY_MS = 1000;

/** Rows that its journal ever let go: all, and those of this folder, under the name that it had then. */
interface Mark {
  readonly stateId: string;
  readonly letGo: number;
  readonly letGoHere: number;
}

type FoundMark = Mark & { readonly folder: string };

interface Journal {
  facts(folder: string): Promise<Mark>;
}

/**
 * I12: throws PaydropError `journal` where the folder's mark tells of rows that the journal does not know: it is a new or
 * another one, or an older copy of itself. `accepted`: a person goes on all the same; then the mark becomes this
 * journal's, and the reason is given, for the history.
 */
export async function assertMark(
  folder: string,
  journal: Journal,
  { accepted = false } = {},
): Promise<string | undefined> {
  // a folder that has none tells of nothing, and the journal is not asked
  if ((await markIn(folder)) === undefined) return undefined;
  const { loss, facts } = await compare(folder, journal);
  if (!loss) return undefined;
  if (!accepted) throw loss;
  await write(folder, facts, { replace: true });
  return loss.message;
}

/**
 * Puts the mark down before rows of the folder go, and renews it every second while they do. `lost` is told once when
 * another journal, or a copy of this one, has sent from the folder meanwhile: nothing more may go then. Throws as
 * `assertMark`. `unkept`: told where the folder cannot be written and has no mark.
 * `close`: then the last renewal is on stable storage, if the folder can still be written.
 */
export async function keepMark(
  folder: string,
  journal: Journal,
  lost: (error: PaydropError) => void,
  unkept: (why: unknown) => void = () => undefined,
) {
  let written: number | undefined;
  const renew = async (): Promise<void> => {
    const { found, loss, facts } = await compare(folder, journal);
    if (loss) throw loss;
    // one that is there already, and known, is renewed when more has gone
    if (found) written ??= facts.letGo;
    if (found && facts.letGo === written) return;
    // of two that come together one makes the mark, and the other one must know it
    const isWritten = await write(folder, facts, { replace: found !== undefined }).catch((why: unknown) => {
      if (!found && written === undefined) unkept(why);
      return true;
    });
    if (!isWritten) return renew();
    written = facts.letGo;
  };
  await renew();
  let last: Promise<void> | undefined;
  const renewNext = (): Promise<void> =>
    (last ??= renew()
      .catch((thrown: unknown) => {
        // a journal that fails is told by the rows themselves
        if (!(thrown instanceof PaydropError) || !LOSSES.includes(thrown.reason)) return;
        clearInterval(timer);
        lost(thrown);
      })
      .finally(() => (last = undefined)));
  const timer = setInterval(() => void renewNext(), RENEWED_EVERY_MS).unref();
  return {
    close: async (): Promise<void> => {
      clearInterval(timer);
      await last;
      await renewNext();
    },
  };
}

const LOSSES: readonly string[] = ["journal_of_another", "journal_older", "mark_damaged"];

/** The mark is read before the journal: what this very process writes meanwhile, its journal knows. */
async function compare(folder: string, journal: Journal) {
  const found = await markIn(folder);
  const facts = await journal.facts(folder);
  // a folder may have another name by now, or be a copy
  const isRenamed = typeof found === "object" && found.folder !== folder;
  return { found, facts, loss: found && lossOf(folder, found, isRenamed ? await journal.facts(found.folder) : facts) };
}

function lossOf(folder: string, found: FoundMark | "damaged", facts: Mark): PaydropError | undefined {
  const said = { path: printable(join(folder, NAME)), folder: printable(folder) };
  if (found === "damaged") return new PaydropError("mark_damaged", said);
  // an older journal that sent from other folders meanwhile has let enough go, but not from here
  const isHere = found.letGo <= facts.letGo;
  const [marked, known] = isHere ? [found.letGoHere, facts.letGoHere] : [found.letGo, facts.letGo];
  const counts = { ...said, marked, known };
  if (found.stateId !== facts.stateId) {
    return new PaydropError("journal_of_another", { ...counts, id: printable(found.stateId), own: facts.stateId });
  }
  return marked > known ? new PaydropError("journal_older", counts) : undefined;
}

/** Gives false where there is a mark by now, and it is not to be replaced. */
function write(
  folder: string,
  { stateId, letGo, letGoHere }: Mark,
  { replace }: { replace: boolean },
): Promise<boolean> {
  const mark = { state_id: stateId, let_go: letGo, folder, let_go_here: letGoHere, note: MARK_NOTE };
  const put = (path: string): Promise<boolean> =>
    writeAtomically(path, [`${JSON.stringify(mark)}\n`], { mode: 0o644, replace });
  return inFolderOf(join(folder, NAME), put, { mayBeNew: true });
}

/** undefined: none is there. Throws where that cannot be known: all that it may tell of would go again. */
async function markIn(folder: string): Promise<FoundMark | "damaged" | undefined> {
  const path = join(folder, NAME);
  try {
    const text = await readFound(path, BYTES_MAX);
    return text === undefined ? undefined : markOf(text, folder);
  } catch (thrown) {
    throw new PaydropError("mark_unreadable", { path: printable(path), found: messageOf(thrown) }, { cause: thrown });
  }
}

/** One of an earlier paydrop tells of all rows only. */
function markOf(text: string, own: string): FoundMark | "damaged" {
  try {
    const said = JSON.parse(text) as Record<string, unknown>;
    const { state_id: stateId, let_go: letGo, folder = own, let_go_here: letGoHere = 0 } = said;
    const isSound = typeof stateId === "string" && typeof letGo === "number" && typeof folder === "string";
    return isSound && typeof letGoHere === "number" ? { stateId, letGo, folder, letGoHere } : "damaged";
  } catch {
    return "damaged";
  }
}
