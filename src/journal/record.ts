import { hash } from "node:crypto";
import { rowsIn } from "../amount.ts";
import { checkFile, type Checked } from "../checks/check-file.ts";
import type { CheckedRow } from "../checks/check-row.ts";
import { keptOf, type OpenedFile } from "../checks/open-file.ts";
import { createSpool } from "../checks/spool.ts";
import type { Config } from "../config/schema.ts";
import { DAY_MS } from "../day.ts";
import { keyOf, PaymentsDigest, writtenKeyOf } from "../duplicates/keys.ts";
import { oneSpelling } from "../one-spelling.ts";
import { spoolPath } from "../state-dir.ts";
import type { BatchRecord, Environment, JournalStore, NewBatch, NewRow } from "./store.ts";

/** What a file is written down with; `check` does it on a journal that is thrown away. */
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
  const times = (await store.batches({ sha256, environment })).length;
  return {
    ...{ id: batchIdOf({ sha256, environment, period, sheet: table.reading.sheet }, times), environment, destination },
    ...{ fileName, folder, format: table.reading.format, sha256, sizeBytes, reading: keptOf(opened), createdAt: now() },
    ...(period === undefined ? {} : { period }),
  };
}

/** Each row is checked, its payload goes into the spool, and what must be remembered of it into the journal (I7). */
export async function recordRows(
  recording: Recording,
  opened: OpenedFile,
  batch: NewBatch,
  toldMax?: number,
): Promise<Checked> {
  const { config, store, now } = recording;
  const spool = createSpool(spoolPath(config.state_dir, batch.id));
  const { keySecret } = await store.facts();
  const payments = new PaymentsDigest();
  const checking = checkFile(opened, config, { now: now(), toldMax });
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const page of checking.pages()) {
      const rows = await inPeriods(
        recording,
        page.map((row) => newRowOf(row, batch.period, { keySecret, payments, spool })),
      );
      await writing;
      writing = store.addRows(batch.id, rows);
      writing.catch(() => undefined);
    }
    await writing;
  } finally {
    spool.close();
  }
  const found = checking.end();
  const { total, operation: label, remarks } = found;
  await store.endRows(batch.id, {
    ...{ rows: total.rows, total: total.amount, label, remarks, payments: payments.value() },
  });
  return found;
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
function newRowOf(checked: CheckedRow, stated: string | undefined, { keySecret, payments, spool }: Places): NewRow {
  const { row, instruction, faults, notices, notNow, operation, option, amount, retryOf } = checked;
  const { payee, zeros, payeeAs, referenceAs: reference } = checked;
  const spelled = reference && oneSpelling(reference);
  const known = {
    ...{ row: row.number, faults: notNow ? [notNow] : faults, notices, operation, option, amount, retryOf },
    period: checked.period ?? stated,
    ...{ payee: payee && keyOf(keySecret, "payee", payee), zeros },
    payeeAs: payeeAs && writtenKeyOf(keySecret, payeeAs),
    reference: spelled && keyOf(keySecret, "reference", spelled),
    referenceAs: spelled === reference ? undefined : reference && writtenKeyOf(keySecret, reference),
  };
  if (!instruction) return { ...known, state: "invalid" };
  const payment = keyOf(keySecret, "payment", instruction.payment);
  payments.add(payment);
  return { ...known, state: notNow ? "held" : "ready", payment, ...spool.add(instruction.payload) };
}

/**
 * A row that corrects another one, where no period is stated, is of the period of that one: a retry file cannot say what
 * `--period` or a file's name said.
 */
async function inPeriods({ config, store }: Recording, rows: readonly NewRow[]): Promise<readonly NewRow[]> {
  const named = rows.flatMap(({ period, retryOf }) => (period === undefined && retryOf ? [retryOf] : []));
  const periods = new Map<string, string | undefined>();
  for (const [batch, of] of Map.groupBy(named, (one) => one.batch)) {
    const corrected = { batch, environment: config.environment, rows: of.map(({ row }) => row) };
    for (const { row, period } of await store.rows(corrected)) periods.set(`${batch}:${row}`, period);
  }
  if (periods.size === 0) return rows;
  return rows.map((row) => ({
    ...row,
    period: row.period ?? periods.get(`${row.retryOf?.batch}:${row.retryOf?.row}`),
  }));
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
