import { approve } from "../acts/approve.ts";
import { openFor, withWork } from "../acts/open.ts";
import { personNamed } from "../acts/prove.ts";
import { tellActed, textNeeded, type Call } from "./command.ts";

export function run(call: Call): Promise<number> {
  return withWork(call, "act", async (work, config) => {
    const who = personNamed(call, work, "approve");
    const values = { batch: call.operands[0] ?? "", total: textNeeded(call, "total", "approve") };
    const acted = await approve(openFor(call, work), who, values);
    return tellActed(call, config, acted, { batch: acted.batch, left: acted.left });
  });
}
