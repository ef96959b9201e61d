/**
 * Header names compare without case, spaces, `_` and `-` (DESIGN §6): `IFSC Code`, `ifsc-code` and `ifsc_code` are the
 * same name.
 */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, "");
}

/** Positions by column name, for columns that many rows share: each name is looked for once. */
const POSITIONS = new WeakMap<readonly string[], Map<string, number>>();

/** Where the column of that name stands, the last one of several; -1 where there is none. */
export function columnPosition(columns: readonly string[], name: string): number {
  let positions = POSITIONS.get(columns);
  if (!positions) POSITIONS.set(columns, (positions = new Map<string, number>()));
  let position = positions.get(name);
  if (position === undefined) {
    const wanted = normalizeName(name);
    position = columns.findLastIndex((column) => normalizeName(column) === wanted);
    positions.set(name, position);
  }
  return position;
}
