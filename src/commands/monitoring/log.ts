import { dirname } from "node:path";
import type { DestinationStream, Logger, pino } from "pino";
import type { Config } from "../../config/config.ts";
import { conceal } from "../../config/conceal.ts";
import { PaydropError, messageOf } from "../../errors.ts";
import { makeFolder } from "../../disk/make-folder.ts";
import { printable } from "../../text/printable.ts";

export type Log = Pick<Logger, "trace" | "debug" | "info" | "warn" | "error" | "child">;

interface OpenLog {
  readonly log: Log;
  readonly close: () => void;
}

/**
 * The log of a run: to stderr or to `logFile` (private, opened again on SIGHUP so that logrotate can rename it). Written
 * synchronously, so that the last lines before a crash are there. Secrets never get through. Throws PaydropError
 * `config` for a file that cannot be opened; a disk that fills up later costs lines of the log and nothing else, and
 * `complain` is told once.
 */
export async function openLog(
  config: Config,
  to: { write(line: string): unknown } = process.stderr,
  complain: (text: string) => void = () => undefined,
): Promise<OpenLog> {
  let file: LogFile | undefined;
  let isTold = false;
  const failed = (error: unknown): void => {
    if (isTold) return;
    isTold = true;
    complain(`the log ${config.logFile ?? ""} cannot be written: ${messageOf(error)}; payments go on`);
  };
  const reopen = (): void => {
    try {
      file?.reopen();
    } catch (error) {
      failed(error);
    }
  };
  // before anything is waited for: logrotate may come at any moment, and the signal would end the process
  if (config.logFile !== undefined) process.on("SIGHUP", reopen);
  const { pino } = await import("pino");
  try {
    if (config.logFile !== undefined) file = openFile(pino.destination, config.logFile);
  } catch (error) {
    process.off("SIGHUP", reopen);
    throw error;
  }
  file?.on("error", failed);
  const log = pino(
    { level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: levelName } },
    filtered(file ?? to, config.logFormat),
  );
  const close = (): void => {
    process.off("SIGHUP", reopen);
    file?.end();
  };
  return { log, close };
}

/** What is kept of a log while its disk is full. */
const WAITING_BYTES_MAX = 1024 * 1024;

type LogFile = ReturnType<(typeof pino)["destination"]>;

function openFile(destination: (typeof pino)["destination"], path: string): LogFile {
  try {
    // pino must not make the folder: where none can be made, such as in /proc, Node's recursive mkdir tries for ever
    makeFolder(dirname(path));
    return destination({
      dest: path,
      sync: true,
      mkdir: false,
      mode: 0o600,
      append: true,
      maxLength: WAITING_BYTES_MAX,
    });
  } catch (error) {
    throw new PaydropError(
      "config",
      `the log ${path} cannot be opened: ${messageOf(error)}`,
      "name another --log-file",
    );
  }
}

function levelName(level: string): { level: string } {
  return { level };
}

function filtered(to: { write(line: string): unknown }, format: Config["logFormat"]): DestinationStream {
  const shape = format === "json" ? (line: string): string => line : textLine;
  return { write: (line) => void to.write(conceal(shape(line))) };
}

/** `2026-10-31T12:37:22.114Z warn K7Q29F3M row=91 no answer`: one event is one line. */
function textLine(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const said = [time, level, msg].filter((part) => typeof part === "string");
  const fields = Object.entries(rest).map(([key, value]) => `${key}=${valueText(value)}`);
  return `${printable([...said, ...fields].join(" "))}\n`;
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
