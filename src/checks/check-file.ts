import { formatUnits, Sums, unitsOf } from "../amount.ts";
import type { Config } from "../config/schema.ts";
import { isoDay, isoDayIn } from "../day.ts";
import { FileRefusedError } from "../errors.ts";
import { maskAccountId } from "../mask.ts";
import { counted, listed, type Fault } from "../messages/sentence.ts";
import { labelOf, OPERATIONS, type OperationName } from "../operations/index.ts";
import { printable } from "../printable.ts";
import { misspeltColumns } from "../reader/columns.ts";
import { createRowCheck, NO_PAYMENT, type CheckedRow, type RowCheck } from "./check-row.ts";
import { controlFaults } from "./control.ts";
import type { OpenedFile } from "./open-file.ts";
import { FileLook } from "./point-out.ts";
import { Questions } from "./questions.ts";

export type Checked = ReturnType<Found["checked"]>;

/**
 * Rows to instructions or faults; nothing is remembered. `pages`, to be read once, gives every row in order, in pages of at
 * most 1,000; `end`, behind them, what was found of the file. Both throw FileRefusedError. `now`: milliseconds since 1970,
 * the day that `not_now` calls today; `toldMax`: faults of a kind that are told, the others are only counted.
 */
export function checkFile(
  opened: OpenedFile,
  config: Config,
  { now, toldMax = 5 }: { readonly now: number; readonly toldMax?: number | undefined },
) {
  const { table, snapshot, operation, mapping } = opened;
  const { format } = table.reading;
  const isTable = format === "csv" || format === "xlsx";
  const found = new Found(toldMax);
  const look = new FileLook((faults, rows) => found.pointedOut.add(faults, rows), { max: toldMax, isTable });
  const inZone = (atMs: number): string => dayIn(atMs, config.time_zone);
  const questions = new Questions();
  const file = {
    ...{ opened, config, isTable, isWorkbook: format === "xlsx", look, questions },
    ...{ today: inZone(now), inZone },
  };
  const checks = new WeakMap<readonly string[], RowCheck>();
  const checkOf = (columns: readonly string[]): RowCheck => {
    let check = checks.get(columns);
    if (check) return check;
    // the columns of a table were looked at when it was opened; in JSON each row has keys of its own
    const slips = isTable || mapping ? [] : misspeltColumns(columns, operation ?? "mixed", config.own_columns);
    if (slips.length > 0) throw new FileRefusedError(snapshot.fileName, slips);
    checks.set(columns, (check = createRowCheck(columns, file)));
    for (const column of check.whenColumns) if (found.whenColumns.size < KINDS_MAX) found.whenColumns.add(column);
    return check;
  };
  return {
    async *pages(): AsyncGenerator<readonly CheckedRow[]> {
      for await (const rows of table.rows()) {
        const page = rows.map((row) => checkOf(row.columns).check(row));
        for (const checked of page) found.add(checked);
        yield page;
      }
      found.remarks.push(...look.end());
    },
    end(): Checked {
      const refused = [
        ...questions.faults(opened.isEachPeriod),
        ...controlFaults(opened.control, found, config.require_control),
        ...capFaults(found.sums, config),
      ];
      if (refused.length > 0) throw new FileRefusedError(snapshot.fileName, refused);
      return found.checked(opened);
    },
  };
}

/** `2026-11-27`: the day in the zone of the settings, or of this machine. */
function dayIn(now: number, timeZone: string | undefined): string {
  if (timeZone !== undefined) return isoDayIn(now, timeZone);
  // Intl takes 40 ms to load
  return isoDay(now - new Date(now).getTimezoneOffset() * 60_000);
}

/** A fault for each operation whose amounts come to more than `max_per_file`. */
function capFaults(sums: Sums<OperationName>, { rules }: Config): readonly Fault[] {
  return OPERATIONS.flatMap(({ name, folder }): Fault[] => {
    const most = rules[folder]?.max_per_file;
    const sum = sums.unitsOf(name);
    if (most === undefined || sum <= unitsOf(most)) return [];
    const facts = { operation: folder, sum: formatUnits(sum), most, over: formatUnits(sum - unitsOf(most)) };
    return [{ code: "file_over_cap", facts }];
  });
}

/** Memory grows with these and not with the rows: rows of JSON may each have columns of their own. */
const KINDS_MAX = 100;
const ACCOUNTS_MAX = 1000;
const NO_PAYMENTS_SHOWN = 5;

class Found {
  readonly whenColumns = new Set<string>();
  readonly remarks: Fault[] = [];
  readonly noPayments: number[] = [];
  readonly sums = new Sums<OperationName>();
  rows = 0;
  /** Rows whose amount is in no sum. */
  unreadable = 0;
  readonly pointedOut: FirstOfKind;
  readonly #invalid: FirstOfKind;
  readonly #forms = new Map<string, { operation: OperationName; option?: string | undefined }>();
  readonly #accounts = new AccountSums<"all">();

  constructor(toldMax: number) {
    this.pointedOut = new FirstOfKind(toldMax);
    this.#invalid = new FirstOfKind(toldMax);
  }

  add({ row, instruction, faults, notices, amount, debit, operation, option }: CheckedRow): void {
    this.rows += 1;
    const units = amount === undefined ? 0n : unitsOf(amount);
    if (operation !== undefined) this.sums.add(operation, units);
    this.#accounts.add(debit, "all", units);
    if (notices.length > 0) this.pointedOut.add(notices);
    if (instruction && operation !== undefined) {
      const form = `${operation} ${option}`;
      if (!this.#forms.has(form)) this.#forms.set(form, { operation, option });
      return;
    }
    this.#invalid.add(faults);
    if (faults[0]?.code !== NO_PAYMENT) this.unreadable += amount === undefined ? 1 : 0;
    else if (this.noPayments.length < NO_PAYMENTS_SHOWN) this.noPayments.push(row.number);
  }

  checked({ snapshot, table, operation, period, mapping, control }: OpenedFile) {
    const columns = [...this.whenColumns].map((column) => printable(column, 40));
    const count = columns.length;
    const when: Fault = { code: "says_when", facts: { columns: columns.join(", "), count, name: columns[0] } };
    // what several say is the same: it equals the file
    const rows = control.find((one) => one.rows !== undefined)?.rows;
    const total = control.find((one) => one.total !== undefined)?.total;
    const remarks: Fault[] = [...table.remarks, ...this.remarks, ...(columns.length > 0 ? [when] : [])];
    const stated = [...(rows === undefined ? [] : [counted(rows)]), ...(total === undefined ? [] : [total])];
    // kept with the batch, for whoever signs
    if (stated.length > 0) remarks.push({ code: "control_stated", facts: { said: listed(stated) } });
    return {
      ...{ file: snapshot.path, format: table.reading.format },
      ...(period === undefined ? {} : { period }),
      ...(mapping ? { mapping: mapping.name } : {}),
      /** `payout, option B`; `mixed`. */
      operation: labelOf([...this.#forms.values()], operation),
      /** The control totals that were stated, and equal. */
      ...(control.length > 0 ? { control: { rows, total } } : {}),
      total: { rows: this.rows, amount: formatUnits(this.sums.units) },
      /** They are not judged yet. */
      accounts: this.#accounts.totals().map(({ account, total: all }) => ({ account, total: all, byStatus: {} })),
      ...{ remarks, unreadable: this.unreadable },
      ...{ invalid: this.#invalid.first, invalidCount: this.#invalid.rows },
      ...{ pointedOut: this.pointedOut.first, pointedOutCount: this.pointedOut.rows },
    };
  }
}

const NO_ACCOUNT = "(none)";

/** Rows and sums by debit account, and there by status. */
export class AccountSums<Status extends string> {
  readonly #accounts = new Map<string, Sums<Status>>();

  add(account = NO_ACCOUNT, status: Status, units: bigint): void {
    const isKnown = this.#accounts.has(account) || this.#accounts.size < ACCOUNTS_MAX;
    const name = isKnown ? account : "(others)";
    const sums = this.#accounts.get(name) ?? new Sums<Status>();
    this.#accounts.set(name, sums);
    sums.add(status, units);
  }

  /**
   * None where no row names an account. Two may look the same when they are masked: the later ones get a number, in the
   * order of the file.
   */
  totals() {
    if (this.#accounts.keys().every((name) => name === NO_ACCOUNT)) return [];
    const times = new Map<string, number>();
    return [...this.#accounts].map(([name, sums]) => {
      const masked = printable(maskAccountId(name), 60);
      const time = (times.get(masked) ?? 0) + 1;
      times.set(masked, time);
      const account = time === 1 ? masked : `${masked} (${time})`;
      return { account, total: sums.total, byStatus: Object.fromEntries(sums.tallies) };
    });
  }
}

/** The first faults of each kind, and how many rows have some. */
export class FirstOfKind {
  readonly first: Fault[] = [];
  rows = 0;
  readonly #max: number;
  readonly #kinds = new Map<string, number>();

  constructor(max = 5) {
    this.#max = max;
  }

  add(faults: readonly Fault[], rows = 1): void {
    this.rows += rows;
    for (const fault of faults) {
      const kind = `${fault.code} ${fault.column}`;
      const told = this.#kinds.get(kind) ?? 0;
      if (told >= this.#max || (told === 0 && this.#kinds.size >= KINDS_MAX)) continue;
      this.#kinds.set(kind, told + 1);
      this.first.push(fault);
    }
  }
}
