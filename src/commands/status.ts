import type { Work } from "../batch.ts";
import { loadSettings } from "../config/load.ts";
import { dayOf, isoSecond } from "../day.ts";
import type { ByStatus } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { STATUS_WORDS } from "../messages/results.ts";
import { counted, told } from "../messages/sentence.ts";
import { namedRows, STATUSES } from "../messages/statuses.ts";
import { asWord, printable } from "../printable.ts";
import { recordsOf } from "../results/totals.ts";
import { iso, remarkTexts, runObject, sumsObject } from "../results/summary.ts";
import { byStatusOf, nextOf, occurringIn, rowsIn, TotalsCollector } from "../results/totals.ts";
import { asLine } from "../screen/json-lines.ts";
import { nextLines, paperOf, textOf, type Paper } from "../screen/look.ts";
import { periodPart, statusTable } from "../screen/summary-text.ts";
import { filtersOf } from "../submission/again.ts";
import type { Call } from "./command.ts";
import { knownBatch, openWork } from "./open-work.ts";
import { historyLines, showActs, showUnknown } from "./status-lists.ts";

/** One batch as `status` shows it. */
interface BatchStatus {
  readonly batch: BatchRecord;
  readonly byStatus: ByStatus;
  /** `ended`: nothing of it waits for a person or a run. */
  readonly phase: BatchRecord["phase"] | "ended";
  /** The code of the gravest thing that is still open. */
  readonly code: number;
}

/** Exit 0; with `--check` the code of the gravest thing that is still open. */
export async function run(call: Call): Promise<number> {
  const { config } = loadSettings(call);
  const { unknown, acts, check } = call.flags;
  const work = await openWork(config, undefined, "read");
  try {
    if (unknown === true) return await showUnknown(work, call);
    if (acts === true) return await showActs(work, call);
    const { store } = work;
    const said = call.operands[0];
    const all = await statusesOf(store, said === undefined ? await store.batches({}) : [await knownBatch(store, said)]);
    const holds = said === undefined ? await store.heldFolders() : [];
    const code = check === true ? gravest([...all.map((one) => one.code), ...holds.map(() => 7)]) : 0;
    if (config.quiet && code === 0) return code;
    const paper = paperOf(call.stdout, config, call.flags);
    const { json } = config;
    for (const one of all) {
      if (said !== undefined) await showOne(one, work, paper);
      else paper.write(json ? asLine(batchObject(one)) : textOf(shortLines(one)));
    }
    for (const { folder, reason: held, at } of holds) {
      const facts = { folder: printable(folder), at: isoSecond(at) };
      const resume = `  paydrop resume --inbox ${asWord(folder)} --by NAME${paper.look.again ?? ""}`;
      const lines = [told(STATUS_WORDS.held, facts).text, resume];
      paper.write(json ? asLine({ type: "inbox", folder, held, held_since: iso(at) }) : textOf(lines));
    }
    const none = told(STATUS_WORDS.none, { folder: printable(config.state_dir) }).text;
    if (json) paper.write(asLine({ type: "summary", batches: all.length, exit_code: code }));
    else if (all.length === 0) paper.write(`${none}\n`);
    return code;
  } finally {
    await work.close();
  }
}

async function statusesOf(store: JournalStore, batches: readonly BatchRecord[]): Promise<BatchStatus[]> {
  const rejectedFor = filtersOf("run").flatMap(({ codes = [] }) => codes);
  const unfinished = new Set((await store.batches({ isUnfinished: true, rejectedFor })).map(({ id }) => id));
  return batches.map((batch) => {
    const byStatus = byStatusOf(batch.tallies);
    const code = openCode(batch, byStatus, unfinished.has(batch.id));
    return { batch, byStatus, code, phase: batch.phase === "open" && code === 0 ? "ended" : batch.phase };
  });
}

/** Rejected and invalid rows are answered: they live on in a corrected file. What was cancelled waits for nobody. */
function openCode({ phase }: BatchRecord, byStatus: ByStatus, isUnfinished: boolean): number {
  const isWaiting = isUnfinished || rowsIn(byStatus, "not_sent", "settled_not_done") > 0;
  const unsent = phase === "cancelled" ? [] : [isWaiting ? 7 : 0, byStatus.held ? 6 : 0];
  return gravest([byStatus.unknown ? 4 : 0, ...unsent]);
}

/** Two lines for a batch: what it is, and what became of its rows. */
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

/** One batch in full: sums, the rows to look at, who did what, what to do. */
async function showOne(status: BatchStatus, { store, config }: Work, { write, look }: Paper): Promise<void> {
  const { batch, byStatus, phase } = status;
  const { createdAt, destination, environment, folder } = batch;
  const collector = new TotalsCollector();
  for await (const page of recordsOf(store, batch.id, { states: OPEN })) {
    for (const record of page) collector.add(record, undefined);
  }
  const totals = collector.totals();
  const { rowsToLookAt: open, goesAgain } = totals;
  const next = nextOf(batch, totals, { owesResults: batch.owesResults && batch.onItsWay === 0 });
  const [acts, runs] = await Promise.all([store.acts({ batch: batch.id }), store.runs(batch.id)]);
  const remarks = remarkTexts(batch.remarks);
  if (config.json) {
    const history = [...acts, ...runs.map((one) => ({ kind: "run", ...runObject(one) }))];
    write(asLine({ ...batchObject(status), open, history, remarks, next }));
    return;
  }
  const texts = [
    ...(batch.onItsWay > 0 ? [told(STATUS_WORDS.on_their_way, { rows: batch.onItsWay }).text] : []),
    ...occurringIn(open).map(
      ([name, rows]) => `${STATUSES[name].word}: ${namedRows(rows, rowsIn(totals.byStatus, name))}`,
    ),
    ...remarks,
    ...historyLines(acts, runs),
  ];
  write(
    textOf([
      [`batch ${batch.id}`, printable(batch.fileName), phase, ...periodPart(batch.period)].join("   "),
      printable(`begun ${isoSecond(createdAt)}   to ${destination} (${environment})   in ${folder}`),
      ...statusTable(byStatus, { rows: batch.rows, amount: batch.total }, look, goesAgain),
      ...texts.map((text) => printable(text)),
      ...nextLines(next, destination, look),
    ]),
  );
}

function batchObject({ batch, byStatus, phase }: BatchStatus): Record<string, unknown> {
  const { id, fileName: file, folder, environment, destination, createdAt, period, owesResults, onItsWay } = batch;
  const { rows, amount } = sumsObject({ rows: batch.rows, amount: batch.total }, byStatus, []);
  return {
    ...{ type: "batch", batch: id, file, folder, environment, destination, phase, period },
    ...{ created_at: iso(createdAt), rows, amount, on_their_way: onItsWay, owes_results: owesResults },
  };
}
