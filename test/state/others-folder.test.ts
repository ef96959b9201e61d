import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { openOffice, type Office } from "../support/people.ts";

const OTHER = ["--state-dir", "../other"];
const ACCEPT = ["--accept-lost-journal", "--by", "Asha"];

/** A folder in which one state directory has sent two rows. */
async function openSent(environment: "live" | "test"): Promise<Office> {
  const office = await openOffice(() => answer(200), { PAYDROP_ENVIRONMENT: environment });
  office.write("pay.csv", transfersCsv(2));
  expect((await office.run("pay.csv")).code).toBe(0);
  return office;
}

test("live: with another state directory the same payments under another name do not go beside what tells of them", async () => {
  const office = await openSent("live");
  office.write("pay (2).csv", `note,${transfersCsv(2).replaceAll("\n5", "\nx,5")}`);
  const refused = await office.run("pay (2).csv", ...OTHER);
  expect([refused.code, office.server.requests.length]).toEqual([74, 2]);
  expect(refused.stderr).toContain("pay.csv.summary.json was written with another state directory");
  expect(refused.stderr).toContain("--accept-lost-journal --by NAME");
  // an office of its own says so once for the folder
  office.write("own.csv", transfersCsv(1).replace(",60200", ",70300"));
  expect((await office.run("own.csv", ...OTHER, ...ACCEPT)).code).toBe(0);
  office.write("more.csv", transfersCsv(1).replace(",60200", ",70400"));
  expect((await office.run("more.csv", ...OTHER)).code).toBe(0);
  expect((await office.paydrop("status", office.batchOf("own.csv"), ...OTHER)).stdout).toContain("Asha");
});

test("live: who has sent from the folder before is not asked, also where its summaries were moved away", async () => {
  const office = await openSent("live");
  office.write("own.csv", transfersCsv(1).replace(",60200", ",70300"));
  expect((await office.run("own.csv", ...OTHER, ...ACCEPT)).code).toBe(0);
  mkdirSync(join(office.folder, "done"));
  renameSync(join(office.folder, "own.csv.summary.json"), join(office.folder, "done", "own.csv.summary.json"));
  office.write("more.csv", transfersCsv(1).replace(",60200", ",70400"));
  expect((await office.run("more.csv", ...OTHER)).code).toBe(0);
});

test("test: it goes, with a remark; what the other environment sent is not told of", async () => {
  const office = await openSent("test");
  office.write("copy.csv", transfersCsv(2));
  const run = await office.run("copy.csv", ...OTHER);
  expect(run.code).toBe(0);
  expect(run.stdout).toContain("pay.csv.summary.json was written with another state directory");
  office.write("live.csv", transfersCsv(1));
  office.env["PAYDROP_ENVIRONMENT"] = "live";
  const live = await office.run("live.csv", "--state-dir", "../third");
  expect([live.code, live.stdout]).toEqual([0, expect.not.stringContaining("another state directory")]);
});
