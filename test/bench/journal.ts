/** `node test/bench/journal.ts [rows] [thread|here]`: what the journal costs. */
import { hash } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "../../src/sqlite/open.ts";
import type { NewRow, Outcome } from "../../src/journal/store.ts";
import { commitTo } from "../support/commit.ts";

const ROWS = Number(process.argv[2] ?? 100_000);
const inThread = process.argv[3] !== "here";
const folder = mkdtempSync(join(tmpdir(), "paydrop-bench-"));
const store = await openJournal(folder, { isSender: true, inThread });

function keyOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}

async function timed<T>(what: string, work: () => Promise<T>, many = ROWS): Promise<T> {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const value = await work();
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const figures = [
    `${ms.toFixed(0)} ms`,
    `${((user + system) / 1000).toFixed(0)} ms CPU`,
    `${((many / ms) * 1000).toFixed(0)} rows/s`,
  ];
  process.stdout.write(`${what.padEnd(28)}${figures.map((one) => one.padStart(16)).join("")}
`);
  return value;
}

async function batch(id: string, first: number, isEqual = false): Promise<void> {
  const made = Array.from({ length: ROWS }, (_, at): NewRow => ({
    row: at + 2,
    state: "ready",
    operation: "payout",
    option: "B",
    amount: "1500.50",
    faults: [],
    notices: [],
    payment: keyOf(`payment ${isEqual ? 0 : first + at}`),
    payee: keyOf(`payee ${isEqual ? 0 : first + at}`),
    place: at * 300,
    size: 299,
  }));
  const createdAt = Date.now();
  const sha256 = hash("sha256", id);
  await timed(`${id}: record`, async () => {
    await store.addBatch({
      id,
      environment: "test",
      destination: "http://127.0.0.1",
      fileName: "payroll.csv",
      folder: "/in",
      format: "csv",
      sha256,
      sizeBytes: 1,
      reading: "{}",
      createdAt,
    });
    for (let from = 0; from < ROWS; from += 1000) await store.addRows(id, made.slice(from, from + 1000));
    const began = performance.now();
    await store.endRows(id, { rows: ROWS, total: "1.00", label: "payout, option B", payments: keyOf(id), remarks: [] });
    process.stdout.write(`  of it endRows ${(performance.now() - began).toFixed(0)} ms\n`);
  });
  await timed(`${id}: seen`, async () => {
    let others = 0;
    for (let after = 0; ;) {
      const page = await store.seen(id, { after, limit: 1000 }, []);
      for (const one of page) others += one.others.length;
      after = page.at(-1)?.row.row ?? Number.NaN;
      if (page.length < 1000) break;
    }
    process.stdout.write(`  others ${others}\n`);
  });
  await timed(`${id}: overlaps`, () => store.overlaps(id));
  await store.judging(() => store.setBatch(id, { phase: "open" }));
}

async function send(id: string, lanes: number): Promise<void> {
  const run = await store.beginRun(id, { login: "bench", host: "here" }, Date.now());
  let outcomes: Outcome[] = [];
  let commits = 0;
  await timed(`${id}: commits of ${lanes}`, async () => {
    for (;;) {
      const { leaving } = await commitTo(store, id, outcomes, lanes);
      commits += 1;
      if (leaving.length === 0) break;
      outcomes = leaving.map(({ row }) => ({
        row,
        state: "accepted",
        code: "http_200",
        tries: 1,
        httpStatus: 200,
        sentAt: Date.now(),
        durationMs: 20,
        response: `{"id":"pout_${row}","status":"created"}`,
      }));
    }
  });
  process.stdout.write(`  commits ${commits}\n`);
  await timed(`${id}: endRun`, () => store.endRun(run, { endedAt: Date.now(), exitCode: 0, requests: ROWS }));
}

await batch("AAAAAAA1", 0);
await send("AAAAAAA1", 25);
await batch("AAAAAAA2", ROWS);
await send("AAAAAAA2", 50);
await batch("AAAAAAA3", 0);
await batch("AAAAAAA4", 0, true);
await batch("AAAAAAA5", 0, true);
await timed("rows", async () => {
  for (let after = 0, page; (page = await store.rows({ batch: "AAAAAAA1", after, limit: 1000 })).length > 0;)
    after = page.at(-1)?.row ?? 0;
});
await timed("batches", () => store.batches({}), 5);
process.stdout.write(`${(statSync(join(folder, "journal.db")).size / 1e6).toFixed(1)} MB\n`);
await store.close();
rmSync(folder, { recursive: true });
