import { heldText, holdsOf, resumeCommand, setHold } from "../batch/held-folder.ts";
import type { Stop, StopCode } from "../events.ts";
import type { InboxHold } from "../journal/store.ts";
import type { Processor } from "../processor.ts";
import { heldAnswer, type Answer } from "../results/answers/answers.ts";
import type { FolderListener } from "./folder-listener.ts";
import { answerStop, clearStopAnswers, sentSoFar } from "./stop-file.ts";
import { STOPS } from "../submission/stop-rules.ts";

interface HoldParts {
  readonly folder: string;
  readonly processor: Processor;
  readonly listener: FolderListener;
  /** Rows are on their way. */
  readonly isWorking: () => boolean;
  /** Batches of this folder that are not at their end. */
  readonly unfinished: () => Promise<readonly string[]>;
}

/** Whether a person must say resume before anything goes from a drop folder. A hold outlives every process. */
export class FolderHold {
  readonly #parts: HoldParts;
  #hold: InboxHold | undefined;
  #isStopAnswered = true;

  constructor(parts: HoldParts) {
    this.#parts = parts;
  }

  /** What an earlier process left. */
  async open(): Promise<void> {
    const { folder, listener } = this.#parts;
    [this.#hold] = await holdsOf(this.#journal, folder);
    this.#isStopAnswered = this.#hold?.code !== "stop_file";
    if (this.#hold) listener.mention(this.text ?? folder);
  }

  /** undefined: it is not held. */
  get text(): string | undefined {
    const { stop } = this;
    return stop && `${stop.message}\n  → ${stop.hint}`;
  }

  get isHeld(): boolean {
    return this.#hold !== undefined;
  }

  /** Why rows of its files do not go. undefined: it is not held. */
  get stop(): Stop | undefined {
    return this.#hold && { code: "folder_held", ...heldText(this.#parts.folder, this.#hold) };
  }

  /** The answer to a file that waits for a person's resume; undefined: nothing is held. `batch`: what it was taken as. */
  answer(path: string, batch?: string): Answer | undefined {
    return this.#hold && heldAnswer(path, this.#hold, resumeCommand(this.#parts.folder), batch);
  }

  /** A STOP lies in the folder. Gives whether that is news: then nothing more may go. */
  async stopAsked(): Promise<boolean> {
    if (this.#hold?.code === "stop_file") return false;
    await this.#set(STOPS.stop_file.code, STOPS.stop_file.message);
    this.#isStopAnswered = false;
    return true;
  }

  /** Holds the folder, since something unclear answers: a person must look. */
  async forPerson(code: StopCode, message: string): Promise<void> {
    await this.#set(code, message);
    await this.compare();
  }

  /** Looks whether the folder is still held: another process lifts a hold. Gives whether one was lifted just now. */
  async compare(): Promise<boolean> {
    const { folder, listener } = this.#parts;
    // asked by the folder's names of now: what a link leads to may not have been there when this began
    const [hold] = await holdsOf(this.#journal, folder);
    if (hold && !this.#hold) listener.say(`everything is held: ${hold.message}\n  → ${heldText(folder, hold).hint}`);
    const isLifted = this.#hold !== undefined && hold === undefined;
    this.#hold = hold;
    if (isLifted) {
      listener.say("a person said resume: it goes on");
      await clearStopAnswers(folder);
    }
    await this.answerStop();
    return isLifted;
  }

  /** Answers a STOP, once the rows in flight have their end. */
  async answerStop(): Promise<void> {
    const { folder, isWorking, unfinished } = this.#parts;
    if (this.#isStopAnswered || isWorking() || !this.#hold) return;
    this.#isStopAnswered = true;
    await answerStop(folder, this.#hold, await sentSoFar(this.#journal, await unfinished()));
  }

  async #set(code: string, message: string): Promise<void> {
    await setHold(this.#journal, this.#parts.folder, { code, at: Date.now(), message });
  }

  get #journal(): Processor["journal"] {
    return this.#parts.processor.journal;
  }
}
