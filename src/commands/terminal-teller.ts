import type { Config } from "../config/config.ts";
import type { RunEvent } from "../events.ts";
import { printable } from "../printable.ts";
import { folded } from "../results/folded.ts";
import { ProgressCounter, countsLine, progressLine } from "../results/progress.ts";
import { openingText, summaryText } from "../results/screen.ts";
import type { Call } from "./command.ts";
import { lookOf } from "./look-of.ts";
import type { Teller } from "./teller.ts";

const REDRAW_MS = 100;
const CLEAR_LINE = "\r\u001b[2K";

/** A line with the progress that is written over and over, and lines that stay above it. */
export function terminalTeller(call: Call, config: Config): Teller {
  const look = lookOf(call.stderr, call, config);
  const counters = new Map<string, ProgressCounter>();
  const files = new Map<string, string>();
  let only: string | undefined;
  let areSeveral = false;
  let drawn = "";
  const clear = (): void => {
    if (drawn !== "") call.stderr.write(CLEAR_LINE);
    drawn = "";
  };
  const redraw = (): void => {
    // of two at a time the one that began first: the other one is small
    const [counter] = counters.values();
    const progress = counter?.at(Date.now());
    if (!progress || progress.toSend === 0) return;
    const bar = progressLine(progress, { ...look, width: Math.min(look.width - 1, 70) });
    const counts = countsLine(progress, { ...look, color: false, width: Math.max(0, look.width - bar.length - 4) });
    const line = counts === "" ? bar : `${bar}   ${counts}`;
    if (line !== drawn) call.stderr.write(CLEAR_LINE + line);
    drawn = line;
  };
  const say = (text: string): void => {
    clear();
    call.stderr.write(`${folded(text, look)}\n`);
  };
  const timer = setInterval(redraw, REDRAW_MS).unref();
  return {
    onEvent: (event) => {
      if (event.type === "row") counters.get(event.batch)?.add(event, Date.now());
      if (event.type === "stopped") counters.delete(event.batch);
      if (event.type === "start") {
        counters.set(event.batch, new ProgressCounter(event));
        files.set(event.batch, `${printable(event.file)}: `);
        areSeveral ||= (only ??= event.batch) !== event.batch;
        say(openingText(event, look).trimEnd());
      } else if (event.type !== "row" || event.alone) {
        const line = lineOf(event, config);
        if (line !== undefined) say((areSeveral ? (files.get(event.batch) ?? "") : "") + line);
      }
    },
    ended: (report) => {
      clear();
      counters.delete(report.batch);
      files.delete(report.batch);
      call.stdout.write(summaryText(report, lookOf(call.stdout, call, config)));
    },
    say,
    close: () => {
      clearInterval(timer);
      clear();
    },
  };
}

function lineOf(event: RunEvent, config: Config): string | undefined {
  if (event.type === "waiting")
    return `waiting ${Math.ceil(event.waitMs / 1000)} s: ${event.reason.replaceAll("_", " ")}`;
  if (event.type === "stopped") return `stopping: ${event.stop.message}`;
  if (event.type !== "row" || (event.status !== "accepted" && event.status !== "rejected")) return undefined;
  return `row ${event.row} went alone and was ${event.status}; the others follow, ${config.concurrency} at a time`;
}
