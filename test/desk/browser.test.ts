import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { Watched } from "../inbox/watched.ts";
import { statementOf } from "./at-desk.ts";
import { openBrowser, openPage } from "./chromium.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** No zero in front of ten digits is lost, one row has no answer, and two are the same payment. */
const FILE = `from_account,to_account,amount
ACC-OPS-01,200300401111,100.00
ACC-OPS-01,SANDBOX-504-2222,200.00
ACC-OPS-01,200300403333,300.00
ACC-OPS-01,200300403333,300.00
`;

/** The row without an answer shows in it, by its account; and a debit that no row explains. */
const STATEMENT = statementOf([
  ["NEFT DR-SANDBOX-504-2222-N3320418203347", "200.00"],
  ["ATM WDL PUNE", "999.00"],
]);

const browser = openBrowser();

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What a page does to people who cannot see it well, in light and dark; and whether it fits a phone. */
async function wrongIn(page: Page): Promise<string[]> {
  const wrong: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(AXE);
    const { violations } = await page.evaluate<{ violations: readonly Violation[] }>("axe.run()");
    for (const { id, impact, nodes } of violations)
      if (impact === "serious" || impact === "critical") wrong.push(`${colorScheme} ${id}: ${nodes[0]?.html ?? ""}`);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  if (width > 360) wrong.push(`${width} wide on a phone of 360`);
  await page.setViewportSize({ width: 1200, height: 900 });
  return wrong;
}

test(
  "one walk in a browser → signed in, file mended and put, rows settled and released",
  { tags: ["chromium"] },
  async () => {
    const at = await Watched.with();
    const added = await at.run(["desk", "add", "Asha", "--role", "decide"]);
    const oneTime = /: (\S+)\n/.exec(added.stdout)?.[1] ?? "";
    const watch = at.start();
    const desk = at.start(["desk", "--port", "0", "--inbox", at.inbox]);
    const address = (): string => /http:\S+?(?=,)/.exec(desk.stdout())?.[0] ?? "";
    await until("the desk serves", () => address() !== "", { by: desk.ended });
    const page = await browser().newPage();
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(error.message));
    const wrong: Record<string, string[]> = {};
    const look = async (name: string): Promise<void> => void (wrong[name] = await wrongIn(page));

    await page.goto(address());
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("To the content");
    await look("sign in");
    await page.getByLabel("Your name").fill("asha");
    await page.getByLabel("Password").fill(oneTime);
    await page.keyboard.press("Enter");
    await page.getByLabel("The password of now").fill(oneTime);
    await page.getByLabel("A new password").fill("four words are good");
    await page.getByLabel("The new password once more").fill("four words are good");
    await look("password");
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByRole("status").getByText("Your password is changed").waitFor();

    const bring = async (name: string, text: string): Promise<void> => {
      writeFileSync(join(at.root, name), text);
      await openPage(page, "Upload");
      await look("upload");
      await page.getByLabel("The file", { exact: true }).setInputFiles(join(at.root, name));
      await page.getByRole("button", { name: "Check it" }).click();
    };
    await bring("june.csv", FILE.replace("100.00", "1O0.00"));
    await page.getByRole("rowheader", { name: "C2" }).waitFor();
    await page.getByText('"1O0.00"').first().waitFor();
    await look("checked");
    await bring("june.csv", FILE);
    await page.getByRole("button", { name: "Send 3 payments" }).click();
    // it comes by itself, without a click
    await until(
      "the file was taken",
      async () => (await page.getByRole("rowheader", { name: "june.csv" }).count()) > 0,
      { by: watch.ended },
    );
    await page.getByRole("link", { name: "Look up 1" }).waitFor();
    await look("today");
    // whoever is about to press something keeps what is there, and the time does not say that it is newer
    await page.getByRole("link", { name: "june.csv" }).first().focus();
    at.put("broken.csv", "name,amount\nx,1\n");
    await until("it was refused", () => at.has("broken.csv.refused.txt"), { by: watch.ended });
    const time = (): Promise<string> => page.locator("#now").innerText();
    await until("the time stands still", async () => {
      const before = await time();
      await sleep(4_500);
      return before === (await time());
    });
    expect(await page.getByText("broken.csv").count()).toBe(0);
    const before = await time();
    await page.evaluate("document.activeElement.blur()");
    await page.getByText("broken.csv").first().waitFor();
    expect((await time()) > before).toBe(true);
    await page.getByRole("link", { name: "june.csv" }).first().click();
    await page.getByText("••2222").first().waitFor();
    await look("batch");
    await openPage(page, "Files");
    await page.getByRole("heading", { name: "All files" }).waitFor();
    await look("files");
    await page.getByRole("link", { name: "By month" }).click();
    await page.getByRole("heading", { level: 1, name: "By month" }).waitFor();
    await look("year");
    await openPage(page, "Files");
    await page.getByLabel("What you know of the payment").fill("2222");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "1 payment found" }).waitFor();
    await look("found");

    await openPage(page, "Statements");
    await look("reconcile");
    const statement = join(at.root, "statement.csv");
    writeFileSync(statement, STATEMENT);
    await page.getByLabel("The statement").setInputFiles(statement);
    await page.getByRole("button", { name: "Compare it" }).click();
    await page.getByRole("alert").waitFor();
    await look("whose account");
    await page.getByLabel("The account that it is of").fill("ACC-OPS-01");
    await page.getByRole("button", { name: "Compare it" }).click();
    await page.getByLabel("june.csv, row 3").uncheck();
    await page.getByLabel("Their sum").fill("1");
    await page.getByRole("button", { name: "They went: settle the ticked ones" }).click();
    await page.getByText("No row was chosen").waitFor();
    expect(await page.getByLabel("june.csv, row 3").isChecked()).toBe(false);
    await look("compared");

    await openPage(page, "Decide");
    await look("decide");
    await page.getByLabel("Row 3").check();
    await page.getByLabel("They did not go.").check();
    await page.getByLabel("Where you looked").fill("dashboard 10:12, no entry");
    await page.getByRole("button", { name: "Say so" }).click();
    await page.getByText("is settled as not done by Asha").waitFor();
    await page.getByLabel("Row 5").check();
    await page.getByLabel("send them as well").check();
    await page.getByLabel("Why, for the history").fill("two are meant");
    await page.getByRole("button", { name: "Go on with the ticked ones" }).click();
    await page.getByLabel("Their sum").fill("300");
    await look("let them go?");
    await page.getByRole("button", { name: "Let 1 payment go: ₹300.00" }).click();
    await page.getByText("1 row of batch").waitFor();
    await until("the released row went", () => at.carriedOut === 3, { by: watch.ended });
    await openPage(page, "Help");
    await look("help");
    expect(wrong).toEqual(Object.fromEntries(Object.keys(wrong).map((name) => [name, []])));
    expect(errors).toEqual([]);

    // without a script all is there as well
    const { cookies } = await page.context().storageState();
    const plain = await browser().newContext({ javaScriptEnabled: false });
    await plain.addCookies(cookies);
    const still = await plain.newPage();
    await still.goto(address());
    await still.getByText("june.csv").first().waitFor();
    expect(await still.content()).not.toMatch(/2003004|SANDBOX-504/);
    await plain.close();
    desk.child.kill("SIGTERM");
    expect((await desk.ended).code).toBe(0);
    // nobody decides by a page that is old
    await page.getByText("This page does not change any more").waitFor();
  },
);
