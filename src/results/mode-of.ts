import { stat } from "node:fs/promises";

/** Permission bits of what lies beside a file: no wider than its own. */
export async function modeOf(file: string): Promise<number> {
  return (await modeThere(file)) ?? OF_NO_FILE;
}

/**
 * Of results: those of the input; where that was taken away, as it had been a moment ago or as the results of an earlier
 * run have them. Whoever could read them so far still must.
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
