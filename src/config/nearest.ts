import { PaydropError } from "../errors.ts";

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
    const distance = editDistance(text, compared(name));
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

function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      const change = (previous[column - 1] ?? 0) + same;
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}
