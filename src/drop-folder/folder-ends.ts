import { lstat } from "node:fs/promises";
import { basename } from "node:path";
import { FileRefusedError, messageOf, OneBatchError, PaydropError, type ErrorCode } from "../errors.ts";
import type { BatchReport, Stop } from "../events.ts";
import { exitCodeOf } from "../exit-codes.ts";
import type { Oddity } from "../intake/inbox-sweep.ts";
import { identityOf } from "../intake/source-file.ts";
import type { ReadyFile } from "../intake/two-looks.ts";
import { nameRefused, unfitName } from "../intake/unfit-name.ts";
import { printable } from "../text/printable.ts";
import { neverAnswer, refusedAnswer, troubleAnswer, type Answer } from "../results/answers/answers.ts";
import { openAnswer } from "../results/answers/open-answer.ts";
import { STOPS } from "../submission/stop-rules.ts";
import type { FileMemory } from "./file-memory.ts";
import type { FolderAnswers } from "./folder-answers.ts";
import type { FolderHold } from "./folder-hold.ts";
import type { FolderListener } from "./folder-listener.ts";
import type { Outage, Tried } from "./outage.ts";
import { kindOfStop, type StopKind } from "./service-away.ts";

interface EndsParts {
  /** Goes on for ever: holds the inbox where a person must look. */
  readonly isWatching: boolean;
  readonly listener: FolderListener;
  readonly answers: FolderAnswers;
  readonly hold: FolderHold;
  readonly outage: Outage;
  readonly memory: FileMemory;
}

interface TriedFile extends ReadyFile {
  /** What a refusal of it is remembered by. */
  readonly refusalKey: string;
}

interface BatchEnd extends Tried {
  /** All of its held rows wait for another file. */
  readonly isWaiting: boolean;
  /** Only its results were tried again, and what keeps them was told before. */
  readonly isSaid: boolean;
}

/** The exit codes of a batch that has nothing open but held rows, and of a file that was refused. */
const HELD = 6;
const REFUSED = 5;

/** What the end of a batch, or a file that could not become one, means for its folder and for the files that wait. */
export class FolderEnds {
  /** By batch, or by file: one that is gone through again has the exit code of its last end. */
  readonly #codes = new Map<string, number>();
  readonly #parts: EndsParts;
  /** Batches that a signal stopped before their end. */
  readonly #cutOff = new Set<string>();
  readonly #told = new Set<string>();
  /** Files that stay where they are until somebody acts. */
  readonly #left = new Set<string>();

  constructor(parts: EndsParts) {
    this.#parts = parts;
  }

  /** A batch was stopped by a signal before its end. */
  get wasCutOff(): boolean {
    return this.#cutOff.size > 0;
  }

  takeCodes(): readonly number[] {
    const codes = [...this.#codes.values()];
    this.#codes.clear();
    return codes;
  }

  isLeft(file: ReadyFile): boolean {
    return this.#left.has(keyOf(file));
  }

  /** Notes and tells the end of a batch. Gives whether the rest of it goes by itself, later. */
  async ended(report: BatchReport, { isWaiting, isSaid, ...tried }: BatchEnd): Promise<boolean> {
    const { listener, answers, hold, outage, isWatching } = this.#parts;
    const trouble = troubleOf(report);
    this.#codes.set(report.batch, report.exitCode);
    const isNews = !isSaid && !outage.isKnown(trouble, tried);
    const kind = trouble && kindOfStop(trouble);
    listener.ended(this.#asHeld(report, kind), { isNews, isPassing: isWaiting && report.exitCode === HELD });
    if (kind === "signal") this.#cutOff.add(report.batch);
    else this.#cutOff.delete(report.batch);
    outage.ended(report, trouble, tried);
    if (trouble && kind === "person") {
      if (isWatching) await hold.forPerson(trouble.code, trouble.message);
      else outage.notUnderstood(trouble, tried);
    }
    await answers.put(report.file, this.#answerOf(report));
    return kind === "service" || kind === "signal";
  }

  /**
   * What one file did wrong does not keep the others waiting; a failing disk, or what nobody foresaw, ends it all.
   * `batch`: the batch that was to go on.
   */
  async failed(file: TriedFile | undefined, error: unknown, batch?: string): Promise<void> {
    const { listener, answers, memory } = this.#parts;
    if (error instanceof FileRefusedError && file) {
      this.#codes.set(keyOf(file), exitCodeOf(error));
      listener.failed(error);
      await memory.noteRefused(file.path, file.refusalKey);
      await answers.put(file.path, refusedAnswer(file.path, error));
    } else if (staysTillMended(error)) {
      this.#codes.set(file ? keyOf(file) : error.message, exitCodeOf(error));
      if (!this.#told.has(error.message)) listener.failed(error);
      this.#told.add(error.message);
      if (file) this.#left.add(keyOf(file));
      // the text beside the file may still say what kept an earlier process
      const path = file?.path ?? (batch === undefined ? undefined : await memory.fileOf(batch));
      if (path !== undefined) await answers.put(path, troubleAnswer(path, undefined, error.message, error.hint));
    } else if (file && isOfThisMoment(error)) listener.mention(error.message);
    else {
      if (file) await answers.put(file.path, troubleAnswer(file.path, undefined, messageOf(error), "ask IT"));
      throw error;
    }
  }

  /** Tells what will never be taken, and answers it in the folder where a person meant it to be sent. */
  async neverTaken({ path, why, meant }: Oddity): Promise<void> {
    if (meant === "name") return this.#refusedForName(path);
    const { listener, answers } = this.#parts;
    // a document may lie there for people
    const isNews = meant !== undefined && meant !== "document" && (await this.#isRefusedNow(path));
    listener[isNews ? "say" : "mention"](`${printable(basename(path))} ${why}`);
    if (meant) await answers.put(path, neverAnswer(path, meant));
  }

  /** As by its name: only a batch goes on, and what is said of one that was run by its name stays. */
  async #refusedForName(path: string): Promise<void> {
    const { listener, answers, memory } = this.#parts;
    const why = unfitName(basename(path));
    const known = await memory.batchOf(path);
    if (why === undefined || known?.isOfPath) return;
    const error = nameRefused(basename(path), why, known?.id);
    if (await this.#isRefusedNow(path)) listener.failed(error);
    else listener.mention(error.message);
    await answers.put(path, refusedAnswer(path, error));
  }

  /**
   * A file that is never opened is a refused file, told by the exit code once for as long as it lies there. Gives whether
   * that is news.
   */
  async #isRefusedNow(path: string): Promise<boolean> {
    const { memory } = this.#parts;
    const stats = await lstat(path, { bigint: true }).catch(() => undefined);
    if (!stats?.isFile() || (await memory.standingOf(path, identityOf(stats))) !== "new") return false;
    await memory.noteRefused(path, await memory.refusalKey(path, identityOf(stats)));
    this.#codes.set(path, REFUSED);
    return true;
  }

  #answerOf(report: BatchReport): Answer | undefined {
    const { hold } = this.#parts;
    const { not_sent: unsent, unknown, held } = report.byStatus;
    const isLooked = (unknown?.rows ?? 0) + (held?.rows ?? 0) > 0;
    return (unsent?.rows && !isLooked ? hold.answer(report.file, report.batch) : undefined) ?? openAnswer(report);
  }

  /** What a STOP cut off does not go when somebody runs its file: only a resume of the folder lets it. */
  #asHeld(report: BatchReport, kind: StopKind | undefined): BatchReport {
    const { stop } = this.#parts.hold;
    return kind === "signal" && stop ? { ...report, stop } : report;
  }
}

/** The settings, or what is remembered of this one batch, must be put right first, by a person. */
function staysTillMended(error: unknown): error is PaydropError {
  return isOf(error, ["config", "destination"]) || error instanceof OneBatchError;
}

/** The file was changed, exchanged or taken away just now: the next sweep sees what is there. */
function isOfThisMoment(error: unknown): error is PaydropError {
  return isOf(error, ["stopped", "usage"]);
}

function isOf(error: unknown, codes: readonly ErrorCode[]): error is PaydropError {
  return error instanceof PaydropError && codes.includes(error.code);
}

/** Why rows of the batch did not go. Fewer than it takes to stop a run were not sent all the same. */
function troubleOf({ stop, byStatus }: BatchReport): Stop | undefined {
  return stop ?? (byStatus.not_sent ? STOPS.unreachable : undefined);
}

function keyOf({ path, sha256 }: ReadyFile): string {
  return `${path} ${sha256}`;
}
