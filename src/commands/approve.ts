import { approve } from "../acts/approve.ts";
import { sayFound, summarize, textNeeded, type Call } from "./command.ts";
import { openFor, withWork } from "./open-work.ts";
import { personNamed } from "./prove.ts";

const EXAMPLE = "paydrop approve BATCH --by NAME --total SUM";

export function run(call: Call): Promise<number> {
  return withWork(call, "act", async (work, config) => {
    const who = personNamed(call, work, EXAMPLE);
    const values = { batch: call.operands[0] ?? "", total: textNeeded(call, "total", EXAMPLE) };
    const { batch, left, found, code } = await approve(openFor(call, work), who, values);
    sayFound(call, config, found);
    return summarize(call, config, code, { batch, left });
  });
}
