import { knownBatch } from "../acts/act.ts";
import { isSending, withWork } from "../acts/open.ts";
import type { Work } from "../batch.ts";
import { dayOf, isoSecond } from "../day.ts";
import { PaydropError } from "../errors.ts";
import type { ByStatus } from "../events.ts";
import { exitCodeOf, gravest } from "../exit-codes.ts";
import { waitsIn, type Waits } from "../inbox/at-work.ts";
import { assertMark } from "../intake/mark.ts";
import { isUnapproved, waitsForApproval } from "../journal/approval.ts";
import type { RowState } from "../journal/states.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { complete } from "../messages/commands.ts";
import { STATUS_WORDS } from "../messages/results.ts";
import { commandLine, counted, todoLine, told, toldLines } from "../messages/sentence.ts";
import { namedRows, STATUSES, stepFor } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { detailText } from "../results/details.ts";
import { inStatements, seenRemarks } from "../results/in-statement.ts";
import { historyOf } from "../results/report.ts";
import { iso, messageObject, remarkTexts, runObject, sumsObject } from "../results/summary.ts";
import { byStatusOf, nextOf, occurringIn, recordsOf, TotalsCollector, type Totals } from "../results/totals.ts";
import { nextObject } from "../screen/json-lines.ts";
import { nextLines, paperOf, textOf, type Look } from "../screen/look.ts";
import { periodPart, statusTable } from "../screen/summary-text.ts";
import { HOST_WORDS } from "../messages/hosts.ts";
import { REJECTED_FOR } from "../submission/again.ts";
import { commandsIn, show, type Call } from "./command.ts";
import { hostLines } from "./status-hosts.ts";
import { detailsIn, historyLines, showActs, showUnknown } from "./status-lists.ts";

interface BatchStatus {
  readonly batch: BatchRecord;
  readonly byStatus: ByStatus;
  /** `ended`: nothing of it waits for a person or a run. */
  readonly phase: BatchRecord["phase"] | "ended";
  /** Of the rows that were looked at, for `states`. */
  readonly totals: Totals;
  /** The code of the gravest thing that is still open. */
  readonly code: number;
}

export function run(call: Call): Promise<number> {
  return withWork(call, "read", async (work, config) => {
    const { unknown, acts, check } = call.flags;
    if (unknown === true) return showUnknown(work, call);
    if (acts === true || call.flags["since"] !== undefined) return showActs(work, call);
    const { store } = work;
    const said = call.operands[0];
    const batches = said === undefined ? await store.batches({}) : [await knownBatch(store, said)];
    const all = await statusesOf(store, batches, { isFull: said !== undefined });
    const holds = said === undefined ? await store.heldFolders() : [];
    const losses = await lossesOf(work, batches);
    const open = [...all.map((one) => one.code), ...holds.map(() => 7), ...losses.map(exitCodeOf)];
    const code = check === true ? gravest(open) : 0;
    const { look } = paperOf(call.stdout, config, call.flags);
    const tell = (line: object, lines: readonly string[]): void => show(call, config, line, textOf(lines), code);
    for (const loss of losses)
      tell({ type: "journal", code: loss.reason, ...messageObject(loss) }, [
        printable(loss.text),
        `  → ${printable(todoLine(loss))}`,
      ]);
    const waitsOf = await waitsIn(work);
    for (const one of all) {
      const waits = waitsOf(one.batch);
      if (said === undefined) tell(batchObject(one, waits), shortLines(one, waits));
      else tell(...(await inFull(one, work, call, look)));
    }
    for (const { folder, reason: held, at } of holds) {
      const facts = { folder: printable(folder), at: isoSecond(at) };
      const resume = complete(told(STATUS_WORDS.held, { ...facts, inbox: folder }), { all: look.again ?? {} });
      const line = { type: "inbox", folder, held, held_since: iso(at), ...commandsIn(resume) };
      tell(line, [resume.text, ...resume.commands.map((command) => `  ${commandLine(command)}`)]);
    }
    const hosts = said === undefined ? await store.hosts.all() : [];
    for (const host of hosts) tell(...hostLines(host));
    const loss = said === undefined ? await store.hosts.loss() : undefined;
    if (loss !== undefined)
      tell({ type: "journal_loss", found: loss }, [toldLines(told(HOST_WORDS.loss, { found: loss }))]);
    const waits = said === undefined ? await store.hosts.waitsFor() : [];
    if (waits.length > 0)
      tell({ type: "waits_for", hosts: waits }, [toldLines(told(HOST_WORDS.waits, { hosts: waits.join(", ") }))]);
    const none = told(STATUS_WORDS.none, { folder: printable(config.state_dir) }).text;
    tell({ type: "summary", batches: all.length, exit_code: code }, all.length === 0 ? [none] : []);
    return code;
  });
}

/** I12: why nothing goes with this journal, whatever is open: it knows less than its server, or the marks of its folders, did. */
async function lossesOf({ store, config }: Work, batches: readonly BatchRecord[]): Promise<PaydropError[]> {
  const found = await store.hosts.loss();
  if (found !== undefined) return [new PaydropError("server_lost_commit", { found })];
  // of a shared journal a folder of that path may be another one on each host
  const folders = config.shared ? [] : new Set(batches.map(({ folder }) => folder));
  const losses: PaydropError[] = [];
  for (const folder of folders) {
    await assertMark(folder, store).catch((error: unknown) => {
      // whoever looks may have no right to read there
      if (error instanceof PaydropError && error.reason !== "mark_unreadable") losses.push(error);
    });
  }
  return losses;
}

/** `isFull`: all rows that are open are looked at, not only those that the sums don't tell of. */
export async function statusesOf(
  store: JournalStore,
  batches: readonly BatchRecord[],
  { isFull }: { isFull: boolean },
) {
  const found = await store.batches({ isUnfinished: true, rejectedFor: REJECTED_FOR });
  const unfinished = new Set(found.map(({ id }) => id));
  const all: BatchStatus[] = [];
  for (const batch of batches) {
    const { id, tallies, onItsWay, phase } = batch;
    const collector = new TotalsCollector();
    const going: readonly RowState[] = isFull || onItsWay > 0 ? GOING : [];
    const states = [...going, ...TO_CORRECT, ...(isFull ? (["held"] as const) : [])].filter((state) => tallies[state]);
    if (states.length > 0)
      for await (const page of recordsOf(store, id, { states }))
        for (const record of page) if (!record.onItsWay) collector.add(record);
    const totals = collector.totals();
    const { ready: _ready, not_sent: _notSent, ...others } = tallies;
    const byStatus = { ...(going.length > 0 ? others : byStatusOf(tallies)), ...totals.byStatus };
    // what is on its way is no news to whoever watches: what an ended process left there is unknown by now
    const code = openCode(batch, totals.toCorrect, unfinished.has(id) && onItsWay === 0);
    all.push({ batch, byStatus, totals, code, phase: phase === "open" && code === 0 ? "ended" : phase });
  }
  return all;
}

const GOING = ["unknown", "ready", "not_sent", "settled_not_done"] as const;
const TO_CORRECT = ["rejected", "invalid"] as const;

/** What was cancelled waits for nobody; an unknown row stays unknown. */
function openCode(batch: BatchRecord, toCorrect: number, isUnfinished: boolean): number {
  const { phase, tallies } = batch;
  const isWaiting = isUnfinished || tallies.not_sent || tallies.settled_not_done;
  const open = [isWaiting ? (waitsForApproval(batch) ? 6 : 7) : 0, toCorrect > 0 ? 3 : 0, tallies.held ? 6 : 0];
  return gravest([tallies.unknown ? 4 : 0, ...(phase === "cancelled" ? [] : open)]);
}

function shortLines({ batch, byStatus, totals, phase }: BatchStatus, waits: Waits | undefined): string[] {
  const { id, rows, total, createdAt, fileName, label, period, onItsWay, owesResults } = batch;
  const size = [counted(rows), total, printable(fileName, 60)];
  const what = [id, phase, dayOf(createdAt), ...size, label, ...periodPart(period)];
  const counts = [
    ...occurringIn(byStatus).map(([name, tally]) => `${tally.rows} ${STATUSES[name].word}`),
    ...(totals.toCorrect > 0 && phase !== "cancelled"
      ? [told(STATUS_WORDS.to_correct, { rows: totals.toCorrect }).text]
      : []),
    ...(onItsWay > 0 ? [told(STATUS_WORDS.on_their_way, { rows: onItsWay }).text] : []),
    ...(waits ? [waits.text] : []),
    ...(owesResults ? [STATUS_WORDS.owes_results] : []),
  ];
  return [what.join("  "), `  ${counts.join(", ")}`];
}

/** One batch in full: its sums, the rows to look at, who did what, what to do. */
export async function tellBatch(status: BatchStatus, { store, config }: Pick<Work, "store" | "config">) {
  const { batch, totals, phase } = status;
  const { id, onItsWay } = batch;
  const found = nextOf(batch, totals, { owesResults: batch.owesResults && onItsWay === 0 });
  const isLeft = found.length === 0 && totals.toCorrect > 0 && phase !== "cancelled";
  const next = isLeft ? [stepFor("to_close", { batch: id })] : found;
  const [acts, runs] = await Promise.all([store.acts({ batch: id }), store.runs(id)]);
  const corrected = totals.remarks.filter(({ code }) => code === "corrected_since");
  const seen = seenRemarks(batch, await inStatements(store, id));
  const remarks = remarkTexts([...batch.remarks, ...corrected, ...seen]);
  const waits = (await waitsIn({ store, config }))(batch);
  const way = onItsWay > 0 ? [told(STATUS_WORDS.on_their_way, { rows: onItsWay }).text] : waits ? [waits.text] : [];
  return { ...status, waits, way, next, remarks, acts, runs, history: historyOf(acts, runs, isSending(config)) };
}

/** The same for a program and for a terminal. */
async function inFull(
  status: BatchStatus,
  work: Work,
  call: Call,
  look: Look,
): Promise<readonly [line: object, lines: readonly string[]]> {
  const { batch, byStatus, totals, phase, waits, way, next, remarks, acts, runs, history } = await tellBatch(
    status,
    work,
  );
  const { id, createdAt, destination, environment, folder } = batch;
  const { rowsToLookAt: open } = totals;
  // names are for whoever looks: a program's line has the numbers of rows
  const named = work.config.json ? [] : Object.values(open).flatMap((rows) => rows.map((row) => ({ row })));
  const detailOf = await detailsIn(work, batch, named, call);
  const rowLines = (rows: readonly number[]): readonly string[] =>
    rows.flatMap((row) => {
      const text = detailText(detailOf(row));
      return text === "" ? [] : `  row ${row}   ${text}`;
    });
  const texts = [
    ...way,
    ...occurringIn(open).flatMap(([name, rows]) => [
      `${STATUSES[name].word}: ${namedRows(rows, totals.lookedAt[name] ?? 0)}`,
      ...rowLines(rows),
    ]),
    ...remarks,
    ...historyLines(history),
  ];
  const lines = [
    [`batch ${id}`, printable(batch.fileName), batch.label, phase, ...periodPart(batch.period)].join("   "),
    printable(`begun ${isoSecond(createdAt)}   to ${destination} (${environment})   in ${folder}`),
    ...statusTable({ ...totals, byStatus, total: { rows: batch.rows, amount: batch.total } }, look),
    ...texts.map((text) => printable(text)),
    ...nextLines(next, destination, look),
  ];
  const all = [...acts, ...runs.map((one) => ({ kind: "run", ...runObject(one) }))];
  return [
    { ...batchObject(status, waits), open, history: all, remarks, ...nextObject(next, destination, look) },
    lines,
  ];
}

function batchObject({ batch, byStatus, phase }: BatchStatus, waits: Waits | undefined): object {
  const { id, fileName: file, label: operation, folder, environment, destination, createdAt, period } = batch;
  const { rows, amount } = sumsObject({ rows: batch.rows, amount: batch.total }, byStatus, []);
  return {
    ...{ type: "batch", batch: id, file, operation, folder, environment, destination, phase, period },
    ...{ created_at: iso(createdAt), rows, amount, on_their_way: batch.onItsWay, owes_results: batch.owesResults },
    ...{ waits_for_approval: isUnapproved(batch), waits_for: waits?.code },
  };
}
