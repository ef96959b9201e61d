import { openKept } from "../checks/open-kept.ts";
import { messageOf } from "../errors.ts";
import type { BatchRecord, RowRecord } from "../journal/store.ts";
import { maskAccountId, maskStray } from "../mask.ts";
import { STATUS_WORDS } from "../messages/results.ts";
import { printable } from "../printable.ts";

/** What the file says of a row: of its payee, whose employee number it may have, and the account to debit. */
export type Detail = Partial<
  Readonly<Record<"debit" | "name" | "employee" | "payee" | "reference", string | undefined>>
>;

const TEXT_CHARACTERS_MAX = 60;

/** As it may be shown to whoever may see the batch (I10). `own`: as `openKept` gives it. */
export function detailIn(own: Detail): Detail {
  const { debit, payee } = own;
  const [name, employee, reference] = [own.name, own.employee, own.reference].map((text) => text && maskStray(text));
  return { debit: debit && maskAccountId(debit), name, employee, payee, reference };
}

/** `Asha Verma (E001) ••4471`: who is paid, or pays. A number that is the reference as well stands there. */
export function whoText({ name, employee, payee, reference }: Detail): string {
  const own = employee === reference ? undefined : employee;
  const [who = "", number, to = ""] = [name, own, payee].map((text) => text && printable(text, TEXT_CHARACTERS_MAX));
  return [who, number && `(${number})`, to].filter(Boolean).join(" ");
}

export function referenceText({ reference = "" }: Detail): string {
  return printable(reference, TEXT_CHARACTERS_MAX);
}

/** Both, on a line of a terminal. */
export function detailText(detail: Detail): string {
  return [whoText(detail), referenceText(detail)].filter(Boolean).join("   ");
}

/**
 * Of these rows of a batch, from the private copy of its file, which is read as far as the last of them, but no longer than
 * `withinMs`. Where it cannot be read, or not so soon, `why` says so: what shows them must not fail for that.
 */
export async function detailsOf(
  desk: Parameters<typeof openKept>[0],
  batch: BatchRecord,
  rows: readonly Pick<RowRecord, "row">[],
  withinMs = Infinity,
): Promise<{ readonly of: ReadonlyMap<number, Detail>; readonly why?: string }> {
  const of = new Map<number, Detail>();
  const wanted = new Set(rows.map(({ row }) => row));
  if (wanted.size === 0) return { of };
  const began = performance.now();
  try {
    const { table, own } = await openKept(desk, batch);
    for await (const page of table.rows(wanted)) {
      for (const row of page) if (wanted.has(row.number)) of.set(row.number, detailIn(own(row)));
      if (of.size === wanted.size) break;
      if (performance.now() - began > withinMs) return { of, why: STATUS_WORDS.far_down };
    }
    return { of };
  } catch (error) {
    return { of, why: printable(messageOf(error)) };
  }
}
