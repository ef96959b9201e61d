import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as wire from "../support/fault-server.ts";
import { HEADER, openOffice, paydrop, type Office } from "./corrected-office.ts";

const A = "60200000004471";
const B = "60200000005582";
const file = (...rows: readonly string[]): string =>
  [HEADER, ...rows.map((row) => `ACC-OPS-01,${row},`), ""].join("\n");

/** The retry file of a row to A that was refused, with one thing in it corrected. */
async function corrected({ desk, server, sent }: Office, from: string, to: string): Promise<string> {
  desk.write("payroll.csv", file(`${A},100.00`));
  expect((await desk.run("payroll.csv")).counts).toEqual({ rejected: 1 });
  server.use(() => wire.answer(200));
  sent();
  return readFileSync(join(desk.folder, "payroll.csv.retry.csv"), "utf8").replace(from, to);
}

const word = ["--by", "ravi", "--reason", "both are meant"];

test("a corrected row that may be a duplicate goes by one release: it is no repetition of itself", async () => {
  const office = await openOffice();
  const { desk, sent } = office;
  const retry = await corrected(office, "100.00", "101.00");
  desk.write("other.csv", file(`${A},101.00`));
  const other = (await desk.run("other.csv")).results[0]?.["result_batch"] ?? "";
  desk.write("mended.csv", retry);
  const held = await desk.run("mended.csv");
  expect(held.results[0]?.result_message).toContain(`same payment as row 2 of batch ${other}, accepted`);
  sent();

  const released = await paydrop(desk, "release", held.results[0]?.["result_batch"] ?? "", "--row", "2", ...word);
  expect(released.stdout).not.toContain("of this file");
  expect({ code: released.code, sent: sent() }).toEqual({ code: 0, sent: [`${A} 101`] });
});

test("whoever lets a corrected row go is told which payment was accepted since, not the row itself", async () => {
  const office = await openOffice();
  const { desk, sent } = office;
  const retry = await corrected(office, A, B);
  desk.write("mended.csv", retry);
  const waits = (await desk.run("mended.csv")).results[0];
  expect(waits?.result_message).toContain("is not the one of the row that it corrects");
  desk.write("other.csv", file(`${B},100.00`));
  const other = (await desk.run("other.csv")).results[0]?.["result_batch"] ?? "";
  await paydrop(desk, "release", other, "--row", "2", ...word);
  expect(sent()).toEqual([`${B} 100`]);

  const again = ["release", waits?.["result_batch"] ?? "", "--row", "2", ...word];
  const asked = await paydrop(desk, ...again);
  expect(asked.stdout).toContain(
    `Row 2 is not released: Waiting for a person: same payment as row 2 of batch ${other}, accepted`,
  );
  expect({ code: asked.code, sent: sent() }).toEqual({ code: 6, sent: [] });
  expect(desk.results("mended.csv")[0]?.result_message).toContain(`same payment as row 2 of batch ${other}, accepted`);
  expect({ code: (await paydrop(desk, ...again)).code, sent: sent() }).toEqual({ code: 0, sent: [`${B} 100`] });
});
