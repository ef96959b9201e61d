import { loadSettings, type Loaded } from "../config/load.ts";
import { factsOf, SETTING_NAMES } from "../config/schema.ts";
import { SECRET_NAMES, SECRETS } from "../config/secret.ts";
import { tomlExample, tomlSchema, usualPlaces } from "../config/toml.ts";
import { PaydropError } from "../errors.ts";
import { printable } from "../printable.ts";
import { inColumns } from "../screen/look.ts";
import type { Call } from "./command.ts";

/** `show`: every value and where it came from. `example`, `schema`: what may stand in a paydrop.toml. */
export function run(call: Call): Promise<number> {
  const [what = "show"] = call.operands;
  const made = { show: shown, example: tomlExample, schema: () => `${JSON.stringify(tomlSchema(), undefined, 2)}\n` };
  const text = Object.entries(made).find(([name]) => name === what)?.[1];
  if (!text)
    throw new PaydropError("unknown_word", { thing: "config", said: what, words: Object.keys(made).join(", ") });
  call.stdout.write(text(call));
  return Promise.resolve(0);
}

function shown(call: Call): string {
  const loaded = loadSettings(call, "read");
  const { config, file } = loaded;
  const values = inForce(loaded);
  const namesOf = (section: object): string[] => Object.keys(section);
  const { rules, notify, answers } = config;
  const mappings = config.mappings.map(({ name }) => name);
  const statements = config.statements.map(({ bank }) => bank);
  const sections = { mappings, statements, rules: namesOf(rules), notify: namesOf(notify), answers: namesOf(answers) };
  if (config.json) return `${JSON.stringify({ type: "config", file: file ?? null, values, ...sections })}\n`;
  const lines = inColumns(values.map(({ name, value, origin }) => [name, value ?? "-", origin]));
  const from = `settings file: ${file ?? `none (looked for ${usualPlaces(call.env).join(", ")})`}`;
  const names = Object.entries(sections).map(([section, some]) => `${section}: ${some.join(", ") || "none"}`);
  return [from, ...lines, ...names].map((line) => `${printable(line)}\n`).join("");
}

/** Every setting and secret as a person would write it, of secrets only the length, and where it came from. */
function inForce({ config, secrets, origins }: Loaded) {
  const settings = SETTING_NAMES.map((name) => {
    const found = config[name];
    const value = found === undefined ? null : factsOf(name).kind.written(found);
    return { name, value, origin: origins[name] ?? (value === null ? "not set" : "default") };
  });
  const kept = SECRET_NAMES.map((secret) => {
    const [name, found] = [SECRETS[secret], secrets[secret]];
    return { name, value: found ? `${found.length} characters` : null, origin: origins[name] ?? "not set" };
  });
  return [...settings, ...kept];
}
