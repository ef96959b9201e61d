import { rulesExample } from "./rules-shown.ts";
import { SETTINGS, SETTING_NAMES, flagOf, variableOf, type Setting } from "./settings.ts";

/** A paydrop.toml with all settings that may stand in one, explained, commented out, with a default or an example. */
export function tomlExample(): string {
  const settings = SETTING_NAMES.flatMap((name): string[] => {
    const setting: Setting<unknown> = SETTINGS[name];
    if (setting.perRun) return [];
    const names = [variableOf(name), ...(setting.flag === undefined ? [] : [flagOf(name)])].join(", ");
    return [`# ${setting.shown}${choiceOf(setting)}; also ${names}`, `# ${name} = ${valueOf(setting)}`, ""];
  });
  return [...HEAD, "", ...settings, ...rulesExample()].join("\n");
}

const HEAD = [
  "# paydrop.toml: the settings of one installation. Take away the # of a line to change its value; what is shown is",
  "# the default, or an example where there is none. Nobody but its owner may write this file: chmod go-w.",
  "# Columns of another system: tables [mapping.NAME] at the end, as `paydrop map FILE --write` adds them.",
  "# No keys in here: they are PAYDROP_API_KEY, PAYDROP_AES_KEY, PAYDROP_AES_IV, each also with _FILE.",
];

function choiceOf({ read }: Setting<unknown>): string {
  const words = read.schema.enum;
  return words ? ` (${words.join(", ")})` : "";
}

function valueOf(setting: Setting<unknown>): string {
  const shown = setting.example ?? setting.default ?? "";
  const value = setting.read(shown);
  const { type } = setting.read.schema;
  if (type === "integer" || type === "number" || type === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map((entry) => JSON.stringify(entry)).join(", ")}]`;
  return JSON.stringify(shown);
}
