import type { ErrorCode } from "./messages/errors.ts";
import { foreseen, PaydropError } from "./errors.ts";

/** README §10: behind the process, `--help`, the README and the tests. `todo` is for cron and operations. */
export const EXIT_CODES = [
  { code: 0, sentence: "every row accepted, or nothing to do", todo: "nothing" },
  { code: 1, sentence: "internal failure", todo: "run it again with --verbose, and send us that" },
  { code: 2, sentence: "usage or configuration", todo: "mend what it names: the command, a setting, a key" },
  { code: 3, sentence: "some rows rejected or invalid", todo: "by day: the clerk corrects the retry file" },
  { code: 4, sentence: "some rows unknown: a person must look", todo: "wake a person: `paydrop status --unknown`" },
  { code: 5, sentence: "file refused, nothing sent", todo: "by day: the clerk reads refused.txt" },
  { code: 6, sentence: "rows held or not approved yet: a person must decide", todo: "by day: who decides or approves" },
  { code: 7, sentence: "stopped before the end; safe to run again", todo: "read why, mend that, run it again" },
  { code: 74, sentence: "disk or journal failure", todo: "make room or mend what it names, start it again" },
  { code: 75, sentence: "another paydrop has this state directory", todo: "nothing: that one is at work" },
  { code: 78, sentence: "wrong Node, or the batch began with another destination", todo: "mend Node or the address" },
] as const;

const GRAVEST_FIRST: readonly number[] = [1, 74, 78, 2, 4, 7, 5, 3, 6, 75, 0];

/** The code that speaks for several (README §10); one that is not in the table is a failure. */
export function gravest(codes: readonly number[]): number {
  if (codes.some((code) => !GRAVEST_FIRST.includes(code))) return 1;
  return GRAVEST_FIRST.find((code) => codes.includes(code)) ?? 0;
}

const BY_ERROR: Readonly<Record<ErrorCode, number>> = {
  usage: 2,
  config: 2,
  file_refused: 5,
  stopped: 7,
  journal: 74,
  results_unwritable: 74,
  locked: 75,
  destination: 78,
};

/** The exit code of anything thrown; what neither paydrop nor a failing disk threw is an internal failure. */
export function exitCodeOf(thrown: unknown): number {
  const error = foreseen(thrown);
  return error instanceof PaydropError ? BY_ERROR[error.code] : 1;
}

/** The EXIT STATUS section of `--help`. */
export function exitStatusText(): string {
  const lines = EXIT_CODES.map(({ code, sentence }) => `  ${String(code).padEnd(4)}${sentence}`);
  return ["EXIT STATUS", ...lines, "  The gravest wins. A code that is not listed is a failure."].join("\n");
}
