import { resolve } from "node:path";
import { isSignal } from "../client/call-options.ts";
import { PaydropError } from "../errors.ts";
import type { Sandbox } from "../sandbox/server.ts";

/*
 * What a program gave that is of another kind than the types say: named before anything begins, and never repeated.
 */

/** Throws `config` for options that are no object. */
export function assertOptions(call: string, options: unknown): void {
  if (typeof options === "object" && options !== null && !Array.isArray(options)) return;
  throw new PaydropError("config", `${call}: the options are missing or no object`, "give them as { name: value }");
}

/**
 * A path as it stands at the call: a program may change its working folder before the file is read, and another file of
 * that name must not be sent. Throws `usage` for what is no path; the empty text would mean the working folder.
 */
export function resolvedNow(call: string, path: unknown): string {
  if (typeof path === "string" && path.trim() !== "") return resolve(path);
  const what = typeof path === "string" ? "is empty" : "is missing or not a text";
  throw new PaydropError("usage", `${call}: the path ${what}`, "give a path as a string (of a URL: fileURLToPath)");
}

/** Throws `config` for callbacks that nobody could call. */
export function assertFunctions(options: Readonly<Record<string, unknown>>): void {
  for (const [name, given] of Object.entries(options)) {
    if (given === undefined || given === null || typeof given === "function") continue;
    throw new PaydropError("config", `${name} is not a function`, "give a function, or leave it out");
  }
}

/** Throws `config` for signals that could never be aborted. */
export function assertSignals(options: Readonly<Record<string, unknown>>): void {
  for (const [name, given] of Object.entries(options)) {
    if (given === undefined || given === null || isSignal(given)) continue;
    throw new PaydropError("config", `${name} is no AbortSignal`, "give the signal of an AbortController");
  }
}

/** Throws `config` for a text such as "no", which counts as a yes. */
export function assertYesOrNo(options: Readonly<Record<string, unknown>>): void {
  for (const [name, given] of Object.entries(options)) {
    if (typeof given === "boolean") continue;
    throw new PaydropError("config", `${name} is not true or false`, "correct the option");
  }
}

/** Throws `config` for a sandbox that was not started, or not waited for. */
export function assertSandbox(sandbox: unknown): asserts sandbox is Sandbox {
  const { url, apiKey, aesKey, aesIv } = (sandbox ?? {}) as Partial<Record<keyof Sandbox, unknown>>;
  if ([url, apiKey, aesKey, aesIv].every((text) => typeof text === "string")) return;
  throw new PaydropError(
    "config",
    "sandbox is not what startSandbox gives",
    "give the sandbox itself: await startSandbox({ port: 0 })",
  );
}
