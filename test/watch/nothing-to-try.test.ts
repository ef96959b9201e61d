import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { DropFolder } from "../../src/drop-folder/drop-folder.ts";
import { FolderWatch } from "../../src/drop-folder/folder-watch.ts";
import { Gate } from "../../src/drop-folder/gate.ts";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

test.each([
  ["a service that is away", 401],
  ["an endpoint that is", 404],
])("%s, with nothing left to try it with, is not asked for work all the time", async (_, status) => {
  const server = await startService(() => answer(status));
  const desk = openDesk(server.url, { PAYDROP_WATCH_RETRY: "60ms", PAYDROP_SETTLE: "20ms" });
  const path = desk.write("a.csv", transfersCsv(1));
  const worked = vi.spyOn(DropFolder.prototype, "workOne");
  const end = new AbortController();
  const gate = new Gate({ soft: end.signal, hard: new AbortController().signal });
  const nothing = (): void => undefined;
  await desk.inProcess(async (processor) => {
    const said: string[] = [];
    const say = (text: string): void => void said.push(text);
    const listener = { say, mention: nothing, ended: nothing, failed: nothing };
    const config = loadConfig({ env: { ...desk.env }, flags: {} });
    const parts = { config, processor, listener, folder: desk.folder, gate, isPolling: true, settleIsSaid: true };
    const watching = new FolderWatch(parts).untilStopped();
    await until("the refusal", () => said.length > 0);
    rmSync(path);
    const [batch = ""] = await processor.unfinished([desk.folder]);
    await processor.journal.setPhase(batch, "cancelled", { kind: "cancelled", by: "asha", note: "" });
    // the try that finds it cancelled
    await sleep(1000);
    worked.mockClear();
    await sleep(1500);
    expect(worked.mock.calls.length).toBeLessThan(10);
    end.abort();
    await watching;
  });
  expect(server.requests.length).toBeLessThan(10);
});
