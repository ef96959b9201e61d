import { copyFileSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createOpener } from "../../src/client/envelope.ts";
import type { Row } from "../../src/reader/row.ts";
import { workbookOf, type OutCell } from "../../src/workbook/write.ts";
import { AES_IV, AES_KEY, openDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk.ts";
import { type FaultServer } from "../support/fault-server.ts";
import { readFile } from "../support/files.ts";
import { tomlAt, transferToml } from "../support/mappings.ts";
import { runProgram } from "../support/program.ts";
import { bookFile, textRow } from "../support/workbooks.ts";
import { startService } from "../support/service.ts";

const REAL = join(import.meta.dirname, "real");
const HEADER = ["from_account", "to_account", "amount"];
const open = createOpener({ key: Buffer.from(AES_KEY, "hex"), iv: Buffer.from(AES_IV, "hex") });

async function office(): Promise<{ desk: Desk; server: FaultServer }> {
  const server = await startService();
  return { desk: openDesk(server.url), server };
}

function payloads(server: FaultServer): string[] {
  return server.requests.map(({ body }) => {
    const sent = JSON.parse(body) as { body?: string };
    return sent.body === undefined ? body : (open(sent.body) ?? "");
  });
}

/** A column of a workbook beside the input. */
async function column(desk: Desk, file: string, name: string): Promise<unknown[]> {
  const { sheet, rows } = await readFile(join(desk.folder, file));
  const at = sheet.header?.indexOf(name) ?? -1;
  return rows.map(({ cells }: Row) => {
    const cell = cells[at] ?? "";
    return typeof cell === "string" ? cell : cell.source;
  });
}

test("a workbook is answered with workbooks, and its corrected retry file, saved by LibreOffice, goes", async () => {
  const { desk, server } = await office();
  copyFileSync(join(REAL, "openpyxl.xlsx"), join(desk.folder, "payroll.xlsx"));
  const first = await desk.run("payroll.xlsx");
  expect(first.code).toBe(3);
  expect(first.stdout).toContain("CAREFUL: 1 row (9) is hidden");
  expect(payloads(server).map((payload) => /"amount":([0-9.]+)/.exec(payload)?.[1])).toEqual(["0.3", "1750.5"]);
  expect(payloads(server)[1]).toContain('"narration":"2026-11-02"');
  const names = ["payroll.xlsx", "payroll.xlsx.results.xlsx", "payroll.xlsx.retry.xlsx", "payroll.xlsx.summary.json"];
  expect(readdirSync(desk.folder).sort()).toEqual(names);
  const results = "payroll.xlsx.results.xlsx";
  expect(await column(desk, results, "result_row")).toEqual(["4", "5", "6", "7", "8", "9"]);
  expect(await column(desk, results, "result_amount")).toEqual(["0.3", "1234.56", "52250", "", "", "1750.5"]);
  const told = await column(desk, results, "result_message");
  expect(told[1]).toContain("bank_acc_num (E5)");
  expect(told[5]).toContain('the cell holds a date, which goes out as "2026-11-02"');
  expect((await readFile(join(desk.folder, "payroll.xlsx.retry.xlsx"))).sheet.sheetName).toBe("Payout");

  // neither goes in again as it is, under whatever name
  copyFileSync(join(desk.folder, results), join(desk.folder, "copy.xlsx"));
  expect(await desk.run("copy.xlsx")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("results file") as string,
  });
  expect((await desk.run("payroll.xlsx.retry.xlsx")).code).toBe(5);

  const corrected = join(REAL, "retry-corrected-in-libreoffice.xlsx");
  copyFileSync(corrected, join(desk.folder, "payroll.xlsx.retry.xlsx"));
  // one account is the same, as text now; the others are other ones, which a person has to confirm
  const second = await desk.run("payroll.xlsx.retry.xlsx");
  expect(second.code).toBe(6);
  expect(payloads(server)).toHaveLength(3);
  const messages = (await column(desk, "payroll.xlsx.retry.xlsx.results.xlsx", "result_message")).join("\n");
  expect(messages).toContain("bank_acc_num ••3456 → ••1234");
  expect(messages).toMatch(/^Accepted by the service\. Corrects row 5 of batch \w{8}: its values are as they were$/m);
  const batch = /^batch (\w+)/m.exec(second.stdout)?.[1] ?? "";
  const release = ["release", batch, "--all", "--by", "ravi", "--reason", "asked"];
  await runProgram(release, { env: desk.env, cwd: desk.folder });
  expect(payloads(server).join("\n")).toContain('"bank_acc_num":"0012345678901234"');
});

test("the same bytes are the same batch, deleted results come back byte for byte, another sheet is another batch", async () => {
  const { desk, server } = await office();
  const row = (account: string): OutCell[] => ["50100271828001", account, "100.00"];
  const bytes = workbookOf([
    { name: "October", header: HEADER, rows: [row("60200000000001")] },
    { name: "November", header: HEADER, rows: [row("60200000000002"), row("60200000000003")] },
  ]);
  desk.write("both.xlsx", bytes);
  expect(await desk.run("both.xlsx")).toMatchObject({ code: 5, stderr: expect.stringContaining("--sheet") as string });
  expect((await desk.run("both.xlsx", "--sheet", "October")).code).toBe(0);
  const results = join(desk.folder, "both.xlsx.results.xlsx");
  const before = readFileSync(results);
  writeFileSync(results, "");
  expect((await desk.run("both.xlsx", "--sheet", "October")).code).toBe(74);
  expect(server.requests).toHaveLength(1);
  unlinkSync(results);
  expect((await desk.run("both.xlsx", "--sheet", "october ")).code).toBe(0);
  expect(server.requests).toHaveLength(1);
  expect(readFileSync(results).equals(before)).toBe(true);

  expect((await desk.run("both.xlsx", "--sheet", "November")).code).toBe(0);
  expect(server.requests).toHaveLength(3);
  expect(await column(desk, "both.xlsx.results.xlsx", "to_account")).toEqual(["60200000000002", "60200000000003"]);
});

test("payments of another kind on another sheet are a question, not left out; a list of payees is none", async () => {
  const { desk, server } = await office();
  const payouts = ["debit_account_id", "name", "mobile", "email", "bank_acc_num", "ifsc_code", "bank_owner_name"];
  const Salaries = {
    name: "Salaries",
    header: [...payouts, "amount", "payment_mode", "narration", "purpose", "notes"],
    rows: [["ACC-1", "Asha", "", "", "60200000000001", "HDFC0001234", "Asha", "100.00", "NEFT", "", "", ""]],
  };
  const Transfers = { name: "Transfers", header: HEADER, rows: [["50100271828001", "60200000000002", "5000.00"]] };
  const Payees = { name: "Payees", header: ["name", "bank_acc_num"], rows: [["Ravi", "60200000000003"]] };
  desk.write("both.xlsx", workbookOf([Salaries, Transfers]));
  expect(await desk.run("both.xlsx")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('more than one sheet could be meant: "Salaries", "Transfers"') as string,
  });
  expect(server.requests).toHaveLength(0);
  expect((await desk.run("both.xlsx", "--sheet", "Transfers")).code).toBe(0);
  expect((await desk.run("both.xlsx", "--sheet", "Salaries")).code).toBe(0);
  const bonus = { ...Salaries, rows: Salaries.rows.map((row) => row.with(7, "7.00")) };
  desk.write("bonus.xlsx", workbookOf([bonus, Payees, { ...Transfers, rows: [] }]));
  expect((await desk.run("bonus.xlsx")).code).toBe(0);
  expect(server.requests).toHaveLength(3);
});

test("text that looks like a formula stays text, and no cell of ours is one", async () => {
  const { desk } = await office();
  const nasty = ['=HYPERLINK("http://x","y")', "+1+1", "@SUM(A1)", "-2+3", "\t=1"];
  const rows = nasty.map((text, index) => ["50100271828001", `6020000000000${index}`, "1.00", text]);
  desk.write("a.xlsx", workbookOf([{ name: "a", header: [...HEADER, "mine"], rows }]));
  expect((await desk.run("a.xlsx")).code).toBe(0);
  expect(await column(desk, "a.xlsx.results.xlsx", "mine")).toEqual(nasty);
  expect(readFileSync(join(desk.folder, "a.xlsx.results.xlsx")).includes("<f>")).toBe(false);
});

test("an amount that the sheet shows as a percentage does not go as a hundredth of it, nor by way of the retry file", async () => {
  const { desk, server } = await office();
  const row = (number: number, style: number): string =>
    `<row r="${number}"><c r="A${number}" t="str"><v>50100271828001</v></c><c r="B${number}" t="str"><v>6020000000000${number}</v></c><c r="C${number}" s="${style}"><v>50</v></c></row>`;
  const sheet = textRow(1, HEADER) + row(2, 1) + row(3, 0);
  copyFileSync(bookFile({ sheets: { Pay: sheet }, formats: ["0.00%"] }), join(desk.folder, "pay.xlsx"));
  const ran = await desk.run("pay.xlsx");
  expect(ran.code).toBe(3);
  expect(payloads(server)).toEqual([expect.stringContaining("60200000000003")]);
  const messages = await column(desk, "pay.xlsx.results.xlsx", "result_message");
  expect(messages[0]).toContain('"5000%" is a percentage, for which the workbook holds 50');
  expect(await column(desk, "pay.xlsx.retry.xlsx", "amount")).toEqual(["5000%"]);
});

test("an amount that the sheet shows rounded goes as the workbook holds it, and both are told before and after", async () => {
  const { desk, server } = await office();
  const row = (number: number, amount: string): string =>
    `<row r="${number}"><c r="A${number}" t="str"><v>50100271828001</v></c><c r="B${number}" t="str"><v>6020000000000${number}</v></c><c r="C${number}" s="1"><v>${amount}</v></c></row>`;
  const sheet = textRow(1, HEADER) + row(2, "1234.5") + row(3, "1235");
  copyFileSync(bookFile({ sheets: { Pay: sheet }, formats: ["#,##0"] }), join(desk.folder, "pay.xlsx"));
  const said = 'the workbook holds "1234.5", which goes out; the sheet shows it as "1235"';
  const checked = await runProgram(["check", "pay.xlsx"], { env: desk.env, cwd: desk.folder });
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(`row 2, column amount (C2): look at this: ${said}`) as unknown }); // prettier-ignore
  expect(checked.stdout).toContain("2 ready   1 to look at");
  expect((await desk.run("pay.xlsx")).code).toBe(0);
  expect(payloads(server)).toEqual([expect.stringContaining('"amount":1234.5}'), expect.stringContaining('"amount":1235}')]); // prettier-ignore
  const messages = await column(desk, "pay.xlsx.results.xlsx", "result_message");
  expect(messages).toEqual([expect.stringContaining(said), expect.not.stringContaining("shows")]);
});

test("an amount that the sheet shows in dollars is pointed out, unless the row says another currency itself", async () => {
  const { desk, server } = await office();
  const row = (number: number, currency: string): string =>
    `<row r="${number}"><c r="A${number}" t="str"><v>a${number}@bank</v></c><c r="B${number}" t="str"><v>${currency}</v></c><c r="C${number}" s="${number === 5 ? 2 : 1}"><v>100.5</v></c></row>`;
  const sheet = textRow(1, ["vpa", "currency", "amount"]) + row(2, "") + row(3, "USD") + row(4, "inr") + row(5, "");
  const formats = ["[$$-409]#,##0", "[$₹-4009]#,##0.00"];
  copyFileSync(bookFile({ sheets: { Pay: sheet }, formats }), join(desk.folder, "pay.xlsx"));
  expect((await desk.run("pay.xlsx")).code).toBe(0);
  expect(payloads(server)).toHaveLength(4);
  const messages = (await column(desk, "pay.xlsx.results.xlsx", "result_message")).map((one) => JSON.stringify(one));
  const said = 'the workbook holds "100.5", which goes out as it is; the sheet shows it in another currency, "$"';
  expect(messages.map((one) => one.includes(JSON.stringify(said).slice(1, -1)))).toEqual([true, false, true, false]);
  expect(messages.map((one) => one.includes("shows it as"))).toEqual([true, true, true, false]);
});

test("a batch whose formulas were dragged too far goes without them, and is read so ever after", async () => {
  const { desk, server } = await office();
  const formulas = (number: number): string =>
    `<row r="${number}"><c r="A${number}" t="str"><f>x</f><v></v></c><c r="C${number}"><f>D${number}*2</f><v>0</v></c></row>`;
  const sheet =
    textRow(1, HEADER) + textRow(2, ["50100271828001", "60200000000002", "1.00"]) + formulas(3) + formulas(4);
  copyFileSync(bookFile({ sheets: { Pay: sheet } }), join(desk.folder, "pay.xlsx"));
  const ran = await desk.run("pay.xlsx", "--expect-rows", "1");
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("2 rows (3-4) hold nothing but formulas")]);
  expect(server.requests).toHaveLength(1);
  const results = join(desk.folder, "pay.xlsx.results.xlsx");
  const before = readFileSync(results);
  unlinkSync(results);
  expect((await desk.run("pay.xlsx")).code).toBe(0);
  expect(readFileSync(results).equals(before)).toBe(true);
});

test("paise that are numbers in a workbook are paise: a hundredth is sent", async () => {
  const { desk, server } = await office();
  const cell = (place: string, value: string): string => `<c r="${place}"><v>${value}</v></c>`;
  const sheet =
    textRow(1, ["Ref", "Payee Account", "Net Pay"]) +
    `<row r="2"><c r="A2" t="str"><v>R1</v></c><c r="B2" t="str"><v>60200000000001</v></c>${cell("C2", "150000")}</row>` +
    `<row r="3"><c r="A3" t="str"><v>R2</v></c><c r="B3" t="str"><v>60200000000002</v></c>${cell("C3", "1500.5")}</row>` +
    `<row r="4"><c r="A4" t="str"><v>R3</v></c>${cell("B4", "60200000000003")}${cell("C4", "100")}</row>`;
  copyFileSync(bookFile({ sheets: { Pay: sheet } }), join(desk.folder, "hr.xlsx"));
  const config = tomlAt(join(desk.folder, "paydrop.toml"), transferToml("hr", "paise"));
  const ran = await desk.run("hr.xlsx", "--config", config, "--mapping", "hr");
  expect(ran.code).toBe(3);
  expect(payloads(server)).toEqual([expect.stringContaining('"amount":1500.00')]);
  expect(await column(desk, "hr.xlsx.results.xlsx", "result_status")).toEqual(["accepted", "invalid", "invalid"]);
});
