import { resolve } from "node:path";
import { checkOne } from "../acts/check.ts";
import { clockText } from "../acts/open.ts";
import { loadSettings } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { FileRefusedError } from "../errors.ts";
import { exitCodeOf, gravest } from "../exit-codes.ts";
import { paperOf } from "../screen/look.ts";
import { openJournal } from "../sqlite/open.ts";
import { errorText } from "../screen/error-text.ts";
import { checkObjects } from "../screen/json-lines.ts";
import { checkText } from "../screen/summary-text.ts";
import { show, summarize, type Call } from "./command.ts";

/** Everything up to sending: no network, no keys, and nothing is remembered. One broken file keeps no other back. */
export async function run(call: Call): Promise<number> {
  const { config } = loadSettings(call);
  const store = await openJournal(config.state_dir, { makesNone: true });
  const clock = await clockText(store).finally(() => store.close());
  if (clock !== undefined) call.stderr.write(`${clock}\n`);
  const codes: number[] = [];
  for (const path of call.operands) codes.push(await tellOne(call, config, resolve(path)));
  const code = gravest(codes);
  // the last line is the whole answer
  return codes.length > 1 ? summarize(call, config, code, { files: codes.length }) : code;
}

async function tellOne(call: Call, config: Config, path: string): Promise<number> {
  try {
    const checked = await checkOne(path, config, call.flags["all"] === true);
    const { unknown, rejected, invalid, held } = checked.byStatus;
    const code = gravest([unknown ? 4 : 0, rejected || invalid ? 3 : 0, held ? 6 : 0]);
    const { look } = paperOf(call.stdout, config, call.flags);
    if (!config.json) show(call, config, {}, checkText(checked, look), code);
    else for (const line of checkObjects(checked, code)) show(call, config, line, "", code);
    return code;
  } catch (error) {
    if (!(error instanceof FileRefusedError) && exitCodeOf(error) !== 2) throw error;
    call.stderr.write(errorText(error, config.json, config.verbose));
    return exitCodeOf(error);
  }
}
