import { describe, expect, test } from "vitest";
import type { CheckedRow } from "../../src/checks/instruction.ts";
import { checkOne, codesOf, GOOD_OPTION_A, GOOD_ROWS } from "../support/rows.ts";

const IDS = [
  ["payout", GOOD_ROWS.payout, "debit_account_id"],
  ["payout", GOOD_ROWS.payout, "bank_acc_num"],
  ["payout", GOOD_ROWS.payout, "bank_id"],
  ["payout", GOOD_OPTION_A, "bene_id"],
  ["transfer", GOOD_ROWS.transfer, "to_account"],
  ["loan", GOOD_ROWS.loan, "borrower_id"],
  ["collection", GOOD_ROWS.collection, "vpa"],
] as const;
const WORDS = [
  "NULL",
  "null",
  "nan",
  "NaN",
  "None",
  "N/A",
  "NA",
  "n.a.",
  "TBD",
  "-",
  "--",
  "nil",
  "?",
  "undefined",
  "blank",
  "Empty",
  "MISSING",
  "NotApplicable",
  "nill",
  "void",
];

function warningsOf({ warnings = [] }: CheckedRow): readonly string[] {
  return warnings.map(({ code }) => code);
}

describe("an id that is none is not sent as one", () => {
  test.each(IDS)("%s, %j, %s", (operation, cells, field) => {
    for (const text of [...WORDS, "0", "0000000"])
      expect([text, ...codesOf(checkOne(operation, { ...cells, [field]: text }))]).toEqual([text, "placeholder"]);
    for (const text of ["XXXX1234", "xxxxxxxx1234", "1234****5678", "XXXX-XXXX-1234", "12XXXXXX78", "XXXXXXXX"])
      expect([text, ...codesOf(checkOne(operation, { ...cells, [field]: text }))]).toEqual([text, "digits_hidden"]);
  });

  test("nor as a branch code where its form is only pointed out", () => {
    const setting = { choices: { ifscFormat: "warn" } } as const;
    expect(codesOf(checkOne("payout", { ...GOOD_ROWS.payout, ifsc_code: "NA" }, setting))).toEqual(["placeholder"]);
    expect(codesOf(checkOne("payout", { ...GOOD_ROWS.payout, ifsc_code: "NA" }))).toEqual(["ifsc_malformed"]);
  });

  test("and the word is shown, of a number no more than its last four characters", () => {
    const said = (to_account: string): string | undefined =>
      checkOne("transfer", { ...GOOD_ROWS.transfer, to_account }).faults?.[0]?.message;
    expect(said("NULL")).toBe('"NULL" is what is written where a value is missing');
    expect(said("5010****5678")).toBe('"••5678" is an account number of which some characters are hidden');
  });
});

test("an id that only looks so is one", () => {
  const ids = [
    "NANDA-1",
    "NULL-01",
    "NA1",
    "XXX-001",
    "XX12",
    "AXXXX1",
    "0000000001",
    "00-1",
    "1-2",
    "NILGIRI",
    "TBD-7",
  ];
  for (const [operation, cells, field] of IDS)
    for (const text of ids)
      expect([text, ...codesOf(checkOne(operation, { ...cells, [field]: text }))]).toEqual([text]);
  const vpas = ["na@upi", "null@okaxis", "0000@upi", "xxxx@ybl"];
  for (const vpa of vpas) expect(codesOf(checkOne("collection", { ...GOOD_ROWS.collection, vpa }))).toEqual([]);
});

test("people are called Nan, Null and Na: in a name, and in what nobody pays by, it is pointed out", () => {
  for (const field of ["name", "bank_owner_name", "payment_mode", "mobile"]) {
    for (const text of ["Nan", "NULL", "Na", "-"]) {
      const checked = checkOne("payout", { ...GOOD_ROWS.payout, [field]: text });
      expect([codesOf(checked), warningsOf(checked)]).toEqual([[], ["placeholder"]]);
    }
  }
  for (const name of ["Nan Goldin", "Nullagine", "Nana"])
    expect(warningsOf(checkOne("payout", { ...GOOD_ROWS.payout, name }))).toEqual([]);
});

test("what may be left out may say that there is none", () => {
  for (const field of ["narration", "notes", "purpose", "email"])
    for (const text of WORDS) {
      const checked = checkOne("payout", { ...GOOD_ROWS.payout, [field]: text });
      expect([codesOf(checked), warningsOf(checked)]).toEqual([[], []]);
    }
});
