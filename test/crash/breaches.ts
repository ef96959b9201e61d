import type { LedgerLine } from "../support/ledger-server.ts";
import type { OfficeRow } from "./office.ts";

const MAY_BE_MADE = ["accepted", "settled_done", "unknown"];
/** I5: only a person's word changes them. */
const LASTING = ["accepted", "rejected", "unknown", "cancelled", "settled_done"];
const REFUSED = [400, 402, 422];

/** What goes against README §3, by the service's own ledger. */
export class Breaches {
  /** Rows of which a person said what became of them, or that they may go again, as `BATCH:NUMBER attempts`. */
  readonly #words = new Set<string>();
  /** By payment: how often people said that it was not done, and how often the bank gave it back. */
  readonly #notDone: string[] = [];
  readonly #givenBack: string[] = [];
  #before: ReadonlyMap<string, OfficeRow> = new Map();

  settle(row: OfficeRow, isDone: boolean): void {
    this.say(row);
    if (!isDone) this.#notDone.push(row.marker);
  }

  /** Noted before it is said: whoever looks in between must not miss it. Gives how the note is taken away again. */
  giveBack(row: OfficeRow): () => void {
    this.settle(row, false);
    this.#givenBack.push(row.marker);
    return () => {
      this.#notDone.pop();
      this.#givenBack.pop();
    };
  }

  say({ name, attempts }: OfficeRow): void {
    this.#words.add(`${name} ${attempts}`);
  }

  made(marker: string, ledger: readonly LedgerLine[]): number {
    const executed = ledger.filter((line) => line.marker === marker && line.executed).length;
    return executed - this.#givenBack.filter((one) => one === marker).length;
  }

  look(rows: readonly OfficeRow[], ledger: readonly LedgerLine[], mayBeUnknown: number): readonly string[] {
    const markers = [...new Set(ledger.map(({ marker }) => marker))];
    const found = [
      ...markers.flatMap((marker) => this.#ofPayment(marker, rows, ledger)),
      ...rows.flatMap((row) => this.#ofRow(row, ledger)),
      ...this.#cutOff(rows, ledger, mayBeUnknown),
    ];
    this.#before = new Map(rows.map((row) => [row.name, row]));
    return found;
  }

  #ofPayment(marker: string, rows: readonly OfficeRow[], ledger: readonly LedgerLine[]): string[] {
    const own = rows.filter((row) => row.marker === marker);
    const lines = ledger.filter((line) => line.marker === marker);
    const made = this.made(marker, ledger);
    const limited = lines.filter(({ status }) => status === 429).length;
    const refused = lines.filter(({ status }) => REFUSED.includes(status ?? 0)).length;
    const words = this.#notDone.filter((one) => one === marker).length;
    const attempts = own.reduce((sum, row) => sum + row.attempts, limited);
    const faults = [
      made > 1 && `is made ${made} times (I1)`,
      lines.length > 1 + limited + refused + words && `${lines.length} requests (I1)`,
      lines.length > attempts && `${lines.length} requests, ${attempts} tries in the journal (I2)`,
      made > own.filter(({ state }) => MAY_BE_MADE.includes(state)).length && "is made, and nobody is told",
    ];
    const states = own.map(({ name, state }) => `${name} ${state}`).join(", ");
    return faults.filter((text) => text !== false).map((text) => `${marker}: ${text}; ${states}`);
  }

  #ofRow(row: OfficeRow, ledger: readonly LedgerLine[]): string[] {
    const was = this.#before.get(row.name) ?? row;
    const isMade = ledger.some(({ marker, executed }) => executed && marker === row.marker);
    const isSaid = this.#words.has(`${row.name} ${was.attempts}`);
    const faults = [
      row.state === "accepted" && !isMade && "is accepted, and was never made",
      was.state !== row.state && LASTING.includes(was.state) && !isSaid && `was ${was.state} and is ${row.state} (I5)`,
    ];
    return faults.filter((text) => text !== false).map((text) => `${row.name} (${row.marker}) ${text}`);
  }

  /** I8: a kill leaves as many rows without an answer as were on their way. */
  #cutOff(rows: readonly OfficeRow[], ledger: readonly LedgerLine[], mayBeUnknown: number): string[] {
    const cut = rows.filter(({ name, state, marker }) => {
      const last = ledger.findLast((line) => line.marker === marker)?.status;
      return (
        state === "unknown" &&
        this.#before.get(name)?.state !== "unknown" &&
        (last === undefined || (last !== null && last < 500))
      );
    });
    return cut.length > mayBeUnknown ? [`no answer of ${cut.map(({ name }) => name).join(", ")} (I8)`] : [];
  }
}
