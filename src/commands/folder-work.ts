import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { basename } from "node:path";
import { goOn, runFile, type Work } from "../batch.ts";
import { FileRefusedError, messageOf, PaydropError } from "../errors.ts";
import type { BatchReport } from "../events.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { inboxFolders, type FoundFile, type LookedFile } from "../intake/inbox.ts";
import { assertMark } from "../intake/mark.ts";
import { identityOf } from "../intake/snapshot.ts";
import type { BatchRecord } from "../journal/store.ts";
import { FOLDER_NEWS, heldLines, stopLines } from "../messages/intake.ts";
import { told, type Facts } from "../messages/sentence.ts";
import { asWord, printable } from "../printable.ts";
import * as answers from "../results/answers.ts";
import { marksOf, notedIn } from "../results/place.ts";
import { filtersOf } from "../submission/again.ts";
import { fileOf, needsAPerson, standOf, troubleOf, type Worked } from "./folder-queue.ts";

export interface FolderListener {
  say(text: string): void;
  ended(report: BatchReport): void;
  failed(error: unknown): void;
  /** Files that wait now, the oldest since then; milliseconds since 1970. */
  saw?(count: { readonly files: number; readonly oldestSince?: number }): void;
  /** What commands to copy need besides: ` --state-dir /srv/paydrop`. */
  readonly again?: string;
}

export type Hold = NonNullable<Awaited<ReturnType<FolderWork["holdOf"]>>>;

/** What is done with one file or batch of an inbox, what is answered beside it, and what is told of it. */
export class FolderWork {
  /** Exit codes by batch, or by file; of a watch only of what ended after it was asked to end. */
  readonly codes = new Map<string, number>();
  readonly failure = new AbortController();
  readonly #work: Work;
  readonly #settings: string;
  readonly #folder: string;
  readonly #listener: FolderListener;
  readonly #resume: string;
  readonly #isOnce: boolean;
  /** The versions of files that stay as they are until somebody acts, by path. */
  readonly #refused = new Map<string, string>();
  /** Why each batch did not go the last time: the same again is no news. */
  readonly #troubles = new Map<string, string | undefined>();
  #answered: ReadonlyMap<string, string> = new Map();

  constructor(work: Work, folder: string, listener: FolderListener, isOnce: boolean) {
    const soft = AbortSignal.any([work.signals.soft, this.failure.signal]);
    this.#work = { ...work, signals: { ...work.signals, soft } };
    this.#settings = JSON.stringify({ ...work.config, by: "", quiet: false, verbose: false, json: false });
    this.#folder = folder;
    this.#listener = listener;
    this.#resume = resumeCommand(folder) + (listener.again ?? "");
    this.#isOnce = isOnce;
  }

  async isKnown(file: FoundFile): Promise<"taken" | "refused" | "new"> {
    const { path, stats, isRetry } = file;
    const refused = this.#refused.get(path) ?? (await answers.refusedVersion(path));
    if (refused !== undefined && refused === (await this.#versionOf(file))) return "refused";
    if ((await this.#work.store.sourceOf(path, identityOf(stats))) !== undefined) return "taken";
    return isRetry && (await isRetryAsWritten(path)) ? "taken" : "new";
  }

  /** I12. A person's word is taken, and noted, where a batch begins. */
  async assertMarks(folders: readonly string[]): Promise<void> {
    const { isTrial, config, store } = this.#work;
    if (isTrial || config.accept_lost_journal) return;
    for (const folder of folders) await assertMark(folder, store, false);
  }

  /** undefined: it became no batch. What it throws ends the work on the folder. */
  async process(file: LookedFile): Promise<Worked | undefined> {
    const { path, sha256, fault } = file;
    // before it is read: what comes beside it meanwhile is seen
    const version = await this.#versionOf(file);
    try {
      if (fault) throw new FileRefusedError(shown(path), [fault]);
      return await this.#carryOut(path, () => runFile(this.#work, path, sha256));
    } catch (error) {
      await this.#failed(path, version, error);
      return undefined;
    }
  }

  async goOn(batch: BatchRecord): Promise<Worked | undefined> {
    const [{ id }, path] = [batch, fileOf(batch)];
    try {
      return await this.#carryOut(path, () => goOn(this.#work, id));
    } catch (error) {
      await this.#failed(path, `batch ${id}`, error);
      return { batch: id, stand: standOf(batch), requests: 0, trouble: undefined };
    }
  }

  async #carryOut(path: string, how: () => Promise<BatchReport | undefined>): Promise<Worked | undefined> {
    const report = await this.#whileGoing(path, () => this.#work.shared.together(how));
    if (!report) return undefined;
    const { batch, requests, file, phase = "open", byStatus, files } = report;
    this.#noteCode(batch, report.exitCode);
    const trouble = troubleOf(report, this.#isOnce);
    if (!trouble || requests > 1 || this.#troubles.get(batch) !== trouble.code) this.#listener.ended(report);
    this.#troubles.set(batch, trouble?.code);
    // every further try could make one more unknown row: a single run sends nothing more, a watch would try for ever
    const needsPerson = trouble !== undefined && needsAPerson(trouble.code);
    if (needsPerson && !this.#isOnce) await this.hold(trouble.code);
    const goesByItself = !this.#isOnce && trouble !== undefined && !needsPerson;
    await this.#put(file, answers.openAnswer(report, { goesByItself, again: this.#listener.again }));
    if (path !== file) await this.#put(path, answers.copyAnswer(path, report));
    // by the report: what a person lets go from here on is news
    const stand = [phase, byStatus.not_sent?.rows ?? 0, files.elsewhere !== undefined].join();
    return { batch, stand, requests, trouble };
  }

  /** What is on its way for a while is told to be; what is said last stays. */
  async #whileGoing<T>(path: string, work: () => Promise<T>): Promise<T> {
    let telling: Promise<void> | undefined;
    const tell = (): unknown => (telling = this.#put(path, answers.waitingAnswer(path, "going")));
    const timer = setTimeout(tell, this.#work.config.settle);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      await telling;
    }
  }

  /** Makes this the only answer beside the file; undefined: none. */
  async #put(path: string, answer: answers.Answer | undefined): Promise<void> {
    if (!(await answers.putAnswer(path, answer)) && answer) this.tell("unanswered", { name: shown(path) });
  }

  tell(code: keyof typeof FOLDER_NEWS, facts: Facts = {}): void {
    const where = { folder: printable(this.#folder), command: this.#resume };
    const { text, todo } = told(FOLDER_NEWS[code], { ...where, ...facts });
    const isOfCourse = ["watching", "nothing_new", "not_ready"].includes(code);
    if (!isOfCourse || !this.#work.config.quiet) this.#listener.say(todo === "" ? text : `${text}\n  → ${todo}`);
  }

  /** `files`: those that wait. Each answer is written once; it goes when its file goes. */
  async answerWaiting(
    files: readonly LookedFile[],
    blocked: Hold | "away" | undefined,
    afterMs: number,
  ): Promise<void> {
    const answered = new Map<string, string>();
    for (const { path, waits, forMs } of files) {
      if (forMs < afterMs && (waits !== undefined || !blocked)) continue;
      const answer =
        waits === undefined && typeof blocked === "object"
          ? answers.troubleAnswer(path, heldLines(blocked.reason, this.#resume))
          : answers.waitingAnswer(path, waits ?? (blocked ? "away" : "its_turn"));
      if (this.#answered.get(path) !== answer.text) await this.#put(path, answer);
      answered.set(path, answer.text);
    }
    this.#answered = answered;
  }

  saw(files: readonly LookedFile[]): void {
    const oldestSince = Date.now() - Math.max(...files.map(({ forMs }) => forMs));
    this.#listener.saw?.({ files: files.length, ...(files.length > 0 && { oldestSince }) });
  }

  #noteCode(name: string, code: number): void {
    if (this.#isOnce || this.#work.signals.soft.aborted) this.codes.set(name, code);
  }

  /** What one file did wrong does not keep the others waiting; a failing disk, or what nobody foresaw, ends it all. */
  async #failed(path: string, version: string, error: unknown): Promise<void> {
    const { code, message, hint } =
      error instanceof PaydropError ? error : { code: "", message: messageOf(error), hint: "Ask IT." };
    // changed, exchanged or taken away just now: the next sweep sees what is there
    if (code === "stopped" || code === "usage") {
      if (!this.#work.config.quiet) this.#listener.say(message);
      return;
    }
    const isRefused = error instanceof FileRefusedError;
    const trouble = [message, hint];
    await this.#put(path, isRefused ? answers.refusedAnswer(path, error, version) : answers.troubleAnswer(path, trouble)); // prettier-ignore
    if (!isRefused && !isOfThisAlone(error)) throw error;
    this.#noteCode(path, exitCodeOf(error));
    this.#refused.set(path, version);
    this.#listener.failed(error);
  }

  /** Batches of this inbox of which rows can go, or whose results are owed. */
  async unfinished(): Promise<readonly BatchRecord[]> {
    const { store, config } = this.#work;
    const [folders, { environment }] = [await inboxFolders(this.#folder), config];
    const found = await store.batches({ folders, environment, isUnfinished: true, rejectedFor: REJECTED_FOR });
    return found.filter(({ phase, owesResults }) => phase === "open" || owesResults);
  }

  async holdOf() {
    return (await this.#work.store.heldFolders()).find(({ folder }) => folder === this.#folder);
  }

  async hold(code: string): Promise<void> {
    const { store, who, now } = this.#work;
    await store.holdFolder(this.#folder, code, { ...who, at: now(), kind: "hold_folder" });
  }

  answerStop(hold: Hold | undefined): Promise<void> {
    return answers.answerStop(this.#folder, hold && stopLines(hold.reason, this.#resume));
  }

  /** A refused file is looked at again when it, its control totals, or the settings it was read with have changed. */
  async #versionOf({ path, stats }: FoundFile): Promise<string> {
    const beside = [`${path}.control`, `${path}.control.txt`].map((control) =>
      lstat(control, { bigint: true }).then(identityOf, () => ""),
    );
    const parts = [path, identityOf(stats), String(stats.ctimeNs), ...(await Promise.all(beside)), this.#settings];
    return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
  }
}

/** The settings, or what is kept of this batch, must be put right first; nothing else waits for that. */
function isOfThisAlone(error: unknown): boolean {
  if (!(error instanceof PaydropError)) return false;
  return ["config", "destination"].includes(error.code) || /^(?:spool_|copy_missing$)/.test(error.reason);
}

const REJECTED_FOR = filtersOf("run").flatMap(({ states, codes = [] }) => (states?.includes("rejected") ? codes : []));

export const shown = (path: string): string => printable(basename(path), 200);
export const resumeCommand = (folder: string): string => `paydrop resume --inbox ${asWord(folder)} --by NAME`;

/** Whether a retry file is byte for byte what was written. A later batch moves it under its id before its summary. */
async function isRetryAsWritten(path: string): Promise<boolean> {
  const [, file = "", id = ""] = /^(.+)\.retry(\.[0-9a-z]{1,32})?\.[a-z]+$/is.exec(path) ?? [];
  const noted = await Promise.all([`${file}.summary.json`, `${file}.summary${id}.json`].map(notedIn));
  return (
    (await marksOf(noted)
      .retry(path)
      .catch(() => undefined)) !== undefined
  );
}
