import { normalizeName } from "../../text/names.ts";

/**
 * What other systems call our fields, letters and digits only. Employee numbers are not references: they are the same
 * in every file.
 */
const SYNONYMS: Readonly<Record<string, string>> = {
  amount:
    "netpay netsalary nettpay salary netamount amt payableamount payable netpayable paymentamount transactionamount instrumentamount txnamount transferamount loanamount loanamt principal principalamount sanctionedamount sanctionamount disbursementamount disbursedamount disbursalamount",
  bank_acc_num:
    "accountno accountnumber acno acnumber accno bankaccount bankaccountno bankaccountnumber bankacno bankacnumber beneficiaryaccount beneficiaryaccountno beneficiaryaccountnumber beneacno beneaccno beneaccountno beneaccountnumber payeeaccount",
  ifsc_code: "ifsc bankifsc ifsccode branchcode bankifsccode beneficiaryifsc ifscno beneifsc beneifsccode",
  name: "employeename empname payee payeename beneficiary beneficiaryname vendorname suppliername nameofemployee nameofbeneficiary benename bnfname",
  bank_owner_name: "accountholder accountholdername accountname nameasperbank nameinbank",
  debit_account_id:
    "debitaccount debitac debitacno debitaccountno debitaccountnumber debitaccno debitaccnumber fromaccount sourceaccount payeraccount",
  payment_mode: "mode paymenttype transfermode transfertype modeofpayment paymode pymtmode transactiontype",
  narration: "remarks remark particulars description paymentnarration",
  purpose: "purposeofpayment paymentpurpose",
  mobile: "mobileno mobilenumber phone phoneno phonenumber contactno contactnumber mobilenum",
  email: "emailid emailaddress mail mailid",
  notes: "note comment comments",
  bene_id: "beneficiaryid beneid benecode beneficiarycode",
  bene_bank_id: "beneficiarybankid benebank benebankid",
  from_account: "from fromac fromacno fromaccountno sourceaccount debitaccount debitac",
  to_account: "to toac toacno toaccountno destinationaccount creditaccount payeeaccount beneficiaryaccount",
  borrower_id: "borrower borrowerno customerid applicantid",
  tenure: "tenor term months tenuremonths loanterm",
  vpa: "upi upiid vpaid upiaddress payervpa",
  currency: "curr ccy",
  reference: "referenceno referenceid refno paymentreference transactionid transferid requestid voucherno invoiceno",
  period: "month paymonth payperiod salarymonth",
};

/** The unit in `Net Pay (Rs.)`, `Amount in INR`: it says how an amount is counted, not which amount it is. */
const UNIT_WORD = /(?:in)?(?:inr|rs|rupees|paise)$/;

export function isSynonym(column: string, field: string): boolean {
  const said = column.toLowerCase().replace(/[^\p{L}\p{Nd}]+/gu, "");
  const bare = field === "amount" ? said.replace(UNIT_WORD, "") : said;
  return bare === normalizeName(field) || SYNONYMS[field]?.split(" ").includes(bare) === true;
}

/** Fields that can be known by their values, whatever their column is called. Every value that is there must fit. */
const LOOKS: Readonly<Record<string, { readonly pattern: RegExp; readonly like: string }>> = {
  ifsc_code: { pattern: /^[A-Z]{4}0[A-Z0-9]{6}$/i, like: "an IFSC" },
  vpa: { pattern: /^[\w.-]{2,}@[a-z]{2,}$/i, like: "a payment address" },
  email: { pattern: /^[^@\s]+@[^@\s]+\.[^@\s]+$/, like: "an e-mail address" },
  mobile: { pattern: /^(?:\+91)?[6-9][0-9]{9}$/, like: "a mobile number" },
  amount: { pattern: /^[0-9]{1,12}\.[0-9]{2}$/, like: "an amount" },
  payment_mode: { pattern: /^(?:NEFT|RTGS|IMPS|UPI)$/i, like: "a mode of payment" },
};

export function lookOf(field: string, values: readonly string[]): string | undefined {
  const look = LOOKS[field];
  return look && values.length > 0 && values.every((value) => look.pattern.test(value)) ? look.like : undefined;
}

/** A column that is called so holds no amount to be paid, even where its values look like amounts. */
export const NO_AMOUNT = /\brate\b|interest|percent|%|\broi\b|\bgst\b|\btds\b|\btax\b|\bfees?\b|charges/i;
