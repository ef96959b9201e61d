import { PaydropError } from "../errors.ts";
import { nearest } from "./nearest.ts";

/** A misspelt option must not pass as one that was not given: it may be the one that holds a file back. */
export function unknownOption(option: string, known: readonly string[]): PaydropError {
  const near = nearest(
    option,
    known.map((name) => name.toLowerCase()),
  );
  const meant = known.find((name) => name.toLowerCase() === near);
  return new PaydropError(
    "config",
    `there is no option "${option}"`,
    meant ? `did you mean ${meant}?` : `there are ${known.join(", ")}`,
  );
}
