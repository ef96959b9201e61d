import * as z from "zod/mini";
import { spelledOut } from "../column-name.ts";
import { flag, table } from "./kinds.ts";
import { byName, NAME, oneOrMore, SOME, TEXT } from "./mapping.ts";

/**
 * The columns of a bank's export, by the names in its header. A file is of this layout when all of them are there, in any
 * order, with others beside them.
 */
export interface Layout {
  readonly bank: string;
  /** When it was booked. */
  readonly day: string;
  readonly valueDay?: string;
  /** What tells of an entry: joined in this order. */
  readonly text: readonly string[];
  /** More of it, which not every export has. */
  readonly moreText?: readonly string[];
  readonly references: readonly string[];
  /**
   * A column for each direction, or one amount: with a minus for debits or, in the column `side`, `DR` or `CR`. The same
   * column once more behind the balance is that of the balance.
   */
  readonly money:
    { readonly debit: string; readonly credit: string } | { readonly amount: string; readonly side?: string };
  readonly balance?: string;
  /** The account, in each entry. */
  readonly account?: string;
  /** By which word in which column an entry is known that is not booked yet. */
  readonly unbooked?: { readonly column: string; readonly word: string };
  /** The bank's other columns, which say nothing that is asked for here. */
  readonly beside?: readonly string[];
  /** Amounts are written `1.234,56`. */
  readonly hasDecimalComma?: boolean;
}

const ONE_COLUMN = z.exactOptional(TEXT);
const COLUMNS = z._default(oneOrMore(SOME), []);
const ONE = table("[statement.NAME]", {
  day: TEXT,
  value_day: ONE_COLUMN,
  text: oneOrMore(SOME),
  references: COLUMNS,
  debit: ONE_COLUMN,
  credit: ONE_COLUMN,
  amount: ONE_COLUMN,
  side: ONE_COLUMN,
  balance: ONE_COLUMN,
  account: ONE_COLUMN,
  beside: COLUMNS,
  decimal_comma: z._default(flag.type, false),
});
type One = z.output<typeof ONE>;

/** What a column of a statement may be read as, by the keys of `[statement.NAME]`. */
export const STATEMENT_KEYS = [
  ...["day", "value_day", "text", "references", "debit", "credit", "amount", "side", "balance", "account"],
] as const satisfies readonly (keyof One)[];
export type StatementKey = (typeof STATEMENT_KEYS)[number];

/** All tables `[statement.NAME]`: how the statements of other banks are read, as a person confirmed it. */
export function statementTables(): z.ZodMiniType<readonly Layout[]> {
  const checked = byName(ONE, NAME).check(({ value, issues }) => {
    const all = Object.entries(value);
    for (const [at, [name, one]] of all.entries()) {
      const wrong = (message: string, params: object): unknown =>
        issues.push({ code: "custom", message, params, path: [name], input: name });
      const { day, debit, credit, amount, side, balance } = one;
      const isTwo = debit !== undefined && credit !== undefined && amount === undefined && side === undefined;
      const isOne = debit === undefined && credit === undefined && amount !== undefined;
      if (!isTwo && !isOne) wrong("statement_money", {});
      const single = [day, debit, credit, amount, side, balance].filter((column) => column !== undefined);
      const words = single.map(spelledOut);
      const twice = single.find((_, place) => words.indexOf(words[place] ?? "") < place);
      if (twice !== undefined) wrong("statement_twice", { twice });
      const same = all.slice(0, at).find(([, other]) => isSame(layoutOf("", one), layoutOf("", other)));
      if (same) wrong("statement_same", { other: same[0] });
    }
  });
  const read = z.transform((tables: Readonly<Record<string, One>>) =>
    Object.entries(tables).map(([name, one]) => layoutOf(name, one)),
  );
  return z.pipe(checked, read);
}

function layoutOf(bank: string, one: One): Layout {
  const { day, value_day: valueDay, text, references, debit, credit, amount = "", side, balance, account } = one;
  const { beside, decimal_comma: hasDecimalComma } = one;
  return {
    ...{ bank, day, text, references, beside, hasDecimalComma },
    ...(valueDay !== undefined && { valueDay }),
    money:
      debit !== undefined && credit !== undefined ? { debit, credit } : { amount, ...(side !== undefined && { side }) },
    ...(balance !== undefined && { balance }),
    ...(account !== undefined && { account }),
  };
}

/** The columns that a file of this layout must have, by how names compare. */
export function columnsOf(layout: Layout): readonly string[] {
  const { day, valueDay, text, references, money, balance, account, unbooked, beside = [] } = layout;
  const all = [day, valueDay, ...text, ...references, ...Object.values(money), balance, account, unbooked?.column];
  return [...all, ...beside].filter((name) => name !== undefined).map(spelledOut);
}

/** Nobody could say by which of the two a file is to be read. */
function isSame(one: Layout, other: Layout): boolean {
  return new Set(columnsOf(one)).symmetricDifference(new Set(columnsOf(other))).size === 0;
}
