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
import { complete } from "../messages/commands.ts";
import { awayLines, FOLDER_NEWS, heldLines, MAY_HAVE_GONE, stopLines } from "../messages/intake.ts";
import { told, toldLines, type Flags, type Facts, type Told } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import * as answers from "../results/answers.ts";
import { marksOf, notedIn } from "../results/place.ts";
import { REJECTED_FOR } from "../submission/again.ts";
import { fileOf, needsAPerson, standOf, troubleOf, type Away, type Worked } from "./folder-queue.ts";

export interface FolderListener {
  say(text: string): void;
  ended(report: BatchReport): void;
  failed(error: unknown): void;
  /** The folder is held, since then. */
  held?(at: number, news: Told): void;
  /** Files that wait now, the oldest since then; milliseconds since 1970. */
  saw?(count: { readonly files: number; readonly oldestSince?: number }, isRead: boolean): void;
  /** What commands to copy need besides. */
  readonly again?: Flags;
}

/** Why a folder is held, and since when. */
export type Hold = Awaited<ReturnType<Work["store"]["heldFolders"]>>[number];

/** What is done with a file or batch of an inbox, and answered beside it. What `process` throws ends the work there. */
export function folderWork(opened: Work, folder: string, listener: FolderListener, isOnce: boolean) {
  const failure = new AbortController();
  const { store, config, who, now, isTrial } = opened;
  const { again } = listener;
  const signals = { ...opened.signals, soft: AbortSignal.any([opened.signals.soft, failure.signal]) };
  const work = { ...opened, signals };
  const settings = JSON.stringify({ ...config, by: "", quiet: false, verbose: false, json: false });
  /** Exit codes by batch, or by file; of a watch only of what ended after it was asked to end. */
  const codes = new Map<string, number>();
  /** The versions of files that stay as they are until somebody acts, by path. */
  const refused = new Map<string, string>();
  /** Why each batch did not go the last time: the same again is no news. */
  const troubles = new Map<string, string | undefined>();
  let answered: ReadonlyMap<string, string> = new Map();
  /** What was said while the journal's server was away. */
  const away = new Map<string, string>();

  const tell = (code: keyof typeof FOLDER_NEWS, facts: Facts = {}): void => {
    const found = told(FOLDER_NEWS[code], { folder: printable(folder), inbox: folder, ...facts });
    const news = complete(found, { all: again ?? {} });
    if (code === "folder_held") listener.held?.(Number(facts["at"]), news);
    const isOfCourse = ["watching", "nothing_new", "not_ready"].includes(code);
    // a program reads the summary
    if (code === "nothing_new" && config.json) return;
    if (!isOfCourse || !config.quiet) listener.say(toldLines(news));
  };

  /** Makes this the only answer beside the file; undefined: none. */
  const put = async (path: string, answer: answers.Answer | undefined): Promise<void> => {
    if (!(await answers.putAnswer(path, answer)) && answer) tell("unanswered", { name: shown(path) });
  };

  const hold = (code: string): Promise<void> =>
    store.holdFolder(folder, code, { ...who, at: now(), kind: "hold_folder" });

  const noteCode = (name: string, code: number): void => {
    if (isOnce || signals.soft.aborted) codes.set(name, code);
  };

  /** A refused file is looked at again when it, its control totals, or the settings it was read with have changed. */
  const versionOf = async ({ path, stats }: FoundFile): Promise<string> => {
    const beside = [`${path}.control`, `${path}.control.txt`].map((control) =>
      lstat(control, { bigint: true }).then(identityOf, () => ""),
    );
    const parts = [path, identityOf(stats), String(stats.ctimeNs), ...(await Promise.all(beside)), settings];
    return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
  };

  const carryOut = async (
    path: string,
    how: (told: Work) => Promise<BatchReport | undefined>,
  ): Promise<Worked | undefined> => {
    const report = await answers.whileGoing(work, path, how);
    if (!report) return undefined;
    const { batch, requests, file, phase = "open", byStatus, files } = report;
    noteCode(batch, report.exitCode);
    const trouble = troubleOf(report, isOnce);
    if (!trouble || requests > 1 || troubles.get(batch) !== trouble.code) listener.ended(report);
    troubles.set(batch, trouble?.code);
    // every further try could make one more unknown row: a single run sends nothing more, a watch would try for ever
    const needsPerson = trouble !== undefined && needsAPerson(trouble.code);
    if (needsPerson && !isOnce) await hold(trouble.code);
    const goesByItself = !isOnce && trouble !== undefined && !needsPerson;
    if (path === file) await put(file, answers.openAnswer(report, { goesByItself, again }));
    else {
      // beside the first file a newer batch may have the word
      await answers.renewOpenAnswer(report, again).catch(() => undefined);
      await put(path, answers.copyAnswer(path, report));
    }
    // by the report: what a person lets go from here on is news
    const isUnapproved = report.stop?.code === "approval_wanted";
    const stand = [phase, byStatus.not_sent?.rows ?? 0, files.elsewhere !== undefined, isUnapproved].join();
    return { batch, stand, requests, trouble };
  };

  /** What one file did wrong does not keep the others waiting; a failing disk, or what nobody foresaw, ends it all. */
  const failed = async (path: string, version: string, error: unknown): Promise<void> => {
    const code = error instanceof PaydropError ? error.code : "";
    const words = error instanceof PaydropError ? error : told(FOLDER_NEWS.unforeseen, { found: messageOf(error) });
    // changed, exchanged or taken away just now: the next sweep sees what is there
    if (code === "stopped" || code === "usage") {
      if (!config.quiet) listener.say(words.text);
      return;
    }
    const isRefused = error instanceof FileRefusedError;
    const answer = isRefused
      ? answers.refusedAnswer(path, error, version)
      : answers.errorAnswer(path, words, again, code === "journal" ? [MAY_HAVE_GONE] : []);
    await put(path, answer);
    if (!isRefused && !isOfThisAlone(error)) throw error;
    noteCode(path, exitCodeOf(error));
    refused.set(path, version);
    listener.failed(error);
  };

  return {
    codes,
    ...{ failure, shared: opened.shared },
    tell,
    hold,

    async isKnown(file: FoundFile): Promise<"taken" | "refused" | "new"> {
      const { path, stats, isRetry } = file;
      const version = refused.get(path) ?? (await answers.refusedVersion(path));
      if (version !== undefined && version === (await versionOf(file))) return "refused";
      if ((await store.sourceOf(path, identityOf(stats))) !== undefined) return "taken";
      return isRetry && (await isRetryAsWritten(path)) ? "taken" : "new";
    },

    /** I12. A person's word is taken, and noted, where a batch begins. */
    async assertMarks(folders: readonly string[], files: readonly LookedFile[]): Promise<void> {
      if (isTrial || config.accept_lost_journal) return;
      try {
        for (const one of folders) await assertMark(one, store, false);
      } catch (error) {
        for (const { path } of files) await put(path, answers.errorAnswer(path, error as PaydropError, again));
        throw error;
      }
    },

    /** undefined: it became no batch. */
    async process(file: LookedFile): Promise<Worked | undefined> {
      const { path, sha256, fault } = file;
      // before it is read: what comes beside it meanwhile is seen
      const version = await versionOf(file);
      try {
        if (fault) throw new FileRefusedError(shown(path), [fault]);
        return await carryOut(path, (told) => runFile(told, path, sha256));
      } catch (error) {
        await failed(path, version, error);
        return undefined;
      }
    },

    async goOn(batch: BatchRecord): Promise<Worked | undefined> {
      const [{ id }, path] = [batch, fileOf(batch)];
      try {
        return await carryOut(path, (told) => goOn(told, id));
      } catch (error) {
        await failed(path, `batch ${id}`, error);
        return { batch: id, stand: standOf(batch), requests: 0, trouble: undefined };
      }
    },

    /** Of files that wait. Each answer is written once; it goes when its file goes. */
    async answerWaiting(files: readonly LookedFile[], blocked: Hold | Away | undefined, afterMs: number) {
      const given = new Map<string, string>();
      for (const { path, waits, forMs } of files) {
        if (forMs < afterMs && (waits !== undefined || !blocked)) continue;
        const lines = blocked && ("code" in blocked ? awayLines(blocked.code) : heldLines(blocked.reason, folder));
        const answer =
          waits === undefined && lines
            ? answers.troubleAnswer(path, lines, again)
            : answers.waitingAnswer(path, waits ?? "its_turn");
        if (answered.get(path) !== answer.text) await put(path, answer);
        given.set(path, answer.text);
      }
      answered = given;
    },

    /** The journal's server is away: it is not asked, and who waits is told. */
    async answerAway(files: readonly FoundFile[], since: number): Promise<void> {
      for (const { path } of files) {
        const answer = answers.serverAnswer(path, since);
        if (away.get(path) !== answer.text) await put(path, answer);
        away.set(path, answer.text);
      }
    },

    /** It is back: what was said of it is true no more. */
    async clearAway(): Promise<void> {
      if (away.size === 0) return;
      for (const path of away.keys()) await put(path, undefined);
      away.clear();
      answered = new Map();
    },

    saw(files: readonly LookedFile[], isRead: boolean): void {
      const oldestSince = Date.now() - Math.max(...files.map(({ forMs }) => forMs));
      listener.saw?.({ files: files.length, ...(files.length > 0 && { oldestSince }) }, isRead);
    },

    /** Batches of this inbox of which rows can go, or whose results are owed. */
    async unfinished(): Promise<readonly BatchRecord[]> {
      const [folders, { environment }] = [await inboxFolders(folder), config];
      const found = await store.batches({ folders, environment, isUnfinished: true, rejectedFor: REJECTED_FOR });
      return found.filter(({ phase, owesResults }) => phase === "open" || owesResults);
    },

    holdOf: async (): Promise<Hold | undefined> => (await store.heldFolders()).find((one) => one.folder === folder),

    answerStop: (held: Hold | undefined): Promise<void> =>
      answers.answerStop(folder, held && stopLines(held.reason, folder), again),
  };
}

/** The settings, or what is kept of this batch, must be put right first; nothing else waits for that. */
function isOfThisAlone(error: unknown): boolean {
  if (!(error instanceof PaydropError)) return false;
  return ["config", "destination", "locked"].includes(error.code) || /^(?:spool_|copy_missing$)/.test(error.reason);
}

export const shown = (path: string): string => printable(basename(path), 200);

/** Whether a retry file is byte for byte what was written. A later batch moves it under its id before its summary. */
export async function isRetryAsWritten(path: string): Promise<boolean> {
  const [, file = "", id = ""] = /^(.+)\.retry(\.[0-9a-z]{1,32})?\.[a-z]+$/is.exec(path) ?? [];
  const noted = await Promise.all([`${file}.summary.json`, `${file}.summary${id}.json`].map(notedIn));
  const batch = await marksOf(noted).retry(path).catch(() => undefined); // prettier-ignore
  return batch !== undefined;
}
