import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../src/sqlite/open.ts";
import type { findingObject } from "../../src/messages/config.ts";
import { answer } from "../support/fault-server.ts";
import { paydrop, temporaryFolder } from "../support/paydrop.ts";
import { startService } from "../support/service.ts";

type Finding = ReturnType<typeof findingObject>;

const KEYS = {
  PAYDROP_API_KEY: "0123456789",
  PAYDROP_AES_KEY: "0f".repeat(32),
  PAYDROP_AES_IV: "00112233445566778899aabbccddeeff",
};

interface Told {
  readonly code: number;
  readonly findings: readonly Finding[];
  readonly choices: readonly { readonly setting: string; readonly value: string }[];
}

async function doctor(env: Record<string, string>, ...flags: string[]): Promise<Told> {
  const { code, stdout, stderr } = await paydrop(["doctor", "--json", ...flags], env);
  expect(stderr).toBe("");
  return { code, ...(JSON.parse(stdout) as Omit<Told, "code">) };
}

function worst({ findings }: Told): string[] {
  return findings.filter(({ health }) => health !== "fine").map(({ what, found }) => `${what}: ${found}`);
}

test("all is well → exit 0, connected, and no request was sent", async () => {
  const server = await startService(() => answer(200));
  const state = temporaryFolder();
  const told = await doctor({ ...KEYS, PAYDROP_BASE_URL: server.url, PAYDROP_STATE_DIR: state });
  expect(worst(told)).toEqual([]);
  expect(told.code).toBe(0);
  expect(told.findings.map(({ what }) => what)).toEqual(
    expect.arrayContaining(["base URL", "state folder", "clock", "service"]),
  );
  expect(server.connections).toBe(1);
  expect(server.bytesReceived).toBe(0);
  expect(told.choices.map(({ setting }) => setting)).toEqual(
    expect.arrayContaining(["padding", "hex_case", "key_encoding", "accepted", "amounts", "doubtful_2xx", "rate"]),
  );
});

test("nothing is set → exit 2, with what to set, and no key is shown", async () => {
  const told = await doctor({ PAYDROP_AES_KEY: KEYS.PAYDROP_AES_KEY.slice(2) }, "--offline");
  expect(told.code).toBe(2);
  const wrong = worst(told).join("\n");
  expect(wrong).toContain("base URL: not set");
  expect(wrong).toContain("PAYDROP_API_KEY: not set");
  expect(wrong).toContain("PAYDROP_AES_IV: not set");
  expect(wrong).toMatch(/PAYDROP_AES_KEY: .*62 characters/);
  expect(wrong).not.toContain("0f0f");
});

describe("folders", () => {
  test.each([
    ["a state folder open to others", 0o750, "is open to others"],
    ["a private one", 0o700, undefined],
  ])("%s (%o)", async (_, mode, told) => {
    const state = temporaryFolder();
    chmodSync(state, mode);
    const wrong = worst(await doctor({ PAYDROP_STATE_DIR: state }, "--offline")).filter((one) =>
      one.startsWith("state"),
    );
    expect(wrong).toEqual(told === undefined ? [] : [expect.stringContaining(told)]);
  });

  test("an inbox that holds settings and state, is open to all, and is stopped", async () => {
    const inbox = temporaryFolder();
    chmodSync(inbox, 0o777);
    const state = join(inbox, "state");
    mkdirSync(state, { mode: 0o700 });
    await (await openJournal(state)).close();
    writeFileSync(join(inbox, "paydrop.toml"), "", { mode: 0o600 });
    writeFileSync(join(inbox, "STOP"), "");
    const flags = ["--inbox", inbox, "--config", join(inbox, "paydrop.toml"), "--state-dir", state, "--offline"];
    const wrong = worst(await doctor({}, ...flags)).filter((one) => one.startsWith("inbox"));
    expect(wrong.sort()).toEqual([
      expect.stringContaining("anybody may write there (mode 777)"),
      expect.stringContaining("nothing goes from it"),
      expect.stringContaining("the inbox and the settings file lie within each other"),
      expect.stringContaining("the inbox and the state folder lie within each other"),
    ]);
  });

  test("an inbox that is not there", async () => {
    const wrong = worst(await doctor({}, "--inbox", "/nonexistent/inbox", "--offline"));
    expect(wrong.join("\n")).toContain("ENOENT");
  });
});

test("an address that cannot be reached is wrong, and exit 2", async () => {
  const { code, findings } = await doctor({ ...KEYS, PAYDROP_BASE_URL: "http://127.0.0.1:9" });
  expect(code).toBe(2);
  expect(findings.find(({ what }) => what === "service")).toMatchObject({ health: "wrong" });
});
