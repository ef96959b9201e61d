import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadOptions, loadSettings, type Loaded, type Options } from "../../src/config/load.ts";
import { conceal } from "../../src/config/secret.ts";
import { refuseSettingsIn } from "../../src/config/toml.ts";
import type { PaydropError } from "../../src/errors.ts";
import { temporaryFolder } from "../support/paydrop.ts";

const HOME = "/nonexistent";

function toml(text: string, mode = 0o600): string {
  const path = join(temporaryFolder(), "paydrop.toml");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function load(flags: Record<string, unknown> = {}, env: NodeJS.ProcessEnv = {}, keys?: "read"): Loaded {
  return loadSettings({ flags, env: { HOME, ...env } }, keys);
}

function refusal(...said: Parameters<typeof load>): PaydropError {
  return refusalOf(() => load(...said));
}

function refusalOf(work: () => unknown): PaydropError {
  try {
    work();
  } catch (error) {
    return error as PaydropError;
  }
  throw new Error("it was not refused");
}

describe("the journal of many hosts", () => {
  const KEY = "6b".repeat(32);
  const URL = "postgres://paydrop:hunt%25er2@db.example/paydrop?sslmode=verify-full";
  const BARE = "postgres://paydrop@db.example/paydrop?sslmode=verify-full";

  test("its address lies in a variable, a file or a credential → the password is used, never shown", () => {
    const folder = temporaryFolder();
    const file = join(folder, "paydrop-journal-url");
    writeFileSync(file, `${URL}\n`, { mode: 0o400 });
    const sources: readonly [NodeJS.ProcessEnv, string][] = [
      [{ PAYDROP_JOURNAL_URL: URL }, "PAYDROP_JOURNAL_URL"],
      [{ PAYDROP_JOURNAL_URL_FILE: file }, "PAYDROP_JOURNAL_URL_FILE"],
      [{ CREDENTIALS_DIRECTORY: folder }, "CREDENTIALS_DIRECTORY"],
    ];
    for (const [env, origin] of sources)
      for (const keys of [undefined, "read"] as const) {
        const { config, origins } = load({}, { PAYDROP_JOURNAL_KEY: KEY, ...env }, keys);
        expect(config.shared?.url.reveal()).toBe(URL);
        expect(config.journal_url).toBe(BARE);
        expect(origins["journal_url"]).toBe(origin);
        expect(conceal("with hunt%er2")).toBe("with [secret]");
      }
  });

  test("its file cannot be read → nothing works with another journal", () => {
    const env = { PAYDROP_JOURNAL_KEY: KEY, PAYDROP_JOURNAL_URL_FILE: "/nonexistent/url" };
    expect(refusal({}, env).reason).toBe("secret_file_unreadable");
    expect(refusal({}, { ...env, PAYDROP_JOURNAL_URL: URL }).reason).toBe("secret_both");
  });

  test.each([URL, `${BARE}&password=hunter2`])("a password in a settings file or flag → refused: %s", (address) => {
    const env = { PAYDROP_JOURNAL_KEY: KEY };
    const told = refusal({}, { ...env, PAYDROP_CONFIG: toml(`journal_url = "${address}"\n`) });
    expect(told.reason).toBe("journal_password");
    expect(refusal({ journal_url: address }, env).reason).toBe("journal_password");
    expect(load({ journal_url: BARE }, env).config.shared?.url.reveal()).toBe(BARE);
  });
});

describe("where a setting comes from", () => {
  test("a flag beats the variable, which beats the file, which beats the default", () => {
    const file = toml('concurrency = 3\nrate = 5\ntimeout = "2m"\nown_columns = ["Grade"]\n');
    const env = { PAYDROP_CONFIG: file, PAYDROP_CONCURRENCY: "4", PAYDROP_RATE: "0.5", PAYDROP_SETTLE: "" };
    const { config, origins } = load({ concurrency: "5" }, env);
    expect(config).toMatchObject({ concurrency: 5, rate: 0.5, timeout: 120_000, own_columns: ["Grade"], settle: 5000 });
    expect(origins).toEqual({
      concurrency: "--concurrency",
      rate: "PAYDROP_RATE",
      timeout: file,
      own_columns: file,
    });
  });

  test("what nobody says has the default of the design", () => {
    const { config } = load();
    expect(config).toMatchObject({ concurrency: 8, timeout: 120_000, connect_timeout: 10_000, settle: 5_000 });
    expect(config).toMatchObject({ duplicate_days: 20, amount_digits_max: 15, amount_decimals_max: 2 });
    expect(config).toMatchObject({ padding: "pkcs7", hex_case: "lower", key_encoding: "auto", empty_fields: "omit" });
    expect(config).toMatchObject({ retry_429: true, doubtful_2xx: "unknown", encoding: "utf-8", own_columns: [] });
    expect(config.rate).toBeUndefined();
    expect(Object.isFrozen(config)).toBe(true);
  });

  test("the file of the user is found by XDG, and none in the working folder", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "paydrop"));
    writeFileSync(join(folder, "paydrop", "paydrop.toml"), "concurrency = 2\n", { mode: 0o600 });
    const inbox = temporaryFolder();
    writeFileSync(join(inbox, "paydrop.toml"), "concurrency = 999\n", { mode: 0o600 });
    const here = process.cwd();
    onTestFinished(() => process.chdir(here));
    process.chdir(inbox);
    expect(load({}, { XDG_CONFIG_HOME: folder }).config.concurrency).toBe(2);
    expect(load({}, { XDG_CONFIG_HOME: "." }).config.concurrency).toBe(8);
    expect(load({ config: "/dev/null" }).config.concurrency).toBe(8);
    // a home that cannot be entered; root may enter all but such a one
    symlinkSync(join(folder, "loop"), join(folder, "loop"));
    expect(refusal({}, { HOME: join(folder, "loop") })).toMatchObject({
      reason: "settings_unreadable",
      todo: expect.stringContaining("HOME") as string,
    });
    expect(load({ config: "/dev/null" }, { HOME: join(folder, "loop") }).config.concurrency).toBe(8);
  });

  test("a relative path of the file starts at its folder, of a flag in the working folder", () => {
    const file = toml('ca_file = "ca.pem"\n');
    const { config } = load({ config: file, state_dir: "state" });
    expect(config.ca_file).toBe(join(file, "..", "ca.pem"));
    expect(config.state_dir).toBe(join(process.cwd(), "state"));
  });

  test("the state folder is systemd's, then XDG's; without a home it is asked for", () => {
    const systemd = { STATE_DIRECTORY: "/var/lib/paydrop:/other", XDG_STATE_HOME: "/xdg" };
    expect(load({}, systemd).config.state_dir).toBe("/var/lib/paydrop");
    expect(load({}, { XDG_STATE_HOME: "/xdg" }).config.state_dir).toBe("/xdg/paydrop");
    expect(load().config.state_dir).toBe("/nonexistent/.local/state/paydrop");
    expect(refusal({}, { HOME: "." }).reason).toBe("no_home");
  });

  test.each([
    ["https://api.bank.example", undefined, "live"],
    ["http://127.0.0.1:7900", undefined, "test"],
    ["https://localhost:1", undefined, "test"],
    ["http://[::1]:1", undefined, "test"],
    ["http://127.0.0.1:7900", "live", "live"],
    [undefined, undefined, "live"],
  ])("at %s, said to be %s, it is %s", (url, said, environment) => {
    const flags = { ...(url && { base_url: url }), ...(said && { environment: said }) };
    expect(load(flags).config.environment).toBe(environment);
  });

  test("verbose logs more, and NO_COLOR means no colours, unless said otherwise", () => {
    expect(load({ verbose: true }).config.log_level).toBe("debug");
    expect(load({ verbose: true, log_level: "warn" }).config.log_level).toBe("warn");
    expect(load({}, { NO_COLOR: "1" }).config.no_color).toBe(true);
    expect(load({}, { NO_COLOR: "1", PAYDROP_NO_COLOR: "no" }).config.no_color).toBe(false);
  });
});

describe("what a value may be", () => {
  test.each([
    ["timeout", "90s", 90_000],
    ["timeout", "2m", 120_000],
    ["timeout", "500ms", 500],
    ["timeout", "0.25", 250],
    ["rate", "0.5", 0.5],
    ["json", "YES", true],
    ["retry_429", "off", false],
    ["operation", "Payouts", "payout"],
    ["own_columns", "Cost centre, Grade", ["Cost centre", "Grade"]],
    ["base_url", " https://api.bank.example/base/ ", "https://api.bank.example/base"],
    ["expect_total", "11087750.50", "11087750.50"],
    ["period", " 2026-11 bonus ", "2026-11 bonus"],
    ["time_zone", "Asia/Kolkata", "Asia/Kolkata"],
  ])("%s: %s is understood", (name, said, value) => {
    expect(load({ [name]: said }).config[name as "timeout"]).toEqual(value);
  });

  test.each([
    ["timeout", "2 minutes", '"2 minutes" is not a duration such as 90s'],
    ["timeout", "0", "is not a duration"],
    ["timeout", "1e3", "is not a duration"],
    ["concurrency", "0", '"0" is not a whole number from 1 to 1000'],
    ["concurrency", "8.5", "is not a whole number"],
    ["rate", "-1", "requests per second"],
    ["rate", "0", "requests per second"],
    ["operation", "payment", '"payment" is not one of payout, transfer, loan, collection'],
    ["expect_total", "1,000.00", "without separators"],
    ["json", "perhaps", "true or false"],
    ["log_format", "xml", "one of json, text"],
    ["time_zone", "Mars", "a time zone"],
    ["state_dir", "~/state", "write it in full, without ~"],
    ["period", "  ", "at least one character"],
  ])("%s: %s is refused with what would be right", (name, said, right) => {
    const error = refusal({ [name]: said });
    expect(error).toMatchObject({ code: "config", reason: "settings_wrong" });
    expect(error.message).toContain(`--${name.replaceAll("_", "-")}: `);
    expect(error.message).toContain(right);
  });

  test.each([
    "http://api.bank.example",
    "ftp://api.bank.example",
    "https://asha:hunter2@api.bank.example",
    "https://api.bank.example?key=hunter2",
    "https://api.bank.example#hunter2",
    "hunter2",
  ])("the address %s is refused, and not repeated", (said) => {
    for (const name of ["base_url", "ping_url"]) {
      const { message } = refusal({ [name]: said });
      expect(message).toContain("is not an https address");
      expect(message).not.toMatch(/hunter2|bank\.example[#?:]/);
    }
  });

  test("the text of a key in place of its path is not repeated", () => {
    const { message } = refusal({}, { PAYDROP_CLIENT_KEY_FILE: "-----BEGIN PRIVATE KEY-----\nhunter2" });
    expect(message).toContain("PAYDROP_CLIENT_KEY_FILE: ");
    expect(message).not.toContain("hunter2");
  });

  test("everything that is wrong is told at once, with its place", () => {
    const file = toml('timeout = "soon"\nhex_case = "Upper"\n');
    const { message } = refusal({ concurrency: "many" }, { PAYDROP_CONFIG: file, PAYDROP_RATE: "fast" });
    expect(message.split("\n")).toHaveLength(4);
    expect(message).toContain(`${file}: timeout: "soon" is not `);
    expect(message).toContain("PAYDROP_RATE: ");
    expect(message).toContain("--concurrency: ");
  });
});

describe("what protects keys and money", () => {
  test.each([0o620, 0o602, 0o666])("settings that others may write (%o) are refused", (mode) => {
    const file = toml("concurrency = 3\n", mode);
    expect(refusal({ config: file })).toMatchObject({
      reason: "settings_open",
      todo: expect.stringContaining(file) as string,
    });
  });

  test.each([
    ["api_key", "does not belong here"],
    ["PAYDROP_AES_KEY", "does not belong here"],
    ["iv", "does not belong here"],
    ["token", "does not belong here"],
    ["expect_rows", "give it with that run: --expect-rows"],
    ["mapping", "give it with that run: --mapping"],
    ["time_out", "did you mean timeout?"],
    ["duplicate_day", "did you mean duplicate_days?"],
  ])("%s may not stand in the file", (key, told) => {
    const { message } = refusal({ config: toml(`${key} = "hunter2"\n`) });
    expect(message).toContain(told);
    expect(message).not.toContain("hunter2");
  });

  test("a file that is no TOML is told by line and column, one that is missing by its path", () => {
    expect(refusal({ config: toml("concurrency = 3\nrate : 4\n") }).message).toMatch(/: line 2, column \d+: /);
    expect(refusal({ config: "/nonexistent/paydrop.toml" }).message).toContain("no such file");
  });

  test("a misspelt variable is refused where keys are read; others with the prefix are not ours", () => {
    const env = {
      PAYDROP_DUPLICATE_DAY: "3",
      PAYDROP_SERVICE_HOST: "10.0.0.1",
      PAYDROP_PORT: "tcp",
      PAYDROP_IMAGE_VERSION: "1",
    };
    const { message } = refusal({}, env, "read");
    expect(message.split("\n")).toEqual([expect.stringContaining("did you mean PAYDROP_DUPLICATE_DAYS?")]);
  });

  test("PAYDROP_SANDBOX alone does not choose the sandbox, and nothing goes to the service", () => {
    expect(refusal({}, { PAYDROP_SANDBOX: "1" }, "read").message).toContain("only the flag --sandbox");
    expect(() => load({ sandbox: true }, { PAYDROP_SANDBOX: "1" }, "read")).not.toThrow();
    expect(() => load({}, { PAYDROP_SANDBOX: "no" }, "read")).not.toThrow();
  });

  test.each([
    [{ base_url: "https://api.bank.example" }, { NODE_TLS_REJECT_UNAUTHORIZED: "0" }, "tls_off"],
    [{ accept_lost_journal: true }, {}, "lost_journal_by"],
  ])("%o with %o is refused: %s", (flags, env, reason) => {
    expect(refusal(flags, env, "read").reason).toBe(reason);
  });

  test("certificates may be anything on this machine itself", () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    expect(() => load({ base_url: "https://localhost:1" }, env, "read")).not.toThrow();
  });

  test("settings in an inbox are refused, also behind a link", () => {
    const file = toml("");
    const inbox = join(file, "..");
    expect(refusalOf(() => refuseSettingsIn(["/srv/other", inbox], file)).reason).toBe("settings_in_inbox");
    expect(() => refuseSettingsIn(["/srv/other"], file)).not.toThrow();
    expect(() => refuseSettingsIn([inbox], undefined)).not.toThrow();
  });
});

describe("options of the library", () => {
  test("each setting has an option in camelCase, durations in milliseconds", () => {
    const options: Options = {
      ...{ baseUrl: "http://127.0.0.1:1", timeoutMs: 500, duplicateDays: 3, retry429: false, ownColumns: ["Grade"] },
      ...{
        apiKey: "0123456789",
        rules: { payouts: { max_per_row: "3" } },
        expectTotal: "1.00",
        amountFormat: "indian",
      },
    };
    const { config, secrets } = loadOptions(options);
    expect(config).toMatchObject({ base_url: "http://127.0.0.1:1", timeout: 500, duplicate_days: 3, retry_429: false });
    expect(config).toMatchObject({ own_columns: ["Grade"], environment: "test", amount_format: "indian" });
    expect(config.rules).toEqual({ payouts: { max_per_row: "3", fields: {} } });
    expect(secrets.apiKey?.reveal()).toBe("0123456789");
  });

  test("no variable and no settings file is read", () => {
    process.env["PAYDROP_CONCURRENCY"] = "3";
    onTestFinished(() => {
      delete process.env["PAYDROP_CONCURRENCY"];
    });
    expect(loadOptions({}).config.concurrency).toBe(8);
  });

  test.each([
    [{ timeout: 5 }, "did you mean timeoutMs?"],
    [{ concurrency: "many" }, 'concurrency: "many" is not a whole number'],
    [{ timeoutMs: -5 }, "timeoutMs: "],
    [{ rules: { payout: {} } }, "did you mean payouts?"],
    [{ baseUrl: "http://far.example" }, "baseUrl: "],
    [{ apiKey: 5 }, "apiKey is not a text"],
  ])("%o is refused", (options, told) => {
    expect(refusalOf(() => loadOptions(options as unknown as Options)).message).toContain(told);
  });
});
