import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { TEMPLATES, type Template } from "../../src/reader/mapping/templates.ts";
import { tomlAt } from "../support/mappings.ts";
import { paydrop, type Ended } from "../support/paydrop.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { HAS_PTY, onTerminal } from "../support/terminal.ts";

const HEADER = "Emp No,Employee Name,Account No.,IFSC,Net Pay,Mode of payment";
const ROWS = [
  "E1,Asha Rao,50100271828001,HDFC0001234,52250,NEFT",
  "E2,Ravi Nair,50100271828002,HDFC0001234,5225,NEFT",
  "E3,Zoya Khan,50100271828003,HDFC000123,5225,NEFT",
];
const FILE = `${[HEADER, ...ROWS].join("\n")}\n`;
/** The account's column has a name that nobody knows, and its values look like nothing that is known. */
const BANK_FILE =
  "Beneficiary Name,Beneficiary A/c No.,Bank IFSC,Amount,Remarks\nAsha Rao,X-1,HDFC0001234,52250.00,Nov\n";

interface Desk {
  readonly folder: string;
  readonly toml: string;
  readonly map: (...more: string[]) => Promise<Ended>;
  readonly paydrop: (...operands: string[]) => Promise<Ended>;
}

function openDesk(content = FILE, name = "pay.csv"): Desk {
  const home = temporaryDirectory();
  const folder = join(home, "files");
  mkdirSync(folder);
  writeFileSync(join(folder, name), content);
  const call = (...operands: string[]): Promise<Ended> => paydrop(operands, { HOME: home, LANG: "C.UTF-8" }, folder);
  return {
    folder,
    toml: join(home, ".config/paydrop/paydrop.toml"),
    map: (...more) => call("map", name, ...more),
    paydrop: call,
  };
}

const SAID = ["--const", "debit_account_id=ACC-OPS-01", "--unit", "rupees"];

describe("paydrop map", () => {
  test("says what it would make of each column and why, and what only a person knows", async () => {
    const { map } = openDesk();
    const { code, stdout, stderr } = await map();
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("read as payout, option B");
    expect(stderr).toMatch(/^ {2}Employee Name +name +another name for it +A••, R••$/m);
    expect(stderr).toMatch(/^ {2} +bank_owner_name +the same person$/m);
    expect(stderr).toMatch(/^ {2}Account No\. +bank_acc_num +another name for it: the payee's, not yours\? +••8001, ••8002$/m); // prettier-ignore
    expect(stderr).toMatch(/^ {2}Emp No +- +stays in the results, not sent +E••, E••$/m);
    expect(stderr).toContain('nothing gives debit_account_id, amount_unit; columns without a meaning: "Emp No"');
    expect(stderr).toContain("--const debit_account_id=VALUE or --set debit_account_id=COLUMN; --unit rupees or --unit paise"); // prettier-ignore
    expect(stderr).not.toMatch(/5010027|Asha/);
  });

  test("shows no number in groups and no second address of what nobody knows", async () => {
    const desk = openDesk();
    writeFileSync(
      join(desk.folder, "ids.csv"),
      'Net Pay,Aadhaar,Remark,Email\n1.00,1234-5678-9012,5010 0271 8281,"a@x.in, ravi@y.in"\n',
    );
    const { stderr } = await desk.paydrop("map", "ids.csv", "--operation", "payout");
    expect(stderr).toMatch(/^ {2}Aadhaar .*••9012$/m);
    expect(stderr).toMatch(/^ {2}Remark +narration .*••8281$/m);
    expect(stderr).not.toMatch(/5678|0271|ravi/);
  });

  test("without --write the tables go to stdout, and the check under them to stderr", async () => {
    const desk = openDesk();
    const { code, stdout, stderr } = await desk.map(...SAID, "--name", "hrms");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^mapping hrms$/m);
    expect(stderr).toMatch(/^2 ready {3}1 invalid {8}nothing was sent$/m);
    const path = tomlAt(join(desk.folder, "..", "own.toml"), stdout);
    const { mappings } = loadConfig({ env: { HOME: "/nonexistent" }, flags: { config: path } });
    expect(mappings).toMatchObject([
      {
        name: "hrms",
        operation: "payout",
        option: "B",
        amountUnit: "rupees",
        header: HEADER.split(","),
        constants: { debit_account_id: "ACC-OPS-01" },
      },
    ]);
    const checked = await desk.paydrop("check", "--config", path, "pay.csv");
    expect(checked.stdout).toMatch(/^mapping hrms$/m);
  });

  test("with --write it adds them to the settings, whose own lines stay byte for byte", async () => {
    const desk = openDesk();
    const before = '# ours\r\nconcurrency = 3 # few\nown_columns = ["Grade"]';
    const path = tomlAt(join(desk.folder, "..", "own.toml"), before);
    chmodSync(path, 0o640);
    const { code, stdout } = await desk.map("--write", "--config", path, "--name", "hrms", ...SAID);
    expect(code).toBe(0);
    expect(stdout).toContain(`wrote [mapping.hrms] to ${path}\n  → a paydrop watch that is running reads it when`);
    const text = readFileSync(path, "utf8");
    expect(text.startsWith(`${before}\n\n# How the columns of pay.csv are read, confirmed on 20`)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    const { concurrency, mappings } = loadConfig({ env: { HOME: "/nonexistent" }, flags: { config: path } });
    expect([concurrency, mappings.map(({ name }) => name)]).toEqual([3, ["hrms"]]);

    const again = await desk.map("--write", "--config", path, "--name", "other", ...SAID);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("the mapping hrms is already for exactly these columns")]); // prettier-ignore
    expect(again.stderr).toMatch(/→ paydrop check .*pay\.csv shows what it makes of the file/);
    writeFileSync(join(desk.folder, "pay.csv"), FILE.replace("Emp No", "Staff,No").replaceAll(/^E/gm, "x,E"));
    const sameName = await desk.map("--write", "--config", path, "--name", "hrms", ...SAID);
    expect([sameName.code, sameName.stderr]).toEqual([2, expect.stringContaining("there is a mapping hrms already")]);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("without settings it makes them for the user alone, and the file goes", async () => {
    const desk = openDesk();
    expect((await desk.map("--write", "--quiet", ...SAID)).code).toBe(0);
    expect(statSync(desk.toml).mode & 0o777).toBe(0o600);
    const ran = await desk.paydrop("run", "--sandbox", "pay.csv");
    expect([ran.code, ran.stdout]).toEqual([3, expect.stringMatching(/accepted +2 +57475\.00/)]);
  });

  test("a file named by --config that is not there yet is made, and read from then on; only to write", async () => {
    const desk = openDesk();
    const path = join(desk.folder, "..", "office", "own.toml");
    const unwritten = await desk.map("--config", path, ...SAID);
    expect([unwritten.code, unwritten.stderr]).toEqual([2, expect.stringContaining("there is no such file")]);
    const lacking = await desk.map("--write", "--config", path, "--name", "hrms");
    expect([lacking.code, existsSync(path)]).toEqual([2, false]);
    const { code, stdout } = await desk.map("--write", "--config", path, "--name", "hrms", ...SAID);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`wrote [mapping.hrms] to ${path}, a new file\n`)]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(desk.toml)).toBe(false);
    const checked = await desk.paydrop("check", "--config", path, "pay.csv");
    expect(checked.stdout).toMatch(/^mapping hrms$/m);
  });

  test("a rate of interest is not the amount of a loan, with or without another one beside it", async () => {
    const desk = openDesk();
    const rows =
      "Customer ID,Rate of Interest,Tenure,Sanctioned Amount\nC-1,12.50,12,250000.00\nC-2,11.00,24,90000.00\n";
    writeFileSync(join(desk.folder, "pay.csv"), rows);
    const { stdout } = await desk.map("--operation", "loan", "--unit", "rupees");
    expect(stdout).toContain('"Sanctioned Amount" = "amount"');
    writeFileSync(join(desk.folder, "pay.csv"), rows.replaceAll(/,[^,\n]*$/gm, ""));
    const without = await desk.map("--operation", "loan", "--unit", "rupees");
    expect(without.stdout + without.stderr).not.toContain('"Rate of Interest" = ');
  });

  test("columns that changed are proposed as the mapping that knew them", async () => {
    const desk = openDesk();
    await desk.map("--write", "--quiet", "--name", "hrms", ...SAID);
    writeFileSync(join(desk.folder, "pay.csv"), FILE.replaceAll(/$/gm, ",x").replace(",x", ",Grade").slice(0, -2));
    const refused = await desk.paydrop("check", "pay.csv");
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('hrms, but with "Grade" beside them')]);
    const { code, stdout, stderr } = await desk.map();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^ {2}Net Pay +amount +as in the mapping hrms/m);
    expect(stdout).toContain('[mapping.hrms-2.constants]\ndebit_account_id = "ACC-OPS-01"');
  });

  test("never into a drop folder", async () => {
    const desk = openDesk();
    const path = tomlAt(join(desk.folder, "paydrop.toml"), "concurrency = 3\n");
    const mark = { paydrop: { state_id: "x", last_attempt: 0, last_attempt_at: 0 } };
    writeFileSync(join(desk.folder, ".paydrop"), `${JSON.stringify(mark)}\n`);
    const { code, stderr } = await desk.map("--write", "--config", path, ...SAID);
    expect([code, stderr]).toEqual([2, expect.stringContaining("is a drop folder: settings do not belong there")]);
    expect(readFileSync(path, "utf8")).toBe("concurrency = 3\n");
  });

  test.each([
    [["--set", "ammount=Net Pay"], /there is no field "ammount"\n.*did you mean amount\?/],
    [["--set", "amount=Gross"], /the file has no column "Gross"\n.*"Net Pay"/],
    [["--const", "debit_account_id"], /--const debit_account_id is not field=/],
    [["--unit", "cents"], /--unit cents is not one of rupees, paise/],
    [["--lookup", "bene_id=a.csv"], /--lookup needs the column/],
    [["--option", "C"], /there is no option "C"/],
  ])("%j is a usage error that says what would be right", async (flags, message) => {
    const { code, stderr, stdout } = await openDesk().map(...flags);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("who receives the money comes from a column, and the advice says no other way", async () => {
    const { map } = openDesk(BANK_FILE);
    const bare = await map("--const", "debit_account_id=ACC-OPS-01", "payment_mode=NEFT");
    expect(bare.code).toBe(2);
    expect(bare.stderr).toContain("add --set bank_acc_num=COLUMN\n");
    expect(bare.stderr).not.toContain("--const bank_acc_num");
  });

  test.each([
    [
      "bank_acc_num=Beneficiary A/c No.",
      '--const bank_acc_num: "Beneficiary A/c No." is a column of the file; as a value it would be the bank_acc_num of every row\n' +
        '  → write --set "bank_acc_num=Beneficiary A/c No."\n',
    ],
    [
      "narration=REMARKS",
      "is a column of the file; as a value it would be the narration of every row\n  → write --set narration=Remarks\n",
    ],
    ["bank_acc_num=50100271828001", "name what differs from row to row: --set bank_acc_num=COLUMN\n"],
    ["ifsc_code=HDFC0001234", "--const ifsc_code: ifsc_code says who receives or owes the money"],
    ["to_account=ACC-1", "--set to_account=COLUMN"],
    ["vpa=asha@okbank", "--set vpa=COLUMN"],
    ["borrower_id=B-1", "--set borrower_id=COLUMN"],
    ["bene_id=B-1", "--lookup bene_id=TABLE.csv:COLUMN --lookup-by COLUMN"],
    ["period=2026-11", "a mapping is used again for later files, and would call them by this period too\n  → state it for each file with --period, or name a column: --set period=COLUMN\n"], // prettier-ignore
  ])("--const %s is no value for every row", async (pair, said) => {
    const { map, toml } = openDesk(BANK_FILE);
    const { code, stdout, stderr } = await map("--write", ...SAID, "--const", "payment_mode=NEFT", pair);
    expect({ code, stdout, isWritten: existsSync(toml) }).toEqual({ code: 2, stdout: "", isWritten: false });
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/0271828|asha/);
  });

  test("a file without a header is no header: nobody's address is shown as the name of a column", async () => {
    const { map } = openDesk("asha@example.com,100.5,INR,ID001,Thanks,PAYPAL\n");
    const { code, stdout, stderr } = await map();
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toContain("has no header row");
    expect(stderr).not.toContain("asha");
  });

  test("a column that is checked is not named as one without a meaning", async () => {
    const { map } = openDesk("transferId,amount,beneId,transferMode,bankAccount,ifsc,vpa,name,email,phone,remarks\nT1,1.00,,NEFT,50100271828001,HDFC0001234,,Asha,a@example.com,9800000001,x\n"); // prettier-ignore
    const { code, stderr } = await map();
    expect(code).toBe(2);
    expect(stderr).toMatch(/^paydrop: nothing gives debit_account_id$/m);
  });

  test("a file of a bank is no collection because of its amount; where only that is known, the operation is asked for", async () => {
    const bank = openDesk(
      "PYMT_MODE,DEBIT_ACC_NO,BNF_NAME,BENE_ACC_NO,BENE_IFSC,AMOUNT,MOBILE_NUM,EMAIL_ID\n" +
        "NEFT,50100271828001,Asha Rao,60200000000001,HDFC0001234,100.50,9800000001,a@x.example\n",
    );
    const proposed = await bank.map();
    expect(proposed.stderr).toContain("read as payout, option B");
    expect(proposed.stderr).not.toContain("nothing gives");
    const unknown = openDesk("Creditor,Institution,Amount\nAsha Rao,HDFC,100.50\n");
    expect((await unknown.map()).stderr).toContain("--operation payout or --operation transfer or --operation loan or --operation collection"); // prettier-ignore
  });

  test.each([
    ["Account No,Amount,Beneficiary Name,Beneficiary Account No,IFSC", "Beneficiary Account No", "bank_acc_num"],
    ["Name,Account No,IFSC,Salary,Gross Amount,Net Pay", "Net Pay", "amount"],
    ["Name,Account No,IFSC,Salary,Net Salary (Rs.)", "Net Salary \\(Rs\\.\\)", "amount"],
    ["Name,Account No,Branch Code,IFSC,Amount", "IFSC", "ifsc_code"],
    ["Name,Account No,IFSC,Beneficiary IFSC,Amount", "Beneficiary IFSC", "ifsc_code"],
    ["Name,Employee Name,Account No,IFSC,Amount", "Name", "name"],
    ["Name,bank_acc_num,Account No,IFSC,Amount", "bank_acc_num", "bank_acc_num"],
    ["Name,Account No,IFSC,Amount", "Amount", "amount"],
  ])("of %s the one that must be meant is %s", async (header, column, field) => {
    const { map } = openDesk(`${header}\n${header.split(",").map(() => "100.50").join(",")}\n`); // prettier-ignore
    const { stderr } = await map(...SAID, "--const", "payment_mode=NEFT");
    expect(stderr).toMatch(new RegExp(`^ {2}${column} +${field} `, "m"));
    expect(stderr).not.toContain("could each be");
  });

  test.each([
    ["Name,Account No,IFSC,Amount,Net Amount", "amount", '"Amount", "Net Amount" could each be amount'],
    ["Name,Account No,IFSC,Salary,Payable", "amount", '"Salary", "Payable" could each be amount'],
    [
      "Name,Account No,Bank Account,IFSC,Amount",
      "bank_acc_num",
      '"Account No", "Bank Account" could each be bank_acc_num',
    ],
  ])("of %s nobody but the person knows %s", async (header, field, said) => {
    const { map, toml } = openDesk(`${header}\n${header.split(",").map(() => "50100.50").join(",")}\n`); // prettier-ignore
    const more = [...SAID, "--const", "payment_mode=NEFT"];
    const asked = await map("--write", ...more);
    expect([asked.code, existsSync(toml)]).toEqual([2, false]);
    expect(asked.stderr).toContain(`paydrop: ${said}\n  → add --set ${field}=COLUMN\n`);
    expect(asked.stderr).toMatch(new RegExp(`may be ${field}, as another may; not read`));
    const column = /"([^"]+)" could/.exec(said)?.[1] ?? "";
    expect((await map("--write", ...more, "--set", `${field}=${column}`)).code).toBe(0);
    expect(readFileSync(toml, "utf8")).toContain(`"${column}" = "${field}"`);
  });

  test("two that may be an optional field are shown, and none of them is sent", async () => {
    const { map } = openDesk("Name,Account No,IFSC,Amount,Remarks,Description\nA,5010,HDFC0001234,1.00,x,y\n");
    const { code, stdout, stderr } = await map(...SAID, "--const", "payment_mode=NEFT");
    expect([code, stdout.includes("narration")]).toEqual([0, false]);
    expect(stderr).toMatch(/^ {2}Remarks +- +may be narration, as another may; not read/m);
  });

  test("an amount that is not read is shown, to compare it with the one that is", async () => {
    const { map } = openDesk("Name,Account No,IFSC,Gross,Net Pay\nA,50100271828001,HDFC0001234,50000.00,42000.00\n");
    const { stderr } = await map(...SAID, "--const", "payment_mode=NEFT");
    expect(stderr).toMatch(/^ {2}Gross +- +looks like an amount; not sent +50000\.00$/m);
    expect(stderr).not.toContain("0271828");
  });

  test.each([
    ["Amount (USD)", "USD"],
    ["Amount ($)", "\\$"],
    ["amount_usd", "usd"],
    ["AmountEUR", "EUR"],
    ["Amount (Rs. in lakhs)", "lakhs"],
    ["Amount in thousands (INR)", "thousands"],
    ["Amount (Rs '000)", "'000"],
    ["Amount (INR Cr)", "Cr"],
    ["Amount (K)", "K"],
  ])("the unit of %s is the person's to say", async (column, other) => {
    const { map } = openDesk(`Name,Account No,IFSC,${column}\nA,5010,HDFC0001234,12.50\n`);
    const more = ["--const", "debit_account_id=ACC-OPS-01", "payment_mode=NEFT"];
    const { code, stderr } = await map(...more, "--set", `amount=${column}`);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      new RegExp(`nothing gives amount_unit\n  → The column ".*" says ${other}: nothing is converted`),
    );
    expect((await map(...more, "--unit", "rupees", "--set", `amount=${column}`)).code).toBe(0);
  });

  test.each(["Amount", "Amount (Rs.)", "Net Pay (₹)", "Amount in INR", "Payable Amount (Rupees)", "Amount Credited"])(
    "%s with decimals is rupees",
    async (column) => {
      const { map } = openDesk(`Name,Account No,IFSC,${column}\nA,5010,HDFC0001234,12.50\n`);
      const { code, stderr } = await map("--const", "debit_account_id=ACC-OPS-01", "payment_mode=NEFT");
      expect([code, stderr]).toEqual([0, expect.stringContaining("amounts are rupees")]);
    },
  );

  test.each([
    ["Currency", ["USD", "INR"], '["INR"]'],
    ["Payment Currency", ["INR", "INR"], '["INR"]'],
    ["CCY", ["Rs.", "INR"], '["INR", "Rs."]'],
    ["Currency Code", ["", ""], '["INR", ""]'],
  ])("a column %s of %j must be %s", async (column, cells, values) => {
    const rows = cells.map((cell, index) => `A,5010${index},HDFC0001234,1${index}.00,${cell}\n`);
    const { map } = openDesk(`Name,Account No,IFSC,Amount,${column}\n${rows.join("")}`);
    const { code, stdout } = await map("--const", "debit_account_id=ACC-OPS-01", "payment_mode=NEFT");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^"?${column}"? = ${values.replace(/[[\].]/g, "\\$&")}$`, "m"));
  });

  test("a collection's own currency is sent, not checked", async () => {
    const { map } = openDesk("UPI ID,Amount,Currency\na@okbank,10.00,USD\n");
    const { stdout } = await map();
    expect(stdout).toMatch(/^"?Currency"? = "currency"$/m);
    expect(stdout).not.toContain("must_be");
  });

  test("a currency that would not be sent is refused, also where a column says it; rupees may be said", async () => {
    const { map } = openDesk([`${HEADER},Unit of pay`, ...ROWS.map((row) => `${row},USD`)].join("\n"));
    for (const said of ["USD", "dollars"]) {
      const constant = await map(...SAID, "--const", `currency=${said}`);
      expect([constant.code, constant.stdout]).toEqual([2, ""]);
      expect(constant.stderr).toContain(
        "--const currency: a payout of option B has no currency: amounts are sent as they stand, as rupees\n" +
          "  → pay what is in another currency another way",
      );
    }
    const column = await map(...SAID, "--set", "currency=Unit of pay");
    expect([column.code, column.stderr]).toEqual([2, expect.stringContaining('leave it out; with "Unit of pay" = ["INR"] under must_be')]); // prettier-ignore
    expect((await map(...SAID, "--const", "currency=INR")).code).toBe(0);
    const tenure = await map(...SAID, "--const", "tenure=12");
    expect([tenure.code, tenure.stderr]).toEqual([2, expect.stringContaining("--const tenure: a payout of option B has no tenure\n  → leave it out")]); // prettier-ignore
    const collection = openDesk("UPI ID,Amount\na@okbank,10.00\n");
    const { code, stdout } = await collection.map("--const", "currency=USD");
    expect([code, stdout]).toEqual([0, expect.stringContaining('currency = "USD"')]);
  });

  test("as JSON for a program", async () => {
    const { code, stdout } = await openDesk().map("--json", ...SAID, "--set", "reference=Emp No");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      type: "mapping",
      name: "pay",
      written_to: null,
      amount_unit: "rupees",
      columns: expect.arrayContaining([{ column: "Emp No", field: "reference", why: "you said so" }]) as unknown,
    });
  });
});

describe.skipIf(!HAS_PTY)("on a terminal", () => {
  test.each([
    ["y", 0, /wrote \[mapping\.pay\]/, true],
    ["n", 0, /\[mapping\.pay\.constants\]/, false],
  ])("it asks for what only a person knows, and whether to write: %s", (last, code, said, isWritten) => {
    const desk = openDesk();
    const answers = ["ACC-OPS-01", "dollars", "rupees", last];
    const home = { HOME: join(desk.folder, "..") };
    const ended = onTerminal(["map", "pay.csv"], home, { columns: 200, cwd: desk.folder, answers });
    expect(ended.code).toBe(code);
    expect(ended.seen).toMatch(/debit_account_id: one value for every row/);
    expect(ended.seen.match(/rupees or paise\?/g)).toHaveLength(2);
    expect(ended.seen).toMatch(said);
    expect(existsSync(desk.toml)).toBe(isWritten);
  });
});

describe.skipIf(!HAS_PTY)("asked on a terminal for the payee's account", () => {
  const askedFor = (answer: string): { code: number | null; seen: string } => {
    const desk = openDesk(BANK_FILE);
    const said = ["--const", "debit_account_id=ACC-OPS-01", "payment_mode=NEFT"];
    const home = { HOME: join(desk.folder, "..") };
    return onTerminal(["map", "pay.csv", ...said], home, { columns: 200, cwd: desk.folder, answers: [answer, "n"] });
  };

  test("a column in [ ] is taken", () => {
    const { code, seen } = askedFor("[beneficiary a/c no.]");
    expect(code).toBe(0);
    expect(seen).toContain("bank_acc_num: the name of a column in [ ]: ");
    expect(seen).toContain('"Beneficiary A/c No." = "bank_acc_num"');
  });

  test.each([
    ["Beneficiary A/c No.", "→ write [Beneficiary A/c No.]"],
    ["50100271828001", "--set bank_acc_num=COLUMN"],
  ])("%s is not", (answer, said) => {
    const { code, seen } = askedFor(answer);
    expect([code, seen]).toEqual([2, expect.stringContaining(said)]);
  });
});

describe("a published template, read from a file of its shape", () => {
  const CELLS: Readonly<Record<string, string>> = {
    "Payout Amount": "5225000",
    "Payout Amount (in Rupees)": "52250.00",
    "Payout Currency": "INR",
    "Payout Mode": "NEFT",
    "Payout Reference Id": "SAL-1",
    "Fund Account Type": "bank_account",
    "Fund Account Name": "Asha Rao",
    "Fund Account Ifsc": "HDFC0001234",
    "Fund Account Number": "50100271828001",
    "Contact Name": "Asha Rao",
    "RazorpayX Account Number": "7878780080316316",
    transferId: "SAL-1",
    transferMode: "NEFT",
    bankAccount: "50100271828001",
    ifsc: "HDFC0001234",
    name: "Asha Rao",
    amount: "52250.00",
    recipientId: "K1",
    recipient: "K1",
    payee_identifier: "K1",
    recipientEmail: "K1",
    sourceCurrency: "INR",
    currency: "INR",
    amountCurrency: "source",
    payment_mode: "GSMA",
    request_id: "SAL-1",
    "customer id": "SAL-1",
  };
  const UNUSUAL: Readonly<Record<string, [column: string, cell: string]>> = {
    razorpayx: ["Fund Account Type", "vpa"],
    "razorpayx-paise": ["Payout Currency", "USD"],
    cashfree: ["vpa", "asha@okbank"],
    wise: ["sourceCurrency", "EUR"],
    paypal: ["currency", "USD"],
    phee: ["currency", "KES"],
  };
  const LOOKED_UP = ["recipientId", "recipient", "payee_identifier", "recipientEmail"];

  const fileOf = ({ name }: Template, header: readonly string[]): string => {
    const [column, cell] = UNUSUAL[name] ?? ["", ""];
    const lines = [CELLS, { ...CELLS, [column]: cell }].map((cells) => header.map((one) => cells[one] ?? "").join(","));
    return `${[header.join(","), ...lines].join("\n")}\n`;
  };

  const shapes = TEMPLATES.flatMap((template) =>
    template.headers.map((header, index) => [`${template.name} ${index + 1}`, template, header] as const),
  );

  test.each(shapes)("%s", async (_, template, header) => {
    const desk = openDesk(fileOf(template, header));
    const refused = await desk.paydrop("check", "pay.csv");
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringMatching(/paydrop map \/\S+\/pay\.csv /)]);

    const bare = await desk.map("--write");
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("nothing gives debit_account_id")]);
    for (const limit of template.limits) expect(bare.stderr).toContain(limit);

    writeFileSync(join(desk.folder, "payees.csv"), "key,bene,bank\nK1,BENE-1,101\n");
    const by = LOOKED_UP.find((column) => header.includes(column)) ?? "";
    const more =
      template.option === "B"
        ? ["--const", "debit_account_id=ACC-OPS-01"]
        : ["--const", "debit_account_id=ACC-OPS-01", "payment_mode=NEFT", "--lookup", "bene_id=payees.csv:bene", "bene_bank_id=payees.csv:bank", "--lookup-by", by, "--lookup-key", "key"]; // prettier-ignore
    const written = await desk.map("--write", ...more);
    expect({ code: written.code, stderr: written.stderr.match(/^paydrop: .*/m)?.[0] }).toEqual({ code: 0 });
    const checked = await desk.paydrop("check", "--json", "pay.csv");
    const objects = checked.stdout.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
    const unusual = UNUSUAL[template.name]?.[0];
    expect(objects[0]).toMatchObject({ row: 3, status: "invalid", faults: [{ code: "value_not_taken", column: unusual }] }); // prettier-ignore
    expect(objects.at(-1)).toMatchObject({ amount: { ready: "52250.00" }, mapping: { name: template.name } });
    expect(JSON.stringify(objects.at(-1)).includes("amount_unit")).toBe(template.amountUnit === "paise");
  });
});
