/** `1 row`, `12 rows`; of any other thing that takes an s. */
export function counted(count: number, thing = "row"): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
