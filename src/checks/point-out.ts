import { AMOUNT_SCALE } from "../amount.ts";
import { mask, maskStrayAmount } from "../mask.ts";
import type { PointedOutCode } from "../messages/row-faults.ts";
import type { Facts, Fault } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import type { Row } from "../reader/row.ts";
import { faultAt, wordsAt, type FileKind } from "./cells.ts";
import type { FieldInFile, FormInFile, Values } from "./form.ts";
import { createRowToRow, type Kept } from "./row-to-row.ts";

/** A thousand million and more. */
const LARGE = /^[^.]{10}/;
const SHORT_ACCOUNT = 9;
const NUMBER_DIGITS = 10;
const INDIAN_MOBILE = /^[6-9][0-9]{9}$/;
/** More digits than a mobile number has, with or without what stands before it in India. */
const LONGER = /^(?!(?:0{0,2}91|0)[0-9]{10}$)[0-9]{11}/;
/** A spreadsheet keeps 15 digits, and makes zeros of those behind. */
const ROUNDED = /^[1-9][0-9]{14}0+$/;
/** UTF-8 that was read as windows-1252: `RenÃ©e`, and names in scripts of India. */
const GARBLED = /[ÃÂ][\u0080-\u00bf]|à[¤-¯]|â€/;

/** What may be meant, and may be a slip, in one row. */
export function lookAtRow(row: Row, form: FormInFile, values: Values, { isTable, isWorkbook }: FileKind): Fault[] {
  const { fields, payee, debit, amount, mobile } = form;
  const found: Fault[] = [];
  const add = (field: FieldInFile, code: PointedOutCode, facts?: Facts): unknown =>
    found.push(faultAt(row, field, { code, facts }, isTable));
  for (const field of isWorkbook ? fields : []) {
    const cell = row.cells[field.source?.at ?? -1];
    const shown = typeof cell === "object" && cell.token === "number" ? cell.shown : undefined;
    if (shown === undefined || values[field.nth] === undefined) continue;
    add(field, "shown_otherwise", { shown: printable(maskStrayAmount(shown), 40) });
  }
  for (const field of fields) if (field.isText && GARBLED.test(values[field.nth] ?? "")) add(field, "letters_garbled");
  const account = plain(values[payee.nth] ?? "");
  if (account === "") return found;
  for (const field of debit ? [payee, debit] : [payee]) {
    if (ROUNDED.test(plain(values[field.nth] ?? ""))) add(field, "account_rounded");
  }
  if (debit && plain(values[debit.nth] ?? "") === account) add(payee, "account_is_debit");
  if (LARGE.test(values[amount.nth] ?? "") && account.length < SHORT_ACCOUNT) add(amount, "amount_like_account");
  const digits = (values[amount.nth] ?? "").replace(/\.0+$/, "");
  if (digits.replace(".", "") === account) add(payee, "account_is_amount");
  const number = plain((mobile && values[mobile.nth]) ?? "");
  if (INDIAN_MOBILE.test(account) && LONGER.test(number)) add(payee, "account_like_mobile");
  const isMobile = number.slice(-NUMBER_DIGITS) === account.slice(-NUMBER_DIGITS);
  if (isMobile && account.length <= NUMBER_DIGITS + 3) add(payee, "account_is_mobile");
  return found;
}

/** Digits as one number, whatever groups they are written in. */
function plain(value: string): string {
  if (DIGITS.test(value)) return value;
  return NOT_GROUPED.test(value) ? value.toLowerCase() : value.replace(/[+ -]+/g, "");
}
const DIGITS = /^[0-9]*$/;
const NOT_GROUPED = /[^0-9+ -]/;

const ROWS_WITH_A_MIDDLE = 5;
/** A digit too many makes ten times the amount; nine times catches it even where the right amount is a bit low. */
const TIMES_THE_MIDDLE = 9;
/** An account is of unusual length where so many times as many of its bank have another one. */
const USUAL_TIMES = 4;
const BANK_CHARACTERS = 4;
/** Only so many payees and branches are looked for further down: memory must not grow with the rows. */
const COMPARED_MAX = 20_000;

/** Rows that are alike: how many, and the first of them. */
interface Alike {
  rows: number;
  readonly first: Kept[];
}

/** By operation or bank, and there by something that few rows differ in. */
type Kinds = Map<string, Map<number, Alike>>;

/** Takes what was found, and of how many rows it is true. */
type Tell = (faults: readonly Fault[], rows?: number) => void;

interface LookOptions {
  /** So many of a kind are told. */
  readonly max: number;
  readonly isTable: boolean;
}

/**
 * Looks at all valid rows of a file together: `add` takes every one, in order (`payee`: as equal ones have it), `end` gives what
 * is to be told of the whole file. Nothing of it stops a row. Memory grows with the kinds of rows, not with the rows.
 */
export class FileLook {
  readonly #tell: Tell;
  readonly #options: LookOptions;
  readonly #rowToRow: ReturnType<typeof createRowToRow>;
  readonly #rowOf = new Map<string, number>();
  readonly #bankOf = new Map<string, { readonly row: number; readonly name: string }>();
  #isComparedInPart = false;
  /** Of amounts only the first two digits count. */
  readonly #amounts: Kinds = new Map();
  readonly #lengths: Kinds = new Map();
  readonly #narrations = new Narrations();

  constructor(tell: Tell, options: LookOptions) {
    this.#tell = tell;
    this.#options = options;
    this.#rowToRow = createRowToRow((kept, code, facts) => tell([this.#faultOf(kept, code, facts)]));
  }

  add(whole: Row, form: FormInFile, payee: string, values: Values): void {
    const { number: row } = whole;
    this.#rowToRow.add(row, form, values);
    this.#narrations.add(form, values);
    const paid: Kept = { row, field: form.payee, value: values[form.payee.nth] ?? "" };
    const other = this.#rowOf.get(payee);
    if (other === undefined) this.#keep(this.#rowOf, payee, row);
    else this.#tell([this.#faultOf(paid, "payee_twice", { other })]);
    const amount = values[form.amount.nth] ?? "0";
    this.#count(this.#amounts, form.operation, roughly(amount), { row, field: form.amount, value: amount });
    this.#addBranch(whole, form, values, paid);
  }

  #addBranch(whole: Row, { ifsc: field, bankNameAt }: FormInFile, values: Values, paid: Kept): void {
    const { number: row } = whole;
    const ifsc = (field && values[field.nth]?.toUpperCase()) ?? "";
    if (!field || ifsc === "") return;
    this.#count(this.#lengths, ifsc.slice(0, BANK_CHARACTERS), plain(paid.value).length, paid);
    const name = wordsAt(whole, bankNameAt).toLowerCase();
    if (name === "") return;
    const bank = this.#bankOf.get(ifsc);
    if (!bank) this.#keep(this.#bankOf, ifsc, { row, name });
    else if (bank.name !== name)
      this.#tell([this.#faultOf({ row, field, value: ifsc }, "ifsc_of_banks", { other: bank.row })]);
  }

  #keep<T>(all: Map<string, T>, key: string, first: T): void {
    if (all.size < COMPARED_MAX) all.set(key, first);
    else this.#isComparedInPart = true;
  }

  #count(all: Kinds, of: string, key: number, kept: Kept): void {
    const kinds = all.get(of) ?? new Map<number, Alike>();
    const alike = kinds.get(key) ?? { rows: 0, first: [] };
    alike.rows += 1;
    if (alike.first.length < this.#options.max) alike.first.push(kept);
    all.set(of, kinds.set(key, alike));
  }

  end(): readonly Fault[] {
    this.#rowToRow.end();
    for (const all of this.#lengths.values()) this.#tellLengths(all);
    for (const all of this.#amounts.values()) this.#tellAmounts(all);
    const inPart = { code: "compared_in_part", facts: { most: COMPARED_MAX } };
    return [...(this.#isComparedInPart ? [inPart] : []), ...this.#narrations.end()];
  }

  #tellLengths(all: ReadonlyMap<number, Alike>): void {
    const [usual, ...others] = [...all].sort(([, left], [, right]) => right.rows - left.rows);
    for (const [found, alike] of others) {
      const isUnusual = usual && alike.rows * USUAL_TIMES <= usual[1].rows;
      if (isUnusual) this.#tellAlike(alike, "account_length", { found, usual: usual[0] });
    }
  }

  #tellAmounts(all: ReadonlyMap<number, Alike>): void {
    const [middle, shown] = middleOf(all);
    for (const [amount, alike] of all) {
      const times = Math.floor(amount / middle);
      if (times >= TIMES_THE_MIDDLE) this.#tellAlike(alike, "amount_unusual", { times: String(times), middle: shown });
    }
  }

  #tellAlike({ rows, first }: Alike, code: PointedOutCode, facts: Facts): void {
    this.#tell(
      first.map((kept) => this.#faultOf(kept, code, facts)),
      rows,
    );
  }

  #faultOf({ row, field, value }: Kept, code: PointedOutCode, facts: Facts): Fault {
    const isOpen = field.kind === "amount" || field.shape === "ifsc";
    const shown = isOpen ? value : mask(value, field.sensitive ?? "account");
    return faultAt({ number: row, columns: [], cells: [] }, field, { code, facts }, this.#options.isTable, shown);
  }
}

/** So many letters and digits of a narration stand in the statement of every bank. */
const KEPT_BY_BANKS = 12;

/** Whether what a bank's statement shows of the narrations tells one row of the file from another. */
class Narrations {
  #column = "";
  #first = "";
  #rows = 0;
  #isSame = true;
  #isAlike = true;

  add({ narration: field }: FormInFile, values: Values): void {
    const text = (field && values[field.nth]) ?? "";
    this.#rows += 1;
    if (this.#rows === 1) [this.#column, this.#first] = [printable(field?.source?.column ?? "narration", 40), text];
    this.#isSame &&= text === this.#first;
    this.#isAlike &&= this.#isSame || keptOf(text) === keptOf(this.#first);
  }

  end(): readonly Fault[] {
    if (this.#rows < 2 || this.#first === "" || !this.#isAlike) return [];
    const facts = { column: this.#column, rows: this.#rows, kept: KEPT_BY_BANKS, isSame: Number(this.#isSame) };
    return [{ code: "narrations_alike", facts }];
  }
}

function keptOf(narration: string): string {
  return narration
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "")
    .slice(0, KEPT_BY_BANKS);
}

/** An amount by its first two digits, in ten-thousandths, such as all of its size have it. No sum is made of it. */
function roughly(amount: string): number {
  const units = Math.round(Number(amount) * 10 ** AMOUNT_SCALE);
  const step = 10 ** (Math.floor(Math.log10(units)) - 1);
  return Math.max(1, Math.floor(units / step)) * step;
}

/** The middle amount, rounded and as it stands in a row; without end of so few rows that it says nothing. */
function middleOf(amounts: ReadonlyMap<number, Alike>): readonly [middle: number, shown: string] {
  const sorted = [...amounts].sort(([left], [right]) => left - right);
  let left = sorted.reduce((sum, [, { rows }]) => sum + rows, 0);
  if (left < ROWS_WITH_A_MIDDLE) return [Infinity, ""];
  left >>= 1;
  const [middle = Infinity, alike] = sorted.find(([, { rows }]) => (left -= rows) < 0) ?? [];
  return [middle, alike?.first[0]?.value ?? ""];
}
