import { led, release, typed } from "./commands.ts";
import type { Catalogue, Facts } from "./sentence.ts";

/** What a column holds, or what a value looks like (the facts `thing` and `looks`), and how it is written. */
const THINGS = {
  amount: ["an amount", "digits with at most one point, such as 1250.50"],
  whole: ["a whole number", "digits alone"],
  number: ["a number", "digits alone"],
  text: ["text", "letters and digits"],
  name: ["a name", "letters"],
  account: ["an account number", "6 to 34 letters and digits, at least 4 of them digits"],
  ifsc: ["an IFSC", "4 letters, a zero, and 6 letters or digits"],
  id: ["an id", "letters, digits and plain signs"],
  vpa: ["a UPI id", "name@bank"],
  mobile: ["a mobile number", "digits"],
  email: ["an e-mail address", "name@host"],
} as const satisfies Readonly<Record<string, Form>>;

type Form = readonly [name: string, form: string];
export type Thing = keyof typeof THINGS;

/** What a line is that stands among or under the payments and is none: the fact `what`. */
const NO_PAYMENTS: Readonly<Record<string, string>> = {
  total: "a total",
  remark: "a remark",
  signature: "for names or signatures",
  dashes: "only dashes",
  end_marks: "only end-of-file marks of an old program",
  header: "the names of the columns once more",
};

/** Facts that are codes, in the words of a sentence. */
export function inWords({ thing, looks, what }: Facts): Facts {
  const things: Readonly<Record<string, Form | undefined>> = THINGS;
  const [name = thing, form] = things[String(thing)] ?? [];
  const [likeness = looks] = things[String(looks)] ?? [];
  const the = String(name).replace(/^an? /, "the ");
  return { thing: name, the, form, looks: likeness, what: NO_PAYMENTS[String(what)] ?? what };
}

const AS_TEXT = "Format the column as Text and type the cell again from the original.";
const FROM_ORIGINAL = "Compare it with the original and write it again.";
const RETYPE = "Type the cell again, on one line, instead of pasting it.";
const ONE_KIND = "Fill in the cells of one kind only: a registered beneficiary, or a bank account.";
const isNarrow = (value: Facts[string]): boolean => /^#+$/.test(String(value));

const CONTROLS: Facts = { "U+000A": "a line break", "U+000D": "a line break", "U+0009": "a tab" };

export const ROW_FAULTS = {
  // the row
  key_repeated: `the key "{key}" stands twice in this row
    → Keep the right one of the two in your own file. The retry file leaves this row out.`,
  still_as_it_was: `it was invalid before ({other}), and the row is as it was
    → Correct what was wrong there. If the row is right as it stands, empty its retry_of.`,
  operation_unclear: ({ value }) =>
    `${value === "" ? "the row does not say its operation" : '"{value}" is no operation of this file'}
      → Write one of these words, or move the row to a file of its own: {known}.`,
  option_both: `the row has fields of both kinds of payout: {filled} → ${ONE_KIND}`,
  option_neither: `the row says nobody to pay: {fields} are empty → ${ONE_KIND}`,
  no_payment: "this line is {what}, no payment → Delete this line. The other rows are not affected.",

  // a column mapping
  paise_with_point: '"{value}" has a point, but the mapping counts paise → Correct the cell, or the mapping.',
  value_not_mapped: 'the mapping knows {known}, not "{value}" → Correct the cell, or add it to the mapping.',
  value_not_taken: ({ found }) =>
    found === "empty"
      ? `this cell is empty; the mapping takes only {taken} here
          → If this row is a total or a remark, delete it. If it is a payment, write {taken}.`
      : "the mapping takes only {taken} here → Pay the row another way, or correct the cell.",
  lookup_missing: '"{value}" is not in the table {table} → Add a line for it to the table, or correct the cell.',
  lookup_ambiguous: '"{value}" stands in the table {table} with different values → Keep one of its lines in the table.',
  column_not_confirmed: [
    "only this row has this column; the mapping does not know it → Take it out of the row.",
    led("If it belongs there, confirm the columns again", typed("map", {}, "FILE")),
  ],

  // any cell
  value_missing: "this cell is empty, and {field} is required → Fill it in.",
  hidden_character: ({ found }) =>
    `"{value}" has ${CONTROLS[String(found)] ?? "an invisible character ({found})"} in it → ${RETYPE}`,
  broken_character: '"{value}" has letters that were lost earlier → Type it again, and save as CSV UTF-8.',
  id_not_ascii: `"{value}" has a character in it ({found}) that is on no English keyboard → ${RETYPE}`,
  merged_cell: `"{value}" is one cell over several rows or columns: nobody can say whether each of them gets all of it
    → Undo "Merge cells" in Excel, and write in each row what is its own.`,
  json_nested: "an object or a list stands here, not {thing} → Write one text or number.",
  placeholder: ({ required }) =>
    `"{value}" stands for a missing value → Fill in the real value${required ? "" : ", or leave the cell empty"}.`,
  ditto_mark: '"{value}" is a ditto mark → Write the value itself, as in the row above.',
  digits_hidden: '"{value}" is {thing} with hidden digits → Write all of its digits, from the original.',
  other_value: '"{value}" is {looks}, not {thing} → Put each value into its own column.',
  malformed: `"{value}" has {found:character}; {thing} is {form} → ${FROM_ORIGINAL}`,

  // who is paid
  account_word: '"{value}" stands where {thing} belongs → Write {the}. If the row is not to be paid now, delete it.',
  word_beside: '"{value}" has a word beside the number → Write the number alone.',
  two_values: '"{value}" holds two numbers → Write the one that is to be used.',
  letter_in_number: `"{value}" has a letter among its digits, such as O for 0 → ${FROM_ORIGINAL}`,

  // what a spreadsheet made of it
  number_not_text: (facts) =>
    `"{value}" is {thing} stored as a number: zeros in front, or digits after the 15th, are lost
      → ${facts["in"] === "json" ? "Put it in quotes, with all its digits from the original." : AS_TEXT}`,
  scientific_notation: `"{value}" is {thing} that Excel rounded; its digits are lost → ${AS_TEXT}`,
  made_a_date: `"{value}" is a date that Excel made of {thing} → ${AS_TEXT}`,
  spreadsheet_error: ({ value }) =>
    isNarrow(value)
      ? "Excel saved {value} because the column was too narrow → Widen the column and save again."
      : '"{value}" is an error of the spreadsheet → Repair the formula.',
  true_or_false: '"{value}" is a yes or no, not {thing} → Write {the} instead.',
  formula_as_text: `"{value}" is a formula, or a number kept as text, not {thing} → Write the value without = and '.`,

  // numbers
  point_thousands: ({ grouped, decimal }) =>
    `"{value}" has three digits behind its only sign: does it separate thousands?
      → Write ${String(grouped)} if it does${decimal === undefined ? ". If not, write at most two decimals" : `, ${String(decimal)} if not`}.`,
  not_a_number: ({ thing, plain }) => {
    if (thing === "whole")
      return `"{value}" is not a whole number → Write ${plain === undefined ? "a whole number: digits alone" : "{plain}"}.`;
    const todo = plain === undefined ? "Write it so." : "Write {plain}.";
    const ofAll = thing === "amount" ? " If all amounts have separators, set amount_format in paydrop.toml." : "";
    return `"{value}" is not written as {thing}: {form} → ${todo}${ofAll}`;
  },
  takes_back: `"{value}" is money back, and paydrop cannot take money back; the other rows of this payee wait
    → Take it off what this payee is paid: write one row with what is left. Without the sign it would be paid on top.`,
  amount_not_positive: '"{value}" is not more than zero → Correct the amount, or delete the row.',
  amount_too_many_digits: '"{value}" has {found:digit}; at most {most} are allowed → Correct the amount.',
  amount_too_many_decimals: '"{value}" has {found:decimal}; at most {most} are allowed → Round the amount.',
  amount_over_cap: '"{value}" is more than {most}, the most for one row → Correct it, or have max_per_row raised.',
  currency_other: `"{value}" is not INR; only the amount is sent, as rupees
    → Pay the row another way. If the column says nothing of the amount: own_columns = ["{name}"] in paydrop.toml.`,
  unit_other: `"{value}" says that the amount is not in {unit}; it is read as {unit}
    → Write the amount in {unit}. If the column says nothing of the amount: own_columns = ["{name}"] in paydrop.toml.`,
  paise_differ: `"{value}" is not the amount of this row in paise; only the amount is sent, as rupees
    → Correct one of the two. If the column says nothing of the amount: own_columns = ["{name}"] in paydrop.toml.`,

  // rules of the settings
  value_not_allowed: '"{value}" is not allowed here; allowed: {known} → Write one of them, or change [rules].',
  pattern_differs: ({ by }) =>
    `"{value}" does not have the form {found}
      → ${by === "operation" ? FROM_ORIGINAL : "Correct it. The form is set by [rules] in paydrop.toml."}`,
  value_too_long: '"{value}" has {found:character}; at most {most} are allowed → Shorten it.',
  value_too_short: `"{value}" has {found:character}; at least {least} are needed → ${FROM_ORIGINAL}`,

  // columns that are not sent
  period_malformed: '"{value}" is not a period → Write a month (2026-11), a week (2026-W47) or a day (2026-11-27).',
  retry_of_malformed: '"{value}" is not what a retry file has here, such as K7Q29F3M:14 → If the row is new, empty it.',

  // held, not invalid
  not_now: ({ says }) => {
    const what = { paid: "says that it is paid", no: "says that the row is not to be paid now" }[String(says)];
    return [
      `"{value}" ${what ?? "does not plainly say that the row is to be paid now"} → Nothing to do if that is right.`,
      led("If the row is to go now", release),
    ];
  },
} as const satisfies Catalogue;

export type RowFaultCode = keyof typeof ROW_FAULTS;

const WITH_ORIGINAL = "Compare it with the original.";

/** What a person should look at, though the row goes, by code. */
export const POINTED_OUT = {
  // how the file was read
  no_line_end: "this last row has no line end → Make sure that the file was copied completely.",
  sheet_read: "the sheet {sheet} was read, not {others}",
  title_above: "the header is row {header}; what stands above it was not read",
  sheets_hidden: ({ isRead }) =>
    isRead === 1
      ? "CAREFUL: the sheet {sheets} is hidden: it was read all the same"
      : "CAREFUL: {sheets} is hidden and has payments, too: it was not read → Unhide it and make a file of its own, if it is to be paid.",
  columns_hidden: "CAREFUL: hidden in the sheet, and read like all others: {columns}",
  rows_hidden: "CAREFUL: {rows:row} ({which}) hidden in the sheet: read like all others",
  account_rounded: `"{value}" ends in zeros from its 16th digit on: Excel keeps only 15 digits, and writes zeros for the others → ${WITH_ORIGINAL}`,
  counts_up: `"{value}" counts up by one from this row to row {last} ({rows:row}): did a spreadsheet count when it was filled down? → ${WITH_ORIGINAL}`,
  owners_differ: ({ slipped }) =>
    `the name and the account holder differ in {rows} of {all:row}${slipped ? "; most stand one row off" : ""} → ${slipped ? "Move the column back to its rows." : WITH_ORIGINAL}`,
  account_length: '"{value}" has {found} digits; others of this bank have {usual} → Zeros in front may be gone.',
  account_is_mobile: '"{value}" is the mobile number of this row, too → Write the account number.',
  account_is_debit: '"{value}" is the account that pays, too → Correct one of the two accounts.',
  account_is_amount: '"{value}" is the amount of this row, too → Write the account number, and check the amount.',
  account_like_mobile: `"{value}" looks like a mobile number, and the mobile is longer: did the two change places? → ${WITH_ORIGINAL}`,
  letters_garbled:
    '"{value}" has letters that were read wrongly, such as Ã© for é → Type it again, and save as CSV UTF-8.',
  amount_like_account: `"{value}" is large, and the account short: did the two change places? → ${WITH_ORIGINAL}`,
  amount_unusual: '"{value}" is about {times} times the middle amount here, {middle} → Look for an extra digit.',
  payee_twice: '"{value}" stands in row {other}, too → Delete one of the rows unless both are meant.',
  ifsc_of_banks: '"{value}" stands beside two bank names: here and in row {other} → Look up the branch code of both.',
  shown_otherwise: '"{value}" goes out, in rupees; its cell shows "{shown}" → Correct it if you mean what it shows.',

  // of the whole file
  // what to do is no todo: of what is said of a file in front of its numbers only the text is shown
  narrations_alike: ({ isSame }) =>
    `{column} ${isSame ? "is the same" : "begins with the same {kept} letters and digits, all that some banks keep,"} in all {rows:row}: a bank's statement may not tell them apart. Begin it with the employee or invoice number`,
  compared_in_part:
    "the file has more than {most} payees or branch codes; the others were not looked for a second time → Look up yourself whether a payee stands twice.",
  taken_before: `this file was taken on {day} as batch {batch}; its rows are told as they stand there
    → Nothing goes twice. The next run sends what did not go.`,
  says_when: ({ count }) =>
    `{columns} ${count === 1 ? "says" : "say"} when or whether a row is to be paid; rows of a later day, on hold, paid or unclear are held
      → If a column means something else: own_columns = ["{name}"] in paydrop.toml.`,
} as const satisfies Catalogue;

export type PointedOutCode = keyof typeof POINTED_OUT;
