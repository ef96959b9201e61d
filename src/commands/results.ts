import { writeAgain } from "../batch.ts";
import { loadSettings } from "../config/load.ts";
import { asLine, jsonSummary } from "../screen/json-lines.ts";
import { summaryText } from "../screen/summary-text.ts";
import { paperOf } from "../screen/look.ts";
import type { Call } from "./command.ts";
import { knownBatch, openWork } from "./open-work.ts";

/** Writes the results of a batch again from journal and snapshot (I11). Exit 0 when they lie beside the input, else 74. */
export async function run(call: Call): Promise<number> {
  const { config } = loadSettings(call);
  const work = await openWork(config, undefined, "read");
  try {
    const batch = await knownBatch(work.store, call.operands[0]);
    const retryFormat = call.flags["retry_xlsx"] === true ? "xlsx" : undefined;
    const report = await writeAgain(work, batch.id, { retryFormat });
    const code = report.files.elsewhere === undefined ? 0 : 74;
    if (config.quiet && code === 0) return code;
    const paper = paperOf(call.stdout, config, call.flags);
    const object = { ...jsonSummary(report), batch_exit_code: report.exitCode, exit_code: code };
    paper.write(config.json ? asLine(object) : summaryText(report, paper.look));
    return code;
  } finally {
    await work.close();
  }
}
