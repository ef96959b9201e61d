import { basename } from "node:path";
import type { Work } from "../batch.ts";
import type { BatchReport } from "../events.ts";
import { inboxFolders, type LookedFile } from "../intake/inbox.ts";
import type { BatchRecord } from "../journal/store.ts";
import { complete } from "../messages/commands.ts";
import { FOLDER_NEWS } from "../messages/intake.ts";
import { told, toldLines, type Facts, type Flags, type Told } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { REJECTED_FOR } from "../submission/again.ts";

export interface FolderListener {
  say(text: string): void;
  ended(report: BatchReport): void;
  failed(error: unknown): void;
  /** Nothing goes from the folder, since then. */
  held?(at: number, news: Told): void;
  /** Files that wait now, the oldest since then; milliseconds since 1970. */
  saw?(count: { readonly files: number; readonly oldestSince?: number }, isRead: boolean): void;
  /** What commands to copy need besides. */
  readonly again?: Flags;
}

/** Why nothing goes from a folder, and since when. */
export type FolderStop = Awaited<ReturnType<Work["store"]["heldFolders"]>>[number];

export const shown = (path: string): string => printable(basename(path), 200);

/** A folder that is worked through: with what, what the journal has of it, and who is told. */
export class Folder {
  readonly path: string;
  readonly listener: FolderListener;
  readonly isOnce: boolean;
  /** Ends all that is at work here, softly. */
  readonly failure = new AbortController();
  readonly work: Work;

  constructor(work: Work, path: string, listener: FolderListener, { isOnce }: { readonly isOnce: boolean }) {
    const soft = AbortSignal.any([work.signals.soft, this.failure.signal]);
    this.work = { ...work, signals: { ...work.signals, soft } };
    this.path = path;
    this.listener = listener;
    this.isOnce = isOnce;
  }

  tell(code: keyof typeof FOLDER_NEWS, facts: Facts = {}): void {
    const { quiet, json } = this.work.config;
    const found = told(FOLDER_NEWS[code], { folder: printable(this.path), inbox: this.path, ...facts });
    const news = complete(found, { all: this.listener.again ?? {} });
    if (code === "folder_held") this.listener.held?.(Number(facts["at"]), news);
    const isOfCourse = ["watching", "nothing_new", "not_ready"].includes(code);
    // a program reads the summary
    if (code === "nothing_new" && json) return;
    if (!isOfCourse || !quiet) this.listener.say(toldLines(news));
  }

  saw(files: readonly LookedFile[], isRead: boolean): void {
    const oldestSince = Date.now() - Math.max(...files.map(({ forMs }) => forMs));
    this.listener.saw?.({ files: files.length, ...(files.length > 0 && { oldestSince }) }, isRead);
  }

  /** Nothing goes from here until a person resumes it. */
  stop(code: string): Promise<void> {
    const { store, who, now } = this.work;
    return store.holdFolder(this.path, code, { ...who, at: now(), kind: "hold_folder" });
  }

  async stopped(): Promise<FolderStop | undefined> {
    return (await this.work.store.heldFolders()).find(({ folder }) => folder === this.path);
  }

  /** Batches of this inbox of which rows can go, or whose results are owed. */
  async unfinished(): Promise<readonly BatchRecord[]> {
    const { store, config } = this.work;
    const [folders, { environment }] = [await inboxFolders(this.path), config];
    const found = await store.batches({ folders, environment, isUnfinished: true, rejectedFor: REJECTED_FOR });
    return found.filter(({ phase, owesResults }) => phase === "open" || owesResults);
  }
}
