/**
 * Everything up to sending, and a second look that needs the whole file and the past: what a clerk is told before a
 * file is dropped. With `take-in.ts` and `processor.ts` a place where stages meet.
 */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fieldText } from "./checks/cell.ts";
import { createJudge } from "./checks/duplicates.ts";
import type { Config } from "./config/config.ts";
import { ACCOUNT_FIELD, NAME_FIELD, ROWS_WITH_A_MIDDLE, secondLook } from "./checks/second-look.ts";
import { unitsOf } from "./amount.ts";
import { isTable } from "./format.ts";
import { guessPeriod } from "./intake/period.ts";
import { takeSnapshot } from "./intake/snapshot.ts";
import { batchIdOf } from "./journal/batch-id.ts";
import { LookBack } from "./journal/look-back.ts";
import { openScratchJournal } from "./journal/sqlite-journal.ts";
import type { JournalStore, RowRecord } from "./journal/store.ts";
import { openThreadedJournal } from "./journal/threaded.ts";
import { EarlierPayees } from "./earlier-payees.ts";
import { operationNamed } from "./operations/catalogue.ts";
import { labelOf } from "./operations/label.ts";
import { Origins } from "./origins.ts";
import type { Services } from "./processor.ts";
import { checkReport, type CheckReport } from "./results/check-report.ts";
import { lockstep } from "./results/lockstep.ts";
import { mappingSaid } from "./reading.ts";
import { compareToday, judgeRulesOf, writeDownRows } from "./batch/record.ts";
import { openInput, understand, type OpenedFile } from "./take-in.ts";

/** On a journal to throw away: no network, no keys, nothing is remembered. `all`: every complaint, not the first. */
export async function checkFile(path: string, services: Services, all = false): Promise<CheckReport> {
  const { config } = services;
  const scratch = await mkdtemp(join(tmpdir(), "paydrop-check-"));
  const journal = await openScratch(scratch, services, path);
  try {
    const file = resolve(path);
    const snapshot = await takeSnapshot(path, scratch);
    const opened = await understand(await openInput(file, snapshot, services), services);
    const period = config.period ?? opened.sheet.wrapper?.period;
    const guessedPeriod = guessPeriod(basename(file));
    const identity = { sha256: snapshot.sha256, environment: config.environment, period, sheet: opened.reading.sheet };
    const id = batchIdOf(identity, 0);
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
      createdAt: (services.now ?? Date.now)(),
    });
    const now = (services.now ?? Date.now)();
    const { differing, caps, corrections, ...totals } = await writeTied(journal, id, opened, period, config);
    await journal.judgeRows(id, judgeRulesOf(config));
    const ofDay = await compareToday(journal, opened.reading.rules, config, now);
    await journal.openBatch(id, { ...totals, remarks: [] }, config.allOrNothing);
    const facts = {
      operation: labelOf(await journal.operations(id), opened.reading.operation).label,
      ...{ file, ...totals, columnsKnown: opened.columnsKnown, columnsAll: opened.columns.length },
      ...(await mappingSaid(opened)),
      ...(corrections ? { corrections } : {}),
      control: { sources: opened.control.map(({ source }) => source), faults: differing },
      caps: [...caps.refused, ...ofDay.refused],
      remarks: [...takenBefore(config, id), ...opened.sheet.remarks, ...caps.remarks, ...ofDay.remarks],
    };
    const earlier = await EarlierPayees.of(config);
    return await checkReport(journal, id, lookedAtTwice(journal, id, opened, earlier, scratch), facts, all);
  } finally {
    await journal.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Without it the rows of a file that was sent look like those of a second payment. */
function takenBefore({ stateDir }: Config, batchId: string): string[] {
  const past = LookBack.at(stateDir);
  try {
    if (!past?.batch(batchId)) return [];
    return [
      `this very file was taken in before, as batch ${batchId}; paydrop status ${batchId} says what became of its rows`,
    ];
  } finally {
    past?.close();
  }
}

/** The journal that is thrown away knows no earlier batch: the one of the state directory does, where there is one. */
async function writeTied(
  journal: JournalStore,
  batchId: string,
  opened: OpenedFile,
  period: string | undefined,
  config: Config,
): ReturnType<typeof writeDownRows> {
  const past = LookBack.at(config.stateDir);
  const origins = new Origins((id) => Promise.resolve(past?.batch(id)), config);
  try {
    return await writeDownRows(journal, batchId, opened, origins, period, config);
  } finally {
    await origins.close();
    past?.close();
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
): AsyncGenerator<readonly RowRecord[]> {
  const file = LookBack.at(scratch);
  if (!file) return;
  try {
    const middles = file.middleAmounts(batchId).filter(({ rows }) => rows >= ROWS_WITH_A_MIDDLE);
    const middleOf = new Map(middles.map(({ operation, amount }) => [operation, { amount, units: unitsOf(amount) }]));
    const repeats = file.repeatedPayees(batchId);
    let repeat = repeats.next();
    for await (const { rows, records } of lockstep(sheet.rows(), journal.rows(batchId))) {
      yield records.map((record, index) => {
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
