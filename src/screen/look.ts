import { resolve } from "node:path";
import { styleText } from "node:util";
import { homeStateDir } from "../config/load.ts";
import type { ResultStatus } from "../events.ts";
import { asWord, printable } from "../printable.ts";

/** Where a command writes. Texts end with their own newline; secrets are filtered out on the way. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  readonly columns: number;
}

export interface Call {
  readonly operands: readonly string[];
  /** By name with `_`: settings, and the command's own options (`retry_xlsx`). */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
}

export interface Look {
  readonly color: boolean;
  /** Characters per line of a terminal, for a line that is written over. */
  readonly width: number;
  /** Flags of this call that commands to copy repeat: ` --state-dir '/srv/pay drop'`. */
  readonly again?: string;
}

export interface Paper {
  readonly write: (text: string) => void;
  readonly look: Look;
  /** A line of it can be written over. */
  readonly isTerminal: boolean;
}

/** stdout or stderr of a call: colours and broken lines only on a terminal. */
export function paperOf(
  output: Output,
  { no_color: isPlain, state_dir: stateDir }: { readonly no_color: boolean; readonly state_dir: string },
  flags: Readonly<Record<string, unknown>>,
): Paper {
  const { isTerminal, columns } = output;
  const width = isTerminal ? columns : Number.POSITIVE_INFINITY;
  const look = { color: isTerminal && !isPlain, width, again: flagsAgain(flags, stateDir) };
  return { write: (text) => output.write(text), look, isTerminal };
}

/** The flags that say where settings and memory are, for a shell that has none of this process's variables. */
export function flagsAgain({ config }: Readonly<Record<string, unknown>>, stateDir: string): string {
  const file = typeof config === "string" && config !== "" ? ` --config ${asWord(resolve(config))}` : "";
  return file + (stateDir === homeStateDir(process.env) ? "" : ` --state-dir ${asWord(stateDir)}`);
}

export type Style = "green" | "red" | "yellow" | "cyan" | "dim" | "bold";

/** A status is always told by its word; sign and colour only help to find it. */
export const SIGNS: Readonly<Record<ResultStatus, readonly [sign: string, style: Style]>> = {
  accepted: ["✓", "green"],
  rejected: ["✗", "red"],
  unknown: ["?", "yellow"],
  not_sent: ["…", "cyan"],
  invalid: ["✗", "red"],
  held: ["!", "yellow"],
  duplicate: ["=", "dim"],
  cancelled: ["-", "dim"],
  settled_done: ["✓", "green"],
  settled_not_done: ["✗", "cyan"],
};

export function styled(style: Style, text: string, { color }: Pick<Look, "color">): string {
  return color ? styleText(style, text, { validateStream: false }) : text;
}

/** `next       do this`: the label before the first line, the others below it. */
export function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${(index === 0 ? label : "").padEnd(11)}${line}`);
}

/** Commands that have a flag of their own for what was only tried; the others know it by the batch. */
const OF_A_TRIAL = /^paydrop (?:run|release|retry|resume) /;

/** What to do next. Commands stay whole, to be copied, and get the flags by which they find the same memory. */
export function nextLines(next: readonly string[], destination: string, { again = "" }: Pick<Look, "again">): string[] {
  const isTrial = destination === "sandbox";
  // without a folder of its own a trial is forgotten when it ends
  if (isTrial && !again.includes(" --state-dir ")) return [];
  const flagged = (step: string): string => step + (isTrial && OF_A_TRIAL.test(step) ? " --sandbox" : "") + again;
  const steps = next.map((step) => (step.startsWith("paydrop ") ? flagged(printable(step)) : printable(step)));
  return labelled("next", steps);
}

/** Cells below each other, each column as wide as its widest cell, or as `least` says; those in `right` end together. */
export function inColumns(
  rows: readonly (readonly string[])[],
  { least = [], right = [] }: { readonly least?: readonly number[]; readonly right?: readonly number[] } = {},
): string[] {
  const widthOf = (at: number): number => Math.max(least[at] ?? 0, ...rows.map((row) => row[at]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, at) => widthOf(at));
  const padded = (cell: string, at: number): string =>
    right.includes(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
  return rows.map((row) => row.map(padded).join("  ").trimEnd());
}

export function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

/** `850 ms`, `9 s`, `2 min 52 s`, `1 h 04 min`. */
export function durationText(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}
