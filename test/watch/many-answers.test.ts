import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FolderAnswers } from "../../src/drop-folder/folder-answers.ts";
import { namesIn } from "../../src/intake/inbox-folders.ts";
import { neverAnswer } from "../../src/results/answers/answers.ts";
import { temporaryFolder } from "../support/files.ts";

vi.mock(import("../../src/intake/inbox-folders.ts"), { spy: true });

test("however many documents lie in a folder, it is listed once after each look for those that went", async () => {
  const folder = temporaryFolder();
  const nothing = (): void => undefined;
  const listener = { say: nothing, mention: nothing, ended: nothing, failed: nothing };
  const answers = new FolderAnswers(
    listener,
    () => undefined,
    () => Promise.resolve(false),
  );
  const slips = Array.from({ length: 20 }, (_, index) => join(folder, `payslip${index}.pdf`));
  for (const path of slips) {
    writeFileSync(path, "%PDF-1.4");
    await answers.put(path, neverAnswer(path, "document"));
  }
  const [gone = "", kept = ""] = slips;
  rmSync(gone);
  vi.mocked(namesIn).mockClear();
  const present = new Set<string>();
  await answers.afterSweep({ ready: [], waiting: [], oddities: [], stops: [], present, folders: [folder] }, []);
  expect([gone, kept].map((path) => existsSync(`${path}.refused.txt`))).toEqual([false, true]);
  expect(vi.mocked(namesIn)).toHaveBeenCalledTimes(1);
});
