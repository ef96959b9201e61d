/**
 * What a row's faults say to a payroll clerk: one sentence and one thing to do per code. `{value}` is the cell as it
 * may be shown, in quotes; `{thing}` what the column holds; `{found}` and `{more}` what the check adds. Where a check
 * knows the plain number, the hint becomes "Write 52250.00."
 */
export const ROW_SENTENCES = {
  // the row
  key_repeated: { sentence: "the key {found} stands twice in this row", hint: "Keep one of the two." },
  operation_contradicted: {
    sentence: "the row says {value}, but the file is for {found}",
    hint: "Move the row to a file of its own operation, or correct the cell.",
  },
  operation_unknown_word: { sentence: "{value} is none of {found}", hint: "Write one of these words." },
  operation_cell_empty: { sentence: "the row does not say its operation", hint: "Write {found} in the cell." },
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
    hint: "Delete the row: it is no payment.",
  },
  header_again: {
    sentence: "the names of the columns stand here once more, as where two files were put together",
    hint: "Delete the row, unless what stands below it belongs to another file.",
  },
  cells_shifted: {
    sentence:
      "from here on the cells seem to stand one column too far to the right, as where a {found} outside quotes cuts a cell in two",
    hint: "Put the cell with the {found} in double quotes, and delete the empty cell at the end; if all is in its place, delete the empty cells and the space that the cell begins with.",
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
  value_missing: { sentence: "there is no value, and {field} is required", hint: "Fill it in." },
  control_character: { sentence: "{value} has {found} in it", hint: "Delete it: type the cell again on one line." },
  hidden_character: {
    sentence: "{value} has an invisible character in it ({found})",
    hint: "Type the cell again instead of pasting it.",
  },
  broken_character: {
    sentence: "{value} has a character that was damaged earlier ({found})",
    hint: "Type the cell again, and save the file as CSV UTF-8.",
  },
  letters_garbled: {
    sentence: "{value} seems to have been opened in a wrong encoding and saved so, with {found}",
    hint: 'Compare it with the original, and write it again; save the file from its original as "CSV UTF-8".',
  },
  json_number_for_text: {
    sentence: "{value} is a JSON number, and {thing} is text",
    hint: 'Write it in quotes, as in {"{field}": "0123"}: numbers lose leading zeros and long digits.',
  },
  json_boolean: { sentence: "{value} is true or false in JSON, not {thing}", hint: "Write the value itself." },
  json_nested: { sentence: "the value is a JSON object or array, not {thing}", hint: "Write one text or number." },
  json_exponent: {
    sentence: "{value} is a number with an exponent, and {thing} goes out with the digits of the file",
    hint: "Write all of its digits, without an exponent.",
  },

  // limits and shapes
  currency_other: {
    sentence: "{value} is not INR, and this column does not go with a {found}: only the amount would",
    hint: 'Take the row out and pay it another way, or correct the cell; if the column says nothing of the amount, list it in paydrop.toml: own_columns = ["{more}"].',
  },
  amount_cut: {
    sentence: "{value} and {found} behind it look like one amount, cut in two at a comma outside quotes",
    hint: "Write {more} in one cell; if {value} is the amount, write its decimals too, as in 100.00.",
  },
  amount_not_positive: { sentence: "{value} is not more than zero", hint: "Correct the amount, or delete the row." },
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
    hint: "Write {thing} as a whole number, in the unit that the service expects.",
  },
  date_for_number: {
    sentence: "{value} looks like a date, and {field} is a whole number",
    hint: "Write a whole number; if Excel made a date of it, type it again with the column formatted as Text.",
  },
  number_too_many_digits: {
    sentence: "{value} has {found} digits; at most {more} are allowed",
    hint: "Correct the number.",
  },
  id_not_ascii: {
    sentence: "{value} has a character in it ({found}) that is on no English keyboard",
    hint: "Type the cell again instead of pasting it, with the characters of an English keyboard.",
  },
  placeholder: {
    sentence: "{value} is what is written where a value is missing",
    hint: "Fill in the real value; where there is none, leave the cell empty.",
  },
  digits_hidden: {
    sentence: "{value} is {thing} of which some characters are hidden",
    hint: "Write all of them, from the original.",
  },
  vpa_malformed: {
    sentence: "{value} is not written like a payment address, as in name@bank",
    hint: "Compare it with the original: the service is sent what stands there.",
  },
  currency_malformed: {
    sentence: "{value} is not written like a currency, as in INR: three letters",
    hint: "Write its three letters, or leave the cell empty for INR: the service is sent what stands there.",
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
  value_too_long: { sentence: "{value} has {found} characters; at most {more} are allowed", hint: "Shorten it." },
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
    sentence:
      "{value} is not a period: letters, digits and -, at most 20, and a month, week, quarter or day that there is",
    hint: "Write it like 2026-11, a week like 2026-W47.",
  },
  period_says_no_time: {
    sentence: "{value} says nothing of when: by it the next payment looks like this one",
    hint: "Write a month like 2026-11, a week like 2026-W47.",
  },
  period_a_date: {
    sentence: "{value} is a date of the spreadsheet, not a period",
    hint: "Write it like 2026-11, a week like 2026-W47, with the column formatted as Text.",
  },
} as const satisfies Record<string, { sentence: string; hint: string }>;
