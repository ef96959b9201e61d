import { ROW_SENTENCES } from "./row-sentences.ts";
import { SPREADSHEET_SENTENCES } from "./spreadsheet-sentences.ts";

/** What is pointed out when a file is compared with itself and with what came before; it stops nothing. */
const SECOND_LOOK = {
  payee_twice: {
    sentence: "{value} stands in row {found} too, with another {more}",
    hint: "Delete one of the rows unless both are meant.",
  },
  amount_unusual: {
    sentence: "{value} is {found} times the middle amount of this file, {more}",
    hint: "Look for a digit too many or a lost decimal point.",
  },
  account_new: {
    sentence: "{value} is a new account for this name; until now it was {found} ({more})",
    hint: "Ask the payee on a number that you know before you send it.",
  },
  zeros_lost: {
    sentence: "{value} looks like an account whose zeros in front are gone: {found} ({more}) begins with them",
    hint: "Set the column to Text, write the whole number again, and save the file.",
  },
  retry_of_malformed: {
    sentence: "{value} is not what a retry file has here, such as K7Q29F3M:14; the row is taken as one of its own",
    hint: "Take the cell from the retry file, or leave it empty for a row that corrects none.",
  },
  retry_of_unknown: {
    sentence: "{value} names no row that was taken in here; the row is taken as one of its own",
    hint: "Take the cell from the retry file, or leave it empty for a row that corrects none.",
  },
} as const satisfies Record<string, { sentence: string; hint: string }>;

type SecondLookCode = keyof typeof SECOND_LOOK;

/** What makes a row invalid because of the row that it corrects; it cannot be seen in the row alone. */
const CORRECTED = {
  zeros_gone: {
    sentence: "{value} lacks the {found} that {more}, which it corrects, has in front of it",
    hint: "Set the column to Text, write the whole number again, and save the file; if it has no such zeros, empty the cell of retry_of.",
  },
  retry_of_operation: {
    sentence: "{value}, the row that this one corrects, is {found}",
    hint: "Move the file to the folder {more}, or state that operation; a row that corrects none has nothing in retry_of.",
  },
} as const satisfies Record<string, { sentence: string; hint: string }>;

const ROW_FAULTS = { ...ROW_SENTENCES, ...SPREADSHEET_SENTENCES };

const ALL = { ...ROW_FAULTS, ...SECOND_LOOK, ...CORRECTED };

type RowFaultCode = keyof typeof ROW_FAULTS;

/** Every code that a row can be invalid for. */
export const ROW_FAULT_CODES: readonly RowFaultCode[] = Object.keys(ROW_FAULTS) as RowFaultCode[];

/** Every code of what is found only when a file is compared with itself and with what came before. */
export const SECOND_LOOK_CODES: readonly (SecondLookCode | keyof typeof CORRECTED)[] = [
  ...(Object.keys(SECOND_LOOK) as SecondLookCode[]),
  ...(Object.keys(CORRECTED) as (keyof typeof CORRECTED)[]),
];

/**
 * What a check found wrong with a text. `found`, `more`: what the sentence says about it; `plain`: what was probably
 * meant; `setting`: the setting by which the text would be read so.
 */
export interface Finding {
  readonly code: RowFaultCode | SecondLookCode | keyof typeof CORRECTED;
  readonly found?: string;
  readonly more?: string;
  readonly plain?: string;
  readonly setting?: string;
}

/** The words for the place of a finding. `value`: as it may be shown, without quotes. */
interface Wording {
  readonly value?: string;
  readonly thing?: string;
  readonly field?: string;
}

/** The message and the hint of a finding. */
export function say(finding: Finding, wording: Wording): { message: string; hint: string } {
  const { sentence, hint } = ALL[finding.code];
  const parts: Readonly<Record<string, string | undefined>> = {
    value: wording.value === undefined ? undefined : `"${wording.value}"`,
    thing: wording.thing,
    field: wording.field,
    found: finding.found,
    more: finding.more,
  };
  const fill = (text: string): string =>
    text.replace(/\{(value|thing|field|found|more)\}/g, (_, name: string) => parts[name] ?? "");
  const setting =
    finding.setting === undefined ? "" : ` If all amounts are written so: ${finding.setting} in paydrop.toml.`;
  return {
    message: fill(sentence),
    hint: (finding.plain === undefined ? fill(hint) : `Write ${finding.plain}.`) + setting,
  };
}
