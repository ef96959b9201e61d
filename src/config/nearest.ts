import { PaydropError } from "../errors.ts";
import { countSlips } from "../text/slips.ts";

/** The name that a person most likely meant, at most a third of its letters away; undefined where none is so near. */
export function nearest(
  said: string,
  names: readonly string[],
  compared = (name: string) => name.toLowerCase(),
): string | undefined {
  const text = said.toLowerCase().replaceAll("-", "_");
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(text.length / 3)) + 1;
  for (const name of names) {
    const distance = countSlips(text, compared(name));
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** The hint where there is no such name: the name that was meant, or all names. */
export function meantOrAll(said: string, names: readonly string[]): string {
  const meant = nearest(said, names);
  return meant ? `did you mean ${meant}?` : `there are ${names.join(", ")}`;
}

/** The error of an unknown option. It must not be ignored: it may be misspelt, and meant to hold a file back. */
export function unknownOption(option: string, known: readonly string[]): PaydropError {
  return new PaydropError("config", `there is no option "${option}"`, meantOrAll(option, known));
}
