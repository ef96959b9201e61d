import { chmodSync, writeFileSync } from "node:fs";
import { readMappings, type Mapping } from "../../src/config/mapping.ts";
import { parse } from "smol-toml";

/** The mappings of a paydrop.toml's text; lookup tables are looked for in `folder`. */
export function mappingsOf(toml: string, folder = "/nonexistent"): readonly Mapping[] {
  return readMappings(parse(toml)["mapping"] ?? {}, folder, () => "");
}

/** Writes a paydrop.toml that nobody else may write, and gives its path. */
export function tomlAt(path: string, text: string): string {
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  return path;
}

/** A mapping of transfers: `Ref;Payee;Net Pay` and what a test adds. */
export function transferToml(name: string, unit: "rupees" | "paise", more = ""): string {
  return [
    `[mapping.${name}]`,
    'operation = "transfer"',
    `amount_unit = "${unit}"`,
    'header = ["Ref", "Payee Account", "Net Pay"]',
    `[mapping.${name}.columns]`,
    '"Ref" = "reference"',
    '"Payee Account" = "to_account"',
    '"Net Pay" = "amount"',
    `[mapping.${name}.constants]`,
    'from_account = "50100271828001"',
    more,
    "",
  ].join("\n");
}
