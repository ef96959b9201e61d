import { isoSecond } from "../../day.ts";
import type { BatchReport, MappingSaid, RunEvent } from "../../events.ts";
import { printable } from "../../text/printable.ts";
import { correctionLines } from "../words/correction-words.ts";
import type { Progress } from "./progress.ts";
import { rowCounts } from "../summary.ts";

/**
 * What a run tells where there is no terminal: one line per thing worth a line, with the time, and never a name, an
 * account, a mobile or an e-mail. Undefined for an event that is not worth one.
 */
export function plainLine(event: RunEvent, nowMs: number): string | undefined {
  switch (event.type) {
    case "start": {
      const { file, rows, total, period, toSend, resumed } = event;
      const more = {
        ...(period === undefined ? {} : { period }),
        ...(toSend === rows ? {} : { to_send: toSend }),
        ...mappingValues(event.mapping),
      };
      const begun = line(nowMs, event.batch, resumed ? "resume" : "start", { file, rows, total, ...more });
      return event.corrections ? [begun, ...correctionLines(event.corrections)].join("\n") : begun;
    }
    case "row":
      return rowLine(event, nowMs);
    case "waiting":
      return line(nowMs, event.batch, "waiting", { reason: event.reason, for: seconds(event.waitMs) });
    case "stopped": {
      const { code, message } = event.stop;
      return line(nowMs, event.batch, "stopped", { reason: code, remaining: event.remaining, message });
    }
    default:
      return event satisfies never;
  }
}

function mappingValues(mapping: MappingSaid | undefined): Readonly<Record<string, Value>> {
  if (!mapping) return {};
  const { name, amount } = mapping;
  if (!amount) return { mapping: name };
  return { mapping: name, unit: amount.unit, row: amount.row, read: amount.read, sent: amount.sent };
}

function rowLine(event: Extract<RunEvent, { type: "row" }>, nowMs: number): string | undefined {
  const http = event.httpStatus === undefined ? {} : { http: event.httpStatus };
  const { row, status, reason } = event;
  if (event.alone) return line(nowMs, event.batch, "first", { row, [status]: true, ...http });
  if (status === "unknown") {
    const after = event.durationMs === undefined ? {} : { after: seconds(event.durationMs) };
    return line(nowMs, event.batch, "unknown", { row, reason, ...http, ...after });
  }
  return status === "rejected" ? line(nowMs, event.batch, "rejected", { row, ...http }) : undefined;
}

/** One line now and then, so that a log shows that the run is alive. */
export function plainProgress({ batch, done, toSend, counts }: Progress, nowMs: number): string {
  const { accepted = 0, rejected = 0, unknown = 0 } = counts;
  return line(nowMs, batch, "progress", { done, of: toSend, accepted, rejected, unknown });
}

export function plainEnd(report: BatchReport, nowMs: number): string {
  const { byStatus } = report;
  const amounts = { amount_accepted: byStatus.accepted?.amount ?? "0.00" };
  return line(nowMs, report.batch, "end", { ...rowCounts(byStatus), ...amounts, exit: report.exitCode });
}

type Value = string | number | true;

/** `true` is told by the name alone. A value with spaces is quoted. */
function line(nowMs: number, batch: string, word: string, values: Readonly<Record<string, Value>>): string {
  const told = Object.entries(values).map(([name, value]) => (value === true ? name : `${name}=${valueText(value)}`));
  return [isoSecond(nowMs), batch, word, ...told].join(" ");
}

function valueText(value: string | number): string {
  if (typeof value === "number") return String(value);
  return printable(/^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));
}

function seconds(durationMs: number): string {
  return `${Math.round(durationMs / 1000)}s`;
}
