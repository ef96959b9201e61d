import type { Work } from "../batch.ts";
import { dayOf, isoSecond } from "../day.ts";
import type { ByStatus } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { STATUS_WORDS } from "../messages/results.ts";
import { counted, told } from "../messages/sentence.ts";
import { namedRows, STATUSES } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { recordsOf } from "../results/totals.ts";
import { iso, remarkTexts, runObject, sumsObject } from "../results/summary.ts";
import { byStatusOf, nextOf, occurringIn, rowsIn, TotalsCollector } from "../results/totals.ts";
import { nextLines, paperOf, textOf, type Look } from "../screen/look.ts";
import { periodPart, statusTable } from "../screen/summary-text.ts";
import { show, type Call } from "./command.ts";
import { REJECTED_FOR, resumeCommand } from "./folder-work.ts";
import { knownBatch, withWork } from "./open-work.ts";
import { historyLines, showActs, showUnknown } from "./status-lists.ts";

type BatchStatus = Awaited<ReturnType<typeof statusesOf>>[number];

export function run(call: Call): Promise<number> {
  return withWork(call, "read", async (work, config) => {
    const { unknown, acts, check } = call.flags;
    if (unknown === true) return showUnknown(work, call);
    if (acts === true) return showActs(work, call);
    const { store } = work;
    const said = call.operands[0];
    const all = await statusesOf(store, said === undefined ? await store.batches({}) : [await knownBatch(store, said)]);
    const holds = said === undefined ? await store.heldFolders() : [];
    const code = check === true ? gravest([...all.map((one) => one.code), ...holds.map(() => 7)]) : 0;
    const { look } = paperOf(call.stdout, config, call.flags);
    const tell = (line: object, lines: readonly string[]): void => show(call, config, line, textOf(lines), code);
    for (const one of all) {
      if (said === undefined) tell(batchObject(one), shortLines(one));
      else tell(...(await inFull(one, work, look)));
    }
    for (const { folder, reason: held, at } of holds) {
      const facts = { folder: printable(folder), at: isoSecond(at) };
      const resume = `  ${resumeCommand(folder)}${look.again ?? ""}`;
      const line = { type: "inbox", folder, held, held_since: iso(at) };
      tell(line, [told(STATUS_WORDS.held, facts).text, resume]);
    }
    const none = told(STATUS_WORDS.none, { folder: printable(config.state_dir) }).text;
    tell({ type: "summary", batches: all.length, exit_code: code }, all.length === 0 ? [none] : []);
    return code;
  });
}

/** `ended`: nothing of a batch waits for a person or a run. `code`: that of the gravest thing that is still open. */
async function statusesOf(store: JournalStore, batches: readonly BatchRecord[]) {
  const found = await store.batches({ isUnfinished: true, rejectedFor: REJECTED_FOR });
  const unfinished = new Set(found.map(({ id }) => id));
  return batches.map((batch) => {
    const byStatus = byStatusOf(batch.tallies);
    const code = openCode(batch, byStatus, unfinished.has(batch.id));
    return { batch, byStatus, code, phase: batch.phase === "open" && code === 0 ? ("ended" as const) : batch.phase };
  });
}

/** Rejected and invalid rows are answered: they live on in a corrected file. What was cancelled waits for nobody. */
function openCode({ phase }: BatchRecord, byStatus: ByStatus, isUnfinished: boolean): number {
  const isWaiting = isUnfinished || rowsIn(byStatus, "not_sent", "settled_not_done") > 0;
  const unsent = phase === "cancelled" ? [] : [isWaiting ? 7 : 0, byStatus.held ? 6 : 0];
  return gravest([byStatus.unknown ? 4 : 0, ...unsent]);
}

function shortLines({ batch, byStatus, phase }: BatchStatus): string[] {
  const { id, rows, total, createdAt, fileName, period, onItsWay, owesResults } = batch;
  const what = [id, phase, dayOf(createdAt), counted(rows), total, printable(fileName, 60), ...periodPart(period)];
  const counts = [
    ...occurringIn(byStatus).map(([name, tally]) => `${tally.rows} ${STATUSES[name].word}`),
    ...(onItsWay > 0 ? [told(STATUS_WORDS.on_their_way, { rows: onItsWay }).text] : []),
    ...(owesResults ? [STATUS_WORDS.owes_results] : []),
  ];
  return [what.join("  "), `  ${counts.join(", ")}`];
}

const OPEN = ["unknown", "held", "rejected", "invalid", "ready", "not_sent", "settled_not_done"] as const;

/** One batch in full, for a program and for a person: sums, the rows to look at, who did what, what to do. */
async function inFull(
  status: BatchStatus,
  { store }: Work,
  look: Look,
): Promise<readonly [line: object, lines: readonly string[]]> {
  const { batch, byStatus, phase } = status;
  const { id, createdAt, destination, environment, folder, onItsWay } = batch;
  const collector = new TotalsCollector();
  for await (const page of recordsOf(store, id, { states: OPEN })) {
    for (const record of page) collector.add(record, undefined);
  }
  const totals = collector.totals();
  const { rowsToLookAt: open, goesAgain } = totals;
  const next = nextOf(batch, totals, { owesResults: batch.owesResults && onItsWay === 0 });
  const [acts, runs] = await Promise.all([store.acts({ batch: id }), store.runs(id)]);
  const remarks = remarkTexts(batch.remarks);
  const history = [...acts, ...runs.map((one) => ({ kind: "run", ...runObject(one) }))];
  const texts = [
    ...(onItsWay > 0 ? [told(STATUS_WORDS.on_their_way, { rows: onItsWay }).text] : []),
    ...occurringIn(open).map(
      ([name, rows]) => `${STATUSES[name].word}: ${namedRows(rows, rowsIn(totals.byStatus, name))}`,
    ),
    ...remarks,
    ...historyLines(acts, runs),
  ];
  const lines = [
    [`batch ${id}`, printable(batch.fileName), phase, ...periodPart(batch.period)].join("   "),
    printable(`begun ${isoSecond(createdAt)}   to ${destination} (${environment})   in ${folder}`),
    ...statusTable(byStatus, { rows: batch.rows, amount: batch.total }, look, goesAgain),
    ...texts.map((text) => printable(text)),
    ...nextLines(next, destination, look),
  ];
  return [{ ...batchObject(status), open, history, remarks, next }, lines];
}

function batchObject({ batch, byStatus, phase }: BatchStatus): object {
  const { id, fileName: file, folder, environment, destination, createdAt, period, owesResults, onItsWay } = batch;
  const { rows, amount } = sumsObject({ rows: batch.rows, amount: batch.total }, byStatus, []);
  return {
    ...{ type: "batch", batch: id, file, folder, environment, destination, phase, period },
    ...{ created_at: iso(createdAt), rows, amount, on_their_way: onItsWay, owes_results: owesResults },
  };
}
