import { DatabaseSync } from "node:sqlite";
import { statSync } from "node:fs";
import { readAesIv, readAesKey } from "../client/keys.ts";
import { remarkOnPath } from "../config/base-url.ts";
import type { Config } from "../config/config.ts";
import { loadSettings } from "../config/load.ts";
import { misspeltVariables } from "../config/misspelt-variables.ts";
import { SECRETS } from "../config/secrets-in.ts";
import { PaydropError, messageOf } from "../errors.ts";
import { sqliteOf, SQLITE_VERSION_MIN } from "../journal/sqlite/database/sqlite-version.ts";
import { withProcessor } from "../processor.ts";
import { asWord, printable } from "../text/printable.ts";
import { folded } from "../results/screen/folded.ts";
import type { Call } from "./command.ts";
import type { Finding, Health } from "./doctor/finding.ts";
import { inboxFindings, stateFindings, stateSaidRelative } from "./doctor/folders.ts";
import { heldFindings } from "./doctor/held.ts";
import { serviceFindings } from "./doctor/service.ts";
import { lookOf } from "./screen/look-of.ts";
import { namedChoices } from "./named-choices.ts";

/** Exit 0 when paydrop could send, 2 when something is wrong. Connects to the service, but sends no request; changes nothing. */
export async function run(call: Call): Promise<number> {
  // the paths of key files are still in the environment afterwards, the keys are not
  const { config, file } = loadSettings({ flags: call.flags, env: call.env });
  const inboxes = (call.flags["inbox"] ?? []) as readonly string[];
  const state = [...stateFindings(config), ...stateSaidRelative(config, call.env)];
  const findings = [
    { what: "Node", health: "fine" as const, found: `${process.versions.node} (${process.execPath})` },
    sqlite(),
    baseUrl(config),
    ...keys(config),
    ...keyFiles(call.env),
    ...misspeltVariables(call.env).map(({ said: what, ...rest }): Finding => ({ what, health: "look", ...rest })),
    ...state,
    ...inboxes.flatMap((inbox) => inboxFindings(inbox, config, file)),
    ...(await heldFindings(inboxes, config)),
    await clock(
      config,
      state.every(({ health }) => health !== "wrong"),
    ),
    ...(await serviceFindings(config, call.env, call.flags["offline"] === true)),
  ];
  const code = findings.some((finding) => finding.health === "wrong") ? 2 : 0;
  if (config.json) call.stdout.write(jsonText(config, findings, code));
  else if (!(config.quiet && code === 0)) {
    call.stdout.write(folded(screenText(config, findings), lookOf(call.stdout, call, config)));
  }
  return code;
}

function sqlite(): Finding {
  const database = new DatabaseSync(":memory:");
  const { version: found, isOld } = sqliteOf(database);
  database.close();
  if (!isOld) return { what: "SQLite", health: "fine", found };
  return { what: "SQLite", health: "wrong", found, hint: `install a newer Node: ${SQLITE_VERSION_MIN} is needed` };
}

function baseUrl(config: Config): Finding {
  if (config.baseUrl === undefined) {
    return { what: "base URL", health: "wrong", found: "not set", hint: "set PAYDROP_BASE_URL" };
  }
  const found = `${config.baseUrl} (${config.environment})`;
  const odd = remarkOnPath(config.baseUrl);
  if (!odd) return { what: "base URL", health: "fine", found };
  return { what: "base URL", health: "look", found: `${found}: ${odd.found}`, hint: odd.hint };
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

/** Container platforms mount secrets readable by all, so this is something to look at, not a refusal. */
function keyFiles(env: NodeJS.ProcessEnv): Finding[] {
  return Object.values(SECRETS).flatMap(({ variable }) => {
    const file = env[`${variable}_FILE`];
    if (!file || process.platform === "win32" || (statSync(file).mode & 0o077) === 0) return [];
    return [
      {
        what: `${variable}_FILE`,
        health: "look" as const,
        found: "others than its owner may read it",
        hint: `chmod 600 ${asWord(file)}`,
      },
    ];
  });
}

/**
 * Days are counted for duplicates: a clock at its factory setting, or behind what the journal has seen, would forget or
 * invent them. The journal is only opened where that changes nothing.
 */
async function clock(config: Config, isStateSound: boolean): Promise<Finding> {
  const what = "clock";
  const nowMs = Date.now();
  const found = new Date(nowMs).toISOString();
  if (nowMs < Date.UTC(2025, 0)) return { what, health: "wrong", found, hint: "set the clock" };
  if (!isStateSound) return { what, health: "fine", found };
  try {
    const lastMs = await lastSeenMs(config);
    if (lastMs <= nowMs + CLOCK_SLACK_MS) return { what, health: "fine", found };
    const seen = `${found}, but the journal has already seen ${new Date(lastMs).toISOString()}`;
    const hint =
      "set the clock if it is wrong, and have it kept by NTP; if it is right, that of an earlier run was ahead";
    return { what, health: "wrong", found: seen, hint };
  } catch (error) {
    const hint = error instanceof PaydropError ? error.hint : "";
    return { what: "journal", health: "wrong", found: messageOf(error), hint };
  }
}

const CLOCK_SLACK_MS = 60_000;

/** The latest time that the journal knows of. */
function lastSeenMs(config: Config): Promise<number> {
  return withProcessor({ config }, "read", async ({ journal }) => {
    const { lastAttemptAt } = await journal.mark();
    const batches = await journal.batches();
    return batches.reduce((last, { createdAt }) => Math.max(last, createdAt), lastAttemptAt);
  });
}

function screenText(config: Config, findings: readonly Finding[]): string {
  const words: Readonly<Record<Health, string>> = { fine: "ok  ", look: "look", wrong: "BAD " };
  const width = Math.max(...findings.map((finding) => finding.what.length));
  const lines = findings.flatMap((finding) => [
    `${words[finding.health]}  ${printable(`${finding.what.padEnd(width)}  ${finding.found}`)}`,
    ...(finding.hint ? [`  → ${printable(finding.hint)}`] : []),
  ]);
  const choices = namedChoices(config).map(
    (choice) =>
      `  ${choice.section.padEnd(5)} ${choice.setting.padEnd(20)} ${choice.value.padEnd(10)}  the interface does not show ${choice.open}`,
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
