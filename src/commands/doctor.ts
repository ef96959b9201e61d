import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readAesIv, readAesKey } from "../client/envelope.ts";
import { openSender } from "../client/sender.ts";
import { loadSettings, type Loaded } from "../config/load.ts";
import { factsOf, SETTING_NAMES, type Config } from "../config/schema.ts";
import { SECRET_NAMES, SECRETS } from "../config/secret.ts";
import { isWithin } from "../config/toml.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { inboxFolders, stopFilesIn } from "../intake/inbox.ts";
import { assertMark } from "../intake/mark.ts";
import { openJournal } from "../journal/open.ts";
import type { JournalStore } from "../journal/store.ts";
import { CHOICES, finding, type Finding } from "../messages/config.ts";
import { counted } from "../messages/sentence.ts";
import { asWord, printable } from "../printable.ts";
import { journalPath } from "../state-dir.ts";
import type { Call } from "./command.ts";

/** Exit 0 when paydrop could send, 2 when something is wrong. Connects to the service, but sends no request; changes nothing. */
export async function run(call: Call): Promise<number> {
  const loaded = loadSettings(call, "read");
  const { config, origins } = loaded;
  const inboxes = ((call.flags["inbox"] ?? []) as readonly string[]).map((inbox) => resolve(inbox));
  const lookings = [
    ...SECRET_NAMES.map((name) => looked(SECRETS[name], () => [keyFinding(name, loaded)])),
    looked("state folder", () => stateFindings(config, inboxes)),
    ...inboxes.map((inbox) => looked(`inbox ${inbox}`, () => inboxFindings(inbox, loaded))),
    looked("base URL", () => [addressFinding(config)]),
    ...(call.flags["offline"] === true ? [] : [looked("service", () => serviceFindings(loaded))]),
  ];
  const findings = (await Promise.all(lookings)).flat();
  const code = findings.some(({ health }) => health === "wrong") ? 2 : 0;
  const choices = choicesIn(config);
  const document = { type: "doctor", findings, choices, origins, exit_code: code };
  if (config.json) call.stdout.write(`${JSON.stringify(document)}\n`);
  else if (!config.quiet || code !== 0) call.stdout.write(screenText(findings, choices));
  return code;
}

/** What the work finds; what it throws is a finding, too. */
async function looked(what: string, work: () => Promise<Finding[]> | Finding[]): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    const todo = error instanceof PaydropError ? error.hint : "";
    return [finding(what, "wrong", { found: messageOf(error), todo })];
  }
}

function keyFinding(name: (typeof SECRET_NAMES)[number], { config, secrets }: Loaded): Finding {
  const variable = SECRETS[name];
  const secret = secrets[name];
  const read = { apiKey: undefined, aesKey: readAesKey, aesIv: readAesIv }[name];
  if (!secret) return finding(variable, read ? "not_set_for_payouts" : "not_set", { variable });
  const bytes = read?.(secret.reveal(), config.key_encoding).length;
  const found = bytes === undefined ? counted(secret.length, "character") : counted(bytes, "byte");
  return finding(variable, "fine", { found });
}

const HAS_MODES = process.platform !== "win32";

/** The state folder: private, sound, on a disk with locks; what the journal knows of time and inboxes. */
async function stateFindings({ state_dir: path }: Config, inboxes: readonly string[]): Promise<Finding[]> {
  const what = "state folder";
  const now = new Date().toISOString();
  const above = nearestThere(path);
  accessSync(above, constants.R_OK | constants.W_OK | constants.X_OK);
  // some systems give the number with a sign
  const disk = process.platform === "linux" ? NETWORK[statfsSync(above).type >>> 0] : undefined;
  if (disk !== undefined) return [finding(what, "network", { disk })];
  const mode = HAS_MODES && above === path ? statSync(path).mode & 0o777 : 0o700;
  if ((mode & 0o077) !== 0) return [finding(what, "state_open", { path, mode: mode.toString(8), word: asWord(path) })];
  if (!existsSync(journalPath(path)))
    return [
      finding(what, "fine", { found: `${path}, filled by the first run` }),
      finding("clock", "fine", { found: now }),
    ];
  const store = await openJournal(path, { makesNone: true });
  try {
    const { lastAt } = await store.facts();
    const isBehind = lastAt > Date.now() + CLOCK_SLACK_MS;
    const seen = new Date(lastAt).toISOString();
    const clock = finding("clock", isBehind ? "clock_behind" : "fine", { found: now, now, seen });
    const held = await Promise.all(inboxes.map((inbox) => heldFindings(inbox, store)));
    return [finding(what, "fine", { found: `${path}, private` }), clock, ...held.flat()];
  } finally {
    await store.close();
  }
}

const CLOCK_SLACK_MS = 60_000;
/** Linux's numbers of disks whose locks cannot be trusted (statfs(2)). */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: "NFS",
  0x517b: "SMB",
  0xff534d42: "SMB",
  0xfe534d42: "SMB",
};

function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}

/** An inbox of which nothing goes: the journal knows it as held, a STOP lies there, or another journal's mark (I12). */
async function heldFindings(inbox: string, store: JournalStore): Promise<Finding[]> {
  const what = `inbox ${inbox}`;
  const held = (await store.heldFolders()).find(({ folder }) => folder === inbox);
  const why = held?.reason ?? (await stopFilesIn(inbox))[0];
  const stopped = why === undefined ? [] : [finding(what, "inbox_held", { why, word: asWord(inbox) })];
  const marked = (await inboxFolders(inbox)).filter((folder) => existsSync(join(folder, ".paydrop")));
  const lost = marked.map((folder) => looked(what, () => assertMark(folder, store, false).then(() => [])));
  return [...stopped, ...(await Promise.all(lost)).flat()];
}

/** An inbox: readable and writable, apart from state and settings, not a way in for everybody. */
function inboxFindings(inbox: string, { config, file = "/" }: Loaded): Finding[] {
  const what = `inbox ${inbox}`;
  accessSync(inbox, constants.R_OK | constants.W_OK | constants.X_OK);
  const mode = statSync(inbox).mode & 0o7777;
  const isMixed = isWithin(config.state_dir, inbox) || isWithin(inbox, config.state_dir);
  return [
    finding(what, "fine", { found: "can be read and written" }),
    ...(isMixed ? [finding(what, "not_apart", { other: "state folder" })] : []),
    ...(isWithin(file, inbox) ? [finding(what, "not_apart", { other: "settings file" })] : []),
    ...(HAS_MODES && (mode & 0o002) !== 0 ? [finding(what, "inbox_open", { mode: mode.toString(8) })] : []),
  ];
}

function addressFinding({ base_url: url, environment }: Config): Finding {
  if (url === undefined) return finding("base URL", "not_set", { variable: "PAYDROP_BASE_URL" });
  return finding("base URL", "fine", { found: `${url} (${environment})` });
}

/** The way to the service: keys and certificates as a run takes them, and a connection on which nothing is asked. */
async function serviceFindings({ config, secrets }: Loaded): Promise<Finding[]> {
  if (config.base_url === undefined || !secrets.apiKey) return [];
  const sender = openSender(config, secrets);
  const { address = config.base_url, durationMs } = await sender.preflight().finally(() => sender.close());
  return [finding("service", "fine", { found: `${address} answers within ${durationMs} ms` })];
}

interface Choice {
  readonly section: string;
  readonly setting: string;
  readonly value: string;
}

/** Every named choice in force (DESIGN §1). */
function choicesIn(config: Config): readonly Choice[] {
  return CHOICES.map(([section, setting, always]) => {
    const name = SETTING_NAMES.find((one) => one === setting);
    const value = name && config[name];
    const said = name && (value === undefined ? factsOf(name).unless : factsOf(name).kind.written(value));
    return { section, setting, value: always ?? said ?? "" };
  });
}

function screenText(findings: readonly Finding[], choices: readonly Choice[]): string {
  const words = { fine: "ok  ", look: "look", wrong: "BAD " };
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.flatMap(({ what, health, found, hint }) => [
    `${words[health]}  ${printable(`${what.padEnd(width)}  ${found}`)}`,
    ...(hint === undefined ? [] : [`  → ${printable(hint)}`]),
  ]);
  const open = choices.map(({ section, setting, value }) => `  ${section.padEnd(5)} ${setting.padEnd(20)} ${value}`);
  return [...lines, "", "Choices where the interface of the service is silent", ...open, ""].join("\n");
}
