import { canonicalAmount } from "../amount.ts";
import { openKept } from "../checks/open-kept.ts";
import { DAY_MS, isoDay, isoDayIn } from "../day.ts";
import { keyOf } from "../duplicates/keys.ts";
import type { BatchRecord, RowRecord } from "../journal/store.ts";
import { oneSpelling } from "../one-spelling.ts";
import { Packed } from "../packed.ts";
import { inStatements, type InStatement } from "../results/in-statement.ts";
import { lockstep, recordsOf } from "../results/totals.ts";
import { BOOKED_WITHIN_DAYS, referencesIn, type WentRow } from "../statements/match.ts";
import type { Statement } from "../statements/read.ts";
import type { Open } from "./act.ts";

/** A row that went, or may have. What is shown of few of them is looked up afterwards. */
export interface Went extends WentRow {
  readonly of: BatchRecord;
  /** What an earlier statement said of it. */
  readonly known: InStatement | undefined;
}

/** Of which account and days the rows are, and of which amounts all of them are wanted. */
export interface Wanted {
  /** The keyed hash of the account to debit. */
  readonly debit: string;
  readonly keySecret: string;
  readonly days: Statement["days"];
  /** As `canonicalAmount` gives them. */
  readonly amounts: { has(amount: string): boolean };
}

/** Rows that went, by their amounts: there may be a million, and little is held of each. */
export interface WentRows {
  readonly amounts: readonly string[];
  of(amount: string): readonly Went[];
  /** How many of them were accepted, of whatever amount. */
  readonly accepted: number;
}

/**
 * Rows of the debit account that went, or may have, so that lines of these days may speak for them: unknown ones, and accepted
 * ones of an amount that is wanted.
 */
export async function wentRows(open: Open, { debit, keySecret, days, amounts }: Wanted): Promise<WentRows> {
  const { store, config } = open;
  const rows = new PackedRows();
  if (!days) return rows;
  const [first, last] = days.map((day) => Date.parse(day)) as [number, number];
  const since = first - (BOOKED_WITHIN_DAYS + 1) * DAY_MS;
  const accounts = new Map<string, boolean>();
  const isOfAccount = (text: string): boolean => {
    const known = accounts.get(text) ?? keyOf(keySecret, "written", oneSpelling(text)) === debit;
    accounts.set(text, known);
    return known;
  };
  for (const batch of await store.batches({ environment: config.environment, since })) {
    if (batch.createdAt > last + DAY_MS) continue;
    const seen = await inStatements(store, batch.id);
    const kept = await openKept(open, batch);
    rows.begin(batch);
    for await (const page of lockstep(kept.table.rows(), recordsOf(store, batch.id))) {
      for (const { row, record } of page) {
        const { state, amount = "" } = record;
        if (!isGone(state)) continue;
        const own = kept.own(row);
        const sentAt = record.sentAt ?? record.wentAt ?? batch.createdAt;
        if (!isOfAccount(own.debit ?? "") || sentAt < since || sentAt > last + DAY_MS) continue;
        if (state !== "unknown") rows.accepted += 1;
        const canonical = canonicalAmount(amount);
        if (state !== "unknown" && !amounts.has(canonical)) continue;
        rows.add(canonical, {
          ...{ row: record.row, state, day: isoDayIn(sentAt, config.time_zone), known: seen.get(record.row) },
          ...{ reference: own.reference, narration: kept.textOf(row, "narration"), name: own.name },
          ...{ payee: kept.payeeOf(row)?.text, answer: referencesIn(record.response) },
        });
      }
    }
  }
  return rows;
}

const STATES = ["accepted", "settled_done", "unknown"] as const;

function isGone(state: RowRecord["state"]): state is Went["state"] {
  return STATES.some((one) => one === state);
}

class PackedRows implements WentRows {
  accepted = 0;
  readonly #batches: BatchRecord[] = [];
  readonly #packed = new Packed();
  readonly #places = new Map<string, number[]>();

  begin(batch: BatchRecord): void {
    this.#batches.push(batch);
  }

  /** A row of the batch that was begun last. */
  add(amount: string, { row, state, day, known, answer = [], ...texts }: Omit<Went, "of" | "batch" | "amount">): void {
    const { reference, narration, name, payee } = texts;
    const place = this.#packed.add([
      ...[
        String(this.#batches.length - 1),
        String(row),
        String(STATES.indexOf(state)),
        String(Date.parse(day) / DAY_MS),
      ],
      ...[reference, narration, name, payee, answer.join(" ")],
      ...(known ? [known.line, known.day, known.returned?.line, known.returned?.day] : []),
    ]);
    const places = this.#places.get(amount);
    if (places) places.push(place);
    else this.#places.set(amount, [place]);
  }

  get amounts(): readonly string[] {
    return [...this.#places.keys()];
  }

  of(amount: string): readonly Went[] {
    return (this.#places.get(amount) ?? []).flatMap((place) => this.#rowAt(place, amount) ?? []);
  }

  #rowAt(place: number, amount: string): Went | undefined {
    const [nth, row, state, day, reference, narration, name, payee, answer = "", ...known] = this.#packed.at(place);
    const of = this.#batches[Number(nth)];
    return (
      of && {
        ...{ of, batch: of.id, row: Number(row), state: STATES[Number(state)] ?? "unknown", amount },
        ...{ day: isoDay(Number(day) * DAY_MS), reference, narration, name, payee },
        ...{ answer: answer.split(" "), known: inStatementOf(known) },
      }
    );
  }
}

function inStatementOf([line, day = "", back = "", backOn = ""]: readonly string[]): InStatement | undefined {
  return line === undefined
    ? undefined
    : { line, day, ...(back === "" ? {} : { returned: { line: back, day: backOn } }) };
}
