import { describe, expect, test } from "vitest";
import { readAesIv, readAesKey } from "../../src/client/keys.ts";
import type { KeyEncoding } from "../../src/client/keys.ts";
import { PaydropError } from "../../src/errors.ts";

const BYTES = Uint8Array.from({ length: 32 }, (_, index) => (index * 37 + 251) % 256);
const HEX = Buffer.from(BYTES).toString("hex");
const BASE64 = Buffer.from(BYTES).toString("base64");
const BASE64URL = Buffer.from(BYTES).toString("base64url");

function refusal(act: () => unknown): PaydropError {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof PaydropError) return thrown;
  }
  throw new Error("nothing was refused");
}

describe("the one encoding that gives exactly the length", () => {
  test.each([
    ["hex", HEX],
    ["upper-case hex", HEX.toUpperCase()],
    ["base64", BASE64],
    ["base64 without its `=`", BASE64.replace("=", "")],
    ["base64 as in URLs", BASE64.replaceAll("+", "-").replaceAll("/", "_")],
    ["base64 as in URLs without its `=`", BASE64URL],
  ])("a key in %s is its 32 bytes", (_name, text) => {
    expect([...readAesKey(text)]).toEqual([...BYTES]);
  });

  test("32 characters are 32 bytes of text, also when all of them are hex digits", () => {
    const text = HEX.slice(0, 32);
    expect([...readAesKey(text)]).toEqual([...Buffer.from(text)]);
  });

  test("64 hex characters are a key as hex and no key as text", () => {
    expect([...readAesKey(HEX, "hex")]).toEqual([...BYTES]);
    expect(() => readAesKey(HEX, "utf8")).toThrow(PaydropError);
  });

  test("an IV of 32 hex characters, of 24 in base64 and of 16 in text is 16 bytes", () => {
    const iv = Buffer.from(BYTES.subarray(0, 16));
    expect([...readAesIv(iv.toString("hex"))]).toEqual([...iv]);
    expect([...readAesIv(iv.toString("base64"))]).toEqual([...iv]);
    expect([...readAesIv(iv.toString("base64url"))]).toEqual([...iv]);
    expect([...readAesIv("0123456789abcdef")]).toEqual([...Buffer.from("0123456789abcdef")]);
    expect([...readAesIv("ünï-códe-iv-1")]).toHaveLength(16);
  });
});

describe("what is no key is refused by name and without its value", () => {
  const cases: [string, string, KeyEncoding][] = [
    ["a hex digit too few", HEX.slice(1), "auto"],
    ["a letter that is no hex digit", `${HEX.slice(0, 63)}g`, "hex"],
    ["a space at the end", `${HEX} `, "auto"],
    ["a line break at the end", `${HEX}\n`, "hex"],
    ["a base64 without its last letter", BASE64.slice(0, -2), "base64"],
    ["a base64 with bits behind its end", `${BASE64.slice(0, -2)}9=`, "base64"],
    ["a base64 with a `=` too many", `${BASE64}=`, "base64"],
    ["both alphabets of base64 in one", BASE64.replace("+", "-"), "base64"],
    ["nothing", "", "auto"],
    ["an IV where a key belongs", HEX.slice(0, 31), "auto"],
  ];
  test.each(cases)("%s", (_name, text, encoding) => {
    const error = refusal(() => readAesKey(text, encoding));
    expect(error.code).toBe("config");
    expect(error.message).toContain("PAYDROP_AES_KEY");
    expect(error.message).toContain(`${text.length} characters`);
    if (text !== "") expect(`${error.message} ${error.hint}`).not.toContain(text.slice(0, 8));
  });

  test("the IV is named as such", () => {
    expect(refusal(() => readAesIv(HEX)).message).toContain("PAYDROP_AES_IV");
  });
});
