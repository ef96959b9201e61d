import { loadWithoutKeys } from "../config/load.ts";
import { withProcessor } from "../processor.ts";
import { jsonSummary } from "../results/json-lines.ts";
import { summaryText } from "../results/screen/screen.ts";
import type { Call } from "./command.ts";
import { knownBatch } from "./known-batch.ts";
import { lookOf } from "./screen/look-of.ts";
import { recoverIfDead } from "./try-lock.ts";

/** Writes the results of a batch again from journal and snapshot (I11). Exit 0 when they are written. */
export async function run(call: Call): Promise<number> {
  const config = loadWithoutKeys(call);
  return withProcessor({ config }, "read", async (processor) => {
    const { journal } = processor;
    const { id } = await knownBatch(journal, call.operands[0]);
    // rows of a process that died are unknown, but not marked so yet
    const isGoing = (await journal.tallies(id)).sending !== undefined && !(await recoverIfDead(config));
    const report = await processor.writeResultsAgain(id);
    const code = report.files.elsewhere === undefined ? 0 : 74;
    if (config.quiet && code === 0) return code;
    // a table of rows without an answer would send a person to look them up, too early
    if (isGoing && code === 0 && !config.json) {
      call.stdout.write(
        `results    ${report.files.results}\nRows of batch ${id} are on their way at this moment: they are written once more when that run ends.\n`,
      );
      return code;
    }
    const object = { ...jsonSummary(report), batch_exit_code: report.exitCode, exit_code: code };
    call.stdout.write(
      config.json ? `${JSON.stringify(object)}\n` : summaryText(report, lookOf(call.stdout, call, config)),
    );
    return code;
  });
}
