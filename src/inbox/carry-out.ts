import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { goOn, runFile, type Work } from "../batch.ts";
import { FileRefusedError, messageOf, PaydropError } from "../errors.ts";
import type { BatchReport } from "../events.ts";
import { exitCodeOf } from "../exit-codes.ts";
import type { FoundFile, LookedFile } from "../intake/inbox.ts";
import { identityOf } from "../intake/snapshot.ts";
import type { BatchRecord } from "../journal/store.ts";
import { FOLDER_NEWS, MAY_HAVE_GONE } from "../messages/intake.ts";
import { told } from "../messages/sentence.ts";
import * as answers from "../results/answers.ts";
import { isRetryAsWritten } from "../results/place.ts";
import type { Beside } from "./beside.ts";
import { shown, type Folder } from "./folder.ts";
import { fileOf, needsAPerson, standAfter, standOf, troubleOf, type Worked } from "./worked.ts";

/** Does what is to be done with a file or a batch of a folder. What it throws ends the work there. */
export class Carrier {
  readonly #folder: Folder;
  readonly #beside: Beside;
  readonly #settings: string;
  /** Exit codes by batch, or by file; of a watch only of what ended after it was asked to end. */
  readonly #codes = new Map<string, number>();
  /** The versions of files that stay as they are until somebody acts, by path. */
  readonly #refused = new Map<string, string>();
  /** Why each batch did not go the last time: the same again is no news. */
  readonly #troubles = new Map<string, string | undefined>();

  constructor(folder: Folder, beside: Beside) {
    this.#folder = folder;
    this.#beside = beside;
    this.#settings = JSON.stringify({ ...folder.work.config, by: "", quiet: false, verbose: false, json: false });
  }

  codes(): readonly number[] {
    return [...this.#codes.values()];
  }

  async isKnown(file: FoundFile): Promise<"taken" | "refused" | "new"> {
    const { path, stats, isRetry } = file;
    const version = this.#refused.get(path) ?? (await answers.refusedVersion(path));
    if (version !== undefined && version === (await this.#versionOf(file))) return "refused";
    if ((await this.#folder.work.store.sourceOf(path, identityOf(stats))) !== undefined) return "taken";
    return isRetry && (await isRetryAsWritten(path)) ? "taken" : "new";
  }

  /** undefined: it became no batch. */
  async takeUp(file: LookedFile): Promise<Worked | undefined> {
    const { path, sha256, fault } = file;
    // before it is read: what comes beside it meanwhile is seen
    const version = await this.#versionOf(file);
    try {
      if (fault) throw new FileRefusedError(shown(path), [fault]);
      return await this.#carryOut(path, (work) => runFile(work, path, sha256));
    } catch (error) {
      await this.#answerFailed(path, version, error);
      return undefined;
    }
  }

  async goOn(batch: BatchRecord): Promise<Worked | undefined> {
    const [{ id }, path] = [batch, fileOf(batch)];
    try {
      return await this.#carryOut(path, (work) => goOn(work, id));
    } catch (error) {
      await this.#answerFailed(path, `batch ${id}`, error);
      return { batch: id, stand: standOf(batch), requests: 0, trouble: undefined };
    }
  }

  async #carryOut(path: string, how: (work: Work) => Promise<BatchReport | undefined>): Promise<Worked | undefined> {
    const { work, isOnce } = this.#folder;
    const report = await answers.whileGoing(work, path, how);
    if (!report) return undefined;
    const { batch, requests } = report;
    this.#noteCode(batch, report.exitCode);
    const trouble = troubleOf(report, isOnce);
    this.#tellEnded(report, trouble);
    // every further try could make one more unknown row: a single run sends nothing more, a watch would try for ever
    const needsPerson = trouble !== undefined && needsAPerson(trouble.code);
    if (needsPerson && !isOnce) await this.#folder.stop(trouble.code);
    await this.#answerEnded(path, report, { goesByItself: !isOnce && trouble !== undefined && !needsPerson });
    return { batch, stand: standAfter(report), requests, trouble };
  }

  #noteCode(name: string, code: number): void {
    const { isOnce, work } = this.#folder;
    if (isOnce || work.signals.soft.aborted) this.#codes.set(name, code);
  }

  #tellEnded(report: BatchReport, trouble: Worked["trouble"]): void {
    const { batch, requests } = report;
    if (!trouble || requests > 1 || this.#troubles.get(batch) !== trouble.code) this.#folder.listener.ended(report);
    this.#troubles.set(batch, trouble?.code);
  }

  async #answerEnded(path: string, report: BatchReport, more: { readonly goesByItself: boolean }): Promise<void> {
    const { again } = this.#folder.listener;
    if (path === report.file) {
      await this.#beside.put(path, answers.openAnswer(report, { ...more, again }));
      return;
    }
    // beside the first file a newer batch may have the word
    await answers.renewOpenAnswer(report, again).catch(() => undefined);
    await this.#beside.put(path, answers.copyAnswer(path, report));
  }

  /** What one file did wrong does not keep the others waiting; a failing disk, or what nobody foresaw, ends it all. */
  async #answerFailed(path: string, version: string, error: unknown): Promise<void> {
    const { work, listener } = this.#folder;
    const code = error instanceof PaydropError ? error.code : "";
    const words = error instanceof PaydropError ? error : told(FOLDER_NEWS.unforeseen, { found: messageOf(error) });
    const isOfOthers = error instanceof PaydropError && error.reason === "batch_elsewhere";
    // changed, exchanged or taken away just now, or another host's: the next sweep sees what is there
    if (code === "stopped" || code === "usage" || isOfOthers) {
      if (!work.config.quiet) listener.say(words.text);
      return;
    }
    const isRefused = error instanceof FileRefusedError;
    const answer = isRefused
      ? answers.refusedAnswer(path, error, version)
      : answers.errorAnswer(path, words, listener.again, code === "journal" ? [MAY_HAVE_GONE] : []);
    await this.#beside.put(path, answer);
    if (!isRefused && !isOfThisAlone(error)) throw error;
    this.#noteCode(path, exitCodeOf(error));
    this.#refused.set(path, version);
    listener.failed(error);
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
  return ["config", "destination", "locked"].includes(error.code) || /^(?:spool_|copy_missing$)/.test(error.reason);
}
