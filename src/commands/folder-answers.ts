import { basename } from "node:path";
import type { BatchReport } from "../events.ts";
import { FOLDER_NEWS, heldLines, type StopProgress } from "../messages/intake.ts";
import { told, type Facts } from "../messages/sentence.ts";
import { asWord, printable } from "../printable.ts";
import * as answers from "../results/answers.ts";

/** Who is told of a folder that is worked through. */
export interface FolderListener {
  /** `isOfCourse`: not told where only what went wrong is. */
  say(text: string, isOfCourse: boolean): void;
  ended(report: BatchReport): void;
  failed(error: unknown): void;
  /** Files that wait now, the oldest since then; milliseconds since 1970. */
  saw?(count: { readonly files: number; readonly oldestSince?: number }): void;
  /** What commands to copy need besides: ` --state-dir /srv/paydrop`. */
  readonly again?: string;
}

/** A hold of a folder, and why. */
export interface Hold {
  readonly reason: string;
  readonly at: number;
}

/** Not told where only what went wrong is. */
const OF_COURSE: readonly string[] = ["watching", "nothing_new", "not_ready"];

export const shown = (path: string): string => printable(basename(path), 200);
export const resumeCommand = (folder: string): string => `paydrop resume --inbox ${asWord(folder)} --by NAME`;

/** What is answered in an inbox, beside its files, and told of it. */
export class FolderAnswers {
  readonly #folder: string;
  readonly #listener: FolderListener;
  /** Paths of what is on its way, and since when. */
  readonly #going = new Map<string, number>();
  /** Answers are written one after the other: what is said last stays. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(folder: string, listener: FolderListener) {
    this.#folder = folder;
    this.#listener = listener;
  }

  /** News of the folder. */
  tell(code: keyof typeof FOLDER_NEWS, facts: Facts = {}): void {
    const where = { folder: printable(this.#folder), command: this.#resumeCommand };
    const { text, todo } = told(FOLDER_NEWS[code], { ...where, ...facts });
    this.#listener.say(todo === "" ? text : `${text}\n  → ${todo}`, OF_COURSE.includes(code));
  }

  /** Makes this the only answer beside the file; undefined: none. */
  async put(path: string, answer: answers.Answer | undefined): Promise<void> {
    const isPut = await this.#inTurn(() => answers.putAnswer(path, answer));
    if (!isPut && answer) this.tell("unanswered", { name: shown(path) });
  }

  async putHeld(path: string, { reason }: Hold): Promise<void> {
    await this.put(path, answers.troubleAnswer(path, heldLines(reason, this.#resumeCommand)));
  }

  /** Until `work` has its end the file is on its way. */
  async whileGoing<T>(path: string, work: () => Promise<T>): Promise<T> {
    this.#going.set(path, performance.now());
    return work().finally(() => this.#going.delete(path));
  }

  /** What is on its way for longer than this is told to be. */
  async putGoing(afterMs: number): Promise<void> {
    for (const [path, sinceMs] of this.#going) {
      if (performance.now() - sinceMs < afterMs) continue;
      const answer = answers.waitingAnswer(path, "going");
      await this.#inTurn(async () => this.#going.has(path) && answers.putAnswer(path, answer));
    }
  }

  /** The answer to a STOP; undefined: the hold is over. */
  async putStop(hold: Hold | undefined, progress: StopProgress): Promise<void> {
    const lines = hold ? heldLines(hold.reason, this.#resumeCommand) : [];
    await answers.answerStop(this.#folder, hold && { at: hold.at, progress, lines });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#writing.then(work);
    this.#writing = next.catch(() => undefined);
    return next;
  }

  get #resumeCommand(): string {
    return resumeCommand(this.#folder) + (this.#listener.again ?? "");
  }
}
