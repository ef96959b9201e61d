import { lstat } from "node:fs/promises";
import { heldText, resumeCommand } from "../batch/held-folder.ts";
import { CopyGoneError, FileRefusedError, messageOf, PaydropError, type ErrorCode } from "../errors.ts";
import type { BatchReport, Stop } from "../events.ts";
import { exitCodeOf } from "../exit-codes.ts";
import type { UnreadKind } from "../format.ts";
import { identityOf } from "../intake/source-file.ts";
import type { ReadyFile } from "../intake/two-looks.ts";
import { heldAnswer, refusedAnswer, troubleAnswer, type Answer } from "../results/answers/answers.ts";
import { openAnswer } from "../results/answers/open-answer.ts";
import type { OperationName } from "../operations/operation.ts";
import { STOPS } from "../submission/stop-rules.ts";
import type { FolderAnswers } from "./folder-answers.ts";
import type { FolderHold } from "./folder-hold.ts";
import type { FolderListener } from "./folder-listener.ts";
import { EndpointsAway, manyOf } from "./endpoints-away.ts";
import { Away, kindOfStop, mendingOf, type StopKind } from "./service-away.ts";
import type { FileMemory } from "./file-memory.ts";

interface EndsParts {
  readonly folder: string;
  /** Goes on for ever: waits for the service, and holds the inbox where a person must look. */
  readonly isWatching: boolean;
  readonly watchRetryMs: number;
  readonly listener: FolderListener;
  readonly answers: FolderAnswers;
  readonly hold: FolderHold;
  readonly memory: FileMemory;
}

interface TriedFile extends ReadyFile {
  /** What a refusal of it is remembered by. */
  readonly refusalKey: string;
}

interface BatchEnd {
  readonly isTry: boolean;
  /** The endpoint that was tried. */
  readonly tries?: OperationName;
  readonly isWaiting: boolean;
  /** Only its results were tried again, and what keeps them was told before. */
  readonly isSaid: boolean;
}

/** The exit codes of a batch that has nothing open but held rows, and of a file that was refused. */
const HELD = 6;
const REFUSED = 5;

/** What the end of a batch, or a file that could not become one, means for its folder and for the files that wait. */
export class FolderEnds {
  /** The whole service. */
  readonly away: Away;
  /** Endpoints that alone refuse. */
  readonly endpoints: EndpointsAway;
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
    this.away = new Away(parts.watchRetryMs);
    this.endpoints = new EndpointsAway(parts.watchRetryMs);
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

  /**
   * Gives whether the rest of the batch goes by itself, later. `isTry`: the service was away when it began. `isWaiting`:
   * what is held of it waits for another file.
   */
  async ended(report: BatchReport, { isTry, tries, isWaiting, isSaid }: BatchEnd): Promise<boolean> {
    const { listener, answers, hold } = this.#parts;
    const trouble = troubleOf(report);
    this.#codes.set(report.batch, report.exitCode);
    const isNews = !isSaid && !this.#isKnown(trouble, isTry, tries);
    const kind = trouble && kindOfStop(trouble);
    listener.ended(this.#asHeld(report, kind), { isNews, isPassing: isWaiting && report.exitCode === HELD });
    if (kind === "signal") this.#cutOff.add(report.batch);
    else this.#cutOff.delete(report.batch);
    const isAnswered = report.requests > 0 && (kind === undefined || kind === "endpoint");
    if (isAnswered && isTry && this.away.isAway) {
      listener.say(kind === undefined ? "the service takes rows again" : "the service answers again");
      this.away.isBack();
    }
    if (tries !== undefined && (kind === undefined || kind === "batch")) this.#endpointTakes(tries, report);
    if (trouble?.operation !== undefined) this.#endpointFailed(trouble, trouble.operation, report.batch, tries);
    if (trouble && kind === "service") this.#serviceFailed(trouble, isTry);
    if (trouble && kind === "person") {
      if (this.#parts.isWatching) await hold.forPerson(trouble.code, trouble.message);
      else this.away.failed(trouble.code, isTry);
    }
    await answers.put(report.file, this.#answerOf(report));
    return kind === "service" || kind === "signal";
  }

  /**
   * What one file did wrong does not keep the others waiting; a failing disk, or what nobody foresaw, ends it all.
   * `batch`: what was to go on.
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
      // what was said beside it may be what kept an earlier process
      const path = file?.path ?? (batch === undefined ? undefined : await memory.fileOf(batch));
      if (path !== undefined) await answers.put(path, troubleAnswer(path, undefined, error.message, error.hint));
    } else if (file && isOfThisMoment(error)) listener.mention(error.message);
    else {
      if (file) await answers.put(file.path, troubleAnswer(file.path, undefined, messageOf(error), "ask IT"));
      throw error;
    }
  }

  /**
   * A workbook or a packed file that is never opened is a refused file, told by the exit code once for as long as it lies
   * there; a document may lie there for people. Gives whether that is news.
   */
  async neverTaken(path: string, meant: UnreadKind | "name"): Promise<boolean> {
    if (meant !== "workbook" && meant !== "packed") return false;
    const { memory } = this.#parts;
    const stats = await lstat(path, { bigint: true }).catch(() => undefined);
    if (!stats?.isFile() || (await memory.standingOf(path, identityOf(stats))) !== "new") return false;
    await memory.noteRefused(path, await memory.refusalKey(path, identityOf(stats)));
    this.#codes.set(path, REFUSED);
    return true;
  }

  /** undefined: files may go. */
  blockedAnswer(path: string): Answer | undefined {
    const { folder, hold } = this.#parts;
    if (hold.now) return heldAnswer(path, hold.now, resumeCommand(folder));
    if (!this.away.isAway) return undefined;
    return troubleAnswer(path, this.away.code, "the service does not take rows for now", "Ask IT");
  }

  #answerOf(report: BatchReport): Answer | undefined {
    const { folder, hold } = this.#parts;
    const { not_sent: unsent, unknown, held } = report.byStatus;
    const isLooked = (unknown?.rows ?? 0) + (held?.rows ?? 0) > 0;
    if (hold.now && unsent?.rows && !isLooked) return heldAnswer(report.file, hold.now, resumeCommand(folder));
    return openAnswer(report);
  }

  /** What a STOP cut off does not go when somebody runs its file: only a resume of the folder lets it. */
  #asHeld(report: BatchReport, kind: StopKind | undefined): BatchReport {
    const { folder, hold } = this.#parts;
    if (kind !== "signal" || !hold.now) return report;
    return { ...report, stop: { code: "folder_held", ...heldText(folder, hold.now) } };
  }

  /** A try that found nothing new. */
  #isKnown(trouble: Stop | undefined, isTry: boolean, tries: OperationName | undefined): boolean {
    if (trouble?.operation !== undefined) return tries === trouble.operation && this.endpoints.isKnown(trouble);
    return isTry && this.away.isAway && this.away.code === trouble?.code;
  }

  /** Or there was nothing left to find it out with: the next one does. */
  #endpointTakes(operation: OperationName, { requests, stop }: BatchReport): void {
    if (requests > 0 && stop === undefined) this.#parts.listener.say(`the service takes ${manyOf(operation)} again`);
    this.endpoints.isBack(operation);
  }

  #endpointFailed(trouble: Stop, operation: OperationName, batch: string, tries: OperationName | undefined): void {
    const isNews = !this.endpoints.isKnown(trouble);
    this.endpoints.failed(operation, trouble.code, batch, tries === operation);
    if (this.#parts.isWatching && isNews) this.#sayWaits(manyOf(operation), trouble);
  }

  #serviceFailed(trouble: Stop, isTry: boolean): void {
    const isNews = this.away.failed(trouble.code, isTry);
    if (this.#parts.isWatching && isNews) this.#sayWaits("everything", trouble);
  }

  #sayWaits(what: string, { code, message }: Stop): void {
    const mending = mendingOf(code);
    const hint = mending === undefined ? "" : `\n  → ${mending}`;
    const waits = what === "everything" ? "waits" : "wait";
    this.#parts.listener.say(`${what} ${waits}: ${message}; it is tried again by itself${hint}`);
  }
}

/** The settings or the private copy must be put right first, by a person. */
function staysTillMended(error: unknown): error is PaydropError {
  return isOf(error, ["config", "destination"]) || error instanceof CopyGoneError;
}

/** The file was changed, exchanged or taken away just now: the next sweep sees what is there. */
function isOfThisMoment(error: unknown): error is PaydropError {
  return isOf(error, ["stopped", "usage"]);
}

function isOf(error: unknown, codes: readonly ErrorCode[]): error is PaydropError {
  return error instanceof PaydropError && codes.includes(error.code);
}

/** Why rows of it did not go. Fewer than it takes to stop a run were not sent all the same. */
function troubleOf({ stop, byStatus }: BatchReport): Stop | undefined {
  return stop ?? (byStatus.not_sent ? STOPS.unreachable : undefined);
}

function keyOf({ path, sha256 }: ReadyFile): string {
  return `${path} ${sha256}`;
}
