import type { Config } from "../config/config.ts";
import { exitCodeOf, gravest } from "../exit-codes.ts";
import { withProcessor, type Processor } from "../processor.ts";
import { filesObject } from "../results/json-lines.ts";
import type { Call } from "./command.ts";
import { errorText } from "./screen/error-text.ts";
import { tell } from "./screen/tell.ts";
import { recoverIfDead } from "./try-lock.ts";

/**
 * Writes results, retry file and summary of these batches again after a person's act, except of a batch whose rows are
 * on their way: the process that sends them does it at its end. Exit 0, or 74 when they could not be written; the act
 * stands in either case. With `--json` the last line is the command's summary.
 */
export async function rewriteResults(call: Call, config: Config, batchIds: readonly string[]): Promise<number> {
  const codes: number[] = [];
  await withProcessor({ config }, "read", async (processor) => {
    for (const id of batchIds) codes.push(await rewriteOne(call, config, processor, id));
  });
  const code = gravest(codes);
  tell(call, config, "", { type: "summary", batches: batchIds, exit_code: code });
  return code;
}

async function rewriteOne(call: Call, config: Config, processor: Processor, id: string): Promise<number> {
  const { sending } = await processor.journal.tallies(id);
  if (sending && !(await recoverIfDead(config))) {
    tell(call, config, `Rows of batch ${id} are on their way: its results are written when that run ends.`, {
      type: "results_later",
      batch: id,
    });
    return 0;
  }
  try {
    const { files } = await processor.writeResultsAgain(id);
    const kept = files.kept === undefined ? "" : `\nkept       ${files.kept}   changed by hand`;
    const text = files.results === undefined ? "" : `results    ${files.results}${kept}`;
    tell(call, config, text, { type: "results", batch: id, files: filesObject(files) });
    if (files.elsewhere === undefined) return 0;
    call.stderr.write(`${files.elsewhere}\n`);
    return 74;
  } catch (error) {
    call.stderr.write(errorText(error, config.json, config.verbose));
    return exitCodeOf(error);
  }
}
