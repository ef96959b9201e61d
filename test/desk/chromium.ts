import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { whereIs } from "../support/needs.ts";

/** Debian's. */
export function launch(): Promise<Browser> {
  const executablePath = whereIs("chromium");
  if (executablePath === undefined) throw new Error("Chromium is not here, or hidden");
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** One browser for the tests of a file that need it. */
export function openBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (whereIs("chromium") !== undefined) browser = await launch();
  });
  afterAll(() => browser?.close());
  return () => {
    if (!browser) throw new Error("there is no browser");
    return browser;
  };
}

/** By the menu, in which a name may have a number behind it. */
export function openPage(page: Page, name: string): Promise<void> {
  const menu = page.getByRole("navigation", { name: "Pages" });
  return menu.getByRole("link", { name: new RegExp(`^${name}`) }).click();
}
