import { closeSync, openSync, readSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import type { Logger } from "pino";
import { conceal } from "../config/secret.ts";
import type { Config } from "../config/schema.ts";
import { giveToOwner, makePrivateFolder } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { RunEvent } from "../events.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { printable } from "../printable.ts";
import { rowCounts } from "../results/summary.ts";
import { fieldsText, logFields } from "../screen/json-lines.ts";
import type { Paper } from "../screen/look.ts";
import type { Teller } from "../screen/teller.ts";

type LogSettings = Pick<Config, "log_level" | "log_format" | "log_file" | "quiet" | "shared">;
type Stderr = Pick<Paper, "write">;

/** Whether stderr belongs to the log: JSON was asked for, and no file was named. */
export function logsToStderr(config: Pick<Config, "log_format" | "log_file" | "quiet">): boolean {
  return config.log_format === "json" && config.log_file === undefined && !config.quiet;
}

/**
 * Adds the log to what a run tells: to `log_file` beside everything else, or, with `log_format = "json"`, on stderr in
 * place of the plain lines, so that every line there is JSON. Without either nothing is loaded.
 */
export async function withLog(teller: Teller, config: LogSettings, stderr: Stderr): Promise<Teller> {
  const toStderr = logsToStderr(config);
  if (config.log_file === undefined && !toStderr) return teller;
  const opened = await openLog(config, stderr);
  if (!opened) return teller;
  const { log, close } = opened;
  return {
    tell(event) {
      logEvent(log, event);
      teller.tell(event);
    },
    ended(report) {
      const { batch, byStatus, requests, exitCode, durationMs } = report;
      const times = { requests, duration_ms: Math.round(durationMs), exit_code: exitCode };
      log.info({ batch, ...rowCounts(byStatus), ...times }, "end");
      teller.ended(report);
    },
    say(text, code) {
      log.warn(code === undefined ? {} : { code }, text);
      if (!toStderr) teller.say(text);
    },
    failed(error) {
      log.error({ code: error.reason, exit_code: exitCodeOf(error) }, error.message);
    },
    close() {
      teller.close();
      close();
    },
  };
}

/**
 * To stderr or to `log_file` (private, opened again on SIGHUP so that logrotate can rename it). Written synchronously, so
 * that the last lines before a crash are there. Secrets never get through. A file that cannot be opened (undefined), or a
 * disk that is full, costs the log and nothing else, and stderr is told once. Throws PaydropError `config` for a file that
 * holds something else.
 */
async function openLog({ log_file: path, log_format: format, log_level: level, shared }: LogSettings, stderr: Stderr) {
  const { pino } = await import("pino");
  const opened = (dest: string) => {
    try {
      assertOwnFile(dest, OF_LOG);
      // pino must not make the folder: where none can be made, such as in /proc, Node's recursive mkdir tries for ever
      makePrivateFolder(dirname(dest));
      const file = pino.destination({ dest, sync: true, mkdir: false, mode: 0o600, maxLength: 1024 * 1024 });
      // root acts by hand, and the service must be able to go on with it
      giveToOwner(dest);
      return file;
    } catch (error) {
      if (error instanceof PaydropError) throw error;
      failed(error);
      return undefined;
    }
  };
  let isTold = false;
  const failed = (error: unknown): void => {
    if (!isTold) stderr.write(`${new PaydropError("log_lost", { path, why: messageOf(error) }).message}\n`);
    isTold = true;
  };
  const file = path === undefined ? undefined : opened(path);
  if (path !== undefined && !file) return undefined;
  const reopen = (): void => {
    try {
      file?.reopen();
    } catch (error) {
      failed(error);
    }
  };
  file?.on("error", failed);
  if (file) process.on("SIGHUP", reopen);
  const to = file ?? stderr;
  const shaped = { write: (line: string) => to.write(conceal(format === "json" ? line : textLine(line))) };
  const timestamp = pino.stdTimeFunctions.isoTime;
  // logs of hosts that share a journal are read together
  const base = shared ? { host: hostname() } : null;
  const log = pino({ level, base, timestamp, formatters: { level: (name) => ({ level: name }) } }, shaped);
  const close = (): void => {
    process.off("SIGHUP", reopen);
    file?.end();
  };
  return { log, close };
}

const OF_LOG = /^(?:\{"level":"[a-z]+","time":")?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

/**
 * A log is appended to, and metrics replace what lies there: whoever forgets the value of the flag names a file of
 * payments. Throws PaydropError `config` for a file that holds something else.
 */
export function assertOwnFile(path: string, beginning: RegExp): void {
  // to open a pipe would wait for its reader
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return;
  const bytes = Buffer.alloc(256);
  const file = openSync(path, "r");
  const text = bytes.toString("utf8", 0, readSync(file, bytes));
  closeSync(file);
  if (text !== "" && !beginning.test(text)) throw new PaydropError("not_own_file", { path: printable(path) });
}

/** `2026-10-31T12:37:22.114Z warn unknown batch=K7Q29F3M row=91`: one event is one line. */
function textLine(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  return `${printable([time, level, msg].join(" "))} ${fieldsText(rest)}`.trimEnd() + "\n";
}

/** Accepted rows at debug, what a person must know of at warn, batches at info. */
function logEvent(log: Logger, event: RunEvent): void {
  const { message: _message, ...more } = logFields(event);
  const fields = { batch: event.batch, ...more };
  if (event.type === "stopped") log.error(fields, event.stop.text);
  else if (event.type === "row") log[event.status === "accepted" ? "debug" : "warn"](fields, event.status);
  else log[event.type === "start" ? "info" : "warn"](fields, event.type);
}
