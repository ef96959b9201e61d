import type { Config } from "../../config/config.ts";
import type { BatchReport, RunEvent } from "../../events.ts";
import { printable } from "../../text/printable.ts";
import { folded } from "../../results/screen/folded.ts";
import type { Look } from "../../results/screen/look.ts";
import { ProgressCounter, countsLine, progressLine } from "../../results/screen/progress.ts";
import { openingText, summaryText } from "../../results/screen/screen.ts";
import type { Call } from "../command.ts";
import { lookOf } from "./look-of.ts";
import type { Teller } from "./teller.ts";

const REDRAW_MS = 100;
const CLEAR_LINE = "\r\u001b[2K";

/** A line with the progress that is written over and over, and lines that stay above it. */
export class TerminalTeller implements Teller {
  readonly #call: Call;
  readonly #config: Config;
  readonly #look: Look;
  readonly #timer: NodeJS.Timeout;
  /** Counters of the batches that go now, in the order in which they began. */
  readonly #counters = new Map<string, ProgressCounter>();
  /** What a line about one of several batches begins with. */
  readonly #names = new Map<string, string>();
  #first: string | undefined;
  #areSeveral = false;
  #drawn = "";

  constructor(call: Call, config: Config) {
    this.#call = call;
    this.#config = config;
    this.#look = lookOf(call.stderr, call, config);
    this.#timer = setInterval(() => this.#redraw(), REDRAW_MS).unref();
  }

  /** An arrow function, since it is handed on without its object. */
  readonly onEvent = (event: RunEvent): void => {
    if (event.type === "row") this.#counters.get(event.batch)?.add(event, Date.now());
    if (event.type === "stopped") this.#counters.delete(event.batch);
    if (event.type === "start") {
      this.#counters.set(event.batch, new ProgressCounter(event));
      this.#names.set(event.batch, `${printable(event.file)}: `);
      this.#first ??= event.batch;
      this.#areSeveral ||= this.#first !== event.batch;
      this.say(openingText(event, this.#look).trimEnd());
    } else if (event.type !== "row" || event.alone) {
      const line = lineOf(event, this.#config);
      if (line !== undefined) this.say((this.#areSeveral ? (this.#names.get(event.batch) ?? "") : "") + line);
    }
  };

  ended(report: BatchReport): void {
    this.#clear();
    this.#counters.delete(report.batch);
    this.#names.delete(report.batch);
    this.#call.stdout.write(summaryText(report, lookOf(this.#call.stdout, this.#call, this.#config)));
  }

  say(text: string): void {
    this.#clear();
    this.#call.stderr.write(`${folded(text, this.#look)}\n`);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  #redraw(): void {
    // of two batches at a time the line shows the one that began first: the other one is small
    const [counter] = this.#counters.values();
    const progress = counter?.at(Date.now());
    if (!progress || progress.toSend === 0) return;
    const look = this.#look;
    const bar = progressLine(progress, { ...look, width: Math.min(look.width - 1, 70) });
    const counts = countsLine(progress, { ...look, color: false, width: Math.max(0, look.width - bar.length - 4) });
    const line = counts === "" ? bar : `${bar}   ${counts}`;
    if (line !== this.#drawn) this.#call.stderr.write(CLEAR_LINE + line);
    this.#drawn = line;
  }

  #clear(): void {
    if (this.#drawn !== "") this.#call.stderr.write(CLEAR_LINE);
    this.#drawn = "";
  }
}

function lineOf(event: RunEvent, config: Config): string | undefined {
  if (event.type === "waiting")
    return `waiting ${Math.ceil(event.waitMs / 1000)} s: ${event.reason.replaceAll("_", " ")}`;
  if (event.type === "stopped") return `stopping: ${event.stop.message}`;
  if (event.type !== "row" || (event.status !== "accepted" && event.status !== "rejected")) return undefined;
  return `row ${event.row} went alone and was ${event.status}; the others follow, ${config.concurrency} at a time`;
}
