import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCertificates } from "../support/certificates.ts";
import { openDesk, transferCsv, transfersCsv } from "../support/desk.ts";
import { answer, type Reply } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";

/** One process and one file after another: what they share between them, and for how long. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Longer than connections that nobody uses are kept. */
const LONG_MS = 60_000;

test("a file that takes long keeps its connections, however soon it began after another one; in the end none is open", async () => {
  const [reached, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const closed: Promise<unknown>[] = [];
  const held: Reply = async (socket) => {
    reached.resolve(undefined);
    await goOn.promise;
    await answer(200)(socket);
  };
  const server = await startService(({ number }) => (number === 3 ? held : answer(200)), {
    onConnection: (socket) => void closed.push(once(socket, "close")),
  });
  const desk = openDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  desk.write("short.csv", transferCsv("ACC-SHORT"));
  desk.write("long.csv", transfersCsv(4));
  desk.write("later.csv", transferCsv("ACC-LATER"));
  await desk.inProcess(async (processor) => {
    await processor.processFile(`${desk.folder}/short.csv`);
    const long = processor.processFile(`${desk.folder}/long.csv`);
    await reached.promise;
    vi.advanceTimersByTime(LONG_MS);
    goOn.resolve(undefined);
    expect((await long).byStatus).toMatchObject({ accepted: { rows: 4 } });
    vi.advanceTimersByTime(LONG_MS);
    expect((await processor.processFile(`${desk.folder}/later.csv`)).exitCode).toBe(0);
  });
  await Promise.all(closed);
  expect(server.requests).toHaveLength(6);
});

test("certificates are read anew when nothing was sent for a while: whoever mends one need not start paydrop again", async () => {
  const { ca: authority, server: pair, selfSigned } = createCertificates();
  const server = await startService(() => answer(200), { tls: pair });
  const desk = openDesk(server.url);
  const ca = desk.write("ca.pem", selfSigned.cert);
  desk.env["PAYDROP_CA_FILE"] = ca;
  desk.write("a.csv", transferCsv("ACC-A"));
  await desk.inProcess(async (processor) => {
    const run = async (): Promise<string | undefined> =>
      (await processor.processFile(`${desk.folder}/a.csv`)).stop?.code;
    expect(await run()).toBe("certificate_refused");
    writeFileSync(ca, authority);
    vi.advanceTimersByTime(LONG_MS);
    expect(await run()).toBeUndefined();
  });
  expect(server.requests).toHaveLength(1);
});

test("what stopped a file stops those beside it, and not those that come when all have their end", async () => {
  let status = 401;
  const server = await startService(() => answer(status));
  const desk = openDesk(server.url);
  for (const name of ["a", "b", "c"]) desk.write(`${name}.csv`, transferCsv(`ACC-${name}`));
  await desk.inProcess(async (processor) => {
    const run = async (name: string): Promise<string | undefined> =>
      (await processor.processFile(`${desk.folder}/${name}.csv`)).stop?.code;
    await processor.together(async () => {
      expect(await run("a")).toBe("key_refused");
      status = 200;
      expect(await run("b")).toBe("key_refused");
    });
    expect([await run("b"), await run("c"), await run("a")]).toEqual([undefined, undefined, undefined]);
  });
  expect(server.requests).toHaveLength(4);
});

test("the same refusal of every row of one file is about that file: the one beside it goes", async () => {
  const server = await startService(({ body }) => (body.includes("ACC-B") ? answer(200) : answer(422, "no funds")));
  const desk = openDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  desk.write("a.csv", transfersCsv(11));
  desk.write("b.csv", transferCsv("ACC-B"));
  await desk.inProcess((processor) =>
    processor.together(async () => {
      expect((await processor.processFile(`${desk.folder}/a.csv`)).stop?.code).toBe("same_refusal");
      expect((await processor.processFile(`${desk.folder}/b.csv`)).exitCode).toBe(0);
    }),
  );
});

test("behind a file nothing goes on in its name: its mark is not renewed, and nobody asks whether it is paused", async () => {
  const server = await startService(({ number }) => (number === 1 ? answer(200) : answer(401)));
  const desk = openDesk(server.url);
  for (const name of ["sent", "stopped"]) desk.write(`${name}.csv`, transferCsv(`ACC-${name}`));
  const [begun, ended] = [vi.spyOn(globalThis, "setInterval"), vi.spyOn(globalThis, "clearInterval")];
  await desk.inProcess(async (processor) => {
    for (const name of ["sent", "stopped"]) await processor.processFile(`${desk.folder}/${name}.csv`);
    const clocks = begun.mock.results.map(({ value }): unknown => value);
    expect(clocks.length).toBeGreaterThanOrEqual(2);
    expect(clocks.filter((clock) => !ended.mock.calls.some(([one]) => one === clock))).toEqual([]);
  });
});
