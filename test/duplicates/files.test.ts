import { copyFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createOpener } from "../../src/client/envelope.ts";
import { AES_IV, AES_KEY, countsOf, openDesk, transfersCsv } from "../support/desk.ts";
import type { Desk } from "../support/desk.ts";
import type { FaultServer, Received, Reply } from "../support/fault-server.ts";
import * as wire from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

const DAY_MS = 86_400_000;
const NOVEMBER = Date.parse("2026-11-06T09:00:00Z");

const open = createOpener({ key: Buffer.from(AES_KEY, "hex"), iv: Buffer.from(AES_IV, "hex") });

interface Payment {
  readonly account: string;
  readonly amount: string;
}

/** What a request pays to whom. */
function paymentOf(request: Received): Payment {
  const sent = JSON.parse(request.body) as { body?: string };
  const payload = sent.body === undefined ? request.body : (open(sent.body) ?? "{}");
  const fields = JSON.parse(payload) as Record<string, string>;
  const amount = /"amount":([0-9.]+)/.exec(payload)?.[1] ?? "";
  return { account: fields["bank_acc_num"] ?? fields["to_account"] ?? "", amount };
}

async function openOffice(answerOf: (payment: Payment) => Reply = () => wire.answer(200)): Promise<{
  desk: Desk;
  server: FaultServer;
  /** Payments that the service saw since it was last asked. */
  readonly sent: () => Payment[];
}> {
  const server = await startService((request) => answerOf(paymentOf(request)));
  let told = 0;
  const sent = (): Payment[] => {
    const fresh = server.requests.slice(told).map(paymentOf);
    told = server.requests.length;
    return fresh;
  };
  return { desk: openDesk(server.url), server, sent };
}

function messagesOf(desk: Desk, name: string): string[] {
  return [...new Set(desk.results(name).map((row) => row.result_message))];
}

test("a file whose references lost their zeros in a spreadsheet pays nobody again", async () => {
  const { desk, sent } = await openOffice();
  const rows = (...references: string[]): string =>
    `from_account,to_account,amount,reference\n${references.map((one, index) => `A-1,B-${index},10${index}.00,${one}\n`).join("")}`;
  desk.write("a.csv", rows("0001", "0020", "REF-01", "000"));
  expect((await desk.run("a.csv")).counts).toEqual({ accepted: 4 });
  expect(sent()).toHaveLength(4);
  desk.write("b.csv", rows("1", "20", "REF-01", "0"));
  expect((await desk.run("b.csv")).counts).toEqual({ duplicate: 4 });
  expect(sent()).toEqual([]);
  // zeros elsewhere make a difference, and so do letters
  desk.write("c.csv", rows("10", "200", "REF-1", "0x0"));
  expect((await desk.run("c.csv")).counts).toEqual({ accepted: 4 });
});

test("a file whose accounts lost their zeros in a spreadsheet pays nobody again", async () => {
  const { desk, sent } = await openOffice();
  const file = (account: string, third: string): string =>
    `from_account,to_account,amount\n0501,${account},101.00\n0501,60200000000002,102.00\n0501,60200000000003,${third}\n`;
  desk.write("a.csv", file("00200000000001", ""));
  expect((await desk.run("a.csv")).counts).toEqual({ accepted: 2, invalid: 1 });
  sent();
  desk.write("b.csv", file("200000000001", "103").replaceAll("0501", "501"));
  expect((await desk.run("b.csv")).counts).toEqual({ held: 2, accepted: 1 });
  expect(sent().map(({ account }) => account)).toEqual(["60200000000003"]);
});

test("an id or a payment address that only looks like another one pays nobody again", async () => {
  const { desk, sent } = await openOffice();
  const wage = (account: string): string => `from_account,to_account,amount\n0501,${account},101.00\n`;
  desk.write("a.csv", wage("6020-0000-0001"));
  expect((await desk.run("a.csv")).counts).toEqual({ accepted: 1 });
  desk.write("b.csv", wage("6020\u20110000\u20110001"));
  const b = await desk.run("b.csv");
  expect(b.counts).toEqual({ invalid: 1 });
  expect(b.results[0]?.result_message).toContain("U+2011");

  const dues = (...vpas: string[]): string => `vpa,amount\n${vpas.map((vpa) => `${vpa},499\n`).join("")}`;
  desk.write("c.csv", dues("asha@demobank"));
  expect((await desk.run("c.csv")).counts).toEqual({ accepted: 1 });
  sent();
  const twins = [
    "asha\u00ad@demobank",
    "asha\u200d@demobank",
    "asha\u00a0@demobank",
    "asha @demobank",
    "asha\uff20demobank",
  ];
  desk.write("d.csv", dues(...twins, "ASHA@DemoBank"));
  expect((await desk.run("d.csv")).counts).toEqual({ invalid: 5, held: 1 });
  expect(sent()).toEqual([]);
});

const REWRITTEN = [
  ["1-2", "02-Jan-26"],
  ["MAR1", "01/03/2026"],
  ["3/4", "03. Apr"],
  ["NOV26", "Nov-26"],
  ["1E5", "100000"],
  ["1.50", "1.5"],
  ["1234567890123456", "1234567890123450"],
  ["06/11/2026", "06-11-2026"],
  ["REF-1", "REF-2"],
] as const;

test.each([
  ["a spreadsheet rewrote", REWRITTEN],
  ["a person typed again", REWRITTEN.map(([typed, saved]) => [saved, typed] as const)],
])("references that %s free no row", async (_, pairs) => {
  const { desk, sent } = await openOffice();
  const write = (name: string, references: readonly string[]): string =>
    desk.write(
      name,
      `from_account,to_account,amount,reference\n${references.map((one, index) => `A-1,B-${index},10${index}.00,${one}\n`).join("")}`,
    );
  write(
    "a.csv",
    pairs.map(([before]) => before),
  );
  expect((await desk.run("a.csv")).counts).toEqual({ accepted: 9 });
  sent();
  write(
    "b.csv",
    pairs.map(([, after]) => after),
  );
  expect((await desk.run("b.csv")).counts).toEqual({ held: 8, accepted: 1 });
  expect(sent().map(({ account }) => account)).toEqual(["B-8"]);
  write("c.csv", [...pairs.map(([before]) => before), "NEW-1"]);
  expect((await desk.run("c.csv")).counts).toEqual({ duplicate: 9, accepted: 1 });
});

describe("the same bytes", () => {
  test("again, touched, and under other names within the days: nothing goes, the first outcomes are shown", async () => {
    const { desk, sent } = await openOffice(({ account }) => wire.answer(account.endsWith("3") ? 422 : 200));
    const path = desk.write("payroll.csv", transfersCsv(5));
    const first = await desk.run("payroll.csv");
    expect({ code: first.code, counts: first.counts }).toEqual({ code: 3, counts: { accepted: 4, rejected: 1 } });
    expect(sent()).toHaveLength(5);

    expect((await desk.run("payroll.csv")).counts).toEqual(first.counts);
    utimesSync(path, new Date(), new Date());
    expect((await desk.run("payroll.csv")).counts).toEqual(first.counts);
    for (const name of ["copy of payroll.csv", "wages.csv"]) {
      copyFileSync(path, join(desk.folder, name));
      const run = await desk.run(name);
      expect({ code: run.code, counts: run.counts }).toEqual({ code: 3, counts: first.counts });
      expect(run.stdout + run.stderr).toMatch(/again|before|same|already|resum/i);
    }
    expect(sent()).toEqual([]);
  });

  test("next month, from the mail once more: held whole, said in the results, neither sent nor forgotten", async () => {
    const { desk, sent } = await openOffice();
    const path = desk.write("payroll.csv", transfersCsv(3));
    await desk.process("payroll.csv", { now: () => NOVEMBER });
    expect(sent()).toHaveLength(3);
    utimesSync(path, new Date(), new Date());
    const december = { now: () => NOVEMBER + 30 * DAY_MS };
    const held = await desk.process("payroll.csv", december);
    expect({ code: held.exitCode, held: held.byStatus.held?.rows }).toEqual({ code: 6, held: 3 });
    expect(messagesOf(desk, "payroll.csv")).toEqual([expect.stringContaining("this very file was sent before")]);
    expect((await desk.process("payroll.csv", december)).exitCode, "and it stays so").toBe(6);
    expect(sent()).toEqual([]);

    const stated = await desk.process("payroll.csv", { ...december, flags: { period: "2026-12" } });
    expect({ code: stated.exitCode, accepted: stated.byStatus.accepted?.rows }).toEqual({ code: 0, accepted: 3 });
    expect(sent()).toHaveLength(3);
    // the copy that was held must not go as well, whoever asks for it
    const act = { by: "Meera", kind: "release", note: "a new month" };
    const releasing = desk.inProcess((processor) => processor.journal.release(held.batch, "all", act), december);
    await expect(releasing).rejects.toThrow("cancelled");
    await desk.process("payroll.csv", december);
    await desk.process("payroll.csv", { ...december, flags: { period: "2026-12" } });
    expect(sent()).toEqual([]);
  });

  test("stating the period takes back the copy that waits as a whole, and no other batch of the file", async () => {
    const { desk, sent } = await openOffice();
    // one goes, one is repeated, one cannot be read, one is known by its reference
    const rows = ["1,5.00,", "2,6.00,", "2,6.00,", "3,six,", "4,7.00,R-1"].map((row) => `ACC-1,ACC-${row}\n`);
    const path = desk.write("payroll.csv", `from_account,to_account,amount,reference\n${rows.join("")}`);
    const taken = async (days: number, period?: string): Promise<string> => {
      utimesSync(path, new Date(), new Date());
      const flags = period === undefined ? {} : { period };
      const report = await desk.process("payroll.csv", { now: () => NOVEMBER + days * DAY_MS, flags });
      return report.batch;
    };
    const first = await taken(0);
    expect(countsOf(desk.results("payroll.csv"))).toEqual({ accepted: 3, held: 1, invalid: 1 });
    const november = await taken(5, "2026-11");
    const copy = await taken(30);
    expect(countsOf(desk.results("payroll.csv"))).toEqual({ held: 3, invalid: 1, duplicate: 1 });
    sent();
    // the repeated one waits for the first file's, which a person may still let go
    const december = await taken(31, "2026-12");
    expect(sent().map(({ account }) => account)).toEqual(["ACC-1"]);
    const phases = await desk.inProcess(async ({ journal }) =>
      Object.fromEntries((await journal.batches()).map(({ id, phase }) => [id, phase])),
    );
    expect(phases).toEqual({ [first]: "open", [november]: "open", [copy]: "cancelled", [december]: "open" });
  });

  test("stating the period takes back the copy that waits, also where the process died before it did", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll-2026-10.csv", transfersCsv(2));
    await desk.process("payroll-2026-10.csv");
    desk.write("payroll-2026-11.csv", transfersCsv(2));
    const held = await desk.process("payroll-2026-11.csv");
    expect(held.byStatus.held?.rows).toBe(2);
    const env = { ...desk.env, PAYDROP_TEST: "1", PAYDROP_FAULT: "crash@batch.opened:1" };
    const operands = ["run", "--period", "2026-11", "payroll-2026-11.csv"];
    expect((await runProgram(operands, { env, cwd: desk.folder })).signal).toBe("SIGKILL");
    await desk.process("payroll-2026-11.csv", { flags: { period: "2026-11" } });
    expect(sent()).toHaveLength(4);
    const copy = await desk.inProcess(({ journal }) => journal.batch(held.batch));
    expect(copy?.phase).toBe("cancelled");
  });

  test("a date whose month nobody can tell is no other period, wherever it is stated", async () => {
    const { desk, sent } = await openOffice();
    const rows = '[{"from_account":"ACC-1","to_account":"ACC-2","amount":5}]';
    const stating = (period: string): string => `{"operation":"transfer","period":"${period}","rows":${rows}}`;
    desk.write("first.json", stating("2026-11"));
    desk.write("second.json", stating("01/11/2026"));
    desk.write("third.json", rows.replace("[", "[ "));
    expect((await desk.run("first.json")).code).toBe(0);
    const flagged = ["third.json", "--operation=transfer"];
    for (const [name, ...flags] of [
      ["second.json"],
      [...flagged, "--period=1.11.2026"],
      [...flagged, "--period=28/11/2026"],
    ]) {
      const run = await desk.run(name ?? "", ...flags);
      expect(run.code).toBe(5);
      expect(run.stderr).toContain("a date that does not begin with its year");
    }
    expect(sent()).toHaveLength(1);
  });

  test("nor is a month with a dash of Word's, or digits of another script", async () => {
    const { desk, sent } = await openOffice();
    desk.write("first.csv", transfersCsv(1));
    expect((await desk.run("first.csv", "--period", "2026-11")).code).toBe(0);
    desk.write("second.csv", `${transfersCsv(1)}\n`);
    for (const [period, found] of [
      ["2026\u201311", "U+2013"],
      ["\u0968\u0966\u0968\u096c-\u0967\u0967", "U+0968"],
    ] as const) {
      const run = await desk.run("second.csv", "--period", period);
      expect({ code: run.code, isNamed: run.stderr.includes(found) }).toEqual({ code: 5, isNamed: true });
    }
    expect(sent()).toHaveLength(1);
  });

  test("the file that still lies there untouched is nothing new, however late", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll.csv", transfersCsv(3));
    await desk.process("payroll.csv", { now: () => NOVEMBER });
    const late = await desk.process("payroll.csv", { now: () => NOVEMBER + 400 * DAY_MS });
    expect({ code: late.exitCode, accepted: late.byStatus.accepted?.rows }).toEqual({ code: 0, accepted: 3 });
    expect(sent()).toHaveLength(3);
  });

  test("under a name with another month: held whole, also on the same day", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll-2026-11.csv", transfersCsv(3));
    desk.write("payroll-2026-12.csv", transfersCsv(3));
    expect((await desk.run("payroll-2026-11.csv")).code).toBe(0);
    const run = await desk.run("payroll-2026-12.csv");
    expect({ code: run.code, counts: run.counts }).toEqual({ code: 6, counts: { held: 3 } });
    expect(messagesOf(desk, "payroll-2026-12.csv")).toEqual([
      expect.stringContaining("this very file was sent before"),
    ]);
    expect(sent()).toHaveLength(3);
    const stated = await desk.run("payroll-2026-12.csv", "--period", "2026-12");
    expect({ code: stated.code, counts: stated.counts }).toEqual({ code: 0, counts: { accepted: 3 } });
    expect(sent()).toHaveLength(3);
  });

  test("first with its period, later without any: held whole, not taken for a new month", async () => {
    const { desk, sent } = await openOffice();
    const path = desk.write("payroll.csv", transfersCsv(3));
    await desk.process("payroll.csv", { now: () => NOVEMBER, flags: { period: "2026-11" } });
    expect(sent()).toHaveLength(3);
    utimesSync(path, new Date(), new Date());
    const soon = await desk.process("payroll.csv", { now: () => NOVEMBER + DAY_MS });
    expect({ code: soon.exitCode, accepted: soon.byStatus.accepted?.rows }).toEqual({ code: 0, accepted: 3 });
    copyFileSync(path, join(desk.folder, "copy.csv"));
    const late = await desk.process("copy.csv", { now: () => NOVEMBER + 60 * DAY_MS });
    expect({ code: late.exitCode, held: late.byStatus.held?.rows }).toEqual({ code: 6, held: 3 });
    expect(sent()).toEqual([]);
  });

  test("a file that stopped goes on under another name, each row once", async () => {
    const { desk, server, sent } = await openOffice();
    server.use((request) => wire.answer(request.number > 4 ? 401 : 200));
    desk.write("payroll.csv", transfersCsv(30));
    const first = await desk.run("payroll.csv", "--concurrency", "1");
    expect(first.code).toBe(7);
    server.use(() => wire.answer(200));
    desk.write("again.csv", transfersCsv(30));
    const second = await desk.run("again.csv");
    expect({ code: second.code, counts: second.counts }).toEqual({ code: 0, counts: { accepted: 30 } });
    const all = sent().map(({ account }) => account);
    // one of them was refused for the key, and went again
    expect({ requests: all.length, rows: new Set(all).size }).toEqual({ requests: 31, rows: 30 });
  });
});

/** A payroll of 100: row 20 cannot be read, 40 and 60 name an account that the service refuses. */
function payroll(options: {
  mended?: boolean;
  resaved?: boolean;
  references?: boolean;
  badAccount?: (index: number) => string;
}): string {
  const names = ["debit_account_id", "name", "bank_acc_num", "ifsc_code", "bank_owner_name", "amount", "payment_mode", "narration"]; // prettier-ignore
  const header = [...names, ...(options.references ? ["reference"] : [])];
  const rows = Array.from({ length: 100 }, (_, at) => {
    const index = at + 1;
    const isBad = index === 40 || index === 60;
    const bad = options.badAccount?.(index) ?? `9999${String(index).padStart(8, "0")}`;
    const account = isBad && !options.mended ? bad : `7001${String(index).padStart(8, "0")}`;
    const amount =
      index === 20 && !options.mended ? "12.3.4" : options.resaved ? `${500 + index}` : `${500 + index}.00`;
    const name = `Person, ${"abcdefghij".charAt(index % 10)}${index}`;
    const cells = ["ACC-OPS-01", name, account, "HDFC0001234", name, amount, "NEFT", options.resaved ? `Wages; ${index} "late"` : "Salary"]; // prettier-ignore
    return options.references ? [...cells, `EMP-${index}`] : cells;
  });
  if (options.resaved) rows.reverse();
  const delimiter = options.resaved ? ";" : ",";
  const cell = (text: string): string =>
    options.resaved || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
  const lines = [header, ...rows].map((cells) => cells.map(cell).join(delimiter));
  return options.resaved ? `\ufeff${lines.join("\r\n")}\r\n` : `${lines.join("\n")}\n`;
}

const refusingNines = ({ account }: Payment): Reply =>
  account.startsWith("9999") ? wire.answer(422, { error: `no such account ${account}` }) : wire.answer(200);

describe("a corrected file, saved again by a spreadsheet, sends exactly what was mended", () => {
  test.each([
    ["with references", { references: true }, {}, { accepted: 3, duplicate: 97 }, 0],
    ["with a period", {}, { period: "2026-11" }, { accepted: 3, duplicate: 97 }, 0],
    ["with neither", {}, {}, { accepted: 3, held: 97 }, 6],
  ] as const)("%s", async (_how, options, flags, counts, code) => {
    const { desk, sent } = await openOffice(refusingNines);
    desk.write("payroll.csv", payroll(options));
    const first = await desk.process("payroll.csv", { flags });
    expect(countsOf(desk.results("payroll.csv"))).toEqual({ accepted: 97, rejected: 2, invalid: 1 });
    expect(first.exitCode).toBe(3);
    expect(sent()).toHaveLength(99);

    desk.write("payroll corrected.csv", payroll({ ...options, mended: true, resaved: true }));
    const second = await desk.process("payroll corrected.csv", { flags });
    expect(countsOf(desk.results("payroll corrected.csv"))).toEqual(counts);
    expect(second.exitCode).toBe(code);
    const mended = sent().map(({ account }) => account);
    expect(mended.sort()).toEqual(["700100000020", "700100000040", "700100000060"]);

    await desk.process("payroll corrected.csv", { flags });
    await desk.process("payroll.csv", { flags });
    expect(sent()).toEqual([]);
  });

  test("one whose first attempt is unknown waits until a person settled it; the other two go", async () => {
    const { desk, sent } = await openOffice(({ account }) =>
      account === "700100000040" ? wire.answer(504) : refusingNines({ account, amount: "" }),
    );
    // row 40 was right all along, only its answer is missing; 20 and 60 are mended
    const badAccount = (index: number): string => (index === 40 ? "700100000040" : "999900000060");
    desk.write("payroll.csv", payroll({ badAccount }));
    const first = await desk.process("payroll.csv");
    expect(countsOf(desk.results("payroll.csv"))).toEqual({ accepted: 97, rejected: 1, unknown: 1, invalid: 1 });
    expect(first.exitCode).toBe(4);
    sent();

    desk.write("corrected.csv", payroll({ mended: true, resaved: true }));
    await desk.process("corrected.csv");
    expect(sent().map(({ account }) => account).sort()).toEqual(["700100000020", "700100000060"]); // prettier-ignore
    const held = desk.results("corrected.csv").find((row) => row["bank_acc_num"] === "700100000040");
    expect(held?.result_status).toBe("held");
    expect(held?.result_message).toContain("has no end yet");
    await desk.process("corrected.csv");
    expect(sent(), "it is not sent however often the file comes").toEqual([]);

    const act = { by: "Meera", kind: "settle", note: "not in the dashboard" };
    await desk.inProcess((processor) =>
      processor.journal.settle([{ batch: first.batch, row: 41, as: "settled_not_done", act }]),
    );
    const settled = await desk.process("corrected.csv");
    expect(sent().map(({ account }) => account)).toEqual(["700100000040"]);
    expect(settled.byStatus.unknown?.rows).toBe(1);
  });

  test("one that was settled as done is not sent again", async () => {
    const { desk, sent } = await openOffice(({ account }) => wire.answer(account.endsWith("2") ? 504 : 200));
    desk.write("a.csv", transfersCsv(3, { reference: (index) => `R-${index}` }));
    const first = await desk.process("a.csv");
    const act = { by: "Meera", kind: "settle", note: "seen in the dashboard" };
    await desk.inProcess((processor) =>
      processor.journal.settle([{ batch: first.batch, row: 3, as: "settled_done", act }]),
    );
    sent();
    desk.write("b.csv", transfersCsv(3, { reference: (index) => `R-${index}`, remark: () => "new" }));
    await desk.process("b.csv");
    expect(countsOf(desk.results("b.csv"))).toEqual({ duplicate: 3 });
    expect(sent()).toEqual([]);
  });
});

describe("identical salaries every month, in files that differ", () => {
  /** Another month's file: other bytes, the same payments. */
  const month = (name: string, reference?: (index: number) => string): string =>
    transfersCsv(20, { remark: () => name, ...(reference ? { reference } : {}) });

  async function twice(
    second: { afterDays: number; flags?: Record<string, string>; references?: boolean; name?: string },
    first: { flags?: Record<string, string>; references?: boolean; name?: string } = {},
  ): Promise<{ sent: number; counts: Record<string, number>; messages: string[] }> {
    const { desk, sent } = await openOffice();
    const names = [first.name ?? "one.csv", second.name ?? "two.csv"] as const;
    desk.write(names[0], month("one", first.references ? (index) => `NOV-${index}` : undefined));
    desk.write(names[1], month("two", second.references ? (index) => `DEC-${index}` : undefined));
    await desk.process(names[0], { now: () => NOVEMBER, ...(first.flags ? { flags: first.flags } : {}) });
    expect(sent()).toHaveLength(20);
    const now = (): number => NOVEMBER + second.afterDays * DAY_MS;
    await desk.process(names[1], { now, ...(second.flags ? { flags: second.flags } : {}) });
    const results = desk.results(names[1]);
    return { sent: sent().length, counts: countsOf(results), messages: messagesOf(desk, names[1]) };
  }

  test("with new references they go", async () => {
    expect(await twice({ afterDays: 1, references: true }, { references: true })).toMatchObject({ sent: 20 });
  });

  test("with new periods they go, also early", async () => {
    const flags = { period: "2026-12" };
    expect(await twice({ afterDays: 1, flags }, { flags: { period: "2026-11" } })).toMatchObject({ sent: 20 });
  });

  test("with a period, when the first month had none", async () => {
    expect(await twice({ afterDays: 28, flags: { period: "2026-12" } })).toMatchObject({ sent: 20 });
    expect(await twice({ afterDays: 10, flags: { period: "2026-12" } }), "a later month is another payment").toMatchObject({ sent: 20 });
    expect(await twice({ afterDays: 10, flags: { period: "2026-11" } }), "this month may be the same").toMatchObject({ sent: 0, counts: { held: 20 } });
  }); // prettier-ignore

  test("with neither they are held inside duplicate_days, with a hint, and go outside", async () => {
    const inside = await twice({ afterDays: 19 });
    expect(inside).toMatchObject({ sent: 0, counts: { held: 20 } });
    expect(inside.messages[0]).toContain("same payment as row");
    expect(await twice({ afterDays: 21 })).toMatchObject({ sent: 20 });
  });

  test("with the same month in both names they are held however late; with another month outside the days they go", async () => {
    const name = "payroll-nov-2026.csv";
    expect(await twice({ afterDays: 60, name: "again-2026-11.csv" }, { name })).toMatchObject({ sent: 0, counts: { held: 20 } });
    expect(await twice({ afterDays: 28, name: "payroll-dec-2026.csv" }, { name })).toMatchObject({ sent: 20 });
    expect(await twice({ afterDays: 10, name: "payroll-dec-2026.csv" }, { name })).toMatchObject({ sent: 0 });
  }); // prettier-ignore

  test("a period and no period again: held inside the days", async () => {
    expect(await twice({ afterDays: 10 }, { flags: { period: "2026-11" } })).toMatchObject({ sent: 0, counts: { held: 20 } });
  }); // prettier-ignore

  test("a period in the wrapper of a JSON file is its period, unless another one is stated", async () => {
    const { desk, sent } = await openOffice();
    const rows = [{ from_account: "A-1", to_account: "B-1", amount: "101.00" }];
    const text = JSON.stringify({ operation: "transfer", period: "2026-11", rows });
    desk.write("a.json", text);
    expect((await desk.process("a.json", { now: () => NOVEMBER })).byStatus.accepted?.rows).toBe(1);
    const later = { now: () => NOVEMBER + 60 * DAY_MS };
    desk.write("b.json", `${text}\n`);
    expect((await desk.process("b.json", later)).byStatus.duplicate?.rows).toBe(1);
    expect(sent()).toHaveLength(1);
    desk.write("c.json", `${text}\n\n`);
    await desk.process("c.json", { ...later, flags: { period: "2027-01" } });
    expect(sent()).toHaveLength(1);
  });

  test("the period of a row is its own, whatever is stated for its file: what went is a duplicate, the other one goes", async () => {
    const server = await startService();
    const desk = openDesk(server.url);
    desk.write("a.csv", transfersCsv(2, { period: () => "2026-11" }));
    expect((await desk.run("a.csv")).counts).toEqual({ accepted: 2 });
    desk.write("b.csv", transfersCsv(3, { period: (index) => (index < 3 ? "2026-11" : "") }));
    expect((await desk.run("b.csv", "--period", "2026-12")).counts).toEqual({ duplicate: 2, accepted: 1 });
    expect(server.requests).toHaveLength(3);
  });

  test("held for want of a period, they go when a person states it, and never twice", async () => {
    const { desk, sent } = await openOffice();
    desk.write("one.csv", month("one"));
    const path = desk.write("two.csv", month("two"));
    await desk.process("one.csv", { now: () => NOVEMBER });
    const soon = (days: number): { now: () => number } => ({ now: () => NOVEMBER + days * DAY_MS });
    expect((await desk.process("two.csv", soon(15))).exitCode).toBe(6);
    expect(sent()).toHaveLength(20);
    const flags = { period: "2026-12" };
    expect((await desk.process("two.csv", { ...soon(16), flags })).exitCode).toBe(0);
    expect(sent()).toHaveLength(20);
    copyFileSync(path, join(desk.folder, "copy.csv"));
    utimesSync(path, new Date(), new Date());
    for (const setting of [soon(17), { ...soon(17), flags }]) await desk.process("two.csv", setting);
    const later = await desk.process("copy.csv", soon(60));
    expect(later.exitCode).toBe(6);
    expect(sent()).toEqual([]);
    // that last one waits for a decision of its own: the old period does not take it away
    await desk.process("two.csv", { ...soon(61), flags });
    const phase = await desk.inProcess(async ({ journal }) => (await journal.batch(later.batch))?.phase);
    expect(phase).toBe("open");
    expect((await desk.process("copy.csv", { ...soon(62), flags: { period: "2027-01" } })).exitCode).toBe(0);
    expect(sent()).toHaveLength(20);
  });

  test("a clock that was set back frees nothing", async () => {
    expect(await twice({ afterDays: -2 })).toMatchObject({ sent: 0, counts: { held: 20 } });
    expect(await twice({ afterDays: -400 })).toMatchObject({ sent: 0, counts: { held: 20 } });
  });

  test("nor does one that ran ahead for a run and is right again", async () => {
    const { desk, sent } = await openOffice();
    for (const name of ["one", "two"]) desk.write(`${name}.csv`, month(name));
    desk.write("ahead.csv", transfersCsv(1).replace("101.00", "7.00"));
    await desk.process("one.csv", { now: () => NOVEMBER });
    await desk.process("ahead.csv", { now: () => NOVEMBER + 120 * DAY_MS });
    expect(sent()).toHaveLength(21);
    await desk.process("two.csv", { now: () => NOVEMBER + 2 * DAY_MS });
    expect([sent().length, countsOf(desk.results("two.csv"))]).toEqual([0, { held: 20 }]);
  });

  test("one that is put right while rows go makes no nonsense of how long that took", async () => {
    const { desk } = await openOffice();
    desk.write("one.csv", month("one"));
    let nowMs = NOVEMBER;
    const { durationMs } = await desk.process("one.csv", { now: () => (nowMs -= DAY_MS) });
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(durationMs).toBeLessThan(DAY_MS);
  });
});

describe("equal rows in one file", () => {
  const equal = (more = ""): string => {
    const row = "50100271828001,60200000000001,101.00";
    return `from_account,to_account,amount${more ? ",reference" : ""}\n${row}${more && ",A-1"}\n${row}${more && ",A-2"}\n`;
  };

  test("without references the first goes and the second is held", async () => {
    const { desk, sent } = await openOffice();
    desk.write("two.csv", equal());
    const run = await desk.run("two.csv");
    expect({ code: run.code, counts: run.counts, sent: sent().length }).toEqual({
      code: 6,
      counts: { accepted: 1, held: 1 },
      sent: 1,
    });
    expect(run.results[1]?.result_message).toContain("row 2");
  });

  test("with references of their own both go", async () => {
    const { desk, sent } = await openOffice();
    desk.write("two.csv", equal("references"));
    expect((await desk.run("two.csv")).code).toBe(0);
    expect(sent()).toHaveLength(2);
  });

  test("--allow-repeats sends both, and with a period the same two are known again in a file of three", async () => {
    const { desk, sent } = await openOffice();
    desk.write("two.csv", equal());
    const flags = { period: "2026-11", allow_repeats: true };
    expect((await desk.process("two.csv", { flags })).exitCode).toBe(0);
    expect(sent()).toHaveLength(2);
    desk.write("three.csv", `${equal()}50100271828001,60200000000001,101\n`);
    await desk.process("three.csv", { flags });
    expect(countsOf(desk.results("three.csv"))).toEqual({ duplicate: 2, held: 1 });
    expect(sent()).toEqual([]);
  });

  test("one reference twice is held, whatever the flags", async () => {
    const { desk, sent } = await openOffice();
    desk.write("two.csv", transfersCsv(3, { reference: (index) => (index < 3 ? "SAME" : "OTHER") }));
    const run = await desk.run("two.csv", "--allow-repeats");
    expect({ code: run.code, counts: run.counts, sent: sent().length }).toEqual({
      code: 6,
      counts: { accepted: 2, held: 1 },
      sent: 2,
    });
    expect(run.results[1]?.result_message).toContain("reference");
  });
});

describe("between files", () => {
  test("the same reference with another amount is held", async () => {
    const { desk, sent } = await openOffice();
    desk.write("a.csv", transfersCsv(2, { reference: (index) => `R-${index}` }));
    desk.write("b.csv", transfersCsv(2, { reference: (index) => `R-${index}` }).replace("102.00", "120.00"));
    await desk.process("a.csv");
    sent();
    const second = await desk.process("b.csv", { now: () => Date.now() + 400 * DAY_MS });
    expect(second.exitCode).toBe(6);
    expect(countsOf(desk.results("b.csv"))).toEqual({ duplicate: 1, held: 1 });
    expect(desk.results("b.csv")[1]?.result_message).toContain(
      "its reference was used for another payee, amount or debit account",
    );
    expect(sent()).toEqual([]);
  });

  test("an amount that was edited on a row already accepted is held as a near duplicate", async () => {
    const { desk, sent } = await openOffice();
    desk.write("a.csv", transfersCsv(10));
    desk.write("b.csv", transfersCsv(10).replace("105.00", "150.00"));
    await desk.process("a.csv");
    sent();
    await desk.process("b.csv");
    expect(countsOf(desk.results("b.csv"))).toEqual({ held: 10 });
    const near = desk.results("b.csv")[4];
    expect(near?.result_message).toContain("same payee with another amount");
    expect(sent()).toEqual([]);
  });

  test("a file of its own that pays the same people other amounts goes", async () => {
    const { desk, sent } = await openOffice();
    desk.write("salary.csv", transfersCsv(10));
    desk.write("bonus.csv", transfersCsv(10).replaceAll(".00", ".50"));
    await desk.process("salary.csv");
    sent();
    expect((await desk.process("bonus.csv")).exitCode).toBe(0);
    expect(sent()).toHaveLength(10);
  });

  test("JSON rows that repeat the rows of a CSV are the same payments, however they write the amount", async () => {
    const { desk, sent } = await openOffice();
    desk.write("a.csv", transfersCsv(4, { reference: (index) => `R-${index}` }));
    await desk.process("a.csv");
    expect(sent()).toHaveLength(4);
    const amounts = ["101", "102.0", "103.00", "104.000"];
    const rows = amounts.slice(0, 3).map(
      (amount, at) =>
        `{"to_account":"60200${String(at + 1).padStart(9, "0")}","reference":"R-${at + 1}","from_account":"50100271828001","amount":${at === 1 ? `"${amount}"` : amount}}`,
    ); // prettier-ignore
    desk.write("b.json", `[${rows.join(",\n")}]`);
    await desk.process("b.json");
    expect(desk.results("b.json").map((row) => row.result_status)).toEqual(["duplicate", "duplicate", "duplicate"]);
    expect(sent()).toEqual([]);
  });

  test("what a cancelled batch did not send stands in nobody's way; what it sent does", async () => {
    const { desk, server, sent } = await openOffice();
    server.use((request) => wire.answer(request.number > 2 ? 401 : 200));
    desk.write("a.csv", transfersCsv(10));
    const first = await desk.process("a.csv", { flags: { concurrency: "1" } });
    expect(countsOf(desk.results("a.csv"))).toEqual({ accepted: 2, rejected: 1, not_sent: 7 });
    server.use(() => wire.answer(200));
    sent();
    desk.write("b.csv", transfersCsv(10, { remark: () => "once more" }));
    await desk.process("b.csv");
    expect(countsOf(desk.results("b.csv"))).toEqual({ held: 9, accepted: 1 });
    const act = { by: "Meera", kind: "cancel", note: "the other file replaces it" };
    await desk.inProcess((processor) => processor.journal.setPhase(first.batch, "cancelled", act));
    await desk.process("b.csv");
    expect(countsOf(desk.results("b.csv"))).toEqual({ held: 2, accepted: 8 });
    const all = sent().map(({ account }) => account);
    expect({ requests: all.length, rows: new Set(all).size }).toEqual({ requests: 8, rows: 8 });
    await desk.process("a.csv");
    expect(sent()).toEqual([]);
  });

  test("many equal rows of a cancelled file do not hide the one that was sent before", async () => {
    const { desk, sent } = await openOffice();
    const file = (rows: number, remark: string): string =>
      `from_account,to_account,amount,remark\n${`50100271828001,60200000000001,101.00,${remark}\n`.repeat(rows)}`;
    // its reference gives it a key of its own: only the core fields are shared
    desk.write("a.csv", file(1, "R-1").replace("remark", "reference"));
    await desk.process("a.csv");
    desk.write("b.csv", file(100, "far too many"));
    const many = await desk.process("b.csv");
    expect(countsOf(desk.results("b.csv"))).toEqual({ held: 100 });
    const act = { by: "Meera", kind: "cancel", note: "100 too many" };
    await desk.inProcess((processor) => processor.journal.setPhase(many.batch, "cancelled", act));
    expect(sent()).toHaveLength(1);
    desk.write("c.csv", file(1, "once more"));
    await desk.process("c.csv");
    expect(countsOf(desk.results("c.csv"))).toEqual({ held: 1 });
    expect(sent()).toEqual([]);
  });
});

describe("a period that is stated for a file whose name says another month", () => {
  const wages = (...more: string[]): string =>
    ["from_account,to_account,amount", "A-1,B-1,100", "A-1,B-2,200", ...more].join("\n");
  const at = (date: string, period?: string): { now: () => number; flags: Record<string, unknown> } => ({
    now: () => Date.parse(date),
    flags: period === undefined ? {} : { period },
  });

  test("frees nothing that was paid for the month of its name: a nightly run that states the month of today", async () => {
    const { desk, sent } = await openOffice();
    desk.write("wages-nov-2026.csv", wages());
    await desk.process("wages-nov-2026.csv", at("2026-11-30", "2026-11"));
    expect(sent()).toHaveLength(2);
    desk.write("wages-nov-2026 (1).csv", wages(""));
    expect((await desk.process("wages-nov-2026 (1).csv", at("2026-12-01", "2026-12"))).exitCode).toBe(6);
    expect(sent()).toEqual([]);
    expect(messagesOf(desk, "wages-nov-2026 (1).csv").join("\n")).toContain("its name");
  });

  test("calls nothing a duplicate: a period that was forgotten in the settings leaves no month unpaid without a word", async () => {
    const { desk, sent } = await openOffice();
    desk.write("wages-nov-2026.csv", wages());
    await desk.process("wages-nov-2026.csv", at("2026-11-06", "2026-11"));
    sent();
    desk.write("wages-dec-2026.csv", wages("A-1,B-3,300"));
    expect((await desk.process("wages-dec-2026.csv", at("2026-12-06", "2026-11"))).exitCode).toBe(6);
    expect(sent().map(({ account }) => account)).toEqual(["B-3"]);
    // saved once more under a name with that month: those that went under it are surely the same
    desk.write("wages-2026-12-08.csv", wages("A-1,B-3,300", ""));
    await desk.process("wages-2026-12-08.csv", at("2026-12-08", "2026-11"));
    expect(desk.results("wages-2026-12-08.csv").map((row) => row.result_status)).toEqual(["held", "held", "duplicate"]);
  });

  test("keeps what went under it from going under the right one too, also what a retry file sent", async () => {
    const rejects = { account: "B-4" };
    const { desk, sent } = await openOffice(({ account }) => wire.answer(account === rejects.account ? 422 : 200));
    desk.write("wages-nov-2026.csv", wages());
    await desk.process("wages-nov-2026.csv", at("2026-11-30", "2026-11"));
    const december = wages("A-1,B-3,300", "A-1,B-4,400");
    desk.write("wages-dec-2026.csv", december);
    const forgotten = await desk.process("wages-dec-2026.csv", at("2026-12-31", "2026-11"));
    rejects.account = "";
    const corrected = `from_account,to_account,amount,retry_of\nA-1,B-4,400,${forgotten.batch}:5\n`;
    desk.write("wages-dec-2026.csv.retry.csv", corrected);
    await desk.process("wages-dec-2026.csv.retry.csv", at("2027-01-01"));
    expect(sent().map(({ account }) => account)).toEqual(["B-1", "B-2", "B-3", "B-4", "B-4"]);

    const act = { by: "Meera", kind: "cancel", note: "its period is wrong" };
    await desk.inProcess((processor) => processor.journal.setPhase(forgotten.batch, "cancelled", act));
    expect((await desk.process("wages-dec-2026.csv", at("2027-01-02", "2026-12"))).exitCode).toBe(6);
    expect(sent().map(({ account }) => account)).toEqual(["B-1", "B-2"]);
    const states = desk.results("wages-dec-2026.csv").map((row) => row.result_status);
    expect(states).toEqual(["accepted", "accepted", "held", "held"]);
  });

  test("calls nothing a duplicate of what a late correction of another month's file paid under it", async () => {
    const { desk, sent } = await openOffice();
    desk.write("wages-nov-2026.csv", wages("A-1,B-3,x"));
    await desk.process("wages-nov-2026.csv", at("2026-11-30", "2026-11"));
    desk.write("wages-nov-2026 mended.csv", wages("A-1,B-3,300"));
    await desk.process("wages-nov-2026 mended.csv", at("2026-12-01", "2026-12"));
    expect(sent().map(({ account }) => account)).toEqual(["B-1", "B-2", "B-3"]);
    desk.write("wages-dec-2026.csv", wages("A-1,B-3,300", ""));
    await desk.process("wages-dec-2026.csv", at("2026-12-31", "2026-12"));
    expect(desk.results("wages-dec-2026.csv")[2]?.result_message).toContain("unless it is another month's");
  });

  test("is not the day in the name of a retry file, for the month that was stated for the row it corrects", async () => {
    const answers = { code: 422 };
    const { desk, sent } = await openOffice(() => wire.answer(answers.code));
    desk.write("wages-nov-2026.csv", wages());
    const { batch } = await desk.process("wages-nov-2026.csv", at("2026-11-30", "2026-11"));
    answers.code = 200;
    desk.write("refused-2026-12-02.csv", `from_account,to_account,amount,retry_of\nA-1,B-2,200,${batch}:3\n`);
    await desk.process("refused-2026-12-02.csv", at("2026-12-02"));
    expect(sent()).toHaveLength(3);
    desk.write("wages-dec-2026.csv", wages(""));
    expect((await desk.process("wages-dec-2026.csv", at("2026-12-31", "2026-12"))).exitCode).toBe(0);
    expect(sent()).toHaveLength(2);
  });

  test.each([
    ["the month that is worked", ["wages-oct-2026.csv", "2026-11"], ["wages-nov-2026.csv", "2026-12"]],
    ["the day it is paid", ["wages-2026-12-01.csv", "2026-11"], ["wages-2027-01-01.csv", "2026-12"]],
  ] as const)("asks nobody where the name always says %s", async (_, [last, lastPeriod], [next, period]) => {
    const { desk, sent } = await openOffice();
    desk.write(last, wages());
    await desk.process(last, at(`${lastPeriod}-28`, lastPeriod));
    desk.write(next, wages("A-1,B-3,300"));
    expect((await desk.process(next, at(`${period}-28`, period))).exitCode).toBe(0);
    expect(sent()).toHaveLength(5);
    // last month's copy, a month later than it went
    desk.write(`copy of ${last}`, wages(""));
    await desk.process(`copy of ${last}`, at(`${period}-28`, period));
    expect(sent()).toEqual([]);
  });

  test("holds nothing of the month that was paid late into the next, at the end of that one", async () => {
    const { desk, sent } = await openOffice();
    desk.write("wages-2027-01-02.csv", wages());
    await desk.process("wages-2027-01-02.csv", at("2027-01-02", "2026-12"));
    desk.write("wages-2027-01-29.csv", wages(""));
    expect((await desk.process("wages-2027-01-29.csv", at("2027-01-29", "2027-01"))).exitCode).toBe(0);
    expect(sent()).toHaveLength(4);
  });

  test("is a row's own where the row states it", async () => {
    const { desk } = await openOffice();
    const rows = (periods: readonly string[]): string =>
      `from_account,to_account,amount,period\n${periods.map((period) => `A-1,B-1,100,${period}\n`).join("")}`;
    desk.write("register-nov-2026.csv", rows(["2026-10", "2026-11"]));
    await desk.process("register-nov-2026.csv", at("2026-11-30"));
    desk.write("register-dec-2026.csv", rows(["2026-10", "2026-11", "2026-12"]));
    await desk.process("register-dec-2026.csv", at("2026-12-31"));
    const states = desk.results("register-dec-2026.csv").map((row) => row.result_status);
    expect(states).toEqual(["duplicate", "duplicate", "accepted"]);
  });
});
