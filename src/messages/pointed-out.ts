import { q } from "./row-faults.ts";
import type { Sentence } from "./sentence.ts";

const WITH_ORIGINAL = "Compare it with the original.";

/** What a person should look at, though the row goes, by code. */
export const POINTED_OUT = {
  // how the file was read
  no_line_end: { text: "this last row has no line end", todo: "Make sure that the file was copied completely." },
  sheet_read: { text: "the sheet {sheet} was read, not {others}" },
  title_above: { text: "the header is row {header}; what stands above it was not read" },
  rows_hidden: { text: "CAREFUL: {rows:row} ({which}) hidden in the sheet: read like all others" },
  account_length: q("has {found} digits; other accounts of this bank here have {usual}", "Zeros in front may be gone."),
  account_is_mobile: q("is the mobile number of this row, too", "Write the account number."),
  account_is_debit: q("is the account that pays, too", "Correct one of the two accounts."),
  amount_like_account: q("is a large amount beside a short account; have the two changed places?", WITH_ORIGINAL),
  amount_unusual: q("is about {times} times the middle amount of this file, {middle}", "Look for a digit too many."),
  payee_twice: q("stands in row {other}, too", "Delete one of the rows unless both are meant."),
  ifsc_of_banks: q("stands beside two bank names: here and in row {other}", "Look up the branch code of both."),
  shown_otherwise: q('goes out as it is stored, in rupees; its cell shows "{shown}"', "Correct it if that is meant."),

  // of the whole file
  compared_in_part: {
    text: "the file has more than {most} payees or branch codes; the others were not looked for a second time",
    todo: "Look up yourself whether a payee stands twice.",
  },
  taken_before: {
    text: "this file was taken on {day} as batch {batch}; its rows are told as they stand there",
    todo: "Nothing goes twice. The next run sends what did not go.",
  },
  says_when: {
    text: "{columns} say when or whether a row is to be paid; rows on hold, paid, cancelled or of a later day are held",
    todo: 'If a column means something else: own_columns = ["{name}"] in paydrop.toml.',
  },
} as const satisfies Readonly<Record<string, Sentence>>;

export type PointedOutCode = keyof typeof POINTED_OUT;
