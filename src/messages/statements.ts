import { flag, led, onFile } from "./commands.ts";
import type { Catalogue, Sentence } from "./sentence.ts";

const AGAIN = "Download the statement from the bank again, and use it as it came.";
const OR_DELETE = `${AGAIN} If this line is a sum or a remark, delete it.`;

/** What the file of a bank's statement is refused for. */
export const STATEMENT_FAULTS = {
  statement_unknown: ({ columns }) => [
    `${columns === undefined ? "no line at its top names columns of a statement that paydrop knows" : "these columns are of no statement that paydrop knows: {columns}"}
      → Download the statement again with all of its columns, as CSV or Excel (.xlsx). Banks that paydrop knows: {banks}. For another bank, whoever runs paydrop confirms the columns once.`,
    led("To confirm them", onFile("map")),
  ],
  statement_sheets: "more than one sheet holds a statement: {sheets} → Save each sheet as a file of its own.",
  statement_accounts: `a line of another account stands here; above are lines of one account
    → Download a statement of each account by itself.`,
  statement_day: `no day stands here, and the line has an amount → ${OR_DELETE} A day is written as 27/11/2026.`,
  statement_day_order: [
    `this date is {one} or {other}, and nothing in the file tells which
      → Compare one day with the bank's own page. A statement with a day after the 12th tells it by itself.`,
    led("Or say what comes first", flag({ dates: "day-first" })),
  ],
  statement_days_mixed: `the day comes first in some dates of this file and the month in others; a spreadsheet does so when it saves a CSV
    → ${AGAIN}`,
  statement_amount: `this is no amount → ${OR_DELETE} An amount is written as {example}.`,
  statement_amount_missing: `the line has a day, and no amount → ${OR_DELETE}`,
  statement_side: `neither DR nor CR stands here → ${OR_DELETE}`,
  statement_amounts_two: `the line has both a debit and a credit → ${OR_DELETE}`,
} as const satisfies Catalogue;

/** What a statement says when it is read by a layout that was only proposed. */
export const READ_SO: Sentence =
  "read so: {debits:debit} of {out}, {credits:credit} of {into}. Compare them with the bank's own sums";
