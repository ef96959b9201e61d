import type { AmountUnit, Mapping } from "../../config/mapping.ts";
import { normalizeName } from "../../text/names.ts";

/**
 * A published template of another payout service: which of its columns can be read as our fields, and in plain words
 * what cannot be. `paydrop map` proposes a mapping from it; no mapping is ever applied before a person confirmed it.
 */
export interface Template {
  /** Usual name of the mapping. */
  readonly name: string;
  /** As messages call it: `this is the template of …`. */
  readonly title: string;
  /** Every known header of the template. */
  readonly headers: readonly (readonly string[])[];
  readonly operation: Mapping["operation"];
  readonly option: NonNullable<Mapping["option"]>;
  readonly amountUnit: AmountUnit;
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly mustBe: Readonly<Record<string, readonly string[]>>;
  /** What in the template cannot be mapped, and what a person must add. */
  readonly limits: readonly string[];
}

const RAZORPAYX_COLUMNS = {
  "Payout Mode": ["payment_mode"],
  "Payout Purpose": ["purpose"],
  "Payout Narration": ["narration"],
  "Payout Reference Id": ["reference"],
  "Fund Account Name": ["bank_owner_name"],
  "Fund Account Ifsc": ["ifsc_code"],
  "Fund Account Number": ["bank_acc_num"],
  "Contact Name": ["name"],
  "Contact Email": ["email"],
  "Contact Mobile": ["mobile"],
} as const;

const RAZORPAYX_MUST_BE = {
  "Payout Currency": ["INR"],
  "Fund Account Id": [""],
  "Fund Account Type": ["bank_account"],
  "Fund Account Vpa": [""],
} as const;

const RAZORPAYX_LIMITS = [
  "RazorpayX Account Number names an account at RazorpayX: state your own with --const debit_account_id=…",
  "Fund Account Id (fa_…) is known to RazorpayX alone: such rows are faults, unless a lookup table gives bene_id and bene_bank_id",
  "UPI rows (Fund Account Type vpa) are faults: the service shows no payout to a payment address",
  "a currency other than INR is a fault: payouts have no currency field",
] as const;

export const TEMPLATES: readonly Template[] = [
  {
    name: "razorpayx",
    title: "RazorpayX Bulk Payouts, amounts in rupees",
    headers: [
      "RazorpayX Account Number,Payout Amount (in Rupees),Payout Currency,Payout Mode,Payout Purpose,Fund Account Id,Fund Account Type,Fund Account Name,Fund Account Ifsc,Fund Account Number,Fund Account Vpa,Fund Account Phone Number,Contact Name,Payout Narration,Payout Reference Id,Fund Account Email,Contact Type,Contact Email,Contact Mobile,Contact Reference Id,notes[place],notes[code]",
    ].map(columnsOf),
    operation: "payout",
    option: "B",
    amountUnit: "rupees",
    columns: { "Payout Amount (in Rupees)": ["amount"], ...RAZORPAYX_COLUMNS },
    mustBe: RAZORPAYX_MUST_BE,
    limits: RAZORPAYX_LIMITS,
  },
  {
    name: "razorpayx-paise",
    title: "RazorpayX Bulk Payouts, the older one with amounts in paise",
    headers: [
      "RazorpayX Account Number,Payout Amount,Payout Currency,Payout Mode,Payout Purpose,Payout Narration,Payout Reference Id,Fund Account Id,Fund Account Type,Fund Account Name,Fund Account Ifsc,Fund Account Number,Fund Account Vpa,Contact Type,Contact Name,Contact Email,Contact Mobile,Contact Reference Id,notes[place],notes[code]",
    ].map(columnsOf),
    operation: "payout",
    option: "B",
    amountUnit: "paise",
    columns: { "Payout Amount": ["amount"], ...RAZORPAYX_COLUMNS },
    mustBe: RAZORPAYX_MUST_BE,
    limits: RAZORPAYX_LIMITS,
  },
  {
    name: "cashfree",
    title: "Cashfree Batch Transfer",
    headers: ["transferId,amount,beneId,transferMode,bankAccount,ifsc,vpa,name,email,phone,remarks"].map(columnsOf),
    operation: "payout",
    option: "B",
    amountUnit: "rupees",
    columns: {
      transferId: ["reference"],
      amount: ["amount"],
      transferMode: ["payment_mode"],
      bankAccount: ["bank_acc_num"],
      ifsc: ["ifsc_code"],
      name: ["name", "bank_owner_name"],
      email: ["email"],
      phone: ["mobile"],
      remarks: ["narration"],
    },
    mustBe: { beneId: [""], vpa: [""] },
    limits: [
      "the template names no account to debit: state yours with --const debit_account_id=…",
      "beneId is known to Cashfree alone: such rows are faults, unless a lookup table gives bene_id and bene_bank_id",
      "rows with a vpa (UPI, Paytm, Amazon Pay) are faults: the service shows no payout to a payment address",
    ],
  },
  {
    name: "wise",
    title: "Wise batch payments",
    headers: [
      "recipientId,name,account,sourceCurrency,targetCurrency,amountCurrency,amount,paymentReference",
      "recipientId,name,recipientEmail,recipientDetail,sourceCurrency,targetCurrency,amountCurrency,amount,paymentReference,receiverType",
      "recipientId,name,recipientEmail,recipientDetail,sourceCurrency,targetCurrency,amountCurrency,amount,paymentReference,referenceNumber,receiverType",
      "name,recipientEmail,amount,sourceCurrency,targetCurrency,amountCurrency,type",
    ].map(columnsOf),
    operation: "payout",
    option: "A",
    amountUnit: "rupees",
    columns: { amount: ["amount"], paymentReference: ["narration"] },
    mustBe: { sourceCurrency: ["INR"], targetCurrency: ["INR", ""] },
    limits: [
      "recipientId is known to Wise alone, and the file holds no bank account: a lookup table must give bene_id and bene_bank_id",
      "the template names no account to debit and no payment mode: state them with --const",
      "a currency other than INR is a fault: nothing is converted, so amountCurrency (source or target) makes no difference",
    ],
  },
  {
    name: "paypal",
    title: "PayPal Payouts",
    headers: ["recipient,amount,currency,customer id,note,wallet,social feed privacy"].map(columnsOf),
    operation: "payout",
    option: "A",
    amountUnit: "rupees",
    columns: { amount: ["amount"], "customer id": ["reference"], note: ["narration"] },
    mustBe: { currency: ["INR"] },
    limits: [
      "the recipient is an e-mail address or a phone, and the file holds no bank account: a lookup table must give bene_id and bene_bank_id",
      "the template names no account to debit and no payment mode: state them with --const",
      "a currency other than INR is a fault, and so is an amount with a decimal comma",
    ],
  },
  {
    name: "phee",
    title: "Payment Hub EE bulk file",
    headers: [
      "id,request_id,payment_mode,payer_identifier_type,payer_identifier,payee_identifier_type,payee_identifier,amount,currency,note,account_number,program_shortcode,cycle,payee_dfsp_id,batch_id",
    ].map(columnsOf),
    operation: "payout",
    option: "A",
    amountUnit: "rupees",
    columns: { request_id: ["reference"], amount: ["amount"], note: ["narration"] },
    mustBe: { currency: ["INR"] },
    limits: [
      "payee_identifier is a phone or an id of another scheme, and the file holds neither IFSC nor name: a lookup table must give bene_id and bene_bank_id",
      "payment_mode is a route of Payment Hub, not a mode of payment: state yours with --const payment_mode=…",
      "payer_identifier is not an account to debit: state yours with --const debit_account_id=…",
      "a currency other than INR is a fault: payouts have no currency field",
    ],
  },
];

function columnsOf(line: string): readonly string[] {
  return line.split(",");
}

/** The share of a template's columns that a header must have to be taken for that template. */
const SHARE_MIN = 0.7;

/**
 * The template that a header is, or nearly is. Two templates of one service may differ in little more than the amount's
 * unit, so the header must have the template's own amount column.
 */
export function templateOf(columns: readonly string[]): Template | undefined {
  const names = new Set(columns.map(normalizeName).filter(Boolean));
  const found = TEMPLATES.flatMap((template) =>
    template.headers.map((header) => {
      const shared = header.filter((name) => names.has(normalizeName(name))).length;
      const amount = Object.entries(template.columns).find(([, fields]) => fields.includes("amount"))?.[0] ?? "";
      const hasAmount = names.has(normalizeName(amount));
      const isExact = shared === header.length && shared === names.size;
      return { template, share: shared / header.length, hasAmount, isExact };
    }),
  ).filter(({ share, hasAmount }) => share >= SHARE_MIN && hasAmount);
  found.sort((left, right) => Number(right.isExact) - Number(left.isExact) || right.share - left.share);
  return found[0]?.template;
}

/** Whether a first row is one of PayPal's files, which have no header: an address or phone, an amount, a currency. */
export function looksHeaderless(columns: readonly string[]): boolean {
  const [recipient = "", amount = "", currency = ""] = columns.map((column) => column.trim());
  return /@|^\+?[0-9]{8,}$/.test(recipient) && /^[0-9]+(?:[.,][0-9]+)?$/.test(amount) && /^[A-Z]{3}$/.test(currency);
}
