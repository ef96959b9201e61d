import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { TEMPLATES } from "../../src/reader/mapping/templates.ts";
import { Workbook } from "../../src/workbook/workbook.ts";
import { openDesk, type Desk } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { tomlAt, transferToml } from "../support/mappings.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

const ACCOUNT = "50100271828001";

interface Office {
  readonly desk: Desk;
  readonly server: wire.FaultServer;
  /** Writes the settings anew. */
  readonly settings: (toml: string) => void;
  /** Request bodies so far. */
  readonly bodies: () => string[];
}

async function openOffice(toml: string): Promise<Office> {
  const server = await startService();
  const desk = openDesk(server.url);
  const path = join(dirname(desk.folder), "paydrop.toml");
  // one after the other, so that what was sent has an order
  desk.env["PAYDROP_CONCURRENCY"] = "1";
  desk.env["PAYDROP_CONFIG"] = tomlAt(path, toml);
  return {
    desk,
    server,
    settings: (text) => void tomlAt(path, text),
    bodies: () => server.requests.map(({ body }) => body),
  };
}

const PAISE_FILE = "Ref,Payee Account,Net Pay\nR1,602001,12500000\nR2,602002,199\nR3,602003,1250.00\n";
const SENT = [
  `{"from_account":"${ACCOUNT}","to_account":"602001","amount":125000.00}`,
  `{"from_account":"${ACCOUNT}","to_account":"602002","amount":1.99}`,
];

test("a mapped file is sent as our own columns would be, and its results keep its own cells", async () => {
  const { desk, bodies } = await openOffice(transferToml("bank", "paise"));
  desk.write("pay.csv", PAISE_FILE);
  const checked = await runProgram(["check", "pay.csv"], { env: desk.env, cwd: desk.folder });
  expect(checked.stdout).toContain("mapping bank: amounts are paise; row 2 says 12500000, 125000.00 is sent\n");
  expect(bodies()).toEqual([]);

  const ended = await desk.run("pay.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({ code: 3, counts: { accepted: 2, invalid: 1 } });
  expect(ended.stderr).toContain("mapping=bank unit=paise row=2 read=12500000 sent=125000.00");
  expect(bodies()).toEqual(SENT);
  const [first, , third] = ended.results;
  expect(first).toMatchObject({ "Net Pay": "12500000", result_amount: "125000.00", result_reference: "R1" });
  expect(third).toMatchObject({ "Net Pay": "1250.00", result_amount: "" });
  expect(third?.result_message).toContain('Net Pay (amount) (C4): "1250.00" has a point');
  const summary = JSON.parse(readFileSync(join(desk.folder, "pay.csv.summary.json"), "utf8")) as Record<
    string,
    unknown
  >;
  expect(JSON.stringify(summary["by_account"])).toContain("••8001");
  for (const name of readdirSync(desk.stateDir)) {
    // a constant may be an account number: it stands in no column of the journal (I10)
    if (name.startsWith("journal.db")) expect(readFileSync(join(desk.stateDir, name)).includes(ACCOUNT)).toBe(false);
  }
});

test("a report as a workbook tells how the columns were read, and in which unit", async () => {
  const { desk } = await openOffice(transferToml("bank", "paise"));
  desk.write("pay.csv", PAISE_FILE);
  await desk.run("pay.csv");
  const { code } = await runProgram(["report", "pay.csv", "--format", "xlsx"], { env: desk.env, cwd: desk.folder });
  expect(code).toBe(0);
  const workbook = await Workbook.open(join(desk.folder, "pay.csv.report.xlsx"));
  const [sheet] = workbook.sheets;
  const rows: (readonly unknown[])[] = [];
  for await (const chunk of sheet ? workbook.rows(sheet, { columnsMax: 9 }) : [])
    rows.push(...chunk.map((row) => row.cells));
  expect(rows).toContainEqual([
    "columns read by",
    "mapping bank: amounts are paise; row 2 says 12500000, 125000.00 is sent",
  ]);
});

test("the corrected retry file is read by the same mapping, and sends the corrected row alone", async () => {
  const { desk, bodies } = await openOffice(transferToml("bank", "paise"));
  desk.write("pay.csv", PAISE_FILE);
  await desk.run("pay.csv");
  const retry = readFileSync(join(desk.folder, "pay.csv.retry.csv"), "utf8");
  expect(retry).toMatch(/^\ufeffRef,Payee Account,Net Pay,retry_message,retry_of\r\nR3,602003,1250\.00,/);
  expect((await desk.run("pay.csv.retry.csv")).code).toBe(5);
  desk.write("pay.csv.retry.csv", retry.replace("602003,1250.00", "602003,125000"));
  expect((await desk.run("pay.csv.retry.csv")).code).toBe(0);
  expect(bodies().slice(2)).toEqual([`{"from_account":"${ACCOUNT}","to_account":"602003","amount":1250.00}`]);
});

test("the sample goes as its mapping says, but for the row that pays a payment address", async () => {
  const samples = join(import.meta.dirname, "../../samples/mapping");
  const { desk, server } = await openOffice(readFileSync(join(samples, "paydrop.toml"), "utf8"));
  desk.write("pay.csv", readFileSync(join(samples, "razorpayx-paise.csv")));
  const ended = await desk.run("pay.csv");
  expect({ code: ended.code, requests: server.requests.length }).toEqual({ code: 3, requests: 2 });
  expect(ended.results.map((row) => [row.result_status, row["result_amount"]])).toEqual([
    ["accepted", "52250.00"],
    ["accepted", "48100.50"],
    ["invalid", "2500.00"],
  ]);
});

test("a retry file that nobody touched goes once the lookup table was corrected instead, and not before", async () => {
  const toml = transferToml("bank", "rupees")
    .replace('"Payee Account" = "to_account"\n', "")
    .concat(
      '[[mapping.bank.lookup]]\nfile = "payees.csv"\nby = "Payee Account"\nfields = { to_account = "Account" }\n',
    );
  const { desk, bodies } = await openOffice(toml);
  const table = join(dirname(desk.folder), "payees.csv");
  writeFileSync(table, "Payee Account,Account\nAsha,602001\n");
  desk.write("pay.csv", "Ref,Payee Account,Net Pay\nR1,Asha,100\nR2,Ravi,200\n");
  expect((await desk.run("pay.csv")).counts).toEqual({ accepted: 1, invalid: 1 });
  expect((await desk.run("pay.csv.retry.csv")).code).toBe(5);
  writeFileSync(table, "Payee Account,Account\nAsha,602001\nRavi,602002\n");
  expect((await desk.run("pay.csv.retry.csv")).code).toBe(0);
  expect((await desk.run("pay.csv.retry.csv")).code).toBe(0);
  expect((await desk.run("pay.csv")).counts).toEqual({ accepted: 1, invalid: 1 });
  expect(bodies().map((body) => /"to_account":"(\d+)"/.exec(body)?.[1])).toEqual(["602001", "602002"]);
});

describe("a batch goes on as it was read", () => {
  const TABLE = "Payee;Account\nAsha Rao;602001\nRavi Nair;602002\nZoya Khan;602003\n";
  const FILE = "Ref,Payee,Net Pay\nR1,Asha Rao,12500000\nR2,Ravi Nair,199\nR3,Zoya Khan,4200\n";
  const TOML = [
    '[mapping.bank]\noperation = "transfer"\namount_unit = "paise"\nheader = ["Ref", "Payee", "Net Pay"]',
    '[mapping.bank.columns]\nRef = "reference"\n"Net Pay" = "amount"',
    `[mapping.bank.constants]\nfrom_account = "${ACCOUNT}"`,
    '[[mapping.bank.lookup]]\nfile = "payees.csv"\nby = "Payee"\nfields = { to_account = "Account" }',
  ].join("\n");
  const ALL = [...SENT, `{"from_account":"${ACCOUNT}","to_account":"602003","amount":42.00}`];

  async function halfSent(): Promise<Office & { table: string }> {
    const office = await openOffice(TOML);
    const table = join(dirname(office.desk.folder), "payees.csv");
    writeFileSync(table, TABLE);
    office.desk.write("pay.csv", FILE);
    office.server.use(() => wire.answer(401));
    const first = await office.desk.run("pay.csv");
    expect({ code: first.code, counts: first.counts }).toEqual({ code: 7, counts: { rejected: 1, not_sent: 2 } });
    office.server.use(() => wire.answer(200));
    return { ...office, table };
  }

  const changes: readonly (readonly [string, (office: Office & { table: string }) => void])[] = [
    ["the mapping is gone", ({ settings }) => settings("concurrency = 2\n")],
    ["the mapping says rupees by now", ({ settings }) => settings(TOML.replace("paise", "rupees"))],
    ["the table holds other accounts", ({ table }) => writeFileSync(table, TABLE.replaceAll("602", "999"))],
    ["the table is gone", ({ table }) => rmSync(table)],
  ];

  test("not even begun by a table that nobody can read for sure", async () => {
    const office = await openOffice(`encoding = "windows-1252"\n${TOML}`);
    const { desk } = office;
    const folder = dirname(desk.folder);
    writeFileSync(join(folder, "payees.csv"), TABLE.replace("Rao", "Raō"));
    desk.write("pay.csv", FILE);
    const garbled = await desk.run("pay.csv");
    expect(garbled.stderr).toMatch(/payees\.csv: all of its text is UTF-8/);
    writeFileSync(join(folder, "payees.json"), '[{"Payee":"Asha Rao","Account":"602001","account":"602009"}]');
    office.settings(TOML.replace("payees.csv", "payees.json"));
    const twice = await desk.run("pay.csv");
    expect(twice.stderr).toMatch(/has the key "account" twice in row 1/);
    expect([garbled.code, twice.code]).toEqual([2, 2]);
    expect(office.bodies()).toEqual([]);
  });

  test.each(changes)("when %s", async (_, change) => {
    const office = await halfSent();
    change(office);
    const again = await office.desk.run("pay.csv");
    expect({ code: again.code, counts: again.counts }).toEqual({ code: 0, counts: { accepted: 3 } });
    expect(office.bodies().slice(1)).toEqual(ALL);
    expect(again.stderr).toContain("read=12500000 sent=125000.00");
  });

  test("and by retry; results written again are the same bytes", async () => {
    const office = await halfSent();
    const { desk } = office;
    office.settings("");
    rmSync(office.table);
    const batch = desk.results("pay.csv")[0]?.["result_batch"] ?? "";
    const retried = await runProgram(["retry", batch], { env: desk.env, cwd: desk.folder });
    expect(retried.code).toBe(0);
    expect(office.bodies().slice(1)).toEqual(ALL);
    const path = join(desk.folder, "pay.csv.results.csv");
    const before = readFileSync(path, "utf8");
    rmSync(path);
    expect((await runProgram(["results", batch], { env: desk.env, cwd: desk.folder })).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("but not by a copy of the mapping or its table that somebody changed", async () => {
    const office = await halfSent();
    const snapshots = join(office.desk.stateDir, "snapshots");
    for (const kind of ["mapping", "table"]) {
      const name = readdirSync(snapshots).find((one) =>
        kind === "mapping" ? one.endsWith(".mapping") : readFileSync(join(snapshots, one), "utf8") === TABLE,
      );
      const path = join(snapshots, name ?? "");
      const bytes = readFileSync(path, "utf8");
      writeFileSync(path, bytes.replace("602001", "999001").replace("paise", "rupees"));
      const again = await office.desk.run("pay.csv");
      expect({ code: again.code, requests: office.bodies().length }).toEqual({ code: 74, requests: 1 });
      expect(again.stderr).toContain("the private copy of the mapping bank");
      writeFileSync(path, bytes);
    }
    expect((await office.desk.run("pay.csv")).code).toBe(0);
  });
});

describe("the two templates of RazorpayX", () => {
  const headerOf = (name: string): readonly string[] => TEMPLATES.find((one) => one.name === name)?.headers[0] ?? [];
  const PAISE = headerOf("razorpayx-paise");
  const cells: Readonly<Record<string, string>> = {
    "Payout Amount": "5225000",
    "Payout Amount (in Rupees)": "52250.00",
    "Payout Currency": "INR",
    "Payout Mode": "NEFT",
    "Fund Account Type": "bank_account",
    "Fund Account Name": "Asha Rao",
    "Fund Account Ifsc": "HDFC0001234",
    "Fund Account Number": "50100271828001",
    "Contact Name": "Asha Rao",
  };
  const fileOf = (header: readonly string[]): string =>
    `${header.join(",")}\n${header.map((name) => cells[name] ?? "").join(",")}\n`;
  const tomlFor = (header: readonly string[], amount: string, unit: string): string =>
    [
      `[mapping.rzp]\noperation = "payout"\noption = "B"\namount_unit = "${unit}"\nheader = ${JSON.stringify(header)}`,
      `[mapping.rzp.columns]\n"${amount}" = "amount"\n"Payout Mode" = "payment_mode"\n"Contact Name" = "name"`,
      '"Fund Account Name" = "bank_owner_name"\n"Fund Account Ifsc" = "ifsc_code"\n"Fund Account Number" = "bank_acc_num"',
      '[mapping.rzp.constants]\ndebit_account_id = "ACC-OPS-01"',
    ].join("\n");

  test.each([
    ["no mapping at all", "", "nobody confirmed how to read it"],
    [
      "the mapping of the other template",
      tomlFor(headerOf("razorpayx"), "Payout Amount (in Rupees)", "rupees"),
      "nearly",
    ],
    ["a mapping of its own columns in rupees", tomlFor(PAISE, "Payout Amount", "rupees"), "a hundred times too much"],
  ])("the one in paise sends nothing under %s", async (_, toml, message) => {
    const { desk, server } = await openOffice(toml);
    desk.write("pay.csv", fileOf(PAISE));
    for (const flags of [[], toml === "" ? ["--operation", "payout"] : ["--mapping", "rzp"]]) {
      const ended = await desk.run("pay.csv", ...flags);
      expect({ code: ended.code, requests: server.requests.length, bytes: server.bytesReceived }).toEqual({ code: 5, requests: 0, bytes: 0 }); // prettier-ignore
      expect(ended.stderr).toContain(message);
    }
    const plain = await desk.run("pay.csv", "--mapping", "none", "--operation", "payout");
    expect({ code: plain.code, requests: server.requests.length }).toEqual({ code: 5, requests: 0 });
  });

  test.each([
    ["in paise", PAISE, "Payout Amount", "paise"],
    ["in rupees", headerOf("razorpayx"), "Payout Amount (in Rupees)", "rupees"],
  ])("the one %s sends 52250.00 under its own", async (_, header, amount, unit) => {
    const { desk, server } = await openOffice(tomlFor(header, amount, unit));
    desk.write("pay.csv", fileOf(header));
    const ended = await desk.run("pay.csv");
    expect({ code: ended.code, requests: server.requests.length }).toEqual({ code: 0, requests: 1 });
    expect(ended.results[0]?.["result_amount"]).toBe("52250.00");
  });
});
