import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { loadSettings } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { openRegular } from "../intake/snapshot.ts";
import { printable } from "../printable.ts";
import type { Call } from "../screen/look.ts";

/**
 * Everything of the desk in one process, for somebody who tries paydrop: a pretended service, and an inbox of its own with
 * copies of the files, or with samples. Throws `usage` without `--sandbox`.
 */
export async function tryDesk(call: Call, watch: (call: Call) => Promise<number>): Promise<number> {
  if (call.flags["sandbox"] !== true) throw new PaydropError("desk_folder");
  const files = call.operands;
  const names = files.map((file) => basename(file));
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new PaydropError("exists", { name: printable(twice) });
  for (const file of files) await (await openRegular(file)).close();
  const { config, origins } = loadSettings({ ...call, env: { ...call.env } }, "trial");
  const isKept = origins["state_dir"] === "--state-dir";
  const folder = isKept ? config.state_dir : await mkdtemp(join(tmpdir(), "paydrop-try-"));
  const inbox = join(folder, "inbox");
  try {
    await mkdir(inbox, { recursive: true });
    for (const file of files) await copyFile(file, join(inbox, basename(file)));
    const samples = Object.entries(files.length === 0 ? SAMPLES : {});
    for (const [name, text] of samples) await writeFile(join(inbox, name), text);
    // whoever only looks waits for nothing long; and one of the samples waits for a second person
    const usual = {
      ...(!origins["settle"] && { settle: "500ms" }),
      ...(samples.length > 0 && { approval_above: "150000" }),
    };
    return await watch({ ...call, operands: [inbox], flags: { ...usual, ...call.flags } });
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

/** Names and numbers are made up. Together they have rows of every kind: the sandbox does what `SANDBOX-…` asks for. */
const SAMPLES: Readonly<Record<string, string>> = {
  "payroll.csv": `debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,mobile,email,bank_id,amount,payment_mode,narration,purpose,notes
ACC-OPS-01,Imran Sheikh,90010000041201,EXMB0100311,Imran Sheikh,9800000004,imran.sheikh@staff.example,EXMB,39500.00,NEFT,Salary E001,salary,
ACC-OPS-01,Kavita Joshi,90010000042520,EXMB0100348,Kavita Joshi,9800000005,kavita.joshi@staff.example,EXMB,44650.00,NEFT,Salary E002,salary,
ACC-OPS-01,Suresh Pillai,90010000043839,EXMB0100385,Suresh Pillai,9800000006,suresh.pillai@staff.example,EXMB,72800.00,NEFT,Salary E003,salary,
ACC-OPS-01,Anita Das,90010000045158,EXMB0100422,Anita Das,9800000007,anita.das@staff.example,EXMB,33250.00,NEFT,Salary E004,salary,
ACC-OPS-01,Lakshmi Menon,90010000046477,EXMB0100459,Lakshmi Menon,9800000008,lakshmi.menon@staff.example,EXMB,41200.00,NEFT,Salary E005,salary,
`,
  "vendors.csv": `debit_account_id,bene_id,bene_bank_id,amount,payment_mode,narration,purpose,notes
ACC-OPS-01,BENE-0101,11,12500.00,NEFT,Invoice 417,vendor payment,
ACC-OPS-01,BENE-0102,12,8750.50,IMPS,Invoice 418,vendor payment,
ACC-OPS-01,BENE-0103,13,999.99,IMPS,Courier,vendor payment,no answer: SANDBOX-504
ACC-OPS-01,BENE-0104,14,4200.00,NEFT,Stationery,vendor payment,refused: SANDBOX-422
ACC-OPS-01,BENE-0105,11,25000.00,NEFT,Rent,vendor payment,
ACC-OPS-01,BENE-0105,11,25000.00,NEFT,Rent,vendor payment,the same again
ACC-OPS-01,BENE-0106,12,"10,500.00",NEFT,Cleaning,vendor payment,
`,
  "transfers.csv": `from_account,to_account,amount
ACC-OPS-01,90010000079201,25000.00
ACC-OPS-01,90010000087120,1200.50
`,
};
