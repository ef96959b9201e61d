import { writeAgain, type Work } from "../batch.ts";
import { formatUnits } from "../amount.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { Act, BatchRecord, JournalStore, RowRecord, Who } from "../journal/store.ts";
import type { Found } from "../messages/acts.ts";
import type { Flags } from "../messages/sentence.ts";
import { printable, textIn } from "../printable.ts";
import { renewOpenAnswer } from "../results/answers.ts";
import { moneyIn } from "../statements/money.ts";

/** What every act stands on. */
export interface Open extends Pick<Work, "config" | "store"> {
  /** Flags that commands in answer files repeat. */
  readonly again: Flags;
}

/** Who acts. */
export interface Person extends Who {
  /** Resolves where it is known that it is them, and that they may do that: asked where nobody decides alone. Throws `usage`. */
  readonly proves: (role: "decide" | "approve") => Promise<void>;
}

/** Somebody who decides about money says their name. */
export interface Named extends Person {
  readonly by: string;
}

/** What an act did and found: codes with facts, for whoever tells them. */
export interface Acted {
  readonly found: readonly Found[];
  /** The exit code. */
  readonly code: number;
  /** What failed when it was done already: the files beside the batch do not say it yet. */
  readonly failed?: Error | undefined;
}

export interface OfBatch extends Acted {
  readonly batch: string;
}

export function actBy({ store }: Pick<Open, "store">, who: Person, kind: Act["kind"], more: Partial<Act> = {}): Act {
  const { login, host, by } = who;
  return { login, host, ...(by !== undefined && { by }), at: store.now(), kind, ...more };
}

const NAME_CHARACTERS_MAX = 80;

/** A name fit for the journal; undefined where it is empty. Throws PaydropError `usage` for the name of no person. */
export function nameSaid(said = ""): string | undefined {
  const name = printable(said.trim(), NAME_CHARACTERS_MAX);
  if (name.toLowerCase() === "paydrop") throw new PaydropError("not_a_person");
  return name || undefined;
}

/** What a person gave as the reason, where they did. */
export function noteOf(reason: string | undefined): Pick<Act, "note"> {
  const note = textIn(reason);
  return note === undefined ? {} : { note };
}

/** `what`: the word for it. Throws PaydropError `usage` where it is empty. */
export function neededText(said: string, what: string): string {
  const text = textIn(said);
  if (text === undefined) throw new PaydropError("left_empty", { what });
  return text;
}

/** A sum as people type it, `₹ 24,81,900.50`, as plain decimal text; empty where it is none. */
export function typedSum(said: string): string {
  const typed = moneyIn(said);
  return typeof typed === "object" && !typed.isNegative && !typed.side ? formatUnits(typed.units) : "";
}

/** The batch that a person named by its id, or by the beginning of it. Throws `usage` where none or several have it. */
export async function knownBatch(store: Pick<JournalStore, "batches">, said: string | undefined): Promise<BatchRecord> {
  const idPrefix = said?.trim().toUpperCase();
  const found = idPrefix ? await store.batches({ idPrefix }) : [];
  const batch = found.find(({ id }) => id === idPrefix) ?? found[0];
  if (batch && (found.length === 1 || batch.id === idPrefix)) return batch;
  throw new PaydropError("no_such_batch", { said: said && printable(said, 60), count: found.length });
}

/** The rows that a person named. Throws `usage` where the batch has none of that number. */
export async function rowsNamed(
  store: Pick<JournalStore, "rows">,
  batch: string,
  rows: readonly number[],
): Promise<readonly RowRecord[]> {
  const found = await store.rows({ batch, rows });
  const there = new Set(found.map(({ row }) => row));
  const missing = rows.find((row) => !there.has(row));
  if (missing !== undefined) throw new PaydropError("row_missing", { batch, row: missing });
  return found;
}

/**
 * After an act what lies beside the file must say so; a process that sends the batch writes it at its end. What fails here
 * is given, not thrown: whoever acted hears first what they did. `mayGo`: something of it goes next.
 */
export async function writeAfter(
  { store, config, again }: Open,
  id: string,
  mayGo = false,
): Promise<Pick<Acted, "code" | "failed">> {
  try {
    await store.setBatch(id, { owesResults: true });
    const [batch] = await store.batches({ id });
    if (!batch || batch.onItsWay > 0) return { code: 0 };
    const report = await writeAgain({ store, config }, id);
    await renewOpenAnswer(report, again);
    // by this a watch that had done with the batch sees that it goes on
    if (mayGo) await store.setBatch(id, { owesResults: true });
    return { code: report.files.elsewhere === undefined ? 0 : 74 };
  } catch (error) {
    return { code: 0, failed: error instanceof Error ? error : new Error(messageOf(error)) };
  }
}
