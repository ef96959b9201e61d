import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { paydrop, temporaryFolder } from "../support/paydrop.ts";

const FILE = "from_account,to_account,amount\nACC-OPS-01,123456789012345000,10\nACC-OPS-01,50100314159002,20\n";

test("check points out what may be wrong, run sends it all the same and says so in summary and results", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "t.csv"), FILE);

  const check = await paydrop(["check", "t.csv"], {}, folder);
  expect(check.code).toBe(0);
  expect(check.stdout).toContain('t.csv: row 2, column to_account (B2): look at this: "••5000" has 18 digits');
  expect(check.stdout).toContain("2 ready   1 to look at        nothing was sent\n");

  const run = await paydrop(["run", "--sandbox", "t.csv"], {}, folder);
  expect(run.code).toBe(0);
  expect(run.stdout).toContain("something to look at in row 2: see result_message");
  const results = readFileSync(join(folder, "t.csv.results.csv"), "utf8");
  expect(results).toMatch(/2,accepted,200,.*Look at to_account \(B2\): .*18 digits/);
  expect(results).toMatch(/3,accepted,200,Transfer initiated,/);
});

test("a last row of sums, which nothing else tells from a payment, is pointed out by check and run", async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, "s.csv"),
    "from_account,to_account,amount\nACC-1,B-1,100.00\nACC-1,B-2,200.00\n3,2,300.00\n",
  );
  const look = "row 4, the last one, has the sum of all rows before it, 300.00";
  expect((await paydrop(["check", "s.csv"], {}, folder)).stdout).toContain(look);
  expect((await paydrop(["run", "--sandbox", "s.csv"], {}, folder)).stdout).toContain(look);
});

test("a row that carries a note is not told to do nothing: an amount may have been cut in two", async () => {
  const folder = temporaryFolder();
  const row = "A1,0005,1,250.50\nA1,0006,2.00,rent\n";
  writeFileSync(join(folder, "c.csv"), `from_account,to_account,amount,note\n${row}`);
  await paydrop(["run", "--sandbox", "c.csv"], {}, folder);
  const [, first, second] = readFileSync(join(folder, "c.csv.results.csv"), "utf8").split("\r\n");
  expect(first).toMatch(/^2,accepted,200,.*Look at amount .*,Look at what result_message points out,A1,/);
  expect(second).toMatch(/^3,accepted,200,Transfer initiated,Nothing,A1,/);
});

test("sums that add several currencies are told as that, by check, run and report; one currency in two writings is one", async () => {
  const folder = temporaryFolder();
  const rows = (...currencies: string[]): string =>
    ["vpa,amount,currency", ...currencies.map((one, index) => `p${index}@bank,100,${one}`), ""].join("\n");
  writeFileSync(join(folder, "c.csv"), rows("INR", "USD", "", "usd"));
  const note = "the sums add up amounts of several currencies: INR, USD";
  const inFolder = (...operands: string[]) => paydrop([...operands, "--state-dir", "state"], {}, folder);
  expect((await inFolder("check", "c.csv", "--operation", "collection")).stdout).toContain(note);
  const run = await inFolder("run", "--sandbox", "c.csv", "--operation", "collection");
  expect(run.stdout).toMatch(/accepted +4 +400\.00/);
  expect(run.stdout).toContain(`note       ${note}\n`);
  expect((await inFolder("report", "c.csv", "--out", "c.txt")).code).toBe(0);
  expect(readFileSync(join(folder, "c.txt"), "utf8")).toContain(note);

  writeFileSync(join(folder, "one.csv"), rows("INR", "", "inr"));
  expect((await inFolder("check", "one.csv", "--operation", "collection")).stdout).not.toContain("currencies");
});
