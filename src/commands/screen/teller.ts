import type { Config } from "../../config/config.ts";
import type { BatchReport, RunEvent } from "../../events.ts";
import { jsonLine, jsonSummary } from "../../results/json-lines.ts";
import { plainEnd, plainLine, plainProgress } from "../../results/screen/plain-lines.ts";
import { ProgressCounter } from "../../results/screen/progress.ts";
import { summaryText } from "../../results/screen/screen.ts";
import { repeatingFlags } from "../../results/words/told-commands.ts";
import type { Call } from "../command.ts";
import { logsToStderr } from "../monitoring/log-events.ts";
import { flagsAgain, lookOf } from "./look-of.ts";
import { TerminalTeller } from "./terminal-teller.ts";

/** Tells a person, a log or a program what a run does. */
export interface Teller {
  readonly onEvent: (event: RunEvent) => void;
  /** `isPassing`: what is still open of the batch needs no person. */
  ended(report: BatchReport, isPassing?: boolean): void;
  /** A line between the others, such as what a signal will do. */
  say(text: string): void;
  close(): void;
}

/** Lines for a program, a rewritten line for a person, plain lines for a log; with `quiet` only what went wrong. */
export function createTeller(call: Call, config: Config): Teller {
  if (config.quiet) return quietTeller(call, config);
  if (config.json) return jsonTeller(call);
  if (logsToStderr(config)) return summaryTeller(call, config);
  const dumb = call.env["TERM"] === "dumb";
  return call.stderr.isTerminal && !dumb ? new TerminalTeller(call, config) : plainTeller(call, config);
}

/** Writes a line on stderr for whoever reads it there, or later in a log: it is never broken. */
function lineSayer({ flags, stderr }: Call): Teller["say"] {
  const again = flagsAgain(flags);
  return (text) => stderr.write(`${repeatingFlags(text, again)}\n`);
}

function quietTeller(call: Call, config: Config): Teller {
  return {
    onEvent: () => undefined,
    ended: (report, isPassing) => {
      if (report.exitCode === 0 || isPassing) return;
      call.stdout.write(
        config.json ? asLine(jsonSummary(report)) : summaryText(report, lookOf(call.stdout, call, config)),
      );
    },
    say: config.json ? (text) => call.stderr.write(`${text}\n`) : lineSayer(call),
    close: () => undefined,
  };
}

/** Tells the end of each batch and nothing in between: stderr belongs to the log. */
function summaryTeller(call: Call, config: Config): Teller {
  return {
    onEvent: () => undefined,
    ended: (report) => call.stdout.write(summaryText(report, lookOf(call.stdout, call, config))),
    say: lineSayer(call),
    close: () => undefined,
  };
}

/** A row is told within this time; in between rows gather, because a write per row costs more than the row. */
const JSON_GATHER_MS = 100;
const JSON_GATHER_CHARACTERS = 65_536;

function jsonTeller(call: Call): Teller {
  let gathered = "";
  const flush = (): void => {
    if (gathered !== "") call.stdout.write(gathered);
    gathered = "";
  };
  const timer = setInterval(flush, JSON_GATHER_MS).unref();
  const tell = (line: Readonly<Record<string, unknown>>): void => {
    gathered += asLine(line);
    if (gathered.length >= JSON_GATHER_CHARACTERS) flush();
  };
  return {
    onEvent: (event) => tell(jsonLine(event)),
    ended: (report) => {
      tell(jsonSummary(report));
      flush();
    },
    say: (text) => call.stderr.write(`${text}\n`),
    close: () => {
      clearInterval(timer);
      flush();
    },
  };
}

/** A plain line at least this often, or after this share of the rows, so that a log shows that the run is alive. */
const PLAIN_EVERY_MS = 30_000;
const PLAIN_EVERY_SHARE = 0.1;
/** More refusals than this are told by the counts and the results file. */
const REJECTED_TOLD_MAX = 50;

function plainTeller(call: Call, config: Config): Teller {
  const going = new Map<string, PlainlyTold>();
  const say = lineSayer(call);
  const tellProgress = (told: PlainlyTold): void => {
    const nowMs = Date.now();
    const progress = told.counter.at(nowMs);
    if (progress.done === progress.toSend) return;
    const newlyDone = progress.done - told.done;
    if (nowMs - told.atMs < PLAIN_EVERY_MS && newlyDone < progress.toSend * PLAIN_EVERY_SHARE) return;
    say(plainProgress(progress, nowMs));
    told.atMs = nowMs;
    told.done = progress.done;
  };
  const timer = setInterval(() => {
    for (const told of going.values()) tellProgress(told);
  }, 250).unref();
  return {
    onEvent: (event) => {
      if (event.type === "start") {
        going.set(event.batch, { counter: new ProgressCounter(event), atMs: Date.now(), done: 0, rejected: 0 });
      }
      const told = going.get(event.batch);
      if (event.type === "row" && told) {
        told.counter.add(event, Date.now());
        if (event.status === "rejected" && !event.alone && ++told.rejected > REJECTED_TOLD_MAX) return;
      }
      if (event.type === "stopped") going.delete(event.batch);
      const line = plainLine(event, Date.now());
      if (line !== undefined) say(line);
    },
    ended: (report) => {
      going.delete(report.batch);
      say(plainEnd(report, Date.now()));
      call.stdout.write(summaryText(report, lookOf(call.stdout, call, config)));
    },
    say,
    close: () => clearInterval(timer),
  };
}

/** What was told of one batch when its last line was written: two batches may go at a time. */
interface PlainlyTold {
  readonly counter: ProgressCounter;
  atMs: number;
  /** Rows that were done by then. */
  done: number;
  /** Refusals of single rows. */
  rejected: number;
}

function asLine(object: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(object)}\n`;
}
