import type { Config } from "./config.ts";
import type { LoadedSettings } from "./load.ts";
import { rulesInForce } from "./rules-shown.ts";
import { SECRETS, type SecretName } from "./secrets-in.ts";
import { SETTINGS, SETTING_NAMES, type Setting, type SettingName } from "./settings.ts";

/** One setting as it holds now. */
export interface InForce {
  readonly name: string;
  /** As a person would write it; a secret only as its length; undefined: not set. */
  readonly value: string | undefined;
  /** A flag, a variable, the path of a paydrop.toml, or `default`. */
  readonly origin: string;
}

/** Every setting, rule and secret, in the order of the README, with where it came from. */
export function settingsInForce({ config, said }: LoadedSettings): InForce[] {
  const settings = SETTING_NAMES.map((name) => {
    const setting: Setting<unknown> = SETTINGS[name];
    const value = said[name];
    const shown = value === undefined ? (DERIVED[name]?.(config) ?? setting.default) : setting.read.written(value);
    return { name, value: shown, origin: config.origins?.[name] ?? (shown === undefined ? "not set" : "default") };
  });
  const secrets = (Object.keys(SECRETS) as SecretName[]).map((name) => {
    const { variable } = SECRETS[name];
    const length = config[name]?.length;
    const shown = length === undefined ? undefined : `${length} characters`;
    return { name: variable, value: shown, origin: config.origins?.[variable] ?? "not set" };
  });
  const { rules } = config.choices;
  return [...settings, ...rulesInForce(rules, config.origins?.["rules"] ?? "option"), ...secrets];
}

/** Settings that follow from other things where nobody said them. */
const DERIVED: Readonly<Partial<Record<SettingName, (config: Config) => string>>> = {
  environment: (config) => config.environment,
  state_dir: (config) => config.stateDir,
  no_color: (config) => String(!config.color),
  log_level: (config) => config.logLevel,
};
