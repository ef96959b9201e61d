import { isMoneyBack, SUMMABLE, unitsOf } from "../amount.ts";
import { normalizeName } from "../column-name.ts";
import type { Fault } from "../messages/sentence.ts";
import { knownColumns, type Columns } from "../reader/columns.ts";
import type { Row } from "../reader/row.ts";
import { faultAt, shownAs, wordsAt } from "./cells.ts";
import { canonical, type FieldInFile, type FormInFile, type Values } from "./form.ts";

/** A column that says another time what a field says: the same field by another name, or other money. */
export interface Rival {
  readonly at: number;
  readonly column: string;
  readonly field: FieldInFile;
}

/** Words of which the name of a column of money consists, and those of them that make it one. */
const MONEY =
  "amounts?|amt|amnt|pay|payable|paid|salary|salaries|wages?|gross|net|total|payout|payment|value|due|sum|takehome|inhand|tds|deductions?|recovery|recoveries|advance";
const BESIDE_MONEY =
  "grand|final|actual|approved|sanction|sanctioned|passed|admitted|eligible|revised|requested|claimed|claim|invoice|bill|to|be|in|hand|take|home|disbursed|disbursement|disbursal|disbursable|transfer|transferred|credit|credited|debit|inr|rs|rupees|of|the|tax|taxes|(?:after|before)(?:tds|tax|taxes|deductions?)|deducted|less|adjusted|adjustment|release|released|monthly|earned|earnings|remittance|remitted|settled|settlement|refund|arrears?|sub|new|old|this|current|corrected|original|vendor|employee|emp|customer|loan|emi|recovered|reimbursement|withheld|payroll|cost|balance";
const OTHER_AMOUNT = new RegExp(`^(?=.{0,40}$)(?=.*(?:${MONEY}))(?:${MONEY}|${BESIDE_MONEY})+[0-9]?$`);

/** The columns whose values must not differ from those that go: a person who confirmed a mapping said which is meant. */
export function rivalsOf(columns: Columns, form: FormInFile, used: ReadonlySet<number>, own: readonly string[]) {
  const { names } = columns;
  const mine = new Set(own.map(normalizeName));
  const known = new Map(knownColumns(names, form.operation).map(({ at, field }) => [at, field]));
  const deciding = [form.amount, form.payee, form.debit, form.ifsc, ...form.alsoPayment];
  return names.flatMap((column, at): Rival[] => {
    const name = normalizeName(column.replaceAll(/[()./]/g, ""));
    if (used.has(at) || mine.has(normalizeName(column))) return [];
    const isMoney = OTHER_AMOUNT.test(name) || OTHER_AMOUNT.test(name.replace(/(?:in)?(?:inr|rs|rupees)$/, ""));
    const field = deciding.find((one) => one?.name === (isMoney ? "amount" : known.get(at)));
    return field?.source && field.source.at >= 0 ? [{ at, column, field }] : [];
  });
}

/** Columns in which a 0 says that nothing is to be paid; in others it says that nothing was taken off, or paid, yet. */
const SAYS_ZERO = /net|approved|payable|payout|gross/;
/** What is taken off says less than another amount beside it. */
const PART = /^(?!.*(?:net|gross|payable|after)).*(?:tds|deduct|recover|advance|tax)/;

function differs(text: string, { field, column }: Rival, value: string): boolean {
  if (field.kind !== "amount") return field.takes(text) && unified(field, text) !== unified(field, value);
  if (isMoneyBack(text)) return true;
  const plain = text.replaceAll(/^(?:₹|rs\.?|inr)\s*|\s*\/-$|,/gi, "");
  if (!SUMMABLE.test(plain) || !SUMMABLE.test(value) || unitsOf(plain) === unitsOf(value)) return false;
  return unitsOf(plain) > 0n || SAYS_ZERO.test(normalizeName(column));
}

const unified = (field: FieldInFile, value: string): string => canonical(field, value).toLowerCase();

/**
 * What a file says in two ways, so that only a person knows what is meant: it is refused before anything goes. Memory grows
 * with the columns, and with the periods up to a few.
 */
export class Questions {
  readonly #found = new Map<string, { readonly fault: Fault; rows: number }>();
  /** By form: the first row of each period, without labels. */
  readonly #periods = new Map<string, Map<string, number>>();
  #last = "";

  compare(row: Row, rivals: readonly Rival[], values: Values, isTable: boolean): void {
    for (const rival of rivals) {
      const { field, at, column } = rival;
      const [text, value] = [wordsAt(row, at), values[field.nth] ?? ""];
      if (text === "" || value === "" || !differs(text, rival, value)) continue;
      const known = this.#found.get(column);
      if (known) known.rows += 1;
      else {
        const facts = { own: field.source?.column, said: shownAs(value, field, "two_columns"), name: column };
        const fault = faultAt(row, { ...field, source: { at, column } }, { code: "two_columns", facts }, isTable, text);
        this.#found.set(column, { fault: { ...fault, column }, rows: 1 });
      }
    }
  }

  period(row: Row, period: string | undefined): void {
    if (period === undefined || period === this.#last) return;
    this.#last = period;
    const [of = ""] = period.split(" ");
    const form = of.replaceAll(/\d/g, "0");
    const all = this.#periods.get(form) ?? new Map<string, number>();
    if (all.size < PERIODS_SHOWN + 1 && !all.has(of)) all.set(of, row.number);
    this.#periods.set(form, all);
  }

  /** `isEach`: a person said that each row is of its own period. */
  faults(isEach: boolean): readonly Fault[] {
    const several = [...this.#periods.values()].filter(({ size }) => size > 1 && !isEach);
    const columns = [...this.#found].filter(([column]) => !PART.test(normalizeName(column)));
    const told = columns.length > 0 ? columns : [...this.#found];
    return [
      ...told.map(([, { fault, rows }]) => ({ ...fault, facts: { ...fault.facts, rows } })),
      ...several.map((all): Fault => {
        const shown = [...all].slice(0, PERIODS_SHOWN).map(([period, row]) => `${period} (row ${row})`);
        return {
          code: "periods_several",
          facts: { periods: shown.join(", ") + (all.size > PERIODS_SHOWN ? " …" : "") },
        };
      }),
    ];
  }
}

const PERIODS_SHOWN = 6;
