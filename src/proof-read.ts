/**
 * Everything up to sending, and a second look that needs the whole file and the past: what a clerk is told before a
 * file is dropped. With `take-in.ts` and `processor.ts` a place where stages meet.
 */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fieldText } from "./checks/cell.ts";
import { createJudge } from "./checks/duplicates.ts";
import { meet } from "./checks/same-bytes.ts";
import type { Config } from "./config/config.ts";
import { ACCOUNT_FIELD, NAME_FIELD, ROWS_WITH_A_MIDDLE, secondLook } from "./checks/second-look.ts";
import { unitsOf } from "./amount.ts";
import { isTable } from "./format.ts";
import { guessPeriod } from "./intake/period.ts";
import { takeSnapshot } from "./intake/snapshot.ts";
import { identityText } from "./intake/source-file.ts";
import { batchIdOf } from "./journal/batch-id.ts";
import { LookBack } from "./journal/look-back.ts";
import { openScratchJournal } from "./journal/sqlite-journal.ts";
import type { BatchRecord, JournalStore, RowRecord } from "./journal/store.ts";
import { openThreadedJournal } from "./journal/threaded.ts";
import { EarlierPayees } from "./earlier-payees.ts";
import { operationNamed } from "./operations/catalogue.ts";
import { labelOf } from "./operations/label.ts";
import { Origins } from "./origins.ts";
import type { Services } from "./processor.ts";
import { checkReport, type CheckReport } from "./results/check-report.ts";
import { lockstep } from "./results/lockstep.ts";
import { byStatusOf, takenText, type TakenBefore } from "./results/taken-words.ts";
import { mappingSaid, readingOf } from "./reading.ts";
import { compareToday, judgeRulesOf, writeDownRows } from "./batch/record.ts";
import { RESUMABLE_REFUSALS } from "./submission/reason.ts";
import { openInput, understand, type OpenedFile } from "./take-in.ts";

/** On a journal to throw away: no network, no keys, nothing is remembered. `all`: every complaint, not the first. */
export async function checkFile(path: string, services: Services, all = false): Promise<CheckReport> {
  const { config } = services;
  const scratch = await mkdtemp(join(tmpdir(), "paydrop-check-"));
  const journal = await openScratch(scratch, services, path);
  const past = LookBack.at(config.stateDir);
  try {
    const file = resolve(path);
    const snapshot = await takeSnapshot(path, scratch);
    const opened = await understand(await openInput(file, snapshot, services), services);
    const period = config.period ?? opened.sheet.wrapper?.period;
    const guessedPeriod = guessPeriod(basename(file));
    const asked = { sha256: snapshot.sha256, environment: config.environment, period, sheet: opened.reading.sheet };
    const known = past?.ofBytes(asked.sha256, asked.environment).filter((one) => readingOf(one).sheet === asked.sheet) ?? []; // prettier-ignore
    const lyingThere = past?.sourceBatch(file, identityText(snapshot.identity));
    const now = (services.now ?? Date.now)();
    const meeting = meet(known, { period, guessedPeriod, lyingThere }, now, config.duplicateDays);
    const taken = past && meeting.kind === "same" ? takenBefore(past, meeting.batch) : undefined;
    const id = batchIdOf(asked, known.filter((one) => one.period === period).length);
    await journal.createBatch({
      id,
      environment: config.environment,
      destination: "",
      fileName: basename(file),
      folder: dirname(file),
      format: opened.sheet.format,
      sha256: snapshot.sha256,
      sizeBytes: snapshot.sizeBytes,
      ...(guessedPeriod === undefined ? {} : { guessedPeriod }),
      choices: JSON.stringify(opened.reading),
      createdAt: now,
    });
    const { differing, caps, corrections, ...totals } = await writeTied(journal, id, opened, period, config, past);
    await journal.judgeRows(id, { ...judgeRulesOf(config), holdsWholeFile: meeting.kind === "again" });
    // a batch that was let in goes on
    const capped = taken ? [] : [caps, await compareToday(journal, opened.reading.rules, config, now)];
    await journal.openBatch(id, { ...totals, remarks: [] }, config.allOrNothing);
    const facts = {
      operation: labelOf(await journal.operations(id), opened.reading.operation).label,
      ...{ file, ...totals, columnsKnown: opened.columnsKnown, columnsAll: opened.columns.length },
      ...(await mappingSaid(opened)),
      ...(corrections ? { corrections } : {}),
      control: { sources: opened.control.map(({ source }) => source), faults: differing },
      caps: capped.flatMap(({ refused }) => refused),
      remarks: [
        ...(taken ? [takenText(taken)] : []),
        ...opened.sheet.remarks,
        ...capped.flatMap(({ remarks }) => remarks),
      ],
      // what became of each account's rows is for the results to say
      ...(taken ? { taken, accounts: totals.accounts.map((one) => ({ ...one, byStatus: {} })) } : {}),
    };
    const earlier = await EarlierPayees.of(config);
    const standing = taken && past?.rowsOf(taken.batch.id);
    const rows = lookedAtTwice(journal, id, opened, earlier, scratch, standing);
    return await checkReport(await journal.tallies(id), taken?.batch.id ?? id, rows, facts, all);
  } finally {
    past?.close();
    await journal.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The rows of a file that was sent are no second payment, and nobody waits for them: they stand as they ended. */
function takenBefore(past: LookBack, batch: BatchRecord): TakenBefore {
  const refusedForTheKey = past.refusedFor(batch.id, RESUMABLE_REFUSALS);
  return { batch, byStatus: byStatusOf(past.tallies(batch.id)), refusedForTheKey };
}

/** The journal that is thrown away knows no earlier batch: the one of the state directory does, where there is one. */
async function writeTied(
  journal: JournalStore,
  batchId: string,
  opened: OpenedFile,
  period: string | undefined,
  config: Config,
  past: LookBack | undefined,
): ReturnType<typeof writeDownRows> {
  const origins = new Origins((id) => Promise.resolve(past?.batch(id)), config);
  try {
    return await writeDownRows(journal, batchId, opened, origins, period, config);
  } finally {
    await origins.close();
  }
}

/** In a thread of its own for many rows: it takes twice the time of reading and checking them. */
async function openScratch(scratchDir: string, { config, now }: Services, path: string): Promise<JournalStore> {
  const { stateDir } = config;
  const sizeBytes = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  if (sizeBytes < THREAD_BYTES_MIN || now !== undefined)
    return openScratchJournal(scratchDir, stateDir, createJudge, now);
  return openThreadedJournal({ stateDir, scratchDir });
}

const THREAD_BYTES_MIN = 512 * 1024;

/** The rows of the journal, those that would go with what is to be looked at. */
async function* lookedAtTwice(
  journal: JournalStore,
  batchId: string,
  { sheet, mapping }: OpenedFile,
  earlier: EarlierPayees,
  scratch: string,
  standing: ReturnType<LookBack["rowsOf"]> | undefined,
): AsyncGenerator<readonly RowRecord[]> {
  const file = LookBack.at(scratch);
  if (!file) return;
  try {
    const middles = file.middleAmounts(batchId).filter(({ rows }) => rows >= ROWS_WITH_A_MIDDLE);
    const middleOf = new Map(middles.map(({ operation, amount }) => [operation, { amount, units: unitsOf(amount) }]));
    const repeats = file.repeatedPayees(batchId);
    let repeat = repeats.next();
    for await (const { rows, records } of lockstep(sheet.rows(), journal.rows(batchId))) {
      yield records.map((judged, index) => {
        const record = standing?.(judged.number) ?? judged;
        while (!repeat.done && repeat.value.row < record.number) repeat = repeats.next();
        const samePayeeIn = !repeat.done && repeat.value.row === record.number ? repeat.value.first : undefined;
        const raw = rows[index];
        const { operation, option, amount, state } = record;
        if (!raw || operation === undefined || amount === undefined || state !== "ready") return record;
        const row = mapping ? mapping.view(raw) : raw;
        const middle = middleOf.get(operation);
        const withZeros = option === "B" ? earlier.withZeros(fieldText(row, ACCOUNT_FIELD)) : undefined;
        const more = secondLook({
          ...{ row, operation: operationNamed(operation), amount, hasCells: isTable(sheet.format) },
          ...(option === undefined ? {} : { option }),
          ...(samePayeeIn === undefined ? {} : { samePayeeIn }),
          ...(middle === undefined ? {} : { middle }),
          ...(withZeros === undefined ? {} : { withZeros }),
          earlier: option === "B" ? earlier.ofName(() => fieldText(row, NAME_FIELD)) : [],
        });
        return more.length === 0 ? record : { ...record, warnings: [...(record.warnings ?? []), ...more] };
      });
    }
  } finally {
    file.close();
  }
}
