/** `1 row`, `12 rows`; also for any other thing that takes an s. */
export function counted(count: number, thing = "row"): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** `2 unknown, 3 rejected and 1 held`. */
export function listed(parts: readonly string[], word: "and" | "or"): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} ${word} ${last}`;
}
