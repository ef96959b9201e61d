import { PaydropError, systemCodeOf } from "../errors.ts";
import { mask } from "../mask.ts";
import { fieldsOf, operationNamed, operationSaid, type OperationName } from "../operations/index.ts";
import type { Sensitivity } from "../operations/operation.ts";
import { printable } from "../printable.ts";
import { createColumnPlan, employeeColumnAt } from "../reader/columns.ts";
import { readLookup } from "../reader/mapping.ts";
import { openTable } from "../reader/open-table.ts";
import type { Reading, Row, Table } from "../reader/row.ts";
import { snapshotPath } from "../state-dir.ts";
import { readAt, wordsAt } from "./cells.ts";
import type { Kept } from "./open-file.ts";

/** `reading`: as `keptOf` gave it. */
type BatchFile = Readonly<Record<"sha256" | "fileName" | "reading", string>>;

/** The hashes of a batch's private copies: its file, and the lookup tables that it was read with. */
export function copiesOf({ sha256, reading }: Omit<BatchFile, "fileName">): readonly string[] {
  const { tables = [] } = JSON.parse(reading) as Partial<Kept>;
  return [sha256, ...tables.map((table) => table.sha256)];
}

async function openCopy(path: string, fileName: string, reading?: Reading): Promise<Table> {
  try {
    return await openTable(path, fileName, reading);
  } catch (cause) {
    if (systemCodeOf(cause) !== "ENOENT") throw cause;
    throw new PaydropError("copy_missing", { name: printable(fileName, 200), path }, { cause });
  }
}

interface Keeping {
  readonly config: { readonly state_dir: string };
  readonly store: { readonly hosts: { bringCopy(sha256: string, path: string): Promise<void> } };
}

/**
 * Opens the private copy of a batch as it was read when that was made; one that another host took is brought here first.
 * Throws PaydropError `journal` where it is gone.
 */
export async function openKept({ config, store }: Keeping, batch: BatchFile) {
  const pathTo = (sha256: string): string => snapshotPath(config.state_dir, sha256);
  for (const sha256 of copiesOf(batch)) await store.hosts.bringCopy(sha256, pathTo(sha256));
  const { reading, operation, mapping, tables } = JSON.parse(batch.reading) as Kept;
  const table = await openCopy(pathTo(batch.sha256), batch.fileName, reading);
  const lines = (mapping?.lookups ?? []).map(async (lookup, at) => {
    const { sha256 = "", fileName = "", reading: how } = tables[at] ?? {};
    return readLookup(await openCopy(pathTo(sha256), fileName, how), lookup, fileName);
  });
  const plan = createColumnPlan(mapping, await Promise.all(lines));
  const textOf = (row: Row, name: string): string | undefined => {
    const source = plan(row.columns).sources.get(name);
    const text = readAt(row, { name, kind: "id", source }, reading.format === "xlsx");
    return typeof text === "string" && text !== "" ? text : undefined;
  };
  const said: SaidIn = {
    textOf,
    operationOf: (row) => operation ?? operationSaid(textOf(row, "operation") ?? "")?.name,
  };
  const own = (row: Row): OwnTexts => new OwnTexts(row, said);
  return { table, plan, own, payeeOf: (row: Row) => own(row).payeeInClear, textOf };
}

/** How rows of a file are read. */
interface SaidIn {
  textOf(row: Row, name: string): string | undefined;
  operationOf(row: Row): OperationName | undefined;
}

/**
 * What a row says of itself: in clear, but for `payee`, which is masked. `name`: of the payee; `employee`: their number. Each
 * is read when it is asked for.
 */
class OwnTexts {
  readonly #row: Row;
  readonly #said: SaidIn;
  readonly operation: OperationName | undefined;

  constructor(row: Row, said: SaidIn) {
    [this.#row, this.#said] = [row, said];
    this.operation = said.operationOf(row);
  }

  get #forms() {
    return this.operation ? operationNamed(this.operation).forms : [];
  }

  get debit(): string | undefined {
    const { debit } = this.operation ? operationNamed(this.operation) : {};
    return debit && this.#said.textOf(this.#row, debit);
  }

  get reference(): string | undefined {
    return this.#said.textOf(this.#row, "reference");
  }

  /** Only to be compared. */
  get payeeInClear(): { readonly text: string; readonly sensitive: Sensitivity } | undefined {
    for (const form of this.#forms) {
      const text = this.#said.textOf(this.#row, form.payee);
      const sensitive = fieldsOf(form).find(({ name }) => name === form.payee)?.sensitive ?? "account";
      if (text !== undefined) return { text, sensitive };
    }
    return undefined;
  }

  get payee(): string | undefined {
    const payee = this.payeeInClear;
    return payee && mask(payee.text, payee.sensitive);
  }

  get name(): string | undefined {
    const names = this.#forms.flatMap((form) => fieldsOf(form).filter(({ sensitive }) => sensitive === "name"));
    return names.map((field) => this.#said.textOf(this.#row, field.name)).find((text) => text !== undefined);
  }

  get employee(): string | undefined {
    return wordsAt(this.#row, employeeColumnAt(this.#row.columns)) || undefined;
  }
}
