import { normalizeName } from "../column-name.ts";
import { mappingNamed, type AmountUnit, type Lookup, type Mapping } from "../config/mapping.ts";
import { PaydropError } from "../errors.ts";
import type { Fault } from "../messages/sentence.ts";
import type { OperationName } from "../operations/index.ts";
import { quotedNames } from "../printable.ts";
import { cellWords, completeOperations, LEFT_OUT, type LookupTable } from "./columns.ts";
import type { Cell, Row, Table } from "./row.ts";
import { looksLikeValues } from "./lines.ts";

/**
 * The mapping that a file is read by; undefined: its columns have our own names. A mapping is for exactly the columns
 * that a person confirmed; for any other file that looks like one of another system a fault asks a person. `names`: the
 * header, or the keys of the first JSON row; `wanted`: `--mapping`, a name or `none`. Throws PaydropError `usage` for a
 * `--mapping` that does not exist.
 */
export function chooseMapping(
  names: readonly string[],
  mappings: readonly Mapping[],
  wanted: string | undefined,
): Mapping | Fault | undefined {
  if (wanted === "none") return undefined;
  const said = wanted === undefined ? undefined : mappingNamed(wanted, mappings);
  if (said && !sameHeader(said.header, names)) return differs(said, names);
  const [only, ...others] = said ? [said] : mappings.filter((mapping) => sameHeader(mapping.header, names));
  const complete = completeOperations(names);
  const template = templateOf(names);
  if (only && others.length > 0) return ambiguous([only, ...others]);
  if (only && template && template.amountUnit !== only.amountUnit) return wrongUnit(only, template);
  // columns of our own names, whose amounts the mapping reads in another unit: a guess may be wrong ×100
  if (only && !said && complete.length > 0 && only.amountUnit !== "rupees") return ambiguous([only], only.amountUnit);
  if (only) return only;
  const near = nearestMapping(names, mappings, complete);
  if (near) return differs(near, names);
  if (template) return { code: "mapping_unconfirmed", facts: { title: template.title } };
  return looksLikeValues(names) ? { code: "header_missing" } : undefined;
}

/** The columns that make up a header: neither nameless ones nor those that a retry file adds. */
export function headerOf(names: readonly string[]): readonly string[] {
  return names.filter((name) => !LEFT_OUT.has(normalizeName(name)));
}

export function sameHeader(confirmed: readonly string[], names: readonly string[]): boolean {
  const [left, right] = [normalSet(confirmed), normalSet(names)];
  return left.size === right.size && left.isSubsetOf(right);
}

function normalSet(names: readonly string[]): ReadonlySet<string> {
  return new Set(headerOf(names).map(normalizeName));
}

/**
 * The mapping that shares most columns with the file: more than half of the mapping's, and of the file's. A mapping of
 * rupees is left out where the file is complete for its operation in our own names: both mean the same.
 */
function nearestMapping(names: readonly string[], mappings: readonly Mapping[], complete: readonly OperationName[]) {
  const there = normalSet(names);
  const near = mappings.flatMap((mapping) => {
    if (mapping.amountUnit === "rupees" && complete.includes(mapping.operation)) return [];
    const confirmed = normalSet(mapping.header);
    const share = confirmed.intersection(there).size / Math.max(confirmed.size, there.size);
    return share > 0.5 ? [{ mapping, share }] : [];
  });
  return near.sort((left, right) => right.share - left.share)[0]?.mapping;
}

function ambiguous(mappings: readonly Mapping[], unit?: AmountUnit): Fault {
  const names = mappings.map(({ name }) => name);
  return { code: "mapping_ambiguous", facts: { names: names.join(" and "), unit } };
}

/** The columns are a published template whose amounts have another unit than the mapping says: wrong ×100. */
function wrongUnit({ name, amountUnit: said }: Mapping, { title, amountUnit: unit }: Template): Fault {
  const factor = said === "rupees" ? "a hundred times too much" : "a hundredth of it";
  return { code: "mapping_unit", facts: { title, name, said, unit, factor } };
}

function differs({ name, header }: Mapping, names: readonly string[]): Fault {
  const lacking = (from: readonly string[], in_: readonly string[]): string => {
    const there = normalSet(in_);
    const some = headerOf(from).filter((column) => !there.has(normalizeName(column)));
    const more = some.length - NAMES_SHOWN;
    return `${quotedNames(some.slice(0, NAMES_SHOWN))}${more > 0 ? ` and ${more} more` : ""}`;
  };
  return { code: "mapping_differs", facts: { name, missing: lacking(header, names), added: lacking(names, header) } };
}

const NAMES_SHOWN = 5;

/**
 * Reads a whole lookup table into memory. `name`: of its file. Throws PaydropError `config` for a column that it lacks and
 * a value that is no text; FileRefusedError for a broken file.
 */
export async function readLookup(table: Table, lookup: Lookup, name: string): Promise<LookupTable> {
  const lines = new Map<string, readonly Cell[] | "ambiguous">();
  for await (const page of table.rows()) {
    for (const row of page) {
      const cellOf = (column: string): Cell => lookupCell(row, column, name, table.reading.format === "xlsx");
      const key = cellWords(cellOf(lookup.key));
      if (key === "") continue;
      const values = Object.values(lookup.fields).map(cellOf);
      const before = lines.get(key);
      const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(values);
      lines.set(key, isSame ? values : "ambiguous");
    }
  }
  return lines;
}

function lookupCell(row: Row, column: string, name: string, isWorkbook: boolean): Cell {
  const at = row.columns.findIndex((one) => normalizeName(one) === normalizeName(column));
  const facts = { name, row: row.number, column: quotedNames([column]) };
  if (at < 0) throw new PaydropError("lookup_no_column", { ...facts, has: quotedNames(row.columns) });
  const cell = row.cells[at] ?? "";
  // an account number stored as a number has no leading zeros
  if (typeof cell !== "string" && isWorkbook) throw new PaydropError("lookup_not_text", facts);
  return typeof cell === "string" || cell.token === "null" ? cellWords(cell) : cell;
}

/**
 * A published template of another payout service: which of its columns can be read as our fields, and in plain words
 * what cannot be. `paydrop map` proposes a mapping from it; none is ever applied before a person confirmed it.
 */
export interface Template {
  readonly name: string;
  readonly title: string;
  readonly option: NonNullable<Mapping["option"]>;
  readonly amountUnit: AmountUnit;
  /** Every known header of the template. */
  readonly headers: readonly (readonly string[])[];
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly mustBe: Readonly<Record<string, readonly string[]>>;
  /** Columns that name the payee, the surest first: a table of the user's gives the fields of option A by it. */
  readonly lookupBy?: readonly string[];
  /** What cannot be mapped, and what a person must add. */
  readonly limits: readonly string[];
}

const NO_CURRENCY = "a currency other than INR is a fault: amounts are sent as rupees, nothing is converted";
const NO_UPI = "rows with a UPI id are faults: the service shows no payout to a UPI id";
const RAZORPAYX = [
  "RazorpayX Account Number names an account at RazorpayX: state your own with --const debit_account_id=…",
  "Fund Account Id (fa_…) is known to RazorpayX alone: such rows are faults",
  NO_UPI,
  NO_CURRENCY,
];
const IN_RUPEES = { amountUnit: "rupees", limits: RAZORPAYX } as const;
const IN_PAISE = { amountUnit: "paise", limits: RAZORPAYX } as const;
const CASHFREE = [
  "the template names no account to debit: state yours with --const debit_account_id=…",
  "beneId is known to Cashfree alone: such rows are faults",
  NO_UPI,
];
const NO_DEBIT = "the template names no account to debit and no payment mode of ours: state them with --const";
const WISE = { amountUnit: "rupees", limits: [NO_DEBIT, NO_CURRENCY] } as const;
/** Services that know their payees by an id, an e-mail address or a phone. */
const OF_IDS = {
  amountUnit: "rupees",
  limits: [
    "the file holds no bank account: keep a table payees.csv beside paydrop.toml that gives bene_id and bene_bank_id for each payee",
    NO_DEBIT,
    NO_CURRENCY,
  ],
} as const;

/**
 * A template, made of its headers: each column with the fields that it is read as (`=one+another`), or with all that may
 * stand in it (`:INR|`, and `:` alone is nothing).
 */
function template(
  facts: Omit<Template, "option" | "headers" | "columns" | "mustBe">,
  lines: readonly string[],
): Template {
  const headers = lines.map((line) => line.split(","));
  const told = (sign: "=" | ":", between: string): Template["columns"] => {
    const marked = headers.flat().filter((cell) => cell.includes(sign));
    const pairs = marked.map((cell) => cell.split(sign)).map(([column = "", of = ""]) => [column, of.split(between)]);
    return Object.fromEntries(pairs) as Template["columns"];
  };
  return {
    ...facts,
    option: facts.lookupBy ? "A" : "B",
    headers: headers.map((header) => header.map((cell) => cell.replace(/[=:].*/, ""))),
    columns: told("=", "+"),
    mustBe: told(":", "|"),
  };
}

export const TEMPLATES: readonly Template[] = [
  template({ name: "razorpayx", title: "RazorpayX Bulk Payouts, amounts in rupees", ...IN_RUPEES }, [
    "RazorpayX Account Number,Payout Amount (in Rupees)=amount,Payout Currency:INR,Payout Mode=payment_mode,Payout Purpose=purpose,Fund Account Id:,Fund Account Type:bank_account,Fund Account Name=bank_owner_name,Fund Account Ifsc=ifsc_code,Fund Account Number=bank_acc_num,Fund Account Vpa:,Fund Account Phone Number,Contact Name=name,Payout Narration=narration,Payout Reference Id=reference,Fund Account Email,Contact Type,Contact Email=email,Contact Mobile=mobile,Contact Reference Id,notes[place],notes[code]",
  ]),
  template(
    { name: "razorpayx-paise", title: "RazorpayX Bulk Payouts, the older one with amounts in paise", ...IN_PAISE },
    [
      "RazorpayX Account Number,Payout Amount=amount,Payout Currency:INR,Payout Mode=payment_mode,Payout Purpose=purpose,Payout Narration=narration,Payout Reference Id=reference,Fund Account Id:,Fund Account Type:bank_account,Fund Account Name=bank_owner_name,Fund Account Ifsc=ifsc_code,Fund Account Number=bank_acc_num,Fund Account Vpa:,Contact Type,Contact Name=name,Contact Email=email,Contact Mobile=mobile,Contact Reference Id,notes[place],notes[code]",
    ],
  ),
  template({ name: "cashfree", title: "Cashfree Batch Transfer", amountUnit: "rupees", limits: CASHFREE }, [
    "transferId=reference,amount=amount,beneId:,transferMode=payment_mode,bankAccount=bank_acc_num,ifsc=ifsc_code,vpa:,name=name+bank_owner_name,email=email,phone=mobile,remarks=narration",
  ]),
  template({ name: "wise", title: "Wise batch payments", ...OF_IDS, lookupBy: ["recipientId", "recipientEmail"] }, [
    "recipientId,name,account,sourceCurrency:INR,targetCurrency:INR|,amountCurrency:source|target,amount=amount,paymentReference=narration",
    "name,recipientEmail,amount=amount,sourceCurrency:INR,targetCurrency:INR|,amountCurrency:source|target,type",
  ]),
  template({ name: "wise-accounts", title: "Wise batch payments to bank accounts", ...WISE }, [
    "name=name+bank_owner_name,recipientEmail=email,paymentReference=narration,receiverType,amountCurrency:source|target,amount=amount,sourceCurrency:INR,targetCurrency:INR|,ifscCode=ifsc_code,accountNumber=bank_acc_num",
  ]),
  // its customer id is the payee's, the same one every month: it tells no payment from another
  template({ name: "paypal", title: "PayPal Payouts", ...OF_IDS, lookupBy: ["recipient"] }, [
    "recipient,amount=amount,currency:INR,customer id,note=narration,wallet,social feed privacy",
  ]),
  template({ name: "phee", title: "Payment Hub EE bulk file", ...OF_IDS, lookupBy: ["payee_identifier"] }, [
    "id,request_id=reference,payment_mode,payer_identifier_type,payer_identifier,payee_identifier_type,payee_identifier,amount=amount,currency:INR,note=narration,account_number,program_shortcode,cycle,payee_dfsp_id,batch_id",
  ]),
];

/** The share of a template's columns that a header must have to be taken for that template. */
const SHARE_MIN = 0.7;

/**
 * The template that a header is, or nearly is. Two templates of one service may differ in little more than the amount's
 * unit, so the header must have the template's own amount column.
 */
export function templateOf(columns: readonly string[]): Template | undefined {
  const names = new Set(columns.map(normalizeName).filter(Boolean));
  const found = TEMPLATES.flatMap((one) => {
    const amount = Object.keys(one.columns).find((column) => one.columns[column]?.includes("amount")) ?? "";
    return one.headers.map((header) => {
      const published = new Set(header.map(normalizeName));
      const shared = names.has(normalizeName(amount)) ? published.intersection(names).size / published.size : 0;
      return { template: one, shared, rest: names.difference(published).size };
    });
  }).filter(({ shared }) => shared >= SHARE_MIN);
  return found.sort((left, right) => right.shared - left.shared || left.rest - right.rest)[0]?.template;
}
