import { accessSync, constants, statSync } from "node:fs";
import { readAesIv, readAesKey } from "../client/keys.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { SECRETS } from "../config/secrets-in.ts";
import { PaydropError, messageOf, systemCodeOf } from "../errors.ts";
import type { Call } from "./command.ts";
import { namedChoices } from "./named-choices.ts";

type Health = "fine" | "look" | "wrong";

interface Finding {
  readonly what: string;
  readonly health: Health;
  readonly found: string;
  readonly hint?: string;
}

/** Exit 0 when paydrop could send, 2 when something is wrong. Sends nothing, and changes nothing. */
export async function run(call: Call): Promise<number> {
  // the paths of key files are still in the environment afterwards, the keys are not
  const config = loadConfig({ flags: call.flags, env: call.env });
  const findings = [
    { what: "Node", health: "fine" as const, found: `${process.versions.node} (${process.execPath})` },
    await sqlite(),
    baseUrl(config),
    ...keys(config),
    ...keyFiles(call.env),
    ...certificates(config),
    stateFolder(config),
    clock(),
  ];
  const code = findings.some((finding) => finding.health === "wrong") ? 2 : 0;
  if (config.json) call.stdout.write(jsonText(config, findings, code));
  else if (!(config.quiet && code === 0)) call.stdout.write(screenText(config, findings));
  return code;
}

/** Older SQLite can damage the journal's log when two processes open it (DESIGN §5). */
const SQLITE_MIN = [3, 51, 3];

async function sqlite(): Promise<Finding> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(":memory:");
  const found = String(database.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
  database.close();
  const parts = found.split(".").map(Number);
  const difference = SQLITE_MIN.map((min, index) => (parts[index] ?? 0) - min).find((part) => part !== 0) ?? 0;
  if (difference >= 0) return { what: "SQLite", health: "fine", found };
  return { what: "SQLite", health: "wrong", found, hint: `install a newer Node: ${SQLITE_MIN.join(".")} is needed` };
}

function baseUrl(config: Config): Finding {
  if (config.baseUrl === undefined) {
    return { what: "base URL", health: "wrong", found: "not set", hint: "set PAYDROP_BASE_URL" };
  }
  return { what: "base URL", health: "fine", found: `${config.baseUrl} (${config.environment})` };
}

function keys(config: Config): Finding[] {
  const { apiKey, aesKey, aesIv, choices } = config;
  const missing = (what: string, health: Health): Finding => ({
    what,
    health,
    found: "not set",
    hint: health === "wrong" ? `set ${what} or ${what}_FILE` : "needed for payouts only (§5.2)",
  });
  const sized = (what: string, read: () => Uint8Array): Finding => {
    try {
      return { what, health: "fine", found: `${read().length} bytes` };
    } catch (error) {
      return { what, health: "wrong", found: messageOf(error), hint: error instanceof PaydropError ? error.hint : "" };
    }
  };
  const { variable } = SECRETS.apiKey;
  return [
    apiKey ? { what: variable, health: "fine", found: `${apiKey.length} characters` } : missing(variable, "wrong"),
    aesKey
      ? sized(SECRETS.aesKey.variable, () => readAesKey(aesKey.reveal(), choices.keyEncoding))
      : missing(SECRETS.aesKey.variable, "look"),
    aesIv
      ? sized(SECRETS.aesIv.variable, () => readAesIv(aesIv.reveal(), choices.keyEncoding))
      : missing(SECRETS.aesIv.variable, "look"),
  ];
}

/** Container platforms mount secrets readable by all, so this is something to look at, not a refusal (S1). */
function keyFiles(env: NodeJS.ProcessEnv): Finding[] {
  return Object.values(SECRETS).flatMap(({ variable }) => {
    const file = env[`${variable}_FILE`];
    if (!file || process.platform === "win32" || (statSync(file).mode & 0o077) === 0) return [];
    return [
      {
        what: `${variable}_FILE`,
        health: "look" as const,
        found: "others than its owner may read it",
        hint: `chmod 600 ${file}`,
      },
    ];
  });
}

function certificates(config: Config): Finding[] {
  const files = {
    CA_FILE: config.caFile,
    CLIENT_CERT_FILE: config.clientCertFile,
    CLIENT_KEY_FILE: config.clientKeyFile,
  };
  return Object.entries(files).flatMap(([name, file]) => {
    if (file === undefined) return [];
    const what = `PAYDROP_${name}`;
    return [
      isReadable(file)
        ? { what, health: "fine" as const, found: file }
        : {
            what,
            health: "wrong" as const,
            found: `${file} cannot be read`,
            hint: "check the path and who may read it",
          },
    ];
  });
}

function stateFolder(config: Config): Finding {
  const what = "state folder";
  try {
    const stats = statSync(config.stateDir);
    if (!stats.isDirectory())
      return {
        what,
        health: "wrong",
        found: `${config.stateDir} is not a folder`,
        hint: "choose another with --state-dir",
      };
    accessSync(config.stateDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const shared = process.platform !== "win32" && (stats.mode & 0o077) !== 0;
    if (!shared) return { what, health: "fine", found: `${config.stateDir}, private` };
    return {
      what,
      health: "wrong",
      found: `${config.stateDir} is open to others (mode ${(stats.mode & 0o777).toString(8)})`,
      hint: `chmod 700 ${config.stateDir}`,
    };
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT")
      return { what, health: "fine", found: `${config.stateDir}, made by the first run` };
    return {
      what,
      health: "wrong",
      found: `${config.stateDir}: ${messageOf(error)}`,
      hint: "choose another with --state-dir",
    };
  }
}

/** Days are counted for duplicates: a clock at its factory setting would forget or invent them. */
function clock(): Finding {
  const now = new Date();
  const found = now.toISOString();
  if (now.getUTCFullYear() >= 2025) return { what: "clock", health: "fine", found };
  return { what: "clock", health: "wrong", found, hint: "set the clock" };
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function screenText(config: Config, findings: readonly Finding[]): string {
  const words: Readonly<Record<Health, string>> = { fine: "ok  ", look: "look", wrong: "BAD " };
  const width = Math.max(...findings.map((finding) => finding.what.length));
  const lines = findings.flatMap((finding) => [
    `${words[finding.health]}  ${finding.what.padEnd(width)}  ${finding.found}`,
    ...(finding.hint ? [`  → ${finding.hint}`] : []),
  ]);
  const choices = namedChoices(config).map(
    (choice) =>
      `  ${choice.section.padEnd(5)} ${choice.setting.padEnd(20)} ${choice.value.padEnd(10)} the interface does not show ${choice.open}`,
  );
  const origins = Object.entries(config.origins ?? {}).map(([name, origin]) => `  ${name.padEnd(20)} ${origin}`);
  const settings = origins.length > 0 ? ["", "Set by", ...origins] : [];
  return [...lines, "", "Named choices", ...choices, ...settings, ""].join("\n");
}

function jsonText(config: Config, findings: readonly Finding[], code: number): string {
  const document = {
    type: "doctor",
    findings,
    choices: namedChoices(config),
    origins: config.origins ?? {},
    exit_code: code,
  };
  return `${JSON.stringify(document)}\n`;
}
