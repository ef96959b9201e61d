import { expect, test } from "vitest";
import { mask, maskAccountId, maskStray, maskStrayAmount } from "../../src/text/mask.ts";

test.each([
  ["ACC-OPS-01", "ACC-OPS-01"],
  ["ACC-2026-11", "ACC-2026-11"],
  ["50100271828001", "••8001"],
  ["5010-0271-8281", "••8281"],
  ["5010 0271 8281", "••8281"],
  ["5010\u00a00271\u00a08281", "••8281"],
  ["5010.0271.8281", "••8281"],
  ["50 10 02 71 82 80 01", "••0 01"],
  ["５０１００２７１８２８１", "••８２８１"],
  ["ravi.kumar@bank", "ra••@bank"],
  ["ACC-123456", "••3456"],
])("the account to debit %s is shown as %s", (account, shown) => {
  expect(maskAccountId(account)).toBe(shown);
});

test.each([
  ["ravi.kumar@bank", "ra••@bank"],
  ["a@x.example, ravi@y.example", "a••@x.example••"],
  ["r@bank 50100271828001", "r••@bank••"],
  ["ravi", "ra••"],
])("the address %s is shown as %s", (address, shown) => {
  expect(mask(address, "email")).toBe(shown);
});

test.each([
  ["1234", "account", "••"],
  ["12345", "account", "••2345"],
  ["123", "mobile", "••"],
  ["Ravi Kumar", "name", "R••"],
] as const)("of %s, the %s of a row, %s is shown", (value, sensitivity, shown) => {
  expect(mask(value, sensitivity)).toBe(shown);
});

test.each([
  ["ravi.kumar@bank", "ra••@bank"],
  ["1,00,00,000.00", "1,00,00,000.00"],
  ["33333.3333333333", "33333.3333333333"],
  ["2026-11-02 10:15", "2026-11-02 10:15"],
  ["INV-2026-110001", "INV-2026-110001"],
  ["50100271828001.5", "••8001.5"],
  ["5010-0271-8281", "••8281"],
  ["call 98123 45678", "call ••5678"],
])("%s in a column of anything is shown as %s", (text, shown) => {
  expect(maskStray(text)).toBe(shown);
});

test.each([
  ["150000000.00", "150000000.00"],
  ["15,00,00,000.00", "15,00,00,000.00"],
  ["123456789012.50", "123456789012.50"],
  ["150000000.5", "150000000.5"],
  ["52250.00", "52250.00"],
  ["1234567890123.00", "••0123.00"],
  ["50100271828001", "••8001"],
  ["150000000", "••0000"],
  ["501000011101.001", "••1101.001"],
  // an account that became a number on its way
  ["501002718280.0", "••8280.0"],
  ["501002718280.00", "••8280.00"],
  ["50100271828.00", "••1828.00"],
  ["1500000000.00", "1500000000.00"],
  ["001002718280.00", "••8280.00"],
  ["5010 0271 8280.00", "••8280.00"],
  ["ravi.kumar@bank", "ra••@bank"],
])("%s in a column of amounts is shown as %s", (text, shown) => {
  expect(maskStrayAmount(text)).toBe(shown);
});
