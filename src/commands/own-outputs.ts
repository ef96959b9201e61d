import { closeSync, constants, fstatSync, openSync, readSync, statSync, type BigIntStats } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../config/config.ts";
import { PaydropError } from "../errors.ts";
import { printable } from "../text/printable.ts";
import { isWithin, real } from "./doctor/folders.ts";

/**
 * The log is appended to, and metrics replace what lies there: whoever forgets the value of the flag names the file of
 * payments behind it. Neither ever goes into a file that is not ours (DESIGN §9), into one of `operands`, or into the
 * state folder. Throws PaydropError `config`, before anything is read or sent.
 */
export function assertOwnOutputs(config: Config, operands: readonly string[]): void {
  const { metricsFile, logFile } = config;
  if (metricsFile !== undefined) assertOwn("metrics_file", metricsFile, config, [...operands, logFile]);
  if (logFile !== undefined) assertOwn("log_file", logFile, config, [...operands, metricsFile]);
}

type Output = "metrics_file" | "log_file";

function assertOwn(name: Output, path: string, config: Config, others: readonly (string | undefined)[]): void {
  const why = whyNot(name, path, config.stateDir, others);
  if (why === undefined) return;
  const origin = config.origins?.[name];
  const said = origin !== undefined && /^(?:--|PAYDROP_)/.test(origin) ? origin : name;
  throw new PaydropError(
    "config",
    `${said}: ${printable(path)} ${why}`,
    `nothing was read or sent; name a file of its own for ${name === "log_file" ? "the log" : "the metrics"}, one that is not there yet`,
  );
}

function whyNot(
  name: Output,
  path: string,
  stateDir: string,
  others: readonly (string | undefined)[],
): string | undefined {
  const [stats, beginning] = lookAt(path);
  // a log may go to a device or a pipe; metrics would put a file in their place, by a rename
  if (stats && !stats.isFile()) return name === "log_file" ? undefined : "is not a file";
  if (others.some((other) => other !== undefined && real(path) === real(other)))
    return "is named for something else too";
  if (name === "log_file" && stats && isStandardOutput(stats)) return undefined;
  if (isWithin(path, stateDir) || isWithin(dirname(path), stateDir)) return "lies in the state folder";
  if (beginning === undefined || beginning === "" || BEGINNINGS[name].test(beginning)) return undefined;
  return "holds something else, and not what paydrop writes there";
}

const BEGINNINGS: Readonly<Record<Output, RegExp>> = {
  metrics_file: /^# HELP paydrop_/,
  // as text and as JSON
  log_file:
    /^(?:\{"level":"[a-z]+","time":")?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?:"[,}]| (?:trace|debug|info|warn|error|fatal) )/,
};
const BEGINNING_BYTES = 256;

/** What stands at a path, and how it begins: undefined where that may not be read, and for what is no file. */
function lookAt(path: string): readonly [stats: BigIntStats | undefined, beginning?: string] {
  let file: number | undefined;
  let stats: BigIntStats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    // to open a pipe would wait for its reader
    if (!stats?.isFile()) return [stats];
    const bytes = Buffer.alloc(BEGINNING_BYTES);
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return [stats, bytes.toString("utf8", 0, readSync(file, bytes, 0, BEGINNING_BYTES, 0))];
  } catch {
    // the write that fails later says why
    return [stats];
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Whether it is where stdout or stderr goes: the log of a shell or of systemd, which this process writes to anyway. */
function isStandardOutput({ dev, ino }: BigIntStats): boolean {
  return [1, 2].some((descriptor) => {
    try {
      const own = fstatSync(descriptor, { bigint: true });
      return own.dev === dev && own.ino === ino;
    } catch {
      return false;
    }
  });
}
