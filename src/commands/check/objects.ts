import type { CheckReport } from "../../results/screen/check-report.ts";
import { correctionsObject } from "../../results/words/correction-words.ts";
import { mappingObject } from "../../results/words/mapping-words.ts";
import { countsOf } from "../../results/words/status.ts";
import type { TakenBefore } from "../../results/words/taken-words.ts";
import { accountObject } from "../../results/summary.ts";

/** One object per row that is not ready, per warning and per correction, and last the summary. Amounts are strings. */
export function checkObjects(report: CheckReport, written?: string): Record<string, unknown>[] {
  const invalid = report.faults.map(({ row, faults }) => ({ type: "row", row, status: "invalid", faults }));
  const held = report.holds.map((hold) => ({ type: "row", status: "held", ...hold }));
  const warnings = report.warnings.flatMap(({ row, warnings: all }) =>
    all.map((warning) => ({ type: "warning", row, ...warning })),
  );
  const corrected = report.corrected.map(({ row, correction: { of, changes, payeeChanged } }) => ({
    ...{ type: "correction", row, of: `${of.batch}:${of.row}`, payee_changed: payeeChanged },
    changes: changes ?? null,
  }));
  return [...invalid, ...held, ...warnings, ...corrected, summaryOf(report, written)];
}

const TALLIES = ["ready", "invalid", "held", "duplicate"] as const;

function summaryOf(report: CheckReport, written: string | undefined): Record<string, unknown> {
  const { control, groups } = report;
  return {
    type: "summary",
    file: report.file,
    operation: report.operation,
    ...(report.period === undefined ? {} : { period: report.period }),
    exit_code: report.exitCode,
    rows: { total: report.rows, ...Object.fromEntries(TALLIES.map((key) => [key, report[key].rows])) },
    warned: report.warned,
    ...(report.corrections ? { corrections: correctionsObject(report.corrections) } : {}),
    amount: { total: report.total, ...Object.fromEntries(TALLIES.map((key) => [key, report[key].amount])) },
    by_account: report.accounts.map(accountObject),
    control: { stated_by: control.sources, faults: control.faults },
    caps: report.caps,
    kinds: groups.map(({ level, code, column, count }) => ({ level, code, column, rows: count })),
    remarks: report.remarks,
    ...(report.taken ? { taken_before: takenObject(report.taken) } : {}),
    ...(report.mapping ? { mapping: mappingObject(report.mapping) } : {}),
    ...(written === undefined ? {} : { written }),
  };
}

/** `{"batch":"K7Q29F3M","at":"…","rows":{"accepted":21,"invalid":3}}` */
function takenObject({ batch, byStatus }: TakenBefore): Record<string, unknown> {
  return { batch: batch.id, at: new Date(batch.createdAt).toISOString(), rows: countsOf(byStatus) };
}
