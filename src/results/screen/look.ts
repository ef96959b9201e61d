import { styleText } from "node:util";
import type { ResultStatus } from "../../journal/state.ts";

/** How text for a terminal may look. */
export interface Look {
  readonly color: boolean;
  /** Characters per line. */
  readonly width: number;
  /** Only ASCII, for terminals without UTF-8. */
  readonly ascii?: boolean;
  /** Long lines are broken for the eye. Elsewhere they stay whole: a program or a search would miss what is broken. */
  readonly folds?: boolean;
  /** The flags of this call that told commands repeat, as `repeatingFlags` takes them. */
  readonly again?: readonly string[];
}

/** So many characters fit on a line. */
export function roomOf({ folds, width }: Look): number {
  return folds ? width : Number.POSITIVE_INFINITY;
}

export type Style = "green" | "red" | "yellow" | "cyan" | "dim" | "bold";

/** A status is always told by its word; symbol and colour only help to find it. */
export const SIGNS: Readonly<
  Record<ResultStatus, { readonly sign: string; readonly ascii: string; readonly style: Style }>
> = {
  accepted: { sign: "✓", ascii: "+", style: "green" },
  rejected: { sign: "✗", ascii: "x", style: "red" },
  unknown: { sign: "?", ascii: "?", style: "yellow" },
  not_sent: { sign: "…", ascii: ".", style: "cyan" },
  invalid: { sign: "✗", ascii: "x", style: "red" },
  held: { sign: "!", ascii: "!", style: "yellow" },
  duplicate: { sign: "=", ascii: "=", style: "dim" },
  settled_done: { sign: "✓", ascii: "+", style: "green" },
  settled_not_done: { sign: "✗", ascii: "x", style: "cyan" },
};

export function signOf(status: ResultStatus, look: Look): string {
  return look.ascii ? SIGNS[status].ascii : SIGNS[status].sign;
}

export function styled(style: Style, text: string, look: Look): string {
  return look.color ? styleText(style, text, { validateStream: false }) : text;
}

/** Our own words in ASCII where the terminal needs it; what strangers wrote stays. */
export function inLook(text: string, look: Look): string {
  return look.ascii ? text.replaceAll("•", "*").replaceAll("…", "...").replaceAll("→", "->") : text;
}

/** Breaks at spaces, so that no line is wider than `width`; a longer word stands alone. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
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
