import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { formatUnits, unitsOf } from "../../src/amount.ts";
import { loadSettings } from "../../src/config/load.ts";
import { DAY_MS } from "../../src/day.ts";
import { openJournalOf } from "../../src/open-journal.ts";
import { journalPath } from "../../src/state-dir.ts";
import type { Bench } from "./bench.ts";
import { start } from "./child.ts";
import { figure, median, megabytes, table } from "./figures.ts";
import { amountOf, BATCH_ROWS, fillSqlite } from "./large-journal.ts";
import { clear, emptyFolder, paydropCommand } from "./peers.ts";

/** All of them went within minutes, in batches of 10,000. */
const ROWS = 1_000_000;
const LINES = 200_000;
const AIM = { seconds: 30, bytes: 300e6 };
/** What became of every so-manieth row nobody knows. */
const [UNKNOWN_EVERY, UNKNOWN_AT] = [1000, 6];
/** Unknown rows are there, and stay. */
const EXIT_UNKNOWN = 4;

interface Reconciled {
  readonly seconds: number;
  readonly peakBytes: number | undefined;
  readonly seen: number;
}

/** `paydrop reconcile` of one large statement, from its start to the last results file that says what was seen. */
export async function reconcile(bench: Bench): Promise<readonly Reconciled[]> {
  const runs: Reconciled[] = [];
  for (let time = 1; time <= bench.repeat; time += 1) {
    const folder = emptyFolder(bench.folder, "reconcile");
    bench.progress(`reconcile: fills the journal, ${time} of ${bench.repeat}`);
    await prepare(folder);
    bench.progress(`reconcile: ${time} of ${bench.repeat}`);
    runs.push(await measure(bench, folder));
    clear(folder);
  }
  const middle = (of: (run: Reconciled) => number): number => median(runs.map(of));
  const [seconds, bytes] = [middle((run) => run.seconds), middle(({ peakBytes = NaN }) => peakBytes)];
  const lines = [
    ["start to exit", `${figure(seconds)} s`, `${AIM.seconds} s`, `${figure(seconds / AIM.seconds)} ×`],
    ["peak memory", megabytes(bytes), megabytes(AIM.bytes), `${figure(bytes / AIM.bytes)} ×`],
  ];
  const title = `${figure(LINES)} lines of a statement, ${figure(ROWS)} rows that went`;
  bench.say(`\n${title}, ${figure(middle(({ seen }) => seen))} seen\n\n${table(["", "", "at most", ""], lines)}`);
  return runs;
}

/** The state directory of rows that went, the folder that they came from, and the statement: all inside `folder`. */
export async function prepare(folder: string): Promise<void> {
  const [stateDir, from] = [join(folder, "state"), join(folder, "in")];
  mkdirSync(from, { recursive: true });
  const { config } = loadSettings({ flags: { state_dir: stateDir, environment: "test" }, env: {} });
  await fillSqlite(await openJournalOf(config), stateDir, ROWS, (batch) => writeFile(folder, batch));
  for (let batch = 0; batch < ROWS / BATCH_ROWS; batch += 1) rmSync(copyPath(folder, batch));
  const database = new DatabaseSync(journalPath(stateDir));
  database.exec(`BEGIN; UPDATE row SET state = 'unknown', code = 'timeout', response = NULL
    WHERE ((batch - 1) * ${BATCH_ROWS} + row - 2) % ${UNKNOWN_EVERY} = ${UNKNOWN_AT}`);
  const counted = database.prepare("UPDATE batch SET folder = ?, total = ?, tallies = ? WHERE seq = ?");
  for (let batch = 0; batch < ROWS / BATCH_ROWS; batch += 1) counted.run(from, ...countsOf(batch), batch + 1);
  database.exec("COMMIT");
  database.close();
  writeFileSync(join(folder, "statement.csv"), statementText());
}

const isUnknown = (nth: number): boolean => nth % UNKNOWN_EVERY === UNKNOWN_AT;

function countsOf(batch: number): readonly [total: string, tallies: string] {
  let [accepted, unknown] = [0n, 0n];
  for (let nth = batch * BATCH_ROWS; nth < (batch + 1) * BATCH_ROWS; nth += 1) {
    if (isUnknown(nth)) unknown += unitsOf(amountOf(nth));
    else accepted += unitsOf(amountOf(nth));
  }
  const rows = BATCH_ROWS / UNKNOWN_EVERY;
  const tallies = {
    accepted: { rows: BATCH_ROWS - rows, amount: formatUnits(accepted) },
    unknown: { rows, amount: formatUnits(unknown) },
  };
  return [formatUnits(accepted + unknown), JSON.stringify(tallies)];
}

const FIRST = "Asha Ravi Meera Imran Divya Karan Leela Nikhil Priya Suresh Zoya Anita Farah".split(" ");
const LAST = "Verma Iyer Khan Das Patel Reddy Nair Bose Shah Menon Pillai".split(" ");
const nameOf = (nth: number): string => `${FIRST[nth % FIRST.length] ?? ""} ${LAST[nth % LAST.length] ?? ""}`;
const accountOf = (nth: number): string => `009${String(nth * 7).padStart(12, "3")}`;
const copyPath = (folder: string, batch: number): string => join(folder, `copy-${batch}.csv`);

const HEADER =
  "employee_no,debit_account_id,name,mobile,email,bank_id,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode,narration,reference";

function writeFile(folder: string, batch: number): string {
  const rows = Array.from({ length: BATCH_ROWS }, (_, at) => {
    const nth = batch * BATCH_ROWS + at;
    const [name, contact] = [nameOf(nth), `98${String(nth).padStart(8, "5")},person.${nth}@example.com`];
    return `E${nth},ACC-OPS-01,${name},${contact},EXMB,${accountOf(nth)},EXMB0000001,"${name}",${amountOf(nth)},NEFT,Salary E${nth},REF-${nth}`;
  });
  writeFileSync(copyPath(folder, batch), `${[HEADER, ...rows].join("\n")}\n`);
  return copyPath(folder, batch);
}

/** Four lines of five speak for a row, by its reference, its account, its answer or its name; the fifth is somebody else's. */
function statementText(): string {
  const sentAt = Date.now() - 60 * DAY_MS;
  let balance = unitsOf("90000000000.00");
  const lines = Array.from({ length: LINES }, (_, at) => {
    // in each round others of the rows that have one amount
    const nth = Math.floor((at * ROWS) / LINES) + ((at + Math.floor(at / BATCH_ROWS)) % 5);
    const [amount, isDebit] = [amountOf(nth), at % 10 !== 9];
    balance += isDebit ? -unitsOf(amount) : unitsOf(amount);
    const day = slashed(sentAt + Math.floor((at * 3) / LINES) * DAY_MS);
    const cells = [
      day,
      textOf(nth, at),
      day,
      String(at).padStart(16, "0"),
      isDebit ? amount : "",
      isDebit ? "" : amount,
    ];
    return [...cells, formatUnits(balance)].join(",");
  });
  const head = ["HDFC BANK LTD", "Account No : 50100012344471", ""];
  const columns = "Date,Narration,Value Dt,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.,Closing Balance";
  return `${[...head, columns, ...lines].join("\n")}\n`;
}

function textOf(nth: number, at: number): string {
  const [utr, name] = [`N${String(at * 31).padStart(12, "0")}`, nameOf(nth).toUpperCase()];
  if (at % 10 === 4) return `POS ${utr} FUEL STATION`;
  if (at % 10 === 9) return `NEFT CR-${utr}-SOME CUSTOMER LTD`;
  // the others have no answer
  const answer = isUnknown(nth) ? name : `pout_${nth}`;
  return (
    [`NEFT-${utr}-${name}-REF-${nth}`, `IMPS/${utr}/${accountOf(nth)}`, `TRF ${answer}`, `BULK/${utr}/${name}`][
      at % 4
    ] ?? ""
  );
}

/** `03/11/2026`. */
function slashed(at: number): string {
  const day = new Date(at);
  return (
    [day.getUTCDate(), day.getUTCMonth() + 1].map((part) => String(part).padStart(2, "0")).join("/") +
    `/${day.getUTCFullYear()}`
  );
}

async function measure(bench: Bench, folder: string): Promise<Reconciled> {
  const operands = ["reconcile", join(folder, "statement.csv"), "--account", "ACC-OPS-01", "--dates", "day-first"];
  const command = paydropCommand(
    bench.program,
    [...operands, "--state-dir", join(folder, "state"), "--json"],
    "http://127.0.0.1:9",
    { PAYDROP_ENVIRONMENT: "test" },
  );
  const { code, stdout, stderr, wallMs, peakBytes } = await start(command).ended;
  if (code !== EXIT_UNKNOWN) throw new Error(`reconcile ended with ${String(code)}\n${stderr}`);
  const { seen } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as { seen: number };
  return { seconds: wallMs / 1000, peakBytes, seen };
}
