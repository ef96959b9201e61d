/** What real life does to cells and bytes. Everything is drawn from the dice, so that a seed makes the same file again. */
import type { Dice } from "./random.ts";

/** What stands in a cell instead of its value. */
const NASTY: readonly string[] = [
  ...["1.23457E+11", "9.0010000000011E+13", "90010000000011.0", "#####", "#REF!", "#N/A", "=A1", "=1+1", '="00123"'],
  ...["NULL", "null", "N/A", "-", "--", "TBD", "XXXX1234", "1234****5678", "e.g. 12345678", "<account number>", "\\N"],
  ...['"', "''", "do", "-do-", "same as above", "as above", "तदैव", "HOLD", "Cash", "by cheque", "closed", "TOTAL"],
  ...["-100", "(100)", "100 Cr", "Cr 100", "100-", "−100", "₹100", "Rs. 100/-", "INR 100", "1,00,000.00", "1.000,00"],
  ...["1e3", "1E+3", "0", "0.00", "00100", "100.", ".5", "100.001", "1,5", "100 000", "NaN", "Infinity", "0x10", "+5"],
  ...[
    "99999999999999999999",
    "9007199254740993",
    "999999999999999.99",
    "0.0000001",
    "9".repeat(400),
    "1".repeat(70_000),
  ],
  ...["2026-11-27", "27/11/2026", "02-Jan", "Nov-26", "45988", "1899-12-31", "2026-13-45", "31.02.2027", "tomorrow"],
  ...[
    "a\u0000b",
    "a\u0007b",
    "\u001b[31mred\u001b[0m",
    "\u202e001",
    "1\u200b2",
    "\ufeff",
    "\ud800",
    "a\u0085b",
    "\t",
    " ",
  ],
  ...["😀", "👩‍👩‍👧", "१२३४", "１２３４５", "é", "e\u0301", "ﬁ", "ß", "Ｏ", "100\u00a0", "\u00a0", "\u3000"],
  ...["=cmd|'/c calc'!A1", "@SUM(1)", "+91 98000 00001", "-1+1", "'100", "'=1", "%s%n", "../../etc/passwd", "${HOME}"],
  ...[
    "<b>x</b>",
    "&amp;",
    "]]>",
    "--flag",
    "true",
    "FALSE",
    "[object Object]",
    "__proto__",
    "constructor",
    "undefined",
  ],
  ...[
    "90010000000011 / 90010000000012",
    "TRLB0100237",
    "asha@demobank",
    "asha.verma@staff.example",
    "ACC-OPS-01",
    "a\nb",
  ],
  ...["Paid", "cancelled", "on hold", "resigned", "", "", "", "end of file", "grand total", "Signature: ______"],
];

const AROUND: readonly ((text: string) => string)[] = [
  (text) => ` ${text} `,
  (text) => `\u00a0${text}`,
  (text) => `'${text}`,
  (text) => `"${text}"`,
  (text) => `="${text}"`,
  (text) => `-${text}`,
  (text) => `(${text})`,
  (text) => `${text} Cr`,
  (text) => `₹${text}`,
  (text) => `${text}.0`,
  (text) => `00${text}`,
  (text) => `${text}${text}`,
  (text) => `${text}/${text}`,
  (text) => `${text}\u200b`,
  (text) => text.slice(0, -1),
  (text) => text.slice(1),
  (text) => text.toLowerCase(),
  (text) => text.toUpperCase(),
  (text) => text.replace(/\d/, "O"),
  (text) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (text) => text.replaceAll(/\B(?=(?:\d{4})+$)/g, " "),
  (text) => text.replaceAll(/\B(?=(?:\d{3})+(?:\.|$))/g, ","),
  (text) => (/^\d+(?:\.\d+)?$/.test(text) ? Number(text).toExponential() : text),
  (text) => Array.from(text).reverse().join(""),
  (text) => text.replace(".", ","),
];

export function damagedCell(text: string, dice: Dice): string {
  return dice.is(0.5) ? dice.pick(NASTY) : dice.pick(AROUND)(text);
}

/** Names that columns have elsewhere, and names that nobody has. */
const NAMES: readonly string[] = [
  ...[
    "amount",
    "Amt",
    "Net Pay",
    "account number",
    "bank_acc_num",
    "IFSC",
    "reference",
    "period",
    "value_date",
    "status",
  ],
  ...["hold", "operation", "currency", "vpa", "UPI ID", "to_account", "from_account", "name", "retry_of", "notes", ""],
  ...[
    "result_status",
    "result_row",
    "__proto__",
    "a\nb",
    "amount ",
    "AMOUNT",
    "amuont",
    "to account",
    "=1",
    "90010000000011",
  ],
];

export function damagedName(name: string, dice: Dice): string {
  return dice.is(0.6) ? dice.pick(NAMES) : dice.pick(AROUND)(name);
}

/** A whole table of cells, as a person or a program changes it. The first row is the header. */
export function damageTable(rows: string[][], dice: Dice): void {
  const [header = []] = rows;
  const [column, other] = [dice.below(header.length || 1), dice.below(header.length || 1)];
  const [row, another] = [dice.below(rows.length), dice.below(rows.length)];
  const each = (change: (cells: string[]) => void): void => rows.forEach(change);
  const below = (): number => 1 + dice.below(Math.max(1, rows.length - 1));
  const acts: readonly (() => unknown)[] = [
    // cells most of all
    ...Array<() => unknown>(30).fill(() => changeCell(rows[below()], dice)),
    () => rows.slice(1).forEach((cells) => (cells[column] = damagedCell(cells[column] ?? "", dice))),
    () => each((cells) => cells.splice(other, 0, ...cells.splice(column, 1))),
    () => (header[column] = damagedName(header[column] ?? "", dice)),
    () => each((cells) => cells.splice(column, 0, cells[column] ?? "")),
    () => each((cells) => cells.splice(column, 1)),
    () => rows.slice(1).forEach((cells) => cells.splice(column, 1)),
    () => rows.splice(below(), 0, [...(rows[below()] ?? [])]),
    () => rows.splice(row, 1),
    () => ([rows[row], rows[another]] = [rows[another] ?? [], rows[row] ?? []]),
    () => rows.unshift(["Salary register", ...header.slice(1).map(() => "")]),
    () =>
      rows.splice(
        below(),
        0,
        header.map(() => ""),
      ),
    () => rows.push(header.map((_, at) => (at === 0 ? "Total" : at === column ? "12345.00" : ""))),
    () => rows.push([...header]),
    () => rows.push(["*** end of file ***"]),
    () => each((cells) => cells.push(dice.pick(["", "x", "2026-11"]))),
    () => rows[below()]?.push(dice.pick(["", "x"])),
    () => rows[below()]?.pop(),
    () => rows.reverse(),
  ];
  dice.pick(acts)();
}

function changeCell(cells: string[] | undefined, dice: Dice): void {
  if (!cells || cells.length === 0) return;
  const at = dice.below(cells.length);
  cells[at] = damagedCell(cells[at] ?? "", dice);
}

/** Bytes that were cut, turned, doubled or exchanged on their way. */
export function damageBytes(bytes: Buffer, dice: Dice): Buffer {
  const at = dice.below(bytes.length + 1);
  const length = dice.pick([1, 1, 2, 10, 100, bytes.length]);
  const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at + length)];
  const acts: readonly (() => Buffer)[] = [
    () => before,
    () => bytes.subarray(at),
    () => Buffer.concat([before, after]),
    () => Buffer.concat([before, piece, piece, after]),
    () => Buffer.concat([before, Buffer.from(piece).reverse(), after]),
    () => Buffer.concat([before, Buffer.alloc(dice.pick([1, 3, 500])), bytes.subarray(at)]),
    () =>
      Buffer.concat([
        before,
        Buffer.from(dice.pick(['"', ",", ";", "\n", "\r", "\t", "{", "]", "\\", "'", "=", "\u2028"])),
        bytes.subarray(at),
      ]),
    () => Buffer.from(bytes.map((byte) => (dice.is(3 / (bytes.length + 1)) ? byte ^ (1 << dice.below(8)) : byte))),
    () =>
      Buffer.from(
        bytes
          .toString("latin1")
          .replaceAll(
            dice.pick(['"', ",", ";", "\n", ":", " ", "0", "."]),
            dice.pick(["", ",", ";", "\t", "\r\n", "'", "|"]),
          ),
        "latin1",
      ),
    () => Buffer.concat([bytes, bytes]),
  ];
  return dice.pick(acts)();
}
