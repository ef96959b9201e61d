import { formatUnits, unitsOf } from "../amount.ts";
import type { CapName, OperationRules, Rules } from "../config/rule-settings.ts";
import type { FileFault } from "../errors.ts";
import type { CheckedRow } from "./instruction.ts";

/** Caps that were exceeded. `refused`: the file is refused whole for these; `remarks`: these only warn. */
export interface CapFindings {
  readonly refused: readonly FileFault[];
  readonly remarks: readonly string[];
}

/** Sums by the folder name of the operation (`payouts`), in ten-thousandths. */
type Sums = ReadonlyMap<string, bigint>;

interface SumCounter {
  add(rows: readonly CheckedRow[]): void;
  readonly sums: Sums;
}

/** Adds up a file's amounts by operation, where a rule caps files: all that can be read, also of invalid rows. */
export function createSumCounter(rules: Rules): SumCounter {
  const sums = new Map<string, bigint>();
  const isCounted = Object.values(rules).some(({ max_per_file: cap }) => cap !== undefined);
  return {
    sums,
    add(rows) {
      if (!isCounted) return;
      for (const { instruction, ...row } of rows) {
        const one = instruction ?? ("amount" in row ? row : undefined);
        const folder = one?.operation?.folder;
        if (folder === undefined || one?.amount === undefined) continue;
        sums.set(folder, (sums.get(folder) ?? 0n) + unitsOf(one.amount));
      }
    },
  };
}

export function compareFile(rules: Rules, sums: Sums): CapFindings {
  return compare(rules, sums, "max_per_file", (folder, sum) => ({
    code: "file_over_cap",
    message: `the ${folder} of this file add up to ${sum}`,
    hint: "Look for an amount that is wrong; if it is right, have max_per_file raised in paydrop.toml.",
  }));
}

/** `sums`: what went since the day began, or may have, and what is ready to go, this file included. */
export function compareDay(rules: Rules, sums: Sums): CapFindings {
  return compare(rules, sums, "max_per_day", (folder, sum) => ({
    code: "day_over_cap",
    message: `with it the ${folder} of today come to ${sum}`,
    hint: "Save or run it again tomorrow; if it must go today, have max_per_day raised in paydrop.toml.",
  }));
}

export function hasDayCap(rules: Rules): boolean {
  return Object.values(rules).some(({ max_per_day: cap }) => cap !== undefined);
}

function compare(
  rules: Rules,
  sums: Sums,
  name: CapName,
  faultOf: (folder: string, sum: string) => FileFault,
): CapFindings {
  const refused: FileFault[] = [];
  const remarks: string[] = [];
  for (const [folder, sum] of sums) {
    const { warn, ...caps }: Partial<OperationRules> = rules[folder] ?? {};
    const cap = caps[name];
    if (cap === undefined || sum <= unitsOf(cap)) continue;
    const fault = faultOf(folder, formatUnits(sum));
    const message = `${fault.message}, ${formatUnits(sum - unitsOf(cap))} more than ${name} (${cap})`;
    if (warn?.includes(name)) remarks.push(message);
    else refused.push({ ...fault, message });
  }
  return { refused, remarks };
}
