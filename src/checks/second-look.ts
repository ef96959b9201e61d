import { unitsOf } from "../amount.ts";
import { mask } from "../mask.ts";
import type { Field, Form, Operation } from "../operations/operation.ts";
import type { Row } from "../reader/row.ts";
import { fieldText, positionOf } from "./cell.ts";
import { faultOfCell } from "./fault-of.ts";
import type { Fault } from "./fault.ts";
import type { Finding } from "./sentences.ts";

/** An account that a name had in an accepted row. Never shown in full. */
export interface EarlierAccount {
  readonly account: string;
  readonly batch: string;
  readonly row: number;
}

/** A middle amount, as text and in the units that sums are made of. */
export interface UsualAmount {
  readonly amount: string;
  readonly units: bigint;
}

/** What is known of a row when the whole file and what was accepted before have been read. */
export interface RowInContext {
  readonly row: Row;
  readonly operation: Operation;
  readonly option?: string;
  readonly amount: string;
  /** The first row of this file with the same beneficiary, where this is not it. */
  readonly samePayeeIn?: number;
  /** The middle amount of the operation's rows in this file; left out where the file is too short to have a usual one. */
  readonly middle?: UsualAmount;
  /** The accounts of this row's name so far; empty for a name that is not known. */
  readonly earlier: readonly EarlierAccount[];
  /** The same account with zeros in front, of an accepted row. */
  readonly withZeros?: EarlierAccount;
  readonly hasCells: boolean;
}

/** A slip of one digit makes ten times the amount; nine still catches it where the usual one is a little higher. */
const TIMES_THE_MIDDLE = 9n;
/** Fewer rows have no usual amount. */
export const ROWS_WITH_A_MIDDLE = 5;
export const NAME_FIELD = "name";
export const ACCOUNT_FIELD = "bank_acc_num";

/** What a person should look at, of a row that goes. */
export function secondLook(context: RowInContext): Fault[] {
  const { operation, option } = context;
  const form = operation.forms.find((one) => one.option === option) ?? operation.forms[0];
  if (!form) return [];
  const zerosLost = accountWithoutZeros(context, form);
  // the account is new only because of that
  const account = zerosLost.length > 0 ? zerosLost : accountNew(context, form);
  return [...payeeTwice(context, form), ...amountUnusual(context, form), ...account];
}

function payeeTwice(context: RowInContext, form: Form): Fault[] {
  if (context.samePayeeIn === undefined) return [];
  const field = form.fields.find(({ name }) => name === form.beneficiaryFields[0]);
  return warningAt(context, field, { code: "payee_twice", found: String(context.samePayeeIn) });
}

function amountUnusual(context: RowInContext, form: Form): Fault[] {
  const { amount, middle } = context;
  if (middle === undefined) return [];
  const units = unitsOf(amount);
  if (middle.units === 0n || units < middle.units * TIMES_THE_MIDDLE) return [];
  const field = form.fields.find(({ kind }) => kind === "amount");
  return warningAt(context, field, {
    code: "amount_unusual",
    found: String(units / middle.units),
    more: middle.amount,
  });
}

function accountWithoutZeros(context: RowInContext, form: Form): Fault[] {
  const { row, withZeros } = context;
  const field = form.fields.find(({ name }) => name === ACCOUNT_FIELD);
  if (!withZeros || !field || fieldText(row, ACCOUNT_FIELD) === "") return [];
  const found = `${mask(withZeros.account, "account")} of ${withZeros.account.length} digits`;
  const more = `batch ${withZeros.batch}, row ${withZeros.row}`;
  return warningAt(context, field, { code: "zeros_lost", found, more });
}

function accountNew(context: RowInContext, form: Form): Fault[] {
  const { row, earlier } = context;
  const field = form.fields.find(({ name }) => name === ACCOUNT_FIELD);
  const account = field && fieldText(row, ACCOUNT_FIELD);
  const last = earlier[0];
  if (!last || !account || earlier.some((one) => one.account === account)) return [];
  const more = `batch ${last.batch}, row ${last.row}`;
  return warningAt(context, field, { code: "account_new", found: mask(last.account, "account"), more });
}

function warningAt({ row, hasCells }: RowInContext, field: Field | undefined, finding: Finding): Fault[] {
  if (!field) return [];
  const text = fieldText(row, field.name);
  return [{ ...faultOfCell(row, field, positionOf(row, field.name), text, finding, hasCells), level: "warning" }];
}

const PLAIN_NAME = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;

/** Names that are written a little differently are the same name. */
export function sameName(name: string): string {
  if (PLAIN_NAME.test(name)) return name.toLowerCase();
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s.]+/gu, " ")
    .trim();
}
