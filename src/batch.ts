/** The story of a batch: snapshot → open → known? → check → record → judge → send → write. */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openFile, type OpenedFile } from "./checks/open-file.ts";
import { copiesOf, openKept } from "./checks/open-kept.ts";
import { checkFile, type Checked } from "./checks/check-file.ts";
import type { Config } from "./config/schema.ts";
import { PaydropError } from "./errors.ts";
import type { BatchReport, CheckedFile, RunEvent } from "./events.ts";
import { faultPoint } from "./fault-point.ts";
import { assertMark, keepMark } from "./intake/mark.ts";
import { takeSnapshot } from "./intake/snapshot.ts";
import { askApproval } from "./journal/approval.ts";
import { batchNamed } from "./journal/circumstances.ts";
import { judgeBatch, judgeWaiting } from "./journal/judge.ts";
import { findKnown, newBatchOf, recordRows, type Recording } from "./journal/record.ts";
import type { Sight } from "./postgres/sight.ts";
import type { Act, BatchRecord, JournalStore, NewBatch, Who } from "./journal/store.ts";
import { ofBatch } from "./messages/commands.ts";
import { isStopOfRest, stopFor, type Stop } from "./messages/outcomes.ts";
import { asWord } from "./printable.ts";
import { keptStop } from "./results/summary.ts";
import { knownFile, toldOf } from "./results/told.ts";
import { writeResults } from "./results/write.ts";
import { snapshotPath, spoolPath } from "./state-dir.ts";
import { wake } from "./submission/again.ts";
import { assertEnvironment, stopBefore } from "./submission/may-go.ts";
import type { ShareQueue } from "./submission/queue.ts";
import type { Shared } from "./submission/shared.ts";
import { sendShares, type Sent } from "./submission/shares.ts";

/** What the steps of all batches of a process stand on. */
export interface Work {
  readonly config: Config;
  readonly store: JournalStore;
  readonly who: Who;
  /** Where rows go, as it stands in their batch: the base URL, or `sandbox`. */
  readonly destination: string;
  /** The service is the sandbox in this process: no folder is marked (I12). */
  readonly isTrial: boolean;
  /** Lanes, pace and what stops all batches of this process. */
  readonly shared: Shared;
  readonly signals: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly tell: (event: RunEvent) => void;
  /** Tells that a folder could not be marked (I12). */
  readonly unmarked?: ((folder: string, why: unknown) => void) | undefined;
  /** Asks a person before the first row of a file goes; nobody is asked without it. */
  readonly confirm?: ((checked: CheckedFile) => Promise<boolean>) | undefined;
  /** Work of the same name waits for its turn: one file is taken at a time, and one run works on a batch. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Of a journal that several hosts share (§13): where they learn of shares to send. */
  readonly queue?: ShareQueue | undefined;
  /** Of a journal that several hosts share: whether its server answers. */
  readonly sight?: Sight | undefined;
}

/**
 * Takes a file, sends what may go, and writes beside it what happened to each row. undefined: a person was asked and
 * said no; nothing is remembered of it. `seen`: the hash by which it was found complete in a folder.
 */
export async function runFile(work: Work, path: string, seen?: string): Promise<BatchReport | undefined> {
  const startedAt = work.now();
  const taken = await work.inTurn("a file", () => takeFile(work, path, seen));
  return taken && work.inTurn(taken.id, () => sendAndWrite(work, taken.id, { startedAt, ...taken }));
}

/** Goes on with a batch, with all that the next run of its file would send. */
export function goOn(work: Work, id: string): Promise<BatchReport> {
  return work.inTurn(id, async () => {
    const startedAt = work.now();
    await wakeUp(work, await batchNamed(work.store, id));
    return sendAndWrite(work, id, { startedAt, isKnown: true });
  });
}

/** Sends what a person let go of a batch, and writes its results again. */
export function sendReady(work: Work, id: string): Promise<BatchReport> {
  return work.inTurn(id, () => sendAndWrite(work, id, { startedAt: work.now(), isKnown: true }));
}

/** Writes the results again, from journal and snapshot (I11). Nothing is sent. */
export async function writeAgain(
  work: Pick<Work, "store" | "config">,
  id: string,
  { retryFormat }: { readonly retryFormat?: "xlsx" | undefined } = {},
): Promise<BatchReport> {
  const batch = await batchNamed(work.store, id);
  const kept = await openKept(work, batch);
  const report = await writeResults({ ...work, batch, ...kept, retryFormat });
  // while rows are on their way its process writes them once more, at its end
  const isOver = report.files.elsewhere === undefined && batch.onItsWay === 0;
  if (isOver && batch.owesResults) await work.store.setBatch(id, { owesResults: false });
  return report;
}

interface Taken {
  readonly id: string;
  /** An earlier run had taken it. */
  readonly isKnown: boolean;
  /** By a file of the same bytes under another name. */
  readonly copy?: string;
  readonly checked?: CheckedFile;
}

interface Begun extends Omit<Taken, "id"> {
  readonly startedAt: number;
}

/** snapshot → open → known? */
async function takeFile(work: Work, path: string, seen: string | undefined): Promise<Taken | undefined> {
  const { config, store } = work;
  await assertEnvironment(work);
  const snapshot = await takeSnapshot(path, config.state_dir, seen);
  faultPoint("snapshot.taken");
  const opened = await openFile(snapshot, config);
  const known = await findKnown(work, opened);
  const lost = work.isTrial
    ? undefined
    : await assertMark(snapshot.folder, store, { accepted: config.accept_lost_journal });
  const isCopy = known?.fileName !== snapshot.fileName || known.folder !== snapshot.folder;
  const asCopy = isCopy ? { copy: path } : {};
  const taken = known ? { id: known.id, isKnown: true, ...asCopy } : await recordFile(work, opened);
  if (!taken) return undefined;
  if (lost !== undefined) await store.setBatch(taken.id, {}, actOf(work, "accept_lost_journal", { note: lost }));
  if (!known) return taken;
  await store.setBatch(known.id, { source: snapshot });
  await wakeUp(work, known);
  const isOpen = known.phase === "open";
  return !isOpen || (await isWanted(work, knownFile(await batchNamed(store, known.id)))) ? taken : undefined;
}

/** A person is asked, where one is there and anything would go. */
async function isWanted({ confirm }: Work, told: CheckedFile): Promise<boolean> {
  return !confirm || !told.byStatus.not_sent || confirm(told);
}

/** check → record → judge: a new batch is open when all its rows are judged, and nothing of it goes before (I14). */
async function recordFile(work: Work, opened: OpenedFile): Promise<Taken | undefined> {
  const { config, store } = work;
  const batch = await newBatchOf(work, opened);
  await store.addBatch(batch);
  try {
    const found = await checkAndRecord(work, opened, batch);
    await store.hosts.keepCopies(batch.id, pathsOf(config, batch), spoolPath(config.state_dir, batch.id));
    faultPoint("rows.recorded");
    // asked outside of the lock, and judged once more: nobody else waits while a person reads
    if (work.confirm) {
      const told = await store.judging(() => judge(work, found, batch.id));
      if (!(await isWanted(work, told))) {
        await forget(work, batch.id);
        return undefined;
      }
    }
    return await store.judging(async () => {
      const checked = await judge(work, found, batch.id);
      const { owner } = opened.snapshot;
      // by a folder's watch nobody else is known
      const brought = { at: work.now(), kind: "bring_file", host: work.who.host, as: asWord(batch.fileName) } as const;
      if (owner !== undefined) await store.setBatch(batch.id, {}, { ...brought, login: owner });
      await askApproval(store, await batchNamed(store, batch.id), config, actOf(work, "ask_approval"));
      await store.setBatch(batch.id, { phase: "open", owesResults: true, source: opened.snapshot });
      faultPoint("batch.opened");
      return { id: batch.id, isKnown: false, checked };
    });
  } catch (thrown) {
    await forget(work, batch.id).catch(() => undefined);
    throw thrown;
  }
}

/**
 * Each row is checked, and what must be remembered of it written down; `check` does it on a journal that is thrown away.
 * `toldMax`: faults of a kind that are told.
 */
export function checkAndRecord(
  work: Recording,
  opened: OpenedFile,
  batch: NewBatch,
  toldMax?: number,
): Promise<Checked> {
  const checking = checkFile(opened, work.config, { now: work.now(), toldMax });
  return recordRows(work, checking, batch, toldMax);
}

/** Within `judging`: what became of the rows, and what was found before. */
export async function judge(work: Recording, found: Checked, id: string, toldMax?: number): Promise<CheckedFile> {
  await judgeBatch(work.store, { id }, work.config, work.now());
  return toldOf(work, found, id, toldMax);
}

/** The private copies of a batch, by their hashes. */
const pathsOf = ({ state_dir }: Config, batch: NewBatch): ReadonlyMap<string, string> =>
  new Map(copiesOf(batch).map((sha256) => [sha256, snapshotPath(state_dir, sha256)]));

/** Of a file that was refused, or that a person did not want: nothing stays. */
async function forget({ config, store }: Work, id: string): Promise<void> {
  await store.dropBatch(id);
  rmSync(spoolPath(config.state_dir, id), { force: true });
}

/** What the next run lets go again; each such row is judged once more (I14). */
async function wakeUp(work: Work, { id, phase }: BatchRecord): Promise<void> {
  if (phase !== "open") return;
  const { store, config, now } = work;
  await store.judging(() => wake(store, id, "run", { act: actOf(work, "retry"), now: now(), rules: config }));
}

/** So long a host that died may still seem to be at work. */
const ELSEWHERE_MS = 20_000;

/** One run at a time works on a batch, also over several hosts. */
async function sendAndWrite(work: Work, id: string, begun: Begun): Promise<BatchReport> {
  const { hosts } = work.store;
  const name = `batch ${id}`;
  const untilMs = performance.now() + ELSEWHERE_MS;
  while (!(await hosts.lease(name))) {
    if (work.signals.soft.aborted || performance.now() > untilMs)
      throw new PaydropError("batch_elsewhere", { batch: id });
    await sleep(1000);
  }
  return conduct(work, id, begun).finally(() => hosts.giveBack(name));
}

/** send → write, as one run that the journal keeps. */
async function conduct(work: Work, id: string, begun: Begun): Promise<BatchReport> {
  const { config, store, now } = work;
  const { startedAt, isKnown, copy } = begun;
  const batch = await askApproval(store, await batchNamed(store, id), config, actOf(work, "ask_approval"));
  // first: of a file that cannot be read again nothing goes, for its results could not be written
  const kept = await openKept(work, batch);
  const run = await store.beginRun(id, work.who, startedAt);
  if (batch.tallies.ready && !batch.owesResults) await store.setBatch(id, { owesResults: true });
  const { requests, stop: found } = await send(work, batch, run, begun);
  const after = await batchNamed(store, id);
  const stop = found && tellStop(work, after, found);
  const facts = { startedAt, endedAt: now(), requests, stop };
  const isOver = isKnown && requests === 0 && !stop && !after.tallies.not_sent;
  const sentBefore = isOver ? batch.createdAt : undefined;
  const report = await writeResults({ config, store, batch: after, ...kept, run: facts, copy, sentBefore });
  const { exitCode, files } = report;
  await store.endRun(run, { endedAt: facts.endedAt, exitCode, requests, ...(stop ? { stop: keptStop(stop) } : {}) });
  await store.judging(() => judgeWaiting(store, [id], batch.environment, config, now()));
  // last: whoever is cut off before this is gone on with
  await store.setBatch(id, { owesResults: files.elsewhere !== undefined });
  return report;
}

/** Sends what is ready (README §8); where nothing is, or nothing may go, it only says so. */
async function send(work: Work, batch: BatchRecord, run: number, { isKnown, checked }: Begun): Promise<Sent> {
  const { config, store, shared, signals, destination, tell } = work;
  const { ready = { rows: 0, amount: "0.00" } } = batch.tallies;
  const start = { batch: batch.id, checked: checked ?? knownFile(batch), resumed: isKnown };
  tell({ type: "start", ...start, toSend: ready.rows, toSendTotal: ready.amount });
  if (ready.rows === 0) return { requests: 0 };
  const stop = await stopBefore(work, batch, actOf(work, "accept_destination"));
  if (stop) return { requests: 0, stop };
  const other = new AbortController();
  const mark = work.isTrial ? undefined : await markOf(work, batch, (lost) => other.abort(lost));
  try {
    const soft = AbortSignal.any([signals.soft, other.signal]);
    const submitted = await shared.together(async () => {
      const sender = await shared.sender();
      // the first row goes meanwhile
      const offered = work.queue?.offer(batch);
      const sending = { ...work, sender, concurrency: config.concurrency, signals: { ...signals, soft } };
      return sendShares(sending, { ...batch, destination }, run).finally(() => offered);
    });
    if (submitted.stop?.code !== "folder_held") return submitted;
    const held = (await store.heldFolders()).find(({ folder }) => `${batch.folder}/`.startsWith(`${folder}/`));
    return { ...submitted, stop: stopFor("folder_held", { inbox: held?.folder ?? batch.folder }) };
  } finally {
    await mark?.close();
    if (other.signal.aborted) throw other.signal.reason as Error;
  }
}

/** I12: a person's word is taken, and noted, also for a batch that goes on. */
async function markOf(work: Work, { id, folder }: BatchRecord, lost: (error: PaydropError) => void) {
  const { config, store } = work;
  const accepted = await assertMark(folder, store, { accepted: config.accept_lost_journal });
  if (accepted !== undefined) await store.setBatch(id, {}, actOf(work, "accept_lost_journal", { note: accepted }));
  return keepMark(folder, store, lost, (why) => work.unmarked?.(folder, why));
}

/** Tells of a stop; one that is only about the rest says nothing where no row is left, and is none. */
function tellStop({ tell }: Work, { id, tallies }: BatchRecord, found: Stop): Stop | undefined {
  const remaining = tallies.ready?.rows ?? 0;
  if (isStopOfRest(found.code) && remaining === 0 && !tallies.not_sent) return undefined;
  const stop = ofBatch(found, id);
  tell({ type: "stopped", batch: id, stop, remaining });
  return stop;
}

/** An act of whoever runs this process. */
export function actOf({ who, now }: Pick<Work, "who" | "now">, kind: Act["kind"], more: Partial<Act> = {}): Act {
  return { ...who, at: now(), kind, ...more };
}
