/**
 * What a check points out in the rows of a file: by what was accepted before, while they are read; by the whole file,
 * once all of them are known.
 */
import {
  lookInFile,
  unusualFrom,
  usualAmount,
  type LookedAtRow,
  type RowInFile,
  type UsualAmount,
} from "../checks/second-look.ts";
import type { CheckedRow } from "../checks/instruction.ts";
import type { EarlierPayees } from "./earlier-payees.ts";
import { isTable } from "../format.ts";
import type { LookBack } from "../journal/sqlite/look-back.ts";
import type { RowToPointOut, RowsToPointOut } from "../journal/sqlite/rows-to-point-out.ts";
import type { RowRecord } from "../journal/row-record.ts";
import { operationNamed } from "../operations/catalogue.ts";
import type { OperationName } from "../operations/operation.ts";
import { RisingRows } from "../reader/rising-rows.ts";
import type { OpenedFile } from "../take-in.ts";

/** The file, its rows compared with earlier payees as they are checked. */
export function lookingBack(opened: OpenedFile, earlier: EarlierPayees): OpenedFile {
  if (earlier.isEmpty) return opened;
  const hasCells = isTable(opened.sheet.format);
  const { checker } = opened;
  return {
    ...opened,
    checker: { check: (rows) => checker.check(rows).map((one) => compared(one, earlier, hasCells)) },
  };
}

function compared(checked: CheckedRow, earlier: EarlierPayees, hasCells: boolean): CheckedRow {
  const { row, instruction, warnings = [] } = checked;
  if (!instruction) return checked;
  const { operation, option } = instruction;
  const more = earlier.lookAt({ row, operation, hasCells, ...(option === undefined ? {} : { option }) });
  return more.length === 0 ? checked : { ...checked, warnings: [...warnings, ...more] };
}

const WITH_NAMES = "B";

/** The rows of a batch, on a connection of its own to its journal. */
export class KnownFile {
  readonly #journal: LookBack;
  readonly #batchId: string;
  readonly #noted: RowsToPointOut;
  readonly #usual: ReadonlyMap<OperationName, UsualAmount>;

  /** Finds the amounts that are usual in the file: all of its rows must be in the journal. */
  constructor(journal: LookBack, batchId: string) {
    this.#journal = journal;
    this.#batchId = batchId;
    this.#noted = journal.noted(batchId);
    const usual = new Map<OperationName, UsualAmount>();
    for (const { operation, amount, rows } of this.#noted.middleAmounts()) {
      const one = usualAmount(amount, rows);
      if (one) usual.set(operation, one);
    }
    this.#usual = usual;
  }

  /**
   * The rows that there is something to say of, as they stand by now, with all of it. Cells are read again only where
   * something about the whole file, or `earlier`, needs them. `earlier`: given where rows were not compared with
   * earlier payees when they were read.
   */
  async *pointedOut(opened: OpenedFile, earlier?: EarlierPayees): AsyncGenerator<readonly RowRecord[]> {
    const large = [...this.#usual].map(([operation, usual]) => ({ operation, from: unusualFrom(usual) }));
    const recordOf = this.#journal.rowsOf(this.#batchId);
    const cells = new RisingRows(opened.sheet);
    try {
      for (const noted of this.#noted.inOrder(large, earlier?.isEmpty === false)) {
        const record = recordOf(noted.row);
        if (!record) continue;
        const looked = earlier || noted.isLarge || noted.samePayeeIn !== undefined;
        yield [looked ? await this.#lookedAt(record, noted, cells, opened, earlier) : record];
      }
    } finally {
      await cells.close();
    }
  }

  async #lookedAt(
    record: RowRecord,
    { samePayeeIn }: RowToPointOut,
    cells: RisingRows,
    { sheet, mapping }: OpenedFile,
    earlier: EarlierPayees | undefined,
  ): Promise<RowRecord> {
    const { number, state, operation, option, amount, warnings = [] } = record;
    const raw = state === "ready" ? await cells.row(number) : undefined;
    if (!raw || operation === undefined || amount === undefined) return record;
    const looked: LookedAtRow = {
      row: mapping ? mapping.view(raw) : raw,
      ...{ operation: operationNamed(operation), hasCells: isTable(sheet.format) },
      ...(option === undefined ? {} : { option }),
    };
    const middle = this.#usual.get(operation);
    const inFile: RowInFile = {
      ...{ ...looked, amount },
      ...(samePayeeIn === undefined ? {} : { samePayeeIn }),
      ...(middle === undefined ? {} : { middle }),
    };
    const ofAccount = option === WITH_NAMES ? (earlier?.lookAt(looked) ?? []) : [];
    const more = [...ofAccount, ...lookInFile(inFile)];
    return more.length === 0 ? record : { ...record, warnings: [...warnings, ...more] };
  }
}
