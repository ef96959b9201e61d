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
  readonly option: NonNullable<Mapping["option"]>;
  readonly amountUnit: AmountUnit;
  /** Every known header of the template. */
  readonly headers: readonly (readonly string[])[];
  /** Column → our fields. */
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
const CASHFREE = [
  "the template names no account to debit: state yours with --const debit_account_id=…",
  "beneId is known to Cashfree alone: such rows are faults",
  NO_UPI,
];
/** Services that know their payees by an id, an e-mail address or a phone. */
const OF_IDS = {
  amountUnit: "rupees",
  limits: [
    "the file holds no bank account: keep a table payees.csv beside paydrop.toml that gives bene_id and bene_bank_id for each payee",
    "the template names no account to debit and no payment mode of ours: state them with --const",
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
  template(
    { name: "razorpayx", title: "RazorpayX Bulk Payouts, amounts in rupees", amountUnit: "rupees", limits: RAZORPAYX },
    [
      "RazorpayX Account Number,Payout Amount (in Rupees)=amount,Payout Currency:INR,Payout Mode=payment_mode,Payout Purpose=purpose,Fund Account Id:,Fund Account Type:bank_account,Fund Account Name=bank_owner_name,Fund Account Ifsc=ifsc_code,Fund Account Number=bank_acc_num,Fund Account Vpa:,Fund Account Phone Number,Contact Name=name,Payout Narration=narration,Payout Reference Id=reference,Fund Account Email,Contact Type,Contact Email=email,Contact Mobile=mobile,Contact Reference Id,notes[place],notes[code]",
    ],
  ),
  template(
    {
      name: "razorpayx-paise",
      title: "RazorpayX Bulk Payouts, the older one with amounts in paise",
      amountUnit: "paise",
      limits: RAZORPAYX,
    },
    [
      "RazorpayX Account Number,Payout Amount=amount,Payout Currency:INR,Payout Mode=payment_mode,Payout Purpose=purpose,Payout Narration=narration,Payout Reference Id=reference,Fund Account Id:,Fund Account Type:bank_account,Fund Account Name=bank_owner_name,Fund Account Ifsc=ifsc_code,Fund Account Number=bank_acc_num,Fund Account Vpa:,Contact Type,Contact Name=name,Contact Email=email,Contact Mobile=mobile,Contact Reference Id,notes[place],notes[code]",
    ],
  ),
  template({ name: "cashfree", title: "Cashfree Batch Transfer", amountUnit: "rupees", limits: CASHFREE }, [
    "transferId=reference,amount=amount,beneId:,transferMode=payment_mode,bankAccount=bank_acc_num,ifsc=ifsc_code,vpa:,name=name+bank_owner_name,email=email,phone=mobile,remarks=narration",
  ]),
  template({ name: "wise", title: "Wise batch payments", ...OF_IDS, lookupBy: ["recipientId", "recipientEmail"] }, [
    "recipientId,name,account,sourceCurrency:INR,targetCurrency:INR|,amountCurrency,amount=amount,paymentReference=narration",
    "name,recipientEmail,amount=amount,sourceCurrency:INR,targetCurrency:INR|,amountCurrency,type",
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
