import { existsSync } from "node:fs";
import { eachFolderOnce, heldFolder } from "../batch/held-folder.ts";
import type { Config } from "../config/config.ts";
import { loadWithoutKeys } from "../config/load.ts";
import { DAY_MS } from "../day.ts";
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
import { batchText, holdsText, noBatchText, phaseOf } from "./status/text.ts";
import { statusNext } from "./status/next.ts";
import { showUnknown } from "./status/unknown.ts";

/** One batch as `status` shows it. */
export interface BatchStatus {
  readonly batch: BatchRecord;
  readonly tallies: Tallies;
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
  /** Nothing of it will be sent, and the results beside its file are not complete: a process ended too early. */
  readonly owesResults?: boolean;
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
      call.stdout.write(holdsText(holds, look));
    } else for (const one of all) call.stdout.write(batchText(one, look));
    return code;
  });
}

async function everyBatch(journal: JournalStore): Promise<BatchStatus[]> {
  const all: BatchStatus[] = [];
  for (const batch of await journal.batches()) all.push({ batch, tallies: await journal.tallies(batch.id) });
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
  const owesResults = isAtEnd && (await journal.unfinished([batch.folder])).includes(batch.id);
  const folderHeld = await heldFolder({ journal, hasLock: false, keepsInbox: false }, [batch.folder]);
  return defined({ batch, tallies, history, open, resumable, notMade, waitsFor, owesResults, folderHeld });
}

async function rowsNotMade(journal: JournalStore, { duplicateDays }: Config, batchId: string): Promise<number[]> {
  const all = await journal.notMade(duplicateDays * DAY_MS);
  return all.filter(({ batch }) => batch === batchId).map(({ row }) => row);
}

function hasOpen(tallies: Tallies): boolean {
  return Object.keys(tallies).some((state) => isOpen(state as RowState));
}

function isOpen(state: RowState): boolean {
  return codeOfState(state) !== 0 || state === "rejected" || state === "invalid";
}

/**
 * The codes of all that is still open. A payment that was settled as not done waits for a retry, unless it was made
 * since. Rows that were refused for the key or the address look answered, but go again when their batch does; results
 * that are owed are written by a further run. Where the folder of the file is gone for good, nobody waits for them.
 */
async function openCodesOf(
  journal: JournalStore,
  all: readonly BatchStatus[],
  { duplicateDays }: Config,
): Promise<number[]> {
  const notMade = new Set((await journal.notMade(duplicateDays * DAY_MS)).map(({ batch }) => batch));
  const codes = all.flatMap((one) => [...openCodes(one), notMade.has(one.batch.id) ? 7 : 0]);
  const folders = [...new Set(all.map(({ batch }) => batch.folder))];
  const unfinished = new Set(folders.length === 0 ? [] : await journal.unfinished(folders));
  for (const { batch, tallies } of all.filter((one) => unfinished.has(one.batch.id))) {
    if (existsSync(batch.folder)) return [...codes, 7];
    // page by page: every row of a large file may have been refused
    const pages = rowsIn(tallies, "rejected") > 0 ? journal.rows(batch.id) : [];
    for await (const rows of pages) if (rows.some(isResumable)) return [...codes, 7];
  }
  return codes;
}

/** What `--check` says of a batch. Rejected and invalid rows are answered: they live on in a corrected file. */
function openCodes({ batch, tallies }: BatchStatus): number[] {
  const states = Object.keys(tallies) as RowState[];
  const codes = states.filter((state) => rowsIn(tallies, state) > 0).map(codeOfState);
  // what a person cancelled is not waiting for anybody, but an unknown row stays one
  return batch.phase === "cancelled" ? codes.filter((code) => code === 4) : codes;
}

function codeOfState(state: RowState): number {
  switch (state) {
    case "unknown":
      return 4;
    case "held":
      return 6;
    case "ready":
    case "sending":
    case "not_sent":
      return 7;
    case "accepted":
    case "rejected":
    case "invalid":
    case "duplicate":
    case "settled_done":
    case "settled_not_done":
      return 0;
    default:
      return state satisfies never;
  }
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
    ...("open" in status
      ? { open: status.open, history: status.history, remarks: batch.remarks, next: statusNext(status) }
      : {}),
  };
}
