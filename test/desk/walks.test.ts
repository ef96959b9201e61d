import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { AtDesk, statementOf, type Visitor } from "./at-desk.ts";
import { openBrowser } from "./chromium.ts";

const browser = openBrowser();

/** A person in a browser who counts: each click, each choice of a file, and the seconds of the machine. */
class Walker {
  clicks = 0;
  readonly page: Page;
  readonly #began = performance.now();

  constructor(page: Page) {
    this.page = page;
  }

  async click(role: "link" | "button" | "checkbox" | "radio", name: string | RegExp): Promise<void> {
    this.clicks += 1;
    await this.page.getByRole(role, { name }).first().click();
  }

  async choose(label: string, path: string): Promise<void> {
    this.clicks += 1;
    await this.page.getByLabel(label, { exact: true }).setInputFiles(path);
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }
}

async function walker(at: AtDesk, { cookie }: Visitor): Promise<Walker> {
  const context = await browser().newContext();
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: at.deskUrl }]);
  const page = await context.newPage();
  await page.goto(at.deskUrl);
  return new Walker(page);
}

const HEAD = "from_account,to_account,amount,reference\n";
const lines = (count: number, of: (at: number) => string): string =>
  HEAD + Array.from({ length: count }, (_, at) => of(at)).join("\n");

test("a clerk: four mistakes corrected and sent → six clicks", { tags: ["chromium"] }, async () => {
  const at = await AtDesk.open("SQLite");
  const row = (at: number): string => `ACC-OPS-01,20030040${1000 + at},${at + 1}00.00,R-${at}`;
  const wrong = [
    row(0).replace("100.00", "1O0.00"),
    row(1).replace("200.00", "200/-"),
    row(2).replace(",R-2", ""),
    row(3),
  ];
  const [bad, good] = [join(at.root, "bad"), join(at.root, "good")];
  writeFileSync(
    `${bad}.csv`,
    HEAD + [...wrong.slice(0, 2), "ACC-OPS-01,,300.00,R-2", "ACC-OPS-01,2003,,R-3"].join("\n"),
  );
  writeFileSync(`${good}.csv`, lines(4, row));
  const clerk = await walker(at, await at.person("Asha", "decide"));
  await clerk.click("link", "Upload");
  await clerk.choose("The file", `${bad}.csv`);
  await clerk.click("button", "Check it");
  await clerk.page.getByRole("heading", { name: "What is wrong, cell by cell" }).waitFor();
  await clerk.choose("The corrected file", `${good}.csv`);
  await clerk.click("button", "Check it");
  await clerk.click("button", "Send 4 payments");
  await clerk.page.getByText("lies in the folder").waitFor();
  await at.once();
  expect([clerk.clicks, at.carriedOut, at.sentTwice]).toEqual([6, 4, 0]);
  expect(clerk.seconds).toBeLessThan(60);
});

const UNKNOWN = 28;

test("finance: 28 unknown payments, two overlapping statements → ten clicks", { tags: ["chromium"] }, async () => {
  const at = await AtDesk.open("SQLite");
  const amountOf = (nth: number): string => `${101 + nth}.00`;
  // of every ten payments one has no answer: more would stop the sending
  const text = lines(UNKNOWN * 10, (row) => {
    const nth = row / 10;
    const [account, amount] =
      row % 10 === 0 ? [`SANDBOX-504-${2000 + nth}`, amountOf(nth)] : [`30030${2000 + row}`, "9.00"];
    return `ACC-OPS-01,${account},${amount},INV-${row}`;
  });
  at.put("payroll.csv", text);
  await at.once();
  const { tallies } = await at.batchOf("payroll.csv");
  expect(tallies.unknown?.rows).toBe(UNKNOWN);
  const all = Array.from({ length: UNKNOWN }, (_, nth) => [`NEFT DR-N${nth}-INV-${nth * 10}`, amountOf(nth)] as const);
  const [first, second] = [join(at.root, "first.csv"), join(at.root, "second.csv")];
  writeFileSync(first, statementOf(all.slice(0, 16)));
  writeFileSync(second, statementOf(all));
  const finance = await walker(at, await at.person("Meera", "decide"));
  const sum = (from: number, until: number): string =>
    Array.from({ length: until - from }, (_, nth) => Number(amountOf(from + nth)))
      .reduce((all, one) => all + one, 0)
      .toFixed(2);
  const read = async (path: string, of: string): Promise<void> => {
    await finance.click("link", "Statements");
    await finance.choose("The statement", path);
    await finance.page.getByLabel(/The account that it is of/).fill("ACC-OPS-01");
    await finance.click("button", "Compare it");
    await finance.page.getByLabel("Their sum").fill(of);
    await finance.click("button", "They went: settle the ticked ones");
    await finance.page.getByText("settled as done by Meera").waitFor();
  };
  await read(first, sum(0, 16));
  // lines that stand in both count once
  await read(second, `₹ ${sum(16, UNKNOWN)}`);
  const { tallies: then } = await at.batchOf("payroll.csv");
  expect([then.unknown?.rows ?? 0, then.settled_done?.rows]).toEqual([0, UNKNOWN]);
  expect(finance.clicks).toBeLessThanOrEqual(10);
  expect(finance.seconds).toBeLessThan(300);
});

test("an approver: what is new looked at, sum typed → three clicks", { tags: ["chromium"] }, async () => {
  const at = await AtDesk.open("SQLite", { PAYDROP_APPROVAL: "always" });
  at.put(
    "payroll.csv",
    lines(3, (at) => `ACC-OPS-01,20030050${1000 + at},${at + 1}00.00,R-${at}`),
  );
  await at.once();
  const approver = await walker(at, await at.person("Ravi", "approve"));
  await approver.click("link", "Look at it");
  await approver.page.getByLabel("The sum, from your own papers").fill("₹ 600.00");
  await approver.click("button", "Approve 3 payments");
  await approver.page.getByText("is approved by Ravi").waitFor();
  await at.once();
  expect(at.carriedOut).toBe(3);
  expect(approver.clicks).toBeLessThanOrEqual(3);
});

test("one unknown payment by the keyboard alone → settled within twelve keys", { tags: ["chromium"] }, async () => {
  const at = await AtDesk.open("SQLite");
  at.put(
    "payroll.csv",
    lines(1, () => "ACC-OPS-01,SANDBOX-504-1,100.00,R-1"),
  );
  await at.once();
  const { page } = await walker(at, await at.person("Asha", "decide"));
  const { id } = await at.batchOf("payroll.csv");
  await page.goto(`${at.deskUrl}/decide?batch=${id}`);
  let keys = 0;
  const press = async (key: string): Promise<void> => {
    keys += 1;
    await page.keyboard.press(key);
  };
  const isOn = (selector: string): Promise<boolean> =>
    page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)}) === true`);
  const to = async (selector: string): Promise<void> => {
    for (let more = 0; more < 30 && !(await isOn(selector)); more += 1) await press("Tab");
  };
  // the skip link first: the content begins behind it
  await press("Tab");
  await press("Enter");
  await to("input[name=row]");
  await press(" ");
  await to("input[name=as]");
  await press(" ");
  await to("input[name=note]");
  await page.keyboard.type("statement, line 3");
  await press("Enter");
  await page.getByText("is settled as done by Asha").waitFor();
  expect(keys).toBeLessThanOrEqual(12);
});
