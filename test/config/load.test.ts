import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Sources } from "../../src/config/load.ts";
import { loadConfig, requireSending } from "../../src/config/load.ts";
import { PaydropError } from "../../src/errors.ts";
import { temporaryFolder } from "../support/paydrop.ts";

function refusal(sources: Sources): PaydropError {
  try {
    loadConfig(sources);
  } catch (error) {
    if (error instanceof PaydropError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

function toml(text: string, mode = 0o600): string {
  const path = join(temporaryFolder(), "paydrop.toml");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const HOME = "/nonexistent";

describe("which source counts", () => {
  test("without any source the defaults of the design hold", () => {
    const config = loadConfig({ env: { HOME } });
    expect(config).toMatchObject({
      environment: "live",
      stateDir: "/nonexistent/.local/state/paydrop",
      concurrency: 8,
      timeoutMs: 120_000,
      connectTimeoutMs: 10_000,
      retryForMs: 30_000,
      settleMs: 5_000,
      duplicateDays: 20,
      reuseConnections: true,
      color: true,
      logLevel: "info",
    });
    expect(config.choices).toEqual({
      padding: "pkcs7",
      hexCase: "lower",
      keyEncoding: "auto",
      emptyFields: "omit",
      retry429: true,
      amountDigitsMax: 15,
      amountDecimalsMax: 2,
      ifscFormat: "refuse",
      encoding: "utf-8",
      ownColumns: [],
      numberGrouping: "none",
      decimalSign: "point",
      rules: {},
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test("an empty PAYDROP_CONFIG names no file", () => {
    expect(loadConfig({ env: { HOME, PAYDROP_CONFIG: "" } }).concurrency).toBe(8);
  });

  test("a flag beats the environment, which beats the file, which beats the default; each origin is known", () => {
    const file = toml('concurrency = 3\nrate = 5\ntimeout = "2m"\nown_columns = ["Grade"]\n');
    const env = { HOME, PAYDROP_CONFIG: file, PAYDROP_CONCURRENCY: "4", PAYDROP_RATE: "0.5" };
    const config = loadConfig({ env, flags: { concurrency: "5" } });
    expect(config).toMatchObject({ concurrency: 5, rate: 0.5, timeoutMs: 120_000 });
    expect(config.choices.ownColumns).toEqual(["Grade"]);
    expect(config.origins).toEqual({
      concurrency: "--concurrency",
      rate: "PAYDROP_RATE",
      timeout: file,
      own_columns: file,
    });
  });

  test("the user's paydrop.toml is found by XDG_CONFIG_HOME, and none is looked for in the working folder", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "paydrop"));
    writeFileSync(join(folder, "paydrop", "paydrop.toml"), "concurrency = 2\n", { mode: 0o600 });
    const inbox = temporaryFolder();
    writeFileSync(join(inbox, "paydrop.toml"), "concurrency = 999\n", { mode: 0o600 });
    expect(loadConfig({ env: { HOME, XDG_CONFIG_HOME: folder }, cwd: inbox }).concurrency).toBe(2);
    expect(loadConfig({ env: { HOME }, cwd: inbox }).concurrency).toBe(8);
  });

  test("paths in the file mean the folder of the file, those of flags the working folder", () => {
    const file = toml('ca_file = "ca.pem"\n');
    const config = loadConfig({ env: { HOME, PAYDROP_CONFIG: file }, flags: { state_dir: "state" }, cwd: "/srv/x" });
    expect(config.caFile).toBe(file.replace("paydrop.toml", "ca.pem"));
    expect(config.stateDir).toBe("/srv/x/state");
  });

  test("the state folder is systemd's, then XDG's", () => {
    const both = { HOME, STATE_DIRECTORY: "/var/lib/paydrop:/other", XDG_STATE_HOME: "/xdg" };
    expect(loadConfig({ env: both }).stateDir).toBe("/var/lib/paydrop");
    expect(loadConfig({ env: { HOME, XDG_STATE_HOME: "/xdg" } }).stateDir).toBe("/xdg/paydrop");
  });

  test("where there is no home folder the state folder is asked for, and nothing is taken from the working folder", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, ".config", "paydrop"), { recursive: true });
    writeFileSync(join(folder, ".config", "paydrop", "paydrop.toml"), "concurrency = 999\n", { mode: 0o600 });
    const here = process.cwd();
    onTestFinished(() => process.chdir(here));
    process.chdir(folder);
    const env = { HOME: "." };
    expect(() => loadConfig({ env })).toThrow("this user has no home folder (HOME)");
    expect(loadConfig({ env, flags: { state_dir: "/srv/state" } })).toMatchObject({
      stateDir: "/srv/state",
      concurrency: 8,
    });
  });
});

describe("what a value may be", () => {
  test.each([
    ["90s", 90_000],
    ["2m", 120_000],
    ["500ms", 500],
    ["30", 30_000],
    ["0.25", 250],
  ])("a timeout of %s is %i milliseconds", (said, ms) => {
    expect(loadConfig({ env: { HOME, PAYDROP_TIMEOUT: said } }).timeoutMs).toBe(ms);
  });

  test.each([
    ["timeout", "2 minutes", "a duration such as 90s"],
    ["timeout", "0", "a duration such as 90s"],
    ["concurrency", "0", "a whole number from 1"],
    ["concurrency", "8.5", "a whole number from 1"],
    ["rate", "-1", "requests per second"],
    ["operation", "payment", "one of payout, transfer, loan, collection"],
    ["expect_total", "1,000.00", "without separators"],
    ["json", "perhaps", "true or false"],
    ["log_format", "xml", "one of json, text"],
  ])("%s = %s is refused with what would be right", (name, said, right) => {
    const error = refusal({ env: { HOME }, flags: { [name]: said } });
    expect(error.code).toBe("config");
    expect(error.message).toContain(`--${name.replace("_", "-")}: "${said}" is not `);
    expect(error.message).toContain(right);
  });

  test.each([
    ["http://api.bank.example", "an https address"],
    ["ftp://api.bank.example", "an https address"],
    ["https://asha:hunter2@api.bank.example", "without a user name or password"],
    ["https://api.bank.example/?key=hunter2", "without ? or #"],
    ["https://api.bank.example/#", "without ? or #"],
    ["api.bank.example", "an address such as"],
  ])("the base URL %s is refused without being repeated", (said, right) => {
    const error = refusal({ env: { HOME, PAYDROP_BASE_URL: said } });
    expect(error.message).toContain(right);
    expect(error.message).not.toContain("hunter2");
  });

  test.each([
    ["https://api.bank.example/base/", "https://api.bank.example/base", "live"],
    ["http://127.0.0.1:7900", "http://127.0.0.1:7900", "test"],
    ["http://[::1]:7900/", "http://[::1]:7900", "test"],
    ["http://localhost:7900", "http://localhost:7900", "test"],
  ])("the base URL %s becomes %s, %s", (said, baseUrl, environment) => {
    expect(loadConfig({ env: { HOME, PAYDROP_BASE_URL: said } })).toMatchObject({ baseUrl, environment });
  });

  test("several wrong ones are told at once, each with its place", () => {
    const env = { HOME, PAYDROP_RATE: "fast", PAYDROP_CONFIG: toml('settle = "soon"\n') };
    const { message } = refusal({ env, flags: { concurrency: "x" } });
    for (const place of ["--concurrency:", "PAYDROP_RATE:", "line 1: settle:"]) expect(message).toContain(place);
  });

  test("a name that only looks like this machine is not this machine", () => {
    expect(refusal({ env: { HOME, PAYDROP_BASE_URL: "http://localhost.evil.example" } }).code).toBe("config");
    expect(refusal({ env: { HOME, PAYDROP_BASE_URL: "http://127.0.0.1.evil.example" } }).code).toBe("config");
  });

  test("an environment that a person named is not guessed over", () => {
    const env = { HOME, PAYDROP_BASE_URL: "https://uat.bank.example", PAYDROP_ENVIRONMENT: "test" };
    expect(loadConfig({ env }).environment).toBe("test");
  });
});

describe("paydrop.toml", () => {
  test("an unknown setting is refused with the nearest name", () => {
    const error = refusal({ env: { HOME }, flags: { config: toml("concurency = 3\n") } });
    expect(error.message).toContain('there is no setting "concurency"');
    expect(error.hint).toBe("did you mean concurrency?");
  });

  test("a mistake of writing is named with its line and column", () => {
    const error = refusal({ env: { HOME }, flags: { config: toml("concurrency = 3\ntimeout = 90s\n") } });
    expect(error.message).toMatch(/paydrop\.toml: line 2, column \d+: /);
  });

  test.each(["api_key", "aes_key", "aes-iv", "PAYDROP_API_KEY", "api_key_file"])("%s does not belong there", (key) => {
    const error = refusal({ env: { HOME }, flags: { config: toml(`${key} = "hunter2hunter2"\n`) } });
    expect(error.message).toContain("does not belong here");
    expect(error.hint).toContain("PAYDROP_API_KEY");
    expect(error.message + error.hint).not.toContain("hunter2");
  });

  test.each(["period", "expect_rows", "accept_lost_journal", "by"])("%s is a word for one run", (key) => {
    const error = refusal({ env: { HOME }, flags: { config: toml(`${key} = "x"\n`) } });
    expect(error.message).toContain("for one run");
  });

  test.each([0o620, 0o602, 0o666])("a file that others may write (mode %o) is refused", (mode) => {
    const error = refusal({ env: { HOME }, flags: { config: toml("concurrency = 3\n", mode) } });
    expect(error.message).toContain("can redirect payments");
    expect(error.hint).toContain("chmod go-w");
  });

  test("a named file that is not there is refused", () => {
    expect(refusal({ env: { HOME }, flags: { config: "/nonexistent/p.toml" } }).message).toContain("no such file");
  });
});

describe("what would hand keys or money to somebody else", () => {
  test("switched-off certificate checks are refused, except towards this machine", () => {
    const env = { HOME, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    expect(refusal({ env: { ...env, PAYDROP_BASE_URL: "https://api.bank.example" } }).message).toContain("is set");
    expect(loadConfig({ env: { ...env, PAYDROP_BASE_URL: "https://127.0.0.1:1" } }).environment).toBe("test");
  });

  test("a client certificate without its key is refused", () => {
    expect(refusal({ env: { HOME, PAYDROP_CLIENT_CERT_FILE: "/c.pem" } }).message).toContain("belong together");
  });

  test.each(["-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n", "-----BEGIN PRIVATE KEY-----\\nMIGHAgEAMBMG\\n"])(
    "the text of a private key where its path belongs is not repeated",
    (pem) => {
      const { message } = refusal({ env: { HOME, PAYDROP_CLIENT_KEY_FILE: pem } });
      expect(message).toMatch(/^PAYDROP_CLIENT_KEY_FILE: the value is not a path: write the text into a file/);
      expect(message).not.toContain("MIGH");
    },
  );

  test.each(["~", "~/paydrop", "~asha/paydrop"])(
    "%s is no path: a folder of that name would forget payments",
    (dir) => {
      const file = toml(`state_dir = "${dir}"`);
      const said = [
        refusal({ env: { HOME, PAYDROP_STATE_DIR: dir } }),
        refusal({ env: { HOME }, flags: { state_dir: dir } }),
        refusal({ env: { HOME }, flags: { config: file } }),
      ].map(({ message }) => message);
      const places = ["PAYDROP_STATE_DIR", "--state-dir", `${file}: line 1: state_dir`];
      expect(said).toEqual(
        places.map((place) => expect.stringContaining(`${place}: "${dir}" is not a path`) as string),
      );
      expect(said.every((text) => text.includes(`"./${dir}"`) && text.includes("write the whole path"))).toBe(true);
      expect(loadConfig({ env: { HOME, PAYDROP_STATE_DIR: "./~/x" } }).stateDir).toMatch(/\/~\/x$/);
    },
  );

  test("accepting a lost journal needs a name", () => {
    expect(refusal({ env: { HOME }, flags: { accept_lost_journal: true } }).hint).toContain("--by");
  });
});

describe("what is missing for sending", () => {
  const complete = {
    PAYDROP_BASE_URL: "https://api.bank.example",
    PAYDROP_API_KEY: "key-0123456789",
    PAYDROP_AES_KEY: "0".repeat(64),
    PAYDROP_AES_IV: "0".repeat(32),
  };

  test("everything is named at once, with the way to try without", () => {
    expect(() => requireSending(loadConfig({ env: { HOME } }))).toThrow(
      "missing: PAYDROP_BASE_URL, PAYDROP_API_KEY, PAYDROP_AES_KEY, PAYDROP_AES_IV (payouts only)",
    );
  });

  test("AES key and IV are asked for only when there are payouts", () => {
    const { PAYDROP_BASE_URL, PAYDROP_API_KEY } = complete;
    const config = loadConfig({ env: { HOME, PAYDROP_BASE_URL, PAYDROP_API_KEY } });
    expect(() => requireSending(config)).not.toThrow();
    expect(() => requireSending(config, true)).toThrow("missing: PAYDROP_AES_KEY, PAYDROP_AES_IV (payouts only)");
    expect(() => requireSending(loadConfig({ env: { HOME, ...complete } }), true)).not.toThrow();
  });
});
