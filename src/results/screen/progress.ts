import type { RunEvent } from "../../events.ts";
import type { ResultStatus } from "../../journal/state.ts";
import { durationText, signOf, styled, type Look } from "./look.ts";
import { RESULT_STATUSES } from "../words/status.ts";

const BAR_WIDTH = 30;
/** The pace of the last while, not of the whole run: it follows a slower service. */
const PACE_WINDOW_MS = 15_000;

/** Where a run stands, from its events. */
export interface Progress {
  readonly batch: string;
  /** Rows that will be sent in this run. */
  readonly toSend: number;
  readonly done: number;
  readonly counts: Readonly<Partial<Record<ResultStatus, number>>>;
  /** Rows per second; undefined before anything can be said. */
  readonly rowsPerSecond?: number;
}

/** Follows the events of one batch. A row that is told twice (not sent, then accepted) counts once, by its last status. */
export class ProgressCounter {
  readonly #batch: string;
  readonly #toSend: number;
  readonly #counts: Partial<Record<ResultStatus, number>> = {};
  readonly #notSent = new Set<number>();
  readonly #marks: { atMs: number; done: number }[] = [];
  #done = 0;

  constructor(start: Extract<RunEvent, { type: "start" }>) {
    this.#batch = start.batch;
    this.#toSend = start.toSend;
  }

  add(event: Extract<RunEvent, { type: "row" }>, nowMs: number): void {
    if (this.#notSent.delete(event.row)) this.#count("not_sent", -1);
    else this.#done += 1;
    if (event.status === "not_sent") this.#notSent.add(event.row);
    this.#count(event.status, 1);
    const last = this.#marks.at(-1);
    if (last && nowMs - last.atMs < 500) return;
    this.#marks.push({ atMs: nowMs, done: this.#done });
    while ((this.#marks[0]?.atMs ?? nowMs) < nowMs - PACE_WINDOW_MS) this.#marks.shift();
  }

  at(nowMs: number): Progress {
    const first = this.#marks[0];
    const elapsedMs = first ? nowMs - first.atMs : 0;
    const pace = first && elapsedMs >= 1000 ? { rowsPerSecond: ((this.#done - first.done) * 1000) / elapsedMs } : {};
    return { batch: this.#batch, toSend: this.#toSend, done: this.#done, counts: { ...this.#counts }, ...pace };
  }

  #count(status: ResultStatus, by: number): void {
    this.#counts[status] = (this.#counts[status] ?? 0) + by;
  }
}

/** `██████████░░░░  211/240  88 %   2.1/s   about 14 s left`: one line, never wider than the terminal. */
export function progressLine(progress: Progress, look: Look): string {
  const { done, toSend } = progress;
  const share = toSend === 0 ? 1 : Math.min(1, done / toSend);
  const numbers = `${done}/${toSend}  ${Math.floor(share * 100)} %${paceText(progress)}`;
  const barWidth = Math.min(BAR_WIDTH, look.width - numbers.length - 3);
  if (barWidth < 5) return numbers.slice(0, Math.max(0, look.width - 1));
  const filled = Math.floor(share * barWidth);
  const [full, empty] = look.ascii ? ["#", "-"] : ["█", "░"];
  return `${full.repeat(filled)}${empty.repeat(barWidth - filled)}  ${numbers}`;
}

/** `✓ 207 accepted   ✗ 3 rejected   ? 1 unknown`. */
export function countsLine({ counts }: Progress, look: Look): string {
  const parts = RESULT_STATUSES.filter((status) => (counts[status] ?? 0) > 0).map((status) => {
    const text = `${signOf(status, look)} ${counts[status] ?? 0} ${status}`;
    return { text: styled(status === "accepted" ? "green" : "yellow", text, look), width: text.length };
  });
  let line = "";
  let width = 0;
  for (const part of parts) {
    const gap = line === "" ? 0 : 3;
    if (width + gap + part.width >= look.width) break;
    line += `${" ".repeat(gap)}${part.text}`;
    width += gap + part.width;
  }
  return line;
}

function paceText({ rowsPerSecond, done, toSend }: Progress): string {
  if (rowsPerSecond === undefined || rowsPerSecond <= 0) return "";
  const left = done < toSend ? `   about ${durationText(Math.ceil((toSend - done) / rowsPerSecond) * 1000)} left` : "";
  return `   ${rowsPerSecond >= 100 ? Math.round(rowsPerSecond) : rowsPerSecond.toFixed(1)}/s${left}`;
}
