import { eachFolderOnce, heldFolder } from "../batch/held-folder.ts";
import type { Config } from "../config/config.ts";
import { loadWithoutKeys } from "../config/load.ts";
import { defined } from "../defined.ts";
import { PaydropError } from "../errors.ts";
import type { Stop } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import type { RowState } from "../journal/state.ts";
import type { RowName } from "../checks/correction.ts";
import type { BatchRecord, Tallies } from "../journal/batch-record.ts";
import type { Act, HeldInbox, JournalStore } from "../journal/store.ts";
import { withProcessor } from "../processor.ts";
import { roomOf } from "../results/screen/look.ts";
import { countsOf, rowsIn } from "../results/words/status.ts";
import { isResumable } from "../reason.ts";
import type { Call } from "./command.ts";
import { knownBatch } from "./known-batch.ts";
import { lookOf } from "./screen/look-of.ts";
import { batchTable } from "./status/table.ts";
import { batchText, holdsText, noBatchText, owedText, phaseOf } from "./status/text.ts";
import { statusNext } from "./status/next.ts";
import { codeOfState, openCodesOf, owesOnlyResults, rowsNotMade } from "./status/still-open.ts";
import { showUnknown } from "./status/unknown.ts";

/** One batch as `status` shows it. */
export interface BatchStatus {
  readonly batch: BatchRecord;
  readonly tallies: Tallies;
  /** Rows of it may go, or its results are owed. */
  readonly isUnfinished?: boolean;
  /** Nothing of it will be sent, and the results beside its file are not complete: they could not be written. */
  readonly owesResults?: boolean;
}

/** One batch in full: its history, and the rows that a person must look at. */
export interface FullStatus extends BatchStatus {
  readonly history: readonly Act[];
  readonly open: Readonly<Partial<Record<RowState, readonly number[]>>>;
  /** How many rejected rows were refused for the key or the address, and need no correction. */
  readonly resumable: number;
  /** Rows that were settled as not done, and that nothing has paid since. */
  readonly notMade?: readonly number[];
  /** Where no held row can be released yet: what the first of them waits for. */
  readonly waitsFor?: RowName;
  /** Nothing of its folder goes. */
  readonly folderHeld?: Stop;
}

/** Exit 0; with `--check` the code of the gravest thing that is still open. */
export async function run(call: Call): Promise<number> {
  const config = loadWithoutKeys(call);
  if (call.flags["csv"] === true && call.flags["unknown"] !== true) {
    throw new PaydropError("usage", "--csv is for the list of unknown rows", "paydrop status --unknown --csv");
  }
  if (call.flags["unknown"] === true) return showUnknown(call, config);
  return withProcessor({ config }, "read", async ({ journal }) => {
    const said = call.operands[0];
    const all = said === undefined ? await everyBatch(journal) : [await oneBatch(journal, said, config)];
    // files that wait in a held folder are no batches yet
    const holds = said === undefined ? await eachFolderOnce(await journal.inboxHolds()) : [];
    const open =
      call.flags["check"] === true ? [...(await openCodesOf(journal, all, config)), ...holds.map(() => 7)] : [];
    const code = gravest(open);
    if (config.quiet && code === 0) return code;
    const look = lookOf(call.stdout, call, config);
    if (config.json) {
      const summary = { type: "summary", batches: all.length, exit_code: code };
      for (const one of [...all.map(batchObject), ...holds.map(holdObject), summary])
        call.stdout.write(`${JSON.stringify(one)}\n`);
    } else if (said === undefined) {
      call.stdout.write(all.length === 0 ? noBatchText(config) : batchTable(all, roomOf(look)));
      call.stdout.write(owedText(all, look) + holdsText(holds, look));
    } else for (const one of all) call.stdout.write(batchText(one, look));
    return code;
  });
}

async function everyBatch(journal: JournalStore): Promise<BatchStatus[]> {
  const all: BatchStatus[] = [];
  const batches = await journal.batches();
  const folders = new Set(batches.map(({ folder }) => folder));
  const unfinished = new Set(folders.size === 0 ? [] : await journal.unfinished([...folders]));
  for (const batch of batches) {
    const tallies = await journal.tallies(batch.id);
    const isUnfinished = unfinished.has(batch.id);
    const owesResults = isUnfinished && (await owesOnlyResults(journal, batch, tallies));
    all.push({ batch, tallies, isUnfinished, owesResults });
  }
  return all;
}

/** As many row numbers of one state as are worth showing. */
const ROWS_SHOWN_MAX = 1000;

async function oneBatch(journal: JournalStore, said: string, config: Config): Promise<FullStatus> {
  const batch = await knownBatch(journal, said);
  const tallies = await journal.tallies(batch.id);
  const open: Partial<Record<RowState, number[]>> = {};
  let resumable = 0;
  // of a batch in which every row is at its end no row is read
  for await (const rows of hasOpen(tallies) ? journal.rows(batch.id) : []) {
    for (const row of rows) {
      if (!isOpen(row.state)) continue;
      if (isResumable(row)) resumable += 1;
      const numbers = (open[row.state] ??= []);
      if (numbers.length < ROWS_SHOWN_MAX) numbers.push(row.number);
    }
  }
  const notMade = tallies.settled_not_done && (await rowsNotMade(journal, config, batch.id));
  const waitsFor = tallies.held && (await journal.blockedBy(batch.id));
  const history = await journal.history(batch.id);
  const isAtEnd = rowsIn(tallies, "ready", "sending", "not_sent") === 0 && resumable === 0;
  const isUnfinished = (await journal.unfinished([batch.folder])).includes(batch.id);
  const owesResults = isAtEnd && isUnfinished;
  const folderHeld = await heldFolder({ journal, hasLock: false, keepsInbox: false }, [batch.folder]);
  return defined({
    batch,
    tallies,
    history,
    open,
    resumable,
    notMade,
    waitsFor,
    isUnfinished,
    owesResults,
    folderHeld,
  });
}

function hasOpen(tallies: Tallies): boolean {
  return Object.keys(tallies).some((state) => isOpen(state as RowState));
}

function isOpen(state: RowState): boolean {
  return codeOfState(state) !== 0 || state === "rejected" || state === "invalid";
}

function holdObject({ folder, code, at, message }: HeldInbox): Record<string, unknown> {
  return { type: "inbox", folder, held: code, message, held_since: new Date(at).toISOString() };
}

function batchObject(status: BatchStatus | FullStatus): Record<string, unknown> {
  const { batch, tallies } = status;
  const amount = Object.entries(tallies).map(([state, tally]) => [state, tally.amount]);
  const { fileName, folder, environment, destination, archive, createdAt, period } = batch;
  const phase = phaseOf(status);
  return {
    ...{ type: "batch", batch: batch.id, file: fileName, folder, environment, destination, phase, archive },
    ...{ created_at: new Date(createdAt).toISOString(), period },
    rows: { total: batch.rows, ...countsOf(tallies) },
    amount: { total: batch.total, ...Object.fromEntries(amount) },
    owes_results: status.owesResults === true,
    ...("open" in status
      ? { open: status.open, history: status.history, remarks: batch.remarks, next: statusNext(status) }
      : {}),
  };
}
