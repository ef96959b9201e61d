import { compareDay, hasDayCap, type CapFindings } from "../checks/caps.ts";
import type { Config } from "../config/config.ts";
import type { Rules } from "../config/rule-settings.ts";
import { startOfDay } from "../day.ts";
import { defined } from "../defined.ts";
import type { JournalStore } from "../journal/store.ts";
import { operationNamed } from "../operations/catalogue.ts";

/**
 * What `max_per_day` says of what went today and what may still go. When a file is taken in: of all files of today, so
 * that what is let in can go on whatever cuts it off. When batches are about to send (`ofBatches`): of their rows.
 */
export async function compareToday(
  journal: JournalStore,
  rules: Rules,
  { environment, timeZone }: Pick<Config, "environment" | "timeZone">,
  nowMs: number,
  ofBatches?: readonly string[],
): Promise<CapFindings> {
  if (!hasDayCap(rules)) return { refused: [], remarks: [] };
  const sinceMs = startOfDay(nowMs, timeZone);
  const sums = await journal.goneOrWaiting(defined({ environment, sinceMs, ofBatches }));
  return compareDay(rules, new Map([...sums].map(([name, sum]) => [operationNamed(name).folder, sum])));
}
