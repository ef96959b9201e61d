import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readResults, resultOf, sumFaults } from "./oracle.ts";
import { amountOf, markerOf } from "./office-files.ts";
import type { PaymentRow } from "./payments.ts";

/** Of these rows' batches: where what paydrop wrote beside the file is not what the journal says (I3, I13). */
export function faultsWritten(folder: string, rows: readonly PaymentRow[]): string[] {
  return [...Map.groupBy(rows, ({ batch }) => batch)].flatMap(([batch, own]) => {
    const path = join(folder, own[0]?.file ?? "");
    const isNewest = batchOfSummary(`${path}.summary.json`) === batch;
    const format = /\.(jsonl?|xlsx)$/.exec(path)?.[1] ?? "csv";
    const lines =
      format === "xlsx" ? undefined : readResults(`${path}.results${isNewest ? "" : `.${batch}`}.${format}`);
    const written = lines
      ?.map((line) => [line["result_row"], line["result_status"], markerOf(line), amountOf(line)].join(" "))
      .join("\n");
    const known = own.map((row) => [row.number, resultOf(row.state), row.marker, row.amount].join(" ")).join("\n");
    if (lines && written !== known) return [`results of ${batch}:\n${written}\nand not\n${known}`];
    const counted = own.map(({ state, amount }) => ({ status: resultOf(state) ?? "", amount }));
    return sumFaults(`${path}.summary${isNewest ? "" : `.${batch}`}.json`, counted);
  });
}

function batchOfSummary(path: string): unknown {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { batch: unknown }).batch : undefined;
}
