import { expect, test } from "vitest";
import type {
  CollectionRequest,
  LoanApplication,
  PayoutInline,
  PayoutToExisting,
  TransferRequest,
} from "../../src/client/requests.ts";
import { collections } from "../../src/operations/collections.ts";
import { loans } from "../../src/operations/loans.ts";
import type { Field, Form, Operation } from "../../src/operations/operation.ts";
import { payouts } from "../../src/operations/payouts.ts";
import { transfers } from "../../src/operations/transfers.ts";

type Written<T> = T extends number ? "number" : "text";
/** What the compiler knows of a request's fields: it refuses a field too many, one too few, or one that is otherwise. */
type ShapeOf<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? `${Written<NonNullable<T[K]>>}?` : Written<T[K]>;
};

const COLLECTION: ShapeOf<CollectionRequest> = { amount: "text", currency: "text?", vpa: "text", expiry: "number?" };
const TRANSFER: ShapeOf<TransferRequest> = { from_account: "text", to_account: "text", amount: "text" };
const LOAN: ShapeOf<LoanApplication> = { borrower_id: "text", amount: "text", tenure: "number" };
const PAYOUT = {
  debit_account_id: "text",
  amount: "text",
  payment_mode: "text",
  narration: "text?",
  purpose: "text?",
  notes: "text?",
} as const;
const TO_EXISTING: ShapeOf<PayoutToExisting> = { ...PAYOUT, bene_id: "text", bene_bank_id: "number" };
const INLINE: ShapeOf<PayoutInline> = {
  ...PAYOUT,
  name: "text",
  mobile: "text?",
  email: "text?",
  bank_id: "text?",
  bank_acc_num: "text",
  ifsc_code: "text",
  bank_owner_name: "text",
};

test.each([
  ["a collection", COLLECTION, formOf(collections)],
  ["a transfer", TRANSFER, formOf(transfers)],
  ["a loan application", LOAN, formOf(loans)],
  ["a payout to an existing beneficiary", TO_EXISTING, formOf(payouts, "A")],
  ["a payout to one given with it", INLINE, formOf(payouts, "B")],
])("a caller of the library and a file say the same fields of %s", (_, request, { fields }) => {
  expect(request).toEqual(Object.fromEntries(fields.map((field) => [field.name, shapeOf(field)])));
});

function formOf({ forms }: Operation, option?: Form["option"]): Form {
  const form = forms.find((one) => one.option === option);
  if (!form) throw new Error("there is no such form");
  return form;
}

/** Amounts are plain decimal text for a caller as well: a JavaScript number would not keep their digits. */
function shapeOf({ kind, required, default: usual }: Field): string {
  const written = kind === "number" || kind === "integer" ? "number" : "text";
  return required && usual === undefined ? written : `${written}?`;
}
