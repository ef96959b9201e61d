import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkFile, processFile } from "../../src/index.ts";
import { AES_IV, AES_KEY, API_KEY } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { tomlAt, transferToml } from "../support/mappings.ts";
import { startService } from "../support/service.ts";
import { FILE, firstRun, HEADER, MENDED, openOffice, paydrop } from "./corrected-office.ts";

test.skipIf(!existsSync("/proc/self/fd"))(
  "the copy of the file that a row corrects is let go of, however much of it was read",
  async () => {
    const { desk } = await openOffice();
    const long = Array.from(
      { length: 6 },
      (_, index) => `ACC-1,B-${index},1.00,S${index},${"x".repeat(60_000)}\n`,
    ).join("");
    desk.write("payroll.csv", `${HEADER},note\nACC-1,60200000004471,100.00,R1,\n${long}`);
    await desk.inProcess(async (processor) => {
      await processor.processFile(join(desk.folder, "payroll.csv"));
      const path = join(desk.folder, "payroll.csv.retry.csv");
      writeFileSync(path, readFileSync(path, "utf8").replace("100.00", "101.00"));
      await processor.processFile(path);
      const linkOf = (fd: string): string => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`);
        } catch {
          return "";
        }
      };
      const open = readdirSync("/proc/self/fd").map(linkOf);
      expect(open.filter((file) => file.startsWith(join(desk.stateDir, "snapshots")))).toEqual([]);
    });
  },
);

test("a mended amount goes, a changed payee account waits for a release; what changed is shown, masked", async () => {
  const office = await openOffice();
  const { desk, sent } = office;
  const { retry, batch } = await firstRun(office);
  desk.write("payroll.csv.retry.csv", retry.replace(MENDED, "1200.00").replace("60200000004471", "60200000004417"));

  const checked = await paydrop(desk, "check", "payroll.csv.retry.csv");
  expect(checked.code).toBe(6);
  expect(checked.stdout).toContain(`row 2: corrects row 2 of batch ${batch}: to_account ••4471 → ••4417`);
  expect(checked.stdout).toContain(`row 3: corrects row 3 of batch ${batch}: amount 1,200.00 → 1200.00`);
  expect(sent()).toEqual([]);

  const ended = await desk.run("payroll.csv.retry.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({ code: 6, counts: { accepted: 1, held: 1 } });
  expect(sent()).toEqual(["60200000005582 1200"]);
  expect(ended.stderr).toContain("2 rows correct earlier ones, 1 with another payee account");
  expect(ended.stderr).toContain("to_account ••4471 → ••4417");
  const [held, accepted] = ended.results;
  expect(held?.result_message).toContain(
    `its payee account is not the one of the row that it corrects. Corrects row 2 of batch ${batch}: to_account ••4471 → ••4417`,
  );
  expect(held?.["result_action"]).toContain(`paydrop release ${held?.["result_batch"] ?? "?"} --row N`);
  expect(accepted?.result_message).toContain(`Corrects row 3 of batch ${batch}: amount 1,200.00 → 1200.00`);

  const by = ["--by", "ravi", "--reason", "asked the payee"];
  const released = await paydrop(desk, "release", held?.["result_batch"] ?? "", "--row", "2", ...by);
  expect(released.stdout + released.stderr).toContain("to_account ••4471 → ••4417");
  expect(released.code).toBe(0);
  expect(sent()).toEqual(["60200000004417 100"]);

  const told = [checked, ended, released].map(({ stdout, stderr }) => stdout + stderr).join("");
  const files = readdirSync(desk.stateDir).filter((name) => name.startsWith("journal.db"));
  for (const text of [told, ...files.map((name) => readFileSync(join(desk.stateDir, name), "latin1"))]) {
    expect(text).not.toMatch(/60200000004471|60200000004417/);
  }
});

test("amounts of nine digits are shown where a person must judge them, and hidden where an account may stand", async () => {
  const { desk } = await openOffice(["60200000004471", "60200000005582"]);
  const first = ["60200000004471,150000000.00", "60200000005582,150000000", ",60200000006693"];
  const then = ["60200000004471,1500000000.00", "60200000005582,15000000.5", "60200000006693,52250.00"];
  desk.write("payroll.csv", `${[HEADER, ...first.map((row, at) => `ACC-OPS-01,${row},R${at}`)].join("\n")}\n`);
  const { counts, results } = await desk.run("payroll.csv");
  expect(counts).toEqual({ rejected: 2, invalid: 1 });
  const batch = results[0]?.["result_batch"] ?? "";
  const tied = then.map((row, at) => `ACC-OPS-01,${row},R${at},${batch}:${at + 2}`);
  desk.write("mended.csv", `${[`${HEADER},retry_of`, ...tied].join("\n")}\n`);
  const { stdout } = await paydrop(desk, "check", "mended.csv");
  expect(stdout).toContain(`row 2: corrects row 2 of batch ${batch}: amount 150000000.00 → 1500000000.00`);
  expect(stdout).toContain(`row 3: corrects row 3 of batch ${batch}: amount 150000000.00 → 15000000.50`);
  expect(stdout).toMatch(/row 4: corrects row 4 of batch .*: .*amount ••6693 → 52250\.00/);
  expect(stdout).not.toContain("60200000006693");
});

test("an account that a spreadsheet took its zeros from is named, and goes with them from the same file", async () => {
  const office = await openOffice([":100.00"]);
  const { desk, sent } = office;
  desk.write("payroll.csv", FILE.replace("60200000004471", "0060200000004471").replaceAll("ACC-OPS-01", "0011223344"));
  const { results } = await desk.run("payroll.csv");
  const batch = results[0]?.["result_batch"] ?? "";
  sent();
  const retry = readFileSync(join(desk.folder, "payroll.csv.retry.csv"), "utf8").replace(MENDED, "1200.00");
  desk.write("saved.csv", retry.replace("0060200000004471", "60200000004471").replaceAll("0011223344", "11223344"));
  const damaged = await desk.run("saved.csv");
  expect({ code: damaged.code, counts: damaged.counts }).toEqual({ code: 3, counts: { invalid: 2 } });
  for (const [index, { result_message }] of damaged.results.entries()) {
    const row = index + 2;
    expect(result_message).toContain(
      `from_account (A${row}): "••3344" lacks the 00 that row ${row} of batch ${batch}, which it corrects, has in front of it`,
    );
  }
  expect(damaged.results[0]?.result_message).toContain("to_account ••4471 → ••4471 (the 00 in front of it are gone)");
  expect(sent()).toEqual([]);

  desk.write("saved.csv", retry.replace("100.00", "100"));
  const mended = await desk.run("saved.csv");
  expect({ code: mended.code, counts: mended.counts }).toEqual({ code: 0, counts: { accepted: 2 } });
  expect(sent()).toEqual(["0060200000004471 100", "60200000005582 1200"]);
});

test("a mobile number without the + or the zero in front of it goes, and both are told", async () => {
  const { desk, sent } = await openOffice([]);
  const header = "debit_account_id,name,mobile,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode";
  const row = (mobile: string, amount: string): string =>
    `ACC-1,Asha,${mobile},60200000004471,SBIN0001234,Asha,${amount},NEFT`;
  desk.write("pay.csv", `${header}\n${row("+919876543210", "1.x")}\n${row("09876543210", "2.x")}\n`);
  const { results } = await desk.run("pay.csv");
  const batch = results[0]?.["result_batch"] ?? "";
  const rows = [`${row("919876543210", "1")},${batch}:2`, `${row("9876543210", "2")},${batch}:3`];
  desk.write("saved.csv", `${header},retry_of\n${rows.join("\n")}\n`);
  const mended = await desk.run("saved.csv");
  expect(mended.counts).toEqual({ accepted: 2 });
  expect(mended.results[0]?.result_message).toContain("mobile ••3210 → ••3210 (the + in front of it is gone)");
  expect(mended.results[1]?.result_message).toContain("mobile ••3210 → ••3210 (the 0 in front of it is gone)");
  expect(sent()).toHaveLength(2);
});

test("the spaces between the digits of an account make it no other payee", async () => {
  const office = await openOffice(["6020 0000 4471"]);
  const { desk, sent } = office;
  desk.write("payroll.csv", FILE.replace("60200000004471", "6020 0000 4471"));
  expect(await desk.run("payroll.csv")).toMatchObject({ code: 3 });
  sent();
  const retry = readFileSync(join(desk.folder, "payroll.csv.retry.csv"), "utf8");
  desk.write("saved.csv", retry.replace("6020 0000 4471", "602000004471").replace(MENDED, "1200.00"));
  const ended = await desk.run("saved.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({ code: 0, counts: { accepted: 2 } });
  expect(sent()).toEqual(["60200000005582 1200", "602000004471 100"]);
});

test("payee_change = allow sends it, and still says what changed", async () => {
  const office = await openOffice();
  office.desk.env["PAYDROP_PAYEE_CHANGE"] = "allow";
  const { retry } = await firstRun(office);
  office.desk.write("mended.csv", retry.replace(MENDED, "1200.00").replace("60200000004471", "60200000004417"));
  const ended = await office.desk.run("mended.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({ code: 0, counts: { accepted: 2 } });
  expect(ended.results[0]?.result_message).toContain("to_account ••4471 → ••4417");
});

test("as Excel saves it, with ; and other columns in another order, it still ties", async () => {
  const office = await openOffice();
  const { batch } = await firstRun(office);
  const lines = [
    "retry_of;Remark;Amount;reference;to account;FROM_ACCOUNT",
    `${batch}:3;mended;1200;R2;60200000005582;ACC-OPS-01`,
    `'${batch.toLowerCase()}:2;;100;R1;60200000004417;ACC-OPS-01`,
    ";a new one;55;R9;60200000007777;ACC-OPS-01",
  ];
  office.desk.write("mine.csv", `\uFEFF${lines.join("\r\n")}\r\n`);
  const ended = await office.desk.run("mine.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({ code: 6, counts: { accepted: 2, held: 1 } });
  expect(office.sent()).toEqual(["60200000005582 1200", "60200000007777 55"]);
  expect(ended.results.map((row) => row.result_message)).toEqual([
    expect.stringContaining(`Corrects row 3 of batch ${batch}: Amount 1,200.00 → 1200`),
    expect.stringContaining(`Corrects row 2 of batch ${batch}: to account ••4471 → ••4417`),
    "Transfer initiated",
  ]);
});

test("what names nothing known is pointed out, and its row is an ordinary one", async () => {
  const office = await openOffice();
  const { batch } = await firstRun(office);
  const rows = ["row 2", "ZZZZZZZZ:2", `${batch}:99`].map(
    (name, at) => `ACC-OPS-01,${at === 0 ? "123456789012345000" : `6020000000888${at}`},1${at}.00,X${at},${name}`,
  );
  office.desk.write("odd.csv", `${HEADER},retry_of\n${rows.join("\n")}\n`);
  const ended = await office.desk.run("odd.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({ code: 0, counts: { accepted: 3 } });
  const messages = ended.results.map((row) => row.result_message);
  expect(messages[0]).toContain('retry_of (E2): "row 2" is not what a retry file has here');
  // beside what else is to be looked at in it
  expect(messages[0]).toContain("only zeros follow the 15th");
  expect(messages[1]).toContain('retry_of (E3): "ZZZZZZZZ:2" names no row that was taken in here');
  expect(messages[2]).toContain(`"${batch}:99" names no row`);
  expect(office.sent()).toHaveLength(3);
});

test("a row of a test is none that a live file corrects", async () => {
  const office = await openOffice();
  const { batch } = await firstRun(office);
  const live = await startService();
  Object.assign(office.desk.env, { PAYDROP_BASE_URL: live.url, PAYDROP_ENVIRONMENT: "live" });
  office.desk.write("live.csv", `${HEADER},retry_of\nACC-OPS-01,60200000007777,100.00,R1,${batch}:2\n`);
  const ended = await office.desk.run("live.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({ code: 0, counts: { accepted: 1 } });
  expect(ended.results[0]?.result_message).toContain(`"${batch}:2" names no row that was taken in here`);
});

test("a retry file of JSON ties as well; a payee that was missing is told", async () => {
  const office = await openOffice();
  const rows = [
    { from_account: "ACC-OPS-01", to_account: "", amount: 10 },
    { from_account: "ACC-OPS-01", to_account: "60200000001234", amount: "1.234" },
  ];
  office.desk.write("pay.json", JSON.stringify(rows));
  expect((await office.desk.run("pay.json", "--operation", "transfer")).counts).toEqual({ invalid: 2 });
  const retry = readFileSync(join(office.desk.folder, "pay.json.retry.json"), "utf8");
  const corrected = retry.replace('"to_account":""', '"to_account":"60200000001235"').replace('"1.234"', "1.23");
  office.desk.write("pay.json.retry.json", corrected);
  const ended = await office.desk.run("pay.json.retry.json", "--operation", "transfer");
  expect(ended.results.map((row) => [row.result_status, row.result_message.replace(/^.*batch \w+: /, "")])).toEqual([
    ["accepted", "to_account (empty) → ••1235"],
    ["accepted", "amount 1.234 → 1.23"],
  ]);
  expect(office.sent()).toEqual(["60200000001234 1.23", "60200000001235 10"]);
});

test("a mapped file ties by the file's own columns, and is compared under the names of our fields", async () => {
  const office = await openOffice(["60200000004471"]);
  const { desk } = office;
  desk.env["PAYDROP_CONFIG"] = tomlAt(join(desk.stateDir, "..", "paydrop.toml"), transferToml("bank", "paise"));
  desk.write("pay.csv", "Ref,Payee Account,Net Pay\nR1,60200000004471,10000\nR2,60200000005582,1250.00\n");
  const first = await desk.run("pay.csv");
  expect(first.counts).toEqual({ rejected: 1, invalid: 1 });
  const retry = readFileSync(join(desk.folder, "pay.csv.retry.csv"), "utf8");
  office.server.use(() => wire.answer(200));
  office.sent();
  desk.write("pay.csv.retry.csv", retry.replace("1250.00", "125000").replace("60200000004471", "60200000004417"));
  const ended = await desk.run("pay.csv.retry.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({ code: 6, counts: { accepted: 1, held: 1 } });
  expect(office.sent()).toEqual(["60200000005582 1250"]);
  const batch = first.results[0]?.["result_batch"] ?? "";
  expect(ended.results.map((row) => row.result_message.replace(/^.*Corrects/, "Corrects"))).toEqual([
    `Corrects row 2 of batch ${batch}: Payee Account (to_account) ••4471 → ••4417`,
    `Corrects row 3 of batch ${batch}: Net Pay (amount) 1250.00 → 125000`,
  ]);
});

test("rows in any order, of several earlier files, find their own", async () => {
  const office = await openOffice(["6020"]);
  const { desk } = office;
  const lines: string[] = [];
  for (const name of ["a", "b"]) {
    // more rows than are read in one piece
    const rows = Array.from({ length: 2500 }, (_, at) => `ACC-OPS-01,${70200000000000 + at},1.234,${name}${at}`);
    desk.write(`${name}.csv`, `${HEADER}\n${rows.join("\n")}\n`);
    expect((await desk.run(`${name}.csv`)).counts).toEqual({ invalid: 2500 });
    const [, ...retry] = readFileSync(join(desk.folder, `${name}.csv.retry.csv`), "utf8")
      .trim()
      .split("\r\n");
    lines.push(...retry);
  }
  const picked = [2499, 0, 4999, 1200, 2500, 3999, 1, 2000].map((at) => lines[at]?.replace("1.234", `${at + 1}.00`));
  desk.write("some.csv", `${HEADER},retry_message,retry_of\n${picked.join("\n")}\n`);
  const ended = await desk.run("some.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({ code: 0, counts: { accepted: 8 } });
  for (const row of ended.results) {
    expect(row.result_message).toContain(
      `Corrects ${(row["retry_of"] ?? "").replace(/^(.*):(.*)$/, "row $2 of batch $1")}`,
    );
    expect(row.result_message).toContain(`: amount 1.234 → ${row["amount"] ?? ""}`);
    expect(row.result_message).not.toContain(";");
  }
});

test("a row whose own stands before those of the page before it reads back to it: a changed payee waits there too", async () => {
  const { desk, sent } = await openOffice();
  const rows = Array.from({ length: 2500 }, (_, at) => `ACC-OPS-01,${70200000000000 + at},1.234,R${at}`);
  desk.write("long.csv", `${HEADER}\n${rows.join("\n")}\n`);
  const { counts, results } = await desk.run("long.csv");
  expect(counts).toEqual({ invalid: 2500 });
  const named = rows.map((row, at) => `${row},${results[0]?.["result_batch"] ?? ""}:${at + 2}`).reverse();
  named.splice(-1, 1, (named.at(-1) ?? "").replace("70200000000000,1.234", "70200000099999,5.00"));
  desk.write("back.csv", `${HEADER},retry_of\n${named.join("\n")}\n`);
  expect((await desk.run("back.csv")).counts).toEqual({ invalid: 2499, held: 1 });
  expect(sent()).toEqual([]);
});

test("the library tells what changed and holds the payee as well", async () => {
  const office = await openOffice();
  const { desk, server, sent } = office;
  const { retry, batch } = await firstRun(office);
  const path = desk.write("mended.csv", retry.replace(MENDED, "1200.00").replace("60200000004471", "60200000004417"));
  const options = { baseUrl: server.url, apiKey: API_KEY, aesKey: AES_KEY, aesIv: AES_IV, stateDir: desk.stateDir };
  const checked = await checkFile(path, options);
  expect(checked.corrections).toMatchObject({ rows: 2, payeesChanged: 1 });
  expect(checked.corrected[0]).toEqual({
    row: 2,
    correction: {
      of: { batch, row: 2 },
      changes: [{ column: "to_account", from: "••4471", to: "••4417" }],
      payeeChanged: true,
    },
  });
  // there is no batch yet that could be released
  expect(checked.holds.map(({ hint }) => hint)).toEqual([expect.stringMatching(/then run the file: the row waits/)]);
  const report = await processFile(path, { ...options, payeeChange: "hold" });
  const again = await checkFile(path, options);
  expect(again.holds).toMatchObject([{ row: 2, code: "payee_changed", hint: expect.stringContaining(`paydrop release ${report.batch} `) as string }]); // prettier-ignore
  expect({ code: report.exitCode, held: report.byStatus.held?.rows }).toEqual({ code: 6, held: 1 });
  expect(sent()).toEqual(["60200000005582 1200"]);
});
