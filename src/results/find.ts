import { canonicalAmount } from "../amount.ts";
import { openKept } from "../checks/open-file.ts";
import type { Config } from "../config/schema.ts";
import type { BatchRecord, JournalStore, RowRecord } from "../journal/store.ts";
import type { ResultStatus } from "../events.ts";
import { detailIn, type Detail } from "./details.ts";
import { textOf } from "./table.ts";
import { byStatusOf, lockstep, recordsOf, statusOf } from "./totals.ts";

/** So far back it is looked unless somebody says since when: names are read from the copies of files. */
export const SOUGHT_DAYS = 92;

/** What is looked for; all that is given must be true of a row. */
export interface Sought {
  /** In a cell of the row as it came: a name, a reference, an account, or the last four of its digits. */
  readonly text?: string | undefined;
  readonly amount?: string | undefined;
  /** The account to debit, or the last four of it. */
  readonly debit?: string | undefined;
  readonly statuses?: readonly ResultStatus[] | undefined;
  /** From then on, and before then: when a row was sent, or its file taken. Milliseconds since 1970. */
  readonly since: number;
  readonly until?: number | undefined;
}

/** With what its file says, as it may be shown; nothing of that where its private copy is gone. */
export interface FoundRow extends Detail {
  readonly batch: BatchRecord;
  readonly record: RowRecord;
  readonly status: ResultStatus;
  readonly at: number;
}

interface Place {
  readonly config: Config;
  readonly store: JournalStore;
  /** Before each file that is read. */
  readonly reading?: (at: number, of: number) => void;
  /** A file's private copy could not be read: its rows are told without what only that has. */
  readonly lacks?: (batch: BatchRecord, why: unknown) => void;
}

/** Rows over all batches, the oldest first, one file at a time: memory stays flat. */
export async function* find(place: Place, sought: Sought): AsyncGenerator<FoundRow> {
  const { store, reading } = place;
  const { since, until = Infinity, statuses } = sought;
  const all = await store.batches({ since });
  const batches = all.filter(({ createdAt, tallies }) => {
    const mayHave = !statuses || statuses.some((status) => byStatusOf(tallies)[status] ?? status === "unknown");
    return createdAt < until && mayHave;
  });
  for (const [at, batch] of batches.entries()) {
    reading?.(at + 1, batches.length);
    yield* findIn(place, batch, sought);
  }
}

async function* findIn({ store, config, lacks }: Place, batch: BatchRecord, sought: Sought): AsyncGenerator<FoundRow> {
  const records = recordsOf(store, batch.id);
  let kept: Awaited<ReturnType<typeof openKept>>;
  try {
    kept = await openKept({ store, config }, batch);
  } catch (error) {
    lacks?.(batch, error);
    // what is in the file is not known any more
    if (sought.text !== undefined || sought.debit !== undefined) return;
    for await (const page of records)
      for (const record of page) {
        const found = foundIn(batch, record, sought);
        if (found) yield found;
      }
    return;
  }
  const isSought = sought.text === undefined ? undefined : holding(sought.text);
  const isDebit = sought.debit === undefined ? undefined : sameAs(sought.debit);
  for await (const page of lockstep(kept.table.rows(), records)) {
    for (const { row, record } of page) {
      const found = foundIn(batch, record, sought);
      if (!found || (isSought && !row.cells.some((cell) => isSought(textOf(cell))))) continue;
      const own = kept.own(row);
      if (isDebit && !isDebit(own.debit ?? "")) continue;
      yield { ...found, ...detailIn(own) };
    }
  }
}

/** By what the journal knows; undefined: it is not meant. */
function foundIn(
  batch: BatchRecord,
  record: RowRecord,
  { statuses, amount, since, until = Infinity }: Sought,
): FoundRow | undefined {
  const [status, at] = [statusOf(record), record.sentAt ?? batch.createdAt];
  const isThen = at >= since && at < until;
  const isAmount = amount === undefined || (record.amount !== undefined && canonicalAmount(record.amount) === amount);
  const isMeant = isThen && isAmount && (!statuses || statuses.includes(status));
  return isMeant ? { batch, record, status, at } : undefined;
}

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
const digitsIn = (text: string): string => (/^[\d\s-]+$/.test(text) ? text.replaceAll(/\D/g, "") : "");

/** Four digits are the last ones of a longer number, or all of the cell; anything else may stand in the middle of it. */
function holding(text: string): (cell: string) => boolean {
  if (/^\d{1,4}$/.test(text)) return sameAs(text);
  const [words, digits] = [plain(text), digitsIn(text)];
  return (cell) => plain(cell).includes(words) || (digits.length > 4 && digitsIn(cell) === digits);
}

/** Nine and more: an account or a mobile; letters in front are a bank's own. */
const ACCOUNT = /^[A-Z]{0,6}\d{8,}$/i;

function sameAs(text: string): (cell: string) => boolean {
  const [words, isEnd] = [plain(text), /^\d{4}$/.test(text)];
  const endsIn = (number: string): boolean => ACCOUNT.test(number) && number.endsWith(text);
  return (cell) => plain(cell) === words || (isEnd && endsIn(cell.replaceAll(/[\s-]/g, "")));
}
