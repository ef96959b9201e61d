import { resolve } from "node:path";
import { styleText } from "node:util";
import { homeStateDir } from "../config/load.ts";
import type { ResultStatus } from "../events.ts";
import { commandLine, leadOf, type Command, type Flags, type Told } from "../messages/sentence.ts";
import { againOf, complete } from "../messages/commands.ts";
import { printable } from "../printable.ts";

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
  /** Flags of this call that commands to copy repeat. */
  readonly again?: Flags;
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
export function flagsAgain({ config }: Readonly<Record<string, unknown>>, stateDir: string): Flags {
  return {
    ...(typeof config === "string" && config !== "" && { config: resolve(config) }),
    ...(stateDir !== homeStateDir(process.env) && { state_dir: stateDir }),
  };
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

/** What to do next. Commands stay whole, to be copied, and get the flags by which they find the same memory. */
export function nextLines(next: readonly Told[], destination: string, look: Pick<Look, "again">): string[] {
  const again = againOf(destination, look.again);
  return again
    ? labelled(
        "next",
        next.flatMap((step) => stepLines(complete(step, again))),
      )
    : [];
}

/** A step and, each below what it is for, the commands of it. */
export function stepLines({ text, commands }: Told): string[] {
  const lines = [text, ...commands.flatMap((command) => [leadOf(command), commandLine(command)])];
  return lines.filter(Boolean).map((line) => printable(line));
}

/** All commands of some steps, for a program. */
export function commandsOf(next: readonly Told[], destination: string, look: Pick<Look, "again">): readonly Command[] {
  const again = againOf(destination, look.again);
  return again ? next.flatMap((step) => complete(step, again).commands) : [];
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
