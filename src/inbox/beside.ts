import type { FoundFile, LookedFile } from "../intake/inbox.ts";
import { awayLines, heldLines, stopLines, type Line } from "../messages/intake.ts";
import * as answers from "../results/answers.ts";
import { shown, type Folder, type FolderStop } from "./folder.ts";

/** Why nothing goes, whatever is complete: a person must resume the folder, or the service is away. */
export type Blocked = FolderStop | { readonly code: string };

/** What is answered beside the files of a folder. */
export class Beside {
  readonly #folder: Folder;
  /** Beside files that wait. */
  #waiting: ReadonlyMap<string, string> = new Map();
  /** What was said while the journal's server was away. */
  readonly #away = new Map<string, string>();

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  /** Makes this the only answer beside the file; undefined: none. */
  async put(path: string, answer: answers.Answer | undefined): Promise<void> {
    if (!(await answers.putAnswer(path, answer)) && answer) this.#folder.tell("unanswered", { name: shown(path) });
  }

  /** Of files that wait for longer than that, or are blocked. Each answer is written once; it goes when its file goes. */
  async answerWaiting(files: readonly LookedFile[], blocked: Blocked | undefined, afterMs: number): Promise<void> {
    const given = new Map<string, string>();
    for (const file of files) {
      const isBlocked = file.waits === undefined && blocked !== undefined;
      if (file.forMs < afterMs && !isBlocked) continue;
      const answer = isBlocked
        ? answers.troubleAnswer(file.path, this.#linesOf(blocked), this.#folder.listener.again)
        : answers.waitingAnswer(file.path, file.waits ?? "its_turn");
      if (this.#waiting.get(file.path) !== answer.text) await this.put(file.path, answer);
      given.set(file.path, answer.text);
    }
    this.#waiting = given;
  }

  #linesOf(blocked: Blocked): readonly Line[] {
    return "code" in blocked ? awayLines(blocked.code) : heldLines(blocked.reason, this.#folder.path);
  }

  /** The journal's server is away: it is not asked, and who waits is told. */
  async answerAway(files: readonly FoundFile[], since: number): Promise<void> {
    for (const { path } of files) {
      const answer = answers.serverAnswer(path, since);
      if (this.#away.get(path) !== answer.text) await this.put(path, answer);
      this.#away.set(path, answer.text);
    }
  }

  /** It is back: what was said of it is true no more. */
  async clearAway(): Promise<void> {
    if (this.#away.size === 0) return;
    for (const path of this.#away.keys()) await this.put(path, undefined);
    this.#away.clear();
    this.#waiting = new Map();
  }

  /** Beside a file STOP; undefined: it was lifted. */
  answerStop(stop: FolderStop | undefined): Promise<void> {
    const { path, listener } = this.#folder;
    return answers.answerStop(path, stop && stopLines(stop.reason, path), listener.again);
  }
}
