import type { Config } from "../../config/config.ts";
import { defined } from "../../defined.ts";
import type { BatchReport, RunEvent } from "../../events.ts";
import { countsOf } from "../../results/words/status.ts";
import { openLog, type Log } from "./log.ts";
import type { Call } from "../command.ts";
import type { Teller } from "../screen/teller.ts";

/**
 * Adds the log to what a run tells: to `--log-file` beside everything else, or, with `--log-format json`, on stderr in
 * place of the plain lines, so that every line there is JSON. Without either nothing is loaded.
 */
export async function withLog(teller: Teller, call: Call, config: Config): Promise<Teller> {
  const toStderr = logsToStderr(config);
  if (config.logFile === undefined && !toStderr) return teller;
  const complain = (text: string): void => call.stderr.write(`${text}\n`);
  const { log, close } = await openLog(config, { write: (line) => call.stderr.write(line) }, complain);
  return {
    onEvent: (event) => {
      logEvent(log, event);
      teller.onEvent(event);
    },
    ended: (report, isPassing) => {
      logEnd(log, report);
      teller.ended(report, isPassing);
    },
    say: (text) => {
      log.warn(text);
      if (!toStderr) teller.say(text);
    },
    close: () => {
      teller.close();
      close();
    },
  };
}

/** Whether stderr belongs to the log: JSON was asked for, and no file was named. */
export function logsToStderr({ logFormat, logFile, quiet }: Config): boolean {
  return logFormat === "json" && logFile === undefined && !quiet;
}

/** Rows at debug, unless a person has to know of them; batches at info. No line holds a cell of the file. */
function logEvent(log: Log, event: RunEvent): void {
  const { batch } = event;
  if (event.type === "start") {
    const { file, rows, total, period, toSend, mapping } = event;
    log.info(defined({ batch, file, rows, total, period, to_send: toSend, mapping: mapping?.name }), "start");
  } else if (event.type === "waiting") {
    log.warn({ batch, reason: event.reason, wait_ms: event.waitMs }, "waiting");
  } else if (event.type === "stopped") {
    log.error({ batch, reason: event.stop.code, remaining: event.remaining }, event.stop.message);
  } else {
    const { row, reason, attempts, status, httpStatus: http, durationMs: ms } = event;
    const fields = defined({ batch, row, reason, attempts, http, duration_ms: ms });
    if (status === "accepted") log.debug(fields, status);
    else log.warn(fields, status);
  }
}

function logEnd(log: Log, { batch, byStatus, requests, exitCode, durationMs }: BatchReport): void {
  log.info({ batch, ...countsOf(byStatus), requests, duration_ms: Math.round(durationMs), exit: exitCode }, "end");
}
