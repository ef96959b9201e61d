import { open } from "node:fs/promises";
import { PaydropError, messageOf } from "../errors.ts";
import type { Rules } from "./rule-settings.ts";

/** Far more than any list needs: 170,000 branch codes are 2 MB. */
const BYTES_MAX = 64 * 1024 * 1024;

/**
 * The values in the lists of the rules, by path, in upper case: one value per line, or the first cell of each line.
 * Lists are read anew for every file, so that one can be exchanged under a running watch. Throws PaydropError `config`.
 */
export async function readKnownValues(rules: Rules): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const paths = Object.values(rules).flatMap(({ fields }) => Object.values(fields).flatMap(({ list }) => list ?? []));
  const known = new Map<string, ReadonlySet<string>>();
  for (const path of new Set(paths)) known.set(path, valuesIn(await readList(path)));
  return known;
}

function valuesIn(text: string): ReadonlySet<string> {
  const values = text
    .split(/\r\n|\n|\r/)
    .map((line) => /^\s*"?([^",;\t]*)/.exec(line)?.[1]?.trim().toUpperCase() ?? "");
  return new Set(values.filter((value) => value !== "" && !value.startsWith("#")));
}

async function readList(path: string): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    if (size > BYTES_MAX) throw new Error("it is longer than 64 MB");
    return (await file.readFile("utf8")).replace(/^\ufeff/, "");
  } catch (error) {
    const message = `the list ${path} of the rules cannot be read: ${messageOf(error)}`;
    throw new PaydropError("config", message, "check its path in paydrop.toml, or remove the rule", {
      cause: error,
    });
  }
}
