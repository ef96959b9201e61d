import type { Config } from "../config/config.ts";
import { loadWithoutKeys } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import type { RowRecord } from "../journal/row-record.ts";
import { MAY_NOT_SETTLE, maySettle, type SettledAs } from "../journal/state.ts";
import type { Act, JournalStore } from "../journal/store.ts";
import { withProcessor } from "../processor.ts";
import { asInResults } from "../results/words/status.ts";
import { carryOutSettlings } from "./settle/carry-out.ts";
import type { Call } from "./command.ts";
import { knownBatch } from "./known-batch.ts";
import { rewriteResults } from "./rewrite.ts";
import { rowsSaid } from "./release/rows-said.ts";
import { historiesOf } from "./settle/line.ts";
import { readSettleList } from "./settle/list.ts";
import {
  asSaid,
  rowToSettle,
  settlingOf,
  wordOf,
  type Settling,
  type Settlings,
  type Word,
} from "./settle/settling.ts";
import { personNamed, textSaid } from "./who.ts";

/** A person says what became of unknown rows. Needs no lock: it works while another process sends. */
export async function run(call: Call): Promise<number> {
  const config = loadWithoutKeys(call);
  const list = call.flags["from"];
  const touched = await withProcessor({ config }, "read", async ({ journal }) => {
    const settlings =
      typeof list === "string"
        ? await readSettleList(list, journal, call, config)
        : await settlingsSaid(call, config, journal);
    return carryOutSettlings(call, config, journal, settlings);
  });
  return rewriteResults(call, config, touched);
}

const EXAMPLE = 'paydrop settle BATCH --row 91 --as not-done --by NAME --note "dashboard 1 Nov 10:12: no entry"';

async function settlingsSaid(call: Call, config: Config, journal: JournalStore): Promise<Settlings> {
  const as = asSaid(call.flags["as"]);
  if (as === undefined) throw new PaydropError("usage", "--as must be done or not-done", EXAMPLE);
  const by = personNamed(config, EXAMPLE);
  const note = textSaid(call.flags["note"]);
  if (note === undefined) throw new PaydropError("usage", "--note is missing: what was looked up, and where", EXAMPLE);
  const numbers = call.flags["row"] === undefined ? [] : rowsSaid(call.flags["row"]);
  if (numbers.length === 0) throw new PaydropError("usage", "--row is missing", EXAMPLE);
  const batch = await knownBatch(journal, call.operands[0]);
  const word = wordOf(as, by, note);
  const todo: Settling[] = [];
  const already: Settling[] = [];
  const settledBefore = historiesOf(journal);
  for (const number of numbers) {
    const row = await rowToSettle(journal, batch.id, number, config);
    if (!row) throw new PaydropError("usage", `batch ${batch.id} has no row ${number}`, "nothing was settled");
    const one = settlingOf(batch.id, row, word);
    if (row.state === as || isSaidBefore(word, row, await settledBefore(batch.id, number))) already.push(one);
    else if (maySettle(row.state, as, row.settledBy !== undefined)) todo.push(one);
    else throw notToSettle(row, as);
  }
  return { todo, already, skipped: 0 };
}

/**
 * Whether the same words settled the row before, and it was sent again since: then they speak of an earlier attempt,
 * and somebody carries out once more what was carried out. They must not let the newer attempt go again. For
 * a row that is `settled_done` they count: only a person can have led it there since.
 */
function isSaidBefore({ as, act }: Word, { state }: RowRecord, before: readonly Act[]): boolean {
  if (as !== "settled_not_done" || state === "settled_done") return false;
  return before.some(({ by, note }) => by === act.by && note === act.note);
}

function notToSettle({ number, state }: RowRecord, as: SettledAs): PaydropError {
  const is = state === "sending" ? "being sent at this moment" : asInResults(state);
  const hint =
    state === "accepted" && as === "settled_done"
      ? "the service accepted it already: nothing was settled"
      : MAY_NOT_SETTLE;
  return new PaydropError("usage", `row ${number} is ${is}`, hint);
}
