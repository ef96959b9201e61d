import type { Mapping } from "./mapping.ts";

/** A mapping as tables `[mapping.NAME]`, which read give the same mapping, with the remarks as comments above. */
export function mappingToml(mapping: Mapping, remarks: readonly string[]): string {
  const { name, operation, option, amountUnit, header, columns, constants, values, mustBe, lookups } = mapping;
  const table = `mapping.${name}`;
  const lines = [
    ...remarks.map((remark) => `# ${remark.replaceAll(/\p{Cc}+/gu, " ")}`),
    `[${table}]`,
    `operation = ${quoted(operation)}`,
    ...(option === undefined ? [] : [`option = ${quoted(option)}`]),
    `amount_unit = ${quoted(amountUnit)}`,
    "header = [",
    ...header.map((column) => `  ${quoted(column)},`),
    "]",
    "",
    `[${table}.columns]`,
    ...columns.map(({ column, fields }) => `${quoted(column)} = ${oneOrMore(fields)}`),
    ...section(`${table}.constants`, fieldLines(constants)),
    ...section(
      `${table}.must_be`,
      mustBe.map((one) => `${quoted(one.column)} = ${listed(one.values)}`),
    ),
    ...Object.entries(values).flatMap(([field, ours]) =>
      section(
        `${table}.values.${field}`,
        Object.entries(ours).map(([theirs, value]) => `${quoted(theirs)} = ${quoted(value)}`),
      ),
    ),
    ...lookups.flatMap((lookup) => [
      "",
      `[[${table}.lookup]]`,
      `file = ${quoted(lookup.file)}`,
      `by = ${quoted(lookup.by)}`,
      `key = ${quoted(lookup.key)}`,
      `fields = { ${fieldLines(lookup.fields).join(", ")} }`,
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function section(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `[${name}]`, ...lines];
}

/** Lines such as `amount = "Net Pay"`: the names of our fields need no quotes. */
function fieldLines(byField: Readonly<Record<string, string>>): string[] {
  return Object.entries(byField).map(([field, value]) => `${field} = ${quoted(value)}`);
}

function oneOrMore(texts: readonly string[]): string {
  return texts.length === 1 ? quoted(texts[0] ?? "") : listed(texts);
}

function listed(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(", ")}]`;
}

/** JSON's escapes are TOML's; the characters that only TOML forbids are escaped as well. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
