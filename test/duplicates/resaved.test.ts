import { describe, expect, test } from "vitest";
import { countsOf, transfersCsv } from "../support/desk.ts";
import type { Reply } from "../support/fault-server.ts";
import * as wire from "../support/fault-server.ts";
import { openOffice, type Payment } from "./office.ts";

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
