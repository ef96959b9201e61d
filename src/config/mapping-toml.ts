import type { Mapping } from "./mapping.ts";

/** A mapping as the tables `[mapping.NAME]` that read as it again, with remarks as comments above. */
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
    ...columns.map(({ column, fields }) => `${quoted(column)} = ${fields.length === 1 ? quoted(fields[0] ?? "") : listed(fields)}`), // prettier-ignore
    ...section(`${table}.constants`, Object.entries(constants).map(([field, value]) => `${field} = ${quoted(value)}`)), // prettier-ignore
    ...section(
      `${table}.must_be`,
      mustBe.map((one) => `${quoted(one.column)} = ${listed(one.values)}`),
    ),
    ...Object.entries(values).flatMap(
      ([field, ours]) =>
      section(`${table}.values.${field}`, Object.entries(ours).map(([theirs, value]) => `${quoted(theirs)} = ${quoted(value)}`)), // prettier-ignore
    ),
    ...lookups.flatMap((lookup) => [
      "",
      `[[${table}.lookup]]`,
      `file = ${quoted(lookup.file)}`,
      `by = ${quoted(lookup.by)}`,
      `key = ${quoted(lookup.key)}`,
      `fields = { ${Object.entries(lookup.fields).map(([field, column]) => `${field} = ${quoted(column)}`).join(", ")} }`, // prettier-ignore
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function section(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `[${name}]`, ...lines];
}

function listed(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(", ")}]`;
}

/** JSON's escapes are TOML's; the characters that only TOML forbids are escaped as well. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
