/**
 * Each stage of paydrop alone, in a process of its own: `node stage-times.ts '{"file":…,"kind":…,"url":…,"folder":…}'`
 * prints what each took as JSON. What a stage needs from the ones before it was made ready beforehand.
 */
import { dirname, join } from "node:path";
import { Origins } from "../../src/batch/origins.ts";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import type { CheckedRow } from "../../src/checks/instruction.ts";
import { createEnvelope, createRequestBody } from "../../src/client/envelope.ts";
import { createTransport } from "../../src/client/transport.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { Secret } from "../../src/config/secret.ts";
import { takeSnapshot } from "../../src/intake/snapshot.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { NewBatch } from "../../src/journal/batch-record.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { openProcessor } from "../../src/processor.ts";
import type { Row } from "../../src/reader/row.ts";
import { judgeRulesOf, recordRows } from "../../src/batch/record.ts";
import { type OpenedFile, openInput, understand } from "../../src/take-in.ts";
import { AES_IV, AES_KEY, API_KEY, PAYDROP_KEYS } from "./keys.ts";
import { LANES } from "./peers.ts";

export interface StageWish {
  readonly file: string;
  readonly url: string;
  /** Empty; the journal goes there. */
  readonly folder: string;
}

export const STAGES = ["snapshot", "read", "check", "record", "begin, end", "encrypt", "send", "results"] as const;
export type StageName = (typeof STAGES)[number];

const BATCH = "BENCH000";

export interface StageTime {
  readonly wallMs: number;
  readonly cpuMs: number;
}

if (process.argv[1] === import.meta.filename) {
  const times = await timeStages(JSON.parse(process.argv[2] ?? "{}") as StageWish);
  process.stdout.write(JSON.stringify(times));
}

async function timeStages({ file, url, folder }: StageWish): Promise<Partial<Record<StageName, StageTime>>> {
  const times: Partial<Record<StageName, StageTime>> = {};
  const timed = async <T>(stage: StageName, work: () => T | Promise<T>): Promise<T> => {
    const [wall, cpu] = [performance.now(), process.cpuUsage()];
    const result = await work();
    const { user, system } = process.cpuUsage(cpu);
    times[stage] = { wallMs: performance.now() - wall, cpuMs: (user + system) / 1000 };
    return result;
  };

  const env = { ...PAYDROP_KEYS, PAYDROP_BASE_URL: url, PAYDROP_STATE_DIR: folder, HOME: folder };
  const config = loadConfig({ env, secrets: "read" });
  // first: a state folder with snapshots and without a journal is one that lost it
  const journal = openSqliteJournal(folder, createJudge);
  const snapshot = await timed("snapshot", () => takeSnapshot(file, join(folder, "snapshots")));
  const opened = await understand(await openInput(file, snapshot, { config }), { config }, () =>
    Promise.resolve(undefined),
  );
  const pages = await timed("read", () => Array.fromAsync(opened.sheet.rows()));
  const checked = await timed("check", () => pages.map((rows) => opened.checker.check(rows)));

  await timed("record", () => record(journal, config, opened, pages, checked));
  const numbers = pages.flatMap((rows) => rows.map((row) => row.number));
  await timed("begin, end", () => beginAndEnd(journal, config, numbers));
  await journal.close();

  const instructions = checked.flat().map(({ instruction }) => {
    if (!instruction) throw new Error("a row that cannot be sent");
    return instruction;
  });
  const [key, iv] = [Buffer.from(AES_KEY, "hex"), Buffer.from(AES_IV, "hex")];
  const bodyOf = createRequestBody(createEnvelope({ key, iv }));
  const bodies = await timed("encrypt", () => instructions.map((one) => bodyOf(one.operation, one.payload)));
  const path = instructions[0]?.operation.path ?? "";
  await timed("send", () => send(url, path, bodies));

  const processor = await openProcessor({ config }, "read");
  await timed("results", () => processor.writeResultsAgain(BATCH));
  await processor.close();
  return times;
}

function newBatchOf({ path, fileName, snapshot, sheet, reading }: OpenedFile): NewBatch {
  return {
    id: BATCH,
    environment: "test",
    destination: "",
    fileName,
    folder: dirname(path),
    format: sheet.format,
    sha256: snapshot.sha256,
    sizeBytes: snapshot.sizeBytes,
    choices: JSON.stringify(reading),
    createdAt: Date.now(),
  };
}

/** Writes every row down, as a run does it before it sends anything; reading and checking are done already. */
async function record(
  journal: JournalStore,
  config: Config,
  opened: OpenedFile,
  pages: readonly (readonly Row[])[],
  checked: readonly CheckedRow[][],
): Promise<void> {
  let next = 0;
  const known: OpenedFile = {
    ...opened,
    sheet: { ...opened.sheet, remarks: [], rows: () => ReadableStream.from(pages) },
    checker: { check: () => checked[next++] ?? [] },
  };
  const origins = new Origins(journal, config);
  const recording = { journal, batch: newBatchOf(opened), opened: known, origins, config };
  await recordRows(recording, judgeRulesOf(config), Date.now());
}

/** An attempt before and an outcome after each row; the outcome is committed with the lane's next attempt. */
async function beginAndEnd(journal: JournalStore, config: Config, numbers: readonly number[]): Promise<void> {
  const rules = judgeRulesOf(config);
  const answer = { durationMs: 1, httpStatus: 200, response: '{"status":"OK"}' };
  let lastEnded: Promise<void> = Promise.resolve();
  await inLanes(numbers, async (number) => {
    const begun = await journal.begin(BATCH, number, rules);
    if (begun.attempt === undefined) throw new Error(`row ${number} is ${begun.state}`);
    lastEnded = journal.end(begun.attempt, { state: "accepted", reason: "accepted", ...answer });
  });
  await lastEnded;
}

async function send(url: string, path: string, bodies: readonly string[]): Promise<void> {
  const limits = { concurrency: LANES, timeoutMs: 120_000, connectTimeoutMs: 10_000, reuseConnections: true };
  const transport = createTransport({ baseUrl: url, apiKey: new Secret(API_KEY), ...limits });
  await inLanes(bodies, async (body) => {
    const answer = await transport.post(path, body);
    if (answer.kind !== "answered") throw new Error(`no answer: ${answer.detail}`);
  });
  await transport.close();
}

async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) await work(items[at] as T);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
