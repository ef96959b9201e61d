import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { PaydropError } from "../../src/errors.ts";
import { tomlAt, transferToml } from "../support/mappings.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

/** What a person reads of a mistake, and the hint below it. */
function mistakeIn(toml: string): string {
  const path = tomlAt(join(temporaryDirectory(), "paydrop.toml"), toml);
  try {
    loadConfig({ env: { HOME: "/nonexistent" }, flags: { config: path } });
    return "none";
  } catch (error) {
    if (!(error instanceof PaydropError) || error.code !== "config") throw error;
    return `${error.message}\n${error.hint}`;
  }
}

describe("a mistake in [mapping.NAME] is named with its line", () => {
  const GOOD = transferToml("bank", "paise");
  test("none", () => {
    expect(mistakeIn(GOOD)).toBe("none");
  });

  test.each([
    [
      GOOD.replace("[mapping.bank.columns]", "[mapping.bank.colums]"),
      /line 5: mapping\.bank\.colums: .*\n.*did you mean columns\?/,
    ],
    [
      GOOD.replace('"to_account"', '"to_acount"'),
      /line 7: mapping\.bank\.columns\."Payee Account": there is no field "to_acount"\n.*did you mean "to_account"\?/,
    ],
    [
      GOOD.replace('"Net Pay" = ', '"Net Pays" = '),
      /line 8: .*there is no column in header "Net Pays"\n.*did you mean "Net Pay"\?/,
    ],
    [GOOD.replace('"paise"', '"cents"'), /line 3: mapping\.bank\.amount_unit: "cents" is not one of rupees, paise/],
    [GOOD.replace(/amount_unit.*\n/, ""), /line 1: mapping\.bank\.amount_unit: this line is missing/],
    [GOOD.replace(/from_account.*\n/, ""), /line 1: mapping\.bank: nothing gives from_account/],
    [
      GOOD.replace(/from_account.*\n/, '$&"From Account" = "ACC-2"\n'),
      /mapping\.bank\.constants\."From Account": from_account stands there twice/,
    ],
    [GOOD.replace('"reference"', '"to_account"'), /line 1: mapping\.bank: to_account has two sources/],
    [
      GOOD.replaceAll("Net Pay", "Amount (in Rupees)"),
      /line 3: .*the column "Amount \(in Rupees\)" says rupees, this line says paise/,
    ],
    ["maping = 1\n" + GOOD, /line 1: there is no setting "maping"\n.*did you mean mapping\?/],
  ])("%#", (toml, message) => {
    expect(mistakeIn(toml)).toMatch(message);
  });
});
