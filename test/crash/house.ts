import { isTransfer } from "./office-files.ts";
import { paise } from "./oracle.ts";
import type { PaymentRow } from "./payments.ts";
import type { Request } from "./two-services.ts";

/** The settings that an office has from its first day on, and what they forbid. */
export interface House {
  readonly toml: string;
  /** So much may go in a day. Days pass often: what is too much today is sent tomorrow. */
  readonly perDay?: number;
  /** Every file has its control totals beside it. */
  readonly isControlled?: true;
  /** What was sent against them. */
  faults(done: Done): string[];
}

interface Done {
  readonly rows: readonly PaymentRow[];
  readonly requests: readonly Request[];
  /** Batches of which a person let rows go. */
  readonly released: ReadonlySet<string>;
}

export function houseOf(seed: number): House {
  return HOUSES[seed % HOUSES.length] ?? FREE;
}

const PER_DAY = 300_000;
const PER_ROW = 40_000;
const PER_FILE = 300_000;

const FREE: House = { toml: "", faults: () => [] };

const CAPPED: House = {
  toml: `[rules.payouts]\nmax_per_row = "${PER_ROW}"\nmax_per_file = "${PER_FILE}"\n`,
  faults({ rows, requests }) {
    const above = requests.filter(({ amount, marker }) => amount > PER_ROW && !isTransfer(marker));
    const payouts = rows.filter(({ marker }) => !isTransfer(marker));
    const large = [...Map.groupBy(payouts, ({ batch }) => batch)].filter(([, own]) => {
      const sum = own.reduce((units, { amount }) => units + paise(amount), 0n);
      return own.some(({ attempts }) => attempts > 0) && sum > paise(`${PER_FILE}`);
    });
    return [
      ...above.map(({ payment, amount }) => `${payment}: ${amount} is above max_per_row`),
      ...large.map(([batch]) => `batch ${batch} is above max_per_file, and was sent`),
    ];
  },
};

const BY_DAY: House = {
  toml: `[rules.payouts]\nmax_per_day = "${PER_DAY}"\n`,
  perDay: PER_DAY,
  faults({ requests }) {
    const carriedOut = requests.filter(({ executed, marker }) => executed && !isTransfer(marker));
    const days = Map.groupBy(carriedOut, ({ environment, day }) => `as ${environment} on day ${day}`);
    return [...days].flatMap(([day, own]) => {
      const amounts = new Map(own.map(({ payment, amount }) => [payment, amount]));
      const sum = [...amounts.values()].reduce((total, amount) => total + amount, 0);
      return sum > PER_DAY ? [`${sum.toFixed(2)} went ${day}, more than max_per_day`] : [];
    });
  },
};

const WHOLE: House = {
  toml: "all_or_nothing = true\n",
  faults: ({ rows, released }) =>
    [...Map.groupBy(rows, ({ batch }) => batch)]
      .filter(([batch, own]) => !released.has(batch) && own.some(({ state }) => state === "invalid"))
      .filter(([, own]) => own.some(({ attempts }) => attempts > 0))
      .map(([batch]) => `batch ${batch} has an invalid row, nobody released it, and it was sent`),
};

const CONTROLLED: House = { toml: "require_control = true\n", isControlled: true, faults: () => [] };

const HOUSES = [FREE, BY_DAY, CAPPED, FREE, WHOLE, CONTROLLED];
