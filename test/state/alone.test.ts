import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import type { RunEvent } from "../../src/events.ts";
import type { Mark } from "../../src/journal/store.ts";
import { openProcessor, type Processor } from "../../src/processor.ts";
import { inboxMark } from "../../src/results/marks/keep-mark.ts";
import { openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import { answer, inOrder, pause } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";

/** `onStart`: after a file was looked at, and before its first row goes. */
async function open(desk: Desk, stateDir: string, onStart?: () => void): Promise<Processor> {
  const config = loadConfig({ env: { ...desk.env }, flags: { state_dir: stateDir } });
  const onEvent = (event: RunEvent): void => {
    if (event.type === "start") onStart?.();
  };
  const processor = await openProcessor({ config, onEvent }, "send");
  onTestFinished(() => processor.close());
  return processor;
}

function putMark(folder: string, mark: Mark): void {
  writeFileSync(join(folder, ".paydrop"), inboxMark(folder).text(mark));
}

const OTHERS: Mark = { stateId: "OTHER", lastAttempt: 0, lastAttemptAt: 0 };

describe("the mark of an inbox that comes after the look at a file", () => {
  test("keeps its rows from going, and the file's own mark is taken back", async () => {
    const server = await startService();
    const desk = openDesk(server.url);
    const path = desk.write("t.csv", transfersCsv(2));
    const processor = await open(desk, desk.stateDir, () => putMark(desk.folder, OTHERS));
    await expect(processor.processFile(path)).rejects.toMatchObject({
      code: "journal",
      message: expect.stringContaining(".paydrop was written with another state directory") as string,
    });
    expect(server.requests).toHaveLength(0);
    // whoever's inbox it is goes on
    expect(existsSync(`${path}.summary.json`)).toBe(false);
  });

  test("keeps the rest of a batch from going", async () => {
    const server = await startService();
    const desk = openDesk(server.url);
    const path = desk.write("t.csv", transfersCsv(3));
    server.use(({ number }) => answer(number === 1 ? 200 : 401));
    const processor = await open(desk, desk.stateDir, () => {
      if (server.requests.length > 0) putMark(desk.folder, OTHERS);
    });
    await processor.processFile(path);
    const sent = server.requests.length;
    server.use(() => answer(200));
    await expect(processor.processFile(path)).rejects.toMatchObject({ code: "journal" });
    expect(server.requests).toHaveLength(sent);
    expect(existsSync(`${path}.summary.json`)).toBe(true);
  });

  test("is a copy's: whoever kept the inbox until then sends nothing", async () => {
    const server = await startService();
    const desk = openDesk(server.url);
    const path = desk.write("t.csv", transfersCsv(2));
    const processor = await open(desk, desk.stateDir, () => {
      putMark(desk.folder, { ...OTHERS, stateId: processor.journal.stateId });
    });
    const inbox = await processor.keepInbox(desk.folder);
    await expect(processor.processFile(path)).rejects.toThrow("with a copy of this state directory");
    await inbox.close();
    expect(server.requests).toHaveLength(0);
  });
});

test("the first attempt of an inbox is in its mark before it goes: a copy does not get the inbox any more", async () => {
  const server = await startService();
  const desk = openDesk(server.url);
  desk.write("before.csv", transfersCsv(1).replaceAll(",60200", ",70100"));
  await desk.process("before.csv");
  cpSync(desk.stateDir, `${desk.stateDir}2`, { recursive: true });
  const path = desk.write("t.csv", transfersCsv(1));
  const processor = await open(desk, desk.stateDir);
  const copy = await open(desk, `${desk.stateDir}2`);
  const inbox = await processor.keepInbox(desk.folder);
  const marked: unknown[] = [];
  server.use(() => {
    marked.push(JSON.parse(readFileSync(join(desk.folder, ".paydrop"), "utf8")));
    return inOrder(pause(500), answer(200));
  });
  const done = processor.processFile(path);
  await expect.poll(() => marked).toMatchObject([{ paydrop: { last_attempt: 2 } }]);
  await expect(copy.keepInbox(desk.folder)).rejects.toMatchObject({ code: "journal" });
  await done;
  await inbox.close();
});

test("with copies of one state directory at the same moment no row goes twice", async () => {
  const server = await startService();
  const desk = openDesk(server.url);
  desk.write("before.csv", transfersCsv(1).replaceAll(",60200", ",70100"));
  await desk.process("before.csv");
  const dirs = [1, 2, 3].map((index) => `${desk.stateDir}${index}`);
  for (const dir of dirs) cpSync(desk.stateDir, dir, { recursive: true });
  desk.write("t.csv", transfersCsv(6));
  server.use(() => inOrder(pause(50), answer(200)));
  const runs = await Promise.all(dirs.map((dir) => desk.run("t.csv", "--state-dir", dir)));
  const codes = runs.map(({ code }) => code).sort();
  expect(codes.filter((code) => code === 74).length).toBeGreaterThanOrEqual(2);
  const bodies = server.requests.map(({ body }) => body);
  expect(new Set(bodies).size).toBe(bodies.length);
});
