import { formatUnits, unitsOf } from "./amount.ts";

export const NUMBER_FORMATS = ["indian", "western", "plain"] as const;
export type NumberFormat = (typeof NUMBER_FORMATS)[number];

interface Ways {
  readonly number_format: NumberFormat;
  /** Such as `Asia/Kolkata`; that of this machine unless said. */
  readonly time_zone?: string | undefined;
}

const GROUPS = { indian: "en-IN", western: "en-US", plain: undefined } as const;
const NO_BREAK = "\u00a0";
const MINUS = "\u2212";

/** Money, counts and times as people read them, on pages, in reports and messages (README §14). Files keep plain decimals. */
export class Figures {
  readonly zone: string;
  readonly #language: string | undefined;
  readonly #formats = new Map<string, Intl.DateTimeFormat>();

  constructor({ number_format, time_zone }: Ways) {
    this.#language = GROUPS[number_format];
    this.zone = time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  }

  /** `₹24,81,900.50` of plain decimal text; `2481900.50` where numbers are plain. */
  money(amount: string): string {
    const isNegative = amount.startsWith("-");
    const [whole = "", decimals = ""] = formatUnits(unitsOf(isNegative ? amount.slice(1) : amount)).split(".");
    if (this.#language === undefined) return `${isNegative ? "-" : ""}${whole}.${decimals}`;
    return `${isNegative ? MINUS : ""}₹${this.count(BigInt(whole))}.${decimals}`;
  }

  /** What one sum is more than another, or less: `+₹2,84,158.50`. */
  change(before: string, now: string): string {
    const units = unitsOf(now) - unitsOf(before);
    return units < 0n ? this.money(`-${formatUnits(-units)}`) : `+${this.money(formatUnits(units))}`;
  }

  /** `1,00,000`. */
  count(number: number | bigint): string {
    return this.#language === undefined ? String(number) : number.toLocaleString(this.#language);
  }

  /** `22:28` of the day of `now`, `21 Nov, 18:04` of another one, with its year where that is another one. */
  time(at: number, now: number): string {
    const clock = this.#format(at, { hour: "2-digit", minute: "2-digit" });
    return this.#isoDay(at) === this.#isoDay(now) ? clock : `${this.day(at, now)}, ${clock}`;
  }

  /** `21 Nov`, with its year where that is not the one of `now`, or `now` is none. */
  day(at: number, now: number): string {
    const isSame = !Number.isNaN(now) && this.#isoDay(at).slice(0, 4) === this.#isoDay(now).slice(0, 4);
    const day = this.#format(at, { day: "numeric", month: "short", ...(!isSame && { year: "numeric" }) });
    return day.replaceAll(" ", NO_BREAK);
  }

  /** `Saturday, 28 November 2026`. */
  longDay(at: number): string {
    const day = this.#format(at, { day: "numeric", month: "long", year: "numeric" });
    return `${this.#format(at, { weekday: "long" })}, ${day}`;
  }

  /** `28 Nov 2026, 22:31:04`: always the same, whenever it is read. */
  stamp(at: number): string {
    return `${this.day(at, Number.NaN)}, ${this.second(at)}`;
  }

  /** `22:31:04`. */
  second(at: number): string {
    return this.#format(at, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  }

  /** `2026-11`. */
  month(at: number): string {
    return this.#isoDay(at).slice(0, 7);
  }

  #isoDay(at: number): string {
    return this.#format(at, { year: "numeric", month: "2-digit", day: "2-digit" }).split("/").toReversed().join("-");
  }

  #format(at: number, parts: Intl.DateTimeFormatOptions): string {
    const key = Object.entries(parts).join();
    const known =
      this.#formats.get(key) ?? new Intl.DateTimeFormat("en-GB", { ...parts, hourCycle: "h23", timeZone: this.zone });
    this.#formats.set(key, known);
    return known.format(at);
  }
}
