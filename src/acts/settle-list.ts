import { basename } from "node:path";
import { canonicalAmount, PLAIN_DECIMAL } from "../amount.ts";
import { normalizeName } from "../column-name.ts";
import { FileRefusedError } from "../errors.ts";
import { openRegular } from "../intake/snapshot.ts";
import type { Fault } from "../messages/sentence.ts";
import { printable, textIn } from "../printable.ts";
import { openTable } from "../reader/open-table.ts";
import type { Row } from "../reader/row.ts";
import { textOf } from "../results/table.ts";
import { nameSaid, type Open, type Person } from "./act.ts";
import { assertSum, settleAll, settledAs, type Settled, type Settling, type Settlings } from "./settle.ts";

interface Values {
  /** The filled-in list of `status --unknown --csv`, or that of `reconcile`, from the root. */
  readonly list: string;
  /** The sum of the rows that a statement speaks for, as the person typed it. */
  readonly total?: string | undefined;
}

/** It may be old: nothing that went is settled as not done by it. Where a line has no name, `who` says it. */
export async function settleList(open: Open, who: Person, { list, total = "" }: Values): Promise<Settled> {
  const { proposed, ...said } = await saidByList(open, who, list);
  assertSum(proposed, total);
  return settleAll(open, who, said);
}

async function saidByList(
  open: Open,
  who: Person,
  path: string,
): Promise<Settlings & { readonly proposed: readonly Settling[] }> {
  const fileName = basename(path);
  await (await openRegular(path)).close();
  const table = await openTable(path, fileName, { encoding: open.config.encoding });
  const faults: Fault[] = [];
  const todo = new Map<string, Settling>();
  const already: Settling[] = [];
  const proposed: Settling[] = [];
  let skipped = 0;
  for await (const rows of table.rows()) {
    for (const row of rows) {
      const cell = cellsOf(row);
      if (cell("as") === "") {
        skipped += 1;
        continue;
      }
      const found = await settlingOf(cell, open, who);
      if ("code" in found) faults.push({ ...found, row: row.number });
      else if (todo.has(placeOf(found))) faults.push({ code: "list_twice", row: row.number });
      else if (found.row.state !== "unknown") already.push(found);
      else {
        todo.set(placeOf(found), found);
        if (cell("evidence") !== "") proposed.push(found);
      }
    }
  }
  if (faults.length > 0) throw new FileRefusedError(fileName, faults);
  return { todo: [...todo.values()], already, skipped, proposed };
}

const placeOf = ({ batch, row }: Settling): string => `${batch.id} ${row.row}`;

type Cell = (name: string) => string;

/** A cell by its column, as a spreadsheet may have saved it. */
function cellsOf({ columns, cells }: Row): Cell {
  const names = columns.map(normalizeName);
  return (name) =>
    textOf(cells[names.indexOf(normalizeName(name))] ?? "")
      .replace(/^'(?=[=+\-@])/, "")
      .trim();
}

async function settlingOf(cell: Cell, { store }: Open, who: Person): Promise<Settling | Fault> {
  const as = settledAs(cell("as"));
  if (!as) return { code: "list_as", column: "as", facts: { said: printable(cell("as"), 40) } };
  const by = nameSaid(cell("by") || who.by);
  if (by === undefined) return { code: "list_by", column: "by" };
  const note = textIn(cell("note"));
  if (note === undefined) return { code: "list_note", column: "note" };
  const id = cell("batch");
  const [batch] = id === "" ? [] : await store.batches({ id });
  if (!batch) return { code: "list_batch", column: "batch", facts: { said: printable(id, 40) } };
  // some programs take a column with an empty cell for fractions, and save 91 as 91.0
  const number = cell("row").replace(/\.0+$/, "");
  const [row] = /^\d{1,9}$/.test(number) ? await store.rows({ batch: id, rows: [Number(number)] }) : [];
  if (!row) return { code: "list_row", column: "row", facts: { said: printable(number, 40), batch: id } };
  const facts = { row: row.row, batch: id };
  if (row.onItsWay) return { code: "list_going", column: "row", facts };
  // a column that was sorted without the others leaves a decision beside another row than the one looked up
  const amount = cell("amount");
  const isMoved = PLAIN_DECIMAL.test(amount) && canonicalAmount(amount) !== canonicalAmount(row.amount ?? amount);
  if (isMoved) return { code: "list_moved", column: "amount", facts: { ...facts, amount, is: row.amount } };
  const attempt = cell("attempt").replace(/\.0+$/, "");
  const isLater = row.state === "unknown" && attempt !== "" && attempt !== String(row.attempts);
  if (isLater) return { code: "list_old", column: "attempt", facts };
  return { batch, row, as, by, note };
}
