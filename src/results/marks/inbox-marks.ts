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
  /** Keepers of inboxes from which a row went since they are kept. */
  readonly #marked = new WeakSet<MarkKeeper>();
  /** Folders that may be the inbox of a file that was taken. */
  readonly #taken = new Set<string>();

  constructor(journal: JournalStore, leftovers: Leftovers, policyOf: (place: string) => MarkPolicy) {
    this.#journal = journal;
    this.#leftovers = leftovers;
    this.#policyOf = policyOf;
  }

  /** Keeps a mark in an inbox; throws where another's is. `folders`: the inbox and its operation folders. */
  async keep(folder: string, folders: readonly string[]): Promise<InboxKeeper> {
    const inbox = resolve(folder);
    const policy = this.#policyOf(inbox);
    const mark = inboxMark(inbox);
    // its files may have been sent by their names while no mark was kept: then only their summaries remember
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
   * The marks of inboxes that share files with this one: in its operation folders, or in the folder above an operation
   * folder. They are looked at before its own mark is written, which would stop whoever works there in the middle.
   */
  async #othersOf(inbox: string, folders: readonly string[]): Promise<readonly FoundMark[]> {
    const shared = [...folders, ...inboxesOf(join(inbox, INBOX_MARK))].map((one) => resolve(one));
    const others = [...new Set(shared)].filter((one) => one !== inbox && !this.has(one));
    const found = await Promise.all(others.map((one) => markAt(join(one, INBOX_MARK))));
    return found.filter((one) => typeof one === "object");
  }

  /**
   * Whether the mark must stay: who only looked in must not shut out the state directory that the folder belongs to.
   */
  async #hasTakenOrHolds(inbox: string): Promise<boolean> {
    if (this.#taken.has(inbox)) return true;
    // a journal that cannot be asked may hold it
    return this.#journal.inboxHolds().then(
      (holds) => holds.length > 0,
      () => true,
    );
  }

  /** Whether this process works through an inbox. */
  get keepsAny(): boolean {
    return this.#kept.size > 0;
  }

  has(folder: string): boolean {
    return this.#kept.has(folder);
  }

  keepsThatOf(file: string): boolean {
    return inboxesOf(file).some((folder) => this.has(folder));
  }

  /** Throws where another process has put its mark into the inbox of the file since. */
  async assertOwn(file: string): Promise<void> {
    for (const folder of inboxesOf(file)) await this.#kept.get(folder)?.assertOwn();
  }

  noteTaken(file: string): void {
    for (const folder of inboxesOf(file)) this.#taken.add(folder);
  }

  /**
   * Between the first look at a file and its first attempt another process may have put its mark into the inbox. Each
   * looks for the other's mark after it has written its own: of two, at least one sees the other. A person's word for
   * an older loss does not count here: the other one may be sending at this moment.
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

  /** The marks of the inboxes of a file, while its rows go; closing leaves them: they are kept for other files too. */
  sendMark(file: string): SendMark {
    const keepers = inboxesOf(file).flatMap((folder) => this.#kept.get(folder) ?? []);
    return { renewFirst: () => this.#renewFirst(keepers), close: () => Promise.resolve() };
  }

  /**
   * Puts the first attempt into each mark, once: a process with a copy of this journal does not know it, and is
   * refused.
   */
  async #renewFirst(keepers: readonly MarkKeeper[]): Promise<void> {
    for (const keeper of keepers) {
      if (this.#marked.has(keeper)) continue;
      await keeper.renewFirst();
      this.#marked.add(keeper);
    }
  }
}
