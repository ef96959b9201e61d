import { canonicalAmount, PLAIN_DECIMAL } from "../amount.ts";
import { normalizeName } from "../column-name.ts";
import { cellWords, LEFT_OUT } from "../reader/columns.ts";
import type { Row } from "../reader/row.ts";
import { monthNumber } from "./beside.ts";

/**
 * What stands in a row, in one form for all that a spreadsheet makes of it when it saves a file that nobody changed: `1000`
 * for `1000.00`, `Nov-26` for `2026-11`, no zeros in front. `zeros`: how many stood there; a person adds some, a spreadsheet
 * never does.
 */
export interface Content {
  readonly text: string;
  readonly zeros: number;
}

const SEPARATOR = "\u001f";

/** `values`: what is sent, in the order of the fields; `before`: what goes before them. */
export function contentOf(values: readonly (string | undefined)[], before = ""): Content {
  let zeros = 0;
  const kept = values.map((value) => {
    if (value === undefined || value === "" || !/[0-9]/.test(value)) return value;
    if (value.startsWith("0")) zeros += ZEROS.exec(value)?.[0].length ?? 0;
    return WHOLE.test(value) ? value : saved(value);
  });
  return { text: before + SEPARATOR + kept.join(SEPARATOR), zeros };
}

/** Of all cells of a row, whatever their order, but for those that a retry file adds. */
export function contentOfCells({ columns, cells }: Row, isTable: boolean): Content {
  const named = columns.flatMap((column, at): [string, string][] => {
    const [name, cell = ""] = [normalizeName(column), cells[at]];
    // who puts quotes round a number in JSON has changed it; a CSV file has no numbers
    const mark = !isTable && typeof cell === "object" && cell.token === "number" ? "#" : "";
    const words = cellWords(cell).replace(/\s+/g, " ");
    return LEFT_OUT.has(name) || words === "" ? [] : [[`${name}${mark}`, words]];
  });
  named.sort(([one], [other]) => (one < other ? -1 : 1));
  const { text, zeros } = contentOf(named.map(([, words]) => words));
  return { text: named.map(([name]) => name).join(SEPARATOR) + text, zeros };
}

const ZEROS = /^0+(?=[0-9])/;
/** A spreadsheet leaves it as it is. */
const WHOLE = /^[1-9][0-9]*$/;
/** A long number, of which digits are lost: in a short one a person wrote out what was meant. */
const SCIENTIFIC = /^([0-9])(?:[.,]([0-9]+))?E\+?(0?[89]|[1-9][0-9])$/i;

function saved(value: string): string {
  const words = value.trim();
  const bare = words.startsWith("0") ? words.replace(ZEROS, "") : words;
  if (PLAIN_DECIMAL.test(bare)) return canonicalAmount(bare);
  const [, first, more = "", places] = SCIENTIFIC.exec(words) ?? [];
  if (first !== undefined && more.length <= Number(places)) return first + more.padEnd(Number(places), "0");
  return dayNumbers(words) ?? value;
}

const TIME = /[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?[ap]m|Z)?$/i;
const BEGINS_AS_DAY = /^(?:[0-9]{1,4}[-/. ]|[a-z]{3,9}[- ])/i;
const DAY = /^[0-9]{1,4}(?:[-/. ](?:[0-9]{1,4}|[a-z]{3,9})){1,2}$|^[a-z]{3,9}[- ][0-9]{2,4}$/i;

/** A day or a month in whatever order: its numbers, sorted; a year by its last two digits. */
function dayNumbers(words: string): string | undefined {
  if (!BEGINS_AS_DAY.test(words)) return undefined;
  const day = words.replace(TIME, "");
  if (!DAY.test(day)) return undefined;
  const numbers = day.split(/[-/. ]/).map((part) => Number(/[a-z]/i.test(part) ? monthNumber(part) : part.slice(-2)));
  return numbers.includes(0) ? undefined : numbers.sort((one, other) => one - other).join("-");
}
