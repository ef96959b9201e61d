import { lstat, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { rowsIn } from "../amount.ts";
import { minuteOf } from "../day.ts";
import { accessLike, isExchangedFolder, readFound, writeAtomically, type Access } from "../disk.ts";
import type { FileRefusedError } from "../errors.ts";
import type { BatchReport, RunEvent } from "../events.ts";
import { nameForAnswers } from "../intake/names.ts";
import * as words from "../messages/intake.ts";
import { tellFault } from "../messages/faults.ts";
import { counted, filled, listed, type Facts } from "../messages/sentence.ts";
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
  const lines = faults.slice(0, FAULTS_MAX).flatMap((fault) => {
    const { text, todo } = tellFault(fault);
    return todo === "" ? [capital(text), ""] : [capital(text), `  What to do: ${capital(todo)}`, ""];
  });
  if (faults.length > FAULTS_MAX) lines.push(`… and ${faults.length - FAULTS_MAX} more.`, "");
  lines.push(words.SAVE_AGAIN);
  if (version !== undefined) lines.push(`(${version})`);
  return answer("refused", path, lines);
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
export function troubleAnswer(path: string, lines: readonly string[]): Answer {
  return answer("trouble", path, lines.filter(Boolean).map(capital));
}

/** The same bytes under another name: what becomes of them is told beside the first one. */
export function copyAnswer(path: string, { batch, file, files }: BatchReport): Answer {
  const first = printable(dirname(path) === dirname(file) ? basename(file) : file);
  const line = filled(words.OF_COPY, { first, results: printable(basename(files.results ?? "")) });
  return answer("copy", path, [line], { batch });
}

/**
 * What is still open of a batch, if anything is; refused and invalid rows are in the retry file. `goesByItself`: rows
 * that were not sent are tried again. `again`: what commands to copy need besides, such as ` --state-dir /srv/paydrop`.
 */
export function openAnswer(report: BatchReport, { goesByItself = false, again = "" } = {}): Answer | undefined {
  const { batch, file, byStatus, stop, goesAgain = 0, phase, files, next } = report;
  const isCancelled = phase === "cancelled";
  const unsent = isCancelled ? 0 : rowsIn(byStatus, "not_sent") + goesAgain;
  const held = isCancelled ? 0 : rowsIn(byStatus, "held");
  const counts = Object.entries({ unknown: rowsIn(byStatus, "unknown"), held, "not sent": unsent });
  const open = counts.flatMap(([word, rows]) => (rows > 0 ? [`${counted(rows)} ${word}`] : []));
  if (open.length === 0 && files.elsewhere === undefined) return undefined;
  const hint = stop?.hint.replaceAll("BATCH", batch) ?? "";
  const isRun = (step = ""): boolean => step.startsWith("paydrop run ");
  const isOfRun = (step: string, at: number): boolean => isRun(step) || isRun(next[at + 1]) || hint.includes(step);
  const steps = next.filter((step, at) => !goesByItself || !isOfRun(step, at));
  const lines = [
    open.length > 0 ? `${listed(open)}.` : "",
    files.elsewhere === undefined ? "" : filled(words.ELSEWHERE, { why: files.elsewhere }),
    stop ? capital(stop.message) : "",
    goesByItself ? words.BY_ITSELF : "",
    ...steps.map((step) => (step.startsWith("paydrop ") ? `  ${step}` : capital(step))),
    ...(unsent > 0 && phase === undefined ? words.asTakenLines(batch) : []),
  ];
  const complete = lines.filter(Boolean).map((line) => (line.startsWith("  paydrop ") ? line + again : line));
  return answer("open", file, complete, { batch });
}

function answer(head: keyof typeof words.ANSWER_HEADS, path: string, lines: readonly string[], facts: Facts = {}) {
  const kind: Answer["kind"] = head === "refused" || head === "copy" ? "refused" : "waiting";
  const name = printable(basename(path), 200);
  return { kind, text: textOf(`${words.ANSWER_MARK}${name} ${filled(words.ANSWER_HEADS[head], facts)}`, lines) };
}

/** CRLF: it is read with Notepad, mostly by somebody who cannot run a command. */
function textOf(head: string, lines: readonly string[]): string {
  const end = lines.some((line) => line.startsWith("  paydrop ")) ? ["", words.TYPED_BY] : [];
  return `${[head, "", ...lines, ...end].map((line) => printable(line, 2000)).join("\r\n")}\r\n`;
}

function capital(text: string): string {
  // the name of a file stays as it is, and so does a command
  const first = /^\S+\.\w|^ {2}/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /^ {2}|[.:?!]$/.test(first) ? first : `${first}.`;
}

/**
 * Makes this the only answer beside the file at `path`; undefined: none. A file of that name which is not ours stays as
 * it is. Gives whether the folder now says so.
 */
export async function putAnswer(path: string, wanted: Answer | undefined): Promise<boolean> {
  try {
    if (await isExchangedFolder(path)) return false;
    for (const kind of ["refused", "waiting"] as const) {
      const target = answerPath(path, kind);
      if (wanted?.kind === kind) await writeOwn(target, wanted.text, await accessOfAnswer(path));
      else await removeOwn(target);
    }
    return true;
  } catch {
    return false;
  }
}

/** What is said of a link, a pipe or a folder holds nothing of a file: whoever put it there may read it. */
async function accessOfAnswer(path: string): Promise<Access> {
  const stats = await lstat(path).catch(() => undefined);
  return stats && !stats.isFile() ? { mode: 0o644 } : accessLike(path);
}

/** After an act: what is said to be open of the batch is made true again. No answer comes where none was. */
export async function renewOpenAnswer(report: BatchReport, again = ""): Promise<void> {
  const found = await ownText(answerPath(report.file, "waiting"));
  const head = filled(words.ANSWER_HEADS.open, { batch: report.batch });
  if (found?.includes(head)) await putAnswer(report.file, openAnswer(report, { again }));
}

/** The version of the file that the refusal beside it is about, if one lies there. */
export async function refusedVersion(path: string): Promise<string | undefined> {
  return /\r\n\((.+)\)\r\n$/.exec((await ownText(answerPath(path, "refused"))) ?? "")?.[1];
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
    const isStale = !there.has(file) || ((await ownText(path)) ?? "").includes("--accept-lost-journal");
    if (isStale) await removeOwn(path).catch(() => undefined);
  }
}

/** The answer to a STOP: why everything is held, and how it goes on; undefined: the hold is over. */
export async function answerStop(folder: string, lines: readonly string[] | undefined): Promise<void> {
  const path = join(folder, words.STOP_ANSWER);
  if (!lines) await removeOwn(path);
  else await writeOwn(path, textOf(words.STOP_HEAD, lines), { mode: 0o644 }).catch(() => undefined);
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
