import { hash } from "node:crypto";
import { rowsIn } from "../amount.ts";
import type { RowName } from "../checks/beside.ts";
import { FirstOfKind, type Checked, type checkFile } from "../checks/check-file.ts";
import type { CheckedRow } from "../checks/check-row.ts";
import { keptOf, type OpenedFile } from "../checks/open-file.ts";
import { createSpool } from "../checks/spool.ts";
import type { Config } from "../config/schema.ts";
import { DAY_MS } from "../day.ts";
import { contentKeyOf, isAsItWas, keyOf, PaymentsDigest, personKeysOf, writtenKeyOf } from "../duplicates/keys.ts";
import { oneSpelling } from "../one-spelling.ts";
import { spoolPath } from "../state-dir.ts";
import { whatIsNew } from "./news.ts";
import { AS_IT_WAS } from "./states.ts";
import type { BatchRecord, Environment, JournalStore, NewBatch, NewRow, RowRecord } from "./store.ts";

/** What a file is written down with. */
export interface Recording {
  readonly config: Config;
  readonly store: JournalStore;
  readonly destination: string;
  readonly now: () => number;
}

/**
 * The batch that a file is: the same bytes were taken before, whatever the name, and the same period is stated, or none.
 * A batch that ended longer than `duplicate_days` ago is another month's; an unfinished one goes on at any time. Another
 * sheet of the same workbook, or another operation, is another file.
 */
export async function findKnown(
  { config, store, now }: Recording,
  { snapshot: { sha256 }, period, operation, table }: OpenedFile,
): Promise<BatchRecord | undefined> {
  const isReadAlike = (reading: string): boolean => {
    const kept = JSON.parse(reading) as { operation?: string; reading?: { sheet?: string } };
    return kept.operation === operation && kept.reading?.sheet === table.reading.sheet;
  };
  const known = (await store.batches({ sha256, environment: config.environment }))
    .filter((batch) => isReadAlike(batch.reading) && (period === undefined || batch.period === period))
    .reverse();
  const isRecent = ({ createdAt }: BatchRecord): boolean => now() - createdAt <= config.duplicate_days * DAY_MS;
  return known.find(isUnfinished) ?? known.find(isRecent);
}

/** Rows of it still go by themselves, or its results are owed. */
function isUnfinished(batch: BatchRecord): boolean {
  return batch.owesResults || (batch.phase !== "cancelled" && rowsIn(batch.tallies, "ready", "not_sent") > 0);
}

export async function newBatchOf(
  { config, store, destination, now }: Recording,
  opened: OpenedFile,
): Promise<NewBatch> {
  const { snapshot, table, period } = opened;
  const { sha256, sizeBytes, fileName, folder } = snapshot;
  const { environment } = config;
  const said = { sha256, environment, period, sheet: table.reading.sheet };
  let times = (await store.batches({ sha256, environment })).length;
  // another file may have been made to have the same id; of these very bytes it is the batch that somebody else records
  const isTaken = async (id: string): Promise<boolean> =>
    (await store.batches({ id })).some((batch) => batch.sha256 !== sha256);
  while (await isTaken(batchIdOf(said, times))) times += 1;
  return {
    ...{ id: batchIdOf(said, times), environment, destination },
    ...{ fileName, folder, format: table.reading.format, sha256, sizeBytes, reading: keptOf(opened), createdAt: now() },
    ...(period === undefined ? {} : { period }),
  };
}

/** The payload of each checked row goes into the spool, and what must be remembered of it into the journal (I7). */
export async function recordRows(
  recording: Recording,
  checking: ReturnType<typeof checkFile>,
  batch: NewBatch,
  toldMax?: number,
): Promise<Checked> {
  const { config, store } = recording;
  const spool = createSpool(spoolPath(config.state_dir, batch.id));
  const { keySecret } = await store.facts();
  const places = { keySecret, payments: new PaymentsDigest(), spool };
  const stayed = new Stayed(toldMax);
  let noticed = 0;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const page of checking.pages()) {
      const origins = await originsOf(recording, page);
      noticed += page.filter(({ notices }) => notices.length > 0).length;
      const rows = page.map((row) => newRowOf(row, batch.period, places, origins.get(nameOf(row.retryOf))));
      stayed.add(rows);
      await writing;
      writing = store.addRows(batch.id, rows);
      writing.catch(() => undefined);
    }
    await writing;
  } finally {
    spool.close();
  }
  const found = stayed.toldWith(checking.end());
  const { total, operation: label } = found;
  // what shows in several rows together is written at none of them
  const across = found.pointedOutCount - noticed;
  const remarks = [...found.remarks, ...(across > 0 ? [{ code: "across_rows", facts: { rows: across } }] : [])];
  await store.endRows(batch.id, {
    ...{ rows: total.rows, total: total.amount, label, remarks, payments: places.payments.value() },
  });
  const news = await whatIsNew(store, batch.id);
  if (news.length > 0) await store.setBatch(batch.id, { remarks: [...news, ...remarks] });
  return { ...found, remarks: [...news, ...found.remarks] };
}

/** Where a row leaves its payload, and what hides its texts. */
interface Places {
  readonly keySecret: string;
  readonly payments: PaymentsDigest;
  readonly spool: ReturnType<typeof createSpool>;
}

/**
 * What the journal remembers of a checked row: texts become keyed hashes (I10), the payload goes into the spool.
 * `stated`: the period of the whole file.
 */
function newRowOf(
  checked: CheckedRow,
  stated: string | undefined,
  { keySecret, payments, spool }: Places,
  origin: RowRecord | undefined,
): NewRow {
  const { row, instruction, faults, notices, notNow, operation, option, amount, retryOf, cells, sent } = checked;
  const { payee, zeros, payeeAs, referenceAs: reference, last4, person } = checked;
  const spelled = reference && oneSpelling(reference);
  const { employee, mobile, email, named } = personKeysOf(keySecret, person ?? {});
  const known = {
    row: row.number,
    faults: notNow ? [notNow] : faults,
    notices,
    operation,
    option,
    amount,
    retryOf,
    // a retry file cannot say what `--period` or a file's name said
    period: checked.period ?? stated ?? origin?.period,
    payee: payee && keyOf(keySecret, "payee", payee),
    zeros,
    last4,
    employee,
    mobile,
    email,
    named,
    payeeAs: payeeAs && writtenKeyOf(keySecret, payeeAs),
    reference: spelled && keyOf(keySecret, "reference", spelled),
    referenceAs: spelled === reference ? undefined : reference && writtenKeyOf(keySecret, reference),
  };
  const ofCells = cells && contentKeyOf(keySecret, "cells", cells);
  const content = sent && contentKeyOf(keySecret, "sent", sent);
  if (!instruction) return { ...known, state: "invalid", content: ofCells };
  const stays = [content, ofCells].some((now) => now && origin?.content && isAsItWas(now, origin.content));
  if (stays && origin?.state === "invalid") {
    const facts = { other: `row ${origin.row} of batch ${origin.batch}` };
    const stillInvalid = [{ code: STILL_AS_IT_WAS, row: row.number, facts }];
    // what was wrong may be the payee: nobody is paid instead of this one
    const unknown = { payee: undefined, zeros: undefined, payeeAs: undefined, last4: undefined };
    return { ...known, ...unknown, state: "invalid", content: ofCells, faults: stillInvalid };
  }
  const payment = keyOf(keySecret, "payment", instruction.payment);
  payments.add(payment);
  const isRefused = stays && origin?.state === "rejected";
  const state = isRefused ? "rejected" : notNow ? "held" : "ready";
  const { place, size, crc } = spool.add(instruction.payload);
  return { ...known, state, code: isRefused ? AS_IT_WAS : undefined, content, payment, place, size, crc };
}

const STILL_AS_IT_WAS = "still_as_it_was";

/** Rows of a retry file that nobody changed: they stay what they were (README §2). */
class Stayed {
  readonly #invalid: FirstOfKind;
  #rows = 0;

  constructor(toldMax?: number) {
    this.#invalid = new FirstOfKind(toldMax);
  }

  add(rows: readonly NewRow[]): void {
    for (const { state, code, faults } of rows) {
      const isInvalid = state === "invalid" && faults[0]?.code === STILL_AS_IT_WAS;
      if (isInvalid) this.#invalid.add(faults);
      if (isInvalid || code === AS_IT_WAS) this.#rows += 1;
    }
  }

  toldWith(found: Checked): Checked {
    if (this.#rows === 0) return found;
    const { first, rows } = this.#invalid;
    return {
      ...found,
      ...{ invalid: [...found.invalid, ...first], invalidCount: found.invalidCount + rows },
      remarks: [...found.remarks, { code: "as_they_were", facts: { rows: this.#rows } }],
    };
  }
}

function nameOf(name: RowName | undefined): string {
  return `${name?.batch}:${name?.row}`;
}

/** The rows that a page corrects, by their names. */
async function originsOf(
  { config, store }: Recording,
  page: readonly CheckedRow[],
): Promise<ReadonlyMap<string, RowRecord>> {
  const named = page.flatMap(({ retryOf }) => retryOf ?? []);
  const origins = new Map<string, RowRecord>();
  for (const [batch, of] of Map.groupBy(named, (one) => one.batch)) {
    const corrected = { batch, environment: config.environment, rows: of.map(({ row }) => row), hasHidden: true };
    for (const origin of await store.rows(corrected)) origins.set(nameOf(origin), origin);
  }
  return origins;
}

/** Without I, L, O, U: nobody mistakes a 1 or a 0, and no word comes about. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CHARACTERS = 8;

/**
 * The id of a batch comes from the file's bytes, the environment, the stated period, the sheet of a workbook, and how
 * often that was taken before (`times`).
 */
export function batchIdOf(
  file: {
    readonly sha256: string;
    readonly environment: Environment;
    readonly period?: string | undefined;
    readonly sheet?: string | undefined;
  },
  times: number,
): string {
  const sheet = file.sheet === undefined ? [] : [file.sheet];
  const said = [file.sha256, file.environment, file.period ?? "", String(times), ...sheet];
  const digest = hash("sha256", said.join("\0"), "buffer");
  let id = "";
  // a spreadsheet would change an id that looks like a number, in the list of rows to settle, and it would be unknown
  for (let from = 0; from <= digest.length - CHARACTERS && LOOKS_LIKE_NUMBER.test(id); from += 1) {
    id = [...digest.subarray(from, from + CHARACTERS)].map((byte) => ALPHABET[byte & 31]).join("");
  }
  return id;
}

const LOOKS_LIKE_NUMBER = /^\d*E?\d*$/;
