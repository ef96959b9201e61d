import { randomUUID } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import {
  assertKnown,
  INBOX_MARK,
  inboxesOf,
  markAt,
  marksBeside,
  newestSummary,
  noMarkText,
  type FoundMark,
  type MarkPolicy,
} from "./found-mark.ts";
import { inboxMark, keepMark } from "./keep-mark.ts";
import type { Leftovers } from "../disk/leftovers.ts";
import type { MarkKeeper, SendMark } from "./mark-keeper.ts";
import { othersRemark, othersSummary } from "./others-folder.ts";
import { runningSummaryJson } from "../summary.ts";

export interface InboxKeeper extends Pick<MarkKeeper, "isStanding" | "close"> {
  /** Why no mark is kept, where a person can mend it. */
  readonly remark: string | undefined;
}

/**
 * The marks that this journal leaves in folders, and those that it finds there (I9, I12): beside a single file its
 * summary, in an inbox the file `.paydrop`. The sandbox, which forgets, neither leaves nor heeds any.
 */
export class FolderMarks {
  readonly #journal: JournalStore;
  readonly #config: Config;
  readonly #isSandbox: boolean;
  readonly #leftovers: Leftovers;
  readonly #inboxes = new Map<string, MarkKeeper>();
  /** Those of inboxes from which a row went since they are kept. */
  readonly #marked = new WeakSet<MarkKeeper>();
  /** Folders whose newest summary was known to the journal: any newer one was written by this process. */
  readonly #known = new Set<string>();
  /** Folders of which nothing is left to say: this state directory has sent there, or nobody has. */
  readonly #compared = new Set<string>();
  /** Folders that may be the inbox of a file that was taken. */
  readonly #taken = new Set<string>();

  constructor(journal: JournalStore, config: Config, isSandbox: boolean, leftovers: Leftovers) {
    this.#journal = journal;
    this.#config = config;
    this.#isSandbox = isSandbox;
    this.#leftovers = leftovers;
  }

  /** Puts the mark into an inbox, refused where another's is, and renews it every second. `folders`: it and its own. */
  async keepInbox(folder: string, folders: readonly string[]): Promise<InboxKeeper> {
    const inbox = resolve(folder);
    const policy = this.#markPolicy(inbox);
    const mark = inboxMark(inbox);
    // its files may have been sent by name since it was last kept, if it ever was: then only their summaries remember
    const summaries = this.#isSandbox ? [] : await Promise.all(folders.map((one) => this.#newestIn(one)));
    const others = this.#isSandbox ? [] : await this.#othersOf(inbox, folders);
    for (const found of [...summaries.flat(), ...others]) await assertKnown(found, policy);
    const keeper = this.#isSandbox
      ? undefined
      : await keepMark({
          ...mark,
          mode: 0o644,
          leftovers: this.#leftovers,
          now: () => this.#journal.mark(),
          assertKnown: (found) => assertKnown(found, policy),
        });
    if (keeper) this.#inboxes.set(inbox, keeper);
    return {
      remark: keeper || this.#isSandbox || (await markAt(mark.path)) !== "foreign" ? undefined : noMarkText(mark.path),
      isStanding: () => keeper?.isStanding() ?? Promise.resolve(true),
      close: async () => {
        this.#inboxes.delete(inbox);
        const isUsed = summaries.flat().length > 0 || (await this.#hasTakenOrHolds(inbox));
        await (isUsed ? keeper?.close() : keeper?.withdraw());
      },
    };
  }

  /**
   * The marks of inboxes that share files with this one: its folders of operations, and the one above where it is such a
   * folder. Before its own is put down: whoever works there would be refused by it in the middle of the work.
   */
  async #othersOf(inbox: string, folders: readonly string[]): Promise<readonly FoundMark[]> {
    const shared = [...folders, ...inboxesOf(join(inbox, INBOX_MARK))].map((one) => resolve(one));
    const others = [...new Set(shared)].filter((one) => one !== inbox && !this.#inboxes.has(one));
    const found = await Promise.all(others.map((one) => markAt(join(one, INBOX_MARK))));
    return found.filter((one) => typeof one === "object");
  }

  /** Whoever only looked in must not shut out the state directory that the folder belongs to. */
  async #hasTakenOrHolds(inbox: string): Promise<boolean> {
    if (this.#taken.has(inbox)) return true;
    // a journal that cannot be asked may hold it
    return this.#journal.inboxHolds().then(
      (holds) => holds.length > 0,
      () => true,
    );
  }

  /** I12: what the folder remembers must be known to the journal. Gives what a person accepts that is not. */
  async compare(file: string): Promise<readonly string[]> {
    if (this.#isSandbox) return [];
    for (const folder of inboxesOf(file)) await this.#inboxes.get(folder)?.assertOwn();
    const found = [...(await marksBeside(file, (folder) => this.#inboxes.has(folder))), ...(await this.#newest(file))];
    const losses = await Promise.all(found.map((one) => assertKnown(one, this.#markPolicy(file))));
    this.#known.add(dirname(file));
    for (const folder of inboxesOf(file)) this.#taken.add(folder);
    return losses.filter((loss) => loss !== undefined);
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
    if (this.#isSandbox || this.#compared.has(folder) || this.#keepsInboxOf(file)) return nothing;
    const { environment } = this.#config;
    const found = await othersSummary(file, this.#journal, environment);
    if (found && environment === "test") return { losses: [], remarks: [othersRemark(found)] };
    const loss = found && (await assertKnown(found, this.#markPolicy(file)));
    this.#compared.add(folder);
    return loss === undefined ? nothing : { losses: [loss], remarks: [] };
  }

  /** Once for each folder: each of two thousand named files would look at two thousand summaries. */
  #newest(file: string): Promise<FoundMark[]> | readonly FoundMark[] {
    const folder = dirname(file);
    return this.#known.has(folder) || this.#keepsInboxOf(file) ? [] : this.#newestIn(folder);
  }

  #newestIn(folder: string): Promise<FoundMark[]> {
    return newestSummary(folder, this.#journal.stateId);
  }

  /** This process works through one. */
  get keepsInbox(): boolean {
    return this.#inboxes.size > 0;
  }

  #keepsInboxOf(file: string): boolean {
    return inboxesOf(file).some((folder) => this.#inboxes.has(folder));
  }

  #markPolicy(place: string): MarkPolicy {
    const { acceptLostJournal, by, environment } = this.#config;
    const accepted = acceptLostJournal && by !== undefined ? { lossAcceptedBy: by } : {};
    return { journal: this.#journal, environment, place, ...accepted };
  }

  /** A person's word for what the journal does not know is kept in the history of the batch. */
  async note(batch: BatchRecord, losses: readonly string[]): Promise<void> {
    const by = this.#config.by ?? "paydrop";
    for (const note of losses) await this.#journal.note(batch.id, { by, kind: "accept_lost_journal", note });
  }

  /** While rows are sent: a crash must leave behind what was sent (I12). undefined: no mark can be kept. */
  async keepBeside(file: string, batch: BatchRecord, startedAt: number, mode: number): Promise<SendMark | undefined> {
    if (this.#isSandbox) return undefined;
    const mark = this.#keepsInboxOf(file) ? undefined : await this.#claimBeside(file, batch, startedAt, mode);
    try {
      await this.#assertAlone(file, mark);
    } catch (thrown) {
      await mark?.withdraw();
      throw thrown;
    }
    const inboxes = inboxesOf(file).flatMap((folder) => this.#inboxes.get(folder) ?? []);
    return mark ?? { renewFirst: () => this.#renewFirst(inboxes), close: () => Promise.resolve() };
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
      assertKnown: (found) => assertKnown(found, this.#markPolicy(file)),
    });
  }

  /**
   * Between the first look at a file and its first attempt another may have put its mark into the inbox. Each looks at
   * the other's after it has put down its own: of two that do so, one at least sees the other. What a person said of an
   * older loss is no word for one who sends at this moment.
   */
  async #assertAlone(file: string, mark: MarkKeeper | undefined): Promise<void> {
    await mark?.assertOwn();
    const policy: MarkPolicy = { journal: this.#journal, environment: this.#config.environment, place: file };
    for (const folder of inboxesOf(file)) {
      const kept = this.#inboxes.get(folder);
      if (kept) await kept.assertOwn();
      const found = kept ? undefined : await markAt(join(folder, INBOX_MARK));
      if (typeof found === "object") await assertKnown(found, policy);
    }
  }

  /** Once for each inbox, not for each file: who has a copy of this journal does not know that attempt, and is refused. */
  async #renewFirst(inboxes: readonly MarkKeeper[]): Promise<void> {
    for (const keeper of inboxes) {
      if (this.#marked.has(keeper)) continue;
      await keeper.renewFirst();
      this.#marked.add(keeper);
    }
  }
}
