import type { Config } from "../config/config.ts";
import type { BatchReport, RunEvent } from "../events.ts";
import { openLog } from "../log.ts";
import type { Log } from "../log.ts";
import type { Call } from "./command.ts";
import type { Teller } from "./teller.ts";

/**
 * Adds the log to what a run tells: to `--log-file` beside everything else, or, with `--log-format json`, on stderr in
 * place of the plain lines, so that every line there is JSON. Without either nothing is loaded.
 */
export async function withLog(teller: Teller, call: Call, config: Config): Promise<Teller> {
  const toStderr = logsToStderr(config);
  if (config.logFile === undefined && !toStderr) return teller;
  // on stderr it stands for the plain lines, which tell start and end too
  const logLevel = toStderr && config.origins?.["log_level"] === undefined ? "info" : config.logLevel;
  const { log, close } = await openLog({ ...config, logLevel }, { write: (line) => call.stderr.write(line) });
  return {
    onEvent: (event) => {
      logEvent(log, event);
      teller.onEvent(event);
    },
    ended: (report) => {
      logEnd(log, report);
      teller.ended(report);
    },
    say: (text) => (toStderr ? log.warn(text) : teller.say(text)),
    close: () => {
      teller.close();
      close();
    },
  };
}

/** stderr belongs to the log: JSON was asked for, and no file named. */
export function logsToStderr({ logFormat, logFile, quiet }: Config): boolean {
  return logFormat === "json" && logFile === undefined && !quiet;
}

function logEvent(log: Log, event: RunEvent): void {
  const { batch } = event;
  if (event.type === "start") {
    log.info({ batch, file: event.file, rows: event.rows, total: event.total, to_send: event.toSend }, "start");
  } else if (event.type === "waiting") {
    log.warn({ batch, reason: event.reason, wait_ms: event.waitMs }, "waiting");
  } else if (event.type === "stopped") {
    log.error({ batch, reason: event.stop.code, remaining: event.remaining }, event.stop.message);
  } else if (event.status !== "accepted") {
    const { row, reason, httpStatus } = event;
    log.warn({ batch, row, reason, ...(httpStatus === undefined ? {} : { http: httpStatus }) }, event.status);
  }
}

function logEnd(log: Log, { batch, byStatus, requests, exitCode }: BatchReport): void {
  const rows = Object.fromEntries(Object.entries(byStatus).map(([status, tally]) => [status, tally.rows]));
  log.info({ batch, ...rows, requests, exit: exitCode }, "end");
}
