import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parse } from "csv-parse/sync";
import type { LedgerLine } from "../support/ledger-server.ts";
import type { PlannedRow } from "./payroll-file.ts";

/** What a service, a journal and a results file say of one batch, compared. Every list holds sentences. */
export interface Verdict {
  readonly rows: number;
  /** O1: a payment carried out or requested more often than I1 allows. */
  readonly double: readonly string[];
  /** O2, O3: a row without a line, or carried out and reported as not. */
  readonly lost: readonly string[];
  /** O3, O4, O6: a status that the server did not send to that row, a state that is not true, a sum that is not equal. */
  readonly wrong: readonly string[];
  /** Rows that end unknown, and those of them whose answer the server did send or meant to. */
  readonly unknown: number;
  readonly unknownOfKills: number;
  readonly byStatus: Readonly<Record<string, number>>;
}

interface Told {
  requests: number;
  executed: number;
  limited: number;
  statuses: (number | null)[];
}

export type Ledger = ReadonlyMap<string, Told>;

/** A torn last line is a request that was killed with the server; our server is never killed. */
export function readLedger(path: string): Ledger {
  if (!existsSync(path)) return new Map();
  const lines = readFileSync(path, "utf8").split("\n");
  return toldOf(lines.filter((line) => line !== "").map((line) => JSON.parse(line) as LedgerLine));
}

export function toldOf(lines: readonly LedgerLine[]): Ledger {
  const told = new Map<string, Told>();
  for (const { marker, executed, status } of lines) {
    const one = told.get(marker) ?? { requests: 0, executed: 0, limited: 0, statuses: [] };
    one.requests += 1;
    one.executed += executed ? 1 : 0;
    one.limited += status === 429 ? 1 : 0;
    one.statuses.push(status);
    told.set(marker, one);
  }
  return told;
}

/** By row number. */
export type JournalRows = ReadonlyMap<number, { readonly state: string; readonly wasLetGo: boolean }>;

/** The state of each row, and whether the turn mark says that it may have left, from the journal itself. */
export function journalRows(stateDir: string, fileName: string): JournalRows {
  const path = join(stateDir, "journal.db");
  if (!existsSync(path)) return new Map();
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    // killed while it was made
    if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'row'").get()) return new Map();
    const rows = database
      .prepare(
        `SELECT r.row AS number, r.state, r.turn <= b.mark AS gone
         FROM row r JOIN batch b ON b.seq = r.batch WHERE b.fileName = ? AND b.phase <> 'recording'`,
      )
      .all(fileName) as { number: number; state: string; gone: number }[];
    return new Map(rows.map(({ number, state, gone }) => [number, { state, wasLetGo: gone === 1 }]));
  } finally {
    database.close();
  }
}

/** O7: SQLite finds nothing wrong; no ready row is at or below the mark when no process is at work. */
export function journalFaults(stateDir: string): string[] {
  const database = new DatabaseSync(join(stateDir, "journal.db"), { readOnly: true });
  try {
    const checks = database.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
    const { open } = database
      .prepare(
        "SELECT count(*) AS open FROM row r JOIN batch b ON b.seq = r.batch WHERE r.state = 'ready' AND r.turn <= b.mark",
      )
      .get() as { open: number };
    const faults = checks.map((check) => check.integrity_check).filter((text) => text !== "ok");
    return open === 0 ? faults : [...faults, `${open} ready rows are on their way, and nobody is at work`];
  } finally {
    database.close();
  }
}

/** Compares what became of one file. `from`: its journal, or the state directory that has it. `whole`: nothing may be left unsent. */
export function judge(
  inputPath: string,
  from: string | JournalRows,
  plan: readonly PlannedRow[],
  ledger: Ledger,
  whole = true,
): Verdict {
  const double: string[] = [];
  const lost: string[] = [];
  const wrong: string[] = [];
  const byStatus: Record<string, number> = {};
  let unknownOfKills = 0;

  const fileName = inputPath.slice(inputPath.lastIndexOf("/") + 1);
  const journal = typeof from === "string" ? journalRows(from, fileName) : from;
  const lines = readResults(`${inputPath}.results.csv`);
  if (lines.length !== plan.length) lost.push(`${plan.length} rows, ${lines.length} lines of results`);
  if (journal.size !== plan.length) lost.push(`${plan.length} rows, ${journal.size} in the journal`);
  for (const [index, row] of plan.entries()) {
    const told = ledger.get(row.marker) ?? { requests: 0, executed: 0, limited: 0, statuses: [] };
    const where = `row ${row.number} (${row.marker})`;
    const known = journal.get(row.number);
    if (told.executed > 1) double.push(`${where} was carried out ${told.executed} times`);
    if (told.requests > 1 + told.limited)
      double.push(`${where}: ${told.requests} requests, ${told.limited} of them 429`);
    if (told.requests > 0 && known?.wasLetGo === false && known.state !== "ready") {
      wrong.push(`${where} left, and its turn was never let go`);
    }
    const line = lines[index];
    if (!line) {
      lost.push(`${where} has no line`);
      continue;
    }
    if (
      line["result_row"] !== String(row.number) ||
      line["narration"] !== row.marker ||
      line["amount"] !== row.amount
    ) {
      lost.push(`line ${index + 1} of the results is not ${where}`);
      continue;
    }
    const status = line["result_status"] ?? "";
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    if (resultOf(known?.state) !== status)
      wrong.push(`${where} is ${status}, in the journal ${known?.state ?? "gone"}`);
    const fault = faultOf(row, status, line["result_http_status"] ?? "", told, whole);
    if (fault !== undefined) (told.executed > 0 && isEnded(status) ? lost : wrong).push(`${where}: ${fault}`);
    if (status === "unknown" && isClear(told.statuses.at(-1))) unknownOfKills += 1;
  }
  const counted = plan.map(({ amount }, index) => ({ amount, status: lines[index]?.["result_status"] ?? "" }));
  wrong.push(...sumFaults(`${inputPath}.summary.json`, counted));
  return { rows: plan.length, double, lost, wrong, unknown: byStatus["unknown"] ?? 0, unknownOfKills, byStatus };
}

/** States that tell a person: nothing was carried out. */
function isEnded(status: string): boolean {
  return ["rejected", "not_sent", "invalid", "held", "duplicate"].includes(status);
}

/** The answer would have settled the row, had it been recorded; or no request ever came. */
export function isClear(status: number | null | undefined): boolean {
  return status === undefined || (status !== null && status < 500);
}

function faultOf(row: PlannedRow, status: string, http: string, told: Told, whole: boolean): string | undefined {
  const last = told.statuses.at(-1);
  if (http !== "" && http !== String(last)) return `results say ${http}, the server sent ${String(last)}`;
  if (row.kind !== "sendable") {
    if (told.requests > 0) return `is ${row.kind}, and was sent`;
    const expected = row.kind === "invalid" ? "invalid" : "held";
    return status === expected ? undefined : `is ${row.kind}, and reported ${status}`;
  }
  switch (status) {
    case "accepted":
      if (told.executed !== 1) return "accepted, and not in the ledger";
      return http === String(last) && http.startsWith("2") ? undefined : `accepted with status ${http || "none"}`;
    case "rejected":
      if (told.executed > 0) return "rejected, and carried out";
      return http === String(last) && http.startsWith("4") ? undefined : `rejected with status ${http || "none"}`;
    case "unknown":
      return undefined;
    case "not_sent":
      if (told.executed > 0) return "not sent, and carried out";
      if (told.requests > told.limited) return "not sent, and requested";
      return whole ? "left unsent" : undefined;
    default:
      return `is ${status}`;
  }
}

/** How the results call a state of the journal. */
export function resultOf(state: string | undefined): string | undefined {
  return state === "ready" ? "not_sent" : state;
}

/** Of a CSV file, or one of JSON. */
export function readResults(path: string): Record<string, string>[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  if (path.endsWith(".json")) return JSON.parse(text) as Record<string, string>[];
  if (path.endsWith(".jsonl")) return JSON.parse(`[${text.trim().replaceAll("\n", ",")}]`) as Record<string, string>[];
  return parse(readFileSync(path), { bom: true, columns: true, relax_column_count: false });
}

interface Summary {
  readonly phase: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly amount: Readonly<Record<string, string>>;
}

interface Counted {
  readonly amount: string;
  readonly status: string;
}

/** O6: rows and sums of the summary, against what the rows of the file became. */
export function sumFaults(path: string, rows: readonly Counted[]): string[] {
  if (!existsSync(path)) return ["there is no summary"];
  const { phase, rows: counts, amount: sums } = JSON.parse(readFileSync(path, "utf8")) as Summary;
  if (phase !== "ended") return [`the summary is of a run that is ${phase}`];
  const faults: string[] = [];
  const expect = (what: string, found: unknown, expected: unknown): void => {
    if (found !== expected) faults.push(`${what}: ${String(found)} in the summary, ${String(expected)} counted`);
  };
  const groups: [string, readonly Counted[]][] = [["total", rows], ...Map.groupBy(rows, (row) => row.status)];
  for (const [status, own] of groups) {
    const sum = own.reduce((units, { amount }) => units + paise(amount), 0n);
    expect(`${status} rows`, counts[status], own.length);
    expect(`${status} amount`, paise(sums[status] ?? "0"), sum);
  }
  return faults;
}

export function paise(amount: string): bigint {
  const [whole = "0", decimals = ""] = amount.split(".");
  return BigInt(whole) * 100n + BigInt(decimals.padEnd(2, "0"));
}
