/**
 * Amounts never become floats: text from the file to the wire, bigint for sums. Sums are in ten-thousandths, so that
 * up to four decimals (config) add up exactly.
 */
export const AMOUNT_SCALE = 4;

/** Plain decimal text as JSON writes numbers: no sign, exponent, separator, leading zero or bare point. */
export const PLAIN_DECIMAL: RegExp = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

/** The same with at most four decimals: it can be added up exactly. */
export const SUMMABLE: RegExp = /^(?:0|[1-9][0-9]*)(?:\.[0-9]{1,4})?$/;

const MINUS = "[-\\u2010-\\u2015\\u2212\\ufe63\\uff0d]";
const BACK = new RegExp(
  `^(?=.*[1-9])(?:(?:\\(?${MINUS}\\)?|cr\\.?|credit|minus|less)[([]?N[)\\]]?|[([]N[)\\]]|N(?:${MINUS}|cr\\.?|credit))$`.replaceAll(
    "N",
    "[0-9][0-9,.]*(?:e[+-]?[0-9]+)?(?:\\/-)?",
  ),
  "i",
);

/** Whether a text is money back: an amount with a minus, in brackets, or with `Cr`. */
export function isMoneyBack(text: string): boolean {
  return text.length <= 40 && BACK.test(text.replace(/₹|\brs\b\.?|inr|\s/gi, ""));
}

/** Ten-thousandths of a plain decimal text with at most four decimals. */
export function unitsOf(amount: string): bigint {
  const point = amount.indexOf(".");
  if (point < 0) return BigInt(amount) * 10_000n;
  const decimals = amount.slice(point + 1).padEnd(AMOUNT_SCALE, "0");
  return BigInt(amount.slice(0, point) + decimals);
}

/** `11087750.50`: at least two decimals, more only where they are not zero; no grouping, so that a SUM works. */
export function formatUnits(units: bigint): string {
  const digits = units.toString().padStart(AMOUNT_SCALE + 1, "0");
  const whole = digits.slice(0, -AMOUNT_SCALE);
  const decimals = digits.slice(-AMOUNT_SCALE);
  return `${whole}.${decimals.endsWith("00") ? decimals.slice(0, 2) : decimals.replace(/0$/, "")}`;
}

export function sumOf(all: readonly { readonly amount?: string | undefined }[]): string {
  return formatUnits(all.reduce((units, { amount = "0" }) => units + unitsOf(amount), 0n));
}

export function rowsIn<Name extends string>(of: Partial<Record<Name, { rows: number }>>, ...names: Name[]): number {
  return names.reduce((sum, name) => sum + (of[name]?.rows ?? 0), 0);
}

/** `100`, `100.0` and `100.00` are the same amount: no trailing zeros, no bare point (README §7). */
export function canonicalAmount(amount: string): string {
  // hardly any ends otherwise than in other digits
  if (!/[.0]$/.test(amount) || !amount.includes(".")) return amount;
  return amount.replace(/0+$/, "").replace(/\.$/, "");
}

/** Whether two texts are the same amount, where both are amounts. */
export function isSameAmount(one: string, other: string): boolean {
  return SUMMABLE.test(one) && SUMMABLE.test(other) && unitsOf(one) === unitsOf(other);
}

/** Rows and exact sums of amounts by a name. */
export class Sums<Name extends string> {
  readonly #sums = new Map<Name, { rows: number; units: bigint }>();

  add(name: Name, units: bigint): void {
    const sum = this.#sums.get(name) ?? { rows: 0, units: 0n };
    this.#sums.set(name, sum);
    sum.rows += 1;
    sum.units += units;
  }

  unitsOf(name: Name): bigint {
    return this.#sums.get(name)?.units ?? 0n;
  }

  get units(): bigint {
    return this.#sums.values().reduce((all, { units }) => all + units, 0n);
  }

  get total(): { readonly rows: number; readonly amount: string } {
    return { rows: this.#sums.values().reduce((all, { rows }) => all + rows, 0), amount: formatUnits(this.units) };
  }

  get tallies(): readonly (readonly [Name, { readonly rows: number; readonly amount: string }])[] {
    return [...this.#sums].map(([name, { rows, units }]) => [name, { rows, amount: formatUnits(units) }]);
  }
}
