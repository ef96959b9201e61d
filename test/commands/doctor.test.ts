import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { paydrop, temporaryFolder } from "../support/paydrop.ts";

interface Document {
  readonly findings: readonly { readonly what: string; readonly health: string; readonly found: string }[];
  readonly choices: readonly { readonly setting: string; readonly value: string; readonly section: string }[];
  readonly origins: Readonly<Record<string, string>>;
  readonly exit_code: number;
}

const KEYS = {
  PAYDROP_BASE_URL: "https://api.bank.example",
  PAYDROP_API_KEY: "live-key-0123456789",
  PAYDROP_AES_KEY: "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
  PAYDROP_AES_IV: "00112233445566778899aabbccddeeff",
};

async function doctor(env: Readonly<Record<string, string>>): Promise<Document & { readonly code: number }> {
  const { code, stdout } = await paydrop(["doctor", "--json"], env);
  return { ...(JSON.parse(stdout) as Document), code };
}

function healthOf(document: Document, what: string): string | undefined {
  return document.findings.find((finding) => finding.what === what)?.health;
}

describe("doctor", () => {
  test("with everything set all is fine, and no key is shown", async () => {
    const { code, stdout, stderr } = await paydrop(["doctor"], KEYS);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("PAYDROP_AES_KEY  32 bytes");
    expect(stdout).toContain("PAYDROP_AES_IV   16 bytes");
    for (const secret of [KEYS.PAYDROP_API_KEY, KEYS.PAYDROP_AES_KEY, KEYS.PAYDROP_AES_IV]) {
      expect(stdout).not.toContain(secret);
    }
  });

  test("without anything it names what is missing and exits 2", async () => {
    const document = await doctor({});
    expect(document).toMatchObject({ code: 2, exit_code: 2 });
    expect(healthOf(document, "base URL")).toBe("wrong");
    expect(healthOf(document, "PAYDROP_API_KEY")).toBe("wrong");
    expect(healthOf(document, "PAYDROP_AES_KEY")).toBe("look");
  });

  test("a key of the wrong length is wrong, and not shown", async () => {
    const document = await doctor({ ...KEYS, PAYDROP_AES_IV: "00112233445566778899aabbccddee" });
    expect(document.code).toBe(2);
    expect(healthOf(document, "PAYDROP_AES_IV")).toBe("wrong");
    expect(JSON.stringify(document)).not.toContain("00112233");
  });

  test("every named choice is listed with the section that is silent", async () => {
    const { choices, origins } = await doctor({ ...KEYS, PAYDROP_PADDING: "zero" });
    const byName = new Map(choices.map((choice) => [choice.setting, choice]));
    expect(byName.get("padding")).toMatchObject({ value: "zero", section: "§5.2" });
    for (const name of [
      "hex_case",
      "key_encoding",
      "empty_fields",
      "retry_429",
      "ifsc_format",
      "amounts",
      "accepted",
    ]) {
      expect(byName.has(name)).toBe(true);
    }
    expect(origins["padding"]).toBe("PAYDROP_PADDING");
  });

  test("a state folder that is open to others is wrong", async () => {
    const folder = join(temporaryFolder(), "state");
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    const document = await doctor({ ...KEYS, PAYDROP_STATE_DIR: folder });
    expect(document.code).toBe(2);
    expect(healthOf(document, "state folder")).toBe("wrong");
    chmodSync(folder, 0o700);
    expect((await doctor({ ...KEYS, PAYDROP_STATE_DIR: folder })).code).toBe(0);
  });

  test("a key file that others may read is worth a look", async () => {
    const file = join(temporaryFolder(), "key");
    writeFileSync(file, "live-key-0123456789\n");
    chmodSync(file, 0o644);
    const { PAYDROP_API_KEY: direct, ...others } = KEYS;
    const document = await doctor({ ...others, PAYDROP_API_KEY_FILE: file });
    expect(direct).toBeDefined();
    expect(document.code).toBe(0);
    expect(healthOf(document, "PAYDROP_API_KEY_FILE")).toBe("look");
  });
});
