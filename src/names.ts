/**
 * Header names compare without case, spaces, `_` and `-` (DESIGN §6): `IFSC Code`, `ifsc-code` and `ifsc_code` are the
 * same name.
 */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, "");
}
