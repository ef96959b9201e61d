import { PaydropError } from "../errors.ts";
import type { Operation } from "../operations/operation.ts";

/**
 * The signal of a call. Throws PaydropError "usage" for options that a call does not have: else the caller would find
 * out only after the money went that a signal or a timeout had been ignored.
 */
export function signalOf(operation: Operation, options: unknown): AbortSignal | undefined {
  if (options === undefined) return undefined;
  if (typeof options !== "object" || options === null || isSignal(options)) {
    throw misuse(operation, "the options of the call are no object");
  }
  const unknown = Object.keys(options).find((name) => name !== "signal");
  if (unknown !== undefined) throw misuse(operation, `a call has no option "${unknown}"`);
  const { signal } = options as { signal?: unknown };
  if (signal === undefined || signal === null) return undefined;
  if (isSignal(signal)) return signal;
  throw misuse(operation, "signal is no AbortSignal");
}

/** Looks at what `value` can do, not at its class: a test environment may have an AbortSignal of its own. */
export function isSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = (value ?? {}) as Partial<Record<keyof AbortSignal, unknown>>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

function misuse(operation: Operation, what: string): PaydropError {
  return new PaydropError("usage", `${operation.name}: ${what}`, "give { signal }, or nothing");
}
