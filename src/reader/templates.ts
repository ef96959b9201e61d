import { normalizeName } from "../column-name.ts";
import type { AmountUnit, Mapping } from "../config/mapping.ts";

/**
 * A published template of another payout service: which of its columns can be read as our fields, and in plain words
 * what cannot be. `paydrop map` proposes a mapping from it; none is ever applied before a person confirmed it.
 */
export interface Template {
  /** Usual name of the mapping. */
  readonly name: string;
  readonly title: string;
  /** Every known header of the template, with commas. */
  readonly headers: readonly string[];
  readonly operation: Mapping["operation"];
  readonly option: NonNullable<Mapping["option"]>;
  readonly amountUnit: AmountUnit;
  /** Column → our field, or several with a comma. */
  readonly columns: Readonly<Record<string, string>>;
  readonly mustBe: Readonly<Record<string, readonly string[]>>;
  /** Columns that name the payee, the surest first: a table of the user's gives the fields of option A by it. */
  readonly lookupBy?: readonly string[];
  /** What cannot be mapped, and what a person must add. */
  readonly limits: readonly string[];
}

const NO_CURRENCY = "a currency other than INR is a fault: amounts are sent as rupees, nothing is converted";
const NO_UPI = "rows with a UPI id are faults: the service shows no payout to a UPI id";
const SAY_DEBIT = "the template names no account to debit: state yours with --const debit_account_id=…";

/** Services that know their payees by an id, an e-mail address or a phone. */
const OF_IDS = {
  operation: "payout",
  option: "A",
  amountUnit: "rupees",
  limits: [
    "the file holds no bank account: keep a table payees.csv beside paydrop.toml that gives bene_id and bene_bank_id for each payee",
    "the template names no account to debit and no payment mode of ours: state them with --const",
    NO_CURRENCY,
  ],
} as const;

/** Two templates, which differ in the amount's column and unit. */
function razorpayx(amount: string, more: Pick<Template, "name" | "title" | "headers" | "amountUnit">): Template {
  return {
    ...more,
    operation: "payout",
    option: "B",
    columns: {
      ...{ [amount]: "amount", "Payout Mode": "payment_mode", "Payout Purpose": "purpose" },
      ...{ "Payout Narration": "narration", "Payout Reference Id": "reference", "Contact Name": "name" },
      ...{ "Fund Account Name": "bank_owner_name", "Fund Account Ifsc": "ifsc_code" },
      ...{ "Fund Account Number": "bank_acc_num", "Contact Email": "email", "Contact Mobile": "mobile" },
    },
    mustBe: {
      ...{ "Payout Currency": ["INR"], "Fund Account Id": [""], "Fund Account Vpa": [""] },
      "Fund Account Type": ["bank_account"],
    },
    limits: [
      "RazorpayX Account Number names an account at RazorpayX: state your own with --const debit_account_id=…",
      "Fund Account Id (fa_…) is known to RazorpayX alone: such rows are faults",
      NO_UPI,
      NO_CURRENCY,
    ],
  };
}

export const TEMPLATES: readonly Template[] = [
  razorpayx("Payout Amount (in Rupees)", {
    name: "razorpayx",
    title: "RazorpayX Bulk Payouts, amounts in rupees",
    headers: [
      "RazorpayX Account Number,Payout Amount (in Rupees),Payout Currency,Payout Mode,Payout Purpose,Fund Account Id,Fund Account Type,Fund Account Name,Fund Account Ifsc,Fund Account Number,Fund Account Vpa,Fund Account Phone Number,Contact Name,Payout Narration,Payout Reference Id,Fund Account Email,Contact Type,Contact Email,Contact Mobile,Contact Reference Id,notes[place],notes[code]",
    ],
    amountUnit: "rupees",
  }),
  razorpayx("Payout Amount", {
    name: "razorpayx-paise",
    title: "RazorpayX Bulk Payouts, the older one with amounts in paise",
    headers: [
      "RazorpayX Account Number,Payout Amount,Payout Currency,Payout Mode,Payout Purpose,Payout Narration,Payout Reference Id,Fund Account Id,Fund Account Type,Fund Account Name,Fund Account Ifsc,Fund Account Number,Fund Account Vpa,Contact Type,Contact Name,Contact Email,Contact Mobile,Contact Reference Id,notes[place],notes[code]",
    ],
    amountUnit: "paise",
  }),
  {
    name: "cashfree",
    title: "Cashfree Batch Transfer",
    headers: ["transferId,amount,beneId,transferMode,bankAccount,ifsc,vpa,name,email,phone,remarks"],
    operation: "payout",
    option: "B",
    amountUnit: "rupees",
    columns: {
      ...{ transferId: "reference", amount: "amount", transferMode: "payment_mode", bankAccount: "bank_acc_num" },
      ...{ ifsc: "ifsc_code", name: "name,bank_owner_name", email: "email", phone: "mobile", remarks: "narration" },
    },
    mustBe: { beneId: [""], vpa: [""] },
    limits: [SAY_DEBIT, "beneId is known to Cashfree alone: such rows are faults", NO_UPI],
  },
  {
    name: "wise",
    title: "Wise batch payments",
    headers: [
      "recipientId,name,account,sourceCurrency,targetCurrency,amountCurrency,amount,paymentReference",
      "name,recipientEmail,amount,sourceCurrency,targetCurrency,amountCurrency,type",
    ],
    ...OF_IDS,
    columns: { amount: "amount", paymentReference: "narration" },
    mustBe: { sourceCurrency: ["INR"], targetCurrency: ["INR", ""] },
    lookupBy: ["recipientId", "recipientEmail"],
  },
  {
    name: "paypal",
    title: "PayPal Payouts",
    headers: ["recipient,amount,currency,customer id,note,wallet,social feed privacy"],
    ...OF_IDS,
    columns: { amount: "amount", "customer id": "reference", note: "narration" },
    mustBe: { currency: ["INR"] },
    lookupBy: ["recipient"],
  },
  {
    name: "phee",
    title: "Payment Hub EE bulk file",
    headers: [
      "id,request_id,payment_mode,payer_identifier_type,payer_identifier,payee_identifier_type,payee_identifier,amount,currency,note,account_number,program_shortcode,cycle,payee_dfsp_id,batch_id",
    ],
    ...OF_IDS,
    columns: { request_id: "reference", amount: "amount", note: "narration" },
    mustBe: { currency: ["INR"] },
    lookupBy: ["payee_identifier"],
  },
];

/** The share of a template's columns that a header must have to be taken for that template. */
const SHARE_MIN = 0.7;

/**
 * The template that a header is, or nearly is. Two templates of one service may differ in little more than the amount's
 * unit, so the header must have the template's own amount column.
 */
export function templateOf(columns: readonly string[]): Template | undefined {
  const names = new Set(columns.map(normalizeName).filter(Boolean));
  const found = TEMPLATES.flatMap((template) => {
    const amount = Object.keys(template.columns).find((column) => template.columns[column] === "amount") ?? "";
    return template.headers.map((line) => {
      const header = new Set(line.split(",").map(normalizeName));
      const shared = names.has(normalizeName(amount)) ? header.intersection(names).size / header.size : 0;
      return { template, shared, rest: names.difference(header).size };
    });
  }).filter(({ shared }) => shared >= SHARE_MIN);
  return found.sort((left, right) => right.shared - left.shared || left.rest - right.rest)[0]?.template;
}
