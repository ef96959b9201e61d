import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import { hasResults, openInboxDesk } from "./inbox-desk.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** The first row goes alone: of two, one waits. */
test.each([
  { left: "rows that wait", rows: 2 },
  { left: "nothing else", rows: 1 },
])("a second signal while a row is in flight, with $left: the watch ends with 4", async ({ rows }) => {
  const silent = await startService(() => () => undefined);
  const desk = openInboxDesk(silent.url);
  writeFileSync(desk.path("a.csv"), transfersCsv(rows));
  const program = desk.watch();
  await until("the row in flight", () => silent.requests.length === 1);
  program.child.kill("SIGTERM");
  await until("what the next would do", () => program.stderr().includes("Press Ctrl-C again"));
  program.child.kill("SIGTERM");
  expect(await program.ended).toMatchObject({ code: 4, signal: undefined });
  expect(hasResults(desk, "a.csv")).toBe(true);
  expect(desk.read("a.csv.results.csv")).toContain("unknown");
});
