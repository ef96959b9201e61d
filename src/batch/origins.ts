/**
 * Ties corrected rows to the rows that they stand for (`retry_of`), and says what was changed in them. The old values
 * stand in no journal (I10): they are read from the private copy of the earlier file.
 */
import { cellText, positionOf } from "../checks/cells/cell.ts";
import { compareWithOrigin, hidesAmount, rowNamed, type Correction, type RowName } from "../checks/correction.ts";
import { faultOfCell } from "../checks/fault-of.ts";
import type { Fault } from "../checks/fault.ts";
import type { CheckedRow } from "../checks/instruction.ts";
import { notMended, type CellsChanged } from "../checks/cells/not-mended.ts";
import type { Finding } from "../checks/sentences.ts";
import type { Config } from "../config/config.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import { isTable, type FileFormat } from "../format.ts";
import { operationNamed } from "../operations/catalogue.ts";
import type { OperationName } from "../operations/operation.ts";
import type { Row } from "../reader/row.ts";
import { withoutTextMark } from "../text/spreadsheet-text.ts";
import { snapshotsIn } from "../reading.ts";
import { hadNoPayee, operationTaken, OTHER_OPERATION, wasValid, type EarlierBatches } from "./earlier-records.ts";
import { EarlierRows, type Origin } from "./earlier-rows.ts";

/**
 * What `retry_of` makes of a row: a correction, perhaps with a fault, or something to point out; nothing for a row that
 * names none.
 */
export interface Tie {
  readonly correction?: Correction;
  readonly fault?: Fault;
  readonly warning?: Fault;
}

const COLUMN = "retry_of";
/** A file is put together from a few retry files, not from many: so many earlier files are open at a time. */
const OPEN_MAX = 8;

export class Origins {
  readonly #earlier: EarlierBatches;
  readonly #environment: Config["environment"];
  readonly #snapshots: string;
  readonly #met: (batch: BatchRecord) => Promise<void>;
  readonly #open = new Map<string, EarlierRows>();

  /** `met`: what is to be done before rows are tied to those of an earlier batch. */
  constructor(
    earlier: EarlierBatches,
    config: Pick<Config, "environment" | "stateDir">,
    met: (batch: BatchRecord) => Promise<void> = () => Promise.resolve(),
  ) {
    this.#met = met;
    this.#earlier = earlier;
    this.#environment = config.environment;
    this.#snapshots = snapshotsIn(config);
  }

  /**
   * The ties of these rows, the next ones of their file. Memory holds as many earlier rows beside them, and no more.
   */
  async tie(checked: readonly CheckedRow[], format: FileFormat): Promise<readonly Tie[]> {
    const hasCells = isTable(format);
    const texts = checked.map(({ row }) => namedBy(row.mapped?.from ?? row));
    if (texts.every((text) => text === "")) return texts.map(() => NO_TIE);
    const names = texts.map(rowNamed);
    const origins = await this.#read(names.filter((name) => name !== undefined));
    const ties = checked.map(async (one, index) => {
      const name = names[index];
      if (texts[index] === "") return NO_TIE;
      if (!name) return { warning: warningOf(one.row, "retry_of_malformed", hasCells) };
      const origin = origins.get(textOf(name));
      if (!origin) return { warning: warningOf(one.row, "retry_of_unknown", hasCells) };
      const made = (one.instruction ?? one).operation?.name;
      const was = origin.operation === made ? made : ((await operationTaken(this.#earlier, name)) ?? origin.operation);
      if (was && made && was !== made) return otherOperation(one.row, name, { was, made }, hasCells);
      const areValid = await this.#areValid(one, name, origin);
      const { changed, filledIn = [], ...compared } = correctionOf(one, name, origin, { hasCells, areValid });
      const isOther = filledIn.length > 0 && !(await hadNoPayee(this.#earlier, name, filledIn));
      const tie = isOther ? asOtherPayee(compared) : compared;
      if (tie.fault || !one.instruction || !changed) return tie;
      const before = await this.#earlier.row(name.batch, name.row);
      const { rewritten, madeText } = changed;
      const fault = notMended(before?.faults ?? [], { rewritten, madeText: format === "xlsx" ? madeText : [] }, name);
      return fault ? { ...tie, fault } : tie;
    });
    return Promise.all(ties);
  }

  async close(): Promise<void> {
    for (const rows of this.#open.values()) await rows.close();
    this.#open.clear();
  }

  /** Whether a row and its origin are; asked of the journal only where it makes a difference. */
  async #areValid({ row, instruction }: CheckedRow, name: RowName, origin: Origin): Promise<boolean> {
    if (!instruction || !origin.row || !hidesAmount(row, origin.row, instruction.operation)) return false;
    return wasValid(this.#earlier, name);
  }

  /** The earlier rows with these names; those that are not known are left out. */
  async #read(names: readonly RowName[]): Promise<ReadonlyMap<string, Origin>> {
    const found = new Map<string, Origin>();
    for (const [batch, group] of Map.groupBy(names, (name) => name.batch)) {
      const rows = await this.#rowsOf(batch);
      if (!rows) continue;
      const numbers = [...new Set(group.map(({ row }) => row))].sort((a, b) => a - b);
      for (const [row, origin] of await rows.take(numbers)) found.set(textOf({ batch, row }), origin);
    }
    return found;
  }

  async #rowsOf(id: string): Promise<EarlierRows | undefined> {
    const open = this.#open.get(id);
    if (open) return open;
    const batch = await this.#earlier.batch(id);
    if (batch?.environment !== this.#environment) return undefined;
    await this.#met(batch);
    const [oldest] = this.#open;
    if (this.#open.size >= OPEN_MAX && oldest) {
      await oldest[1].close();
      this.#open.delete(oldest[0]);
    }
    const rows = new EarlierRows(batch, this.#snapshots);
    this.#open.set(id, rows);
    return rows;
  }
}

const NO_TIE: Tie = {};

/** The text of `retry_of`. */
export function namedBy(row: Row): string {
  return withoutTextMark(cellText(row, positionOf(row, COLUMN)).trim(), true).trim();
}

function textOf({ batch, row }: RowName): string {
  return `${batch}:${row}`;
}

/** What `compareWithOrigin` tells beside the change; left out where nothing can be compared. */
interface Compared extends Tie {
  readonly changed?: CellsChanged;
  readonly filledIn?: readonly string[];
}

function asOtherPayee(tie: Tie): Tie {
  return tie.correction ? { ...tie, correction: { ...tie.correction, payeeChanged: true } } : tie;
}

function correctionOf(
  checked: CheckedRow,
  of: RowName,
  origin: Origin,
  { hasCells, areValid }: { readonly hasCells: boolean; readonly areValid: boolean },
): Compared {
  if (!origin.row) return { correction: { of, payeeChanged: true } };
  const { row, instruction } = checked;
  const made = checked.instruction ? checked.instruction.operation : checked.operation;
  if (!made) return { correction: { of, changes: [], payeeChanged: false } };
  const { zerosGone, rewritten, madeText, filledIn, ...compared } = compareWithOrigin(row, origin.row, made, {
    form: instruction?.form,
    areValid,
  });
  const correction = { of, ...compared };
  if (!zerosGone) return { correction, changed: { rewritten, madeText }, filledIn };
  const { field, zeros } = zerosGone;
  const finding = { code: "zeros_gone", found: zeros, more: `row ${of.row} of batch ${of.batch}` } as const;
  const at = positionOf(row, field.name);
  return {
    correction,
    fault: faultOfCell({ row, place: field, index: at, hasCells }, cellText(row, at).trim(), finding),
  };
}

/** A loan application is no correction of a collection request: other money, and the request is still refused. */
function otherOperation(
  row: Row,
  of: RowName,
  { was, made }: Readonly<Record<"was" | "made", OperationName>>,
  hasCells: boolean,
): Tie {
  const changes = [{ column: "operation", from: was, to: made }];
  const { folder } = operationNamed(was);
  const finding = {
    code: OTHER_OPERATION,
    found: `a ${was}, and this file sends it as a ${made}`,
    more: folder,
  } as const;
  return { correction: { of, changes, payeeChanged: false }, fault: faultOfOwn(row, finding, hasCells) };
}

function warningOf(row: Row, code: "retry_of_malformed" | "retry_of_unknown", hasCells: boolean): Fault {
  return { ...faultOfOwn(row, { code }, hasCells), level: "warning" };
}

/** A fault of the cell of `retry_of`. */
function faultOfOwn(row: Row, finding: Finding, hasCells: boolean): Fault {
  const from = row.mapped?.from ?? row;
  const place = { name: COLUMN, kind: "id" } as const;
  const at = positionOf(from, COLUMN);
  return faultOfCell({ row: from, place, index: at, hasCells }, cellText(from, at).trim(), finding);
}
