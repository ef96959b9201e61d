/** Collection request (§2.1). The units of amount and expiry are not shown (§4): they travel as given. */
export interface CollectionRequest {
  /** Plain decimal text, `"499.00"`. */
  readonly amount: string;
  /** INR unless said. */
  readonly currency?: string;
  /** The payment address to collect from. */
  readonly vpa: string;
  readonly expiry?: number;
}

/** Transfer between two accounts (§2.2). */
export interface TransferRequest {
  readonly from_account: string;
  readonly to_account: string;
  /** Plain decimal text. */
  readonly amount: string;
}

/** Loan application (§2.3). */
export interface LoanApplication {
  readonly borrower_id: string;
  /** Plain decimal text. */
  readonly amount: string;
  /** A whole number; its unit is not shown (§4). */
  readonly tenure: number;
}

interface PayoutShared {
  readonly debit_account_id: string;
  /** Plain decimal text. */
  readonly amount: string;
  readonly payment_mode: string;
  readonly narration?: string;
  readonly purpose?: string;
  readonly notes?: string;
}

/** Payout to a beneficiary already registered (§2.5, option A). */
export interface PayoutToExisting extends PayoutShared {
  readonly bene_id: string;
  readonly bene_bank_id: number;
}

/** Payout to a beneficiary whose account is given with it (§2.5, option B). */
export interface PayoutInline extends PayoutShared {
  readonly name: string;
  readonly mobile?: string;
  readonly email?: string;
  readonly bank_id?: string;
  readonly bank_acc_num: string;
  readonly ifsc_code: string;
  readonly bank_owner_name: string;
}
