import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { inScratchFolder, removeScratchFolders } from "../../src/disk/scratch.ts";

const FILES = Array.from({ length: 20 }, (_, file) => `copy-${file}.csv`);

/** Removes what is in the folder for as long as it runs, as a thread does that is about to end. */
function removeBeside(folder: string): void {
  const source = `
    const { unlinkSync } = require("node:fs");
    const { folder, names } = require("node:worker_threads").workerData;
    for (;;) for (const name of names) try { unlinkSync(folder + "/" + name); } catch {}`;
  const worker = new Worker(source, { eval: true, workerData: { folder, names: FILES } });
  onTestFinished(() => void worker.terminate());
}

test("at the end by a signal no private copy stays, though a thread removes some of them meanwhile", async () => {
  await inScratchFolder("test", (folder) => {
    removeBeside(folder);
    for (let time = 0; time < 300; time += 1) {
      mkdirSync(folder, { recursive: true });
      for (const name of FILES) writeFileSync(join(folder, name), "name,account\n");
      removeScratchFolders();
      expect(existsSync(folder)).toBe(false);
    }
    return Promise.resolve();
  });
});
