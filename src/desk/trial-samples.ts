import { formatUnits, unitsOf } from "../amount.ts";

/** Files whose sum is above this wait for a second person. */
export const APPROVED_ABOVE = "600000";
export const STATEMENT_NAME = "bank-statement.csv";

export interface Sample {
  readonly name: string;
  readonly text: string;
  /** The sample before whose results it does not come. */
  readonly after?: string;
}

/** People who do not exist. Who comes, leaves, or has another account or amount in the second month says so. */
const PEOPLE = [
  { number: "E101", name: "Imran Sheikh", account: "90010000041201", amounts: ["39500.00", "39500.00"] },
  { number: "E102", name: "Kavita Joshi", account: "90010000042520", amounts: ["44650.00", "46150.00"] },
  { number: "E103", name: "Suresh Pillai", account: "90010000043839", amounts: ["72800.00", "72800.00"] },
  {
    number: "E104",
    name: "Anita Das",
    account: "90010000045158",
    amounts: ["33250.00", "33250.00"],
    other: "90010000049988",
  },
  { number: "E105", name: "Lakshmi Menon", account: "90010000046477", amounts: ["41200.00", "412000.00"] },
  { number: "E106", name: "Prakash Hegde", account: "90010000047796", amounts: ["48350.00"] },
  { number: "E107", name: "Meena Iyer", account: "90010000049115", amounts: ["51900.00", "51900.00"] },
  { number: "E108", name: "Usha Bhat", account: "90010000050434", amounts: [undefined, "58200.00"] },
] as const;

const SALARIES =
  "debit_account_id,emp_id,name,bank_acc_num,ifsc_code,bank_owner_name,mobile,email,bank_id,amount,payment_mode,narration,purpose,notes";

/** The salaries of a month: 0 is the first of the two, 1 the second. */
function salariesOf(month: string, at: 0 | 1): string {
  const lines = PEOPLE.flatMap(({ number, name, account, amounts, ...more }, nth) => {
    const amount = amounts[at];
    if (amount === undefined) return [];
    const paid = at === 1 && "other" in more ? more.other : account;
    const mail = `${name.toLowerCase().replace(" ", ".")}@staff.example`;
    return [
      `ACC-OPS-01,${number},${name},${paid},EXMB0100${311 + nth},${name},98000000${10 + nth},${mail},EXMB,${amount},NEFT,${month} ${number},salary,`,
    ];
  });
  return `${[SALARIES, ...lines].join("\n")}\n`;
}

/** One of each thing that needs a person: the sandbox does what `SANDBOX-…` asks for. */
const VENDORS = `debit_account_id,bene_id,bene_bank_id,amount,payment_mode,narration,purpose,reference,notes
ACC-OPS-01,BENE-0101,11,12500.00,NEFT,Invoice 417,vendor payment,INV-417,
ACC-OPS-01,BENE-0102,12,8750.50,IMPS,Invoice 418,vendor payment,INV-418,
ACC-OPS-01,BENE-0103,13,999.99,IMPS,Invoice 419,vendor payment,INV-419,no answer: SANDBOX-504
ACC-OPS-01,BENE-0107,13,18450.00,IMPS,Invoice 420,vendor payment,INV-420,no answer: SANDBOX-504
ACC-OPS-01,BENE-0104,14,4200.00,NEFT,Invoice 421,vendor payment,INV-421,refused: SANDBOX-422
ACC-OPS-01,BENE-0105,11,25000.00,NEFT,Rent,vendor payment,,
ACC-OPS-01,BENE-0105,11,25000.00,NEFT,Rent,vendor payment,,the same again
ACC-OPS-01,BENE-0106,12,"10,500.00",NEFT,Invoice 422,vendor payment,INV-422,
`;

const TRANSFERS = `from_account,to_account,amount,reference
ACC-OPS-01,90010000079201,25000.00,TR-1
ACC-OPS-01,90010000087120,1200.50,TR-2
`;

const NO_PAYMENTS = "name,amount\nthe list that was meant lies elsewhere,1\n";

/** Two months of files, the newer one to be approved: what it pays otherwise than the one before is seen when that one went. */
export function samplesOf(now: number): readonly Sample[] {
  const [before, month] = [monthOf(now, -1), monthOf(now, 0)];
  const first = `payroll-${before}.csv`;
  return [
    { name: first, text: salariesOf(before, 0) },
    { name: `payroll-${month}.csv`, text: salariesOf(month, 1), after: first },
    { name: "a-list.csv", text: NO_PAYMENTS },
    { name: `transfers-${before}.csv`, text: TRANSFERS },
    { name: `vendors-${before}.csv`, text: VENDORS },
  ];
}

function monthOf(now: number, more: number): string {
  const day = new Date(now);
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + more)).toISOString().slice(0, 7);
}

/**
 * What the bank would say of the first month, as HDFC writes it: the salaries, one that came back, the vendors, one of those
 * without an answer, and a debit that no file explains.
 */
export function statementOf(now: number): string {
  const [today, early] = [dayOf(now), `28/${monthOf(now, -2).slice(5)}/${monthOf(now, -2).slice(2, 4)}`];
  const month = monthOf(now, -1);
  const salaries = PEOPLE.flatMap(({ number, name, amounts: [amount] }) =>
    amount === undefined ? [] : [[`NEFT DR-EXMB-${name.toUpperCase()}-${month} ${number}`, amount, ""] as const],
  );
  const lines = [
    ...salaries,
    ["NEFT DR-BENE-0101-INV-417", "12500.00", ""],
    ["IMPS-BENE-0102-INV-418", "8750.50", ""],
    ["IMPS-BENE-0107-INV-420", "18450.00", ""],
    ["NEFT DR-BENE-0105-RENT", "25000.00", ""],
    ["CHQ PAID 000412 MEHTA ESTATES", "18500.00", ""],
    [`NEFT RETURN-ACCOUNT CLOSED-PRAKASH HEGDE-${month} E106`, "", "48350.00"],
  ] as const;
  let units = unitsOf("1000000.00");
  const booked = lines.map(([text, out, back]) => {
    units += unitsOf(back || "0") - unitsOf(out || "0");
    return `${today},"${text}",0000,,${out},${back},${formatUnits(units)}`;
  });
  return [
    ...["HDFC BANK Ltd.,,,,,,", "Account No :50100000001234,,,,,,"],
    "Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance",
    `${early},CASH DEPOSIT,0000,,,500.00,1000000.00`,
    ...booked,
    "",
  ].join("\r\n");
}

/** `29/11/26`. */
function dayOf(now: number): string {
  const [year = "", month = "", day = ""] = new Date(now).toISOString().slice(2, 10).split("-");
  return `${day}/${month}/${year}`;
}
