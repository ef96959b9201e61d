import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import type { Config } from "../../src/config/config.ts";
import type { Rules } from "../../src/config/rule-settings.ts";
import { checkFile } from "../../src/index.ts";
import { PaydropError } from "../../src/errors.ts";
import { matcherOf } from "../../src/config/pattern.ts";
import { paydrop } from "../support/paydrop.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

function toml(text: string): string {
  const path = join(temporaryDirectory(), "paydrop.toml");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function load(path: string): Config {
  return loadConfig({ env: { HOME: "/nonexistent" }, flags: { config: path } });
}

function rulesOf(text: string): Rules {
  return load(toml(text)).choices.rules;
}

describe("[rules.…]", () => {
  test("hold caps of an operation and rules of its fields, by their names in paydrop.toml", () => {
    const text = `
      concurrency = 3
      [rules.payouts]
      max_per_row = 200000
      max_per_day = "8000000.50"
      warn = ["max_per_day"]
      [rules.payouts.payment_mode]
      allowed = ["NEFT", "IMPS"]
      [rules.payouts.narration]
      required = true
      pattern = "[A-Za-z0-9 ]*"
      max_length = 30
      warn = ["pattern"]
      [rules.transfers]
      max_per_file = 1`;
    expect(rulesOf(text)).toEqual({
      payouts: {
        max_per_row: "200000",
        max_per_day: "8000000.50",
        warn: ["max_per_day"],
        fields: {
          payment_mode: { allowed: ["NEFT", "IMPS"] },
          narration: { required: true, pattern: "[A-Za-z0-9 ]*", max_length: 30, warn: ["pattern"] },
        },
      },
      transfers: { max_per_file: "1", fields: {} },
    });
    expect(rulesOf("concurrency = 3\n")).toEqual({});
  });

  test("a list is found beside the settings file", () => {
    const path = toml('[rules.payouts.ifsc_code]\nlist = "ifsc.txt"\n');
    expect(() => load(path)).toThrow(/line 2: rules\.payouts\.ifsc_code\.list: there is no file \S+ifsc\.txt/);
    const list = join(dirname(path), "ifsc.txt");
    writeFileSync(list, "SBIN\n");
    expect(load(path).choices.rules["payouts"]?.fields["ifsc_code"]).toEqual({ list });
  });

  test.each([
    ["[rules.payout]\n", 'line 1: rules.payout: "payout" is not a rule', "did you mean payouts?"],
    [
      '\n[rules.payouts]\nmax_pr_row = "1"\n',
      'line 3: rules.payouts.max_pr_row: "max_pr_row" is not a rule',
      "max_per_row",
    ],
    [
      '[rules.payouts.debit_account_id]\nallowed = "50100271828001"\n',
      'line 2: rules.payouts.debit_account_id.allowed: "••8001" is not a list',
      "correct it",
    ],
    [
      '[rules.payouts.debit_account_id]\npattern = "50100271828001("\n',
      'pattern: "••8001(" is not a pattern',
      "correct it",
    ],
    [
      "[rules.payouts.naration]\n",
      'line 1: rules.payouts.naration: "naration" is not a rule',
      "did you mean narration?",
    ],
    [
      "[rules.loans.narration]\nrequired = true\n",
      'line 1: rules.loans.narration: "narration"',
      "there are max_per_row",
    ],
    ['[rules.payouts]\nnarration = { patern = "x" }\n', 'line 2: rules.payouts.narration.patern: "patern"', "pattern"],
    ["[rules]\npayouts.notes.max_lenght = 3\n", 'line 2: rules.payouts.notes.max_lenght: "max_lenght"', "max_length"],
    ["[rules.payouts]\nmax_per_row = 100.50\n", "line 2: rules.payouts.max_per_row: 100.5 is not a plain amount", ""],
    ['[rules.payouts]\nmax_per_row = "1,000"\n', 'rules.payouts.max_per_row: "1,000" is not a plain amount', ""],
    ["[rules.payouts.notes]\nmax_length = 0\n", "max_length: 0 is not a whole number from 1 to 10000", ""],
    ["[rules.payouts.notes]\nrequired = 3\n", "required: 3 is not true or false", ""],
    ["[rules.payouts.notes]\nallowed = []\n", "allowed: the value is not a list of texts", ""],
    ['[rules.payouts.debit_account_id]\nallowed = ["50100271828001", 7]\n', "allowed: the value is not a list", ""],
    [
      "[rules.payouts.amount]\nrequired = false\n",
      "rules.payouts.amount: an amount has no rules of its own",
      "max_per_row",
    ],
    [
      '[rules.payouts]\nwarn = ["max_per_day"]\n',
      'line 2: rules.payouts.warn: there is no rule "max_per_day"',
      "none yet",
    ],
    ['[rules.payouts.notes]\nmax_length = 9\nwarn = ["pattern"]\n', 'there is no rule "pattern"', "max_length"],
    ["[rules]\npayouts = 3\n", "line 2: rules.payouts: this is not a table", "[rules.payouts]"],
    ["rules = 3\n", "line 1: rules: this is not a table", "[rules.payouts]"],
    ["rules = 2026-11-01\n", "line 1: rules: this is not a table", "[rules.payouts]"],
    ["[rules]\npayouts = 2026-11-01\n", "line 2: rules.payouts: this is not a table", "[rules.payouts]"],
    ["[rules.payouts]\nnotes = 07:30:00\n", "line 2: rules.payouts.notes: this is not a table", "[rules.payouts]"],
    ['[rules.payouts.notes]\npattern = "(a"\n', 'pattern: "(a" is not a pattern that can be used: ', ""],
    ['[rules.payouts.notes]\npattern = "(?=a)b"\n', 'pattern: "(?=a)b" is not a pattern that can be used: ', ""],
    ["[rules.payouts.notes]\npattern = '(a)\\1'\n", "is not a pattern that can be used: ", ""],
  ])("%j is refused with its place and what was meant", (text, message, hint) => {
    const path = toml(text);
    let thrown: unknown;
    try {
      load(path);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(PaydropError);
    const { message: said, hint: what, code } = thrown as PaydropError;
    expect(code).toBe("config");
    expect(said).toContain(`${path}: `);
    expect(said).toContain(message);
    expect(said).not.toContain("50100271828001");
    expect(what).toContain(hint);
  });

  test("are shown with their origin; accounts are only counted", async () => {
    const path = toml(
      '[rules.payouts]\nmax_per_row = 5\nwarn = ["max_per_row"]\n[rules.payouts.debit_account_id]\nallowed = ["50100271828001"]\npattern = "50100271828001|ACC-.*"\n',
    );
    const { stdout } = await paydrop(["config", "show", "--config", path]);
    expect(stdout).toMatch(new RegExp(`^rules\\.payouts\\.max_per_row +5 \\(warns\\) +${path}$`, "m"));
    expect(stdout).toMatch(/^rules\.payouts\.debit_account_id\.allowed +1 values /m);
    expect(stdout).toMatch(/^rules\.payouts\.debit_account_id\.pattern +••8001\|ACC-\.\* /m);
    expect(stdout).not.toContain("50100271828001");
  });

  test("are an option of the library, by the same names and rules", async () => {
    const file = join(temporaryDirectory(), "t.csv");
    writeFileSync(file, "from_account,to_account,amount\nA-1,B-1,20\n");
    const stateDir = temporaryDirectory();
    const report = await checkFile(file, { stateDir, rules: { transfers: { max_per_row: "10" } } });
    expect(report.faults[0]?.faults[0]?.code).toBe("amount_over_cap");
    const misspelt = checkFile(file, { stateDir, rules: { transfer: {} } });
    await expect(misspelt).rejects.toThrow('rules.transfer: "transfer"');
  });
});

describe("a pattern", () => {
  test("is that of the whole value", () => {
    const matches = matcherOf("[A-Z]{2}-[0-9]+|none");
    expect(["AB-1", "none", "AB-12"].map(matches)).toEqual([true, true, true]);
    expect(["xAB-1", "AB-1 ", "AB-", "none\n", "nonesuch"].map(matches)).toEqual([false, false, false, false, false]);
  });

  test("is linear, whatever it is: one that a backtracking engine would try for ever comes to an end", () => {
    for (const pattern of ["(a+)+b", "(a|a)*b", "(.*a){30}b", "(a?){50}a{50}b", "(\\w+\\s?)*!"]) {
      expect(matcherOf(pattern)("a".repeat(5000))).toBe(false);
    }
  });
});

test.each([
  ['number_grouping = "western"\ndecimal_sign = "comma"\n', 'decimal_sign = "point"'],
  ['number_grouping = "point"\n', 'decimal_sign = "comma"'],
  ['time_zone = "Asia/Pune"\n', "correct it"],
])("%j contradicts itself", (text, hint) => {
  let thrown: unknown;
  try {
    load(toml(text));
  } catch (error) {
    thrown = error;
  }
  expect((thrown as PaydropError).code).toBe("config");
  expect((thrown as PaydropError).hint).toContain(hint);
});
