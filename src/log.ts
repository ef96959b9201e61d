import type { DestinationStream, Logger } from "pino";
import type { Config } from "./config/config.ts";
import { conceal } from "./config/conceal.ts";
import { printable } from "./printable.ts";

export type Log = Pick<Logger, "trace" | "debug" | "info" | "warn" | "error" | "child">;

export interface OpenLog {
  readonly log: Log;
  readonly close: () => void;
}

/**
 * The log of a run: to stderr or to `logFile` (private, opened again on SIGHUP so that logrotate can rename it). Written
 * synchronously, so that the last lines before a crash are there. Secrets never get through (S3).
 */
export async function openLog(config: Config, to: { write(line: string): unknown } = process.stderr): Promise<OpenLog> {
  const { pino } = await import("pino");
  const file =
    config.logFile === undefined
      ? undefined
      : pino.destination({ dest: config.logFile, sync: true, mkdir: true, mode: 0o600, append: true });
  const reopen = (): void => file?.reopen();
  if (file) process.on("SIGHUP", reopen);
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

function levelName(level: string): { level: string } {
  return { level };
}

function filtered(to: { write(line: string): unknown }, format: Config["logFormat"]): DestinationStream {
  const shape = format === "json" ? (line: string): string => line : textLine;
  return { write: (line) => void to.write(conceal(shape(line))) };
}

/** `2026-10-31T12:37:22.114Z warn K7Q29F3M row=91 no answer`: one event is one line (S8). */
function textLine(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const said = [time, level, msg].filter((part) => typeof part === "string");
  const fields = Object.entries(rest).map(([key, value]) => `${key}=${valueText(value)}`);
  return `${printable([...said, ...fields].join(" "))}\n`;
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
