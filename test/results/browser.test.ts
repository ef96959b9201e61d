import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createClock } from "../../src/results/report/clock.ts";
import { reportPage } from "../../src/results/report/page.ts";
import { collectReport } from "../../src/results/report/report.ts";
import { batchRecord, pagesOf, rowRecord, sheetOf } from "../support/records.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (CHROMIUM === undefined) process.stderr.write("no Chromium here: the report is not looked at in a browser\n");

test.skipIf(CHROMIUM === undefined)(
  "in a browser it says nothing on the console, asks for nothing, and fits a phone of 360 and of 320 pixels",
  async () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, "report.html"), await page());
    for (const width of [320, 360, 1100]) {
      // the page has no script: a frame around it measures it from outside
      const outer = `<iframe src="report.html" width="${width}" height="600"></iframe><script>
        const seen = [];
        addEventListener("load", () => {
          const { documentElement: root } = frames[0].document;
          const wide = [...frames[0].document.querySelectorAll("main *")].filter(
            (one) => !one.closest("thead,defs") && one.getBoundingClientRect().right > ${width} + 1);
          const fetched = frames[0].performance.getEntriesByType("resource").map(({ name }) => name);
          const said = { scroll: root.scrollWidth, wide: wide.map((one) => one.outerHTML.slice(0, 100)), fetched };
          document.title = "said " + JSON.stringify(said);
        });
      </script>`;
      writeFileSync(join(folder, "outer.html"), outer);
      const { dom, log } = await opened(join(folder, "outer.html"), join(folder, "profile"));
      const said = /<title>said (.*?)<\/title>/.exec(dom)?.[1] ?? "";
      expect(JSON.parse(said.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"))).toEqual({
        scroll: width,
        wide: [],
        fetched: [],
      });
      expect(log.split("\n").filter((line) => line.includes(":CONSOLE"))).toEqual([]);
    }
  },
  120_000,
);

async function opened(path: string, profile: string): Promise<{ dom: string; log: string }> {
  const parameters = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--allow-file-access-from-files",
  ];
  const more = ["--enable-logging=stderr", "--window-size=1300,900", `--user-data-dir=${profile}`, "--dump-dom"];
  const { stdout, stderr } = await promisify(execFile)(CHROMIUM ?? "", [
    ...parameters,
    ...more,
    pathToFileURL(path).href,
  ]);
  return { dom: stdout, log: stderr };
}

/** Long words everywhere where somebody else writes. */
async function page(): Promise<string> {
  const long = "W".repeat(120);
  const states = ["accepted", "rejected", "unknown", "invalid", "held", "settled_not_done"] as const;
  const records = Array.from({ length: 60 }, (_, index) => {
    const state = states[index % states.length] ?? "accepted";
    const sentAt = Date.UTC(2026, 9, 31, 12, 37, index);
    return rowRecord(index + 2, {
      ...{ state, sentAt, durationMs: 100 + index, amount: "123456789012.50", response: `{"error":"${long}"}` },
      ...(state === "invalid" ? { faults: [{ code: "x", column: long, message: long, hint: long }] } : {}),
      ...(state === "settled_not_done" ? { settledBy: long } : {}),
    });
  });
  const columns = ["debit_account_id", "reference", "bank_acc_num"];
  const batch = batchRecord({ fileName: `${long}.csv`, folder: `/${long}`, rows: 60, total: "7407407340750.00" });
  const report = await collectReport({
    ...{ batch: { ...batch, remarks: [long], destination: `https://${long}` }, operation: "payout, option B" },
    view: (row) => row,
    sheet: sheetOf("csv", columns, 60, (index) => [
      `ACC-${index % 9 === 0 ? long : "OPS"}`,
      `REF-${index}-${long}`,
      "1234567890",
    ]),
    records: pagesOf(records),
    history: [{ at: batch.createdAt, by: long, kind: "settle", row: 4, note: long }],
  });
  return reportPage(report, createClock("Asia/Kolkata"));
}
