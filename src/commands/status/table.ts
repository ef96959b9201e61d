import { isoSecond } from "../../day.ts";
import type { RowState } from "../../journal/state.ts";
import { wrapped } from "../../results/screen/look.ts";
import { rowsIn } from "../../results/words/status.ts";
import { printable } from "../../text/printable.ts";
import type { BatchStatus } from "../status.ts";
import { phaseOf } from "./text.ts";

interface Column {
  readonly title: string;
  readonly right: boolean;
  cell(status: BatchStatus, columns: number): string;
  /** Which of them gets its room first: what needs a person, the other counts, what tells two batches apart, the rest. */
  readonly turn: 1 | 2 | 3 | 4;
  /** Left out where every batch has none. */
  readonly isRare?: true;
  /** Cut where there is less room, down to so many characters. */
  readonly least?: number;
}

/** In the order of the table. */
const COLUMNS: readonly Column[] = [
  { title: "batch", right: false, turn: 1, cell: ({ batch }) => batch.id },
  {
    title: "file",
    right: false,
    turn: 4,
    cell: ({ batch }, columns) => printable(batch.fileName, columns < WIDE ? 24 : 40),
    least: 8,
  },
  { title: "period", right: false, turn: 3, cell: ({ batch }) => batch.period ?? "", isRare: true, least: 7 },
  { title: "rows", right: true, turn: 2, cell: ({ batch }) => String(batch.rows) },
  { title: "accepted", right: true, turn: 2, cell: count("accepted") },
  { title: "unknown", right: true, turn: 1, cell: count("unknown"), isRare: true },
  { title: "held", right: true, turn: 1, cell: count("held"), isRare: true },
  { title: "refused", right: true, turn: 1, cell: count("rejected", "invalid"), isRare: true },
  { title: "not sent", right: true, turn: 1, cell: count("ready", "not_sent", "settled_not_done"), isRare: true },
  { title: "being sent", right: true, turn: 1, cell: count("sending"), isRare: true },
  { title: "settled done", right: true, turn: 2, cell: count("settled_done"), isRare: true },
  { title: "duplicate", right: true, turn: 2, cell: count("duplicate"), isRare: true },
  { title: "amount", right: true, turn: 4, cell: ({ batch }) => batch.total },
  { title: "phase", right: false, turn: 4, cell: phaseOf },
  { title: "begun", right: false, turn: 4, cell: ({ batch }) => isoSecond(batch.createdAt) },
  { title: "to", right: false, turn: 4, cell: ({ batch }) => batch.destination },
];

/** A terminal in which names of files are told in full. */
const WIDE = 100;
const GAP = "  ";

/** All batches, one line each, as many columns as fit; of counts that do not fit it is told that they are missing. */
export function batchTable(all: readonly BatchStatus[], columns: number): string {
  if (all.length === 0) return "";
  const { drawn, missing } = columnsThatFit(all, columns);
  const inOrder = COLUMNS.map((column) => drawn.get(column)).filter((cells) => cells !== undefined);
  const rows = ["", ...all].map((_, row) => inOrder.map((cells) => cells[row] ?? "").join(GAP));
  const note = missing.length === 0 ? [] : wrapped(`no room for ${missing.join(", ")}: paydrop status BATCH`, columns);
  return [...rows, ...note].map((line) => `${line.trimEnd()}\n`).join("");
}

interface Fitting {
  /** The cells of a column from its title on, each as wide as the column. */
  readonly drawn: ReadonlyMap<Column, readonly string[]>;
  /** Counts that found no room. */
  readonly missing: readonly string[];
}

function columnsThatFit(all: readonly BatchStatus[], columns: number): Fitting {
  let room = columns;
  const drawn = new Map<Column, readonly string[]>();
  const missing: string[] = [];
  for (const column of COLUMNS.toSorted((one, other) => one.turn - other.turn)) {
    const { title, right, turn, least, isRare } = column;
    const cells = all.map((status) => column.cell(status, columns));
    if (isRare && cells.every((cell) => cell === "0" || cell === "")) continue;
    const wanted = Math.max(title.length, ...cells.map((cell) => cell.length));
    const width = Math.min(wanted, Math.max(room, least ?? wanted));
    if (width > room && drawn.size > 0) {
      if (turn < 3) missing.push(title);
      continue;
    }
    room -= width + GAP.length;
    const texts = [title, ...cells.map((cell) => printable(cell, width))];
    drawn.set(
      column,
      texts.map((text) => (right ? text.padStart(width) : text.padEnd(width))),
    );
  }
  return { drawn, missing };
}

function count(...states: RowState[]): (status: BatchStatus) => string {
  return ({ tallies }) => String(rowsIn(tallies, ...states));
}
