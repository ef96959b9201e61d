import type { Config } from "../config/config.ts";
import { withProcessor } from "../processor.ts";
import { folded } from "../results/folded.ts";
import type { Call } from "./command.ts";
import { lookOf } from "./look-of.ts";
import { recoverIfDead } from "./try-lock.ts";
import { unknownRows } from "./unknown-rows.ts";
import { unknownCsv, unknownObject, unknownText } from "./unknown-text.ts";

/** `status --unknown`: what a person must look up. Exit 0; with `--check` 4 when there is any. */
export async function showUnknown(call: Call, config: Config): Promise<number> {
  return withProcessor({ config }, "read", async ({ journal }) => {
    let onTheirWay = 0;
    for (const { id } of await journal.batches()) onTheirWay += (await journal.rowsIn(id, ["sending"])).length;
    // rows of a process that died are unknown, but nobody has said so yet
    if (onTheirWay > 0 && (await recoverIfDead({ config }))) onTheirWay = 0;
    const rows = await unknownRows(journal, config);
    const code = call.flags["check"] === true && rows.length > 0 ? 4 : 0;
    if (config.quiet && code === 0) return code;
    if (call.flags["csv"] === true) call.stdout.write(unknownCsv(rows));
    else if (config.json) {
      for (const row of rows) call.stdout.write(`${JSON.stringify(unknownObject(row))}\n`);
      const summary = { type: "summary", unknown: rows.length, on_their_way: onTheirWay, exit_code: code };
      call.stdout.write(`${JSON.stringify(summary)}\n`);
    } else call.stdout.write(folded(unknownText(rows), lookOf(call.stdout, call, config)));
    if (onTheirWay > 0 && !config.json) call.stderr.write(`${onTheirWay} more are being sent at this moment\n`);
    return code;
  });
}
