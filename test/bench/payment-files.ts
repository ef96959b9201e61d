import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { formatOf } from "./formats.ts";

export const KINDS = ["payouts-b", "payouts-a", "transfers", "loans", "collections"] as const;
export type Kind = (typeof KINDS)[number];

export const FORMATS = ["csv", "json", "jsonl"] as const;
export type Format = (typeof FORMATS)[number];

/** The value of operation in paydrop's words, and whether its payload travels encrypted. */
export const OPERATION_OF: Readonly<Record<Kind, string>> = {
  "payouts-b": "payout",
  "payouts-a": "payout",
  transfers: "transfer",
  loans: "loan",
  collections: "collection",
};

export const PATH_OF: Readonly<Record<Kind, string>> = {
  "payouts-b": "/v1/tech/product/payouts/pay",
  "payouts-a": "/v1/tech/product/payouts/pay",
  transfers: "/v1/banking/transfer",
  loans: "/v1/lending/loan/apply",
  collections: "/v1/upi/collect",
};

/** These are JSON numbers in the payload; all other fields are texts. */
export const NUMBERS: ReadonlySet<string> = new Set(["amount", "bene_bank_id", "tenure", "expiry"]);

export interface FileWish {
  readonly folder: string;
  readonly kind: Kind;
  readonly rows: number;
  readonly format?: Format;
  /** Rows of two files with other series have nothing in common. */
  readonly series?: number;
  /** Without its extension; by itself it says what is in it. */
  readonly name?: string;
  /** Every so-manieth row repeats the one before it. */
  readonly repeatEvery?: number;
}

/** Writes a file of valid rows, each another payment, a block at a time; gives its path. */
export function makeFile(wish: FileWish): string {
  const { folder, kind, rows, format = "csv", series = 0, repeatEvery = Infinity } = wish;
  const path = join(folder, `${wish.name ?? `${kind}-${rows}-${series}`}.${format}`);
  const file = openSync(path, "w", 0o600);
  const { head, line, between, tail } = formatOf(format, COLUMNS[kind], NUMBERS);
  let block = head;
  for (let index = 0; index < rows; index += 1) {
    const payment = index > 0 && index % repeatEvery === 0 ? index - 1 : index;
    block += `${index === 0 ? "" : between}${line(cellsOf(kind, payment + series * SERIES))}`;
    if (block.length < BLOCK_CHARACTERS) continue;
    writeSync(file, block);
    block = "";
  }
  writeSync(file, block + tail);
  closeSync(file);
  return path;
}

const SERIES = 10_000_000;
const BLOCK_CHARACTERS = 1 << 20;

const COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  "payouts-b": [
    ...["debit_account_id", "name", "mobile", "email", "bank_id", "bank_acc_num", "ifsc_code", "bank_owner_name"],
    ...["amount", "payment_mode", "narration", "purpose", "notes"],
  ],
  "payouts-a": [
    ...["debit_account_id", "bene_id", "bene_bank_id", "amount", "payment_mode", "narration", "purpose", "notes"],
  ],
  transfers: ["from_account", "to_account", "amount"],
  loans: ["borrower_id", "amount", "tenure"],
  collections: ["amount", "currency", "vpa", "expiry"],
};

const FIRST = ["Asha", "Ravi", "Meera", "Imran", "Divya", "Karan", "Leela", "Nikhil", "Priya", "Suresh", "Zoya"];
const LAST = ["Verma", "Iyer", "Khan", "Das", "Patel", "Reddy", "Nair", "Bose", "Shah"];

function cellsOf(kind: Kind, nth: number): readonly string[] {
  const amount = `${100 + (nth % 89_900)}.${String(nth % 100).padStart(2, "0")}`;
  switch (kind) {
    case "payouts-b": {
      const [first = "", last = ""] = [FIRST[nth % FIRST.length], LAST[nth % LAST.length]];
      const name = `${first} ${last}`;
      return [
        ...["ACC-OPS-01", name, `98${digits(nth, 8)}`, `${first.toLowerCase()}.${nth}@example.com`, "EXMB"],
        ...[`009${digits(nth, 12)}`, `EXMB0${digits(nth % 1000, 6)}`, name],
        ...[amount, "NEFT", `Salary ${digits(nth, 8)}`, "salary", "November, second half"],
      ];
    }
    case "payouts-a":
      return [
        ...["ACC-OPS-01", `BENE-${digits(nth, 10)}`, String(1000 + (nth % 9000)), amount],
        ...["IMPS", `Payout ${digits(nth, 8)}`, "vendor", "invoice"],
      ];
    case "transfers":
      return ["002200110033", `009${digits(nth, 12)}`, amount];
    case "loans":
      return [`BORROWER-${digits(nth, 10)}`, amount, String(6 + (nth % 60))];
    case "collections":
      return [amount, "INR", `shop.${digits(nth, 9)}@examplebank`, "3600"];
    default:
      return kind satisfies never;
  }
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, "0");
}
