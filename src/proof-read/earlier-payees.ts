/**
 * Which account a name had in payouts that were accepted before. The journal knows no names and no accounts, only keyed
 * hashes (I10); the private copies of the files know both. They are read for this one check and kept in memory only.
 */
import { fieldText } from "../checks/cells/cell.ts";
import type { Fault } from "../checks/fault.ts";
import {
  ACCOUNT_FIELD,
  lookAtAccounts,
  NAME_FIELD,
  sameName,
  type EarlierAccount,
  type LookedAtRow,
} from "../checks/second-look.ts";
import type { Config } from "../config/config.ts";
import { isFileTrouble } from "../errors.ts";
import { LookBack } from "../journal/sqlite/look-back.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import { OPERATIONS } from "../operations/catalogue.ts";
import { openSnapshot, snapshotsIn } from "../reading.ts";

/** Two years of monthly files, and no more rows than fit into a little memory: what is older is not looked at. */
const BATCHES_MAX = 24;
const ROWS_MAX = 100_000;
/** Operations whose rows say bank accounts; of these, payouts to inline beneficiaries say names as well. */
const WITH_ACCOUNTS = [
  ["payout", "B"],
  ["transfer", null],
] as const;
const ACCOUNT_FIELDS = new Set(
  OPERATIONS.flatMap(({ forms }) => forms)
    .flatMap(({ fields }) => fields.filter(({ account }) => account !== undefined))
    .map(({ name }) => name),
);
const ACCOUNTS_OF_A_NAME_MAX = 4;

export class EarlierPayees {
  readonly #accounts = new Map<string, EarlierAccount[]>();
  /** Accounts that begin with a zero, by the digits that a spreadsheet leaves of them. */
  readonly #withZeros = new Map<string, EarlierAccount>();
  #rows = 0;

  static async of(config: Config): Promise<EarlierPayees> {
    const payees = new EarlierPayees();
    const past = LookBack.at(config.stateDir);
    try {
      for (const [operation, option] of WITH_ACCOUNTS) {
        payees.#rows = 0;
        for (const batch of past?.batchesPaying(config.environment, operation, option, BATCHES_MAX) ?? []) {
          if (past && payees.#rows < ROWS_MAX) await payees.#read(batch, past, snapshotsIn(config), option !== null);
        }
      }
    } finally {
      past?.close();
    }
    return payees;
  }

  get isEmpty(): boolean {
    return this.#accounts.size === 0 && this.#withZeros.size === 0;
  }

  /** What to point out of the accounts of a row. */
  lookAt(looked: LookedAtRow): Fault[] {
    const ofName = this.#accounts.get(sameName(fieldText(looked.row, NAME_FIELD))) ?? [];
    return lookAtAccounts(looked, { ofName, withZeros: (account) => this.#withZeros.get(account) });
  }

  /** A private copy that is gone only leaves its payees out. */
  async #read(batch: BatchRecord, past: LookBack, snapshots: string, hasNames: boolean): Promise<void> {
    try {
      const { sheet, view } = await openSnapshot(batch, snapshots);
      const accepted = past.acceptedRows(batch.id);
      let next = accepted.next();
      for await (const rows of sheet.rows()) {
        for (const raw of rows) {
          while (!next.done && next.value < raw.number) next = accepted.next();
          if (next.done || this.#rows >= ROWS_MAX) return;
          if (next.value !== raw.number) continue;
          const row = view(raw);
          this.#rows += 1;
          const place = { batch: batch.id, row: raw.number };
          for (const name of ACCOUNT_FIELDS) this.#addZeros({ account: fieldText(row, name), ...place });
          if (hasNames)
            this.#add(sameName(fieldText(row, NAME_FIELD)), { account: fieldText(row, ACCOUNT_FIELD), ...place });
        }
      }
    } catch (error) {
      if (!isFileTrouble(error)) throw error;
    }
  }

  #addZeros(one: EarlierAccount): void {
    const [, bare] = /^0+([1-9][0-9]*)$/.exec(one.account) ?? [];
    if (bare !== undefined && !this.#withZeros.has(bare)) this.#withZeros.set(bare, one);
  }

  #add(name: string, earlier: EarlierAccount): void {
    const { account } = earlier;
    if (name === "" || account === "") return;
    const known = this.#accounts.get(name);
    if (!known) this.#accounts.set(name, [earlier]);
    else if (known.length < ACCOUNTS_OF_A_NAME_MAX && known.every((one) => one.account !== account)) {
      known.push(earlier);
    }
  }
}
