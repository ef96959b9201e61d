import { canonicalAmount, formatUnits, unitsOf } from "../amount.ts";
import { mask } from "../text/mask.ts";
import { differing, formOf } from "../operations/catalogue.ts";
import type { Field, Form, Operation } from "../operations/operation.ts";
import type { Row } from "../reader/row.ts";
import { fieldText, positionOf } from "./cells/cell.ts";
import { faultOfCell } from "./fault-of.ts";
import type { Fault } from "./fault.ts";
import type { Finding } from "./sentences.ts";

/** An account that a name had in an accepted row. Never shown in full. */
export interface EarlierAccount {
  readonly account: string;
  readonly batch: string;
  readonly row: number;
}

/** The middle amount of a file, as text and in the units that sums are made of (ten-thousandths). */
export interface UsualAmount {
  readonly amount: string;
  readonly units: bigint;
}

/** A row without faults. */
export interface LookedAtRow {
  readonly row: Row;
  readonly operation: Operation;
  readonly option?: string;
  readonly hasCells: boolean;
}

/** What is known about a row when the whole file has been read. */
export interface RowInFile extends LookedAtRow {
  readonly amount: string;
  /** The first row of this file with the same beneficiary, where that is another row. */
  readonly samePayeeIn?: number;
  /** The middle amount of the operation's rows in this file; left out where the file is too short for one. */
  readonly middle?: UsualAmount;
}

/** What is known about a row's beneficiary from rows that were accepted before. */
interface EarlierOfRow {
  /** The accounts of this row's name so far, the newest first; empty for a name that is not known. */
  readonly ofName: readonly EarlierAccount[];
  /** The earlier account that is this one with zeros in front, if there is one. */
  readonly withZeros: (account: string) => EarlierAccount | undefined;
}

/** A digit too many makes ten times the amount; nine times catches it even where the right amount is a bit low. */
const TIMES_THE_MIDDLE = 9n;
/** With fewer rows there is no usual amount. */
const ROWS_WITH_A_MIDDLE = 5;
export const NAME_FIELD = "name";
export const ACCOUNT_FIELD = "bank_acc_num";

/** `amount`, the middle of `rows` rows, as a usual one; undefined where these are too few, or pay nothing. */
export function usualAmount(amount: string, rows: number): UsualAmount | undefined {
  const units = unitsOf(amount);
  return rows < ROWS_WITH_A_MIDDLE || units === 0n ? undefined : { amount, units };
}

/** The amount from which on a row is to be looked at, without zeros at its end. */
export function unusualFrom({ units }: UsualAmount): string {
  return canonicalAmount(formatUnits(units * TIMES_THE_MIDDLE));
}

/** What a person should look at when the whole file is known. */
export function lookInFile(context: RowInFile): Fault[] {
  const form = formOf(context.operation, context.option);
  return form ? [...payeeTwice(context, form), ...amountUnusual(context, form)] : [];
}

/** What a person should look at because of what was accepted before. */
export function lookAtAccounts(looked: LookedAtRow, { ofName, withZeros }: EarlierOfRow): Fault[] {
  const fields = formOf(looked.operation, looked.option)?.fields.filter(({ account }) => account !== undefined) ?? [];
  return fields.flatMap((field) => {
    const account = fieldText(looked.row, field.name);
    if (account === "") return [];
    const whole = withZeros(account);
    // an account that lost its zeros is a new account too: then only the zeros are told
    const ofOther = field.name === ACCOUNT_FIELD ? accountNew(account, ofName) : undefined;
    const finding = whole ? zerosLost(whole) : ofOther;
    return finding ? warningAt(looked, field, finding) : [];
  });
}

function payeeTwice(context: RowInFile, form: Form): Fault[] {
  if (context.samePayeeIn === undefined) return [];
  const field = form.fields.find(({ name }) => name === form.beneficiaryFields[0]);
  return warningAt(context, field, {
    code: "payee_twice",
    found: String(context.samePayeeIn),
    more: differing(context.operation, form, "reference"),
  });
}

function amountUnusual(context: RowInFile, form: Form): Fault[] {
  const { amount, middle } = context;
  const units = unitsOf(amount);
  if (middle === undefined || units < middle.units * TIMES_THE_MIDDLE) return [];
  const field = form.fields.find(({ kind }) => kind === "amount");
  return warningAt(context, field, {
    code: "amount_unusual",
    found: String(units / middle.units),
    more: middle.amount,
  });
}

function zerosLost({ account, batch, row }: EarlierAccount): Finding {
  const found = `${mask(account, "account")} of ${account.length} digits`;
  return { code: "zeros_lost", found, more: `batch ${batch}, row ${row}` };
}

function accountNew(account: string, earlier: readonly EarlierAccount[]): Finding | undefined {
  const [last] = earlier;
  if (!last || earlier.some((one) => one.account === account)) return undefined;
  return { code: "account_new", found: mask(last.account, "account"), more: `batch ${last.batch}, row ${last.row}` };
}

function warningAt({ row, hasCells }: LookedAtRow, field: Field | undefined, finding: Finding): Fault[] {
  if (!field) return [];
  const text = fieldText(row, field.name);
  const place = { row, place: field, index: positionOf(row, field.name), hasCells };
  return [{ ...faultOfCell(place, text, finding), level: "warning" }];
}

const PLAIN_NAME = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;

/** A name as it is compared: names that are written a little differently count as the same. */
export function sameName(name: string): string {
  if (PLAIN_NAME.test(name)) return name.toLowerCase();
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s.]+/gu, " ")
    .trim();
}
