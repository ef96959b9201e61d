/** What a sentence tells of: plain data, already masked, so that it can be kept, logged and sent between threads. */
export type Facts = Readonly<Record<string, string | number | undefined>>;

/**
 * What was found and, behind an arrow, one thing to do about it; behind a second arrow what is only for whoever types
 * commands, which a page has buttons for. `{name}` is filled from the facts, `{rows:row}` with the
 * counted thing: `1 row`, `12 rows`; `{rows:row is|rows are}` says both forms. A function chooses among such texts by the
 * facts; it never puts them in.
 */
export type Sentence = string | ((facts: Facts) => string);

export type Catalogue = Readonly<Record<string, Sentence>>;

export type CodeIn<Groups> = { [Group in keyof Groups]: keyof Groups[Group] & string }[keyof Groups];

export function foundIn<Groups extends Readonly<Record<string, Catalogue>>>(
  groups: Groups,
  code: CodeIn<Groups>,
): readonly [group: keyof Groups, sentence: Sentence] {
  for (const group of Object.keys(groups)) {
    const sentence = groups[group]?.[code];
    if (sentence !== undefined) return [group, sentence];
  }
  throw new Error(`no sentence has the code ${code}`);
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

export function told(sentence: Sentence, facts: Facts = {}): Told {
  const [text, ...todo] = partsOf(sentence, facts);
  return { text, todo: todo.filter((part) => part !== "").join(" ") };
}

/** As a page says it, to somebody who types no commands. */
export function toldOnPage(sentence: Sentence, facts: Facts = {}): Told {
  const [text, todo] = partsOf(sentence, facts);
  return { text, todo };
}

function partsOf(sentence: Sentence, facts: Facts): readonly [text: string, todo: string, typed: string] {
  const [text = "", todo = "", typed = ""] = (typeof sentence === "function" ? sentence(facts) : sentence).split(
    /\s+→(?= )/,
  );
  return [filled(text, facts), filled(todo.trimStart(), facts), filled(typed.trimStart(), facts)];
}

export function filled(text: string, facts: Facts): string {
  return text.replaceAll(/\{(\w+)(?::([\w |]+))?\}/g, (_, name: string, thing: string | undefined) => {
    const fact = facts[name];
    return thing === undefined ? String(fact ?? "") : counted(Number(fact ?? 0), thing);
  });
}

/** `1 row`, `12 rows`; also for any other thing that takes an s, or is said in both forms. */
export function counted(count: number, thing = "row"): string {
  const [one = "", more = `${one}s`] = thing.split("|");
  return `${count} ${count === 1 ? one : more}`;
}

/** `2 unknown, 3 rejected and 1 held`. */
export function listed(parts: readonly string[], word: "and" | "or" = "and"): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} ${word} ${last}`;
}
