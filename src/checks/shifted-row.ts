import type { Field } from "../operations/operation.ts";
import type { Cell, Row } from "../reader/row.ts";
import { cellText } from "./cells/cell.ts";
import type { CompiledForm } from "./compile.ts";
import { faultOfCell } from "./fault-of.ts";
import type { Fault } from "./fault.ts";

/**
 * `Kumar, Ravi` outside quotes is two cells: what follows stands one column too far to the right, and the row has an
 * empty cell too many at its end. Spreadsheets write such empty cells too, so that alone says nothing. A row counts as
 * shifted where at least two values fit the column to their left and not their own; or where no more cells begin with a
 * space than the row has too many, and no cell behind fits its own column better.
 */
export function lookForShift(row: Row, form: CompiledForm): Fault | undefined {
  const from = row.mapped?.from ?? row;
  if (!from.wasLonger) return undefined;
  const placed = placedIn(row, form);
  const shift = shiftByFit(from, placed) ?? shiftBySpace(from, placed, from.wasLonger.by);
  if (!shift) return undefined;
  const { at, isSure } = shift;
  const place = { name: from.columns[at] ?? "", kind: "text" } as const;
  const found = SIGNS[from.wasLonger.delimiter] ?? "tab";
  const fault = faultOfCell({ row: from, place, index: at, hasCells: true }, "", { code: "cells_shifted", found });
  return isSure ? fault : { ...fault, level: "warning" };
}

const SIGNS: Readonly<Record<string, string>> = { ",": "comma", ";": "semicolon", "|": "|" };

interface PlacedField {
  readonly field: Field;
  /** Position in the row of the file. */
  readonly at: number;
}

interface Shift {
  /** The first cell that stands too far to the right, as far as can be seen. */
  readonly at: number;
  /** It is sure enough for a fault: a field that is required, or is no free text, would be sent another value. */
  readonly isSure: boolean;
}

/** All rows of a file may have empty cells at the end: what is the same for all rows is worked out once. */
const PLACED = new WeakMap<CompiledForm, readonly PlacedField[]>();

/** The fields that stand in the row, from the right to the left. */
function placedIn({ mapped }: Row, form: CompiledForm): readonly PlacedField[] {
  let placed = PLACED.get(form);
  if (!placed) {
    placed = form.fields
      .map(({ field, index }) => ({ field, at: mapped ? (mapped.at[index] ?? -1) : index }))
      .filter(({ at }) => at >= 0)
      .sort((left, right) => right.at - left.at);
    PLACED.set(form, placed);
  }
  return placed;
}

const BETTER_MIN = 2;

function shiftByFit(from: Row, placed: readonly PlacedField[]): Shift | undefined {
  let better = 0;
  let shift: Shift | undefined;
  for (const { field, at } of placed) {
    const gain = gainOf(from, field, at);
    if (gain < 0) break;
    better += gain;
    if (gain > 0 && better >= BETTER_MIN) shift = { at, isSure: true };
  }
  return shift;
}

function shiftBySpace(from: Row, placed: readonly PlacedField[], by: number): Shift | undefined {
  const at = from.cells.findIndex((cell, index) => index > 0 && beginsWithSpace(cell));
  if (at < 0) return undefined;
  const spaced = from.cells.filter((cell, index) => index > 0 && beginsWithSpace(cell)).length;
  // where a space stands behind every delimiter, spaces say nothing
  const isUsual = spaced > by || from.cells.every((_, other) => other === 0 || isSpacedOrEmpty(from, other));
  if (isUsual) return undefined;
  const before = placed.find((one) => one.at === at - 1)?.field;
  const textBefore = cellText(from, at - 1).trim();
  if (textBefore === "" || (before && before.kind !== "text") || (before && isWordOfService(before))) return undefined;
  const moved = placed.filter((one) => one.at >= at - 1);
  if (moved.some((one) => one.at >= at && gainOf(from, one.field, one.at) < 0)) return undefined;
  return { at, isSure: moved.some(({ field }) => field.required || field.kind !== "text") };
}

const SPACE = " ";

/** Whether a cell begins with one space and a word. Several spaces set numbers to the right. */
function beginsWithSpace(cell: Cell): boolean {
  return typeof cell === "string" && cell.startsWith(SPACE) && /^ \p{L}/u.test(cell);
}

function isSpacedOrEmpty(from: Row, at: number): boolean {
  const text = cellText(from, at);
  return text === "" || text.startsWith(SPACE);
}

/** Whether a field takes a word of the service, such as a payment mode: there is no comma in it. */
function isWordOfService({ kind, required, sensitive }: Field): boolean {
  return kind === "text" && required && sensitive === undefined;
}

/** 1: the next cell fits the column, and the column's own cell does not; -1: the other way round; 0: no difference. */
function gainOf(from: Row, field: Field, at: number): number {
  const here = cellText(from, at).trim();
  const next = cellText(from, at + 1).trim();
  return Number(fits(field, next)) - Number(fits(field, here));
}

const AMOUNT = /^(?:[0-9]{1,9}|[0-9]{1,3}(?:,[0-9]{2,3})+)(?:[.,][0-9]{1,4})?$/;
const FEW_DIGITS = /^[0-9]{1,4}$/;
const MOBILE = /^\+?[0-9][0-9 -]{7,15}$/;
const IFSC = /^[A-Z]{4}0/i;

/** Whether a text looks, roughly, like a value of the field; a field of free text takes anything. */
function fits(field: Field, text: string): boolean {
  const { kind, sensitive } = field;
  if (text === "") return !field.required;
  if (field.shape === "ifsc") return IFSC.test(text);
  if (kind === "amount") return AMOUNT.test(text);
  if (kind === "number") return /^[0-9]+$/.test(text);
  if (kind === "integer") return FEW_DIGITS.test(text);
  if (sensitive === "vpa" || sensitive === "email") return text.includes("@");
  if (sensitive === "mobile") return MOBILE.test(text);
  if (sensitive === "account") return /[0-9]/.test(text);
  if (sensitive === "name") return /\p{L}/u.test(text);
  return isWordOfService(field) ? /\p{L}/u.test(text) : true;
}
