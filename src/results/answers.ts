import { lstat, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { rowsIn } from "../amount.ts";
import { minuteOf } from "../day.ts";
import { accessLike, inFolderOf, readFound, writeAtomically, type Access } from "../disk.ts";
import type { FileRefusedError } from "../errors.ts";
import type { BatchReport, RunEvent } from "../events.ts";
import type { Step } from "../messages/statuses.ts";
import { nameForAnswers } from "../intake/names.ts";
import * as words from "../messages/intake.ts";
import { tellFault } from "../messages/faults.ts";
import { againOf, complete } from "../messages/commands.ts";
import { asSentence, commandLine, counted, filled, leadOf, listed } from "../messages/sentence.ts";
import type { Facts, Flags, Told } from "../messages/sentence.ts";
import { printable } from "../printable.ts";

/**
 * What a clerk without a terminal reads beside a dropped file: `payroll.csv.refused.txt` or `payroll.csv.waiting.txt`,
 * at most one of them, and none when the results say it all.
 */
export interface Answer {
  readonly kind: "refused" | "waiting";
  readonly text: string;
}

const FAULTS_MAX = 20;

/**
 * `version`: what the refusal is remembered by, so that the file is not looked at again before something has changed;
 * without it a person ran it by its name, and nothing looks for it again.
 */
export function refusedAnswer(path: string, { faults }: Pick<FileRefusedError, "faults">, version?: string): Answer {
  const lines = faults.slice(0, FAULTS_MAX).flatMap((fault): words.Line[] => {
    const { text, todo, commands } = tellFault(fault);
    return [asSentence(text), ...(todo === "" ? [] : [`  What to do: ${asSentence(todo)}`]), ...commands, ""];
  });
  if (faults.length > FAULTS_MAX) lines.push(`… and ${faults.length - FAULTS_MAX} more.`, "");
  return answer("refused", path, [...lines, words.SAVE_AGAIN], { mark: version });
}

export function waitingAnswer(path: string, why: keyof typeof words.WAITS): Answer {
  return answer("waiting", path, words.WAITS[why]);
}

const RENEWED_EVERY_MS = 2000;
interface Going {
  readonly config: { readonly settle: number };
  readonly confirm?: unknown;
  readonly tell: (event: RunEvent) => void;
  readonly sight?: { readonly awaySince: number | undefined } | undefined;
}

/** What is being sent says so beside its file, and how far it is; what is said last stays. */
export async function whileGoing<Work extends Going, Ended>(
  work: Work,
  path: string,
  going: (work: Work) => Promise<Ended>,
): Promise<Ended> {
  // before a person has said yes nothing is being sent
  let rows = work.confirm ? undefined : 0;
  let [went, isTold] = [0, false];
  const tell = (event: RunEvent): void => {
    if (event.type === "start") rows = event.toSend;
    else if (event.type === "row" && event.status !== "not_sent") went += 1;
    work.tell(event);
  };
  const say = async (): Promise<void> => {
    if (rows === undefined) return;
    const progress = rows === 0 ? [] : [filled(words.PROGRESS, { went, rows })];
    const since = work.sight?.awaySince;
    const going = answer("going", path, [...progress, ...words.GOING]);
    await putAnswer(path, since === undefined ? going : serverAnswer(path, since, progress));
    isTold = true;
  };
  let saying = Promise.resolve();
  const renew = (): unknown => (saying = saying.then(say));
  const timer = setInterval(renew, Math.min(work.config.settle, RENEWED_EVERY_MS));
  const end = (): Promise<void> => {
    clearInterval(timer);
    return saying;
  };
  try {
    return await going({ ...work, tell }).finally(end);
  } catch (thrown) {
    if (isTold) await putAnswer(path, undefined);
    throw thrown;
  }
}

/** The server of the journal is away since then: nothing goes until it is back. */
export function serverAnswer(path: string, since: number, progress: readonly string[] = []): Answer {
  return answer("server", path, [...progress, ...words.serverLines(minuteOf(since))]);
}

/** The folder is held, or something must be mended that is not in the file. */
export function troubleAnswer(path: string, lines: readonly words.Line[], again?: Flags, mark?: string): Answer {
  const said = lines.filter((line) => line !== "").map((line) => (typeof line === "string" ? asSentence(line) : line));
  return answer("trouble", path, said, { again, mark });
}

/** `more`: what stands below it. */
export function errorAnswer(path: string, error: Told, again?: Flags, more: readonly string[] = []): Answer {
  const isLost = error.commands.some(({ flags }) => flags["accept_lost_journal"] !== undefined);
  return troubleAnswer(path, [...linesOf(error), ...more], again, isLost ? LOST : undefined);
}

/** Marks what is said where the journal is not the one of the folder: it is true of that journal alone. */
const LOST = "lost";

const linesOf = ({ text, todo, commands }: Told): readonly words.Line[] => [text, todo, ...commands];

/** Of a file that somebody was to approve, and did not: why, for whoever brought it. */
export function sentBackAnswer(path: string, { by, why }: { readonly by: string; readonly why: string }): Answer {
  return answer("sent_back", path, [`${by}: “${why}”`, "", words.SAVE_AGAIN], { facts: { by } });
}

/** The same bytes under another name: what becomes of them is told beside the first one. */
export function copyAnswer(path: string, { batch, file, files }: BatchReport): Answer {
  const first = printable(dirname(path) === dirname(file) ? basename(file) : file);
  const line = filled(words.OF_COPY, { first, results: printable(basename(files.results ?? "")) });
  return answer("copy", path, [line], { facts: { batch } });
}

/**
 * What is still open of a batch, if anything is; refused and invalid rows are in the retry file. `goesByItself`: rows
 * that were not sent are tried again. `again`: what commands to copy need besides.
 */
export function openAnswer(
  report: BatchReport,
  { goesByItself = false, again = {} }: { readonly goesByItself?: boolean; readonly again?: Flags | undefined } = {},
): Answer | undefined {
  const { batch, file, byStatus, stop, goesAgain = 0, phase, files, next, destination } = report;
  const isCancelled = phase === "cancelled";
  const unsent = isCancelled ? 0 : rowsIn(byStatus, "not_sent") + goesAgain;
  const held = isCancelled ? 0 : rowsIn(byStatus, "held");
  const counts = Object.entries({ unknown: rowsIn(byStatus, "unknown"), held, "not sent": unsent });
  const open = counts.flatMap(([word, rows]) => (rows > 0 ? [`${counted(rows)} ${word}`] : []));
  if (open.length === 0 && files.elsewhere === undefined) return undefined;
  const steps = next.filter(({ code }) => !goesByItself || !OF_A_RUN.includes(code));
  const needed = againOf(destination, again) ?? { all: again };
  const lines = [
    open.length > 0 ? `${listed(open)}.` : "",
    files.elsewhere === undefined ? "" : filled(words.ELSEWHERE, { why: files.elsewhere }),
    stop ? asSentence(stop.text) : "",
    goesByItself ? words.BY_ITSELF : "",
    ...steps.flatMap((step) => linesOf(complete({ ...step, text: asSentence(step.text) }, needed))),
    ...(unsent > 0 && phase === undefined ? [words.asTaken(batch)] : []),
  ];
  const said = lines.filter((line) => line !== "");
  return answer("open", file, said, { facts: { batch }, again });
}

/** What a person need not do where the rest goes by itself. */
const OF_A_RUN: readonly Step["code"][] = ["stopped", "unsent", "other_month"];

interface More {
  readonly facts?: Facts;
  readonly again?: Flags | undefined;
  /** By this it is known again (`markIn`). */
  readonly mark?: string | undefined;
}

function answer(
  head: keyof typeof words.ANSWER_HEADS,
  path: string,
  lines: readonly words.Line[],
  { facts = {}, again, mark }: More = {},
): Answer {
  const kind: Answer["kind"] = head === "refused" || head === "copy" || head === "sent_back" ? "refused" : "waiting";
  const name = printable(basename(path), 200);
  const first = `${words.ANSWER_MARK}${name} ${filled(words.ANSWER_HEADS[head], facts)}`;
  return { kind, text: textOf(first, lines, again, mark) };
}

/** Before each line that is for whoever types commands. */
const TYPED = "    ";

/** CRLF: it is read with Notepad, mostly by somebody who cannot run a command. */
function textOf(head: string, lines: readonly words.Line[], again: Flags = {}, mark?: string): string {
  const shown = lines.flatMap((line) => {
    if (typeof line === "string") return [line];
    return [leadOf(line), commandLine(line, again)].filter(Boolean).map((one) => TYPED + one);
  });
  const end = lines.every((line) => typeof line === "string") ? [] : ["", TYPED + words.TYPED_BY];
  const last = mark === undefined ? [] : [`(${mark})`];
  return `${[head, "", ...shown, ...end, ...last].map((line) => printable(line, 2000)).join("\r\n")}\r\n`;
}

const MARK = /\r\n\((.+)\)\r\n$/;

const markIn = (text: string | undefined): string | undefined => MARK.exec(text ?? "")?.[1];

/** What an answer says to somebody who types no commands; not its first line, which names the file. */
export async function answerLines(path: string): Promise<readonly string[]> {
  const text = ((await ownText(path)) ?? "").replace(MARK, "");
  const lines = text.split(/\r?\n/).slice(1);
  return lines.filter((line) => line.trim() !== "" && !line.startsWith(TYPED));
}

/**
 * Makes this the only answer beside the file at `path`; undefined: none. A file of that name which is not ours stays as
 * it is. Gives whether the folder now says so.
 */
export async function putAnswer(path: string, wanted: Answer | undefined): Promise<boolean> {
  try {
    await inFolderOf(path, (held) => putThere(held, wanted));
    return true;
  } catch {
    return false;
  }
}

async function putThere(path: string, wanted: Answer | undefined): Promise<void> {
  for (const kind of ["refused", "waiting"] as const) {
    const target = answerPath(path, kind);
    if (wanted?.kind === kind) await writeOwn(target, wanted.text, await accessOfAnswer(path));
    else await removeOwn(target);
  }
}

/** What is said of a link, a pipe or a folder holds nothing of a file: whoever put it there may read it. */
async function accessOfAnswer(path: string): Promise<Access> {
  const stats = await lstat(path).catch(() => undefined);
  return stats && !stats.isFile() ? { mode: 0o644 } : accessLike(path);
}

/** After an act: what is said to be open of the batch is made true again. No answer comes where none was. */
export async function renewOpenAnswer(report: BatchReport, again: Flags = {}): Promise<void> {
  const found = await ownText(answerPath(report.file, "waiting"));
  const head = filled(words.ANSWER_HEADS.open, { batch: report.batch });
  if (found?.includes(head)) await putAnswer(report.file, openAnswer(report, { again }));
}

/** The version of the file that the refusal beside it is about, if one lies there. */
export async function refusedVersion(path: string): Promise<string | undefined> {
  return markIn(await ownText(answerPath(path, "refused")));
}

function answerPath(path: string, kind: Answer["kind"]): string {
  return join(dirname(path), `${nameForAnswers(basename(path))}.${kind}.txt`);
}

/** Removes what an earlier process left: answers to files that were taken away since, and that this journal is not theirs. */
export async function clearStaleAnswers(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  const there = new Set(names.map(nameForAnswers));
  for (const name of names) {
    const [, file] = /^(.+)\.(?:refused|waiting)\.txt$/s.exec(name) ?? [];
    if (file === undefined) continue;
    const path = join(folder, name);
    const isStale = !there.has(file) || markIn(await ownText(path)) === LOST;
    if (isStale) await removeOwn(path).catch(() => undefined);
  }
}

/** The answer to a STOP: why everything is held, and how it goes on; undefined: the hold is over. */
export async function answerStop(folder: string, lines?: readonly words.Line[], again?: Flags): Promise<void> {
  const path = join(folder, words.STOP_ANSWER);
  if (!lines) await removeOwn(path);
  else await writeOwn(path, textOf(words.STOP_HEAD, lines, again), { mode: 0o644 }).catch(() => undefined);
}

async function writeOwn(path: string, text: string, access: Access): Promise<void> {
  const found = await ownText(path);
  if (found === text) return;
  if (found === FOREIGN) throw new Error("not ours");
  await writeAtomically(path, [text], { ...access, replace: true });
}

async function removeOwn(path: string): Promise<void> {
  const found = await ownText(path);
  // a watch and a person's resume may take it away at the same time
  if (found !== undefined && found !== FOREIGN) await rm(path, { force: true });
}

const FOREIGN = "";
const ANSWER_BYTES_MAX = 64 * 1024;

/** The text that stands there, if it is ours; undefined: nothing is there. */
export async function ownText(path: string): Promise<string | undefined> {
  const text = await readFound(path, ANSWER_BYTES_MAX).catch(() => FOREIGN);
  return text === undefined || text.startsWith(words.ANSWER_MARK) ? text : FOREIGN;
}
