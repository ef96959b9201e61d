import { createHash } from "node:crypto";
import { SHARE_ROWS } from "../../src/journal/states.ts";

/** What a row of the file is meant to become. */
export interface PlannedRow {
  /** As a spreadsheet shows it. */
  readonly number: number;
  /** In the narration, and so in the server's ledger. */
  readonly marker: string;
  readonly amount: string;
  readonly kind: "sendable" | "invalid" | "repeat";
}

export interface PayrollFile {
  readonly text: string;
  readonly plan: readonly PlannedRow[];
}

const HEADER =
  "debit_account_id,name,bank_id,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode,narration,purpose";

/**
 * A payroll of `rows` payouts that no other one repeats; with `mixed`, some rows are invalid and some repeat an earlier
 * one of the same file and so are held.
 */
export function payrollFile(name: string, rows: number, mixed = true): PayrollFile {
  if (!/^[\w. ]+$/.test(name)) throw new Error(`not a plain name: ${name}`);
  const plan: PlannedRow[] = [];
  const lines = [HEADER];
  let earlier: { account: string; amount: string } | undefined;
  for (let index = 0; index < rows; index += 1) {
    const number = index + 2;
    const marker = `${name} row ${number}`;
    const digest = createHash("sha256").update(marker).digest();
    const dice = digest[0] ?? 0;
    const isRepeat = mixed && dice < 6 && earlier !== undefined;
    const isInvalid = mixed && !isRepeat && dice > 249;
    const account = isRepeat && earlier ? earlier.account : `9${digest.readUIntBE(1, 6).toString().padStart(15, "0")}`;
    const units = (digest.readUInt32BE(8) % 9_000_000) + 10_000;
    const amount =
      isRepeat && earlier ? earlier.amount : `${Math.floor(units / 100)}.${String(units % 100).padStart(2, "0")}`;
    if (!isRepeat && !isInvalid) earlier = { account, amount };
    const ifsc = isInvalid ? "EXMB01" : "EXMB0100200";
    lines.push(`ACC-OPS-01,Asha Verma,EXMB,${account},${ifsc},Asha Verma,${amount},NEFT,${marker},salary`);
    plan.push({ number, marker, amount, kind: isRepeat ? "repeat" : isInvalid ? "invalid" : "sendable" });
  }
  return { text: `${lines.join("\r\n")}\r\n`, plan };
}

/** Several hosts send a batch of several shares: so that it is soon over, most rows of each share are invalid. */
export function thinned({ text, plan }: PayrollFile, goingOfShare: number): PayrollFile {
  const lines = text.split("\r\n");
  let isFirst = true;
  const thin = plan.map((row, index): PlannedRow => {
    isFirst ||= index % SHARE_ROWS === 0;
    if (index % SHARE_ROWS >= goingOfShare) {
      lines[index + 1] = (lines[index + 1] ?? "").replace(/EXMB01\d*,/, "EXMB01,");
      return { ...row, kind: "invalid" };
    }
    // what it repeats is invalid now
    const kind = row.kind === "repeat" && isFirst ? "sendable" : row.kind;
    isFirst &&= kind !== "sendable";
    return { ...row, kind };
  });
  return { text: lines.join("\r\n"), plan: thin };
}
