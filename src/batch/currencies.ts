import type { CheckedRow } from "../checks/instruction.ts";
import type { Form } from "../operations/operation.ts";
import { maskStray } from "../text/mask.ts";
import { printable } from "../text/printable.ts";

const NAMED_MAX = 5;
const CHARACTERS_MAX = 20;

/** The currencies that the valid rows of a file name. Sums know none: they add 100 rupees and 100 dollars to 200. */
export class Currencies {
  readonly #found = new Set<string>();
  /** Mostly the one of the row before. */
  #form: Form | undefined;
  #at = -1;

  add({ instruction }: CheckedRow): void {
    if (!instruction || this.#found.size > NAMED_MAX) return;
    const { form, values } = instruction;
    if (form !== this.#form) this.#at = form.fields.findIndex(({ shape }) => shape === "currency");
    this.#form = form;
    const currency = values[this.#at] || form.fields[this.#at]?.default;
    if (currency !== undefined) this.#found.add(currency.toUpperCase());
  }

  remarks(): readonly string[] {
    if (this.#found.size < 2) return [];
    const named = [...this.#found].slice(0, NAMED_MAX).map((one) => printable(maskStray(one), CHARACTERS_MAX));
    const more = this.#found.size > NAMED_MAX ? " and others" : "";
    return [`the sums add up amounts of several currencies: ${named.join(", ")}${more}`];
  }
}
