import { counted } from "../../text/counted.ts";
import type { BatchReport } from "../../events.ts";
import { operationNamed } from "../../operations/catalogue.ts";
import type { OperationName } from "../../operations/operation.ts";
import { isOwnAnswer, ownText, putAnswer } from "./files.ts";
import { answer, asNamed, sentence, TROUBLES, type Answer } from "./answers.ts";
import {
  asTakenLines,
  cancelCommand,
  namedRows,
  releaseCommand,
  resumeBatchCommand,
  settleCommand,
  toldOf,
  waitingSteps,
} from "../words/next-steps.ts";

interface Told extends BatchReport {
  /** The file was run by its name: what is left of it does not go by itself. */
  readonly isNamed?: boolean;
}

/**
 * What is still open of a batch, if anything is. Refused and invalid rows are in the retry file. `withoutStop`: why
 * rows were not sent where no stop says it: mostly the service was out of reach, for fewer rows than stop a run.
 */
export function openAnswer(report: Told, withoutStop = TROUBLES.unreachable): Answer | undefined {
  const all = [unknownPart(report), heldPart(report), unsentPart(report, withoutStop), elsewherePart(report)];
  const parts = all.filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const lines = parts
    .flatMap((part, index) => (index === 0 ? part : ["", ...part]))
    .map((line) => toldOf(line, report));
  return answer("waiting", report.file, openHead(report.batch), lines);
}

type Part = readonly string[] | undefined;

function unknownPart({ batch, byStatus, rowsToLookAt }: BatchReport): Part {
  const unknown = byStatus.unknown?.rows ?? 0;
  if (unknown === 0) return undefined;
  const rows = namedRows(rowsToLookAt.unknown ?? [], unknown);
  return [
    `No clear answer for ${rows}: perhaps carried out, perhaps not.`,
    `Look up ${rows} in the service's dashboard. Do not send again before that. Then say what you found:`,
    `  ${settleCommand(batch)}`,
  ];
}

function heldPart(report: BatchReport): Part {
  const held = report.byStatus.held?.rows ?? 0;
  if (held === 0 || isCancelled(report)) return undefined;
  const rows = namedRows(report.rowsToLookAt.held ?? [], held);
  if (report.waitsFor) {
    const [what, command] = waitingSteps(rows, held, report.waitsFor);
    return [sentence(what), `  ${command}`];
  }
  return [
    `A person must decide on ${rows}; the results file says why.`,
    "To send them all the same:",
    `  ${releaseCommand(report.batch)}`,
    "To send nothing more of it:",
    `  ${cancelCommand(report.batch)}`,
  ];
}

function unsentPart(report: Told, withoutStop: Part): Part {
  const { batch, byStatus, goesAgain, phase, stop, isNamed = false } = report;
  const unsent = byStatus.not_sent?.rows ?? 0;
  if ((unsent === 0 && !goesAgain) || isCancelled(report)) return undefined;
  if (phase === "paused" || stop?.code === "paused") {
    const what = unsent > 0 ? `${counted(unsent)} not sent:` : "Refused, though not for what is in it;";
    return [`${what} the batch is paused.`, `  ${resumeBatchCommand(batch)}`];
  }
  const trouble = stop ? TROUBLES[stop.code] : withoutStop;
  const told = trouble && isNamed ? trouble.map(asNamed) : trouble;
  const lines = [
    ...(told ?? [sentence(stop?.message ?? ""), sentence(stop?.hint ?? "")]),
    ...(stop?.operation === undefined ? [] : [onlyOf(stop.operation)]),
  ];
  // the only row of a file may be the one that was refused for the key or the address: it goes again
  const what = unsent > 0 ? `${counted(unsent)} not sent yet.` : "Refused, though not for what is in it.";
  return [what, ...lines, ...asTakenLines(batch)];
}

function onlyOf(operation: OperationName): string {
  return `That was said of ${operationNamed(operation).folder}: files of other operations do not wait for it.`;
}

function elsewherePart({ batch, files, isNamed = false }: Told): Part {
  if (files.elsewhere === undefined) return undefined;
  return [
    `The results could not be written here: ${files.elsewhere}.`,
    // whether anybody looks after the folder of a file that was named is not known
    files.mayComeLater && !isNamed
      ? "They come here by themselves soon after that is mended, or with:"
      : "When that is mended, they come here with:",
    `  paydrop results ${batch}`,
  ];
}

function isCancelled({ phase, stop }: BatchReport): boolean {
  return phase === "cancelled" || stop?.code === "cancelled";
}

/**
 * Makes what `openAnswer` said of a batch true again after a person's act. Why other rows were not sent is not known
 * any more, and is left out. Every other answer beside the file stays as it is, and none is put where none was.
 */
export async function renewOpenAnswer(report: BatchReport): Promise<void> {
  const found = await ownText(`${report.file}.waiting.txt`);
  if (found?.split("\r\n", 1)[0]?.endsWith(openHead(report.batch)) !== true) return;
  await putOpen(report);
}

/**
 * The same beside a copy of the file: a STOP or a service that all copies waited for is over for all of them. A refusal
 * stays: it speaks of what lies there by now.
 */
export async function renewWaiting(report: BatchReport): Promise<void> {
  if (await isOwnAnswer(`${report.file}.refused.txt`)) return;
  if (await isOwnAnswer(`${report.file}.waiting.txt`)) await putOpen(report);
}

async function putOpen(report: BatchReport): Promise<void> {
  await putAnswer(report.file, openAnswer(report, NOT_NOW));
}

/**
 * For a file that was taken by its name, which nothing looks for again: tells what is open, in place of what was told
 * before.
 */
export async function answerNamed(report: BatchReport): Promise<void> {
  await putAnswer(report.file, openAnswer({ ...report, isNamed: true }));
}

function openHead(batch: string): string {
  return `was taken as batch ${batch}, and something is open.`;
}

const NOT_NOW = ["The rest goes when paydrop takes it up again: paydrop run, with this file."];
