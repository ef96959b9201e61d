import { basename } from "node:path";
import type { Work } from "../batch.ts";
import type { BatchReport } from "../events.ts";
import { inboxFolders, type LookedFile } from "../intake/inbox.ts";
import type { BatchRecord } from "../journal/store.ts";
import { FOLDER_NEWS } from "../messages/intake.ts";
import { told, type Facts, type Told } from "../messages/sentence.ts";
import { asWord, printable } from "../printable.ts";
import { REJECTED_FOR } from "../submission/again.ts";

export interface FolderListener {
  say(text: string): void;
  ended(report: BatchReport): void;
  failed(error: unknown): void;
  /** Nothing goes from the folder, since then. */
  held?(at: number, news: Told): void;
  /** Files that wait now, the oldest since then; milliseconds since 1970. */
  saw?(count: { readonly files: number; readonly oldestSince?: number }, isRead: boolean): void;
  /** What commands to copy need besides: ` --state-dir /srv/paydrop`. */
  readonly again?: string;
}

/** Why nothing goes from a folder, and since when. */
export type FolderStop = Awaited<ReturnType<Work["store"]["heldFolders"]>>[number];

export const shown = (path: string): string => printable(basename(path), 200);
export const resumeCommand = (folder: string): string => `paydrop resume --inbox ${asWord(folder)} --by NAME`;

/** A folder that is worked through: with what, what the journal has of it, and who is told. */
export class Folder {
  readonly path: string;
  readonly listener: FolderListener;
  readonly isOnce: boolean;
  /** Ends all that is at work here, softly. */
  readonly failure = new AbortController();
  readonly work: Work;
  /** By this a person lets it go on. */
  readonly resume: string;

  constructor(work: Work, path: string, listener: FolderListener, { isOnce }: { readonly isOnce: boolean }) {
    const soft = AbortSignal.any([work.signals.soft, this.failure.signal]);
    this.work = { ...work, signals: { ...work.signals, soft } };
    this.path = path;
    this.listener = listener;
    this.isOnce = isOnce;
    this.resume = resumeCommand(path) + (listener.again ?? "");
  }

  tell(code: keyof typeof FOLDER_NEWS, facts: Facts = {}): void {
    const { quiet, json } = this.work.config;
    const { text, todo } = told(FOLDER_NEWS[code], { folder: printable(this.path), command: this.resume, ...facts });
    if (code === "folder_held") this.listener.held?.(Number(facts["at"]), { text, todo });
    const isOfCourse = ["watching", "nothing_new", "not_ready"].includes(code);
    // a program reads the summary
    if (code === "nothing_new" && json) return;
    if (!isOfCourse || !quiet) this.listener.say(todo === "" ? text : `${text}\n  → ${todo}`);
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
