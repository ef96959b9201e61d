import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import type { Config } from "../../config/config.ts";
import { UnreadPlaceError } from "../../errors.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import type { Leftovers } from "../disk/leftovers.ts";
import { runningSummaryJson } from "../summary.ts";
import { assertKnown, marksBeside, newestSummary, type FoundMark, type MarkPolicy } from "./found-mark.ts";
import { InboxMarks, type InboxKeeper } from "./inbox-marks.ts";
import { keepMark } from "./keep-mark.ts";
import type { MarkKeeper, SendMark } from "./mark-keeper.ts";
import { othersRemark, othersSummary } from "./others-folder.ts";

/** What lies at the other places of a batch. */
interface OtherMarks {
  /** What a person accepts. */
  readonly losses: readonly string[];
  /** A sentence for each place that cannot be read. */
  readonly unread: readonly UnreadPlaceError[];
}

/** For the sandbox, which keeps no mark. */
const NONE_KEPT: InboxKeeper = {
  remark: undefined,
  isStanding: () => Promise.resolve(true),
  close: () => Promise.resolve(),
};

/**
 * The marks that this journal leaves in folders, and those that it finds there (I9, I12): beside a single file its
 * summary, in an inbox the file `.paydrop`. The sandbox, which forgets, neither leaves nor heeds any.
 */
export class FolderMarks {
  readonly #journal: JournalStore;
  readonly #config: Config;
  readonly #isSandbox: boolean;
  readonly #leftovers: Leftovers;
  readonly #inboxes: InboxMarks;
  /** Folders whose newest summary was known to the journal: any newer one was written by this process. */
  readonly #known = new Set<string>();
  /** Folders of which nothing is left to say: this state directory has sent there, or nobody has. */
  readonly #compared = new Set<string>();

  constructor(journal: JournalStore, config: Config, isSandbox: boolean, leftovers: Leftovers) {
    this.#journal = journal;
    this.#config = config;
    this.#isSandbox = isSandbox;
    this.#leftovers = leftovers;
    this.#inboxes = new InboxMarks(journal, leftovers, (place) => this.#policyOf(place));
  }

  /** Until it is closed nobody else takes the files of this inbox. `folders`: the inbox and its operation folders. */
  keepInbox(folder: string, folders: readonly string[]): Promise<InboxKeeper> {
    return this.#isSandbox ? Promise.resolve(NONE_KEPT) : this.#inboxes.keep(folder, folders);
  }

  /** Whether the file lies in an inbox that this process works through. */
  keepsThatOf(file: string): boolean {
    return this.#inboxes.keepsThatOf(file);
  }

  /** Whether this process works through an inbox. */
  get keepsInbox(): boolean {
    return this.#inboxes.keepsAny;
  }

  /** I12: what the folder remembers must be known to the journal. Gives what a person accepts that is not. */
  async compare(file: string): Promise<readonly string[]> {
    if (this.#isSandbox) return [];
    await this.#inboxes.assertOwn(file);
    const found = [...(await marksBeside(file, (folder) => this.#inboxes.has(folder))), ...(await this.#newest(file))];
    const losses = await Promise.all(found.map((one) => assertKnown(one, this.#policyOf(file))));
    this.#known.add(dirname(file));
    this.#inboxes.noteTaken(file);
    return losses.filter((loss) => loss !== undefined);
  }

  /**
   * I12: the rows of a known batch may have gone from other places than `file`, and what lies there tells of more than
   * this journal knows: it is older. Gives what a person accepts of that, and which of the places cannot be read.
   */
  async compareOther(places: Iterable<string>, file: string): Promise<OtherMarks> {
    const losses = new Set<string>();
    const unread: UnreadPlaceError[] = [];
    for (const place of this.#isSandbox ? [] : new Set(places)) {
      if (place === file) continue;
      const found = await this.#ownAt(place);
      if (found instanceof UnreadPlaceError) {
        unread.push(found);
        continue;
      }
      const said = await Promise.all(found.map((one) => assertKnown(one, this.#policyOf(file))));
      const lost = said.filter((loss) => loss !== undefined);
      for (const loss of lost) losses.add(loss);
      if (lost.length === 0) this.#known.add(dirname(place));
    }
    return { losses: [...losses], unread };
  }

  /** The marks of this state directory beside a file, and the newest in its folder, or why they cannot be read. */
  async #ownAt(place: string): Promise<readonly FoundMark[] | UnreadPlaceError> {
    try {
      const beside = await marksBeside(place, (folder) => this.#inboxes.has(folder));
      const found = [...beside, ...(await this.#newest(place))];
      return found.filter(({ mark }) => mark?.stateId === this.#journal.stateId);
    } catch (thrown) {
      if (thrown instanceof UnreadPlaceError) return thrown;
      throw thrown;
    }
  }

  /** Once for each folder: else each of two thousand named files would look at two thousand summaries. */
  #newest(file: string): Promise<FoundMark[]> | readonly FoundMark[] {
    const folder = dirname(file);
    if (this.#known.has(folder) || this.#inboxes.keepsThatOf(file)) return [];
    return newestSummary(folder, this.#journal.stateId);
  }

  /**
   * I12, of a file that a person named and the journal has not met: the same payments may have gone from its folder under
   * another name. Gives what a person accepts, and what is to be remarked, once for each folder.
   */
  async compareFolder(
    file: string,
  ): Promise<{ readonly losses: readonly string[]; readonly remarks: readonly string[] }> {
    const nothing = { losses: [], remarks: [] };
    const folder = dirname(file);
    if (this.#isSandbox || this.#compared.has(folder) || this.#inboxes.keepsThatOf(file)) return nothing;
    const { environment } = this.#config;
    const found = await othersSummary(file, this.#journal, environment);
    if (found && environment === "test") return { losses: [], remarks: [othersRemark(found)] };
    const loss = found && (await assertKnown(found, this.#policyOf(file)));
    this.#compared.add(folder);
    return loss === undefined ? nothing : { losses: [loss], remarks: [] };
  }

  #policyOf(place: string): MarkPolicy {
    const { acceptLostJournal, by, environment } = this.#config;
    const accepted = acceptLostJournal && by !== undefined ? { lossAcceptedBy: by } : {};
    return { journal: this.#journal, environment, place, ...accepted };
  }

  /** A person's word for what the journal does not know is kept in the history of the batch. */
  async note(batch: BatchRecord, losses: readonly string[]): Promise<void> {
    const by = this.#config.by ?? "paydrop";
    for (const note of losses) await this.#journal.note(batch.id, { by, kind: "accept_lost_journal", note });
  }

  /** The mark to keep while rows are sent: a crash must leave behind what was sent (I12). undefined: in the sandbox. */
  async keepBeside(file: string, batch: BatchRecord, startedAt: number, mode: number): Promise<SendMark | undefined> {
    if (this.#isSandbox) return undefined;
    const mark = this.#inboxes.keepsThatOf(file) ? undefined : await this.#claimBeside(file, batch, startedAt, mode);
    try {
      await mark?.assertOwn();
      await this.#inboxes.assertAlone(file);
    } catch (thrown) {
      await mark?.withdraw();
      throw thrown;
    }
    return mark ?? this.#inboxes.sendMark(file);
  }

  #claimBeside(file: string, batch: BatchRecord, startedAt: number, mode: number): Promise<MarkKeeper | undefined> {
    const keeper = randomUUID();
    return keepMark({
      path: `${file}.summary.json`,
      text: (mark) => runningSummaryJson(batch, startedAt, mark, keeper),
      keeper,
      batch: batch.id,
      mode,
      leftovers: this.#leftovers,
      now: () => this.#journal.mark(),
      assertKnown: (found) => assertKnown(found, this.#policyOf(file)),
    });
  }
}
