import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "./program.ts";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A private folder of the test's own; the system's temporary folder is cleared by the system. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "paydrop-test-"));
}

/** Runs paydrop in a process of its own, with no environment but what is said. */
export async function paydrop(
  operands: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = tmpdir(),
): Promise<Ended> {
  const { code = 1, stdout, stderr } = await runProgram(operands, { env, cwd });
  return { code, stdout, stderr };
}
