import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { operationNamed } from "../../src/operations/catalogue.ts";
import type { Form } from "../../src/operations/operation.ts";
import { excerptOf } from "../../src/submission/excerpt.ts";
import { GOOD_ROWS } from "../support/rows.ts";

const optionB = operationNamed("payout").forms[1] as Form;
const UUID = "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d";

function excerpt(body: string, fields: Readonly<Record<string, string>> = GOOD_ROWS.payout): string | undefined {
  const values = optionB.fields.map(({ name }) => fields[name] ?? "");
  return excerptOf(body, { form: optionB, values }, (text) => text.replaceAll("our-key", "[secret]"));
}

function escaped(value: string): string {
  return Array.from(value, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

const FORMS: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "in capitals": (value) => value.toUpperCase(),
  "for a URL": encodeURIComponent,
  "in JSON": (value) => JSON.stringify(value).slice(1, -1),
  "in hex": (value) => Buffer.from(value).toString("hex"),
  "in hex of capitals": (value) => Buffer.from(value).toString("hex").toUpperCase(),
  "in escapes of JSON": escaped,
  "in JSON within JSON": (value) => JSON.stringify(JSON.stringify(escaped(value))).slice(3, -3),
  "with what has no width": (value) => Array.from(value).join("\u200b"),
  "in base64": (value) => Buffer.from(value).toString("base64").replace(/=+$/, ""),
};

const SENSITIVE = ["debit_account_id", "name", "mobile", "email", "bank_acc_num", "bank_owner_name"] as const;

describe("what is kept of an answer holds nothing of the row (I10)", () => {
  test.each(Object.entries(FORMS))("any value, however short, %s", (_, write) => {
    const value = fc.oneof(
      fc.stringMatching(/^[0-9]{4,18}$/),
      fc.stringMatching(/^[a-zA-Z ."\\%@+é₹]{4,14}$/).filter((text) => text.trim().length === text.length),
    );
    // around it what no value is made of, with and without a code of the service's own
    const around = fc.constantFrom("", `{"status":"created"}`, "<", `"id":"${UUID}",`, "#".repeat(40));
    const property = fc.property(
      fc.constantFrom(...SENSITIVE),
      value,
      around,
      around,
      (field, text, before, behind) => {
        const written = write(text);
        const kept = excerpt(`${before}:${written}:${behind}`, { [field]: text }) ?? "";
        expect(kept.toLowerCase()).not.toContain(`:${written.toLowerCase()}:`);
        // of a number the last four digits at most, of a name one letter, of an address two
        expect(kept).toContain("••");
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test("every value of one answer, each in another writing", () => {
    const { debit_account_id: debit, name, mobile, email, bank_acc_num: account } = GOOD_ROWS.payout;
    const base64 = Buffer.from(mobile).toString("base64");
    const body = [UUID, debit, name, Buffer.from(account).toString("hex"), base64, encodeURIComponent(email)].join(" ");
    expect(excerpt(body)).toBe(`${UUID} ••S-01 A•• ••8001 ••0001== as••@mail.example`);
  });

  test.each([
    ["no account 90017777123456", { debit_account_id: "9001", bank_acc_num: "90017777123456" }, "no account ••3456"],
    ["no account 90017777123456", { mobile: "9001777712", bank_acc_num: "90017777123456" }, "no account ••3456"],
    ["no asha.verma@mail.example", { name: "Asha", email: "asha.verma@mail.example" }, "no as••@mail.example"],
    ["no asha@verma.example", { name: "Verma", email: "asha@verma.example" }, "no as••@V••.example"],
  ])("a value that stands within another one uncovers nothing of it: %s", (body, fields, kept) => {
    expect(excerpt(body, fields)).toBe(kept);
  });

  test("an address that reads like a sign of a replacement", () => {
    expect(excerpt("no $&x@mail.example", { email: "$&x@mail.example" })).toBe("no $&••@mail.example");
  });

  test.each([
    [`no account ${escaped("60200777123451")}`, { bank_acc_num: "60200777123451" }, "no account ••3451"],
    ["no account 6020\u200b0777\u2060123451", { bank_acc_num: "60200777123451" }, "no account ••3451"],
    [`no key ${escaped("our-key")}`, {}, "no key [secret]"],
    ["no क\u200dष वर्मा", { name: "क\u200dष वर्मा" }, "no क••"],
    ["no \\ubeef", { name: "\\ubeef" }, "no \\••"],
    // what shows nothing of the row stays as it was written
    ["paid \\u20b9 5\u202e", { bank_acc_num: "60200777123451" }, "paid \\u20b9 5\\u{202e}"],
  ])("a value that only reads like one of the row: %s", (body, fields, kept) => {
    expect(excerpt(body, fields)).toBe(kept);
  });

  test.each([
    ["6020 0777 1234 51", "60200777123451"],
    ["60200777123451", "6020 0777 1234 51"],
    ["60200777123451", "6020-0777-1234-51"],
    ["+91 98765 01234", "+919876501234"],
  ])("a number that the file has as %s and the service writes as %s", (ours, theirs) => {
    const kept = excerpt(`no account ${theirs} here`, { bank_acc_num: ours });
    expect(kept).toBe(`no account ••${ours.slice(-4)} here`);
  });

  test.each(["501,002,718,280", "5010.0271.8280", "5010/0271_8280", "5010\u00a00271\u00a08280", "00501002718280"])(
    "an account in a writing of the service's own: %s",
    (theirs) => {
      expect(excerpt(`no account ${theirs} here`, { bank_acc_num: "501002718280" })).toBe("no account ••8280 here");
    },
  );

  test("an account and a mobile without what the file has in front", () => {
    const fields = { bank_acc_num: "00000031234567890", mobile: "+919876543210" };
    const told = (account: string, mobile: string) => `{"error":"account ${account} is closed; mobile ${mobile} told"}`;
    for (const mobile of ["9876543210", "(98765) 43210", "09876543210", "+91 98765-43210", "+919876543210"]) {
      const kept = excerpt(told("31234567890", mobile), fields)?.replace("(", "");
      expect(kept, mobile).toBe(told("••7890", "••3210"));
    }
    expect(excerpt('{"mobile":919876543210}', fields)).toBe('{"mobile":••3210}');
    expect(excerpt("call 98765 43210", { mobile: "(98765)-43210" })).toBe("call ••3210");
  });

  test("a number that is too short without what stands in front of it is looked for as it is", () => {
    expect(excerpt("code 1234 5678, 9198765432", { bank_acc_num: "000012345678" })).toBe("code 1234 5678, 9198765432");
    expect(excerpt("code 98765432, 9198765432", { mobile: "9198765432" })).toBe("code 98765432, ••5432");
  });

  test("an account without its zeros uncovers nothing of a longer one", () => {
    const fields = { debit_account_id: "00000031234567890", bank_acc_num: "3123456789012" };
    expect(excerpt("no account 3123456789012", fields)).toBe("no account ••9012");
  });

  test("what is no value of the row stays: fields of ours that anybody may see, words, ids of the service", () => {
    const body = `{"status":"created","id":"${UUID}","purpose":"salary","amount":52250.00,"bank":"HDFC"}`;
    expect(excerpt(body)).toBe(body);
  });

  test("a value too short to be told from a word stays", () => {
    expect(excerpt("Das paid", { name: "Das" })).toBe("Das paid");
    expect(excerpt("HTTP 400", { bank_acc_num: "4-00" })).toBe("HTTP 400");
  });

  test("secrets, codes nobody can read, line breaks and length", () => {
    expect(excerpt("key our-key")).toBe("key [secret]");
    expect(excerpt(`a ${"0f".repeat(300)}== b`)).toBe("a […] b");
    expect(excerpt(`a ${"0".repeat(65)} b`)).toBe("a […] b");
    expect(excerpt(`a ${"0".repeat(64)} b`)).toBe(`a ${"0".repeat(64)} b`);
    expect(excerpt("a\nb\u202e")).toBe("a\\nb\\u{202e}");
    expect(excerpt("x ".repeat(5000))).toMatch(/^[x ]{199}…$/);
    expect(excerpt(" \n")).toBeUndefined();
  });
});
