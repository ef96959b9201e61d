import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run as map } from "../../src/commands/map.ts";
import { run as reconcile } from "../../src/commands/reconcile.ts";
import { jsonLines } from "../support/call.ts";
import { called } from "../support/calls.ts";
import { TestDesk } from "../support/desk.ts";
import { paydrop, type Ended } from "../support/paydrop.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { bookFile, textRow } from "../support/workbooks.ts";

const TWO_COLUMNS = `COSMOS BANK LTD,,,,,,
Account Number : 123456789012344,,,,,,
Sr No,Posting Date,Value Date,Particulars,Instrument No,Withdrawals (Dr),Deposits (Cr),Running Balance
1,03/11/2026,04/11/2026,NEFT DR ASHA RAO INV-41,000123,"25,000.00",,"4,75,000.00"
2,04/11/2026,04/11/2026,IMPS RAVI KUMAR INV-42,,"1,18,000.00",,"3,57,000.00"
3,13/11/2026,13/11/2026,CLIENT PAYMENT,,,"1,00,000.00","4,57,000.00"
,,,Total,,"1,43,000.00","1,00,000.00",
`;
const SIDES = `Date;Details;UTR;Amount;Dr/Cr;Closing Balance;Dr/Cr
03-Nov-2026;NEFT ASHA RAO;N123;25000.00;Dr;475000.00;Cr
04-Nov-2026;IMPS RAVI;N124;118000.00;DR;357000.00;Cr
05-Nov-2026;REFUND;N125;18000.00;Cr;375000.00;Cr
`;
const SIGNED = `Booking Date\tDescription\tBank Reference\tAmount\tBalance
2026-11-05\tREFUND\tN125\t18000.00\t375000.00
2026-11-04\tIMPS RAVI\tN124\t-118000.00\t357000.00
2026-11-03\tNEFT ASHA RAO\tN123\t-25000.00\t475000.00
`;
const GERMAN = `"Konto";"DE02100000000000004471"
""
"Buchungsdatum";"Wertstellung";"Status";"Zahlungsempfänger*in";"Verwendungszweck";"IBAN";"Betrag (€)";"Kundenreferenz"
"13.11.26";"13.11.26";"Gebucht";"Jörg Weiß";"Gehalt";"DE02100000000000000777";"-118.000";"E031"
"05.11.26";"05.11.26";"Gebucht";"Asha Rao";"Gehalt";"DE02100000000000000778";"-25.000,00";"E032"
"04.11.26";"04.11.26";"Gebucht";"Nordwind GmbH";"Rechnung 118";"DE02100000000000000333";"12.480,5";""
`;

/** A machine of its own: a home without settings, and a file. */
function machine(content: string | Uint8Array, name = "cosmos.csv") {
  const home = temporaryDirectory();
  const file = join(home, name);
  writeFileSync(file, content);
  const env = { HOME: home };
  const flagsOf = (flags: object): object => ({ state_dir: join(home, "state"), environment: "test", ...flags });
  return {
    file,
    toml: join(home, ".config/paydrop/paydrop.toml"),
    map: (flags: Readonly<Record<string, unknown>> = {}) => called(map, { operands: [file], flags, env }),
    reconcile: (flags: object = {}): Promise<Ended> =>
      called(reconcile, { operands: [file], flags: { ...flagsOf({ account: "ACC-OPS-01" }), ...flags }, env }),
  };
}

describe("a statement of another bank → mapped, written, and read from then on", () => {
  test.each<[string, string, readonly string[], object]>([
    [
      "debit and credit columns, titles and sums around",
      TWO_COLUMNS,
      [
        'day = "Posting Date"\nvalue_day = "Value Date"\ntext = [ "Particulars" ]\nreferences = [ "Instrument No" ]',
        'debit = "Withdrawals (Dr)"\ncredit = "Deposits (Cr)"\nbalance = "Running Balance"\nbeside = [ "Sr No" ]',
      ],
      { chain: "whole", days: ["2026-11-03", "2026-11-13"] },
    ],
    [
      "one amount, DR or CR in a column beside it",
      SIDES,
      ['references = [ "UTR" ]\namount = "Amount"\nside = "Dr/Cr"\nbalance = "Closing Balance"\n'],
      { chain: "whole", days: ["2026-11-03", "2026-11-05"] },
    ],
    [
      "one amount with its sign, the newest first, tabs",
      SIGNED,
      ['day = "Booking Date"\ntext = [ "Description" ]\nreferences = [ "Bank Reference" ]\namount = "Amount"\nbalance'],
      { chain: "whole", days: ["2026-11-03", "2026-11-05"] },
    ],
    [
      "German, a decimal comma, no balance",
      GERMAN,
      [
        'day = "Buchungsdatum"\nvalue_day = "Wertstellung"\ntext = [ "Zahlungsempfänger*in", "Verwendungszweck", "IBAN" ]',
        'references = [ "Kundenreferenz" ]\namount = "Betrag (€)"\nbeside = [ "Status" ]\ndecimal_comma = true',
      ],
      { chain: "none", days: ["2026-11-04", "2026-11-13"] },
    ],
  ])("%s", async (_, content, lines, summary) => {
    const here = machine(content);
    expect((await here.reconcile()).stderr).toMatch(/no statement that paydrop knows.*\n.*paydrop map cosmos\.csv$/m);
    const shown = await here.map();
    expect([shown.code, existsSync(here.toml)]).toEqual([0, false]);
    expect(shown.stderr).toMatch(/read so: 2 debits of 143000\.00, 1 credit of/);
    for (const line of lines) expect(shown.stdout).toContain(line);
    expect((await here.map({ write: true })).stdout).toMatch(
      /^wrote \[statement\.cosmos\].*\n.*reconcile cosmos\.csv$/m,
    );
    const found = jsonLines((await here.reconcile({ json: true })).stdout);
    const debits = found.filter(({ what }) => what === "strange").map(({ amount }) => Number(amount));
    expect(debits.sort((one, other) => one - other)).toEqual([25_000, 118_000]);
    expect(found.at(-1)).toMatchObject({ type: "summary", layout: "cosmos", lines: 3, ...summary });
    expect((await here.map()).stderr).toContain("read already, as cosmos");
  });

  test("a workbook with days and numbers in its cells", async () => {
    const row = (at: number, day: number, debit: string, balance: string): string =>
      `<row r="${at}"><c r="A${at}" s="1"><v>${day}</v></c><c r="B${at}" t="inlineStr"><is><t>x</t></is></c>` +
      `<c r="C${at}"><v>${debit}</v></c><c r="E${at}"><v>${balance}</v></c></row>`;
    const sheet = textRow(3, ["Date", "Details", "Paid out", "Paid in", "Balance"]) + row(4, 46330, "5.5", "94.5");
    const here = machine(
      readFileSync(bookFile({ sheets: { A: sheet + row(5, 46331, "4.5", "90") }, formats: ["dd-mm-yyyy"] })),
      "cosmos.xlsx",
    );
    expect((await here.map({ write: true })).stderr).toContain("read so: 2 debits of 10.00, 0 credits of 0.00");
    const found = jsonLines((await here.reconcile({ json: true })).stdout);
    expect(found.at(-1)).toMatchObject({ layout: "cosmos", lines: 2, chain: "whole" });
  });

  test("each column, as what, why, and values in which accounts are masked", async () => {
    const { stderr } = await machine(GERMAN).map();
    expect(stderr).toMatch(/^ {2}IBAN +text +its name and its values +DE••0777, DE••0778$/m);
    expect(stderr).toMatch(/^ {2}Status +- +not read +Gebucht$/m);
    expect(stderr).toMatch(/^ {2}Betrag \(€\) +amount +.* -118\.000, -25\.000,00$/m);
  });

  test("a row that went → found in it by a process of its own", async () => {
    const desk = await TestDesk.open();
    desk.now = Date.UTC(2026, 10, 3, 5);
    const header = "debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode,reference,bank_id";
    const row = "ACC-OPS-01,Asha Rao,90010000008901,SBIN0001234,Asha Rao,25000.00,NEFT,INV-41,1";
    await desk.run("payroll.csv", `${header}\n${row}\n`, () => 500);
    await desk.store.close();
    const file = desk.write("cosmos.csv", TWO_COLUMNS);
    const env = { HOME: temporaryDirectory() };
    const with_ = ["--state-dir", desk.config.state_dir, "--environment", "test"];
    const compared = ["reconcile", file, "--account", "ACC-OPS-01", "--json", ...with_];
    expect((await paydrop(compared, env)).code).toBe(5);
    expect((await paydrop(["map", file, "--write", "--name", "cosmos-ops"], env)).code).toBe(0);
    const found = jsonLines((await paydrop(compared, env)).stdout);
    expect(found[0]).toMatchObject({ what: "proposed", row: 2, line: 4, as: "done", evidence: "reference" });
    expect(found.at(-1)).toMatchObject({ layout: "cosmos-ops", exit_code: 4 });
  });
});

describe("what only a person can say", () => {
  test("two columns that may be the day → asked, nothing written; then as they said", async () => {
    const here = machine("Txn Date,Tran Date,Info,Debit,Credit\n13/11/2026,14/11/2026,x,5.00,\n");
    const asked = await here.map({ write: true });
    expect([asked.code, existsSync(here.toml)]).toEqual([2, false]);
    expect(asked.stderr).toContain('"Txn Date", "Tran Date" could each be day; nothing gives text');
    expect(asked.stderr).toContain("→ Add --set day=COLUMN; --set text=COLUMN.");
    const set = ["day=tran date", "text=Info"];
    expect((await here.map({ write: true, set })).code).toBe(0);
    expect(readFileSync(here.toml, "utf8")).toContain('day = "Tran Date"\ntext = [ "Info" ]\ndebit = "Debit"');
  });

  test("names that nobody knows → read as they are said, in pairs or as one amount", async () => {
    const here = machine("Wann,Was,Wieviel,Wer\n13/11/2026,x,-5.00,a\n");
    const set = ["day=Wann", "text=Was", "text=Wer", "amount=Wieviel"];
    expect((await here.map({ set })).stdout).toContain('text = [ "Was", "Wer" ]\namount = "Wieviel"');
    expect((await here.map({ set: [...set, "day=Was"] })).stderr).toContain("--set day=Was: this is no field");
    expect((await here.map({ set: ["day=When"] })).stderr).toContain('names the columns "When"');
  });

  test.each<[string, string, object]>([
    [
      "accounts and IFSC",
      "Date,Name,Account No,IFSC,Amount,Balance\n13/11/2026,A,50100271828001,SBIN0001234,5.00,1\n",
      {},
    ],
    ["a payee's field said", SIGNED, { set: ["name=Description"] }],
    ["an operation said", SIGNED, { operation: "payout" }],
    ["dates and amounts alone", "Date,Name,Amount\n13/11/2026,A,5.00\n", {}],
  ])("%s → a file of payments", async (_, content, flags) => {
    const { stderr } = await machine(content).map({ ...flags });
    expect(stderr).not.toContain("bank's statement");
  });

  test("a layout by which the file cannot be read → refused before it is written", async () => {
    const here = machine(`${TWO_COLUMNS}4,14/11/2026,,RENT,,12.x,,1\n`);
    const refused = await here.map({ write: true });
    expect([refused.code, existsSync(here.toml)]).toEqual([5, false]);
    expect(refused.stderr).toContain("row 8, column Withdrawals (Dr): this is no amount");
  });

  test("a bank that is known, a name that is taken → said", async () => {
    const hdfc = "Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance\n";
    expect((await machine(hdfc).map()).stderr).toMatch(/read already, as HDFC\n.*reconcile cosmos\.csv/);
    const here = machine(SIGNED);
    await here.map({ write: true });
    writeFileSync(here.file, SIDES);
    expect((await here.map()).stderr).toContain("there is a mapping cosmos already");
  });
});
