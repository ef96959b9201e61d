import { approve } from "../acts/approve.ts";
import { openFor, withWork } from "../acts/open.ts";
import { personNamed } from "../desk/prove.ts";
import { tellActed, textNeeded, type Call } from "./command.ts";

const EXAMPLE = "paydrop approve BATCH --by NAME --total SUM";

export function run(call: Call): Promise<number> {
  return withWork(call, "act", async (work, config) => {
    const who = personNamed(call, work, EXAMPLE);
    const values = { batch: call.operands[0] ?? "", total: textNeeded(call, "total", EXAMPLE) };
    const acted = await approve(openFor(call, work), who, values);
    return tellActed(call, config, acted, { batch: acted.batch, left: acted.left });
  });
}
