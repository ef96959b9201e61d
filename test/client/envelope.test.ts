import { spawnSync } from "node:child_process";
import { createDecipheriv } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createEncryption,
  createEnvelope,
  createOpener,
  type EnvelopeOptions,
  type Padding,
} from "../../src/client/envelope.ts";
import { readAesIv, readAesKey, type KeyEncoding } from "../../src/client/envelope.ts";

const encryptPayload = (payload: string | Uint8Array, options: EnvelopeOptions): string =>
  createEncryption(options)(payload);

const key = Buffer.from("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "hex");
const iv = Buffer.from("000102030405060708090a0b0c0d0e0f", "hex");
const PADDINGS: readonly Padding[] = ["pkcs7", "zero", "iso7816", "ansix923", "none"];

/** The same by the OpenSSL command, each payload with a cipher of its own. */
function opensslHex(payload: string): string {
  const operands = ["enc", "-aes-256-cbc", "-K", key.toString("hex"), "-iv", iv.toString("hex")];
  const { stdout, status } = spawnSync("openssl", operands, { input: payload, timeout: 30_000 });
  expect(status).toBe(0);
  return stdout.toString("hex");
}

function plainOf(hex: string): Buffer {
  const decipher = createDecipheriv("aes-256-cbc", key, iv).setAutoPadding(false);
  return Buffer.concat([decipher.update(hex, "hex"), decipher.final()]);
}

test("NIST SP 800-38A, F.2.5: all four blocks", () => {
  const plaintext =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51" +
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
  expect(encryptPayload(Buffer.from(plaintext, "hex"), { key, iv, padding: "none" })).toBe(
    "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d" +
      "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
  );
});

describe("one running cipher", () => {
  test("payload after payload comes out byte for byte as from openssl", { tags: ["openssl"] }, () => {
    const envelope = createEnvelope({ key, iv });
    const payloads = ['{"name":"Zoë ₹","amount":100.00}', "x", "y".repeat(15), "z".repeat(16), "a".repeat(1000), "x"];
    expect(payloads.map(envelope)).toEqual(payloads.map((text) => `{"body":"${opensslHex(text)}"}`));
  });

  test("any payloads in any order, with empty and refused ones between, as each by itself", () => {
    const property = fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 80 }), { minLength: 2 }),
      fc.constantFrom(...PADDINGS),
      (payloads, padding) => {
        const envelope = createEnvelope({ key, iv, padding });
        const tried = (encrypt: () => string): string => {
          try {
            return encrypt();
          } catch (error) {
            return (error as Error).message;
          }
        };
        for (const text of payloads) {
          const alone = tried(() => `{"body":"${encryptPayload(text, { key, iv, padding })}"}`);
          expect(tried(() => envelope(text))).toBe(alone);
        }
      },
    );
    fc.assert(property, { numRuns: 200 });
  });

  test("upper-case hex on request; the bytes of a caller stay as they were", () => {
    expect(createEnvelope({ key, iv, hexCase: "upper" })("x")).toBe(
      `{"body":"${encryptPayload("x", { key, iv }).toUpperCase()}"}`,
    );
    const bytes = Buffer.from("y".repeat(16));
    encryptPayload(bytes, { key, iv, padding: "none" });
    expect(bytes.toString()).toBe("y".repeat(16));
  });
});

describe("padding", () => {
  const tails: Record<Exclude<Padding, "none">, (count: number) => number[]> = {
    pkcs7: (count) => Array<number>(count || 16).fill(count || 16),
    zero: (count) => Array<number>(count).fill(0),
    iso7816: (count) => [0x80, ...Array<number>((count || 16) - 1).fill(0)],
    ansix923: (count) => [...Array<number>((count || 16) - 1).fill(0), count || 16],
  };

  test.each(Object.entries(tails))("%s ends as its standard says, for every length", (padding, tail) => {
    for (let length = 1; length <= 33; length += 1) {
      const payload = "x".repeat(length);
      const plain = plainOf(encryptPayload(payload, { key, iv, padding: padding as Padding }));
      expect([...plain]).toEqual([...Buffer.from(payload), ...tail((16 - (length % 16)) % 16)]);
    }
  });

  test("none takes whole blocks and refuses anything else", () => {
    expect(() => encryptPayload("x".repeat(31), { key, iv, padding: "none" })).toThrow(/16 bytes, and this one has 31/);
  });

  test("what one side closes the other side opens", () => {
    const property = fc.property(fc.json(), fc.constantFrom(...PADDINGS), (json, padding) => {
      const options = { key, iv, padding };
      const whole = padding === "none" ? json.padEnd(Math.ceil(Buffer.byteLength(json) / 16) * 16) : json;
      if (padding === "none" && Buffer.byteLength(whole) % 16 !== 0) return;
      expect(createOpener(options)(encryptPayload(whole, options))).toBe(whole);
    });
    fc.assert(property, { numRuns: 200 });
  });

  test("what does not open: no hex, half a block, another key's, another padding's", () => {
    const open = createOpener({ key, iv });
    const hex = encryptPayload('{"amount":1}', { key, iv });
    const others = [
      encryptPayload("{}", { key: Buffer.alloc(32, 7), iv }),
      encryptPayload("{}", { key, iv, padding: "zero" }),
    ];
    for (const text of ["", hex.slice(0, 16), `${hex.slice(0, -1)}x`, ...others]) expect(open(text)).toBeUndefined();
  });
});

describe("keys in the one encoding that gives exactly the length", () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => (index * 37 + 251) % 256);
  const HEX = Buffer.from(bytes).toString("hex");
  const BASE64 = Buffer.from(bytes).toString("base64");

  test.each([
    HEX,
    HEX.toUpperCase(),
    BASE64,
    BASE64.replace("=", ""),
    BASE64.replaceAll("+", "-").replaceAll("/", "_"),
    Buffer.from(bytes).toString("base64url"),
  ])("%s", (text) => {
    expect([...readAesKey(text)]).toEqual([...bytes]);
  });

  test("32 characters are 32 bytes of text, also when all of them are hex digits; 16 are an IV", () => {
    expect([...readAesKey(HEX.slice(0, 32))]).toEqual([...Buffer.from(HEX.slice(0, 32))]);
    expect(() => readAesKey(HEX, "utf8")).toThrow();
    expect([...readAesIv("0123456789abcdef")]).toEqual([...Buffer.from("0123456789abcdef")]);
  });

  test.each<readonly [string, string, KeyEncoding]>([
    ["a hex digit too few", HEX.slice(1), "auto"],
    ["a letter that is no hex digit", `${HEX.slice(0, 63)}g`, "hex"],
    ["a line break at the end", `${HEX}\n`, "auto"],
    ["base64 without its last letter", BASE64.slice(0, -2), "base64"],
    ["base64 with bits behind its end", `${BASE64.slice(0, -2)}9=`, "base64"],
    ["both alphabets of base64", BASE64.replace("+", "-"), "base64"],
    ["nothing", "", "auto"],
  ])("%s is refused by name and without its value", (_what, text, encoding) => {
    const read = (): unknown => readAesKey(text, encoding);
    expect(read).toThrow(expect.objectContaining({ code: "config" }) as Error);
    expect(read).toThrow(`the AES key has ${text.length} characters`);
    if (text !== "") expect(read).not.toThrow(text.slice(0, 8));
  });
});
