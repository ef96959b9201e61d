import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openWork } from "../../src/acts/open.ts";
import { actOf } from "../../src/batch.ts";
import { loadSettings } from "../../src/config/load.ts";
import { addAccount, type Role } from "../../src/acts/accounts.ts";
import { until } from "../support/until.ts";
import { partsOf, textRow, workbookFile, zipOf } from "../support/workbooks.ts";
import { describeApart } from "../support/postgres.ts";
import { Watched } from "../inbox/watched.ts";
import { AtDesk } from "./at-desk.ts";
import { openBrowser, openPage } from "./chromium.ts";

const browser = openBrowser();

/** A workbook of transfers; `first`: the amount of the first one. */
function workbook(first: string): string {
  const rows = [
    ["from_account", "to_account", "amount"],
    ["ACC-OPS-01", "200300401110", first],
  ];
  for (let at = 1; at < 12; at += 1) rows.push(["ACC-OPS-01", `20030040${1110 + at}`, `${at}00.00`]);
  const sheet = rows.map((cells, at) => textRow(at + 1, cells)).join("");
  return workbookFile(zipOf(partsOf({ sheets: { November: sheet } })));
}

/** Somebody with an account, signed in, in a browser window of their own. */
async function person(at: Watched, address: string, name: string, role: Role): Promise<Page> {
  const { config } = loadSettings({ flags: {}, env: at.env() });
  const work = await openWork(config, {}, "act");
  const password = await addAccount(work.store, name, role, actOf(work, "add_account"), { isOneTime: false });
  await work.close();
  const page = await (await browser().newContext()).newPage();
  await page.goto(address);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "To do" }).waitFor();
  return page;
}

test(
  "clerk, approver and onlooker in a browser → mended, approved, sent, seen live",
  { tags: ["chromium"] },
  async () => {
    const at = await Watched.with();
    const settings = ["--approval", "always", "--rate", "3", "--concurrency", "1"];
    const watch = at.start(["watch", "--desk", "--port", "0", ...settings, at.inbox]);
    const address = (): string => /http:\S+?(?=,)/.exec(watch.stdout())?.[0] ?? "";
    await until("the desk serves", () => address() !== "", { by: watch.ended });
    const clerk = await person(at, address(), "Asha", "decide");
    const bring = async (path: string): Promise<void> => {
      await openPage(clerk, "Upload");
      await clerk.getByLabel("The file", { exact: true }).setInputFiles(path);
      await clerk.getByRole("button", { name: "Check it" }).click();
    };
    await bring(workbook("1O0.00"));
    await clerk.getByRole("rowheader", { name: "C2" }).waitFor();
    await bring(workbook("50.00"));
    await clerk.getByText("₹6,650.00").first().waitFor();
    await clerk.getByRole("button", { name: "Send 12 payments for approval" }).click();
    await clerk.getByRole("link", { name: "See what is new" }).waitFor();
    expect(at.carriedOut).toBe(0);

    const onlooker = await person(at, address(), "Meena", "view");
    for (const place of ["Today", "Decide", "Approvals", "Upload"]) {
      await openPage(onlooker, place);
      await onlooker.getByRole("link", { name: place }).and(onlooker.locator("[aria-current=page]")).waitFor();
      expect(await onlooker.locator("main button, main input:not([type=hidden])").count(), place).toBe(0);
    }
    const approver = await person(at, address(), "Ravi", "approve");
    await approver.getByRole("link", { name: "Look at it" }).click();
    await approver.getByText("Brought by").waitFor();
    await approver.getByLabel("The sum, from your own papers").fill("₹ 6,650");
    await approver.getByRole("button", { name: "Approve 12 payments" }).click();
    await approver.getByText("is approved by Ravi").waitFor();

    // nobody loads this page again
    await clerk.evaluate("document.title = 'still the same page'");
    const done = async (): Promise<number> =>
      Number(
        (await clerk
          .locator("progress")
          .first()
          .getAttribute("value")
          .catch(() => "0")) ?? "0",
      );
    await until("some went", async () => (await clerk.locator("progress").count()) > 0 && (await done()) > 0, {
      by: watch.ended,
    });
    expect(await done()).toBeLessThan(12);
    await clerk.getByText("All accepted").waitFor();
    expect([await clerk.title(), at.carriedOut, at.sentTwice]).toEqual(["still the same page", 12, 0]);
    watch.child.kill("SIGTERM");
    expect((await watch.ended).code).toBe(0);
  },
);

const FILE = `from_account,to_account,amount,reference
ACC-OPS-01,200300401111,100.00,A1
ACC-OPS-01,SANDBOX-504-2222,200.00,A2
ACC-OPS-01,200300401111,100.00,A1
ACC-OPS-01,200300404444,400.00,
ACC-OPS-01,200300404444,400.00,
`;

describe("windows on SQLite", () => besideEachOther("SQLite"));
describeApart("windows on Postgres", () => besideEachOther("Postgres"));

function besideEachOther(journal: "SQLite" | "Postgres"): void {
  test("two people decide a row at once → one is told; viewers have no buttons", { tags: ["chromium"] }, async () => {
    const at = await AtDesk.open(journal);
    at.put("payroll.csv", FILE);
    await at.once();
    const { id } = await at.batchOf("payroll.csv");
    const words = ["They went.", "They did not go."];
    const both = await Promise.all(["Asha", "Ravi"].map((name) => person(at, at.deskUrl, name, "decide")));
    for (const [index, page] of both.entries()) {
      await page.getByRole("link", { name: "Look up 1" }).click();
      await page.getByLabel("Row 3").check();
      await page.getByLabel(words[index] ?? "").check();
      await page.getByLabel("Where you looked").fill("dashboard 10:12");
    }
    await Promise.all(both.map((page) => page.getByRole("button", { name: "Say so" }).click()));
    const news = await Promise.all(both.map((page) => page.locator(".news").innerText()));
    expect(
      news.filter((text) => /\(₹200\.00\) is settled as/.test(text)),
      news.join(),
    ).toHaveLength(1);
    expect(
      news.filter((text) => /before you\. What you said changed nothing|before you said that it went/.test(text)),
    ).toHaveLength(1);
    await both[0]?.goto(`${at.deskUrl}/batch/${id}?status=held`);
    await both[0]?.getByText("settled row 3").first().waitFor();

    const onlooker = await person(at, at.deskUrl, "Meena", "view");
    for (const place of [
      "/",
      "/decide",
      "/upload",
      ...["", "?status=accepted", "?status=held"].map((only) => `/batch/${id}${only}`),
    ]) {
      await onlooker.goto(at.deskUrl + place);
      expect(await onlooker.locator("main button, main input:not([type=hidden])").count(), place).toBe(0);
    }
  });
}
