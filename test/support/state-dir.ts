import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A private directory of this test's own; kept, and its path printed, when the test fails. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "paydrop-test-"));
  onTestFinished(({ task }) => {
    if (task.result?.state === "fail") process.stderr.write(`kept: ${directory}\n`);
    else rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}
