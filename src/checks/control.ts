import { basename } from "node:path";
import { formatUnits, SUMMABLE, unitsOf, type Sums } from "../amount.ts";
import type { Config } from "../config/schema.ts";
import { readFound } from "../disk.ts";
import { FileRefusedError, systemCodeOf } from "../errors.ts";
import type { Fault } from "../messages/sentence.ts";
import type { Wrapper } from "../reader/row.ts";

/** Control totals as somebody stated them (README §6). */
export interface StatedControl {
  /** A fact of the sentence: who says it. */
  readonly source: string;
  readonly rows?: number | undefined;
  /** Plain decimal text with at most four decimals. */
  readonly total?: string | undefined;
}

/** What follows the input's name; Notepad adds `.txt`. */
const ENDINGS = [".control", ".control.txt"];
const BYTES_MAX = 4096;

/** Everything that states control totals for the file at `path`. Throws FileRefusedError `control_malformed`. */
export async function statedControl(path: string, wrapper: Wrapper | undefined, config: Config) {
  const all: readonly StatedControl[] = [
    { source: "the command line", rows: config.expect_rows, total: config.expect_total },
    { source: '"control" in the file', ...wrapper?.control },
    ...(await Promise.all(ENDINGS.map((ending) => readControlFile(path + ending)))),
  ];
  return all.filter(({ rows, total }) => rows !== undefined || total !== undefined);
}

async function readControlFile(path: string): Promise<StatedControl> {
  const source = basename(path);
  const text = await readSmallFile(path);
  const malformed = new FileRefusedError(source, [{ code: "control_malformed" }]);
  const stated = new Map<string, string>();
  for (const line of text?.split(/[\r\n]+/).filter((one) => one.trim() !== "") ?? []) {
    const [, name = "", value = ""] = /^\s*(rows|total)\s*=\s*(\S+)\s*$/i.exec(line) ?? [];
    const key = name.toLowerCase();
    if (!(key === "rows" ? /^\d{1,9}$/ : SUMMABLE).test(value) || stated.has(key)) throw malformed;
    stated.set(key, value);
  }
  if (text !== undefined && stated.size === 0) throw malformed;
  const rows = stated.get("rows");
  return { source, rows: rows === undefined ? undefined : Number(rows), total: stated.get("total") };
}

/** Undefined: there is none. What may not be read states nothing, and is told as malformed. */
async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    return await readFound(path, BYTES_MAX);
  } catch (error) {
    if (["EACCES", "EPERM"].includes(systemCodeOf(error) ?? "")) return "";
    throw error;
  }
}

/**
 * A fault for every source that says something else than the file, or for none where `require_control` asks for one.
 * `sums`: of all amounts but `unreadable` ones; `noPayments`: the first rows that are none.
 */
export function controlFaults(
  stated: readonly StatedControl[],
  found: { rows: number; sums: Sums<string>; unreadable: number; noPayments: readonly number[] },
  isRequired: boolean,
): readonly Fault[] {
  if (stated.length === 0) return isRequired ? [{ code: "control_missing" }] : [];
  const { rows, unreadable } = found;
  const { units } = found.sums;
  const others = found.noPayments.join(", ");
  return stated.flatMap(({ source, rows: saidRows = rows, total }): Fault[] => {
    const faults: Fault[] = [];
    if (saidRows !== rows) {
      const facts = { source, said: saidRows, found: rows, others: saidRows < rows ? others : "" };
      faults.push({ code: "control_rows_differ", facts });
    }
    const said = total === undefined ? units : unitsOf(total);
    if (said !== units) {
      const difference = formatUnits(said > units ? said - units : units - said);
      const facts = { source, said: total, found: formatUnits(units), difference, unreadable };
      faults.push({ code: "control_total_differs", facts });
    }
    return faults;
  });
}
