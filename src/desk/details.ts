import { openKept } from "../checks/open-file.ts";
import { messageOf } from "../errors.ts";
import type { BatchRecord, RowRecord } from "../journal/store.ts";
import { maskAccountId, maskStray } from "../mask.ts";
import { printable } from "../printable.ts";
import type { Desk } from "./desk.ts";

/** What the file says of a row, masked as in the report. */
type Detail = Readonly<Record<"from" | "payee" | "reference", string>>;

const TEXT_CHARACTERS_MAX = 60;

/**
 * Of these rows of a batch, from the private copy of its file, which is read as far as the last of them. Where it cannot be
 * read, `why` says so: a page must not fail for that.
 */
export async function detailsOf(
  desk: Pick<Desk, "store" | "config">,
  batch: BatchRecord,
  rows: readonly Pick<RowRecord, "row">[],
): Promise<{ readonly of: ReadonlyMap<number, Detail>; readonly why?: string }> {
  const of = new Map<number, Detail>();
  const wanted = new Set(rows.map(({ row }) => row));
  if (wanted.size === 0) return { of };
  try {
    const { table, own } = await openKept(desk, batch);
    for await (const page of table.rows()) {
      for (const row of page) {
        if (!wanted.has(row.number)) continue;
        const { debit = "", payee = "", reference = "" } = own(row);
        const texts = [maskAccountId(debit), payee, maskStray(reference)] as const;
        const [from, to, named] = texts.map((text) => printable(text, TEXT_CHARACTERS_MAX));
        of.set(row.number, { from: from ?? "", payee: to ?? "", reference: named ?? "" });
      }
      if (of.size === wanted.size) break;
    }
    return { of };
  } catch (error) {
    return { of, why: printable(messageOf(error)) };
  }
}
