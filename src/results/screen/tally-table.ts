import type { Tally } from "../../journal/batch-record.ts";
import { roomOf, styled, wrapped, type Look, type Style } from "./look.ts";

/** One line: what is counted, its rows and sum, and what is to be said of it. */
export interface TallyLine {
  readonly name: string;
  readonly tally: Tally;
  readonly note?: string;
  readonly style?: Style;
  /** A line of its own, above it. */
  readonly above?: string;
}

/** What stands above the columns, and how wide they are at least where there is room. */
interface TallyShape {
  /** Without it there is no line above. */
  readonly heading?: { readonly name: string; readonly amount: string };
  readonly least?: Widths;
  /** A note that would go beyond this width stands below its line. */
  readonly notesWithin?: number;
}

interface Widths {
  readonly name: number;
  readonly rows: number;
  readonly amount: number;
}

const USUAL: Widths = { name: 14, rows: 4, amount: 14 };
const NARROW: Widths = { name: 5, rows: 4, amount: 13 };
const GAP = "  ";

/** Names, rows and sums in columns; where the terminal is too narrow for them, the numbers stand below the names. */
export function tallyTable(lines: readonly TallyLine[], shape: TallyShape, look: Look): string[] {
  const { heading, least = USUAL, notesWithin = roomOf(look) } = shape;
  const headed = Math.max(least.amount, heading?.amount.length ?? 0);
  const wide = widthsOf(lines, { ...least, amount: headed });
  const widths = [wide, widthsOf(lines, NARROW)].find((one) => widthOf(one) <= roomOf(look));
  const draw = widths ? inColumns(widths) : stacked(widthsOf(lines, NARROW));
  const drawn = lines.flatMap(({ name, tally, note, style, above }) => {
    const parts = draw(name, String(tally.rows), tally.amount);
    const shown = parts.map((part) => (style === undefined ? part : styled(style, part, look)));
    const noted = note === undefined ? shown : withNote(shown, parts.at(-1)?.length ?? 0, note, notesWithin, look);
    return above === undefined ? noted : [above, ...noted];
  });
  return [...headingOf(heading, (widths ?? widthsOf(lines, NARROW)).amount, draw), ...drawn];
}

type Draw = (name: string, rows: string, amount: string) => string[];

function inColumns(widths: Widths): Draw {
  return (name, rows, amount) => [`${GAP}${name.padEnd(widths.name)}${numbers(rows, amount, widths)}`.trimEnd()];
}

function stacked(widths: Widths): Draw {
  return (name, rows, amount) => [
    ...(name === "" ? [] : [`${GAP}${name}`]),
    `${GAP}${numbers(rows, amount, widths)}`.trimEnd(),
  ];
}

function numbers(rows: string, amount: string, widths: Widths): string {
  return `${GAP}${rows.padStart(widths.rows)}${GAP}${amount.padStart(widths.amount)}`;
}

/** Above a narrow column its words stand one below the other. */
function headingOf(heading: TallyShape["heading"], amountWidth: number, draw: Draw): string[] {
  if (!heading) return [];
  const words = wrapped(heading.amount, amountWidth);
  const last = words.pop() ?? "";
  return [...words.flatMap((word) => draw("", "", word)), ...draw(heading.name, "rows", last)];
}

function widthsOf(lines: readonly TallyLine[], least: Widths): Widths {
  return {
    name: Math.max(least.name, ...lines.map(({ name }) => name.length)),
    rows: Math.max(least.rows, ...lines.map(({ tally }) => String(tally.rows).length)),
    amount: Math.max(least.amount, ...lines.map(({ tally }) => tally.amount.length)),
  };
}

function widthOf({ name, rows, amount }: Widths): number {
  return name + rows + amount + 3 * GAP.length;
}

/** The note beside the line, or below it where there is no room. */
function withNote(shown: readonly string[], lastWidth: number, note: string, within: number, look: Look): string[] {
  const before = shown.slice(0, -1);
  const last = shown.at(-1) ?? "";
  if (lastWidth + 3 + note.length <= within) return [...before, `${last}   ${styled("dim", note, look)}`];
  return [...shown, ...wrapped(note, within - 4).map((part) => `    ${styled("dim", part, look)}`)];
}
