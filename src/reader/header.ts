import { normalizeName } from "../text/names.ts";
import { printable } from "../text/printable.ts";
import type { Refuse } from "./refusals.ts";

/** As keys of an object these names would reach its prototype. */
const FORBIDDEN_NAMES = new Set(["__proto__", "prototype", "constructor"]);

export function isForbiddenName(name: string): boolean {
  return FORBIDDEN_NAMES.has(name.trim().toLowerCase());
}

/** The second of two column names that compare equal (DESIGN §6); names that are empty do not count. */
export function repeatedNameOf(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    const normalized = normalizeName(name);
    if (normalized !== "" && seen.has(normalized)) return name;
    seen.add(normalized);
  }
  return undefined;
}

/** An e-mail address or VPA, an account number, a mobile or an IFSC: no column is called so. */
const PERSONAL = /\S@\S|^\+?[0-9][0-9 -]{7,}[0-9]$|^[A-Z]{4}0[A-Z0-9]{6}$/;
const NUMBER = /^[0-9][0-9,]{2,}(?:\.[0-9]+)?$|^[0-9]+\.[0-9]+$/;

/** Whether values stand where a header should: then no cell is shown to anybody (I10). */
export function looksLikeValues(names: readonly string[]): boolean {
  const cells = names.map((name) => name.trim());
  const personal = cells.filter((cell) => PERSONAL.test(cell)).length;
  return personal > 0 && personal + cells.filter((cell) => !PERSONAL.test(cell) && NUMBER.test(cell)).length > 1;
}

/** Throws FileRefusedError for a header that cannot be worked with. `row`: where the header stands. */
export function checkHeader(header: readonly string[], row: number, columnsMax: number, refuse: Refuse): void {
  if (header.length > columnsMax) throw refuse("too_many_columns", { row, found: columnsMax.toString() });
  const forbidden = header.find(isForbiddenName);
  if (forbidden !== undefined) throw refuse("header_forbidden", { row, found: quotedName(forbidden) });
  const repeated = repeatedNameOf(header);
  if (repeated !== undefined && looksLikeValues(header)) throw refuse("header_missing", { row });
  if (repeated !== undefined) {
    const first = header.find((name) => normalizeName(name) === normalizeName(repeated)) ?? repeated;
    const found =
      first === repeated ? quotedName(repeated) : `one column as ${quotedName(first)} and ${quotedName(repeated)}`;
    throw refuse("header_duplicate", { row, column: printable(repeated, 60), found });
  }
}

/** A name as messages show it. */
export function quotedName(name: string): string {
  return `"${printable(name, 60)}"`;
}
