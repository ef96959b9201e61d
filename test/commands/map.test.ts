import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/commands/map.ts";
import { loadSettings } from "../../src/config/load.ts";
import { TEMPLATES } from "../../src/reader/mapping.ts";
import { called } from "../support/calls.ts";
import type { Ended } from "../support/paydrop.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const FILE = [
  "Emp No,Employee Name,Account No.,IFSC,Net Pay,Mode of payment",
  "E1,Asha Rao,50100271828001,HDFC0001234,52250,NEFT",
  "E2,Ravi Nair,50100271828002,HDFC0001234,5225,NEFT",
  "",
].join("\n");

interface Desk {
  readonly file: string;
  readonly toml: string;
  readonly map: (flags?: Readonly<Record<string, unknown>>) => Promise<Ended>;
}

function desk(content = FILE, name = "pay.csv"): Desk {
  const home = temporaryDirectory();
  const file = join(home, name);
  writeFileSync(file, content);
  const env = { HOME: home };
  return {
    file,
    toml: join(home, ".config/paydrop/paydrop.toml"),
    map: (flags = {}) => called(run, { operands: [file], flags, env }),
  };
}

const DEBIT = "debit_account_id=ACC-OPS-01";
const SAID = { const: [DEBIT], unit: "rupees" };
const WITH_MODE = { const: [DEBIT, "payment_mode=NEFT"], unit: "rupees" };

describe("what is proposed", () => {
  test("names of an HR system → each column, why, masked values; what only a person knows is asked", async () => {
    const { code, stdout, stderr } = await desk().map();
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("read as payout, option B");
    expect(stderr).toMatch(/^ {2}Employee Name +name +another name for it +A••, R••$/m);
    expect(stderr).toMatch(/^ {2} +bank_owner_name +the same person$/m);
    expect(stderr).toMatch(/^ {2}Account No\. +bank_acc_num +another name for it +••8001, ••8002$/m);
    expect(stderr).toMatch(/^ {2}Emp No +- +stays in the results, not sent +E••, E••$/m);
    expect(stderr).toContain('nothing gives debit_account_id, amount_unit; columns without a meaning: "Emp No"');
    expect(stderr).toContain(
      "--const debit_account_id=VALUE or --set debit_account_id=COLUMN; --unit rupees or --unit paise",
    );
    expect(stderr).not.toMatch(/5010027|Asha/);
  });

  test.each([
    ["01", "payeeName,vpa,amount,mode,remarks\nPayee A,payeea@bank,52250.00,UPI,Salary November\n", []],
    [
      "03",
      "Employee Name,UPI ID,Net Salary\nPayee A,payeea@bank,1200.00\nPayee B,payeeb@bank,2500.00\n",
      ["amount=Net Salary"],
    ],
  ])("case %s: UPI ids beside payee words → no collection, even with --write", async (_, content, set) => {
    const { map, toml } = desk(content);
    for (const flags of [{}, { unit: "rupees" }, WITH_MODE]) {
      const { code, stdout, stderr } = await map({ write: true, ...flags });
      expect({ code, stdout, isWritten: existsSync(toml) }).toEqual({ code: 2, stdout: "", isWritten: false });
      expect(stderr).toContain("paydrop can take money from UPI ids, not pay them");
      expect(stderr).toContain("To pay, use account and IFSC");
      expect(stderr).not.toContain("payeea@");
    }
    expect((await map({ operation: "collection", unit: "rupees", set })).stdout).toContain('operation = "collection"');
  });

  test("case 02: account and IFSC beside a UPI id → a payout, option B", async () => {
    const { map } = desk(
      "vpa,amount,name,bank_acc_num,ifsc_code\npayeea@bank,1200.00,Payee A,90010000011111,EXMB0100200\n",
    );
    const { code, stdout } = await map(WITH_MODE);
    expect(code).toBe(0);
    expect(stdout).toContain('operation = "payout"\noption = "B"');
    expect(stdout).toContain('bank_acc_num = "bank_acc_num"');
  });

  test("UPI ids and amounts alone → a collection; an amount alone → a question", async () => {
    expect((await desk("UPI,Bill Amount\npayer@bank,499.00\n").map()).stdout).toContain('operation = "collection"');
    const unknown = await desk("Creditor,Institution,Amount\nAsha Rao,HDFC,100.50\n").map();
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining("--operation payout or --operation transfer"),
    ]);
  });

  test.each([
    ["Name,Account No,IFSC,Salary,Net Pay", "amount", ["Salary", "Net Pay"]],
    ["Name,Account No,IFSC,Amount,Net Amount", "amount", ["Amount", "Net Amount"]],
    ["Name,Account No,Bank Account,IFSC,Amount", "bank_acc_num", ["Account No", "Bank Account"]],
  ])("of %s nobody but the person knows %s → asked, not read", async (header, field, columns) => {
    const { map, toml } = desk(`${header}\n${header.replaceAll(/[^,]+/g, "50100.50")}\n`);
    const asked = await map({ write: true, ...WITH_MODE });
    expect([asked.code, existsSync(toml)]).toEqual([2, false]);
    expect(asked.stderr).toContain(`"${columns.join('", "')}" could each be ${field}`);
    expect(asked.stderr).toContain(`--set ${field}=COLUMN`);
    expect((await map({ write: true, ...WITH_MODE, set: [`${field}=${columns[0]}`] })).code).toBe(0);
    expect(readFileSync(toml, "utf8")).toMatch(new RegExp(`^"?${columns[0]}"? = "${field}"$`, "m"));
  });

  test("our own name for an account → before others", async () => {
    const { stdout } = await desk("Name,bank_acc_num,Account No,IFSC,Amount\nA,1,2,3,4.00\n").map(WITH_MODE);
    expect(stdout).toContain('bank_acc_num = "bank_acc_num"');
  });

  test.each([
    ["Amount (USD)", "counted in USD"],
    ["Amount in lakhs", "counted in lakhs"],
  ])("an amount of %s → no unit before a person says one", async (column, words) => {
    const { stderr, code } = await desk(`Name,Account No,IFSC,${column}\nA,50100271828001,HDFC0001234,5.00\n`).map({
      const: [DEBIT, "payment_mode=NEFT"],
      set: [`amount=${column}`],
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  test("amounts that are not read → shown; what nobody knows → masked", async () => {
    const { stderr } = await desk(
      "Name,Account No,IFSC,Gross,Net Pay,Ref\nA,50100271828001,HDFC0001234,50000.00,42000.00,9811 1000 0111\n",
    ).map(WITH_MODE);
    expect(stderr).toMatch(/^ {2}Gross +- +stays in the results, not sent +50000\.00$/m);
    expect(stderr).not.toMatch(/0271828|1000 0111/);
  });

  test("Wise's file of accounts → account, IFSC and name of each row, and no one payee for all", async () => {
    const header =
      "name,recipientEmail,paymentReference,receiverType,amountCurrency,amount,sourceCurrency,targetCurrency,ifscCode,accountNumber";
    const { map } = desk(`${header}\nA B,a@mail.example,Nov,PRIVATE,source,5.00,INR,INR,HDFC0001234,50100271828001\n`);
    const { stdout } = await map(WITH_MODE);
    expect(stdout).toContain('option = "B"');
    for (const line of [
      'accountNumber = "bank_acc_num"',
      'ifscCode = "ifsc_code"',
      'amountCurrency = [ "source", "target" ]',
    ])
      expect(stdout).toContain(line);
    expect(
      (await desk("Account No,Amount\n50100271828001,5.00\n").map({ operation: "payout", option: "B" })).stderr,
    ).not.toMatch(/--const (?:name|ifsc_code|bank_owner_name)=/);
  });

  test("our own columns → no mapping is needed", async () => {
    const { stderr } = await desk("from_account,to_account,amount\nA-1,B-1,5\n").map();
    expect(stderr).toContain("paydrop's own columns: no mapping is needed");
  });

  test("a column of currencies → INR and nothing else", async () => {
    const { stdout } = await desk("Name,Account No,IFSC,Amount,Curr\nA,1,2,4.00,INR\n").map(WITH_MODE);
    expect(stdout).toContain('Curr = [ "INR" ]');
  });
});

describe("templates of other services", () => {
  test.each(TEMPLATES)("$name → its own columns, guards, unit and table", async (template) => {
    const header = template.headers[0] ?? [];
    const { map } = desk(`${header.join(",")}\n${header.map(() => "x1").join(",")}\n`);
    const hasMode = Object.values(template.columns).flat().includes("payment_mode");
    const { code, stdout, stderr } = await map({ const: hasMode ? [DEBIT] : [DEBIT, "payment_mode=NEFT"] });
    expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`# ${template.title}:`);
    expect(stdout).toContain(`[mapping.${template.name}]`);
    expect(stdout).toContain(`amount_unit = "${template.amountUnit}"`);
    for (const column of Object.keys(template.mustBe)) expect(stdout).toContain(column);
    expect(stdout.includes('file = "payees.csv"')).toBe(template.lookupBy !== undefined);
  });
});

describe("what is said and written", () => {
  test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ["a field that is none", { set: ["ammount=Net Pay"] }, /--set ammount=Net Pay: this is no field/],
    ["a column that is none", { set: ["amount=Gross"] }, /has no column "Gross"\n.*"Net Pay"/],
    ["no value", { const: ["debit_account_id"] }, /--const debit_account_id: this is no field/],
    ["a field twice", { const: [DEBIT, DEBIT] }, /debit_account_id=ACC-OPS-01: this is no field/],
    ["another unit", { unit: "cents" }, /no unit "cents"/],
    ["another option", { option: "C" }, /no option "C"/],
    ["one account for everybody", { const: ["bank_acc_num=50100271828001"] }, /--const bank_acc_num: it differs/],
    ["one amount for everybody", { const: ["amount=5"] }, /--const amount: it differs/],
    ["a period for ever", { const: ["period=2026-11"] }, /--const period: it differs/],
    ["a field of others", { const: ["tenure=12"], option: "B", operation: "payout" }, /option B has no tenure/],
  ])("%s → a usage error, nothing written", async (_, flags, message) => {
    const { map, toml } = desk();
    const { code, stderr, stdout } = await map({ write: true, ...flags });
    expect({ code, stdout, isWritten: existsSync(toml) }).toEqual({ code: 2, stdout: "", isWritten: false });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain("0271828");
  });

  test("without --write → the tables on stdout alone; with it at the end of the settings", async () => {
    const { map, toml } = desk();
    const { code, stdout } = await map(SAID);
    expect([code, existsSync(toml)]).toEqual([0, false]);
    expect((await map({ ...SAID, write: true })).stdout).toContain(`wrote [mapping.pay] to ${toml}`);
    expect(readFileSync(toml, "utf8")).toBe(stdout);
    expect(statSync(toml).mode & 0o777).toBe(0o600);
    expect((await map(SAID)).stderr).toContain("the mapping pay is already for exactly these columns");
  });

  test("settings that are there → their own lines stay byte for byte, and all are read again", async () => {
    const { map } = desk();
    const path = join(temporaryDirectory(), "paydrop.toml");
    const before = '# ours\nconcurrency = 3 # "x"';
    writeFileSync(path, before, { mode: 0o640 });
    const said = { const: [DEBIT, 'payment_mode=NE"FT\\'], set: ["narration=Mode of payment"], unit: "rupees" };
    const written = await map({ ...said, write: true, config: path, name: "hrms" });
    expect([written.code, written.stdout]).toEqual([0, expect.stringContaining(`check pay.csv --config ${path}\n`)]);
    expect(readFileSync(path, "utf8").startsWith(`${before}\n\n# How the columns`)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    const { config } = loadSettings({ flags: { config: path }, env: { HOME: temporaryDirectory() } });
    expect(config.mappings).toMatchObject([
      {
        ...{ name: "hrms", operation: "payout", option: "B", amountUnit: "rupees" },
        header: ["Emp No", "Employee Name", "Account No.", "IFSC", "Net Pay", "Mode of payment"],
        constants: { debit_account_id: "ACC-OPS-01", payment_mode: 'NE"FT\\' },
      },
    ]);
  });

  test("case 15: a bank's own upload file → how to make columns of it", async () => {
    const { code, stderr } = await desk(
      "FILEHDR,ACC-OPS-01,20261128,2,2300.00\nNEFT,90010000000011,EXMB0100200,1.00\n",
    ).map();
    expect([code, stderr]).toEqual([2, expect.stringContaining("Put one line with their names in its place")]);
  });

  test("values where a header should stand, a missing file → refused, shown to nobody", async () => {
    const { code, stdout, stderr } = await desk("asha@example.com,100.5,INR,ID001,Thanks,PAYPAL\n").map();
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).not.toContain("asha");
    expect((await called(run, { operands: ["/nowhere/a.csv"], env: { HOME: temporaryDirectory() } })).code).toBe(2);
  });

  test("--json → one object for a program", async () => {
    const { stdout, stderr, code } = await desk().map({ ...SAID, json: true });
    expect([code, stderr]).toEqual([0, ""]);
    const said = { type: "mapping", name: "pay", written_to: null, operation: "payout", option: "B" };
    expect(JSON.parse(stdout)).toMatchObject({ ...said, amount_unit: "rupees" });
  });
});
