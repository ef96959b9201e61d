/** What is said about cells that a spreadsheet changed, and numbers written as in one: see `row-sentences.ts`. */
export const SPREADSHEET_SENTENCES = {
  number_not_text: {
    sentence: "{value} is stored as a number, which has no leading zeros; {thing} must be text",
    hint: "Select the column, choose Data > Text to Columns and Text, then compare it with the original.",
  },
  number_digits_lost: {
    sentence: "{value} is stored as a number of {found} digits, and Excel keeps only {more}: the last ones are lost",
    hint: "Format the column as Text, and type it again from the original.",
  },
  percentage: {
    sentence: "{value} is a percentage, for which the workbook holds {found}",
    hint: "Format the column as a number without %, and write {thing} again.",
  },
  shown_rounded: {
    sentence: "the workbook holds {value}, which goes out; the sheet shows it as {found}",
    hint: "Show all decimals of the column, and correct the amount if what the sheet showed is meant.",
  },
  shown_otherwise: {
    sentence: "the workbook holds {value}, which goes out; the sheet shows it by the format {found}",
    hint: "Format the column as a number with all its decimals, and correct {thing} if it is not what you meant.",
  },
  shown_in_currency: {
    sentence: "the workbook holds {value}, which goes out as it is; the sheet shows it in another currency, {found}",
    hint: "Nothing is converted: write the amount in rupees if it is in another currency; if it is in rupees, mend the format of the column.",
  },
  date_as_text: {
    sentence: "the cell holds a date, which goes out as {value}, however the sheet shows it",
    hint: "To send other words, format the column as Text, and type them again.",
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
    hint: "Type it again without the decimals, with the column formatted as Text.",
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
  decimal_comma: { sentence: "{value} has a decimal comma", hint: "Write a point before the decimals." },
  currency_sign: { sentence: "{value} has a currency sign", hint: "Write the number alone." },
  amount_other_currency: {
    sentence: "{value} is an amount in another currency than rupees",
    hint: "Write the number alone, in rupees, or in the currency of the column currency where one is sent.",
  },
  in_parentheses: {
    sentence: "{value} is in parentheses, which bookkeeping reads as a negative amount",
    hint: "Write the amount without them, or delete the row.",
  },
  has_sign: { sentence: "{value} has a sign", hint: "Write it without a sign, or delete the row." },
  space_inside: { sentence: "{value} has {found} in it", hint: "Take the space away." },
  foreign_digits: { sentence: "{value} has digits other than 0 to 9", hint: "Type it with the digits 0 to 9." },
  leading_zeros: { sentence: "{value} begins with a zero", hint: "Write it without leading zeros." },
  bare_point: {
    sentence: "{value} has a point without digits on both sides",
    hint: "Write digits before and after the point, or no point.",
  },
  not_a_number: {
    sentence: "{value} is not a number",
    hint: "Write {thing} alone, with the digits 0 to 9 and at most one point.",
  },
} as const satisfies Record<string, { sentence: string; hint: string }>;
