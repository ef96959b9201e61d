/**
 * What a row's faults say to a payroll clerk: one sentence and one thing to do per code. `{value}` is the cell as it
 * may be shown, in quotes; `{thing}` what the column holds; `{found}` and `{more}` what the check adds. Where a check
 * knows the plain number, the hint becomes "Write 52250.00."
 */
const SENTENCES = {
  // the row
  key_repeated: {
    sentence: "the key {found} stands twice in this row",
    hint: "Keep one of the two.",
  },
  operation_contradicted: {
    sentence: "the row says {value}, but the file is for {found}",
    hint: "Move the row to a file of its own operation, or correct the cell.",
  },
  operation_unknown_word: {
    sentence: "{value} is none of {found}",
    hint: "Write one of these words.",
  },
  operation_cell_empty: {
    sentence: "the row does not say its operation",
    hint: "Write {found} in the cell.",
  },
  option_both: {
    sentence: "the row has fields of both kinds of payout: {found}",
    hint: "Empty the cells of one kind: either a registered beneficiary, or a bank account.",
  },
  option_neither: {
    sentence: "the row names no beneficiary: {found} are all empty",
    hint: "Fill in the fields of one kind: either a registered beneficiary, or a bank account.",
  },
  totals_row: {
    sentence: "this looks like a totals row ({value}), not like {found}",
    hint: "Delete the totals row, and give the total with --expect-total or in a control file.",
  },
  example_row: {
    sentence: "this is an example row of a template: it still says EXAMPLE",
    hint: "Delete the row, or replace every value that says EXAMPLE.",
  },

  // a column mapping
  paise_with_point: {
    sentence: "{value} has a point, and the mapping says that amounts are paise, which have none",
    hint: "Correct the cell; if the file is in rupees, its mapping is wrong: confirm it anew with paydrop map.",
  },
  value_not_mapped: {
    sentence: "{value} is none of the values that the mapping translates ({found})",
    hint: "Correct the cell, or add the value to the mapping in paydrop.toml.",
  },
  value_not_taken: {
    sentence: "{value} stands here, and rows of this mapping must have {found}",
    hint: "Take the row out and pay it another way, or correct the cell.",
  },
  lookup_missing: {
    sentence: "{value} is not in the lookup table {found}",
    hint: "Add a line for it to the table, or correct the cell.",
  },
  lookup_ambiguous: {
    sentence: "{value} stands more than once in the lookup table {found}, with different values",
    hint: "Keep one of its lines in the table, or look up by a column that tells them apart.",
  },
  column_not_confirmed: {
    sentence: "only this row has a column of this name, which the mapping does not know",
    hint: "Take it out of the row, or confirm the columns anew with paydrop map.",
  },

  // any cell
  value_missing: {
    sentence: "there is no value, and {field} is required",
    hint: "Fill it in.",
  },
  control_character: {
    sentence: "{value} has {found} in it",
    hint: "Delete it: type the cell again on one line.",
  },
  hidden_character: {
    sentence: "{value} has an invisible character in it ({found})",
    hint: "Type the cell again instead of pasting it.",
  },
  broken_character: {
    sentence: "{value} has a character that was damaged earlier ({found})",
    hint: "Type the cell again, and save the file as CSV UTF-8.",
  },
  json_number_for_text: {
    sentence: "{value} is a JSON number, and {thing} is text",
    hint: 'Write it in quotes, as in {"{field}": "0123"}: numbers lose leading zeros and long digits.',
  },
  json_boolean: {
    sentence: "{value} is true or false in JSON, not {thing}",
    hint: "Write the value itself.",
  },
  json_nested: {
    sentence: "the value is a JSON object or array, not {thing}",
    hint: "Write one text or number.",
  },

  json_exponent: {
    sentence: "{value} is a number with an exponent, and {thing} goes out with the digits of the file",
    hint: "Write all of its digits, without an exponent.",
  },

  // what spreadsheets do
  number_not_text: {
    sentence: "{value} is stored as a number, which has no leading zeros; {thing} must be text",
    hint: "Select the column, choose Data > Text to Columns and Text, then compare it with the original.",
  },
  number_digits_lost: {
    sentence: "{value} is stored as a number of {found} digits, and Excel keeps only {more}: the last ones are lost",
    hint: "Format the column as Text, and type it again from the original.",
  },
  not_calculated: {
    sentence: "the cell holds a formula that has no value",
    hint: "Open the workbook in Excel, let it calculate, and save it again.",
  },
  scientific_notation: {
    sentence: "{value} is {thing} that Excel rounded; the digits are gone",
    hint: "Type it again with the column formatted as Text.",
  },
  digits_lost: {
    sentence: "{value} has {found} digits, of which only zeros follow the 15th: Excel keeps no more than 15",
    hint: "Compare it with the original; if digits are lost, type it again with the column formatted as Text.",
  },
  decimals_added: {
    sentence: "{value} is {thing} that was turned into a decimal number",
    hint: "Type it again without the point, with the column formatted as Text.",
  },
  made_a_date: {
    sentence: "{value} looks like a date that Excel made of {thing}",
    hint: "Type it again with the column formatted as Text.",
  },
  spreadsheet_error: {
    sentence: "{value} is an error of the spreadsheet, not {thing}",
    hint: "Repair the formula, and save the file again.",
  },
  true_or_false: {
    sentence: "{value} is a yes/no value of the spreadsheet, not {thing}",
    hint: "Type {thing} instead.",
  },
  leading_apostrophe: {
    sentence: "{value} begins with an apostrophe",
    hint: "Take the apostrophe away; in the spreadsheet, format the column as Text instead.",
  },
  formula_as_text: {
    sentence: "{value} is a formula, not {thing}",
    hint: "Write the plain value, without = and quotes.",
  },
  thousands_separator: {
    sentence: "{value} has a thousands separator",
    hint: "Write it without separators, with a point before the decimals.",
  },
  decimal_point: {
    sentence: "{value} has a point, and the settings say that a comma stands before the decimals",
    hint: "Write a comma before the decimals, or set decimal_sign in paydrop.toml.",
  },
  decimal_comma: {
    sentence: "{value} has a decimal comma",
    hint: "Write a point before the decimals.",
  },
  currency_sign: {
    sentence: "{value} has a currency sign",
    hint: "Write the number alone.",
  },
  in_parentheses: {
    sentence: "{value} is in parentheses, which bookkeeping reads as a negative amount",
    hint: "Write the amount without them, or delete the row.",
  },
  has_sign: {
    sentence: "{value} has a sign",
    hint: "Write it without a sign, or delete the row.",
  },
  space_inside: {
    sentence: "{value} has {found} in it",
    hint: "Take the space away.",
  },
  foreign_digits: {
    sentence: "{value} has digits other than 0 to 9",
    hint: "Type it with the digits 0 to 9.",
  },
  leading_zeros: {
    sentence: "{value} begins with a zero",
    hint: "Write it without leading zeros.",
  },
  bare_point: {
    sentence: "{value} has a point without digits on both sides",
    hint: "Write digits before and after the point, or no point.",
  },
  not_a_number: {
    sentence: "{value} is not a number",
    hint: "Write {thing} with the digits 0 to 9 and at most one point.",
  },

  // limits and shapes
  amount_not_positive: {
    sentence: "{value} is not more than zero",
    hint: "Correct the amount, or delete the row.",
  },
  amount_too_many_digits: {
    sentence: "{value} has {found} digits; at most {more} are allowed",
    hint: "Correct the amount.",
  },
  amount_too_many_decimals: {
    sentence: "{value} has {found} digits after the point; at most {more} are allowed",
    hint: "Round the amount; if the point separates thousands, take it away.",
  },
  number_not_whole: {
    sentence: "{value} is not a whole number",
    hint: "Write it without a point.",
  },
  date_for_number: {
    sentence: "{value} looks like a date, and {field} is a whole number",
    hint: "Write a whole number; if Excel made a date of it, type it again with the column formatted as Text.",
  },
  number_too_many_digits: {
    sentence: "{value} has {found} digits; at most {more} are allowed",
    hint: "Correct the number.",
  },
  ifsc_malformed: {
    sentence: "{value} {found}; an IFSC is 4 letters, a zero, 6 letters or digits",
    hint: "Look up the branch code on the cheque or passbook.",
  },

  // rules of the settings
  value_not_allowed: {
    sentence: "{value} is none of the values that are allowed here: {found}",
    hint: "Write one of them exactly, or add it to [rules] in paydrop.toml.",
  },
  pattern_differs: {
    sentence: "{value} does not have the form {found}",
    hint: "Correct it; the form is set by [rules] in paydrop.toml.",
  },
  value_too_long: {
    sentence: "{value} has {found} characters; at most {more} are allowed",
    hint: "Shorten it.",
  },
  value_not_in_list: {
    sentence: "{value} is not in the list of known values",
    hint: "Compare it with the original, or add it to the list.",
  },
  amount_over_cap: {
    sentence: "{value} is more than {more}, the most that one row may have",
    hint: "Correct the amount, or have max_per_row raised in paydrop.toml.",
  },

  // columns that are not sent
  reference_not_ascii: {
    sentence: "{value} has characters other than plain letters, digits and signs",
    hint: "Write the reference with the characters of an English keyboard.",
  },
  reference_too_long: {
    sentence: "{value} has {found} characters; a reference has at most {more}",
    hint: "Write a shorter reference.",
  },
  period_malformed: {
    sentence: "{value} is not a period: letters, digits and -, at most 20",
    hint: "Write it like 2026-11.",
  },
} as const satisfies Record<string, { sentence: string; hint: string }>;

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

export type SecondLookCode = keyof typeof SECOND_LOOK;

const ALL = { ...SENTENCES, ...SECOND_LOOK };

export type RowFaultCode = keyof typeof SENTENCES;

/** Every code that a row can be invalid for. */
export const ROW_FAULT_CODES: readonly RowFaultCode[] = Object.keys(SENTENCES) as RowFaultCode[];

/** What a check found wrong with a text. `plain`: the number that was probably meant; `setting`: what would read it so. */
export interface Finding {
  readonly code: RowFaultCode | SecondLookCode;
  readonly found?: string;
  readonly more?: string;
  readonly plain?: string;
  readonly setting?: string;
}

/** How the place of a finding is spoken of. `value` as it may be shown, without quotes. */
export interface Wording {
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
