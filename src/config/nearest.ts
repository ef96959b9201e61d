import { PaydropError } from "../errors.ts";
import { countSlips } from "../slips.ts";

/** The name a person most likely meant, at most a third of its letters away; `undefined` when none is near. */
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

/** What to say where there is no such name: the one that was meant, or all that there are. */
export function meantOrAll(said: string, names: readonly string[]): string {
  const meant = nearest(said, names);
  return meant ? `did you mean ${meant}?` : `there are ${names.join(", ")}`;
}

/** A misspelt option must not pass as one that was not given: it may be the one that holds a file back. */
export function unknownOption(option: string, known: readonly string[]): PaydropError {
  return new PaydropError("config", `there is no option "${option}"`, meantOrAll(option, known));
}
