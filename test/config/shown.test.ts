import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import { flagHelp, LASTING, SETTING_NAMES } from "../../src/config/schema.ts";
import { run as showConfig } from "../../src/commands/config.ts";
import { tomlExample, tomlSchema } from "../../src/config/toml.ts";

import { temporaryFolder } from "../support/paydrop.ts";

const env = (): NodeJS.ProcessEnv => ({ HOME: "/nonexistent" });

function written(text: string): string {
  const path = join(temporaryFolder(), "paydrop.toml");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

test("the example holds every lasting setting, and is right when every # is taken away", () => {
  const text = tomlExample();
  for (const name of LASTING) expect(text).toMatch(new RegExp(`^# ${name} = `, "m"));
  const bare = text.replaceAll(/^# (?=[a-z0-9_]+ = |\[)/gm, "");
  const { config } = loadSettings({
    flags: { config: written(bare) },
    env: { ...env(), PAYDROP_JOURNAL_KEY: "6b".repeat(32) },
  });
  expect(config).toMatchObject({ base_url: "https://api.bank.example", timeout: 120_000, rate: 20, retry_429: true });
  expect(config.rules["payouts"]?.fields["payment_mode"]).toMatchObject({ allowed: ["NEFT", "IMPS"], max_length: 30 });
});

test("the JSON schema knows every lasting setting, its kind, its default, rules and mappings", () => {
  const { properties } = tomlSchema() as { properties: Record<string, Record<string, unknown>> };
  expect(Object.keys(properties)).toEqual([...LASTING, "mapping", "statement", "rules", "notify", "answers"]);
  expect(properties["concurrency"]).toMatchObject({ type: "integer", minimum: 1, maximum: 1000 });
  expect(properties["timeout"]).toMatchObject({ type: ["string", "number"] });
  expect(properties["padding"]).toMatchObject({
    type: "string",
    description: "padding of encrypted payout payloads (default: pkcs7)",
  });
  const rules = JSON.stringify(properties["rules"]);
  expect(rules).toContain('"max_per_day"');
  expect(rules).toContain('"ifsc_code"');
  expect(JSON.stringify(properties["mapping"])).toContain('"amount_unit"');
  expect(JSON.stringify(properties["statement"])).toContain('"decimal_comma"');
});

test("config show tells every value and its origin, of secrets only the length", async () => {
  const file = written("rate = 5\n");
  const flags = { json: true, config: file, ping_url: "https://hc.example/secret-path", timeout: "1500ms" };
  let text = "";
  const stdout = { write: (more: string) => void (text += more), isTerminal: false, columns: 80 };
  const call = { operands: ["show"], flags, env: { ...env(), PAYDROP_API_KEY: "0123456789" }, stdout, stderr: stdout };
  expect(await showConfig(call)).toBe(0);
  const { values } = JSON.parse(text) as { values: { name: string; value: string | null; origin: string }[] };
  const told = Object.fromEntries(values.map(({ name, value, origin }) => [name, `${value ?? "-"} by ${origin}`]));
  expect(Object.keys(told)).toEqual(expect.arrayContaining([...SETTING_NAMES]));
  expect(told).toMatchObject({
    rate: `5 by ${file}`,
    timeout: "1.5s by --timeout",
    concurrency: "8 by default",
    ca_file: "- by not set",
    ping_url: "https://hc.example/… by --ping-url",
    PAYDROP_API_KEY: "10 characters by PAYDROP_API_KEY",
  });
});

test("a flag that is on already takes a value, one that is off none", () => {
  expect(flagHelp("reuse_connections")[0]).toBe("--reuse-connections <yes|no>");
  expect(flagHelp("json")[0]).toBe("--json");
  expect(flagHelp("rate")).toEqual(["--rate <n>", "requests per second at most (default: no limit)"]);
});
