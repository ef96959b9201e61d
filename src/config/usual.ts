import { NO_LIMIT, SETTINGS, SETTING_NAMES, type Setting, type SettingName, type SettingValues } from "./settings.ts";

/** Settings whose default is a value. */
type Defaulted = {
  [K in SettingName]: (typeof SETTINGS)[K] extends { readonly default: infer Text extends string }
    ? Text extends typeof NO_LIMIT
      ? never
      : K
    : never;
}[SettingName];

/**
 * What holds where nobody says otherwise, for a command and for a call of the library alike: the defaults that `--help`
 * and the README show, read as a person's own words are. Durations are milliseconds.
 */
export const USUAL = Object.freeze(Object.fromEntries(SETTING_NAMES.flatMap(defaultOf))) as Readonly<
  Required<Pick<SettingValues, Defaulted>>
>;

function defaultOf(name: SettingName): [string, unknown][] {
  const setting: Setting<unknown> = SETTINGS[name];
  return setting.default === undefined || setting.default === NO_LIMIT ? [] : [[name, setting.read(setting.default)]];
}
