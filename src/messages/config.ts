import { ofKind, type Sentence } from "./sentence.ts";

/** What may be wrong with one setting, one rule or one mapping. All that is wrong is told at once. */
export const SETTING_FAULTS = {
  value: { text: "{place}: {shown} is not {right}" },
  missing: { text: "{place} is missing", todo: "write {right}" },
  unknown_key: { text: '{place}: there is no "{key}"', todo: "{advice}" },
  once_key: { text: "{place} is a person's word for one run", todo: "give it with that run: {flag}" },
  secret_key: {
    text: "{place} does not belong here",
    todo: "a settings file is copied, mailed and checked in; keys are PAYDROP_API_KEY, PAYDROP_AES_KEY, PAYDROP_AES_IV, each also with _FILE",
  },
  unknown_variable: { text: "{variable} is not a setting and has no effect", todo: "did you mean {meant}?" },
  sandbox_variable: {
    text: "PAYDROP_SANDBOX is set, but only the flag --sandbox chooses the sandbox",
    todo: "add the flag, or unset the variable",
  },
  mapping_option: { text: "{place}: a {operation} has no options", todo: "remove the line option" },
  mapping_twice: { text: '{place}: "{twice}" has two places', todo: "leave it one column, constant or lookup table" },
  mapping_incomplete: {
    text: "{place}: nothing gives {missing}",
    todo: "name a column for each under columns (an amount has no other way), one value under constants, or a table under lookup",
  },
  mapping_unit: {
    text: '{place}: the column "{column}" says {unit}, amount_unit says {amountUnit}',
    todo: 'write amount_unit = "{unit}", or map another column',
  },
} as const satisfies Readonly<Record<string, Sentence>>;

export const CONFIG_ERRORS = {
  ...ofKind("config", {
    settings_wrong: { text: "{wrong}", todo: "Correct it and run again. Nothing was sent." },
    settings_open: {
      text: "{path} may be written by others than its owner: whoever can change it can redirect payments",
      todo: "Take that right from them: chmod go-w {word}",
    },
    settings_unreadable: {
      text: "{path}: {why}",
      todo: "Check --config or PAYDROP_CONFIG. Is HOME that of another user?",
    },
    settings_broken: {
      text: "{path}: line {line}, column {column}: {what}",
      todo: 'A line reads key = value, with texts in quotes: timeout = "90s"',
    },
    settings_in_inbox: {
      text: "the settings file {path} lies in the inbox {inbox}",
      todo: "Keep them apart: whoever drops files must not reach the settings. Nothing was sent.",
    },
    tls_off: {
      text: "NODE_TLS_REJECT_UNAUTHORIZED=0 is set: anybody on the way could read the key and change payments",
      todo: "Unset it. To trust a certificate of your own, set PAYDROP_CA_FILE.",
    },
    no_home: {
      text: "this user has no home folder (HOME), so the memory of what was sent has no place",
      todo: "Name a folder that is kept: --state-dir or PAYDROP_STATE_DIR.",
    },
    missing_for_sending: {
      text: "missing: {missing}",
      todo: "Set them (each key also as …_FILE with a path). To try without any: paydrop run --sandbox FILE",
    },
    lookup_no_column: {
      text: "the lookup table {name} has no column {column}",
      todo: "It has {has}.",
    },
    lookup_not_text: {
      text: "the lookup table {name} holds something other than text in row {row}, column {column}",
      todo: "Format its columns as Text and type the values again, or save it as CSV UTF-8.",
    },
    secret_both: { text: "{variable} and {variable}_FILE are both set", todo: "Unset one of the two." },
    secret_file_open: {
      text: "the file of {origin} may be written by others than its owner",
      todo: "Take that right from them: chmod go-w {word}",
    },
    secret_file_unreadable: {
      text: "{origin} leads to no file that can be read ({why}); what stands in it is not repeated, it may be a key",
      todo: "Put the path of a file in it that this user may read. The key itself belongs in the variable without _FILE.",
    },
    secret_wrong: {
      text: "{what} {wrong}",
      todo: "Copy the key again from the service's dashboard, as plain text.",
    },
  }),
  ...ofKind("usage", {
    lost_journal_by: { text: "--accept-lost-journal needs the name of a person", todo: "Add --by NAME." },
    mapping_unnamed: {
      text: 'there is no mapping "{name}" in paydrop.toml',
      todo: "--mapping may be {names}.",
    },
  }),
} as const;
