import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "smol-toml";
import { settingsInForce } from "../../src/config/in-force.ts";
import { loadSettings } from "../../src/config/load.ts";
import { CAPS, FIELD_RULES } from "../../src/config/rule-settings.ts";
import { SETTINGS, SETTING_NAMES } from "../../src/config/settings.ts";
import type { Setting } from "../../src/config/settings.ts";
import { TABLES } from "../../src/config/toml-file.ts";
import { tomlExample } from "../../src/config/toml-example.ts";
import { tomlSchema } from "../../src/config/toml-schema.ts";
import { transferToml } from "../support/mappings.ts";
import { paydrop } from "../support/paydrop.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const HOME = "/nonexistent";
const LASTING = SETTING_NAMES.filter((name) => !(SETTINGS[name] as Setting<unknown>).perRun);

interface Shown {
  readonly file: string | null;
  readonly values: readonly { readonly name: string; readonly value: string | null; readonly origin: string }[];
}

function toml(text: string): string {
  const path = join(temporaryDirectory(), "paydrop.toml");
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  return path;
}

describe("config show", () => {
  test("names every setting and secret, its value and where that came from", async () => {
    const path = toml('concurrency = 3\nretry_for = "90s"\nown_columns = ["Grade", "Cost centre"]\n');
    const env = { PAYDROP_API_KEY: "live-key-0123456789", PAYDROP_TIMEOUT: "2m" };
    const { code, stdout, stderr } = await paydrop(["config", "show", "--json", "--config", path, "--rate", "5"], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { file, values } = JSON.parse(stdout) as Shown;
    expect(file).toBe(path);
    const byName = Object.fromEntries(values.map(({ name, value, origin }) => [name, [value, origin]]));
    expect(byName).toMatchObject({
      concurrency: ["3", path],
      retry_for: ["90s", path],
      own_columns: ["Grade, Cost centre", path],
      timeout: ["120s", "PAYDROP_TIMEOUT"],
      rate: ["5", "--rate"],
      connect_timeout: ["10s", "default"],
      environment: ["live", "default"],
      state_dir: ["/nonexistent/.local/state/paydrop", "default"],
      base_url: [null, "not set"],
      PAYDROP_API_KEY: ["19 characters", "PAYDROP_API_KEY"],
      PAYDROP_AES_KEY: [null, "not set"],
    });
    for (const name of SETTING_NAMES) expect(byName).toHaveProperty([name]);
    expect(stdout).not.toContain("live-key");
  });

  test("for a person it is a table, without keys and without the secret path of a monitor", async () => {
    const env = {
      PAYDROP_AES_IV: "00112233445566778899aabbccddeeff",
      PAYDROP_PING_URL: "https://hc.example/0b9c2f9e-secret",
    };
    const { code, stdout } = await paydrop(["config"], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^PAYDROP_AES_IV +32 characters +PAYDROP_AES_IV$/m);
    expect(stdout).toMatch(/^ping_url +https:\/\/hc\.example\/… +PAYDROP_PING_URL$/m);
    expect(stdout).toMatch(/^settings file: none \(looked for .*paydrop\.toml\)$/m);
    expect(stdout).not.toMatch(/00112233|0b9c2f9e/);
  });

  test("names the column mappings", async () => {
    const path = toml(`${transferToml("hrms", "paise")}${transferToml("old", "rupees")}`);
    const text = await paydrop(["config", "show", "--config", path]);
    expect(text.stdout).toMatch(/^mappings: hrms \(transfer, paise\), old \(transfer, rupees\)$/m);
    const { stdout } = await paydrop(["config", "show", "--json", "--config", path]);
    expect(JSON.parse(stdout)).toMatchObject({ mappings: ["hrms", "old"] });
  });

  test("the defaults that are told are those that hold", () => {
    const untold = settingsInForce(loadSettings({ env: { HOME } }));
    const env: Record<string, string> = { HOME };
    for (const name of LASTING) {
      const { default: usual }: Setting<unknown> = SETTINGS[name];
      if (usual !== undefined && usual !== "no limit") env[`PAYDROP_${name.toUpperCase()}`] = usual;
    }
    const { origins: told, ...same } = loadSettings({ env }).config;
    const { origins, ...defaults } = loadSettings({ env: { HOME } }).config;
    expect(same).toEqual(defaults);
    expect(Object.keys(told ?? {}).length).toBeGreaterThan(20);
    expect(origins).toEqual({});
    expect(untold.find(({ name }) => name === "timeout")?.value).toBe("120s");
  });
});

/** The example with everything in force. */
function withoutHashes(): string {
  const lines = tomlExample().split("\n");
  return lines.flatMap((line) => /^# (\[.+\]|[a-z0-9_]+ = .*)$/.exec(line)?.[1] ?? []).join("\n");
}

describe("config example", () => {
  test("with every # taken away it is a paydrop.toml that paydrop takes", () => {
    const values = withoutHashes().split("\n");
    const settings = values.slice(0, values.indexOf("[rules.payouts]"));
    expect(settings.map((line) => line.split(" ")[0])).toEqual(LASTING);
    const path = toml(values.join("\n"));
    writeFileSync(join(dirname(path), "ifsc.txt"), "SBIN\n");
    const { said, config } = loadSettings({ env: { HOME }, flags: { config: path }, secrets: "ignore" });
    expect(Object.keys(said)).toEqual(LASTING);
    const { payouts } = config.choices.rules;
    expect(Object.keys({ ...payouts, ...payouts?.fields["payment_mode"] }).sort()).toEqual(
      [...Object.keys(CAPS), ...Object.keys(FIELD_RULES), "fields", "warn"].sort(),
    );
  });

  test("as it stands it changes nothing", async () => {
    const { code, stdout } = await paydrop(["config", "example"]);
    expect(code).toBe(0);
    expect(parse(stdout)).toEqual({});
    const path = toml(stdout);
    expect(loadSettings({ env: { HOME }, flags: { config: path } }).config.origins).toEqual({});
  });
});

describe("config schema", () => {
  test("has the settings that may stand in a paydrop.toml, closed to others, without keys", async () => {
    const { code, stdout } = await paydrop(["config", "schema"]);
    expect(code).toBe(0);
    const schema = JSON.parse(stdout) as { additionalProperties: boolean; properties: Record<string, unknown> };
    expect(schema).toEqual(tomlSchema());
    expect(schema.additionalProperties).toBe(false);
    expect(Object.keys(schema.properties)).toEqual([...LASTING, ...TABLES]);
    expect(schema.properties["padding"]).toMatchObject({ enum: expect.arrayContaining(["pkcs7", "none"]) as unknown });
    expect(schema.properties["concurrency"]).toMatchObject({ type: "integer", minimum: 1, maximum: 1000, default: 8 });
    expect(stdout).not.toMatch(/api_key|aes_key|aes_iv/);
  });

  const hasJsonSchema = spawnSync("python3", ["-c", "import jsonschema"]).status === 0;
  test.skipIf(!hasJsonSchema)("a validator takes the example and refuses a misspelt key", () => {
    const check = (instance: unknown): number | null =>
      spawnSync("python3", ["-c", "import json,sys,jsonschema; jsonschema.validate(*json.load(sys.stdin))"], {
        input: JSON.stringify([instance, tomlSchema()]),
      }).status;
    expect(check(parse(withoutHashes()))).toBe(0);
    expect(check({ rules: { payouts: { max_per_rows: 1 } } })).not.toBe(0);
    expect(check({ concurency: 8 })).not.toBe(0);
    expect(check({ timeout: "soon" })).not.toBe(0);
    const mapping = parse(transferToml("hrms", "paise"));
    expect(check(mapping)).toBe(0);
    expect(
      check(parse(transferToml("hrms", "paise").replace("[mapping.hrms.columns]", "[mapping.hrms.colums]"))),
    ).not.toBe(0);
  });
});

describe("a mistake in paydrop.toml", () => {
  test.each([
    ["rate = 5\n\nconcurency = 3\n", ': line 3: there is no setting "concurency"', "did you mean concurrency?"],
    ["# a\nconcurrency = 0\n", ": line 2: concurrency: 0 is not a whole number from 1 to 1000", "correct it"],
    ["a = [\n", ": line ", "key = value"],
    ["\n[padding]\nx = 1\n", ": line 2: padding: ", "correct it"],
    ["\nby = 'Asha'\n", ": line 2: by is a person's word for one run", "--by"],
    ["\n\napi_key = 'live-key-0123456789'\n", ": line 3: api_key does not belong here", "PAYDROP_API_KEY"],
  ])("%j is named with its line", async (text, message, hint) => {
    const path = toml(text);
    const { code, stderr } = await paydrop(["config", "show", "--config", path]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${path}${message}`);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain("live-key");
  });

  test("what paydrop config cannot show is named", async () => {
    const { code, stderr } = await paydrop(["config", "shwo"]);
    expect(code).toBe(2);
    expect(stderr).toContain("show, example, schema");
  });
});
