import { stat } from "node:fs/promises";
import { Gate } from "../drop-folder/gate.ts";
import { FileRefusedError, OneBatchError, PaydropError } from "../errors.ts";
import type { BatchReport, RunEvent } from "../events.ts";
import { exitCodeOf, gravest } from "../exit-codes.ts";
import { withProcessor } from "../processor.ts";
import { isOwnFileRefused } from "../intake/own.ts";
import { openRegular } from "../intake/source-file.ts";
import { refusedAnswer } from "../results/answers/answers.ts";
import { putAnswer } from "../results/answers/files.ts";
import { answerNamed } from "../results/answers/open-answer.ts";
import type { Call } from "./command.ts";
import { errorText } from "./screen/error-text.ts";
import type { RunParts } from "./run-inbox.ts";
import { operandsOf, sendHandedOver, tellFirst, withSending, withTeller, type Sending } from "./sending.ts";
import type { Listening } from "./signals.ts";
import { tell } from "./screen/tell.ts";
import type { Teller } from "./screen/teller.ts";

/**
 * Checks, sends and writes the results of one file after the other, and of all that is complete in a folder; the gravest
 * exit code speaks for all.
 */
export function run(call: Call): Promise<number> {
  return withSending(call, sendAll);
}

async function sendAll({ call, config, sandbox, monitor }: Sending): Promise<number> {
  return withTeller(call, config, async (said, listening) => {
    const named = namedIn(call);
    await assertThere(named);
    const ends: BatchEnd[] = [];
    const ended: Teller["ended"] = (report, ...more) => {
      const { batch, requests, exitCode } = report;
      ends.push({ batch, requests, exitCode });
      said.ended(report, ...more);
    };
    const teller = { ...said, ended };
    const gate = new Gate(listening.signal);
    const onEvent = (event: RunEvent): void => {
      monitor.onEvent(event);
      teller.onEvent(event);
    };
    const services = { config, sandbox, signal: gate, onEvent, isLarge: await isLarge(named), takesOver: true };
    const isSweep = (await Promise.all(named.map(isFolder))).every(Boolean);
    const work = withProcessor(services, "send", (processor) => {
      tellFirst(teller, call, config);
      const parts = { config, processor, teller, gate, monitor };
      // together: an unclear answer, or a refusal for the key, holds for the files after it as well
      const sendThem = (): Promise<number> => processor.together(() => sendEach(named, listening, parts));
      return monitor.following(processor.journal, sendThem);
    });
    const code = await (config.quiet && isSweep ? work.catch(codeOfOverlap) : work);
    // of several files the last line sums up all: the summary of the last file may say that it went well
    if (ends.length !== 1 || ends[0]?.exitCode !== code) tell(call, config, "", summaryOf(ends, code));
    return code;
  });
}

/** What of each batch is kept until the last one has its end. */
type BatchEnd = Pick<BatchReport, "batch" | "requests" | "exitCode">;

function summaryOf(ends: readonly BatchEnd[], code: number): Readonly<Record<string, unknown>> {
  const batches = ends.map(({ batch }) => batch);
  const requests = ends.reduce((sum, end) => sum + end.requests, 0);
  return { type: "summary", batches, requests, exit_code: code };
}

async function sendEach(paths: readonly string[], listening: Listening, parts: RunParts): Promise<number> {
  const { config, processor, teller, gate } = parts;
  const codes: number[] = [];
  for (const path of paths) {
    if (listening.stopping) {
      codes.push(7);
      break;
    }
    // a STOP in the folder before says nothing about this one
    gate.open();
    codes.push(await sendOne(path, parts));
  }
  gate.open();
  if (!listening.stopping) codes.push(...(await sendHandedOver(processor, teller, config)));
  return gravest(codes);
}

/** A sweep that finds another paydrop at work is no news: the next sweep does its work. */
function codeOfOverlap(error: unknown): number {
  if (error instanceof PaydropError && error.code === "locked") return exitCodeOf(error);
  throw error;
}

/**
 * A file, or all that is complete in a folder. A refused one does not keep the others waiting, nor does one whose batch
 * must not go on; a failing disk does.
 */
async function sendOne(path: string, parts: RunParts): Promise<number> {
  const { config, processor, teller } = parts;
  try {
    if (await isFolder(path)) {
      const { runInbox } = await import("./run-inbox.ts");
      return await runInbox(path, parts);
    }
    const report = await processor.processFile(path);
    await answerNamed(report);
    teller.ended(report);
    return report.exitCode;
  } catch (error) {
    const code = exitCodeOf(error);
    if (code !== 5 && code !== 2 && !(error instanceof OneBatchError)) throw error;
    // a pattern such as *.csv names our own files as well: nobody has to correct them
    if (error instanceof FileRefusedError && !isOwnFileRefused(error)) {
      const { faults, batch } = error;
      await putAnswer(path, refusedAnswer(path, { faults, batch, isNamed: true }));
    }
    teller.say(errorText(error, config.json, config.verbose).trimEnd());
    return code;
  }
}

/** Files and folders, `--inbox` among them. Throws `usage` for none. */
function namedIn(call: Call): readonly string[] {
  const named = operandsOf(call);
  if (named.length > 0) return named;
  throw new PaydropError("usage", "missing required argument 'file'", "paydrop run --help shows how it is used");
}

/** Where several files are named, tells of a wrong name before any is sent: exit 2 later would hide that some went. */
async function assertThere(paths: readonly string[]): Promise<void> {
  if (paths.length < 2) return;
  for (const path of paths) {
    if (await isFolder(path)) continue;
    try {
      await (await openRegular(path)).close();
    } catch (error) {
      if (!(error instanceof PaydropError)) throw error;
      const hint = `${error.hint} Nothing was sent, of the others neither.`;
      throw new PaydropError(error.code, error.message, hint, { cause: error });
    }
  }
}

/** Whether these are together more than a few hundred rows, or one is a folder, which may hold any number. */
async function isLarge(paths: readonly string[]): Promise<boolean> {
  let bytes = 0;
  for (const path of paths) {
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isDirectory()) return true;
    bytes += stats?.size ?? 0;
  }
  return bytes > SMALL_BYTES_MAX;
}

const SMALL_BYTES_MAX = 64 * 1024;

/** A link to a folder is a folder too. What is not there is none, and is told as a missing file. */
function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
