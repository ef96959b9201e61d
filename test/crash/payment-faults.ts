import { HAS_TWIN } from "./office-files.ts";
import { isClear } from "./oracle.ts";
import type { Ledger } from "./oracle.ts";
import type { PaymentRow, Payments } from "./payments.ts";

const MAY_BE_MADE = ["accepted", "settled_done", "unknown", "sending"];
const OPEN = ["unknown", "sending"];
/** I5: only a person's word changes them. */
const LASTING = ["accepted", "rejected", "unknown", "settled_done"];
const REFUSALS = [400, 401, 402, 422];
/** What a file's payments have in common. */
const FILE = /s\d+a\d+/;

/** Looks, at moments at which no process is at work, for whatever is against DESIGN §3, by the services' ledgers. */
export class PaymentFaults {
  readonly #payments: Payments;
  /** At the last look. */
  #before: ReadonlyMap<string, PaymentRow> = new Map();
  /** Files in which somebody is paid twice: either payment may be a duplicate of the other. */
  #withTwins: ReadonlySet<string | undefined> = new Set();

  constructor(payments: Payments) {
    this.#payments = payments;
  }

  /**
   * `rows`: of the state folder. `elsewhere`: of another one. `mayBeUnknown`: as many rows kills may have made unknown
   * since the last look.
   */
  look(
    ledger: Ledger,
    rows: readonly PaymentRow[],
    elsewhere: readonly PaymentRow[],
    mayBeUnknown: number,
  ): readonly string[] {
    const all = [...rows, ...elsewhere];
    const twins = rows.filter(({ marker }) => HAS_TWIN.test(marker)).map(({ marker }) => FILE.exec(marker)?.[0]);
    this.#withTwins = new Set(twins);
    const payments = [...ledger.keys()].flatMap((payment) =>
      this.#ofPayment(
        payment,
        ledger,
        all.filter((row) => row.payment === payment),
      ),
    );
    const found = [
      ...payments,
      ...rows.flatMap((row) => this.#ofRow(row, ledger)),
      ...ofOtherEnvironment(rows),
      ...this.#cutOff(rows, ledger, mayBeUnknown),
    ];
    this.#before = new Map(rows.map((row) => [row.name, row]));
    return found;
  }

  #ofPayment(payment: string, ledger: Ledger, own: readonly PaymentRow[]): string[] {
    const { requests = 0, limited = 0, statuses = [] } = ledger.get(payment) ?? {};
    const made = this.#payments.made(payment, ledger);
    const refused = statuses.filter((status) => REFUSALS.includes(status ?? 0)).length;
    const attempts = own.flatMap((row) => row.statuses);
    const isGiven = (status: number | null): boolean => countOf(attempts, status) <= countOf(statuses, status);
    const faults = [
      made > 1 && `is made ${made} times (I1)`,
      requests > 1 + limited + refused + this.#payments.notDone(payment) && `${requests} requests (I1)`,
      requests > attempts.length && `${requests} requests, ${attempts.length} attempts (I2)`,
      made > own.filter(({ state }) => MAY_BE_MADE.includes(state)).length && "is made, and nobody is told",
      !attempts.every((status) => status === null || isGiven(status)) && `answers ${attempts.join(" ")} (I6)`,
    ];
    const states = own.map(({ name, state }) => `${name} ${state}`).join(", ");
    return faults.filter((text) => text !== false).map((text) => `${payment}: ${text}; ${states}`);
  }

  #ofRow(row: PaymentRow, ledger: Ledger): string[] {
    const { name, payment, state, phase, attempts } = row;
    const was = this.#before.get(name) ?? row;
    const isMade = (ledger.get(payment)?.executed ?? 0) > 0;
    // what was refused for the key goes by itself
    const isLasting = LASTING.includes(was.state) && was.code !== "key_refused";
    const isSaid = this.#payments.isSettled(name, was.attempts);
    const faults = [
      state === "accepted" && !isMade && "was never made",
      state === "duplicate" &&
        !isMade &&
        !this.#withTwins.has(FILE.exec(payment)?.[0]) &&
        phase !== "cancelled" &&
        "is a duplicate, and was never made",
      was.state !== state && isLasting && !isSaid && `was ${was.state} and is ${state}, without anybody's word (I5)`,
      was.phase === "cancelled" && (phase !== "cancelled" || attempts > was.attempts) && "went on, and was cancelled",
    ];
    return faults.filter((text) => text !== false).map((text) => `${name} (${payment}) ${text}`);
  }

  /** I8: a kill leaves as many rows without an answer as were on their way. */
  #cutOff(rows: readonly PaymentRow[], ledger: Ledger, mayBeUnknown: number): string[] {
    const cutOff = rows.filter(({ name, state, payment }) => {
      const wasOpen = OPEN.includes(this.#before.get(name)?.state ?? "");
      return OPEN.includes(state) && !wasOpen && isClear(ledger.get(payment)?.statuses.at(-1));
    });
    return cutOff.length > mayBeUnknown ? [`no answer of ${cutOff.map(({ name }) => name).join(", ")} (I8)`] : [];
  }
}

/** Memory is per environment: what was sent as a test says nothing of a payment that is meant. */
function ofOtherEnvironment(rows: readonly PaymentRow[]): string[] {
  const environments = new Map(rows.map(({ name, environment }) => [name, environment]));
  return rows
    .filter(({ other, environment }) => (environments.get(other ?? "") ?? environment) !== environment)
    .map(({ name, state, other }) => `${name} is ${state} for ${other}, of the other environment`);
}

function countOf(all: readonly unknown[], one: unknown): number {
  return all.filter((other) => other === one).length;
}
