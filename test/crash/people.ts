import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Office, OfficeRow } from "./office.ts";
import * as papers from "./papers.ts";
import type { Paper, PaperRow } from "./papers.ts";

const PAYEES = Array.from({ length: 12 }, (_, at) => `9001000000${String(at).padStart(3, "0")}`);
const AMOUNTS = ["1000.00", "1000.00", "2500.50", "7300.00"];

/** Whoever has files: sends them, sends them again, copies, rewrites and corrects them, and states a month or not. */
export function clerkActs(office: Office, act: number, paper: Paper): (() => Promise<void>)[] {
  const { rows, period, name } = paper;
  const month = period === undefined ? [] : ["--period", period];
  // whoever forgets the month of a file is asked
  const stated = office.pick([month, month, []]);
  const copy = office.pick([name, name, `copy${act}.csv`]);
  const again = (said: readonly PaperRow[], text?: string): Promise<void> =>
    office.drop({ ...paper, name: copy, rows: said }, text, ...stated);
  return [
    () => again(rows),
    () => again(rows, papers.textOf(rows, ";")),
    () => again(rows.toReversed()),
    () => again(papers.mended(rows)),
    () => again(papers.mended(rows).slice(1)),
    () => again(rows.map((row) => ({ reference: `REF-${row.marker.replaceAll(" ", "-")}`, ...row }))),
    () => correctAmount(office, paper, ...month),
    () => again([...papers.mended(rows), ...newRows(office, act, 1)]),
    () => sendRetryFile(office, act, paper),
    () => sendRetryFile(office, act, paper),
    () => nextMonth(office, act, paper),
    () => nextMonth(office, act, paper),
    () => later(office),
  ];
}

/**
 * An amount was wrong: what is meant is the same payment. It is corrected where its file lies, and only where no other
 * file has it that may go or went, for by another amount nothing else is known (README §7, rule 6).
 */
async function correctAmount(office: Office, paper: Paper, ...flags: readonly string[]): Promise<void> {
  const own = office.rows().filter(({ state }) => !["invalid", "duplicate", "held", "cancelled"].includes(state));
  const isHere = ({ marker }: PaperRow): boolean => {
    const all = own.filter((row) => row.marker === marker);
    return all.length > 0 && all.every(({ path }) => path === office.path(paper.name));
  };
  const row = paper.rows.find(isHere);
  if (!row) return;
  const rows = papers
    .mended(paper.rows)
    .map((one) => (one.marker === row.marker ? { ...one, amount: "9999.00" } : one));
  office.forget(row.marker);
  await office.drop({ ...paper, rows }, undefined, ...flags);
}

/** Now and then somebody is to be paid the same twice, or a branch code is mistyped. */
export async function sendNew(office: Office, act: number): Promise<void> {
  const rows = newRows(office, act, 1 + Math.floor(office.dice() * 6));
  const twin = rows.slice(-1).map((row) => ({ ...row, marker: `${row.marker} once more` }));
  const all = office.dice() < 0.25 ? [...rows, ...twin] : rows;
  const typed = all.map((row) => ({ ...row, isTyped: office.dice() < 0.15 }));
  const period = office.dice() < 0.5 ? { period: "2026-11" } : {};
  const name = office.dice() < 0.6 ? `new${act}.csv` : "payroll.csv";
  const flags = period.period === undefined ? [] : ["--period", period.period];
  await office.drop({ name, rows: typed, day: office.day, ...period }, undefined, ...flags);
}

/** Payments that were never meant before; people and amounts are few, so that they are alike. */
function newRows(office: Office, act: number, count: number): readonly PaperRow[] {
  const payees = PAYEES.toSorted(() => office.dice() - 0.5).slice(0, count);
  return payees.map((payee, at) => ({ marker: `a${act} row ${at}`, payee, amount: office.pick(AMOUNTS) }));
}

async function sendRetryFile(office: Office, act: number, paper: Paper): Promise<void> {
  const path = office.path(`${paper.name}.retry.csv`);
  if (!existsSync(path)) return;
  const text = papers.mendedRetry(readFileSync(path, "utf8"));
  if (papers.rowsOf(text).some((row) => office.isForgotten(row))) return;
  await office.drop({ ...paper, name: `mended${act}.csv` }, text);
}

async function nextMonth(office: Office, act: number, paper: Paper): Promise<void> {
  const month = `20${30 + act}-05`;
  const isForgotten = office.dice() < 0.3;
  // somebody who is to be paid the same twice could be either of both
  const rows = papers.ofMonth(paper.rows, month).filter(({ marker }) => !marker.includes("once more"));
  if (rows.length === 0) return;
  const next = { name: office.pick([`next${act}.csv`, paper.name]), rows, day: office.day, period: month };
  await office.drop(next, undefined, ...(isForgotten ? [] : ["--period", month]));
}

async function later(office: Office): Promise<void> {
  office.day += office.pick([1, 3, 7]);
  if (office.young().length > 0) await office.paydrop("run", office.path(office.pick(office.young()).name));
}

/** Whoever decides on rows: looks payments up in the service's ledger, lets held ones go, cancels, tries again. */
export function decisionActs(office: Office): (() => Promise<void>)[] {
  const rows = office.rows();
  const batch = rows.length === 0 ? "none" : office.pick(rows).batch;
  const say = async (...operands: readonly string[]): Promise<void> => {
    await office.paydrop(...operands);
  };
  return [
    () => lookUp(office),
    () => lookUp(office),
    () => releaseSome(office),
    () => releaseSome(office),
    () => giveBack(office),
    () => say("retry", batch),
    () => retryRejected(office, batch),
    () => say(office.pick(["pause", "resume", "resume"]), batch),
    () => cancelMade(office, batch),
  ];
}

export async function lookUp(office: Office): Promise<void> {
  const unknown = office.rows().filter(({ state }) => state === "unknown");
  if (unknown.length === 0) return;
  const lines = unknown.map((row) => {
    const isDone = office.isMade(row.marker);
    office.breaches.settle(row, isDone);
    return `${row.batch},${row.number},${isDone ? "done" : "not-done"},asha,looked up`;
  });
  const list = join(office.folder, "..", "unknown.csv");
  writeFileSync(list, ["batch,row,as,by,note", ...lines].join("\n"));
  await office.paydrop("settle", "--from", list);
}

/** The bank gave an accepted payment back: it is to be made once more. */
async function giveBack(office: Office): Promise<void> {
  const accepted = office.rows().filter(({ state }) => state === "accepted");
  if (accepted.length === 0) return;
  const row = office.pick(accepted);
  const said = ["--as", "not-done", "--note", "given back", "--total", row.amount];
  const forget = office.breaches.giveBack(row);
  await office.paydrop("settle", row.batch, "--row", String(row.number), ...said);
  const now = office.rows().find(({ name }) => name === row.name);
  if (now?.state !== "settled_not_done") forget();
}

async function retryRejected(office: Office, batch: string): Promise<void> {
  const rejected = office.rows().filter((row) => row.batch === batch && row.state === "rejected");
  if (rejected.length === 0) return;
  for (const row of rejected) office.breaches.say(row);
  await office.paydrop("retry", batch, "--rejected", "--reason", "there are funds now");
}

/** Held rows whose payment was made are to be sent no more. */
async function cancelMade(office: Office, batch: string): Promise<void> {
  const held = office.rows().filter((row) => row.batch === batch && row.state === "held");
  const made = held.filter(({ marker }) => office.isMade(marker)).map(({ number }) => String(number));
  if (made.length > 0) await office.paydrop("cancel", batch, "--row", ...made);
}

const MAY_GO_BY_ITSELF = ["ready", "not_sent", "unknown"];

/** Rows that wait for a person and whose payment was not made, nor goes by itself in another row. */
function toRelease(office: Office): readonly OfficeRow[] {
  const rows = office.rows();
  const going = new Set(rows.filter(({ state }) => MAY_GO_BY_ITSELF.includes(state)).map(({ marker }) => marker));
  return rows.filter(
    ({ state, marker, phase }) => state === "held" && phase === "open" && !going.has(marker) && !office.isMade(marker),
  );
}

/** Of one batch, a row for each payment. */
export async function releaseSome(office: Office): Promise<void> {
  const held = toRelease(office);
  if (held.length === 0) return;
  const { batch } = office.pick(held);
  const own = new Map(held.filter((row) => row.batch === batch).map((row) => [row.marker, row]));
  const rows = ["--row", ...[...own.values()].map(({ number }) => String(number))];
  const reason = ["--reason", "never made"];
  const told = await office.paydrop("release", batch, ...rows, ...reason);
  const [, total] = /--total (\d+\.\d\d)/.exec(told) ?? [];
  if (total !== undefined) await office.paydrop("release", batch, ...rows, ...reason, "--total", total);
}

/** What is left to do, undisturbed, until every payment was made, refused or given up. Gives whether there was something. */
export async function seeThrough(office: Office): Promise<boolean> {
  const open = openRows(office);
  if (open.length === 0) return false;
  await lookUp(office);
  for (const [batch, rows] of Map.groupBy(openRows(office), (row) => row.batch)) {
    const isPaused = rows.some(({ phase }) => phase === "paused");
    const goesOn = rows.some(({ state }) => state !== "held");
    if (isPaused || goesOn) await office.paydrop(isPaused ? "resume" : "retry", batch);
  }
  await releaseSome(office);
  return true;
}

export function openRows(office: Office): readonly OfficeRow[] {
  return office.rows().filter(({ state, phase, marker }) => {
    if (state === "unknown") return true;
    if (phase === "cancelled" || office.isMade(marker)) return false;
    return ["ready", "not_sent", "settled_not_done", "held"].includes(state);
  });
}
