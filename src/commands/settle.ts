import { resolve } from "node:path";
import type { Open } from "../acts/act.ts";
import { openFor, withWork, type OpenedWork } from "../acts/open.ts";
import { settle, settledAs, type Settled } from "../acts/settle.ts";
import { settleList } from "../acts/settle-list.ts";
import { callerOf, personNamed } from "../acts/prove.ts";
import { PaydropError } from "../errors.ts";
import { optionOf, rowsSaid, tellActed, textNeeded, type Call } from "./command.ts";

export function run(call: Call): Promise<number> {
  return withWork(call, "either", async (work, config) => {
    const [open, list] = [openFor(call, work), optionOf(call, "from")];
    const acted = list === undefined ? await byRows(call, work, open) : await byList(call, work, open, list);
    const { settled, already, skipped } = acted;
    return tellActed(call, config, acted, { settled, already, skipped });
  });
}

function byRows(call: Call, work: OpenedWork, open: Open): Promise<Settled> {
  const as = settledAs(call.flags["as"]);
  if (as === undefined) throw new PaydropError("settle_as", { example: "settle" });
  const who = personNamed(call, work, "settle");
  const note = textNeeded(call, "note", "settle");
  const rows = rowsSaid(call);
  if (!rows) throw new PaydropError("word_missing", { option: "--row", example: "settle" });
  return settle(open, who, { batch: call.operands[0] ?? "", rows, as, note, total: optionOf(call, "total") });
}

function byList(call: Call, work: OpenedWork, open: Open, list: string): Promise<Settled> {
  if (call.operands.length > 0 || call.flags["row"] !== undefined || call.flags["as"] !== undefined) {
    throw new PaydropError("list_alone");
  }
  const values = { list: resolve(list), total: optionOf(call, "total") };
  return settleList(open, callerOf(call, work), values);
}
