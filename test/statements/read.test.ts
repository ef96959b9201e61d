import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LAYOUTS } from "../../src/statements/layouts.ts";
import { readStatement as open, type Line, type Statement, type StatementOptions } from "../../src/statements/read.ts";
import { spelledOut } from "../../src/column-name.ts";
import { bookFile, textRow, workbookFile } from "../support/workbooks.ts";
import { faultOf, fileOf } from "../support/tables.ts";

const SAMPLES = join(import.meta.dirname, "../../samples/statements");

type Whole = Omit<Statement, "lines"> & { readonly lines: readonly Line[] };

async function readStatement(path: string, options?: StatementOptions): Promise<Whole> {
  const { lines, ...about } = await open(path, options);
  return { ...about, lines: [...lines] };
}

/** `14 2026-11-05/2026-11-05 -61500.50 =1985400.00 [DEMBN52026110511] NEFT DR-…`: all that is read of an entry. */
function shown({ line, day, valueDay, direction, amount, balance, references, text }: Line): string {
  const sign = direction === "debit" ? "-" : "+";
  return [`${line} ${day}`, valueDay, `${sign}${amount}`, `=${balance ?? ""}`, `[${references.join()}]`, text]
    .filter((one) => one !== undefined)
    .join(" ");
}

const read = (text: string, options?: StatementOptions, name = "a.csv"): Promise<Whole> =>
  readStatement(fileOf(name, text), options);

/** Of each line: day, sign, amount. */
const gist = ({ lines }: Pick<Whole, "lines">): string[] =>
  lines.map(({ day, direction, amount }) => `${day.slice(5)} ${direction === "debit" ? "-" : "+"}${amount}`);

describe("the samples", () => {
  test("HDFC: titles, wrapped narrations, sums below → its entries", async () => {
    const { lines, ...rest } = await readStatement(join(SAMPLES, "hdfc.csv"));
    expect(rest).toEqual({
      ...{ layout: "HDFC", fileName: "hdfc.csv", account: "50100012344471", chain: "whole" },
      days: ["2026-11-02", "2026-11-17"],
    });
    expect(lines.map(shown)).toEqual([
      "11 2026-11-02 2026-11-02 +250000.00 =2095000.50 [0000EXMB26306118] NEFT CR-EXMB0000001-NORTHWIND TRADERS-MERIDIAN-INV 2026/311",
      "12 2026-11-05 2026-11-05 -48100.00 =2046900.50 [TRLBN52026110500] NEFT DR-TRLB0100237-RAVI NAIR-MERIDIAN-TRLBN52026110500 SALARY NOVEMBER 2026",
      "14 2026-11-05 2026-11-05 -61500.50 =1985400.00 [DEMBN52026110511] NEFT DR-DEMB0100274-MEENA IYER-MERIDIAN-SALARY",
      "15 2026-11-05 2026-11-05 -72800.00 =1912600.00 [0000630912345678] IMPS-630912345678-SURESH PILLAI-DEMB-XXXXXXXX9606 SALARY NOV EMPLOYEE E006",
      "18 2026-11-06 2026-11-06 +61500.50 =1974100.50 [DEMBN52026110511] NEFT RETURN-MEENA IYER-DEMBN52026110511-A/C CLOSED",
      "19 2026-11-17 2026-11-17 -18750.00 =1955350.50 [0000000000000412] CHQ PAID-MICR-MUMBAI-PATIL STATIONERS",
    ]);
  });

  test("ICICI: newest first, zeros for nothing → in the order of booking", async () => {
    const { lines, ...rest } = await readStatement(join(SAMPLES, "icici.csv"));
    expect(rest).toMatchObject({ layout: "ICICI", account: "000405001234", chain: "whole" });
    expect(lines.map(shown)).toEqual([
      "16 2026-11-03 2026-11-04 -52250.00 =447750.00 [] NEFT-EXMBH26308/ASHA VERMA/SALARY NOVEMBER 2026",
      "15 2026-11-04 2026-11-04 -12500.00 =435250.00 [000871] CLG/PATIL STATIONERS/HDB",
      "14 2026-11-04 2026-11-04 +1250000.00 =1685250.00 [] RTGS-TRLBR52026110400/NORTHWIND TRADERS, MUMBAI",
      "13 2026-11-13 2026-11-13 -45000.00 =1640250.00 [] IMPS/631711223344/KAVITA JOSHI/E005",
    ]);
  });

  test("SBI: commas of amounts without quotes → the amounts", async () => {
    const { lines, ...rest } = await readStatement(join(SAMPLES, "sbi.csv"));
    expect(rest).toMatchObject({ layout: "SBI", account: "00000031234567890", chain: "whole" });
    expect(lines.map(shown)).toEqual([
      "16 2026-11-01 2026-11-01 +80000.00 =155000.00 [TRANSFER FROM 3199417044301] BY TRANSFER-NEFT*EXMB0000001*EXMB26305777*NORTHWIND TRADERS--",
      "17 2026-11-03 2026-11-03 -39500.00 =115500.00 [TRANSFER TO 4599417162092] TO TRANSFER-INB NEFT UTR NO: SBIN626307001234--IMRAN SHEIKH",
      "18 2026-11-03 2026-11-03 -33250.75 =82249.25 [MAB000171034] TO TRANSFER-INB IMPS630709887766/EXMB/ANITA DAS/E007--",
      "19 2026-11-10 2026-11-10 -17.70 =82231.55 [] DEBIT-SMS CHARGES--",
      "20 2026-11-12 2026-11-12 -9.99 =82221.56 [] TO TRANSFER-INB BULK POSTING--PAYROLL 2026-11",
    ]);
  });

  test("Axis: DR and CR exchanged → debits by the balances", async () => {
    const { lines, ...rest } = await readStatement(join(SAMPLES, "axis.csv"));
    expect(rest).toMatchObject({ layout: "Axis", account: "910020XXXXX4471", chain: "whole" });
    expect(lines.map(shown)).toEqual([
      "12 2026-11-03 -47250.00 =265250.00 [] NEFT/MB/AXMB026307/VIKRAM RAO/SALARY NOVEMBER 2026",
      "13 2026-11-03 -47250.00 =218000.00 [] NEFT/MB/AXMB026308/VIKRAM RAO/SALARY NOVEMBER 2026",
      "14 2026-11-04 +100000.00 =318000.00 [] IMPS/P2A/630811/NORTHWIND TRADERS/EXMB/INV 318",
      "15 2026-11-16 -25.00 =317975.00 [105521] BY CHQ PATIL STATIONERS",
    ]);
  });

  test("Sparkasse: one amount, decimal comma → without what is not booked", async () => {
    const { lines, ...rest } = await readStatement(join(SAMPLES, "sparkasse.csv"));
    expect(rest).toMatchObject({ layout: "Sparkasse", account: "DE02100000000000004471", chain: "none" });
    expect(lines.map(shown)).toEqual([
      "5 2026-11-05 2026-11-05 -985.00 = [E032] ONLINE-UEBERWEISUNG Gehalt November 2026 Anna Krüger DE02100000000000000778",
      "4 2026-11-05 2026-11-05 -3215.08 = [E031] ONLINE-UEBERWEISUNG Gehalt November 2026 Jörg Weiß DE02100000000000000777",
      "3 2026-11-12 2026-11-12 +12480.50 = [RE2026118] GUTSCHR. UEBERWEISUNG Rechnung 2026-118 vom 02.11.2026 Nordwind Handels GmbH DE02100000000000000333",
    ]);
  });
});

const SBI = "Txn Date,Value Date,Description,Ref No./Cheque No.,Debit,Credit,Balance";
/** A file of SBI's layout: of each entry its day, debit, credit and balance. */
const sbi = (...entries: readonly string[]): string =>
  `${SBI}\n${entries.map((one) => one.replace("|", ",,x,,").replaceAll("|", ",")).join("\n")}\n`;
const KOTAK = "Sl. No.,Transaction Date,Value Date,Description,Chq / Ref No.,Amount,Dr / Cr,Balance,Dr / Cr";

describe("layouts", () => {
  test("no header is that of two banks", () => {
    const sets = LAYOUTS.map(({ bank, day, valueDay, text, references, money, balance, account, beside = [] }) => {
      const names = [day, valueDay, ...text, ...references, ...Object.values(money), balance, account, ...beside];
      return { bank, names: new Set(names.flatMap((name) => (name === undefined ? [] : [spelledOut(name)]))) };
    });
    for (const one of sets)
      for (const other of sets) if (one !== other) expect(one.names.isSubsetOf(other.names), one.bank).toBe(false);
  });

  test.each([
    ["blanks, dots, units and capitals otherwise", SBI.toUpperCase().replace("DEBIT", " debit (INR )"), "."],
    ["columns in another order", "Balance,Credit,Debit,Ref No./Cheque No.,Value Date,Txn Date,Description", "turned"],
    ["other columns among them", SBI.replace("Debit", "Branch Code,Debit"), "Branch Code"],
  ])("%s → the same bank", async (_, header, kind) => {
    const row = {
      ".": "13/11/2026,,x,,5,,95",
      turned: "95,,5,,,13/11/2026,x",
      "Branch Code": "13/11/2026,,x,,77,5,,95",
    };
    const statement = await read(`${header}\n${row[kind as keyof typeof row]}\n`);
    expect([statement.layout, ...gist(statement)]).toEqual(["SBI", "11-13 -5.00"]);
  });

  test.each([
    [
      "tabs, named .xls, UTF-16",
      Buffer.from(`\ufeff${sbi("13/11/2026|5||95").replaceAll(",", "\t")}`, "utf16le"),
      "a.xls",
    ],
    ["a line sep=", `sep=;\r\n${sbi("13/11/2026|5||95").replaceAll(",", ";")}`, "a.csv"],
    ["39 lines above", `${"Title,1\n".repeat(39)}${sbi("13/11/2026|5||95")}`, "a.csv"],
  ])("%s → read", async (_, content, name) => {
    expect(gist(await readStatement(fileOf(name, content)))).toEqual(["11-13 -5.00"]);
  });

  test("a workbook: dates and numbers of cells, a hidden sheet → read", async () => {
    const header = textRow(3, SBI.split(","));
    const row = (at: number, day: string, debit: string, balance: string): string =>
      `<row r="${at}"><c r="A${at}" s="1"><v>${day}</v></c><c r="C${at}" t="inlineStr"><is><t>x</t></is></c>` +
      `<c r="E${at}"><v>${debit}</v></c><c r="G${at}"><v>${balance}</v></c></row>`;
    const shownSheet = textRow(1, ["Account Number", "XXXXXXXX4471"]) + header + row(4, "46330", "0.1", "0.2");
    const path = bookFile({
      sheets: {
        One: shownSheet + row(5, "46331", "0.30000000000000004", "-0.1") + textRow(7, ["", "", "a remark"]),
        Two: header,
      },
      ...{ formats: ["dd-mm-yyyy"], hidden: ["Two"] },
    });
    const statement = await readStatement(path);
    expect(gist(statement)).toEqual(["11-04 -0.10", "11-05 -0.30"]);
    expect(statement).toMatchObject({
      account: "XXXXXXXX4471",
      chain: "whole",
      lines: [{ line: 4 }, { balance: "-0.10", text: "x" }],
    });
  });

  test.each<[string, string, string | null, string]>([
    [
      "another bank's columns",
      "Txn Date,Narration,Amount,Closing\n",
      '"Txn Date", "Narration", "Amount", "Closing"',
      "row 1: these columns",
    ],
    ["no header", "13/11/2026,90010000000011,52250.00\n", null, "no line at its top"],
    ["a header below line 40", `${"\n".repeat(40)}${SBI}\n`, null, "no line at its top"],
    ["a column twice", `${SBI},Debit\n`, "Txn Date", "row 1: these columns"],
  ])("%s → refused, with what is known", async (_, text, columns, says) => {
    const fault = await faultOf(read(text));
    expect(fault.text).toContain(says);
    expect(fault.code).toBe("statement_unknown");
    expect(fault.todo).toContain("HDFC, ICICI, SBI, Axis");
    if (columns === null) expect(fault.facts).not.toHaveProperty("columns");
    else expect(fault.facts?.["columns"]).toContain(columns);
  });

  test.each<[string, () => string, string]>([
    ["a web page named .xls", () => fileOf("a.xls", "\n<table><tr><td>Txn Date"), "looks like a web page"],
    ["an old workbook", () => fileOf("a.xls", Buffer.from("d0cf11e0a1b11ae1", "hex")), "Excel 97"],
    ["nothing", () => fileOf("a.csv", ""), "empty"],
    [
      "an open quote",
      () => fileOf("a.csv", `${SBI}\n13/11/2026,,"x,,5,,95\n`),
      "row 2: a double quote is never closed",
    ],
    [
      "two sheets",
      () => bookFile({ sheets: { A: textRow(1, SBI.split(",")), B: textRow(2, SBI.split(",")) } }),
      '"A", "B"',
    ],
    ["a packed file", () => workbookFile(Buffer.from("PK\u0003\u0004")), "damaged"],
  ])("%s → refused", async (_, path, says) => {
    expect((await faultOf(readStatement(path()))).text).toContain(says);
  });

  test("no file → said", async () => {
    await expect(readStatement("/nowhere/a.csv")).rejects.toMatchObject({ reason: "file_missing" });
  });
});

describe("days", () => {
  test.each([
    ["a day above 12 proves it", ["03/11/2026", "13/11/2026"], "11-03 11-13"],
    ["the month comes first", ["11/03/2026", "11/13/2026"], "11-03 11-13"],
    ["only one order goes one way", ["05/11/26", "06/11/26", "01/12/26"], "11-05 11-06 12-01"],
    ["month in letters", ["3 Nov 2026", "04-NOV-26", "5 November 2026"], "11-03 11-04 11-05"],
    ["year first, with a time", ["2026-11-03 10:30:00", "2026/11/04"], "11-03 11-04"],
    ["points", ["03.11.2026", "04.11.26"], "11-03 11-04"],
    ["day and month alike", ["11/11/2026"], "11-11"],
  ])("%s", async (_, days, expected) => {
    const text = sbi(...days.map((day, at) => `${day}|5||${100 - 5 * at}`));
    expect((await read(text)).lines.map(({ day }) => day.slice(5)).join(" ")).toBe(expected);
  });

  test("no proof → asked, and the answer counts", async () => {
    const text = sbi("03/11/2026|5||95", "05/11/2026|5||90");
    const fault = await faultOf(read(text));
    expect(fault).toMatchObject({ code: "statement_day_order", row: 2, column: "Txn Date" });
    expect(fault.text).toContain("3 Nov 2026 or 11 Mar 2026");
    expect(gist(await read(text, { dayFirst: true }))).toEqual(["11-03 -5.00", "11-05 -5.00"]);
    expect(gist(await read(text, { dayFirst: false }))).toEqual(["03-11 -5.00", "05-11 -5.00"]);
    // what the file proves is not turned by an answer
    expect(gist(await read(sbi("13/11/2026|5||95"), { dayFirst: false }))).toEqual(["11-13 -5.00"]);
  });

  test("both orders in one file, or dates beside texts → a spreadsheet changed it", async () => {
    const mixed = await faultOf(read(sbi("13/11/2026|5||95", "11/14/2026|5||90")));
    expect(mixed).toMatchObject({ code: "statement_days_mixed", row: 3 });
    const sheet = textRow(1, SBI.split(",")) + textRow(2, ["13/11/2026", "", "x", "", "5", "", "95"]);
    const rows = '<row r="3"><c r="A3" s="1"><v>46330</v></c><c r="E3"><v>5</v></c><c r="G3"><v>90</v></c></row>';
    const path = bookFile({ sheets: { A: sheet + rows }, formats: ["dd-mm-yyyy"] });
    expect(await faultOf(readStatement(path))).toMatchObject({ code: "statement_days_mixed", row: 3 });
  });
});

describe("amounts", () => {
  test.each([
    ['"12,34,567.50"', "1234567.50"],
    ['"1,234,567.5"', "1234567.50"],
    ["1234567", "1234567.00"],
    ["₹ 500.00", "500.00"],
    ["Rs. 500", "500.00"],
    ["500.00 Dr", "500.00"],
    ["Dr. 500", "500.00"],
    ["500.00(Dr)", "500.00"],
    [".50", "0.50"],
    ["0.1250", "0.125"],
  ])("%s → %s", async (written, amount) => {
    expect(await read(sbi(`13/11/2026|${written}||95`))).toMatchObject({ lines: [{ amount, direction: "debit" }] });
  });

  test.each(["1,23,45.00", "1.234,50", "5 0", "000.00", "0.00001", "--5", "abc"])(
    "%j → refused, with its place",
    async (written) => {
      const fault = await faultOf(read(sbi("13/11/2026|5||95", `14/11/2026|"${written}"||90`)));
      expect(fault).toMatchObject({ code: "statement_amount", row: 3, column: "Debit" });
      expect(fault.text).not.toContain(written);
    },
  );

  test.each([
    ["-5.00", "-5.00"],
    ["(5.00)", "-5.00"],
    ["5.00-", "-5.00"],
    ["5.00 Dr", "-5.00"],
    ["5.00 CR", "5.00"],
    ["0", "0.00"],
  ])("balance %s → %s", async (written, balance) => {
    expect((await read(sbi(`13/11/2026|5||${written}`))).lines[0]?.balance).toBe(balance);
  });

  test("one amount with DR or CR, and the balance's own → directions, signs", async () => {
    const lines = ["1,13-11-2026,,x,,500,CR,400,CR", '2,14-11-2026,,y,,"1,500",DR,"1,100",DR'];
    const { chain, lines: found } = await read(`${KOTAK}\n${lines.join("\n")}\n`);
    expect([chain, found[0]?.direction, found[1]?.direction, found[1]?.balance]).toEqual([
      ...["whole", "credit", "debit", "-1100.00"],
    ]);
    const fault = await faultOf(read(`${KOTAK}\n1,13-11-2026,,x,,500,,400,CR\n`));
    expect(fault).toMatchObject({ code: "statement_side", column: "Dr / Cr" });
  });

  test("an amount cut at its commas → joined; in two ways → refused", async () => {
    expect(gist(await read(sbi("13/11/2026|1,000.00||5,000.00")))).toEqual(["11-13 -1000.00"]);
    expect(await faultOf(read(sbi("13/11/2026|1,000||5,000|6,000")))).toMatchObject({ code: "row_ragged", row: 2 });
    expect(await faultOf(read(sbi("13/11/2026||1,100|200,300")))).toMatchObject({ code: "row_ragged" });
  });
});

describe("direction", () => {
  const labels = ["13/11/2026|30||70", "14/11/2026||50|120", "15/11/2026|20||100"];

  test.each([
    ["as they are", labels, "whole"],
    ["exchanged", ["13/11/2026||30|70", "14/11/2026|50||120", "15/11/2026||20|100"], "whole"],
    ["newest first", labels.toReversed(), "whole"],
    ["debits with a minus", labels.map((one) => one.replace(/(?<=\|)(?=[23]0\|)/, "-")), "whole"],
    ["some balances are missing", ["13/11/2026|30||70", "14/11/2026||50|", "15/11/2026|20||100"], "whole"],
    ["one balance is wrong", labels.map((one) => one.replace("120", "121")), { brokenAt: 3 }],
    [
      "a line is missing",
      [labels[0] ?? "", "14/11/2026||50|120", "15/11/2026|20||99", "16/11/2026|9||90"],
      { brokenAt: 4 },
    ],
  ])("%s → directions by the balances", async (_, entries, chain) => {
    const statement = await read(sbi(...entries));
    expect(gist(statement).slice(0, 3)).toEqual(["11-13 -30.00", "11-14 +50.00", "11-15 -20.00"]);
    expect(statement.chain).toEqual(chain);
  });

  test("a minus among debits → a credit, where the balances say so", async () => {
    const statement = await read(sbi("13/11/2026|30||70", "14/11/2026|-30||100", "15/11/2026|20||80"));
    expect([statement.chain, ...gist(statement)]).toEqual(["whole", "11-13 -30.00", "11-14 +30.00", "11-15 -20.00"]);
  });

  test("one entry, or equal ones of a day → labels count, nothing is proven", async () => {
    expect((await read(sbi("13/11/2026|30||70"))).chain).toBe("none");
    // debits upwards, or credits downwards
    const equal = await read(sbi("13/11/2026|30||70", "13/11/2026|30||40", "13/11/2026|30||10"));
    expect([equal.chain, ...gist(equal)]).toEqual(["none", ...Array<string>(3).fill("11-13 -30.00")]);
    const opening = await read(sbi(",,Opening balance,,,,100", "13/11/2026||30|70", "13/11/2026||30|40"));
    expect([opening.chain, ...gist(opening)]).toEqual(["whole", "11-13 -30.00", "11-13 -30.00"]);
  });
});

describe("what stands around entries", () => {
  const first = "13/11/2026|30||70";

  test.each<[string, readonly string[]]>([
    ["nothing", []],
    [
      "sums and remarks",
      [",,Total,,30,0,70", "", "Generated on 20/11/2026,,,,,,", ",,closing,,,,70", "20/11/2026,,end,,,,"],
    ],
    ["a line of dashes", ["***,***,***,***,***,***,***"]],
    ["the header again", [SBI]],
    ["a remark with commas", ["Note, this, is, a, remark, with, too, many, commas, in, it"]],
  ])("%s below the last entry → passed over", async (_, below) => {
    expect(gist(await read(`${sbi(first)}${below.map((line) => `${line}\n`).join("")}`))).toEqual(["11-13 -30.00"]);
  });

  test.each([
    ["the header again", SBI, "whole"],
    ["a balance brought forward", ",,B/F,,,,70", "whole"],
    ["another balance brought forward", ",,B/F,,,,71", { brokenAt: 3 }],
  ])("%s between entries → passed over", async (_, between, chain) => {
    const statement = await read(sbi(first, between, "14/11/2026|20||50"));
    expect([statement.chain, ...gist(statement)]).toEqual([chain, "11-13 -30.00", "11-14 -20.00"]);
  });

  test("lines of text under an entry → belong to it, up to an empty line", async () => {
    const { lines } = await read(sbi(first, ",, two  words,R1,,,", ",,\u202ethree,,0.00,,", "", ",,remark,,,,"));
    expect(lines).toMatchObject([{ text: "x two words \\u{202e}three", references: ["R1"] }]);
  });

  test("narration without end → refused, not gathered", async () => {
    const fault = await faultOf(read(sbi(first, ...Array<string>(40_000).fill(",,two words,,,,"))));
    expect(fault).toMatchObject({ code: "record_too_long", row: 2 });
  });

  test.each<[string, string, string, string]>([
    ["no day", "Page total|30||", "statement_day", "Txn Date"],
    ["no day, and no balance that is one", "14-11|30||x", "statement_day", "Txn Date"],
    ["a day that no month has", "31/02/2026|30||70", "statement_day", "Txn Date"],
    ["no amount", "14/11/2026|||", "statement_amount_missing", "Debit"],
    ["two amounts", "14/11/2026|30|30|70", "statement_amounts_two", "Credit"],
    ["no balance that is one", "14/11/2026|30||x", "statement_amount", "Balance"],
  ])("an entry with %s → refused with line and column", async (_, wrong, code, column) => {
    const fault = await faultOf(read(sbi(first, wrong, "15/11/2026|20||20")));
    expect(fault).toMatchObject({ code, row: 3, column });
    expect(fault.todo).toContain("Download the statement");
  });

  test("a last entry that has no day, or an impossible one → refused", async () => {
    expect(await faultOf(read(sbi(first, "|30||40")))).toMatchObject({ code: "statement_day", row: 3 });
    expect(await faultOf(read(sbi(first, "31/11/2026|30||40")))).toMatchObject({ code: "statement_day", row: 3 });
    expect(await faultOf(read(sbi("unread|30||70", first)))).toMatchObject({ code: "statement_day", row: 2 });
  });

  test("another table, or another account below → refused", async () => {
    const other = SBI.replace("Debit,Credit", "Credit,Debit");
    expect(await faultOf(read(sbi(first, other, "14/11/2026|20||50")))).toMatchObject({
      code: "columns_change",
      row: 3,
    });
    const [header = "", ...rows] = SPARKASSE;
    const text = [header, rows[0], rows[0]?.replace("DE4471", "DE4472")].join("\n");
    expect(await faultOf(read(text))).toMatchObject({ code: "statement_accounts", row: 3, column: "Auftragskonto" });
  });

  test("a header and no entries → a statement without lines", async () => {
    const { lines, days, chain } = await read(`${SBI}\n,,No transactions,,,,\n`);
    expect([lines, days, chain]).toEqual([[], undefined, "none"]);
  });
});

const SPARKASSE = [
  "Auftragskonto;Buchungstag;Valutadatum;Buchungstext;Verwendungszweck;Kundenreferenz (End-to-End);Betrag;Waehrung;Info",
  "DE4471;05.11.26;05.11.26;GUTSCHRIFT;x;E1;1.234,5;EUR;Umsatz gebucht",
];
