import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { requireSending } from "../../src/config/load.ts";
import { conceal, Secret, takeSecrets } from "../../src/config/secret.ts";
import type { PaydropError } from "../../src/errors.ts";
import { temporaryFolder } from "../support/paydrop.ts";

const KEY = "k3y-0f-th3-s3rv1c3";

function keyFile(text: string, mode = 0o600, name = "key"): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function refusal(env: NodeJS.ProcessEnv): PaydropError {
  try {
    takeSecrets(env, {});
  } catch (error) {
    return error as PaydropError;
  }
  throw new Error("it was not refused");
}

test("a key comes from its variable, its file or systemd, and leaves the environment", () => {
  const credential = keyFile(`${KEY}\n`, 0o400, "paydrop-api-key");
  const sources: readonly [NodeJS.ProcessEnv, string][] = [
    [{ PAYDROP_API_KEY: KEY }, "PAYDROP_API_KEY"],
    [{ PAYDROP_API_KEY_FILE: keyFile(`${KEY}\r\n`) }, "PAYDROP_API_KEY_FILE"],
    [{ CREDENTIALS_DIRECTORY: join(credential, "..") }, "CREDENTIALS_DIRECTORY"],
  ];
  for (const [env, origin] of sources) {
    const origins = {};
    const { apiKey, aesKey } = takeSecrets(env, origins);
    expect(apiKey?.reveal()).toBe(KEY);
    expect(aesKey).toBeUndefined();
    expect(origins).toEqual({ PAYDROP_API_KEY: origin });
    expect(env["PAYDROP_API_KEY"]).toBeUndefined();
  }
});

test("a command that never sends forgets the keys unread", () => {
  const env = { PAYDROP_API_KEY: "", PAYDROP_AES_KEY: KEY, PAYDROP_AES_KEY_FILE: "/nonexistent" };
  expect(takeSecrets(env, {}, [])).toEqual({});
  expect(env).toEqual({ PAYDROP_AES_KEY_FILE: "/nonexistent" });
});

test.each([
  [{ PAYDROP_API_KEY: KEY, PAYDROP_API_KEY_FILE: "/run/key" }, "secret_both"],
  [{ PAYDROP_API_KEY: "" }, "secret_wrong"],
  [{ PAYDROP_API_KEY: `${KEY} ` }, "secret_wrong"],
  [{ PAYDROP_API_KEY: `“${KEY}”` }, "secret_wrong"],
  [{ PAYDROP_AES_KEY: "   " }, "secret_wrong"],
  [{ PAYDROP_API_KEY_FILE: "/nonexistent/key" }, "secret_file_unreadable"],
  [{ PAYDROP_API_KEY_FILE: KEY }, "secret_file_unreadable"],
  [{ PAYDROP_API_KEY_FILE: keyFile(`${KEY}\n\n`) }, "secret_wrong"],
  [{ PAYDROP_API_KEY_FILE: keyFile(`\ufeff${KEY}`) }, "secret_wrong"],
  [{ PAYDROP_API_KEY_FILE: keyFile(KEY, 0o622) }, "secret_file_open"],
])("%o is refused as %s, without the key", (env, reason) => {
  const error = refusal(env);
  expect(error).toMatchObject({ code: "config", reason });
  expect(JSON.stringify([error.text, error.todo, error.commands])).not.toContain(KEY);
});

test("the wrong character is named by its place", () => {
  expect(refusal({ PAYDROP_API_KEY: "abc def" }).message).toContain("U+0020 as character 4");
  expect(refusal({ PAYDROP_API_KEY: "abc\u200bdef" }).message).toContain("U+200B as character 4");
});

test("what is missing for sending is told at once; payouts need two more", () => {
  const key = new Secret(KEY);
  expect(() => requireSending({}, {})).toThrow(
    "missing: PAYDROP_BASE_URL, PAYDROP_API_KEY, PAYDROP_AES_KEY (payouts only), PAYDROP_AES_IV (payouts only)",
  );
  const sending = { base_url: "https://api.bank.example" };
  expect(() => requireSending(sending, { apiKey: key })).not.toThrow();
  expect(() => requireSending(sending, { apiKey: key, aesKey: key }, { payouts: true })).toThrow(
    /^missing: PAYDROP_AES_IV/,
  );
});

describe("a secret cannot be printed by accident", () => {
  const secret = new Secret(KEY);

  test("by no way but reveal", () => {
    const shown = [String(secret), JSON.stringify({ secret }), inspect({ secret }, { showHidden: true })];
    expect(shown.join()).not.toContain(KEY);
    expect(Object.keys(secret)).toEqual([]);
  });

  test("and where one gets into a text, every form of it is taken out", () => {
    const forms = [KEY, Buffer.from(KEY).toString("hex"), Buffer.from(KEY).toString("base64"), encodeURIComponent(KEY)];
    for (const form of [...forms, KEY.toUpperCase()])
      expect(conceal(`before ${form} after`)).toMatch(/^before \[secret\]=* after$/);
    expect(conceal("nothing of it")).toBe("nothing of it");
  });
});
