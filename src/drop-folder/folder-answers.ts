import { basename, dirname, join } from "node:path";
import { namesIn } from "../intake/inbox-folders.ts";
import type { Sweep } from "../intake/inbox.ts";
import { printable } from "../text/printable.ts";
import { answeredFile, isOwnAnswer, putAnswer, removeUnfinishedAnswers } from "../results/answers/files.ts";
import { notYetAnswer, type Answer } from "../results/answers/answers.ts";
import type { FolderListener } from "./folder-listener.ts";

/** `sha256`: of the file as it lies there, where that is known already. */
interface LyingFile {
  readonly path: string;
  readonly sha256?: string;
}

type HasEnd = (file: LyingFile) => Promise<boolean>;

/** A file that waits longer than this gets an answer. */
const ANSWER_AFTER_MS = 120_000;

/** What stands beside the files of a drop folder for people without a terminal: kept true, and taken away when it is not. */
export class FolderAnswers {
  readonly #listener: FolderListener;
  readonly #blocked: (path: string) => Answer | undefined;
  readonly #hasEnd: HasEnd;
  readonly #put = new Map<string, string>();
  readonly #complained = new Set<string>();
  #readySince = new Map<string, number>();

  /**
   * `blocked`: why nothing goes from the folder for now; undefined: it goes. `hasEnd`: nothing of the file is left to
   * send, though it was not seen before under this name of its folder.
   */
  constructor(listener: FolderListener, blocked: (path: string) => Answer | undefined, hasEnd: HasEnd) {
    this.#listener = listener;
    this.#blocked = blocked;
    this.#hasEnd = hasEnd;
  }

  /** `answer` undefined: nothing is to be said. What was said before is said again: a person may have taken it away. */
  async put(path: string, answer: Answer | undefined): Promise<void> {
    const said = answer?.text ?? "";
    const isPut = await putAnswer(path, answer);
    if (!isPut && answer) this.#complain(`${printable(basename(path))}.${answer.kind}.txt could not be written`);
    if (isPut && answer) this.#put.set(path, said);
    else this.#put.delete(path);
  }

  /** `answer` is about a file that waits: one that has its end waits for nothing, and keeps what is said of it. */
  async putWaiting(file: LyingFile, answer: Answer): Promise<void> {
    if (!(await this.#hasEnd(file))) await this.put(file.path, answer);
  }

  /** `open`: of the files that lay still for long enough, those with which something is left to do. */
  async afterSweep({ ready, waiting, present }: Sweep, open: Sweep["ready"]): Promise<void> {
    const nowMs = performance.now();
    for (const file of waiting) {
      if (file.forMs >= ANSWER_AFTER_MS) await this.#keep(file, notYetAnswer(file.path, file.why));
    }
    const since = new Map(ready.map(({ path }) => [path, this.#readySince.get(path) ?? nowMs]));
    this.#readySince = since;
    for (const file of open) {
      const { path } = file;
      const isLate = nowMs - (since.get(path) ?? nowMs) >= ANSWER_AFTER_MS;
      const answer = this.#blocked(path) ?? (isLate ? notYetAnswer(path, "its_turn") : undefined);
      if (answer) await this.#keep(file, answer);
    }
    const unseen = [...this.#put.keys()].filter((path) => !present.has(path));
    for (const path of await goneOf(unseen)) await this.put(path, undefined);
  }

  /** Removes what an earlier process left: answers to files that were taken away, then or later. */
  async clearStale(folders: readonly string[]): Promise<void> {
    for (const folder of folders) {
      await removeUnfinishedAnswers(folder);
      const names = new Set(await namesIn(folder));
      for (const name of names) {
        const file = answeredFile(name);
        if (file === undefined || !(await isOwnAnswer(join(folder, name)))) continue;
        if (names.has(file)) this.#put.set(join(folder, file), SAID_EARLIER);
        else await putAnswer(join(folder, file), undefined);
      }
    }
  }

  /** An answer that stays true is written once. */
  async #keep(file: LyingFile, answer: Answer): Promise<void> {
    if (this.#put.get(file.path) !== answer.text) await this.putWaiting(file, answer);
  }

  #complain(text: string): void {
    if (this.#complained.has(text)) return;
    this.#complained.add(text);
    this.#listener.say(text);
  }
}

/** By an earlier process, whatever it was. */
const SAID_EARLIER = "";

/**
 * Those that are gone, by the lists of their folders: what is hidden by a missing right is there all the same. Each
 * folder is listed once: thousands of files that are never taken may lie there.
 */
async function goneOf(paths: readonly string[]): Promise<readonly string[]> {
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  const lists = folders.map(async (folder) => [folder, new Set(await namesIn(folder))] as const);
  const names = new Map(await Promise.all(lists));
  return paths.filter((path) => !names.get(dirname(path))?.has(basename(path)));
}
