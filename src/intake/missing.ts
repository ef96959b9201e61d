import { basename, dirname } from "node:path";
import { PaydropError } from "../errors.ts";
import { normalizeName } from "../text/names.ts";
import { asWord, printable } from "../text/printable.ts";
import { countSlips } from "../text/slips.ts";
import { namesIn } from "./inbox-folders.ts";
import { inputName } from "./names.ts";

const NEAR_BY_MAX = 3;
/** What other programs take for it. */
const STANDARD_INPUT = "-";

/** There is no such file, or the file that was there was exchanged. */
export class FileGoneError extends PaydropError {
  constructor(message: string, hint: string) {
    super("usage", message, hint);
  }
}

/** The error for a file that is not there, with the names it may have been meant to have. */
export async function missingFile(path: string): Promise<FileGoneError> {
  if (basename(path) === STANDARD_INPUT) {
    return new FileGoneError("-: standard input is not read", "Name a file; save into one what another program gives.");
  }
  const nearBy = await nearByNames(path);
  const quotes = nearBy.some((name) => name.startsWith("'")) ? " A name with blanks stands in quotes." : "";
  const hint =
    nearBy.length > 0
      ? `Did you mean ${nearBy.join(" or ")}?${quotes}`
      : "Check the name and the folder, then try again.";
  return new FileGoneError(`${displayName(path)}: there is no such file`, hint);
}

/** A file's own name, safe to print. */
export function displayName(path: string): string {
  return printable(basename(path), 200);
}

/** Names near to the one that was said. A name with blanks that was typed without quotes comes word by word. */
async function nearByNames(path: string): Promise<string[]> {
  const said = basename(path);
  return (await namesIn(dirname(path)))
    .filter((name) => inputName(name).ignored === undefined)
    .filter((name) => isNear(stem(name), stem(said)) || name.split(" ").includes(said))
    .slice(0, NEAR_BY_MAX)
    .map((name) => asWord(name.slice(0, 200)));
}

function stem(name: string): string {
  return normalizeName(name.replace(/\.[^.]*$/, ""));
}

function isNear(one: string, other: string): boolean {
  return Math.abs(one.length - other.length) <= 1 && countSlips(one, other) <= 1;
}
