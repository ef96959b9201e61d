import { stat } from "node:fs/promises";

/** Permission bits of what lies beside a file: no wider than its own. */
export async function modeOf(file: string): Promise<number> {
  return (await modeThere(file)) ?? OF_NO_FILE;
}

/**
 * Permission bits of results: those of the input; where it was taken away, those it had a moment ago, else those of the
 * results of an earlier run. Whoever could read the results until now still can.
 */
export async function modeOfResults(file: string, before: number | undefined, results: string): Promise<number> {
  return (await modeThere(file)) ?? before ?? (await modeThere(results)) ?? OF_NO_FILE;
}

/** undefined: there is no such file. */
export function modeThere(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ mode }) => mode & 0o666,
    () => undefined,
  );
}

const OF_NO_FILE = 0o600;
