import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { loadWithoutKeys } from "../config/load.ts";
import { FileRefusedError } from "../errors.ts";
import { exitCodeOf, gravest } from "../exit-codes.ts";
import { hasCheckNote, writeCheckNote } from "../results/answers/check-note.ts";
import type { CheckReport } from "../results/screen/check-report.ts";
import { inLook } from "../results/screen/look.ts";
import { withHint } from "../results/disk/on-disk.ts";
import { checkFile } from "../proof-read/check-file.ts";
import { checkObjects } from "./check/objects.ts";
import { checkText, type CheckLook } from "./check/text.ts";
import type { Call, Output } from "./command.ts";
import { errorShown, errorText } from "./screen/error-text.ts";
import { lookOf } from "./screen/look-of.ts";
import { withSandboxState } from "./sandbox-state.ts";
import { leavingNothing } from "./signals.ts";
import { tell } from "./screen/tell.ts";

/** Checks files as `run` does before it sends: no network, no keys, nothing remembered. Gives the gravest code. */
export async function run(call: Call): Promise<number> {
  const config = loadWithoutKeys(call);
  const checkAll = (used: Config): Promise<number> => checkEach(call, used);
  return leavingNothing(() => (call.flags["sandbox"] === true ? withSandboxState(config, checkAll) : checkAll(config)));
}

async function checkEach(call: Call, config: Config): Promise<number> {
  const codes: number[] = [];
  let told = 0;
  for (const file of call.operands) {
    const { code, isTold } = await checkOne(call, config, resolve(file));
    codes.push(code);
    told += isTold ? 1 : 0;
  }
  const code = gravest(codes);
  // the last line is the whole answer, also of several files, or where none could be read
  if (codes.length > 1 || told === 0) {
    tell(call, config, "", { type: "summary", files: codes.length, exit_code: code });
  }
  return code;
}

/** One broken file does not keep the others from being looked at. */
async function checkOne(call: Call, config: Config, file: string): Promise<{ code: number; isTold: boolean }> {
  const sandbox = call.flags["sandbox"] === true;
  try {
    const report = await checkFile(file, { config, sandbox }, call.flags["all"] === true);
    const { written, code } = await note(call, config, file, () => checkText(report, NOTE_LOOK));
    if (config.quiet && report.exitCode === 0) return { code, isTold: false };
    if (config.json) {
      for (const object of checkObjects(report, written)) call.stdout.write(`${JSON.stringify(object)}\n`);
    } else {
      call.stdout.write(checkShown(report, call.stdout, call, config));
      if (written !== undefined) call.stdout.write(`written    ${written}\n`);
    }
    return { code: gravest([report.exitCode, code]), isTold: true };
  } catch (error) {
    call.stderr.write(errorShown(error, call.stderr, call, config));
    if (!(error instanceof FileRefusedError)) return { code: exitCodeOf(error), isTold: false };
    const refused = (): string => `It would be refused as a whole.\n\n${errorText(error, false, false)}`;
    return { code: gravest([exitCodeOf(error), (await note(call, config, file, refused)).code]), isTold: false };
  }
}

/** Lines are broken for a terminal only: a program or a search reads them whole. */
export function checkShown(report: CheckReport, output: Output, call: Call, config: Config): string {
  const look = lookOf(output, call, config);
  const isAiry = output.isTerminal;
  const width = isAiry ? look.width : Number.POSITIVE_INFINITY;
  return inLook(checkText(report, { ...look, width, namesFile: true, isAiry }), look);
}

const NOTE_LOOK: CheckLook = { color: false, width: 76, namesFile: false, isAiry: true };

/**
 * Writes the note where it is asked for, and over an earlier one, which would no longer be true. A note that cannot be
 * written is told; the answer itself is given all the same.
 */
async function note(
  call: Call,
  config: Config,
  file: string,
  textOf: () => string,
): Promise<{ readonly written?: string; readonly code: number }> {
  try {
    if (call.flags["write"] !== true && !(await hasCheckNote(file))) return { code: 0 };
    return { written: await writeCheckNote(file, textOf()), code: 0 };
  } catch (error) {
    const again = "make room on the disk and let paydrop write there, then check again with --write";
    const unwritable = withHint(error, again);
    call.stderr.write(errorShown(unwritable, call.stderr, call, config));
    return { code: exitCodeOf(unwritable) };
  }
}
