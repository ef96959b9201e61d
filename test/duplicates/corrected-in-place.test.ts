import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { beforeEach, expect, test } from "vitest";
import { paydrop, temporaryFolder, type Ended } from "../support/paydrop.ts";

const HEADER = "debit_account_id,name,mobile,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode";

/** Ten payees; the IFSC of the seventh is missing at first, and the amount of the ninth has a comma. */
function payroll(isMended: boolean): string {
  const rows = Array.from({ length: 10 }, (_, at) => {
    const number = at + 1;
    const ifsc = number === 7 && !isMended ? "" : "EXMB0100200";
    const amount = number === 9 && !isMended ? '"1,009"' : `${1000 + (number === 7 ? 9 : number)}.00`;
    const [name, account] = [`Payee ${number}`, `90010000000${String(number).padStart(2, "0")}`];
    return `ACC-OPS-01,${name},98111000${String(number).padStart(2, "0")},${account},${ifsc},${name},${amount},NEFT`;
  });
  return [HEADER, ...rows, ""].join("\n");
}

let folder = "";
let file = "";
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "payroll.csv");
});

function run(...operands: readonly string[]): Promise<Ended> {
  return paydrop([...operands, "--sandbox", "--state-dir", join(folder, "state")]);
}

function statuses(path = file): Record<string, number> {
  const rows: Record<string, string>[] = parse(readFileSync(`${path}.results.csv`), { bom: true, columns: true });
  const found = Map.groupBy(rows, (row) => row["result_status"] ?? "");
  return Object.fromEntries([...found].map(([status, own]) => [status, own.length]));
}

test("corrected where it lies → the two mended rows go; the others again only by their sum", async () => {
  writeFileSync(file, payroll(false));
  const first = await run("run", file);
  expect([first.code, statuses()]).toEqual([3, { accepted: 8, invalid: 2 }]);

  writeFileSync(file, payroll(true));
  const second = await run("run", file);
  expect([second.code, statuses()]).toEqual([6, { accepted: 2, held: 8 }]);
  const [earlier = "", batch = ""] = [first, second].map(({ stdout }) => /^batch (\S+)/m.exec(stdout)?.[1] ?? "");
  // all of the first batch have their end: eight here, two there
  const said = async (command: string) =>
    (await paydrop([command, earlier, "--state-dir", join(folder, "state")])).stdout;
  expect(await said("report")).toContain(`10 of 10 accepted: 8 here, 2 corrected in batch ${batch}`);
  expect(await said("status")).toMatch(/^batch \S+ .* ended/m);
  const steps = second.stdout.slice(second.stdout.indexOf("next "));
  const order = ["nothing is to be sent", `paydrop cancel ${batch} --held`, `paydrop release ${batch}`];
  expect(order.map((step) => steps.indexOf(step))).toEqual(
    order.map((step) => steps.indexOf(step)).toSorted((a, b) => a - b),
  );
  expect(order.every((step) => steps.includes(step))).toBe(true);
  // the first one stated no month: to state one now would tell nothing apart
  expect(steps).not.toContain("--period");

  const all = ["release", batch, "--all", "--by", "asha", "--reason", "paid by mistake"];
  for (const total of [[], ["--total", "8039.01"]]) {
    const refused = await run(...all, ...total);
    expect([refused.code, refused.stderr.includes("8039.00")]).toEqual([2, true]);
  }
  expect((await run(...all, "--total", "8039.00")).code).toBe(0);
  expect(statuses()).toEqual({ accepted: 10 });
});

test("the same bytes under another name → the same batch; with another month → a question", async () => {
  writeFileSync(file, payroll(true));
  const first = await run("run", file, "--period", "2026-11");
  const copy = join(folder, "copy.csv");
  copyFileSync(file, copy);
  const again = await run("run", copy);
  const batchOf = ({ stdout }: Ended): string | undefined => /^batch (\S+)/m.exec(stdout)?.[1];
  expect([again.code, batchOf(again)]).toEqual([0, batchOf(first)]);
  expect(again.stdout).toContain("copy.csv is a copy, byte for byte, of ");
  const next = await run("run", copy, "--period", "2026-12");
  expect([next.code, statuses(copy)]).toEqual([6, { held: 10 }]);
  expect(batchOf(next)).not.toBe(batchOf(first));
});

test("what waited for held rows → goes with the next run after they are cancelled", async () => {
  writeFileSync(
    file,
    payroll(true).replaceAll("payment_mode", "payment_mode,status").replaceAll("NEFT", "NEFT,On Hold"),
  );
  const first = await run("run", file);
  expect([first.code, statuses()]).toEqual([6, { held: 10 }]);
  const other = join(folder, "other.csv");
  writeFileSync(other, payroll(true));
  expect([(await run("run", other)).code, statuses(other)]).toEqual([6, { held: 10 }]);
  const [, batch = ""] = /^batch (\S+)/m.exec(first.stdout) ?? [];
  await paydrop(["cancel", batch, "--held", "--by", "asha", "--state-dir", join(folder, "state")]);
  expect([(await run("run", other)).code, statuses(other)]).toEqual([0, { accepted: 10 }]);
});
