import type { PointedOutCode } from "../messages/row-faults.ts";
import type { Facts } from "../messages/sentence.ts";
import { spelledName } from "../one-spelling.ts";
import type { FieldInFile, FormInFile, Values } from "./form.ts";

/** A field's value in a row. */
export interface Kept {
  readonly row: number;
  readonly field: FieldInFile;
  readonly value: string;
}

type Tell = (kept: Kept, code: PointedOutCode, facts: Facts) => void;

/** From so many rows on, numbers that count up are no chance; accounts may have been opened one after the other. */
const COUNTED_ROWS = 4;
const COUNTED_ACCOUNTS = 6;
const ROWS_WITH_NAMES = 3;

/** Looks at each valid row beside the one before it: what a spreadsheet filled down, and a column that slipped by a row. */
export function createRowToRow(tell: Tell) {
  const runs = new Map<FormInFile, readonly Run[]>();
  const names = new Map<FormInFile, Names>();
  return {
    add(row: number, form: FormInFile, values: Values): void {
      let all = runs.get(form);
      if (!all) {
        // a list may be sorted by the ids of its payees
        const isIdOfPayee = (field: FieldInFile): boolean => field === form.payee && field.shape === undefined;
        const counted = form.fields.filter(
          (field) => field.kind !== "text" && field.shape !== "mobile" && !isIdOfPayee(field),
        );
        runs.set(form, (all = counted.map((field) => new Run(field, tell))));
        const [name, owner] = form.fields.filter(({ sensitive }) => sensitive === "name");
        if (name && owner) names.set(form, new Names(name, owner));
      }
      for (const run of all) run.add(row, values);
      names.get(form)?.add(row, values);
    },
    end(): void {
      for (const all of runs.values()) for (const run of all) run.end();
      for (const one of names.values()) one.end(tell);
    },
  };
}

/** Rows in which a number counts up by one: a fill handle was drawn down over it. */
class Run {
  readonly #field: FieldInFile;
  readonly #tell: Tell;
  #first: Kept;
  #last = "";
  #lastRow = 0;
  #rows = 0;

  constructor(field: FieldInFile, tell: Tell) {
    this.#field = field;
    this.#tell = tell;
    this.#first = { row: 0, field, value: "" };
  }

  add(row: number, values: Values): void {
    const value = values[this.#field.nth] ?? "";
    if (value === this.#last && this.#rows < 2) return;
    if (this.#rows > 0 && this.#isNext(value)) this.#rows += 1;
    else {
      this.end();
      this.#first = { row, field: this.#field, value };
      this.#rows = 1;
    }
    this.#last = value;
    this.#lastRow = row;
  }

  end(): void {
    const least = this.#field.shape === "account" ? COUNTED_ACCOUNTS : COUNTED_ROWS;
    if (this.#rows >= least) this.#tell(this.#first, "counts_up", { rows: this.#rows, last: this.#lastRow });
    this.#rows = 0;
  }

  #isNext(value: string): boolean {
    if (!this.#field.isText) return Number(value) - Number(this.#last) === 1;
    // hardly any value gets past its last digit
    const digit = this.#last.charCodeAt(this.#last.length - 1);
    const step = value.charCodeAt(value.length - 1) - digit;
    // from 8 to 9 nothing changes but that one
    if (step === 1) return digit >= NOUGHT && digit < NINE && value.slice(0, -1) === this.#last.slice(0, -1);
    return step === -9 && value === successor(this.#last);
  }
}

const [NOUGHT, NINE] = [48, 57];

/** `ACC-OPS-10` of `ACC-OPS-09`, as spreadsheets count. */
function successor(text: string): string {
  const digits = /[0-9]{1,15}$/.exec(text)?.[0] ?? "";
  return text.slice(0, text.length - digits.length) + String(Number(digits) + 1).padStart(digits.length, "0");
}

/** Who is paid, and whose account it is: of most payees of a file they are one. */
class Names {
  readonly #name: FieldInFile;
  readonly #owner: FieldInFile;
  #first: Kept | undefined;
  #before = { name: "", owner: "" };
  #rows = 0;
  #differing = 0;
  #slipped = 0;

  constructor(name: FieldInFile, owner: FieldInFile) {
    this.#name = name;
    this.#owner = owner;
  }

  add(row: number, values: Values): void {
    const { name: nameBefore, owner: ownerBefore } = this.#before;
    const name = spelledName(values[this.#name.nth] ?? "");
    const owner = spelledName(values[this.#owner.nth] ?? "");
    this.#before = { name, owner };
    if (name === "" || owner === "") return;
    this.#rows += 1;
    if (name === owner) return;
    const isSlipped = owner === nameBefore || name === ownerBefore;
    if (isSlipped) this.#slipped += 1;
    if (!isSlipped && sharesWord(name, owner)) return;
    this.#differing += 1;
    this.#first ??= { row, field: this.#owner, value: values[this.#owner.nth] ?? "" };
  }

  end(tell: Tell): void {
    if (!this.#first || this.#rows < ROWS_WITH_NAMES || this.#differing * 2 <= this.#rows) return;
    const slipped = Number(this.#slipped * 2 > this.#rows);
    tell(this.#first, "owners_differ", { rows: this.#differing, all: this.#rows, slipped });
  }
}

function sharesWord(one: string, other: string): boolean {
  const words = new Set(one.split(" "));
  return other.split(" ").some((word) => word.length > 2 && words.has(word));
}
