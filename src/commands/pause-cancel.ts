import { cancel as cancelRows } from "../acts/cancel.ts";
import { openFor, withWork } from "../acts/open.ts";
import { pause as pauseBatch } from "../acts/pause.ts";
import { callerOf, personNamed } from "../acts/prove.ts";
import { PaydropError } from "../errors.ts";
import { rowsSaid, textSaid, tellActed, type Call } from "./command.ts";

export function pause(call: Call): Promise<number> {
  return withWork(call, "either", async (work, config) => {
    const values = { batch: call.operands[0] ?? "", reason: textSaid(call, "reason") };
    const acted = await pauseBatch(openFor(call, work), callerOf(call, work), values);
    return tellActed(call, config, acted, { batch: acted.batch });
  });
}

export function cancel(call: Call): Promise<number> {
  return withWork(call, "either", async (work, config) => {
    const who = personNamed(call, work, "cancel");
    const rows = rowsSaid(call);
    const isHeld = call.flags["held"] === true;
    if (rows && isHeld) throw new PaydropError("rows_or_all", { all: "--held", example: "cancel" });
    const which = rows ?? (isHeld ? "held" : "whole");
    const values = { batch: call.operands[0] ?? "", which, reason: textSaid(call, "reason") } as const;
    const acted = await cancelRows(openFor(call, work), who, values);
    return tellActed(call, config, acted, { batch: acted.batch });
  });
}
