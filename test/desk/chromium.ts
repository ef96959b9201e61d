import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";

const BROWSER = "/usr/bin/chromium";

/** A test in a browser, skipped where Debian's is not there. */
export const walk: typeof test.skip = existsSync(BROWSER) ? test : test.skip;

/** One browser for the tests of a file. */
export function openBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (existsSync(BROWSER)) browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());
  return () => {
    if (!browser) throw new Error("there is no browser");
    return browser;
  };
}
