import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { FileRefusedError, messageOf, PaydropError } from "../errors.ts";
import type { BatchReport } from "../events.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { Inbox, type ReadyFile, type Sweep } from "../intake/inbox.ts";
import { identityText, type FileIdentity } from "../intake/source-file.ts";
import type { InboxHold } from "../journal/store.ts";
import { OPERATIONS } from "../operations/catalogue.ts";
import { printable } from "../printable.ts";
import type { Processor } from "../processor.ts";
import { heldAnswer, notYetAnswer, openAnswer, putAnswer, refusedAnswer, troubleAnswer, workbookAnswer } from "../results/answers.ts"; // prettier-ignore
import type { Answer } from "../results/answers.ts";
import { errorText } from "./error-text.ts";
import { answerStop, clearStopAnswers, resumeCommand, sentSoFar } from "./stop-file.ts";
import { Away, kindOfStop } from "./service-away.ts";
import type { Teller } from "./teller.ts";

export interface DropFolderParts {
  readonly config: Config;
  readonly processor: Processor;
  readonly teller: Teller;
  readonly folder: string;
  readonly settleMs: number;
  /** Goes on for ever: waits for the service, and holds the inbox where a person must look. */
  readonly isWatching: boolean;
  /** Ends the sending of the batch that is on its way, after its rows in flight. */
  readonly stopSending: () => void;
  /** A file that waits longer than this gets an answer in the folder. */
  readonly answerAfterMs?: number;
}

const ANSWER_AFTER_MS = 120_000;
const RETRY_MAX_TIMES = 20;

/** One inbox: what was found in it, what is done with it and in which order, and what is answered in the folder. */
export class DropFolder {
  readonly folder: string;
  /** Exit codes of all that was done. */
  readonly codes: number[] = [];
  readonly #parts: DropFolderParts;
  readonly #inbox: Inbox;
  readonly #away: Away;
  readonly #answered = new Map<string, string>();
  readonly #told = new Set<string>();
  /** Files and batches of which nothing goes until somebody acts. */
  readonly #left = new Set<string>();
  #ready: ReadyFile[] = [];
  #readySince = new Map<string, number>();
  #waiting: Sweep["waiting"] = [];
  #folders: readonly string[];
  #batches: string[] = [];
  #hold: InboxHold | undefined;
  /** The last batch was stopped by a signal before its end. */
  wasCutOff = false;
  #isStopAnswered = true;
  #folderAway = false;
  #current: Job | undefined;
  /** Files that were worked off while a sweep was on its way. */
  readonly #finished = new Set<string>();

  constructor(parts: DropFolderParts) {
    this.#parts = parts;
    this.folder = resolve(parts.folder);
    this.#folders = [this.folder, ...OPERATIONS.map((operation) => join(this.folder, operation.folder))];
    const firstMs = parts.config.watchRetryMs;
    this.#away = new Away({ firstMs, maxMs: firstMs * RETRY_MAX_TIMES });
    const { journal } = parts.processor;
    this.#inbox = new Inbox({
      folder: this.folder,
      settleMs: parts.settleMs,
      standing: (path, identity) => this.#standing(path, identity),
      written: (path) => journal.written(path),
    });
  }

  /** What an earlier process left: a hold, and batches that it did not finish. */
  async open(): Promise<void> {
    this.#hold = await this.#journal.inboxHold(this.folder);
    this.#isStopAnswered = this.#hold?.code !== "stop_file";
    if (this.#hold) this.#say(`${this.folder} is held: ${this.#hold.message}. ${resumeCommand(this.folder)}`);
    this.#batches = [...(await this.#parts.processor.unfinished(this.#folders))];
  }

  /** Nothing goes from here for now. */
  get isBlocked(): boolean {
    return this.#hold !== undefined || this.#away.isAway;
  }

  /** A person has to say resume. */
  get isHeld(): boolean {
    return this.#hold !== undefined;
  }

  /** Files that are not complete, in words. */
  get notReady(): readonly string[] {
    return this.#waiting.map(({ path, why }) => `${printable(basename(path))} (${NOT_READY[why]})`);
  }

  get waitsForSomething(): boolean {
    return this.#ready.length + this.#batches.length > 0;
  }

  /** How long until the service is tried again. */
  get retryInMs(): number | undefined {
    return this.#away.retryInMs;
  }

  /** Looks at the folder, sees a STOP and its end, answers what waits. */
  async sweep(): Promise<Sweep> {
    this.#finished.clear();
    const sweep = await this.#inbox.sweep();
    this.#noteAway(sweep.away);
    if (sweep.away !== undefined) {
      [this.#ready, this.#waiting] = [[], []];
      return sweep;
    }
    if (sweep.folders.length > 0) this.#folders = [...new Set([...this.#folders, ...sweep.folders])];
    for (const { path, why, isWorkbook } of sweep.oddities) {
      this.#info(`${printable(basename(path))} ${why}`);
      if (isWorkbook) await this.#answer(path, workbookAnswer(path));
    }
    if (sweep.stops.length > 0) await this.#stopAsked();
    await this.#compareHold();
    this.#ready = sweep.ready.filter((file) => !this.#left.has(keyOf(file)) && !this.#isInWork(file.path));
    this.#waiting = sweep.waiting;
    await this.#answerWaiting(sweep);
    return sweep;
  }

  /** Does the next piece of work, if there is one. */
  async workOne(): Promise<boolean> {
    await this.#compareHold();
    if (this.#hold) return false;
    // what people let go goes first: they look at it
    this.#batches.unshift(...(await this.#handedOver()));
    if (this.#away.isAway && (this.#away.retryInMs ?? 0) > 0) return false;
    const batch = this.#batches.shift();
    if (batch !== undefined) {
      await this.#work({}, () => this.#parts.processor.takeUp(batch));
      return true;
    }
    const file = this.#ready.shift();
    if (!file) return false;
    await this.#work({ file }, () => this.#parts.processor.processFile(file.path, file.sha256));
    return true;
  }

  /** At the end of a one-shot run: every file that was not ready is answered too. */
  async answerNotReady(): Promise<void> {
    for (const { path, why } of this.#waiting) await this.#answer(path, notYetAnswer(path, why));
    if (this.#hold || this.#away.isAway) for (const { path } of this.#ready) await this.#answer(path, this.#blockedAnswer(path)); // prettier-ignore
  }

  #isInWork(path: string): boolean {
    return this.#current?.file?.path === path || this.#finished.has(path);
  }

  async #work(job: Job, work: () => Promise<BatchReport>): Promise<void> {
    this.#current = job;
    try {
      const report = await work();
      this.codes.push(report.exitCode);
      this.#parts.teller.ended(report);
      await this.#afterwards(report);
    } catch (error) {
      await this.#failed(job.file, error);
    } finally {
      this.#current = undefined;
      if (job.file) {
        this.#finished.add(job.file.path);
        this.#inbox.forget(job.file.path);
      }
      await this.#answerStop();
    }
  }

  async #afterwards(report: BatchReport): Promise<void> {
    const { stop, byStatus } = report;
    // fewer rows than it takes to stop a run: they were not sent all the same
    const code = stop?.code ?? (byStatus.not_sent ? "unreachable" : undefined);
    const kind = code === undefined ? undefined : kindOfStop(code);
    this.wasCutOff = kind === "signal";
    if (kind === undefined && this.#away.isAway && report.requests > 0) {
      this.#say("the service takes rows again");
      this.#away.isBack();
    }
    if (kind === "service" || kind === "signal") this.#batches.unshift(report.batch);
    if (kind === "service" && code !== undefined) this.#serviceFailed(code, stop?.message ?? "the service could not be reached", stop?.hint ?? ""); // prettier-ignore
    if (kind === "person" && stop) await this.#holdFor(stop.code, stop.message);
    await this.#answer(report.file, this.#answerOf(report));
  }

  #answerOf(report: BatchReport): Answer | undefined {
    const isRest = this.#hold !== undefined && (report.byStatus.not_sent?.rows ?? 0) > 0;
    const isLooked = (report.byStatus.unknown?.rows ?? 0) + (report.byStatus.held?.rows ?? 0) > 0;
    if (isRest && !isLooked && this.#hold) return heldAnswer(report.file, this.#hold, resumeCommand(this.folder));
    return openAnswer(report);
  }

  /** What one file did wrong does not keep the others waiting; a failing disk, or what nobody foresaw, ends it all. */
  async #failed(file: ReadyFile | undefined, error: unknown): Promise<void> {
    const code = exitCodeOf(error);
    const path = file?.path;
    if (error instanceof FileRefusedError && file) {
      this.codes.push(code);
      this.#say(errorText(error, this.#parts.config.json, this.#parts.config.verbose).trimEnd());
      await this.#journal.noteSource(file.path, await this.#refusalKey(file.path, file.identity), REFUSED);
      await this.#answer(file.path, refusedAnswer(file.path, error.faults));
    } else if (error instanceof PaydropError && (error.code === "config" || error.code === "destination")) {
      this.codes.push(code);
      this.#once(errorText(error, this.#parts.config.json, false).trimEnd());
      if (file) this.#left.add(keyOf(file));
      if (path !== undefined) await this.#answer(path, troubleAnswer(path, "", error.message, error.hint));
    } else if (
      error instanceof PaydropError &&
      (error.code === "stopped" || error.code === "usage") &&
      path !== undefined
    ) {
      // it was changed, exchanged or taken away just now: the next sweep sees what is there
      this.#info(error.message);
    } else {
      if (path !== undefined) await this.#answer(path, troubleAnswer(path, "", messageOf(error), "ask IT"));
      throw error;
    }
  }

  #serviceFailed(code: string, message: string, hint: string): void {
    const isNews = this.#away.failed(code);
    if (!this.#parts.isWatching || !isNews) return;
    this.#say(
      `everything waits: ${message}; it is tried again by itself${hint === "" ? "" : `\n  → ${printable(hint)}`}`,
    );
  }

  async #holdFor(code: string, message: string): Promise<void> {
    if (!this.#parts.isWatching) {
      this.#away.failed(code);
      return;
    }
    await this.#journal.holdInbox(this.folder, { code, at: Date.now(), message });
    await this.#compareHold();
  }

  async #stopAsked(): Promise<void> {
    if (this.#hold?.code === "stop_file") return;
    await this.#journal.holdInbox(this.folder, { code: "stop_file", at: Date.now(), message: STOP_MESSAGE });
    this.#isStopAnswered = false;
    this.#parts.stopSending();
  }

  /** A hold outlives this process, and is lifted by another one. */
  async #compareHold(): Promise<void> {
    const hold = await this.#journal.inboxHold(this.folder);
    if (hold && !this.#hold) this.#say(`everything is held: ${hold.message}\n  → ${resumeCommand(this.folder)}`);
    const isLifted = this.#hold !== undefined && hold === undefined;
    this.#hold = hold;
    if (isLifted) {
      this.#say("a person said resume: it goes on");
      await clearStopAnswers(this.folder);
      this.#batches = [...(await this.#parts.processor.unfinished(this.#folders))];
    }
    await this.#answerStop();
  }

  /** Once the rows in flight have their end. */
  async #answerStop(): Promise<void> {
    if (this.#isStopAnswered || this.#current !== undefined || !this.#hold) return;
    this.#isStopAnswered = true;
    const batches = await this.#parts.processor.unfinished(this.#folders);
    await answerStop(this.folder, this.#hold, await sentSoFar(this.#journal, batches));
  }

  async #handedOver(): Promise<readonly string[]> {
    const batches = await this.#parts.processor.handedOver();
    return batches.filter((batch) => !this.#batches.includes(batch));
  }

  async #answerWaiting({ ready, waiting, present }: Sweep): Promise<void> {
    const afterMs = this.#parts.answerAfterMs ?? ANSWER_AFTER_MS;
    const nowMs = performance.now();
    for (const { path, why, forMs } of waiting) {
      if (forMs >= afterMs) await this.#answer(path, notYetAnswer(path, why));
    }
    const since = new Map(ready.map(({ path }) => [path, this.#readySince.get(path) ?? nowMs]));
    this.#readySince = since;
    for (const { path } of this.#ready) {
      if (this.isBlocked) await this.#answer(path, this.#blockedAnswer(path));
      else if (nowMs - (since.get(path) ?? nowMs) >= afterMs) await this.#answer(path, notYetAnswer(path, "its_turn"));
    }
    // an answer to a file that was taken away says nothing any more
    for (const path of this.#answered.keys()) {
      if (present.has(path) || (await isThere(path))) continue;
      await putAnswer(path, undefined);
      this.#answered.delete(path);
    }
  }

  #blockedAnswer(path: string): Answer {
    if (this.#hold) return heldAnswer(path, this.#hold, resumeCommand(this.folder));
    return troubleAnswer(path, this.#away.code, "the service does not take rows for now", "Ask IT");
  }

  async #answer(path: string, answer: Answer | undefined): Promise<void> {
    const said = answer?.text ?? "";
    if (this.#answered.get(path) === said) return;
    const isPut = await putAnswer(path, answer);
    if (!isPut && answer) this.#once(`${printable(basename(path))}.${answer.kind}.txt could not be written`);
    if (isPut && answer) this.#answered.set(path, said);
    else this.#answered.delete(path);
  }

  async #standing(path: string, identity: FileIdentity): Promise<"taken" | "refused" | "new"> {
    if ((await this.#journal.sourceBatch(path, identityText(identity))) !== undefined) return "taken";
    const refused = await this.#journal.sourceBatch(path, await this.#refusalKey(path, identity));
    return refused === REFUSED ? "refused" : "new";
  }

  /** A refused file is looked at again when it, its control totals, or the settings it was read with have changed. */
  async #refusalKey(path: string, identity: FileIdentity): Promise<string> {
    const control = await stat(`${path}.control`, { bigint: true }).then(
      ({ ino, size, mtimeNs }) => [ino, size, mtimeNs].join(" "),
      () => "none",
    );
    const { choices, operation, period, expectRows, expectTotal, requireControl } = this.#parts.config;
    const settings = JSON.stringify({ choices, operation, period, expectRows, expectTotal, requireControl });
    const print = createHash("sha256").update(settings).digest("hex").slice(0, 16);
    return `${identityText(identity)} refused ${control} ${print}`;
  }

  #noteAway(why: string | undefined): void {
    const isAway = why !== undefined;
    if (isAway && !this.#folderAway) this.#say(`${this.folder}: ${why}; it is waited for`);
    if (!isAway && this.#folderAway) this.#say(`${this.folder} is back`);
    this.#folderAway = isAway;
  }

  get #journal(): Processor["journal"] {
    return this.#parts.processor.journal;
  }

  #say(text: string): void {
    this.#parts.teller.say(text);
  }

  #info(text: string): void {
    if (!this.#parts.config.quiet) this.#say(text);
  }

  #once(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#say(text);
  }
}

interface Job {
  readonly file?: ReadyFile;
}

function keyOf({ path, sha256 }: ReadyFile): string {
  return `${path} ${sha256}`;
}

const REFUSED = "refused";
const STOP_MESSAGE = "a file named STOP was put into the folder";
const NOT_READY = { being_written: "still being written", zeros: "still being copied", unreadable: "may not be read" };

async function isThere(path: string): Promise<boolean> {
  return (await readdir(join(path, "..")).catch((): string[] => [])).includes(basename(path));
}
