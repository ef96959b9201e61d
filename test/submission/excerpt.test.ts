import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Secret } from "../../src/config/secret.ts";
import { excerptOf } from "../../src/submission/excerpt.ts";

const ROW = {
  ...{ debit_account_id: "ACC-OPS-01", name: "Asha Verma", mobile: "9800000001", email: "asha@mail.example" },
  ...{ bank_acc_num: "50100271828001", ifsc_code: "HDFC0001234", bank_owner_name: "Asha Verma", purpose: "salary" },
};
const UUID = "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d";
new Secret("our-own-key");

function excerpt(body: string, fields: Readonly<Record<string, string>> = ROW): string | undefined {
  return excerptOf(body, "payout", JSON.stringify({ ...fields, amount: 1 }));
}

function escaped(value: string): string {
  return Array.from(value, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

const FORMS: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "in capitals": (value) => value.toUpperCase(),
  "for a URL": encodeURIComponent,
  "in JSON": (value) => JSON.stringify(value).slice(1, -1),
  "in escapes of JSON": escaped,
  "in JSON within JSON": (value) => JSON.stringify(JSON.stringify(escaped(value))).slice(3, -3),
  "with what has no width": (value) => Array.from(value).join("\u200b"),
};

describe("what is kept of an answer holds nothing of the row (I10)", () => {
  test.each(Object.entries(FORMS))("any value, however short, %s", (_, write) => {
    const value = fc.oneof(
      fc.stringMatching(/^[0-9]{4,18}$/),
      fc.stringMatching(/^[a-zA-Z ."\\%@+é₹]{4,14}$/).filter((text) => text.trim().length === text.length),
    );
    // around it what no value is made of, with and without a code of the service's own
    const around = fc.constantFrom("", `{"status":"created"}`, "<", `"id":"${UUID}",`, "#".repeat(40));
    const field = fc.constantFrom("debit_account_id", "name", "mobile", "email", "bank_acc_num", "bank_owner_name");
    const property = fc.property(field, value, around, around, (name, text, before, behind) => {
      const written = write(text);
      const kept = excerpt(`${before}:${written}:${behind}`, { [name]: text }) ?? "";
      expect(kept.toLowerCase()).not.toContain(`:${written.toLowerCase()}:`);
      // of a number the last four digits at most, of a name one letter, of an address two
      expect(kept).toContain("••");
    });
    fc.assert(property, { numRuns: 200 });
  });

  test("every value of one answer, each in another writing", () => {
    const { debit_account_id: debit, name, mobile, email, bank_acc_num: account } = ROW;
    const body = [UUID, debit, name, account, mobile, encodeURIComponent(email)].join(" ");
    expect(excerpt(body)).toBe(`${UUID} ••S-01 A•• ••8001 ••0001 as••@mail.example`);
  });

  test.each([
    ["no account 90017777123456", { debit_account_id: "9001", bank_acc_num: "90017777123456" }, "no account ••3456"],
    [
      "no account 3123456789012",
      { debit_account_id: "00000031234567890", bank_acc_num: "3123456789012" },
      "no account ••9012",
    ],
    ["no asha.verma@mail.example", { name: "Asha", email: "asha.verma@mail.example" }, "no as••@mail.example"],
    ["no $&x@mail.example", { email: "$&x@mail.example" }, "no $&••@mail.example"],
    ["account 6020-0777-1234-51 here", { bank_acc_num: "6020 0777 123451" }, "account ••3451 here"],
    ["account 501,002,718,280 here", { bank_acc_num: "501002718280" }, "account ••8280 here"],
    ["account 00501002718280 here", { bank_acc_num: "501002718280" }, "account ••8280 here"],
    ["account 31234567890 here", { bank_acc_num: "00000031234567890" }, "account ••7890 here"],
    ["call +91 98765-43210", { mobile: "9876543210" }, "call ••3210"],
    ["call 98765 43210", { mobile: "+919876543210" }, "call ••3210"],
    ["account 6020\u200b0777\u2060123451", { bank_acc_num: "60200777123451" }, "account ••3451"],
    ["no क\u200dष वर्मा", { name: "क\u200dष वर्मा" }, "no क••"],
    ["code 1234 5678", { bank_acc_num: "000012345678" }, "code 1234 5678"],
    ["Das paid, HTTP 400", { name: "Das", bank_acc_num: "4-00" }, "Das paid, HTTP 400"],
  ])("%s", (body, fields, kept) => {
    expect(excerpt(body, fields as Readonly<Record<string, string>>)).toBe(kept);
  });

  test("what is no value of the row stays: words, amounts, ids of the service", () => {
    const body = `{"status":"created","id":"${UUID}","purpose":"salary","amount":52250.00,"bank":"HDFC"}`;
    expect(excerpt(body)).toBe(body);
  });

  test("secrets, codes nobody can read, line breaks and length", () => {
    expect(excerpt("key our-own-key")).toBe("key [secret]");
    expect(excerpt(`key our-own-key ${escaped("our-own-key")}`)).toBe("key [secret] [secret]");
    expect(excerpt(`a ${"0f".repeat(300)}== b`)).toBe("a […] b");
    expect(excerpt(`a ${"0".repeat(64)} b`)).toBe(`a ${"0".repeat(64)} b`);
    expect(excerpt("a\nb\u0007")).toBe("a\\nb\\u{7}");
    expect(excerpt("x ".repeat(5000))).toMatch(/^[x ]{199}…$/);
    expect(excerpt(" \n")).toBeUndefined();
  });
});
