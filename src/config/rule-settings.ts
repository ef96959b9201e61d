import { assertPattern } from "./pattern.ts";
import { NotRight, plainAmount, reader, text, textList, wholeNumber, yesOrNo, type ValueReader } from "./values.ts";

/** One rule as it may stand in paydrop.toml. */
export interface RuleSetting<T> {
  readonly read: ValueReader<T>;
  readonly shown: string;
  /** A value, as a person would write it in TOML. */
  readonly example: string;
}

function rule<T>(shown: string, read: ValueReader<T>, example: string): RuleSetting<T> {
  return { shown, read, example };
}

/** `"200000.00"`, or a whole number without quotes. Not a number with a point: TOML reads it as a float. */
const cap: ValueReader<string> = reader({ type: ["string", "integer"], minimum: 0 }, (raw) =>
  plainAmount(typeof raw === "number" && Number.isSafeInteger(raw) && raw >= 0 ? String(raw) : raw),
);

const pattern: ValueReader<string> = reader({ type: "string", minLength: 1, format: "regex" }, (raw) => {
  const source = text(raw);
  const trouble = assertPattern(source);
  if (trouble === undefined) return source;
  throw new NotRight(`a pattern that can be used: ${trouble}`);
});

const listOfSome: ValueReader<readonly string[]> = reader<readonly string[]>(
  { type: "array", items: { type: "string" } },
  (raw) => {
    const list = Array.isArray(raw) ? textList(raw) : [];
    if (list.length > 0) return list;
    throw new NotRight('a list of texts, such as ["NEFT", "IMPS"]');
  },
  (list) => list.join(", "),
);

/** The most that the amounts of one operation may come to. */
export const CAPS = {
  max_per_row: rule("amount of one row at most", cap, '"200000"'),
  max_per_file: rule("amounts of one file at most; a file above it is refused", cap, '"5000000"'),
  max_per_day: rule("amounts of one day at most, as the journal knows them", cap, '"8000000"'),
} as const;

/** What a field may hold. */
export const FIELD_RULES = {
  required: rule("the cell must hold a value, or need not", yesOrNo, "true"),
  allowed: rule("the values that may stand there, exactly so", listOfSome, '["NEFT", "IMPS"]'),
  pattern: rule("the whole value has this form (RE2: no look-around, no backreference)", pattern, '"[A-Za-z0-9 ]*"'),
  max_length: rule("characters at most", wholeNumber(1, 10_000), "30"),
  list: rule("a file of known values, one per line; others are only pointed out", text, '"ifsc.txt"'),
} as const;

export const WARN: RuleSetting<readonly string[]> = rule(
  "rules of this table that only point out",
  listOfSome,
  '["max_length"]',
);

export type CapName = keyof typeof CAPS;
export type FieldRuleName = keyof typeof FIELD_RULES;

/** The rules of one field, by the names of paydrop.toml. */
export type FieldRules = {
  readonly [Name in FieldRuleName]?: ReturnType<(typeof FIELD_RULES)[Name]["read"]>;
} & { readonly warn?: readonly FieldRuleName[] };

/** The rules of one operation. Caps are plain decimal text. */
export type OperationRules = { readonly [Name in CapName]?: string } & {
  readonly fields: Readonly<Record<string, FieldRules>>;
  readonly warn?: readonly CapName[];
};

/** The rules by the folder name of the operation: `payouts`. */
export type Rules = Readonly<Record<string, OperationRules>>;
