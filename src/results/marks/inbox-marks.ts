import { join, resolve } from "node:path";
import type { JournalStore } from "../../journal/store.ts";
import type { Leftovers } from "../disk/leftovers.ts";
import {
  assertKnown,
  INBOX_MARK,
  inboxesOf,
  markAt,
  newestSummary,
  noMarkText,
  type FoundMark,
  type MarkPolicy,
} from "./found-mark.ts";
import { inboxMark, keepMark } from "./keep-mark.ts";
import type { MarkKeeper, SendMark } from "./mark-keeper.ts";

export interface InboxKeeper extends Pick<MarkKeeper, "isStanding" | "close"> {
  /** Why no mark is kept, where a person can mend it. */
  readonly remark: string | undefined;
}

/** The inboxes that this process works through, and the mark that it keeps in each, the file `.paydrop` (I9, I12). */
export class InboxMarks {
  readonly #journal: JournalStore;
  readonly #leftovers: Leftovers;
  readonly #policyOf: (place: string) => MarkPolicy;
  readonly #kept = new Map<string, MarkKeeper>();
  /** Those from which a row went since they are kept. */
  readonly #marked = new WeakSet<MarkKeeper>();
  /** Folders that may be the inbox of a file that was taken. */
  readonly #taken = new Set<string>();

  constructor(journal: JournalStore, leftovers: Leftovers, policyOf: (place: string) => MarkPolicy) {
    this.#journal = journal;
    this.#leftovers = leftovers;
    this.#policyOf = policyOf;
  }

  /** Puts the mark into an inbox, refused where another's is, and renews it every second. `folders`: it and its own. */
  async keep(folder: string, folders: readonly string[]): Promise<InboxKeeper> {
    const inbox = resolve(folder);
    const policy = this.#policyOf(inbox);
    const mark = inboxMark(inbox);
    // its files may have been sent by name since it was last kept, if it ever was: then only their summaries remember
    const { stateId } = this.#journal;
    const summaries = (await Promise.all(folders.map((one) => newestSummary(one, stateId)))).flat();
    const others = await this.#othersOf(inbox, folders);
    for (const found of [...summaries, ...others]) await assertKnown(found, policy);
    const keeper = await keepMark({
      ...mark,
      mode: 0o644,
      leftovers: this.#leftovers,
      now: () => this.#journal.mark(),
      assertKnown: (found) => assertKnown(found, policy),
    });
    if (keeper) this.#kept.set(inbox, keeper);
    return {
      remark: keeper || (await markAt(mark.path)) !== "foreign" ? undefined : noMarkText(mark.path),
      isStanding: () => keeper?.isStanding() ?? Promise.resolve(true),
      close: async () => {
        this.#kept.delete(inbox);
        const isUsed = summaries.length > 0 || (await this.#hasTakenOrHolds(inbox));
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
    const others = [...new Set(shared)].filter((one) => one !== inbox && !this.has(one));
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

  /** This process works through one. */
  get keepsAny(): boolean {
    return this.#kept.size > 0;
  }

  has(folder: string): boolean {
    return this.#kept.has(folder);
  }

  keepsThatOf(file: string): boolean {
    return inboxesOf(file).some((folder) => this.has(folder));
  }

  /** Throws where another has put its mark into the inbox of the file since. */
  async assertOwn(file: string): Promise<void> {
    for (const folder of inboxesOf(file)) await this.#kept.get(folder)?.assertOwn();
  }

  noteTaken(file: string): void {
    for (const folder of inboxesOf(file)) this.#taken.add(folder);
  }

  /**
   * Between the first look at a file and its first attempt another may have put its mark into the inbox. Each looks at
   * the other's after it has put down its own: of two that do so, one at least sees the other. What a person said of an
   * older loss is no word for one who sends at this moment.
   */
  async assertAlone(file: string): Promise<void> {
    const { journal, environment, place } = this.#policyOf(file);
    for (const folder of inboxesOf(file)) {
      const kept = this.#kept.get(folder);
      if (kept) await kept.assertOwn();
      const found = kept ? undefined : await markAt(join(folder, INBOX_MARK));
      if (typeof found === "object") await assertKnown(found, { journal, environment, place });
    }
  }

  /** The marks of the inboxes of a file, for as long as its rows go: they are kept for the other files too. */
  sendMark(file: string): SendMark {
    const keepers = inboxesOf(file).flatMap((folder) => this.#kept.get(folder) ?? []);
    return { renewFirst: () => this.#renewFirst(keepers), close: () => Promise.resolve() };
  }

  /** Once for each inbox, not for each file: who has a copy of this journal does not know that attempt, and is refused. */
  async #renewFirst(keepers: readonly MarkKeeper[]): Promise<void> {
    for (const keeper of keepers) {
      if (this.#marked.has(keeper)) continue;
      await keeper.renewFirst();
      this.#marked.add(keeper);
    }
  }
}
