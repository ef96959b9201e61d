import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { FileRefusedError, watchFolder } from "../../src/index.ts";
import type { BatchReport, WatchedFolder, WatchFolderOptions } from "../../src/index.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { answer, inOrder, pause } from "../support/fault-server.ts";
import type { FaultServer, Script } from "../support/fault-server.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { transferCsv } from "../support/desk.ts";

interface Place {
  readonly server: FaultServer;
  readonly inbox: string;
  readonly options: WatchFolderOptions;
}

async function newPlace(script: Script = () => answer(200)): Promise<Place> {
  const server = await startService(script);
  const base = temporaryDirectory();
  const inbox = join(base, "inbox");
  mkdirSync(inbox);
  const stateDir = join(base, "state");
  return { server, inbox, options: { baseUrl: server.url, apiKey: "a-key-of-tests", stateDir, settleMs: 200 } };
}

async function watching(inbox: string, options: WatchFolderOptions): Promise<WatchedFolder> {
  const watched = await watchFolder(inbox, options);
  onTestFinished(() => watched.close().catch(() => undefined));
  return watched;
}

/** How many folders this process waits for events of. */
function listening(): number {
  return process.getActiveResourcesInfo().filter((name) => /^FSEvent/.test(name)).length;
}

describe("watchFolder", () => {
  test("takes what is dropped, tells of it, and leaves nothing running behind it", async () => {
    const { server, inbox, options } = await newPlace();
    const reports: BatchReport[] = [];
    const refused: Error[] = [];
    const rows: string[] = [];
    const watched = await watching(inbox, {
      ...options,
      onReport: (report) => void reports.push(report),
      onRefused: (error) => void refused.push(error),
      onEvent: (event) => {
        if (event.type === "row") rows.push(event.status);
      },
    });
    writeFileSync(join(inbox, "a.csv"), transferCsv("ACC-A"));
    writeFileSync(join(inbox, "broken.csv"), 'from_account,to_account,amount\nACC-1,"ACC-2,1.00\n');
    await until("both", () => reports.length === 1 && refused.length === 1);
    expect(reports[0]).toMatchObject({ exitCode: 0, requests: 1, file: join(inbox, "a.csv") });
    expect(refused[0]).toBeInstanceOf(FileRefusedError);
    expect(rows).toEqual(["accepted"]);
    await until("the answer", () => existsSync(join(inbox, "broken.csv.refused.txt")));

    expect(listening()).toBeGreaterThan(0);
    await watched.close();
    await watched.ended;
    expect(listening(), "a process that has nothing else to do would not end").toBe(0);
    writeFileSync(join(inbox, "b.csv"), transferCsv("ACC-B"));
    // its lock is free: another one takes what came meanwhile
    await watching(inbox, { ...options, onReport: (report) => void reports.push(report) });
    await until("b", () => reports.length === 2);
    expect(server.requests).toHaveLength(2);
  });

  test("closed in the middle it finishes the rows in flight; the next one sends the rest", async () => {
    const { server, inbox, options } = await newPlace(() => inOrder(pause(50), answer(200)));
    const reports: BatchReport[] = [];
    const onReport = (report: BatchReport): void => void reports.push(report);
    writeFileSync(
      join(inbox, "a.csv"),
      `from_account,to_account,amount\n${Array.from({ length: 30 }, (_, row) => `ACC-1,ACC-${row},1${row}.00\n`).join("")}`,
    );
    {
      await using watched = await watchFolder(inbox, { ...options, onReport, concurrency: 2 });
      expectTypeOf(watched.ended).toEqualTypeOf<Promise<void>>();
      await until("some rows", () => server.requests.length > 3);
    }
    expect(reports.at(-1)).toMatchObject({ stop: { code: "signal" } });
    expect(reports.at(-1)?.byStatus.unknown).toBeUndefined();
    expect(server.requests.length).toBeLessThan(30);
    await watching(inbox, { ...options, onReport });
    await until("the rest", () => reports.at(-1)?.exitCode === 0);
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(30);
    expect(server.requests).toHaveLength(30);
  });

  test("a state directory that is in use, an option that is not right: it rejects, and nothing is watched", async () => {
    const { inbox, options } = await newPlace();
    await watching(inbox, options);
    await expect(watchFolder(inbox, options)).rejects.toMatchObject({ code: "locked" });
    await expect(watchFolder(inbox, { ...options, settleMs: -1 })).rejects.toMatchObject({ code: "config" });
    await expect(watchFolder(inbox, {})).rejects.toMatchObject({ code: "config" });
  });

  test.each([
    ["throws", () => throwAway()],
    ["rejects", () => Promise.resolve().then(throwAway)],
  ])("a callback that %s ends it with that error, after the results are written", async (_how, onReport) => {
    const { inbox, options } = await newPlace();
    const watched = await watchFolder(inbox, { ...options, onReport });
    const ended = expect(watched.ended).rejects.toThrow("the database of the caller is away");
    writeFileSync(join(inbox, "a.csv"), transferCsv("ACC-A"));
    await ended;
    await expect(watched.close()).rejects.toThrow("the database of the caller is away");
    expect(readFileSync(join(inbox, "a.csv.results.csv"), "utf8")).toContain("accepted");
  });

  test("a file that goes beside the one whose callback failed was not asked to stop, and says so", async () => {
    const { inbox, options } = await newPlace(({ body }) =>
      body.includes("ACC-SLOW") ? inOrder(pause(300), answer(200)) : answer(200),
    );
    const slow = transferCsv("ACC-SLOW").trimEnd().split("\n");
    const more = Array.from({ length: 60 }, (_, index) => `ACC-SLOW,ACC-2,${index + 10}.00`);
    writeFileSync(join(inbox, "slow.csv"), `${[...slow, ...more].join("\n")}\n`);
    let isBegun = false;
    const watched = await watchFolder(inbox, {
      ...{ ...options, concurrency: 2 },
      onReport: ({ file }) => (file.endsWith("a.csv") ? throwAway() : undefined),
      onEvent: (event) => {
        if (event.type !== "row" || isBegun) return;
        isBegun = true;
        writeFileSync(join(inbox, "a.csv"), transferCsv("ACC-A"));
      },
    });
    await expect(watched.ended).rejects.toThrow("the database of the caller is away");
    expect(readFileSync(join(inbox, "slow.csv.waiting.txt"), "utf8")).toContain("something else failed");
    expect(readFileSync(join(inbox, "slow.csv.summary.json"), "utf8")).toContain('"work_failed"');
  });

  test("a signal ends it; a sandbox needs no keys", async () => {
    const sandbox = await startSandbox({ port: 0 });
    onTestFinished(() => sandbox.close());
    const { inbox } = await newPlace();
    const signal = new AbortController();
    const texts: string[] = [];
    const watched = await watchFolder(inbox, {
      ...{ sandbox, settleMs: 200, signal: signal.signal },
      onMessage: (text) => void texts.push(text),
    });
    mkdirSync(join(inbox, "c.csv"));
    writeFileSync(join(inbox, "a.csv"), transferCsv("ACC-A"));
    await until("results", () => existsSync(join(inbox, "a.csv.summary.json")));
    signal.abort();
    await watched.ended;
    expect(sandbox.ledger().entries).toHaveLength(1);
    expect(texts).toEqual(["c.csv is a folder, not a file"]);
  });
});

function throwAway(): never {
  throw new Error("the database of the caller is away");
}
