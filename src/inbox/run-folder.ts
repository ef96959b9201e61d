import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "../batch.ts";
import { PaydropError } from "../errors.ts";
import { gravest } from "../exit-codes.ts";
import { createInbox, inboxFolders, stopFilesIn, type LookedFile } from "../intake/inbox.ts";
import { mayGiveWork } from "../intake/names.ts";
import { printable } from "../printable.ts";
import { clearStaleAnswers } from "../results/answers.ts";
import { folderWork, shown, type FolderListener, type Hold } from "./carry-out.ts";
import { folderQueue, type Away } from "./queue.ts";

/** Everything that is complete, once; or for ever, with events as hints, or without: network shares give none. */
export type FolderMode = "once" | "watch" | "poll";

/** The folder is looked at as often as a file must lie still, within these bounds. */
const [SWEEP_MIN_MS, SWEEP_MAX_MS] = [250, 5_000];
const LOOK_MIN_MS = 20;
/** So soon after an event: what comes by the thousand is looked at together. */
const HINT_MS = 200;
/** A STOP is looked for so often while rows are on their way. */
const STOP_LOOK_MS = 500;
const AWAY_TOLD_MS = 2_000;
/** A file that waits longer than this gets an answer. */
const ANSWER_AFTER_MS = 120_000;
/** Polling, a file must lie still for so many times as long; a single run waits so long for it. */
const PATIENCE_TIMES = 3;

/** Throws PaydropError `usage` for what is no folder. `mayCome`: one that is not there is waited for. */
export async function assertFolder(path: string, mayCome = true): Promise<void> {
  const of = (isFolder: boolean): string | undefined => (isFolder ? undefined : "it is a file");
  const found = await stat(path).then((stats) => of(stats.isDirectory()), () => mayCome ? undefined : "it is not there"); // prettier-ignore
  if (found !== undefined) throw new PaydropError("folder_unreadable", { folder: printable(path), found });
}

/**
 * Works through an inbox, once or until `signals.soft`. Gives the gravest exit code: of all that was done once, of each
 * batch its last one; of a watch 0, but 7 or 4 for what it cut off at its end. Throws PaydropError where it cannot go on,
 * after what is at work has come to its end.
 */
export async function runFolder(work: Work, path: string, listener: FolderListener, mode: FolderMode): Promise<number> {
  const folder = resolve(path);
  const isOnce = mode === "once";
  const { settle } = work.config;
  const signal = work.signals.soft;
  const sweepMs = Math.min(SWEEP_MAX_MS, Math.max(SWEEP_MIN_MS, settle));
  const patienceMs = PATIENCE_TIMES * settle;
  let rests = new AbortController();
  const ring = (): void => rests.abort();
  const desk = folderWork(work, folder, listener, isOnce);
  const queue = folderQueue(desk, isOnce ? Infinity : sweepMs, ring);
  const inbox = createInbox(folder, mode === "poll" ? patienceMs : settle, async (file) =>
    queue.pathsAtWork().has(file.path) ? "refused" : desk.isKnown(file),
  );
  let notReady: readonly LookedFile[] = [];
  let held: Hold | undefined;
  let unreadable: string | undefined;
  let sweepAtMs = 0;

  const isEnding = (): boolean => signal.aborted || queue.hasFailed();
  const waiting = (): readonly LookedFile[] => [...queue.files(), ...notReady];
  const blocked = (): Hold | Away | undefined => held ?? queue.isAway();

  /** Another process lifts a hold. A STOP is answered once the rows in flight have their end. */
  const lookForStop = async (): Promise<void> => {
    // held since before this process began: that is no new hold
    if (!held && (await stopFilesIn(folder)).length > 0 && !(await desk.holdOf())) await desk.hold("stop_file");
    const found = await desk.holdOf();
    if (found && !held) desk.tell("folder_held", { code: found.reason, at: found.at });
    if (!found && held) {
      queue.forget();
      sweepAtMs = 0;
      desk.tell("folder_resumed");
      await desk.answerStop(undefined);
    }
    held = found;
    if (held?.reason === "stop_file" && !queue.isWorking()) await desk.answerStop(held);
  };

  const sweep = async (): Promise<void> => {
    const folders = await inboxFolders(folder);
    const found = await inbox.sweep();
    if (found.unreadable !== unreadable) {
      desk.tell(found.unreadable === undefined ? "folder_back" : "folder_away", { found: found.unreadable });
    }
    unreadable = found.unreadable;
    const complete = found.files.filter(({ waits }) => waits === undefined);
    if (unreadable === undefined) await desk.assertMarks(folders, found.files);
    for (const one of folders) await clearStaleAnswers(one);
    for (const file of complete) if (file.fault) await desk.process(file);
    notReady = found.files.filter(({ waits }) => waits !== undefined);
    await queue.refill(complete.filter(({ fault }) => !fault));
    desk.saw(waiting(), unreadable === undefined);
    await desk.answerWaiting(waiting(), blocked(), ANSWER_AFTER_MS);
    const nextMs = Math.min(sweepMs, inbox.looks.nextLookMs() ?? Infinity);
    sweepAtMs = performance.now() + Math.max(LOOK_MIN_MS, nextMs);
  };

  /** While the journal's server is away every look stands still. */
  let telling = Promise.resolve();
  const tellAway = async (): Promise<void> => {
    const since = work.sight?.awaySince;
    if (since !== undefined) await desk.answerAway([...waiting(), ...(await inbox.arrived())], since);
  };
  const tellingAway = setInterval(() => void (telling = telling.then(tellAway)), AWAY_TOLD_MS).unref();

  const turn = async (): Promise<void> => {
    await lookForStop();
    await telling;
    await desk.clearAway();
    if (performance.now() >= sweepAtMs) await sweep();
    if (!held && !isEnding()) queue.begin();
  };

  /** Until something is due, or it is rung. */
  const rest = async (): Promise<void> => {
    const ms = Math.min(sweepAtMs - performance.now(), queue.isWorking() ? STOP_LOOK_MS : Infinity);
    await sleep(Math.max(LOOK_MIN_MS, ms), undefined, { signal: rests.signal }).catch(() => undefined);
    rests = new AbortController();
  };

  /** Nothing can go any more, and no file becomes complete in the time that one must lie still. */
  const isDone = (untilMs: number): boolean => {
    const isStill = inbox.looks.nextLookMs() === undefined || performance.now() > untilMs;
    return !queue.isWorking() && (blocked() !== undefined || isStill);
  };

  const hint = (): void => {
    sweepAtMs = Math.min(sweepAtMs, performance.now() + HINT_MS);
    ring();
  };
  const hints = mode === "watch" ? await listen(folder, hint) : undefined;
  signal.addEventListener("abort", ring, { once: true });
  if (!isOnce) desk.tell("watching");
  try {
    await turn();
    const untilMs = performance.now() + patienceMs + LOOK_MIN_MS;
    while (!isEnding() && !(isOnce && isDone(untilMs))) {
      await rest();
      await turn();
    }
  } catch (error) {
    queue.fail(error);
  } finally {
    clearInterval(tellingAway);
    await hints?.close();
  }
  await queue.untilDone();
  await lookForStop();
  const codes = [...desk.codes.values()];
  if (!isOnce) return gravest(codes.filter((code) => [4, 7, 74].includes(code)));
  if (!signal.aborted) await desk.answerWaiting(waiting(), blocked(), 0);
  const isLeft = notReady.length + queue.length() > 0;
  const isCutOff = isLeft && (blocked() !== undefined || signal.aborted);
  if (unreadable !== undefined) {
    throw new PaydropError("folder_unreadable", { folder: printable(folder), found: unreadable });
  }
  const names = notReady.map(({ path: one }) => shown(one)).join(", ");
  if (notReady.length > 0 && !held) desk.tell("not_ready", { files: notReady.length, names });
  else if (codes.length === 0 && !isCutOff) desk.tell("nothing_new");
  return gravest([...codes, ...(isCutOff ? [7] : [])]);
}

/** Events are hints: they only make the next look come sooner. What we write there ourselves gives none. */
async function listen(folder: string, hint: () => void): Promise<{ close(): Promise<void> }> {
  const { watch } = await import("chokidar");
  const ignored = (path: string): boolean => path !== folder && !mayGiveWork(basename(path));
  const options = { depth: 1, ignoreInitial: true, followSymlinks: false, ignored };
  return watch(folder, options).on("all", hint).on("error", hint);
}
