import { describe, expect, test } from "vitest";
import { GOOD_ROWS, checkOne } from "../support/rows.ts";

const ROUNDED = { ...GOOD_ROWS.payout, bank_acc_num: "123456789012345000" };

describe("a warning", () => {
  test("stands beside the instruction, with the place, the masked value and what to do", () => {
    const { instruction, faults, warnings } = checkOne("payout", ROUNDED);
    expect(faults).toBeUndefined();
    expect(instruction?.payload).toContain('"bank_acc_num":"123456789012345000"');
    expect(warnings).toEqual([
      {
        code: "digits_lost",
        level: "warning",
        column: "bank_acc_num",
        cell: "F2",
        message: '"••5000" has 18 digits, of which only zeros follow the 15th: Excel keeps no more than 15',
        hint: "Compare it with the original; if digits are lost, type it again with the column formatted as Text.",
      },
    ]);
  });

  test("stands beside the faults of the same row", () => {
    const { faults, warnings } = checkOne("payout", { ...ROUNDED, amount: "none" });
    expect(faults?.map((fault) => fault.code)).toEqual(["not_a_number"]);
    expect(warnings?.map((warning) => warning.code)).toEqual(["digits_lost"]);
  });

  test("is what a branch code of another shape is, where so configured", () => {
    const cells = { ...GOOD_ROWS.payout, ifsc_code: "SBIN00123" };
    const { instruction, warnings } = checkOne("payout", cells, { choices: { ifscFormat: "warn" } });
    expect(instruction?.payload).toContain("SBIN00123");
    expect(warnings?.map(({ code, level }) => [code, level])).toEqual([["ifsc_malformed", "warning"]]);
    const damaged = checkOne("payout", { ...cells, ifsc_code: "#N/A" }, { choices: { ifscFormat: "warn" } });
    expect(damaged.faults?.map((fault) => fault.code)).toEqual(["spreadsheet_error"]);
  });

  test.each([
    [{ vpa: "asha.bank" }, "vpa_malformed"],
    [{ vpa: "asha@" }, "vpa_malformed"],
    [{ vpa: "@bank" }, "vpa_malformed"],
    [{ currency: "Rupees" }, "currency_malformed"],
    [{ currency: "₹" }, "currency_malformed"],
    [{ currency: "USD" }, undefined],
    [{ currency: "inr" }, undefined],
  ])("is what an address or a currency of an odd form is, of which the interface shows none: %o", (cells, code) => {
    const { instruction, warnings = [] } = checkOne("collection", { ...GOOD_ROWS.collection, ...cells });
    expect(instruction?.payload).toContain(Object.values(cells)[0]);
    expect(warnings.map((warning) => warning.code)).toEqual(code === undefined ? [] : [code]);
  });

  test("is not there for a row that is well", () => {
    expect(checkOne("payout", GOOD_ROWS.payout)).not.toHaveProperty("warnings");
  });
});
