import { existsSync, readFileSync } from "node:fs";
import type { LedgerLine } from "../support/ledger-server.ts";
import { readResults, resultOf, sumFaults, type JournalRows } from "./oracle.ts";
import type { PlannedRow } from "./payroll-file.ts";
import { CONCURRENCY, LATENCY_MS, SITE_LEASE_MS, type Site } from "./site.ts";
import type { SiteFile } from "./site-files.ts";

/** What the service's ledger, the journal and what lies beside the files say of one site. Lists hold sentences. */
export interface SiteVerdict {
  readonly rows: number;
  readonly requests: number;
  readonly twice: readonly string[];
  /** A row without an outcome, or one that went and is told as not gone. */
  readonly lost: readonly string[];
  readonly wrong: readonly string[];
  readonly unknown: number;
  /** Unknown rows that nothing that was done to the site accounts for. */
  readonly unexplained: readonly string[];
}

/** Beside what was on the wire at that moment: machines take their time. */
const SLACK_MS = 2_000;

export async function verdictOf(site: Site, isUnsent: boolean, isAccepted: boolean): Promise<SiteVerdict> {
  const ledger = Map.groupBy(site.service.lines(), ({ marker }) => marker);
  const verdict = {
    rows: 0,
    requests: 0,
    twice: [] as string[],
    lost: [] as string[],
    wrong: [] as string[],
    unexplained: [] as string[],
    unknown: 0,
  };
  for (const [marker, lines] of ledger) {
    verdict.requests += lines.length;
    if (lines.length > 1) verdict.twice.push(`${marker} went ${lines.length} times`);
  }
  if (isUnsent) return verdict;
  const states = new Map<string, string[]>();
  let neverArrived = 0;
  for (const file of site.files) {
    const journal = await site.journal(file.fileName).catch((): JournalRows => new Map());
    const lines = readResults(`${file.path}.results.csv`);
    verdict.rows += file.plan.length;
    for (const list of [journal, lines]) {
      const size = list instanceof Map ? list.size : lines.length;
      if (size !== file.plan.length)
        verdict.lost.push(`${file.fileName} has ${file.plan.length} rows, and ${size} of them are told`);
    }
    for (const [index, row] of file.plan.entries()) {
      const went = ledger.get(row.marker) ?? [];
      const { state = "gone" } = journal.get(row.number) ?? {};
      states.set(row.marker, [...(states.get(row.marker) ?? []), state]);
      const where = `${file.fileName} row ${row.number} (${row.marker})`;
      const said = lineFault(row, lines[index], state);
      if (said !== undefined) verdict.lost.push(`${where} ${said}`);
      const fault = stateFault(row, state, went, site.files.length > 1);
      if (fault !== undefined) (went.length > 0 ? verdict.lost : verdict.wrong).push(`${where} is ${state}: ${fault}`);
      if (state !== "unknown") continue;
      verdict.unknown += 1;
      if (went.length === 0 && site.struck.length > 0) neverArrived += 1;
      else if (!isExplained(site, row, went)) verdict.unexplained.push(`${where} is unknown`);
    }
    verdict.wrong.push(...sumsOf(file, lines));
  }
  for (const [marker, lines] of ledger)
    if (
      lines.some(({ executed }) => executed) &&
      !states.get(marker)?.some((state) => ["accepted", "unknown"].includes(state))
    )
      verdict.lost.push(`${marker} was carried out, and is ${states.get(marker)?.join(", ") ?? "nowhere"}`);
  // what was let go and not sent: no more than were on their way each time; of a loss that was accepted nobody knows
  if (!isAccepted && neverArrived > CONCURRENCY * site.struck.length)
    verdict.unexplained.push(`${neverArrived} rows are unknown and never left`);
  return verdict;
}

function isExplained({ struck, forgotten }: Site, { marker }: PlannedRow, went: readonly LedgerLine[]): boolean {
  if (forgotten.has(marker)) return true;
  return went.some(({ at }) =>
    struck.some(({ from, to }) => at > from - LATENCY_MS - SLACK_MS && at < to + SITE_LEASE_MS + SLACK_MS),
  );
}

function lineFault(row: PlannedRow, line: Record<string, string> | undefined, state: string): string | undefined {
  if (!line) return "has no line";
  if (line["result_row"] !== String(row.number) || line["narration"] !== row.marker || line["amount"] !== row.amount)
    return "has the line of another one";
  return line["result_status"] === resultOf(state)
    ? undefined
    : `is ${state}, and told as ${line["result_status"] ?? ""}`;
}

/** `isTwin`: another file has the same payment. */
function stateFault(row: PlannedRow, state: string, went: readonly LedgerLine[], isTwin: boolean): string | undefined {
  if (row.kind !== "sendable") {
    if (went.length > 0) return `is ${row.kind}, and went`;
    return state === (row.kind === "invalid" ? "invalid" : "held") ? undefined : `is ${row.kind}`;
  }
  if (state === "accepted") return went.some(({ executed }) => executed) ? undefined : "it was not carried out";
  if (state === "rejected") return went.some(({ executed }) => !executed) ? undefined : "it was not refused";
  if (state === "unknown" || (isTwin && ["held", "duplicate"].includes(state))) return undefined;
  return "it was to go";
}

function sumsOf({ path, plan }: SiteFile, lines: readonly Record<string, string>[]): string[] {
  return sumFaults(
    `${path}.summary.json`,
    plan.map(({ amount }, index) => ({ amount, status: lines[index]?.["result_status"] ?? "" })),
  );
}

/** What is said while a batch stands: that rows have not gone which have, or that nothing went twice when something did. */
export async function saidFalsely(site: Site): Promise<string[]> {
  const before = site.service.lines();
  const { code, output } = await site
    .command(["status"])
    .catch((error: unknown) => ({ code: -1, output: String(error) }));
  const found: string[] = [];
  const open = site.sendable() - new Set(before.map(({ marker }) => marker)).size;
  const isLossSaid = saysLoss(output);
  const unsent = [...output.matchAll(/(\d+) not sent/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  if (unsent > open && !isLossSaid && code !== 74)
    found.push(`status says "${unsent} not sent", and at most ${open} have not gone`);
  const isTwice = new Set(before.map(({ marker }) => marker)).size < before.length;
  for (const file of site.files) {
    const waiting = `${file.path}.waiting.txt`;
    const text = existsSync(waiting) ? readFileSync(waiting, "utf8") : "";
    const claim = /nothing went twice/i.exec(text)?.[0];
    if (claim !== undefined && isTwice) found.push(`waiting.txt says "${claim}", and rows went twice`);
    const none = /nothing (?:was|is) sent|was not sent/i.exec(text)?.[0];
    if (none !== undefined && before.length > 0)
      found.push(`waiting.txt says "${none}", and ${before.length} rows went`);
  }
  return found;
}

/** That the server does not know any more what it had confirmed. */
export function saysLoss(text: string): boolean {
  return /accept-lost-journal|does not know any more what it had confirmed|"code":"server_lost_commit"/.test(text);
}
