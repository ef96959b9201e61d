import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readAesIv, readAesKey } from "../client/envelope.ts";
import { openSender } from "../client/sender.ts";
import { loadSettings, type Loaded } from "../config/load.ts";
import { factsOf, SETTING_NAMES, type Config } from "../config/schema.ts";
import { SECRETS, SENDING_SECRETS } from "../config/secret.ts";
import { isWithin } from "../config/toml.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { inboxFolders, stopFilesIn } from "../intake/inbox.ts";
import { assertMark } from "../intake/mark.ts";
import { openJournalOf } from "../open-journal.ts";
import { openJournal } from "../sqlite/open.ts";
import type { JournalStore } from "../journal/store.ts";
import { CHOICES, finding, findingObject, type Finding } from "../messages/config.ts";
import { counted, toldLines } from "../messages/sentence.ts";
import { tryOnce, waysOf } from "../monitor/notices.ts";
import { asWord, printable } from "../printable.ts";
import { inColumns, textOf } from "../screen/look.ts";
import { show, textsOf, type Call } from "./command.ts";
import { answerFindings } from "./doctor-answers.ts";
import { serverFindings } from "./doctor-server.ts";

/** Exit 0 when paydrop could send, 2 when something is wrong. Connects to the service, but sends no request. */
export async function run(call: Call): Promise<number> {
  const loaded = loadSettings(call, "read");
  const { config, origins } = loaded;
  const inboxes = textsOf(call, "inbox").map((inbox) => resolve(inbox));
  const lookings = [
    ...SENDING_SECRETS.map((name) => looked(SECRETS[name], () => [keyFinding(name, loaded)])),
    looked("state folder", () => stateFindings(config)),
    ...(config.shared ? [looked("journal server", () => serverFindings(config, () => clockFinding(config)))] : []),
    ...inboxes.map((inbox) => looked(`inbox ${inbox}`, () => inboxFindings(inbox, loaded))),
    // a journal that cannot be asked is told where it is looked at
    withJournal(config, (store) => answerFindings(config, store)).catch((): Finding[] => []),
    looked("base URL", () => [addressFinding(config)]),
    ...(call.flags["offline"] === true
      ? []
      : [looked("service", () => serviceFindings(loaded)), looked("notices", () => noticeFindings(loaded))]),
  ];
  const findings = (await Promise.all(lookings)).flat();
  const code = findings.some(({ health }) => health === "wrong") ? 2 : 0;
  const choices = choicesIn(config);
  const line = { type: "doctor", findings: findings.map(findingObject), choices, origins, exit_code: code };
  show(call, config, line, screenText(findings, choices), code);
  return code;
}

/** What the work finds; what it throws is a finding, too. */
async function looked(what: string, work: () => Promise<Finding[]> | Finding[]): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    const wrong = finding(what, "wrong", { found: messageOf(error) });
    return [error instanceof PaydropError ? { ...wrong, told: error } : wrong];
  }
}

function keyFinding(name: (typeof SENDING_SECRETS)[number], { config, secrets }: Loaded): Finding {
  const variable = SECRETS[name];
  const secret = secrets[name];
  const read = { apiKey: undefined, aesKey: readAesKey, aesIv: readAesIv }[name];
  if (!secret) return finding(variable, read ? "not_set_for_payouts" : "not_set", { variable });
  const bytes = read?.(secret.reveal(), config.key_encoding).length;
  const found = bytes === undefined ? counted(secret.length, "character") : counted(bytes, "byte");
  return finding(variable, "fine", { found });
}

const HAS_MODES = process.platform !== "win32";
const { R_OK, W_OK, X_OK } = constants;
const CLOCK_SLACK_MS = 60_000;

/** The state folder: private and sound; and whether the clock went back since the journal was written. */
async function stateFindings(config: Config): Promise<Finding[]> {
  const { state_dir: path, shared } = config;
  const what = "state folder";
  const above = nearestThere(path);
  accessSync(above, R_OK | W_OK | X_OK);
  const mode = HAS_MODES && above === path ? statSync(path).mode & 0o777 : 0o700;
  if ((mode & 0o077) !== 0) return [finding(what, "state_open", { path, mode: mode.toString(8), word: asWord(path) })];
  const found = `${path}, ${above === path ? "private" : "filled by the first run"}`;
  // a journal that several hosts share is told of with its server
  if (shared) return [finding(what, "fine", { found })];
  return [finding(what, "fine", { found }), await clockFinding(config)];
}

async function clockFinding(config: Config): Promise<Finding> {
  const [{ lastAt }, at] = await withJournal(config, async (store) => [await store.facts(), store.now()] as const);
  const [now, seen] = [at, lastAt].map((one) => new Date(one).toISOString());
  const clock = lastAt > at + CLOCK_SLACK_MS ? "clock_behind" : "fine";
  return finding("clock", clock, { found: now, now, seen });
}

function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}

async function withJournal<T>(config: Config, ask: (store: JournalStore) => Promise<T>): Promise<T> {
  const { state_dir: stateDir, shared } = config;
  // of a shared one nothing stays that is made by asking
  const store = shared
    ? await openJournalOf(config, { isTrial: true })
    : await openJournal(stateDir, { makesNone: true });
  return ask(store).finally(() => store.close());
}

/** An inbox: its rights, apart from state and settings, and whether anything goes from it (held, STOP, mark). */
async function inboxFindings(inbox: string, { config, file = "/" }: Loaded): Promise<Finding[]> {
  const what = `inbox ${inbox}`;
  const { state_dir: state } = config;
  accessSync(inbox, R_OK | W_OK | X_OK);
  const mode = statSync(inbox).mode & 0o7777;
  const isMixed = isWithin(state, inbox) || isWithin(inbox, state);
  const found = [
    finding(what, "fine", { found: "can be read and written" }),
    ...(isMixed ? [finding(what, "not_apart", { other: "state folder" })] : []),
    ...(isWithin(file, inbox) ? [finding(what, "not_apart", { other: "settings file" })] : []),
    ...(HAS_MODES && (mode & 0o002) !== 0 ? [finding(what, "inbox_open", { mode: mode.toString(8) })] : []),
  ];
  return withJournal(config, async (store) => {
    const held = (await store.heldFolders()).find(({ folder }) => folder === inbox);
    const why = held?.reason ?? (await stopFilesIn(inbox))[0];
    if (why !== undefined) found.push(finding(what, "inbox_held", { why, inbox }));
    const marked = (await inboxFolders(inbox)).filter((folder) => existsSync(join(folder, ".paydrop")));
    const lost = marked.map((folder) => looked(what, () => assertMark(folder, store).then(() => [])));
    return [...found, ...(await Promise.all(lost)).flat()];
  });
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

/** A test by each way. What does not arrive holds up no payment. */
function noticeFindings({ config, secrets }: Loaded): Promise<Finding[]> | Finding[] {
  const variable = SECRETS.smtpUrl;
  if (config.notify.email_to && !secrets.smtpUrl) return [finding(variable, "not_set", { variable })];
  const tried = waysOf(config.notify, secrets.smtpUrl).map(async (way) => {
    const why = (await tryOnce(way))?.why;
    const facts = { why, found: `a test notice was taken by ${way.to}` };
    return finding(way.name, why === undefined ? "fine" : "notice_lost", facts);
  });
  return Promise.all(tried);
}

function choicesIn(config: Config) {
  return CHOICES.map(([section, setting, always]) => {
    const name = SETTING_NAMES.find((one) => one === setting);
    const value = name && config[name];
    const said = name && (value === undefined ? factsOf(name).unless : factsOf(name).kind.written(value));
    return { section, setting, value: always ?? said ?? "" };
  });
}

function screenText(findings: readonly Finding[], choices: ReturnType<typeof choicesIn>): string {
  const words = { fine: "ok", look: "look", wrong: "BAD" };
  const shown = inColumns(findings.map(({ what, health, told }) => [words[health], what, told.text]));
  const lines = findings.flatMap(({ told }, at) =>
    toldLines({ ...told, text: printable(shown[at] ?? "") }).split("\n"),
  );
  const open = inColumns(choices.map(({ section, setting, value }) => [`  ${section}`, setting, value]));
  return textOf([...lines, "", "Choices where the interface of the service is silent", ...open]);
}
