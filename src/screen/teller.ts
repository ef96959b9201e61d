import type { Config } from "../config/schema.ts";
import type { BatchReport, ResultStatus, RunEvent } from "../events.ts";
import type { PaydropError } from "../errors.ts";
import { STATUSES } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { asLine, jsonLine, jsonSummary, plain, plainEnd, plainLine } from "./json-lines.ts";
import { durationText, SIGNS, type Look, type Paper } from "./look.ts";
import { openingText, summaryText } from "./summary-text.ts";

export interface Teller {
  tell(event: RunEvent): void;
  ended(report: BatchReport): void;
  /** `code`: what a log is searched by. */
  say(text: string, code?: string): void;
  /** Ends the run, and is the last word on stderr: a log has it, too. */
  failed?(error: PaydropError): void;
  close(): void;
}

/** Nothing is told on the screen. */
export const UNTOLD: Teller = {
  tell: () => undefined,
  ended: () => undefined,
  say: () => undefined,
  close: () => undefined,
};

/** `isLogOnStderr`: stderr belongs to the log, and nothing is told there but what `say` says. */
export function createTeller(
  { json, quiet }: Pick<Config, "json" | "quiet">,
  stdout: Paper,
  stderr: Paper,
  isLogOnStderr = false,
): Teller {
  const ended = (report: BatchReport): void => {
    if (quiet && report.exitCode === 0) return;
    stdout.write(json ? asLine(jsonSummary(report, stdout.look)) : summaryText(report, stdout.look));
  };
  const silent = {
    tell: () => undefined,
    ended,
    say: (text: string) => stderr.write(`${text}\n`),
    close: () => undefined,
  };
  if (quiet || (isLogOnStderr && !json)) return silent;
  return json ? jsonTeller(stdout, silent) : liveTeller(stderr, ended);
}

/** A row is told within this time; in between rows gather, because a write per row costs more than the row. */
const GATHER_MS = 100;
const GATHER_CHARACTERS = 65_536;

function jsonTeller(stdout: Paper, rest: Teller): Teller {
  let gathered = "";
  const flush = (): void => {
    if (gathered !== "") stdout.write(gathered);
    gathered = "";
  };
  const timer = setInterval(flush, GATHER_MS).unref();
  return {
    ...rest,
    tell(event) {
      gathered += asLine(jsonLine(event));
      if (gathered.length >= GATHER_CHARACTERS) flush();
    },
    ended(report) {
      flush();
      rest.ended(report);
    },
    close() {
      clearInterval(timer);
      flush();
    },
  };
}

class Progress {
  readonly toSend: number;
  readonly counts = new Map<ResultStatus, number>();
  readonly #beganMs = Date.now();
  readonly #notSent = new Set<number>();
  done = 0;
  /** When a plain line was written last, and how many rows were done by then. */
  told = { atMs: this.#beganMs, done: 0 };

  constructor(toSend: number) {
    this.toSend = toSend;
  }

  /** A row that is told twice (not sent, then accepted) counts once, by its last status. */
  add({ row, status }: Extract<RunEvent, { type: "row" }>): void {
    const count = (of: ResultStatus, by: number): unknown => this.counts.set(of, (this.counts.get(of) ?? 0) + by);
    if (this.#notSent.delete(row)) count("not_sent", -1);
    else this.done += 1;
    if (status === "not_sent") this.#notSent.add(row);
    count(status, 1);
  }

  /** `██████████░░░░  211/240  88 %   about 14 s left   ✓ 207   ? 1`: one line that fits the terminal. */
  line(width: number): string {
    const share = Math.min(1, this.done / this.toSend);
    const leftMs = ((Date.now() - this.#beganMs) * (1 - share)) / share;
    const signs = [...this.counts].flatMap(([status, rows]) => (rows > 0 ? [`${SIGNS[status][0]} ${rows}`] : []));
    const left = Number.isFinite(leftMs) ? [`about ${durationText(Math.ceil(leftMs / 1000) * 1000)} left`] : [];
    const told = [`${this.done}/${this.toSend}  ${Math.floor(share * 100)} %`, ...left, ...signs].join("   ");
    const barWidth = Math.min(24, width - told.length - 3);
    if (barWidth < 5) return told.slice(0, Math.max(0, width - 1));
    const filled = Math.floor(share * barWidth);
    return `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}  ${told}`;
  }
}

/** A plain line at least this often, or after this share of the rows, so that a log shows that the run is alive. */
const PLAIN_EVERY_MS = 30_000;
const PLAIN_EVERY_SHARE = 0.1;

const REDRAW_MS = 100;
const CLEAR_LINE = "\r\u001b[2K";

/** On a terminal a line with the progress that is written over and over, below all others; elsewhere plain lines. */
function liveTeller({ write, look, isTerminal }: Paper, ended: Teller["ended"]): Teller {
  const going = new Map<string, Progress>();
  let drawn = "";
  const draw = (line: string): void => {
    if (line !== drawn) write(CLEAR_LINE + line);
    drawn = line;
  };
  const say = (text: string): void => {
    draw("");
    write(`${text.trimEnd()}\n`);
  };
  const redraw = (): void => {
    // of two batches at a time the line shows the one that began first: the other one is small
    const [first] = going.values();
    if (first && first.toSend > 0) draw(first.line(look.width));
  };
  const sayProgress = (): void => {
    const atMs = Date.now();
    for (const [batch, progress] of going) {
      const { done, toSend, counts, told } = progress;
      const isNews = atMs - told.atMs >= PLAIN_EVERY_MS || done - told.done >= toSend * PLAIN_EVERY_SHARE;
      if (done === toSend || !isNews) continue;
      say(plain(atMs, batch, "progress", { done, of: toSend, ...Object.fromEntries(counts) }));
      progress.told = { atMs, done };
    }
  };
  const timer = setInterval(isTerminal ? redraw : sayProgress, REDRAW_MS).unref();
  return {
    say,
    tell(event) {
      const { type, batch } = event;
      if (type === "start") going.set(batch, new Progress(event.toSend));
      if (type === "stopped") going.delete(batch);
      if (type === "row") going.get(batch)?.add(event);
      const text = isTerminal ? screenText(event, look) : plainLine(event, Date.now());
      if (text !== undefined) say(text);
    },
    ended(report) {
      draw("");
      going.delete(report.batch);
      if (!isTerminal) say(plainEnd(report, Date.now()));
      ended(report);
    },
    close() {
      clearInterval(timer);
      draw("");
    },
  };
}

function screenText(event: RunEvent, look: Look): string | undefined {
  const { type, batch } = event;
  if (type === "start") return openingText(event, look);
  if (type === "stopped") return `${batch}: stopping: ${printable(event.stop.text)}`;
  if (type === "waiting")
    return `${batch}: waits ${Math.ceil(event.waitMs / 1000)} s: ${event.reason.replaceAll("_", " ")}`;
  return event.alone ? `${batch}: row ${event.row} went alone: ${STATUSES[event.status].word}` : undefined;
}
