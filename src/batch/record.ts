import { dirname } from "node:path";
import { defined } from "../defined.ts";
import { compareFile, createSumCounter, type CapFindings } from "../checks/caps.ts";
import { compareControl, createControlCounter, type ControlTotals } from "../checks/control.ts";
import type { JudgeRules } from "../checks/duplicates/duplicates.ts";
import type { Config } from "../config/config.ts";
import { FileRefusedError, type FileFault } from "../errors.ts";
import type { AccountTotals, CorrectionsSaid } from "../events.ts";
import { faultPoint } from "../fault-point.ts";
import { batchIdOf } from "../journal/batch-id.ts";
import type { Environment, NewBatch } from "../journal/batch-record.ts";
import type { JournalStore } from "../journal/store.ts";
import type { Met } from "./alike.ts";
import { asIfReady, asNewRow, withFault } from "./new-row.ts";
import type { Origins } from "./origins.ts";
import { Currencies } from "./currencies.ts";
import { OtherPeriods } from "./other-periods.ts";
import { compareToday } from "./today.ts";
import { correctionsAsWritten, CorrectionsHeard } from "../results/words/correction-words.ts";
import { debitFieldOf, ownCell } from "../results/own-cell.ts";
import { TotalsCollector } from "../results/totals.ts";
import type { OpenedFile } from "../take-in.ts";

/** The batch that a file begins as. */
export function newBatchOf(
  { path, fileName, snapshot, sheet, reading }: OpenedFile,
  { period, guessedPeriod, times }: Pick<Met, "period" | "guessedPeriod" | "times">,
  { environment, destination, nowMs }: { environment: Environment; destination: string; nowMs: number },
): NewBatch {
  const { sha256, sizeBytes, identity } = snapshot;
  const id = batchIdOf({ sha256, environment, period, sheet: sheet.sheetName }, times);
  return defined({
    ...{ id, environment, destination, fileName, folder: dirname(path), format: sheet.format, sha256, sizeBytes },
    ...{ period, guessedPeriod, choices: JSON.stringify(reading), createdAt: nowMs },
    laidAt: Number(BigInt(identity.ctimeNs) / 1_000_000n),
  });
}

/** A file whose rows are written down as those of a batch. */
interface Recording {
  readonly journal: JournalStore;
  readonly batch: NewBatch;
  readonly opened: OpenedFile;
  readonly origins: Origins;
  readonly config: Config;
}

/** Reads, checks and writes down every row, then compares the control totals; only then is the batch open. */
export async function recordRows(recording: Recording, rules: JudgeRules, nowMs: number): Promise<RowsWritten> {
  const { journal, batch, opened, config } = recording;
  const { differing, caps, looks, written, ...totals } = await writeDownRows(recording);
  refuseFor(opened, [...differing, ...caps.refused]);
  await Promise.all([written, journal.judgeRows(batch.id, rules)]);
  const ofDay = await compareToday(journal, opened.reading.rules, config, nowMs);
  refuseFor(opened, ofDay.refused);
  faultPoint("rows.recorded");
  const remarks = [...opened.remarks(), ...looks, ...caps.remarks, ...ofDay.remarks];
  const opening = { rows: totals.rows, total: totals.total, remarks };
  await journal.openBatch(batch.id, opening, config.allOrNothing);
  faultPoint("batch.opened");
  return defined({ ...totals, corrections: await correctionsTold(journal, batch, totals.corrections) });
}

/** Where a period is stated for the file, corrected rows may have kept another one. */
export async function correctionsTold(
  journal: JournalStore,
  { id, period }: Pick<NewBatch, "id" | "period">,
  said: CorrectionsSaid | undefined,
): Promise<CorrectionsSaid | undefined> {
  return said && period !== undefined ? correctionsAsWritten(said, (number) => journal.row(id, number)) : said;
}

function refuseFor({ fileName }: OpenedFile, faults: readonly FileFault[]): void {
  if (faults.length > 0) throw new FileRefusedError(fileName, faults);
}

type RowsWritten = ControlTotals & {
  readonly accounts: readonly AccountTotals[];
  readonly corrections?: CorrectionsSaid;
};

interface RowsNoted extends RowsWritten {
  /** Where the control totals differ. */
  readonly differing: readonly FileFault[];
  /** What the caps say of the file. */
  readonly caps: CapFindings;
  /** Remarks on its rows as a whole. */
  readonly looks: readonly string[];
  /** The last rows are on their way: what is asked of the journal next shares their commit. */
  readonly written: Promise<unknown>;
}

/** Writes every row, checked, to the journal; the batch together with its first rows. */
export async function writeDownRows({ journal, batch, opened, origins, config }: Recording): Promise<RowsNoted> {
  const counter = createControlCounter();
  const sums = createSumCounter(opened.reading.rules);
  const accounts = new TotalsCollector();
  const heard = new CorrectionsHeard();
  const otherPeriods = new OtherPeriods(batch);
  const currencies = new Currencies();
  let writing: Promise<unknown> | undefined;
  let written: Promise<unknown> | undefined;
  for await (const rows of opened.sheet.rows()) {
    const asRead = opened.checker.check(rows);
    const ties = await origins.tie(asRead, opened.sheet.format);
    const checked = asRead.map((one, index) => withFault(one, ties[index]?.fault));
    const newRows = checked.map((one, index) => asNewRow(one, batch.period, ties[index]));
    counter.add(checked);
    sums.add(checked);
    for (const [index, one] of checked.entries()) {
      const newRow = newRows[index];
      if (!newRow) continue;
      heard.add(newRow);
      currencies.add(one);
      otherPeriods.add(newRow);
      const record = asIfReady(newRow);
      accounts.add(record, one.instruction?.debitAccount ?? ownCell(one.row, debitFieldOf(record)));
    }
    // two pages of rows are on their way while the next one is read: the journal finds one when it is done with the other
    await writing;
    writing = written;
    const created = written ? [] : [journal.createBatch(batch)];
    written = Promise.all([...created, journal.addRows(batch.id, newRows)]);
    // awaited above or below, unless what is read next refuses the file
    written.catch(() => undefined);
  }
  const allWritten = Promise.all([writing, written]);
  // awaited by the caller, unless it refuses the file
  allWritten.catch(() => undefined);
  const found = counter.totals();
  const differing = compareControl(opened.control, found, config.requireControl, {
    misnamed: opened.misnamed,
    noPayments: counter.noPayments(),
  });
  const caps = compareFile(opened.reading.rules, sums.sums);
  return defined({
    ...{ ...found, accounts: accounts.totals().accounts },
    ...{ differing, caps, looks: [...counter.remarks(), ...otherPeriods.remarks(), ...currencies.remarks()] },
    ...{ written: allWritten, corrections: heard.said() },
  });
}

export function judgeRulesOf({ duplicateDays, allowRepeats, payeeChange }: Config): JudgeRules {
  return { duplicateDays, allowRepeats, payeeChange };
}
