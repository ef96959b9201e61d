/** What a sentence tells of: plain data, already masked, so that it can be kept, logged and sent between threads. */
export type Facts = Readonly<Record<string, string | number | undefined>>;

/** `{name}` is filled from the facts, `{rows:row}` with the counted thing: `1 row`, `12 rows`. */
type Text = string | ((facts: Facts) => string);

/** What was found, and one thing to do about it. */
export interface Sentence {
  readonly text: Text;
  readonly todo?: Text;
}

/**
 * What a program can branch on.
 *
 * - `usage`: the call, or a file that is not there; `config`: an option or a setting
 * - `file_refused`: the file is broken; `stopped`: it is still being written. Nothing was sent
 * - `locked`: another run has the state directory; `destination`: the batch began at another address
 * - `journal`: the state directory or its disk; `results_unwritable`: the results, while payments are as they were
 */
export type ErrorCode =
  "usage" | "config" | "file_refused" | "journal" | "locked" | "destination" | "results_unwritable" | "stopped";

/** The sentence of an error, and what kind of error it is. */
export interface ErrorSentence extends Sentence {
  readonly kind: ErrorCode;
}

/** Errors of one kind. */
export function ofKind<Reason extends string>(
  kind: ErrorCode,
  sentences: Readonly<Record<Reason, Sentence>>,
): Readonly<Record<Reason, ErrorSentence>> {
  const all = Object.entries<Sentence>(sentences).map(([reason, sentence]) => [reason, { kind, ...sentence }]);
  return Object.fromEntries(all) as Readonly<Record<Reason, ErrorSentence>>;
}

/** A sentence with its facts in it. `todo` is empty where nothing is to be done. */
export interface Told {
  readonly text: string;
  readonly todo: string;
}

/** One thing that is wrong, or only pointed out, with a row of a file, or a whole file. Its sentence is found by `code`. */
export interface Fault {
  readonly code: string;
  /** As a spreadsheet shows it. */
  readonly row?: number;
  /** The column's own header. */
  readonly column?: string;
  /** `G14`, where the file is a table. */
  readonly cell?: string;
  readonly facts?: Facts;
}

export function filled(text: Text | undefined, facts: Facts): string {
  if (text === undefined) return "";
  if (typeof text === "function") return text(facts);
  return text.replaceAll(/\{(\w+)(?::([\w ]+))?\}/g, (_, name: string, thing: string | undefined) => {
    const fact = facts[name];
    return thing === undefined ? String(fact ?? "") : counted(Number(fact ?? 0), thing);
  });
}

export function told(sentence: Sentence, facts: Facts = {}): Told {
  return { text: filled(sentence.text, facts), todo: filled(sentence.todo, facts) };
}

/** `1 row`, `12 rows`; also for any other thing that takes an s. */
export function counted(count: number, thing = "row"): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** `2 unknown, 3 rejected and 1 held`. */
export function listed(parts: readonly string[], word: "and" | "or" = "and"): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} ${word} ${last}`;
}
