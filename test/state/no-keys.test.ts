import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { paydrop, temporaryFolder } from "../support/paydrop.ts";

test("a payout file without AES keys is told so, and nothing beside it says that a run began", async () => {
  const folder = temporaryFolder();
  const columns = "debit_account_id,bene_id,bene_bank_id,amount,payment_mode";
  writeFileSync(join(folder, "payroll.csv"), `${columns}\r\nACC-1,BEN-1,7,100.00,NEFT\r\n`);
  const env = { PAYDROP_BASE_URL: "http://127.0.0.1:9", PAYDROP_API_KEY: "a-key-of-a-test" };
  const { code, stderr } = await paydrop(["run", "--state-dir", join(folder, "state"), "payroll.csv"], env, folder);
  expect(code).toBe(2);
  expect(stderr).toContain("PAYDROP_AES_KEY");
  expect(readdirSync(folder).sort()).toEqual(["payroll.csv", "state"]);
});

test("where only payouts are to go, missing AES keys are told before a file is looked for", async () => {
  const folder = temporaryFolder();
  const env = { PAYDROP_BASE_URL: "http://127.0.0.1:9", PAYDROP_API_KEY: "a-key-of-a-test", HOME: folder };
  const { code, stderr } = await paydrop(["run", "--operation", "payout", "missing.csv"], env, folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining("PAYDROP_AES_KEY")]);
});
