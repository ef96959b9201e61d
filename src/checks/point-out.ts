import { unitsOf } from "../amount.ts";
import { mask } from "../mask.ts";
import type { PointedOutCode } from "../messages/row-faults.ts";
import type { Facts, Fault } from "../messages/sentence.ts";
import type { Row } from "../reader/row.ts";
import { faultAt, shownOtherwise, wordsAt } from "./cells.ts";
import { SEPARATOR, type FieldInFile, type FormInFile } from "./form.ts";

type Values = Readonly<Record<string, string | undefined>>;

/** A thousand million and more. */
const LARGE_DIGITS = 10;
const SHORT_ACCOUNT = 9;

/** What may be meant, and may be a slip, in one row. */
export function lookAtRow(row: Row, form: FormInFile, values: Values, hasCells: boolean): readonly Fault[] {
  const found: Fault[] = [];
  const add = (field: FieldInFile, code: PointedOutCode, facts?: Facts): unknown =>
    found.push(faultAt(row, field, { code, facts }, hasCells));
  for (const field of form.fields) {
    const shown = shownOtherwise(row.cells[field.source?.at ?? -1]);
    if (shown !== undefined && values[field.name] !== undefined) add(field, "shown_otherwise", { shown });
  }
  const { payee, debit, amount } = form;
  const paid = values[payee.name];
  if (paid === undefined) return found;
  const account = plain(paid);
  if (debit && plain(values[debit.name] ?? "") === account) add(payee, "account_is_debit");
  const digits = values[amount.name]?.split(".")[0]?.length ?? 0;
  if (digits >= LARGE_DIGITS && account.length < SHORT_ACCOUNT) add(amount, "amount_like_account");
  const mobile = values["mobile"];
  if (mobile !== undefined && plain(mobile).slice(-10) === account.slice(-10) && account.length <= 13) {
    add(payee, "account_is_mobile");
  }
  return found;
}

const plain = (value: string): string =>
  /^[0-9+ -]+$/.test(value) ? value.replace(/[+ -]/g, "") : value.toLowerCase();

const ROWS_WITH_A_MIDDLE = 5;
/** A digit too many makes ten times the amount; nine times catches it even where the right amount is a bit low. */
const TIMES_THE_MIDDLE = 9n;
/** An account is of unusual length where so many times as many of its bank have another one. */
const USUAL_TIMES = 4;
const BANK_CHARACTERS = 4;
/** Of a larger file only so many payees and branches are compared: memory must not grow with the rows. */
const COMPARED_MAX = 20_000;

/** A cell of a row, to be told later. */
interface Kept {
  readonly row: number;
  readonly field: FieldInFile;
  readonly value: string;
}

/** Rows that are alike: how many, and the first of them. */
interface Alike {
  rows: number;
  readonly first: Kept[];
}

/** By operation or bank, and there by something that few rows differ in. */
type Kinds = Map<string, Map<bigint, Alike>>;

/**
 * Looks at all valid rows of a file together: `add` takes every one, in order (`payee`: canonical), `end` stands behind the
 * last. Nothing of it stops a row. `tell` takes what was found, and of how many rows it is true; `max`: so many of a kind
 * are told. Memory grows with the kinds of rows, not with the rows.
 */
export function createFileLook(
  tell: (faults: readonly Fault[], rows?: number) => void,
  max: number,
  hasCells: boolean,
) {
  const rowOf = new Map<string, number>();
  const bankOf = new Map<string, { readonly row: number; readonly name: string }>();
  /** Of amounts only the first two digits count. */
  const amounts: Kinds = new Map();
  const lengths: Kinds = new Map();
  const faultOf = ({ row, field, value }: Kept, code: PointedOutCode, facts: Facts): Fault =>
    faultAt({ number: row, columns: [], cells: [] }, field, { code, facts }, hasCells, value);
  const tellAlike = ({ rows, first }: Alike, code: PointedOutCode, facts: Facts): void => {
    const faults = first.map((kept) => faultOf(kept, code, facts));
    tell(faults, rows);
  };
  const count = (all: Kinds, of: string, key: bigint, kept: Kept): void => {
    const kinds = all.get(of) ?? new Map<bigint, Alike>();
    const alike = kinds.get(key) ?? { rows: 0, first: [] };
    if (alike.rows === 0) all.set(of, kinds.set(key, alike));
    alike.rows += 1;
    if (alike.first.length < max) alike.first.push(kept);
  };
  return {
    add({ number: row, cells, columns }: Row, form: FormInFile, payee: string, values: Values): void {
      const paid = mask(values[form.payee.name] ?? "", form.payee.sensitive ?? "account");
      const kept = { row, field: form.payee, value: paid };
      const other = rowOf.get(payee);
      if (other !== undefined) tell([faultOf(kept, "payee_twice", { other })]);
      else if (rowOf.size < COMPARED_MAX) rowOf.set(payee, row);

      const amount = values[form.amount.name] ?? "0";
      const digits = String(unitsOf(amount));
      const rounded = BigInt(digits.slice(0, 2).padEnd(digits.length, "0"));
      count(amounts, form.operation.name, rounded, { row, field: form.amount, value: amount });

      const { ifsc: field } = form;
      const ifsc = (field && values[field.name]?.toUpperCase()) ?? "";
      if (!field || ifsc === "") return;
      const length = payee.length - payee.lastIndexOf(SEPARATOR) - 1;
      count(lengths, ifsc.slice(0, BANK_CHARACTERS), BigInt(length), kept);
      const name = wordsAt({ number: row, cells, columns }, form.bankNameAt).toLowerCase();
      const bank = bankOf.get(ifsc);
      if (name !== "" && bank && bank.name !== name) {
        tell([faultOf({ row, field, value: ifsc }, "ifsc_of_banks", { other: bank.row })]);
      } else if (name !== "" && bankOf.size < COMPARED_MAX) bankOf.set(ifsc, bank ?? { row, name });
    },
    end(): void {
      for (const all of lengths.values()) {
        const [usual, ...others] = [...all].sort(([, left], [, right]) => right.rows - left.rows);
        for (const [found, alike] of others) {
          const isUnusual = usual && alike.rows * USUAL_TIMES <= usual[1].rows;
          if (isUnusual) tellAlike(alike, "account_length", { found: Number(found), usual: Number(usual[0]) });
        }
      }
      for (const all of amounts.values()) {
        const [middle, shown] = middleOf(all);
        for (const [amount, alike] of all) {
          const isUnusual = middle > 0n && amount >= middle * TIMES_THE_MIDDLE;
          if (isUnusual) tellAlike(alike, "amount_unusual", { times: String(amount / middle), middle: shown });
        }
      }
    },
  };
}

export type FileLook = ReturnType<typeof createFileLook>;

/** The middle amount, rounded and as it stands in a row; 0 of so few rows that it says nothing. */
function middleOf(amounts: ReadonlyMap<bigint, Alike>): readonly [middle: bigint, shown: string] {
  const sorted = [...amounts].sort(([left], [right]) => (left < right ? -1 : 1));
  let left = sorted.reduce((sum, [, { rows }]) => sum + rows, 0);
  if (left < ROWS_WITH_A_MIDDLE) return [0n, ""];
  left >>= 1;
  const [middle = 0n, alike] = sorted.find(([, { rows }]) => (left -= rows) < 0) ?? [];
  return [middle, alike?.first[0]?.value ?? ""];
}
