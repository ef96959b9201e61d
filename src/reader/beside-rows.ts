import { mayNameCurrency, namesCurrency, saysRupeesAlone, speaksOfOther } from "../currency.ts";
import { normalizeName } from "../text/names.ts";
import { quotedName } from "./header.ts";
import type { Cell } from "./row.ts";

/** Throws for a name beside the rows that is not ours but says what the money is, or how much of it there must be. */
export function assertMayBeIgnored(name: string, value: Cell, wrong: (found: string, hint: string) => Error): void {
  const text = textOf(value);
  if (text === "") return;
  const isOther = namesCurrency(name) ? !saysRupeesAlone(text) : mayNameCurrency(name) && speaksOfOther(text);
  if (isOther) {
    // a word or a sign is no account
    const shown = /^(?:\p{L}{1,20}|\p{Sc})$/u.test(text) ? quotedName(text) : "something else than INR";
    throw wrong(`${quotedName(name)} beside the rows says ${shown}, and only INR may stand there`, CURRENCY_HINT);
  }
  if (!CONTROL_TOTAL.test(normalizeName(name))) return;
  const found = `${quotedName(name)} beside the rows looks like control totals, which are read from "control" only`;
  throw wrong(found, CONTROL_HINT);
}

const CURRENCY_HINT =
  "Amounts are sent as they stand, as rupees. Take out what is in another currency and pay it another way; a collection says its currency in each row.";
const CONTROL_HINT =
  'Write "control": {"rows": 240, "total": "11087750.50"} with what the file must have, or take it away.';

const ROWS =
  "rows?|records?|entries|items?|lines?|payments?|payouts?|transfers?|transactions?|txns?|txs?|instructions?|requests?|loans?|collections?";
const AMOUNTS = "amounts?|amt|value";

/** Names such as `total`, `count`, `control_totals`, `row_count`, `Number of payments`, `total_amount`, `expectedRows`. */
const CONTROL_TOTAL = new RegExp(
  [
    `(?:control|ctrl|expect(?:ed)?|batch|file|hash|grand|net|gross|overall)*(?:totals?|counts?|sums?)(?:no|number|num|count)?(?:of)?(?:${ROWS}|${AMOUNTS})?`,
    `(?:${ROWS}|${AMOUNTS})(?:totals?|counts?|sums?)`,
    `(?:total)?(?:number|num|nb|nr|no)(?:of)?(?:${ROWS})`,
    `(?:control|expect(?:ed)?)(?:${ROWS}|${AMOUNTS})`,
  ]
    .map((form) => `^${form}$`)
    .join("|"),
);

/** What stands there, as text; empty for what says nothing. */
function textOf(cell: Cell): string {
  if (typeof cell === "string") return cell.trim();
  return cell.token === "null" ? "" : cell.source;
}
