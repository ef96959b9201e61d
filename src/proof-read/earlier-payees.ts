/**
 * Which account a name had in payouts that were accepted before. The journal knows no names and no accounts, only keyed
 * hashes (I10); the private copies of the files know both. They are read for this one check and kept in memory only.
 */
import { fieldText } from "../checks/cells/cell.ts";
import type { Fault } from "../checks/fault.ts";
import {
  ACCOUNT_FIELD,
  lookAtAccount,
  NAME_FIELD,
  sameName,
  type EarlierAccount,
  type LookedAtRow,
} from "../checks/second-look.ts";
import type { Config } from "../config/config.ts";
import { isFileTrouble } from "../errors.ts";
import { LookBack } from "../journal/look-back.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import { openSnapshot, snapshotsIn } from "../reading.ts";

/** Two years of monthly files, and no more rows than a little memory holds: what is older is not looked at. */
const BATCHES_MAX = 24;
const ROWS_MAX = 100_000;
const ACCOUNTS_OF_A_NAME_MAX = 4;

export class EarlierPayees {
  readonly #accounts = new Map<string, EarlierAccount[]>();
  /** Accounts that begin with a zero, by what a spreadsheet leaves of them. */
  readonly #withZeros = new Map<string, EarlierAccount>();
  #rows = 0;

  static async of(config: Config): Promise<EarlierPayees> {
    const payees = new EarlierPayees();
    const past = LookBack.at(config.stateDir);
    try {
      for (const batch of past?.batchesWithNames(config.environment, BATCHES_MAX) ?? []) {
        if (past && payees.#rows < ROWS_MAX) await payees.#read(batch, past, snapshotsIn(config));
      }
    } finally {
      past?.close();
    }
    return payees;
  }

  get isEmpty(): boolean {
    return this.#accounts.size === 0;
  }

  /** What to point out of a payout to an inline beneficiary. */
  lookAt(looked: LookedAtRow): Fault[] {
    const ofName = this.#accounts.get(sameName(fieldText(looked.row, NAME_FIELD))) ?? [];
    const withZeros = this.#withZeros.get(fieldText(looked.row, ACCOUNT_FIELD));
    return lookAtAccount(looked, { ofName, ...(withZeros ? { withZeros } : {}) });
  }

  /** A private copy that is gone only makes the look shorter. */
  async #read(batch: BatchRecord, past: LookBack, snapshots: string): Promise<void> {
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
          this.#add(sameName(fieldText(row, NAME_FIELD)), fieldText(row, ACCOUNT_FIELD), batch.id, raw.number);
        }
      }
    } catch (error) {
      if (!isFileTrouble(error)) throw error;
    }
  }

  #add(name: string, account: string, batch: string, row: number): void {
    if (name === "" || account === "") return;
    this.#rows += 1;
    const bare = account.replace(/^0+(?=[1-9])/, "");
    if (bare !== account && !this.#withZeros.has(bare)) this.#withZeros.set(bare, { account, batch, row });
    const known = this.#accounts.get(name);
    if (!known) this.#accounts.set(name, [{ account, batch, row }]);
    else if (known.length < ACCOUNTS_OF_A_NAME_MAX && known.every((one) => one.account !== account)) {
      known.push({ account, batch, row });
    }
  }
}
