import { createCipheriv, createDecipheriv } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEnvelope, createOpener, createRequestBody, encryptPayload } from "../../src/client/envelope.ts";
import type { Padding } from "../../src/client/envelope.ts";
import { PaydropError } from "../../src/errors.ts";
import { payouts } from "../../src/operations/payouts.ts";
import { transfers } from "../../src/operations/transfers.ts";

const KEY_HEX = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
const IV_HEX = "000102030405060708090a0b0c0d0e0f";
const key = Buffer.from(KEY_HEX, "hex");
const iv = Buffer.from(IV_HEX, "hex");
const PADDINGS: readonly Padding[] = ["pkcs7", "zero", "iso7816", "ansix923", "none"];

/** AES-256-CBC as hex, by a cipher for this text alone; with PKCS#7 unless it is made of whole blocks. */
function cipherHex(payload: string, isPadded = true): string {
  const cipher = createCipheriv("aes-256-cbc", key, iv).setAutoPadding(isPadded);
  return cipher.update(payload, "utf8", "hex") + cipher.final("hex");
}

/** With whatever was added at the end. */
function plainOf(hex: string): Buffer {
  const decipher = createDecipheriv("aes-256-cbc", key, iv).setAutoPadding(false);
  return Buffer.concat([decipher.update(hex, "hex"), decipher.final()]);
}

describe("published vectors (NIST SP 800-38A, F.2.5 CBC-AES256.Encrypt)", () => {
  const plaintext =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51" +
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
  const ciphertext =
    "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d" +
    "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b";

  test("all four blocks, without padding", () => {
    expect(encryptPayload(Buffer.from(plaintext, "hex"), { key, iv, padding: "none" })).toBe(ciphertext);
  });

  test("what the other tests compare with agrees", () => {
    expect(plainOf(ciphertext).toString("hex")).toBe(plaintext);
  });
});

test("half a character is a mistake of the call, not another text that is encrypted", () => {
  expect(() => encryptPayload('{"name":"Zo\ud83d"}', { key, iv })).toThrow(
    expect.objectContaining({ code: "usage", message: "the payload has half a character (a lone surrogate)" }) as Error,
  );
  expect(encryptPayload('{"name":"Zo😀"}', { key, iv })).toBe(cipherHex('{"name":"Zo😀"}'));
});

describe("the envelope of §2.4 and §5.2", () => {
  const payload = '{"debit_account_id":"ACC-1","name":"Zoë ₹","amount":100.00,"payment_mode":"IMPS"}';

  test("its body is the lower-case hex of AES-256-CBC with PKCS#7, and nothing else", () => {
    expect(createEnvelope({ key, iv })(payload)).toBe(`{"body":"${cipherHex(payload)}"}`);
  });

  test("upper-case hex on request", () => {
    expect(createEnvelope({ key, iv, hexCase: "upper" })(payload)).toBe(
      `{"body":"${cipherHex(payload).toUpperCase()}"}`,
    );
  });

  test("each call encrypts afresh", () => {
    const envelope = createEnvelope({ key, iv });
    expect(envelope("a")).not.toBe(envelope("b"));
    expect(envelope("a")).toBe(envelope("a"));
  });

  test("payload after payload comes out as from a cipher of its own", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 80 }), { minLength: 2 }), (payloads) => {
        const envelope = createEnvelope({ key, iv });
        expect(payloads.map(envelope)).toEqual(payloads.map((text) => `{"body":"${cipherHex(text)}"}`));
      }),
      { numRuns: 300 },
    );
  });

  test.each(PADDINGS)("nothing that was refused or empty in between changes what comes after, %s", (padding) => {
    const envelope = createEnvelope({ key, iv, padding });
    const block = "x".repeat(16);
    const expected = `{"body":"${encryptPayload(block, { key, iv, padding })}"}`;
    expect(envelope(block)).toBe(expected);
    if (padding === "none") expect(() => envelope("odd")).toThrow(/multiple of 16 bytes/);
    else envelope("odd");
    envelope("");
    expect(envelope(block)).toBe(expected);
  });

  test("the bytes of a caller stay as they were", () => {
    const bytes = Buffer.from("y".repeat(16));
    encryptPayload(bytes, { key, iv, padding: "none" });
    expect(bytes.toString()).toBe("y".repeat(16));
  });

  test("payouts travel enveloped, the others as they are", () => {
    const toBody = createRequestBody(createEnvelope({ key, iv }));
    expect(toBody(payouts, payload)).toBe(`{"body":"${cipherHex(payload)}"}`);
    expect(toBody(transfers, payload)).toBe(payload);
  });

  test("a payout without keys is refused before anything else happens", () => {
    const toBody = createRequestBody(undefined);
    expect(() => toBody(payouts, payload)).toThrow(PaydropError);
    expect(toBody(transfers, payload)).toBe(payload);
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

  test("none takes a whole number of blocks and refuses anything else", () => {
    const options = { key, iv, padding: "none" } as const;
    expect(encryptPayload("x".repeat(32), options)).toBe(cipherHex("x".repeat(32), false));
    expect(() => encryptPayload("x".repeat(31), options)).toThrow(/multiple of 16 bytes, and this one has 31/);
  });

  test("what one side closes the other side opens", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(...PADDINGS), (json, padding) => {
        const options = { key, iv, padding };
        const whole = padding === "none" ? json.padEnd(Math.ceil(Buffer.byteLength(json) / 16) * 16) : json;
        if (padding === "none" && Buffer.byteLength(whole) % 16 !== 0) return;
        expect(createOpener(options)(encryptPayload(whole, options))).toBe(whole);
      }),
      { numRuns: 300 },
    );
  });
});

describe("what does not open", () => {
  const open = createOpener({ key, iv });
  const hex = encryptPayload('{"amount":1}', { key, iv });

  test.each([
    ["nothing", ""],
    ["half a block", hex.slice(0, 16)],
    ["base64", Buffer.from(hex, "hex").toString("base64")],
    ["a letter that is no hex digit", `${hex.slice(0, -1)}x`],
    ["another key's ciphertext", encryptPayload('{"amount":1}', { key: Buffer.alloc(32, 7), iv })],
  ])("%s", (_what, text) => {
    expect(open(text)).toBeUndefined();
  });
});
