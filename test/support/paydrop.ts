import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const LAUNCHER: string = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));

/**
 * The whole environment of a process of paydrop, but for what a test adds: no keys, no home of the developer. Half of
 * its short life would be spent on compiling, so what is compiled is kept.
 */
export const BARE_ENV: Readonly<Record<string, string>> = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  // of this user alone: in the one that somebody else made nothing can be kept
  NODE_COMPILE_CACHE: join(tmpdir(), `paydrop-compile-cache-${process.getuid?.() ?? ""}`),
};

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
export function paydrop(
  operands: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = tmpdir(),
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [LAUNCHER, ...operands],
      { env: { ...BARE_ENV, ...env }, cwd },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ code, stdout, stderr });
      },
    );
  });
}
