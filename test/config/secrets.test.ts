import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { conceal } from "../../src/config/conceal.ts";
import { Secret } from "../../src/config/secret.ts";
import { takeSecrets } from "../../src/config/secrets-in.ts";
import { messageOf } from "../../src/errors.ts";
import { temporaryFolder } from "../support/paydrop.ts";

const KEY = "live-key-0123456789";

function keyFile(content: string | Buffer): string {
  const path = join(temporaryFolder(), "key");
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

function apiKeyOf(env: NodeJS.ProcessEnv): string | undefined {
  return takeSecrets(env).apiKey?.secret.reveal();
}

function refusal(env: NodeJS.ProcessEnv): string {
  try {
    takeSecrets(env);
  } catch (error) {
    return messageOf(error);
  }
  throw new Error("it was not refused");
}

describe("where secrets come from", () => {
  test("from a variable, which is gone from the environment afterwards", () => {
    const env: NodeJS.ProcessEnv = { PAYDROP_API_KEY: KEY };
    expect(apiKeyOf(env)).toBe(KEY);
    expect("PAYDROP_API_KEY" in env).toBe(false);
  });

  test("from a file, without the one newline that an editor adds", () => {
    expect(apiKeyOf({ PAYDROP_API_KEY_FILE: keyFile(`${KEY}\n`) })).toBe(KEY);
    expect(apiKeyOf({ PAYDROP_API_KEY_FILE: keyFile(`${KEY}\r\n`) })).toBe(KEY);
    expect(apiKeyOf({ PAYDROP_API_KEY_FILE: keyFile(KEY) })).toBe(KEY);
  });

  test("from systemd's credentials, of which some may be missing", () => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "paydrop-api-key"), `${KEY}\n`);
    const found = takeSecrets({ CREDENTIALS_DIRECTORY: folder });
    expect(found.apiKey?.secret.reveal()).toBe(KEY);
    expect(found.aesKey).toBeUndefined();
  });

  test("a variable and its _FILE together are an error, and the variable is gone all the same", () => {
    const env: NodeJS.ProcessEnv = { PAYDROP_AES_IV: KEY, PAYDROP_AES_IV_FILE: "/x", PAYDROP_API_KEY: KEY };
    expect(refusal(env)).toBe("PAYDROP_AES_IV and PAYDROP_AES_IV_FILE are both set");
    expect(env["PAYDROP_AES_IV"]).toBeUndefined();
    expect(env["PAYDROP_API_KEY"]).toBeUndefined();
  });

  test("a file that is not there is an error", () => {
    expect(refusal({ PAYDROP_AES_KEY_FILE: "/nonexistent/key" })).toContain("there is no such file");
  });

  test("no path at all is said as such", () => {
    expect(refusal({ PAYDROP_API_KEY_FILE: "" })).toBe("PAYDROP_API_KEY_FILE is empty");
  });

  test.each([
    KEY,
    "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
    "/83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=\n",
    `${KEY}\n`,
    "k".repeat(5000),
  ])("a key where its path belongs is not repeated", (key) => {
    const message = refusal({ PAYDROP_API_KEY_FILE: key });
    expect(message).toMatch(/^PAYDROP_API_KEY_FILE: there is no file of this name/);
    expect(message).not.toContain(key.trim());
  });
});

describe("what a secret may hold", () => {
  test.each([
    ["empty", "", "is empty"],
    ["with two newlines", `${KEY}\n\n`, "holds a line break as character 20"],
    ["with a space", `live key`, "holds a space as character 5"],
    ["with a byte order mark", `\ufeff${KEY}`, "begins with a byte order mark"],
    ["in curly quotes", `\u201c${KEY}\u201d`, "holds a curly quotation mark as character 1"],
    ["with a tab", `${KEY}\t`, "holds U+0009 as character 20"],
    ["in latin-1", Buffer.from([0x6b, 0xe9, 0x79]), "holds a byte that is not UTF-8"],
  ])("an API key %s is refused, without being shown", (_name, content, wrong) => {
    const message = refusal({ PAYDROP_API_KEY_FILE: keyFile(content) });
    expect(message).toContain(wrong);
    expect(message).not.toContain(KEY);
  });

  test("an empty variable is an error, not a missing key", () => {
    expect(refusal({ PAYDROP_AES_KEY: "" })).toBe("PAYDROP_AES_KEY is empty");
    expect(refusal({ PAYDROP_AES_KEY: " ".repeat(32) })).toBe("PAYDROP_AES_KEY holds only spaces");
  });
});

describe("a secret cannot be printed by accident", () => {
  const secret = new Secret("tok/en+0123456789?=");

  test("not by string, JSON or inspection", () => {
    expect([String(secret), JSON.stringify({ secret }), inspect({ secret })].join()).not.toContain("0123456789");
  });

  test("the last filter takes out every form of it", () => {
    const text = secret.reveal();
    const bytes = Buffer.from(text);
    const forms = [text, bytes.toString("hex"), bytes.toString("hex").toUpperCase(), bytes.toString("base64")];
    for (const form of [...forms, bytes.toString("base64url"), encodeURIComponent(text)]) {
      expect(conceal(`a ${form} b`)).toMatch(/^a \[secret\]=* b$/);
    }
  });

  test("the bytes behind a key written in hex are known too", () => {
    const hex = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    expect(new Secret(hex).length).toBe(64);
    expect(conceal(Buffer.from(hex, "hex").toString("base64"))).toMatch(/^\[secret\]=*$/);
  });

  test("so are those behind one in base64", () => {
    const base64 = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=";
    expect(new Secret(base64).length).toBe(44);
    expect(conceal(Buffer.from(base64, "base64").toString("hex"))).toBe("[secret]");
  });

  test("so are those behind one in base64 as in URLs, without its `=`", () => {
    const written = "-_83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeA";
    expect(new Secret(written).length).toBe(43);
    expect(conceal(Buffer.from(written, "base64url").toString("hex"))).toBe("[secret]");
  });

  test("nor one as a log in JSON would have it, or in base64 without its end", () => {
    const text = 'quo"ted\\in>>JSON?';
    expect(new Secret(text).length).toBe(text.length);
    expect(conceal(JSON.stringify(text))).toBe('"[secret]"');
    expect(conceal(Buffer.from(text).toString("base64").replace(/=+$/, ""))).toBe("[secret]");
  });

  test("of one that begins with another one no end is left", () => {
    const secrets = ["beginning-of", "beginning-of-another"];
    for (const text of secrets) expect(new Secret(text).length).toBe(text.length);
    expect(secrets.map(conceal)).toEqual(["[secret]", "[secret]"]);
  });

  test("other text stays as it is", () => {
    expect(new Secret("row 14").length).toBe(6);
    expect(conceal("row 14: amount 100.00")).toBe("row 14: amount 100.00");
  });
});
