/** What a file pays for, as it is kept (README §6): `2026-11`, `2026-W47` or `2026-11-27`; a label stands behind a space. */
export type PeriodForm = "month" | "week" | "day";

export function formOfPeriod(period: string): PeriodForm {
  const [stated = ""] = period.split(" ");
  if (stated.includes("W")) return "week";
  return stated.length > "2026-11".length ? "day" : "month";
}

export function hasLabel(period: string): boolean {
  return period.includes(" ");
}
