import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Call } from "../../src/commands/command.ts";
import { run as find } from "../../src/commands/find.ts";
import { cancel } from "../../src/commands/pause-cancel.ts";
import { release, retry } from "../../src/commands/release-retry-resume.ts";
import { run } from "../../src/commands/run-watch.ts";
import { run as settle } from "../../src/commands/settle.ts";
import { run as status } from "../../src/commands/status.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import { jsonLines } from "../support/call.ts";
import { called, type CallShape } from "../support/calls.ts";
import { answer, reset, startFaultServer, type FaultServer } from "../support/fault-server.ts";
import { AES_IV, AES_KEY, API_KEY, payloadOf } from "../support/ledger-server.ts";
import type { Ended } from "../support/paydrop.ts";
import {
  CANCELLED,
  CANCELLED_WEEK,
  dayIn,
  RELEASED,
  rupeesOf,
  sumOf,
  sumsBy,
  Year,
  type Happening,
  type Line,
} from "../support/year.ts";

const year = new Year();
// 66 files, each with its commits: a disk that syncs makes it three times as long
const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "paydrop-test-"));
const [inbox, state] = [join(root, "inbox"), join(root, "state")];
const answers = new Map<string, Line["answer"]>();
/** What was printed: by the name of a file and its day. */
const ended = new Map<string, Ended>();
let service: FaultServer;

/** As somebody types it. */
function paydrop(command: (call: Call) => Promise<number>, said = "", flags: CallShape["flags"] = {}): Promise<Ended> {
  const env = { PAYDROP_API_KEY: API_KEY, PAYDROP_AES_KEY: AES_KEY, PAYDROP_AES_IV: AES_IV, TZ: "UTC" };
  const usual = { base_url: service.url, state_dir: state, concurrency: "4" };
  return called(command, { operands: said === "" ? [] : [said], flags: { ...usual, ...flags }, env });
}

beforeAll(async () => {
  mkdirSync(inbox);
  vi.useFakeTimers({ toFake: ["Date"] });
  service = await startFaultServer(({ path, body }) => {
    const payload = payloadOf(path, body);
    const said = answers.get(String(payload["bank_acc_num"]));
    // what went wrong is told with all that was sent
    return said === "nothing" ? reset() : answer(said === "500" ? 500 : 200, payload);
  });
  for (const one of year.happenings) {
    vi.setSystemTime(one.at);
    await happen(one);
  }
  vi.setSystemTime(Date.UTC(2026, 11, 31, 23));
});

afterAll(async () => {
  vi.useRealTimers();
  await service.close();
  rmSync(root, { recursive: true });
});

async function happen(one: Happening): Promise<void> {
  answers.clear();
  if (one.kind === "file") {
    const path = join(inbox, one.name);
    for (const { file, who, answer: said } of year.lines) if (file === one.name) answers.set(who.account, said);
    writeFileSync(path, one.content);
    if (one.period === CANCELLED_WEEK) ended.set("cancelled before", await paydrop(run, path, { by: "kavya" }));
    ended.set(`${one.name} ${dayIn(one)}`, await paydrop(run, path, { by: "kavya", period: one.period }));
  } else if (one.kind === "month_end") await monthEnd(one.sheet);
  else {
    const held = await rowsFor("", { status: "held", since: "2026-01-01" });
    const batch = String(held.find(({ file }) => file === one.name)?.["batch"]);
    const chosen = one.rows ? { row: one.rows.join() } : { held: true };
    const said = { ...chosen, reason: one.decision.why };
    // who brought the file says that it is right
    if (one.kind === "release") ended.set(`own ${one.name}`, await paydrop(release, batch, { ...said, by: "kavya" }));
    await paydrop(one.kind === "release" ? release : cancel, batch, { ...said, by: one.decision.by });
  }
}

/** Finance looks up what is unclear, fills in the list, and sends again what did not go. */
async function monthEnd(sheet: Extract<Happening, { kind: "month_end" }>["sheet"]): Promise<void> {
  const { stdout } = await paydrop(status, "", { unknown: true, csv: true });
  const list = join(root, "unknown.csv");
  const filled = tableOf(stdout).map((row): Record<string, string> => ({
    ...row,
    ...sheet.get(`${row["file"]}:${row["row"]}`),
  }));
  writeFileSync(list, stringify(filled, { header: true }));
  await paydrop(settle, "", { from: list, by: "ravi" });
  const notDone = filled.filter((row) => row["as"] === "not-done").map(({ batch }) => batch);
  for (const batch of new Set(notDone)) await paydrop(retry, batch, { by: "ravi" });
}

const tableOf = (csv: string) => parse<Record<string, string>>(csv, { bom: true, columns: true });
const placeOf = ({ file, row }: { readonly file?: unknown; readonly row?: unknown }): string =>
  `${String(file)}:${String(row)}`;

/** What `paydrop find` finds: its rows, and their sum. */
async function rowsFor(text: string, flags: CallShape["flags"]) {
  const { stdout } = await paydrop(find, text, { ...flags, json: true });
  return jsonLines(stdout).filter(({ type }) => type === "found");
}

/** One question, and the rows that the generator would answer it with. */
async function expectFound(text: string, flags: CallShape["flags"], isMeant: (line: Line) => boolean): Promise<void> {
  const lines = year.lines.filter(isMeant);
  expect(lines).not.toEqual([]);
  const { stdout } = await paydrop(find, text, { ...flags, json: true });
  const all = jsonLines(stdout);
  expect(all.slice(0, -1).map(placeOf).sort(), text).toEqual(lines.map(placeOf).sort());
  expect(all.at(-1), text).toMatchObject(sumOf(lines));
}

/** Of a month, in UTC unless said. */
const isIn =
  (month: string, minutesAhead = 0) =>
  (line: Line): boolean =>
    dayIn(line, minutesAhead).startsWith(month);
const WHOLE = { since: "2026-01-01" };
const OCTOBER = { since: "2026-10-01", until: "2026-11-01" };

test("weekly and monthly pay with its period → goes; held is what should be, and nothing else", async () => {
  const wasHeld = ({ status: is, decision }: Line): boolean =>
    is === "duplicate" || decision?.kind === "release" || decision?.kind === "cancel";
  const rows = await rowsFor("", WHOLE);
  const held = rows.filter(({ held_for: codes }) => codes !== "");
  expect(held.map(placeOf).sort()).toEqual(year.lines.filter(wasHeld).map(placeOf).sort());
  expect(await rowsFor("", { ...WHOLE, status: "held" }), "all is decided").toEqual([]);
});

test("the same file an hour later, as the next month or week → asked about, and nothing goes", () => {
  for (const [name, days] of [
    ["payroll-2026-07.csv 2026-06-28", "28 Jun"],
    ["wages-2026-W52.csv 2026-12-18", "18 Dec"],
  ] as const) {
    const { code, stdout } = ended.get(name) as Ended;
    expect([code, stdout], name).toEqual([6, expect.stringContaining(`These very payments went already on ${days}`)]);
    expect(stdout).not.toContain("accepted  ");
  }
  // a week later it is right, and is told that it was cancelled
  const { code, stdout } = ended.get("cancelled before") as Ended;
  expect(code).toBe(0);
  expect(stdout).toContain("the file was taken on 18 Dec 2026, 20:30 UTC, and 40 rows of it were cancelled\n");
  expect(stdout).toContain("--period '2026-W52 again'");
});

test("was she paid in November, by which file → by name, number, zeros or none", async () => {
  const november = { since: "2026-11-01", until: "2026-12-01" };
  const isAsha = ({ who }: Line): boolean => who.name === "Asha Rao";
  for (const text of ["asha rao", "00410101", "410101"])
    await expectFound(text, november, (line) => isAsha(line) && isIn("2026-11")(line));
  // who came in June, and who left in March
  await expectFound("arjun thomas", WHOLE, ({ who }) => who.name === "Arjun Thomas");
  expect((await paydrop(find, "yash reddy", november)).stdout).toMatch(/^nothing found/);
  const { stdout } = await paydrop(find, "asha rao", november);
  expect(stdout).toMatch(
    /^ +25000\.00 {3}accepted {3}Asha Rao \(00410101\) ••1000\n +2026-11-28 {3}batch \w{8}, row 2 of payroll-2026-11\.csv, from ACC-OPS-01\n1 row found since 1 Nov 2026 and before 1 Dec 2026, 25000\.00 in all\n$/,
  );
  const all = await paydrop(find, "00410142");
  expect(all.stdout, "what was cancelled is no pay").toContain(": 13 accepted (523750.00), 1 cancelled (41900.00)\n");
});

test("a reference, the end of an account, an amount → its rows of the whole year", async () => {
  await expectFound("INV-42", {}, ({ reference }) => reference === "INV-42");
  await expectFound("8901", {}, ({ who }) => who.account.endsWith("8901"));
  await expectFound("", { amount: "25,000" }, ({ paise }) => paise === 2_500_000);
});

test("what left on a day and on each day of a month → by debit account, in UTC and in India", async () => {
  const sums = async (by: string, flags: CallShape["flags"]): Promise<string[][]> => {
    const { stdout } = await paydrop(find, "", { ...flags, sum_by: by, csv: true });
    return parse(stdout, { bom: true }).slice(1);
  };
  const ofDay = year.lines.filter(isIn("2026-10-30"));
  expect(await sums("debit", { since: "2026-10-30", until: "2026-10-31" })).toEqual(
    sumsBy(ofDay, ({ who }) => [who.debit]),
  );
  for (const [zone, minutes] of [
    [undefined, 0],
    ["Asia/Kolkata", 330],
  ] as const)
    for (const [month, next] of [
      ["2026-07", "2026-08"],
      ["2026-10", "2026-11"],
    ] as const) {
      const flags = { since: `${month}-01`, until: `${next}-01`, time_zone: zone };
      const lines = year.lines.filter(isIn(month, minutes));
      expect(await sums("day,debit,status", flags), `${month} ${zone}`).toEqual(
        sumsBy(lines, (line) => [dayIn(line, minutes), line.who.debit, line.status]),
      );
    }
});

test("October for the auditor → every row with who decided and why; sums as the batches have them", async () => {
  const ledger = tableOf((await paydrop(find, "", { ...OCTOBER, csv: true })).stdout);
  const lines = year.lines.filter(isIn("2026-10"));
  const expected = lines.map(({ file, row, at, who, paise, reference, status: is, decision }) => ({
    ...{ file, row: String(row), at_utc: new Date(at).toISOString(), name: who.name, employee_no: who.number },
    ...{
      account: `••${who.account.slice(-4)}`,
      reference,
      from_account: who.debit,
      amount: rupeesOf(paise),
      status: is,
    },
    ...{ decided_by: decision?.by ?? "", decision: decision?.kind ?? "", why: decision?.why ?? "" },
  }));
  const names = Object.keys(expected[0] ?? {});
  const found = ledger.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
  const inOrder = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
  expect(inOrder(found)).toEqual(inOrder(expected));
  // the journal's own sums of these batches
  const store = await openJournal(state);
  const ids = new Set(ledger.map(({ batch }) => batch));
  const batches = (await store.batches({})).filter(({ id }) => ids.has(id));
  await store.close();
  const tallies = Map.groupBy(
    batches.flatMap(({ tallies: all }) => Object.entries(all)),
    ([is]) => is,
  );
  for (const [is, all] of tallies) {
    const { rows, amount } = sumOf(lines.filter((line) => line.status === is));
    expect(
      all.reduce((sum, [, tally]) => sum + tally.rows, 0),
      is,
    ).toBe(rows);
    expect(all.reduce((sum, [, tally]) => sum + Number(tally.amount), 0).toFixed(2), is).toBe(amount);
  }
});

test("whose account changed → the theft was cancelled, the others asked and released by somebody else", async () => {
  const isChanged = ({ decision }: Line): boolean => decision === CANCELLED || decision === RELEASED;
  await expectFound("", { ...WHOLE, held_for: "other_account" }, isChanged);
  const { stdout } = await paydrop(find, "", { ...WHOLE, held_for: "other_account" });
  expect(stdout).toMatch(
    /cancelled {3}Isha Kumar .*\n.* row 35 of payroll-2026-05\.csv, .*\n.* ravi .*\(she never asked for it\)\n/,
  );
  expect(stdout.match(/ meena \(.*: released row \d+ of batch \w+ \(asked by phone, the old number\)\n/g)).toHaveLength(
    2,
  );
  for (const name of ["own payroll-2026-03.csv", "own payroll-2026-09.csv"])
    expect(ended.get(name), name).toMatchObject({
      code: 6,
      stdout: expect.stringContaining("kavya brought the file") as string,
    });
  // the stolen wages went to the old account by another file
  await expectFound("isha kumar", { since: "2026-05-29", until: "2026-06-01" }, (line) =>
    line.file.includes("corrected"),
  );
});

test("what is unknown over the whole year → what nobody could settle, and its sum", async () => {
  expect(year.lines.filter(({ answer: said }) => said !== "yes")).toHaveLength(40);
  await expectFound("", { ...WHOLE, status: "unknown" }, ({ status: is }) => is === "unknown");
});

test("the journal of a year → names, accounts, mobiles, addresses, numbers of nobody (I10)", () => {
  // as they are written, and as one would keep them: without signs, and zeros in front
  const texts = year.lines.flatMap(({ who: { name, account, mobile, email, number } }) => [
    ...[name, mobile, email, account.replace(/^0+/, "")],
    ...[number, number.replace("/", ""), number.replace(/^0+/, "")],
  ]);
  const secrets = [...new Set(texts.map((text) => text.toLowerCase()))].sort();
  // a few letters and digits stand in a hash by chance
  const pattern = (text: string): string =>
    /^\w{1,8}$/.test(text) ? `(?<![\\w-])${text}(?![\\w-])` : RegExp.escape(text);
  const leak = new RegExp(secrets.map(pattern).join("|"));
  const leaksIn = (text: string): readonly string[] => leak.exec(text.toLowerCase()) ?? [];
  expect(secrets.filter((text) => leaksIn(`"${text}"`).length === 0)).toEqual([]);
  expect([...textsIn(join(state, "journal.db"))].flatMap(leaksIn), "in a table").toEqual([]);
  for (const name of readdirSync(state).filter((one) => one.startsWith("journal.db")))
    expect(leaksIn(readFileSync(join(state, name), "latin1")), name).toEqual([]);
});

/** Every text of every table. */
function* textsIn(path: string): Generator<string> {
  using database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  expect(tables.length).toBeGreaterThan(5);
  for (const { name } of tables) {
    for (const row of database.prepare(`SELECT * FROM "${String(name)}"`).iterate())
      yield Object.values(row)
        .filter((value) => typeof value === "string")
        .join("\n");
  }
}
