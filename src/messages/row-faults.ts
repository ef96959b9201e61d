import type { FieldFacts } from "../operations/operation.ts";
import { filled, type Facts, type Sentence } from "./sentence.ts";

/** What a column holds, or what a value looks like (the facts `thing` and `looks`), and how it is written. */
const THINGS: Readonly<Record<string, readonly [name: string, form: string]>> = {
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
};

export type Thing =
  "number" | "text" | "name" | "id" | Exclude<FieldFacts["shape"] | FieldFacts["kind"], "currency" | undefined>;

function said(text: string): (facts: Facts) => string {
  return (facts) => {
    const [thing, form] = THINGS[String(facts["thing"])] ?? [];
    const [looks] = THINGS[String(facts["looks"])] ?? [];
    return filled(text, { ...facts, thing, form, looks, quoted: `"${facts["value"]}"` });
  };
}

/** A sentence that begins with the value in quotes. */
export function q(text: string, todo: Sentence["todo"] & {}): Sentence {
  return { text: said(`{quoted} ${text}`), todo };
}

const AS_TEXT = "Format the column as Text and type the cell again from the original.";
const FROM_ORIGINAL = "Compare it with the original and write it again.";
const RETYPE = "Type the cell again, on one line, instead of pasting it.";
const ONE_KIND = "Fill in the cells of one kind only: a registered beneficiary, or a bank account.";

/** What a line is that stands among or under the payments and is none: the fact `what`. */
export const NO_PAYMENTS: Readonly<Record<string, string>> = {
  total: "a total",
  remark: "a remark",
  signature: "for names or signatures",
  end_marks: "only end-of-file marks of an old program",
  header: "the names of the columns once more",
};

/** Why a row is invalid, by code. */
export const ROW_FAULTS = {
  // the row
  key_repeated: { text: 'the key "{key}" stands twice in this row', todo: "Keep one of the two." },
  operation_unclear: {
    text: ({ value }) =>
      value === "" ? "the row does not say its operation" : `"${value}" is no operation of this file`,
    todo: "Write one of these words, or move the row to a file of its own: {known}.",
  },
  option_both: { text: "the row has fields of both kinds of payout: {filled}", todo: ONE_KIND },
  option_neither: { text: "the row says nobody to pay: {fields} are empty", todo: ONE_KIND },
  no_payment: {
    text: ({ what }) => `this line is ${NO_PAYMENTS[String(what)] ?? ""}, no payment`,
    todo: "Delete this line. The other rows are not affected.",
  },

  // a column mapping
  paise_with_point: q("has a point, and the mapping says that amounts are paise", "Correct the cell, or the mapping."),
  value_not_mapped: {
    text: said("the mapping does not know {quoted}; it knows: {known}"),
    todo: "Correct the cell, or add the value to the mapping in paydrop.toml.",
  },
  value_not_taken: {
    text: ({ taken, found }) =>
      `${found === "empty" ? "this cell is empty; " : ""}the mapping takes only ${taken} here`,
    todo: ({ taken, found }) =>
      found === "empty"
        ? `If this row is a total or a remark, delete it. If it is a payment, write ${taken}.`
        : "Pay the row another way, or correct the cell.",
  },
  lookup_missing: q("is not in the table {table}", "Add a line for it to the table, or correct the cell."),
  lookup_ambiguous: q("stands in the table {table} with different values", "Keep one of its lines in the table."),
  column_not_confirmed: {
    text: "only this row has this column; the mapping does not know it",
    todo: "Take it out of the row, or confirm the columns again with paydrop map.",
  },

  // any cell
  value_missing: { text: "this cell is empty, and {field} is required", todo: "Fill it in." },
  hidden_character: {
    text: ({ value, found }) =>
      `"${value}" has ${CONTROLS[String(found)] ?? `an invisible character (${found})`} in it`,
    todo: RETYPE,
  },
  broken_character: q("has letters that were lost earlier", "Type the cell again, and save the file as CSV UTF-8."),
  id_not_ascii: q("has a character in it ({found}) that is on no English keyboard", RETYPE),
  json_nested: { text: said("an object or a list stands here, not {thing}"), todo: "Write one text or number." },
  placeholder: q("is what is written where a value is missing", "Fill in the real value, or leave the cell empty."),
  ditto_mark: q("is a ditto mark", "Write the value itself, as in the row above."),
  digits_hidden: q("is {thing} with hidden digits", "Write all of its digits, from the original."),
  other_value: q("is {looks}, not {thing}", "Put each value into its own column."),
  malformed: q("has {found} characters; {thing} is {form}", FROM_ORIGINAL),

  // who is paid
  account_word: q("stands where {thing} belongs", "Write {field}. If the row is not to be paid now, take it out."),
  word_beside: q("has a word beside the number", "Write the number alone."),
  two_values: q("holds two numbers", "Write the one that is to be used."),
  letter_in_number: q("has a letter among its digits, such as O for 0", FROM_ORIGINAL),

  // what a spreadsheet made of it
  number_not_text: q("is {thing} stored as a number: zeros in front, or digits after the 15th, are lost", AS_TEXT),
  scientific_notation: q("is {thing} that Excel rounded; its digits are lost", AS_TEXT),
  made_a_date: q("is a date that Excel made of {thing}", AS_TEXT),
  spreadsheet_error: {
    text: ({ value }) =>
      /^#+$/.test(String(value))
        ? `Excel saved ${value} because the column was too narrow`
        : `"${value}" is an error of the spreadsheet`,
    todo: ({ value }) => (/^#+$/.test(String(value)) ? "Widen the column and save again." : "Repair the formula."),
  },
  true_or_false: q("is a yes or no, not {thing}", "Write {field} instead."),
  formula_as_text: q("is a formula, or a number kept as text, not {thing}", "Write the value alone, without = and '."),

  // numbers
  not_a_number: q("is not written as {thing}: {form}", ({ thing, plain }) => {
    const todo = plain === undefined ? "Write it so." : `Write ${plain}.`;
    return thing === "amount" ? `${todo} If all amounts have separators, set amount_format in paydrop.toml.` : todo;
  }),
  amount_not_positive: q("is not more than zero", "Correct the amount, or delete the row."),
  amount_too_many_digits: q("has {found} digits; at most {most} are allowed", "Correct the amount."),
  amount_too_many_decimals: q("has {found} digits after the point; at most {most} are allowed", "Round the amount."),
  amount_over_cap: q("is more than {most}, the most for one row", "Correct it, or have max_per_row raised."),
  currency_other: q(
    "is not INR; only the amount is sent, as rupees",
    'Pay the row another way. If the column says nothing of the amount: own_columns = ["{name}"] in paydrop.toml.',
  ),

  // rules of the settings
  value_not_allowed: q("is not allowed here; allowed: {known}", "Write one of them, or change [rules]."),
  pattern_differs: q("does not have the form {found}", "Correct it. The form is set by [rules] in paydrop.toml."),
  value_too_long: q("has {found} characters; at most {most} are allowed", "Shorten it."),
  value_too_short: q("has {found} characters; at least {least} are needed", FROM_ORIGINAL),

  // columns that are not sent
  period_malformed: q("is not a period", "Write a month (2026-11), a week (2026-W47) or a day (2026-11-27)."),
  retry_of_malformed: q("is not what a retry file has here, such as K7Q29F3M:14", "Empty the cell, if the row is new."),

  // held, not invalid
  not_now: q("says that the row is not to be paid now", "Nothing to do if that is right. Otherwise release the row."),
} as const satisfies Readonly<Record<string, Sentence>>;

const CONTROLS: Readonly<Record<string, string>> = {
  "U+000A": "a line break",
  "U+000D": "a line break",
  "U+0009": "a tab",
};

export type RowFaultCode = keyof typeof ROW_FAULTS;
