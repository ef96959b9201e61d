import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  readFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { holdsOf, setHold } from "../../src/batch/held-folder.ts";
import { loadConfig } from "../../src/config/load.ts";
import { DropFolder, SMALL_BESIDE } from "../../src/drop-folder/drop-folder.ts";
import type { FolderListener } from "../../src/drop-folder/folder-listener.ts";
import { Gate } from "../../src/drop-folder/gate.ts";
import { Away } from "../../src/drop-folder/service-away.ts";
import type { BatchReport } from "../../src/events.ts";
import { openProcessor, type Processor } from "../../src/processor.ts";
import { openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import { canMount, makeReadOnly, makeWritable, smallDisk } from "../support/small-disk.ts";
import { answer, redirect } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** The folder of a desk, worked on step by step. Files are complete at the second look. */
async function openDrop(
  desk: Desk,
  processor: Processor,
  { isWatching = true, gate, ...listener }: Partial<FolderListener> & { isWatching?: boolean; gate?: Gate } = {},
): Promise<DropFolder> {
  const nothing = (): void => undefined;
  const drop = new DropFolder({
    ...{
      config: loadConfig({ env: { ...desk.env }, flags: {} }),
      processor,
      folder: desk.folder,
      isWatching,
      settleMs: 1,
    },
    listener: { say: nothing, mention: nothing, ended: nothing, failed: nothing, ...listener },
    stopSending: () => gate?.close(),
    letSend: () => gate?.open(),
  });
  await drop.open();
  return drop;
}

/** Until the files are complete. */
async function sweepAll(drop: DropFolder): Promise<void> {
  await until("all files are complete", async () => {
    const { waiting, ready } = await drop.sweep();
    return waiting.length === 0 && ready.length > 0;
  });
}

test.each([
  ["watch, which holds the folder", true],
  ["run --inbox, which ends", false],
])(
  "%s: what begins while an unclear end is being told sends nothing into the unclear service",
  async (_, isWatching) => {
    const server = await startService(() => answer(500));
    const desk = openDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
    desk.write("a.csv", transfersCsv(5));
    await desk.inProcess(async (processor) => {
      let beside: Promise<BatchReport> | undefined;
      const drop = await openDrop(desk, processor, {
        isWatching,
        ended: () => {
          desk.write("b.csv", "from_account,to_account,amount\nACC-1,ACC-B,100.00\n");
          beside ??= processor.processFile(join(desk.folder, "b.csv"));
        },
      });
      await sweepAll(drop);
      await drop.workOne();
      expect(["unknown_in_a_row", "folder_held"]).toContain((await beside)?.stop?.code);
      expect(drop.isBlocked).toBe(true);
      expect(await drop.workOne()).toBe(false);
    });
    expect(server.requests).toHaveLength(3);
  },
);

test("of two files with the same payment that are found together the older one is taken first, whatever their names", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url);
  const pairs = Array.from({ length: 6 }, (_, index) => ({ older: `z${index}.csv`, newer: `a${index}.csv` }));
  for (const [index, { older, newer }] of pairs.entries()) {
    // which takes longer to be copied
    const long = `from_account,to_account,amount,note\n${`ACC-1,ACC-${index},5.00,${"x".repeat(60_000)}\n`.repeat(7)}`;
    utimesSync(desk.write(older, long), 1_790_000_000, 1_790_000_000 + 2 * index);
    const short = `from_account,to_account,amount\nACC-1,ACC-${index},5.00\n`;
    utimesSync(desk.write(newer, `${short}ACC-1,OTHER-${index},5.00\n`), 1_790_000_000, 1_790_000_001 + 2 * index);
  }
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { isWatching: false });
    await sweepAll(drop);
    const workAll = async (which: "any" | "small"): Promise<void> => {
      while (await drop.workOne(which));
    };
    await Promise.all([workAll("any"), ...Array.from({ length: SMALL_BESIDE }, () => workAll("small"))]);
  });
  const statuses = (name: string): string[] => desk.results(name).map(({ result_status: status }) => status);
  expect(pairs.map(({ older, newer }) => [statuses(older), statuses(newer)])).toEqual(
    pairs.map(() => [
      ["accepted", ...Array<string>(6).fill("held")],
      ["held", "accepted"],
    ]),
  );
  expect(server.requests).toHaveLength(12);
});

test("a STOP that was taken away while the folder was looked at holds nothing: resume is said once", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url);
  desk.write("a.csv", transfersCsv(2));
  // told between the look and what comes of it
  mkdirSync(join(desk.folder, "odd.csv"));
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { mention: () => unlinkSync(join(desk.folder, "STOP")) });
    desk.write("STOP", "");
    await sweepAll(drop);
    expect(drop.isHeld).toBe(false);
    await drop.workOne();
  });
  expect(server.requests).toHaveLength(2);
});

test("a STOP that comes just before a file begins lets nothing of it go", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url);
  desk.write("a.csv", transfersCsv(2));
  const gate = new Gate({ soft: new AbortController().signal, hard: new AbortController().signal });
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { gate });
    await sweepAll(drop);
    let goOn: (none: readonly string[]) => void = () => undefined;
    const asking = new Promise<readonly string[]>((resolve) => (goOn = resolve));
    const asked = vi.spyOn(processor, "handedOver").mockReturnValueOnce(asking);
    const working = drop.workOne();
    await until("the question for what was left to it", () => asked.mock.calls.length > 0);
    // the file has seen no hold by now, and is about to begin when sending is stopped
    gate.soft.addEventListener("abort", () => {
      const { journal } = processor;
      const holds = journal.inboxHolds.bind(journal);
      vi.spyOn(journal, "inboxHolds").mockImplementation(async () => (await sleep(50), holds()));
      goOn([]);
    });
    desk.write("STOP", "");
    await drop.lookForStop();
    expect([await working, gate.soft.aborted]).toEqual([false, true]);
  });
  expect(server.requests).toHaveLength(0);
});

test("what goes first after a resume goes, whoever sees the resume first", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url);
  desk.write("a.csv", transfersCsv(2));
  const gate = new Gate({ soft: new AbortController().signal, hard: new AbortController().signal });
  const processor = await openProcessor(
    { config: loadConfig({ env: { ...desk.env }, flags: {} }), signal: gate },
    "send",
  );
  const codes: number[] = [];
  const drop = await openDrop(desk, processor, { gate, ended: ({ exitCode }) => codes.push(exitCode) });
  desk.write("STOP", "");
  await sweepAll(drop);
  expect([drop.isHeld, await drop.workOne()]).toEqual([true, false]);
  unlinkSync(join(desk.folder, "STOP"));
  for (const { folder } of await holdsOf(processor.journal, desk.folder))
    await processor.journal.liftInboxHold(folder, "asha");
  expect(await drop.workOne()).toBe(true);
  await processor.close();
  expect([codes, server.requests.length]).toEqual([[0], 2]);
});

test("a STOP that came while nothing ran holds what an earlier process left, before the first look at the folder", async () => {
  let status = 401;
  const server = await startService(() => answer(status));
  const desk = openDesk(server.url);
  desk.write("a.csv", transfersCsv(3));
  await desk.process("a.csv");
  expect(server.requests).toHaveLength(1);
  status = 200;
  desk.write("STOP", "");
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor);
    expect(await drop.workOne()).toBe(false);
    expect(drop.isHeld).toBe(true);
  });
  expect(server.requests).toHaveLength(1);
});

test("a STOP that an earlier process had no time to answer is answered by the next one, once", async () => {
  const desk = openDesk((await startService()).url);
  const answers = (): string[] => readdirSync(desk.folder).filter((name) => name.startsWith("STOP - held"));
  await desk.inProcess(async (processor) => {
    await setHold(processor.journal, desk.folder, { code: "stop_file", at: Date.now(), message: "STOP" });
    const drop = await openDrop(desk, processor);
    await drop.sweep();
    expect(answers()).toHaveLength(1);
    unlinkSync(join(desk.folder, answers()[0] ?? ""));
    await drop.sweep();
    expect(answers()).toEqual([]);
  });
});

test.each([
  ["", "is seen as away"],
  ["", "is back before it is looked at"],
  ["", "is back for the next process"],
  [", and another one had its place,", "is back before it is looked at"],
  [", and another one had its place,", "is seen as another"],
  [", and another one had its place,", "is back for the next process"],
])("results for which the folder was away%s come into it when it %s", async (inItsPlace, when) => {
  const server = await startService(() => {
    renameSync(desk.folder, `${desk.folder}-moved`);
    if (inItsPlace !== "") mkdirSync(desk.folder);
    return answer(200);
  });
  const desk = openDesk(server.url, { PAYDROP_WATCH_RETRY: "10ms" });
  desk.write("a.csv", "from_account,to_account,amount\nACC-1,ACC-2,100.00\n");
  const comeBack = (): void => {
    if (inItsPlace !== "") renameSync(desk.folder, `${desk.folder}-other`);
    renameSync(`${desk.folder}-moved`, desk.folder);
  };
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor);
    await sweepAll(drop);
    await drop.workOne();
    if (when.startsWith("is seen")) await drop.sweep();
    comeBack();
    expect(desk.results("a.csv")).toEqual([]);
    if (when.endsWith("process")) return;
    await until("the next try", async () => {
      await drop.sweep();
      return drop.workOne();
    });
    await drop.sweep();
    expect(await drop.workOne()).toBe(false);
  });
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor);
    expect(await drop.workOne()).toBe(when.endsWith("process"));
  });
  expect(desk.results("a.csv")).toMatchObject([{ result_status: "accepted" }]);
  expect(server.requests).toHaveLength(1);
});

test.skipIf(!canMount).each([0, 2])(
  "results that a disk refused, and refused again %i times, come into the folder when it takes them, told once",
  async (times) => {
    const disk = smallDisk(1024);
    const server = await startService(() => {
      makeReadOnly(disk);
      return answer(200);
    });
    const desk = openDesk(server.url, { PAYDROP_WATCH_RETRY: "10ms" });
    rmdirSync(desk.folder);
    symlinkSync(disk, desk.folder);
    desk.write("a.csv", "from_account,to_account,amount\nACC-1,ACC-2,100.00\n");
    const told: number[] = [];
    const workAgain = async (drop: DropFolder): Promise<void> => {
      await until("the next try", async () => {
        await drop.sweep();
        return drop.workOne();
      });
    };
    await desk.inProcess(async (processor) => {
      const drop = await openDrop(desk, processor, {
        ended: ({ exitCode }, { isNews }) => {
          if (isNews) told.push(exitCode);
        },
      });
      await sweepAll(drop);
      await drop.workOne();
      for (let time = 1; time <= times; time += 1) await workAgain(drop);
      expect(told).toEqual([74]);
    });
    makeWritable(disk);
    await desk.inProcess(async (processor) => {
      const drop = await openDrop(desk, processor, { ended: ({ exitCode }) => void told.push(exitCode) });
      expect(await drop.workOne()).toBe(true);
      expect(await drop.workOne()).toBe(false);
    });
    expect(told).toEqual([74, 0]);
    expect(desk.results("a.csv")).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  },
);

test("a batch whose private copy is missing keeps no other file waiting; dropped again, it goes on", async () => {
  let status = 401;
  const server = await startService(() => answer(status));
  const desk = openDesk(server.url);
  desk.write("a.csv", transfersCsv(3));
  const { batch } = await desk.process("a.csv");
  // nor does a person's word for it make it be tried again and again
  await desk.inProcess(({ journal }) => journal.note(batch, { by: "asha", kind: "handover", note: "" }));
  status = 200;
  const snapshots = join(desk.stateDir, "snapshots");
  for (const name of readdirSync(snapshots)) unlinkSync(join(snapshots, name));
  desk.write("b.csv", "from_account,to_account,amount\nACC-1,ACC-B,100.00\n");
  const failed: string[] = [];
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { failed: ({ message }) => void failed.push(message) });
    expect(await drop.workOne()).toBe(true);
    expect(drop.takeCodes()).toEqual([74]);
    await sweepAll(drop);
    await drop.workOne();
    expect(drop.takeCodes()).toEqual([0]);
    desk.write("a.csv", transfersCsv(3));
    await sweepAll(drop);
    await drop.workOne();
  });
  expect(failed).toEqual([expect.stringContaining("the private copy of a.csv")]);
  expect(desk.results("a.csv").map((row) => row.result_status)).toEqual(["accepted", "accepted", "accepted"]);
  expect(server.requests).toHaveLength(5);
});

test("control totals that come while a file is refused for the lack of them are looked at", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url, { PAYDROP_REQUIRE_CONTROL: "true" });
  desk.write("a.csv", transfersCsv(2));
  await desk.inProcess(async (processor) => {
    const failed = (): void => void desk.write("a.csv.control", "rows=2\n");
    const drop = await openDrop(desk, processor, { failed });
    await sweepAll(drop);
    expect(await drop.workOne()).toBe(true);
    expect(server.requests).toHaveLength(0);
    // the file and what lies beside it are as they were: only what is new is looked at
    await until("the file with its totals", async () => (await drop.sweep()).ready.length > 0);
    expect(await drop.workOne()).toBe(true);
  });
  expect(server.requests).toHaveLength(2);
});

test("a file that goes no further for its control totals is not called one of which nothing was sent", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url);
  const rows = transfersCsv(2);
  desk.write("a.csv", rows);
  const { batch } = await desk.process("a.csv");
  desk.write("b.csv", rows);
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor);
    for (const totals of ["rows=3\n", "rows=two\n"]) {
      desk.write("b.csv.control", totals);
      await sweepAll(drop);
      await drop.workOne();
      const [said] = readFileSync(join(desk.folder, "b.csv.refused.txt"), "utf8").split("\r\n");
      expect(said).toBe(`paydrop: b.csv was not taken. Nothing more was sent of its batch ${batch}.`);
    }
  });
});

test.each([
  ["a web page", answer(200, "<html></html>", { "content-type": "text/html" }), { isHeld: true, isAway: false }],
  ["a redirect", redirect(302, "/elsewhere"), { isHeld: true, isAway: false }],
  ["that it knows no such address", answer(404), { isHeld: false, isAway: true }],
  ["to slow down, for ever", answer(429, {}, { "retry-after": "0" }), { isHeld: false, isAway: true }],
  ["the same refusal of every row", answer(422, { error: "no funds" }), { isHeld: false, isAway: false }],
])(
  "a service that answers %s: what waits for a person, what is tried again, and what goes on",
  async (_, reply, is) => {
    const server = await startService(() => reply);
    const desk = openDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
    desk.write("a.csv", transfersCsv(11));
    await desk.inProcess(async (processor) => {
      const drop = await openDrop(desk, processor);
      await sweepAll(drop);
      expect(await drop.workOne()).toBe(true);
      expect({ isHeld: drop.isHeld, isAway: drop.retryInMs !== undefined }).toEqual(is);
    });
  },
);

test("two files that one outage stopped are both told; a further try is not", async () => {
  const server = await startService(() => answer(401));
  const desk = openDesk(server.url, { PAYDROP_WATCH_RETRY: "3s" });
  desk.write("a.csv", transfersCsv(3));
  for (const name of ["b", "c"]) desk.write(`${name}.csv`, `from_account,to_account,amount\nACC-1,ACC-${name},1.00\n`);
  const told: boolean[] = [];
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { ended: (_, { isNews }) => told.push(isNews) });
    await sweepAll(drop);
    await Promise.all([drop.workOne("any"), drop.workOne("small")]);
    expect(told).toEqual([true, true]);
    expect(server.requests).toHaveLength(1);
    expect(await drop.workOne(), "it is not tried at once").toBe(false);
    await until("the next try", async () => {
      expect(await drop.workOne("small"), "one tries").toBe(false);
      return drop.workOne();
    });
    expect(told).toEqual([true, true, false]);
  });
});

test("one outage that stops two files is waited for once, a further try waits longer", () => {
  const times = 200;
  const waits = Array.from({ length: times }, () => {
    const away = new Away(1000);
    expect(away.failed("unreachable", false)).toBe(true);
    const [first = 0] = [away.retryInMs];
    expect(away.failed("unreachable", false)).toBe(false);
    expect(away.retryInMs).toBeLessThanOrEqual(first);
    away.failed("unreachable", true);
    expect(away.failed("key_refused", false)).toBe(true);
    return away.retryInMs ?? 0;
  });
  expect(Math.max(...waits)).toBeGreaterThan(1000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(2000);
});

test.each([
  ["had its end", 200, 3],
  ["was stopped before that row, and goes on now", 401, 4],
])("a row that was held for another file which %s: the next process goes through it again", async (_, first, sent) => {
  let [status, isHeld] = [first, false];
  const server = await startService(({ number }) => async (socket) => {
    await until("the hold of the row beside it", () => number === 1 || isHeld);
    await answer(number > 1 ? status : 200)(socket);
  });
  const desk = openDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  const period = { period: (): string => "2026-11" };
  const [header, , , last] = transfersCsv(3, period).split("\n");
  desk.write("a.csv", transfersCsv(3, period));
  desk.write("b.csv", `${header ?? ""}\n${last ?? ""}\n`);
  // neither is watched: the process is gone before it can look again
  await desk.inProcess(async (processor) => {
    const large = processor.processFile(join(desk.folder, "a.csv"));
    await until("the second request", () => server.requests.length === 2);
    const beside = await processor.processFile(join(desk.folder, "b.csv"));
    isHeld = true;
    expect(beside.byStatus).toMatchObject({ held: { rows: 1 } });
    await large;
  });
  status = 200;
  const ended: BatchReport[] = [];
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { ended: (report) => ended.push(report) });
    while (await drop.workOne());
  });
  expect(ended.at(-1)).toMatchObject({ exitCode: 0, byStatus: { duplicate: { rows: 1 } } });
  expect(server.requests).toHaveLength(sent);
});

test("a file that is refused while another one waits for its turn is the only one that is", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url);
  utimesSync(desk.write("a.csv", "nothing of ours\n1\n"), 1_790_000_000, 1_790_000_000);
  desk.write("b.csv", transfersCsv(1));
  const failed: string[] = [];
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { failed: ({ message }) => void failed.push(message) });
    await sweepAll(drop);
    await Promise.all([drop.workOne("any"), drop.workOne("small")]);
  });
  expect(failed).toEqual([expect.stringContaining("a.csv")]);
  expect(desk.results("b.csv")).toMatchObject([{ result_status: "accepted" }]);
});

test("two copies of a file that are found together are one batch: its rows go once, and both have their results", async () => {
  const server = await startService(() => async (socket) => {
    await sleep(50);
    await answer(200)(socket);
  });
  const desk = openDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  const names = ["a.csv", "b.csv"];
  for (const name of names) desk.write(name, transfersCsv(4));
  const codes: number[] = [];
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { ended: ({ exitCode }) => void codes.push(exitCode) });
    await sweepAll(drop);
    const working = [drop.workOne("any"), drop.workOne("small")];
    await until("the first request", () => server.requests.length > 0);
    await drop.sweep();
    expect(await drop.workOne("small"), "what is in work waits for nobody").toBe(false);
    await Promise.all(working);
  });
  expect(codes).toEqual([0, 0]);
  for (const name of names) {
    expect(desk.results(name).map((row) => row.result_status)).toEqual(Array(4).fill("accepted"));
  }
  expect(server.requests).toHaveLength(4);
});

test("a file that is changed or taken away before its turn ends nothing, and is taken when it lies still again", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url);
  desk.write("a.csv", transfersCsv(2));
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor);
    await sweepAll(drop);
    desk.write("a.csv", transfersCsv(3));
    await drop.workOne();
    expect(server.requests).toHaveLength(0);
    await sweepAll(drop);
    unlinkSync(join(desk.folder, "a.csv"));
    await drop.workOne();
    expect(server.requests).toHaveLength(0);
    desk.write("a.csv", transfersCsv(3));
    await sweepAll(drop);
    await drop.workOne();
  });
  expect(server.requests).toHaveLength(3);
});

test("of a folder that goes away nothing waits; what comes back with it goes once", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url);
  desk.write("a.csv", transfersCsv(2));
  const mentioned: string[] = [];
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { mention: (text) => void mentioned.push(text) });
    await sweepAll(drop);
    renameSync(desk.folder, `${desk.folder}-moved`);
    await drop.sweep();
    expect([drop.count, await drop.workOne()]).toEqual([{ files: 0 }, false]);
    renameSync(`${desk.folder}-moved`, desk.folder);
    await sweepAll(drop);
    expect(await drop.workOne()).toBe(true);
  });
  expect(mentioned).toEqual([]);
  expect(server.requests).toHaveLength(2);
});

test("a file that cannot go with these settings is tried once, and again when it was changed", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url);
  delete desk.env["PAYDROP_AES_KEY"];
  const payouts = "debit_account_id,bene_id,bene_bank_id,amount,payment_mode\nACC-1,BEN-1,7,100.00,IMPS\n";
  desk.write("a.csv", payouts);
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor);
    await sweepAll(drop);
    expect([await drop.workOne(), drop.takeCodes()]).toEqual([true, [2]]);
    // it is looked at from the beginning
    await until("nothing is waited for", async () => (await drop.sweep()).waiting.length === 0);
    expect([drop.count, await drop.workOne()]).toEqual([{ files: 0 }, false]);
    desk.write("a.csv", payouts.replace("100.00", "101.00"));
    await sweepAll(drop);
    expect(await drop.workOne()).toBe(true);
  });
  expect(server.requests).toHaveLength(0);
});

test("a file that is refused while the folder is looked at is told once", async () => {
  const desk = openDesk((await startService()).url);
  desk.write("a.csv", "nothing of ours\n1\n");
  const failed: string[] = [];
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { failed: ({ message }) => void failed.push(message) });
    await sweepAll(drop);
    // each gets a word beside it: the look takes longer than the file
    for (let file = 0; file < 60; file += 1) desk.write(`${file}.zip`, "PK");
    expect((await Promise.all([drop.sweep(), drop.workOne()]))[1]).toBe(true);
    expect(await drop.workOne()).toBe(false);
  });
  expect(failed).toEqual([expect.stringContaining("a.csv")]);
});

test("a file that was refused is looked at again by other settings, and not by the same ones", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url, { PAYDROP_REQUIRE_CONTROL: "true" });
  desk.write("a.csv", transfersCsv(2));
  const work = (): Promise<boolean> =>
    desk.inProcess(async (processor) => {
      const drop = await openDrop(desk, processor);
      await until("nothing is waited for", async () => (await drop.sweep()).waiting.length === 0);
      return drop.workOne();
    });
  expect([await work(), await work()]).toEqual([true, false]);
  desk.env["PAYDROP_REQUIRE_CONTROL"] = "false";
  expect(await work()).toBe(true);
  expect(server.requests).toHaveLength(2);
});

test("a batch that began with another destination keeps no other file waiting", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk((await startService(() => answer(401))).url);
  desk.write("a.csv", transfersCsv(3));
  await desk.process("a.csv");
  desk.env["PAYDROP_BASE_URL"] = server.url;
  desk.write("b.csv", "from_account,to_account,amount\nACC-1,ACC-B,100.00\n");
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor);
    await drop.workOne();
    expect(drop.takeCodes()).toEqual([78]);
    await sweepAll(drop);
    await drop.workOne();
    expect(drop.takeCodes()).toEqual([0]);
  });
  expect(server.requests).toHaveLength(1);
});

test("when a service that refused the key takes rows again, all files go at once, and that is said once", async () => {
  let status = 401;
  const server = await startService(() => answer(status));
  const desk = openDesk(server.url, { PAYDROP_WATCH_RETRY: "50ms" });
  for (const name of ["a", "b", "c"])
    desk.write(`${name}.csv`, `from_account,to_account,amount\nACC-1,ACC-${name},1.00\n`);
  const said: string[] = [];
  await desk.inProcess(async (processor) => {
    const drop = await openDrop(desk, processor, { say: (text) => void said.push(text) });
    await sweepAll(drop);
    const tryAgain = async (): Promise<void> => {
      await until("the next try", () => drop.workOne());
    };
    for (let times = 1; times <= 3; times += 1) await tryAgain();
    expect(drop.isBlocked).toBe(true);
    status = 200;
    await tryAgain();
    expect(drop.isBlocked).toBe(false);
    expect([await drop.workOne(), await drop.workOne(), await drop.workOne()]).toEqual([true, true, false]);
  });
  expect(said.map((text) => text.split(":")[0])).toEqual(["everything waits", "the service takes rows again"]);
});
