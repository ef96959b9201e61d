import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";

test("a ready row that this version refuses does not go, and keeps no other one from going", async () => {
  const server = await startService(({ number }) => (number === 1 ? answer(401) : answer(200)));
  const desk = openDesk(server.url);
  const rows = ["10", "1.50", "12", "13"].map((amount, nth) => `1111000${nth},2222000${nth},${amount}`);
  desk.write("t.csv", ["from_account,to_account,amount", ...rows, ""].join("\n"));
  expect((await desk.run("t.csv")).code).toBe(7);
  // as if the rule had come with this version: the one that took the file in saw nothing wrong
  const database = new DatabaseSync(join(desk.stateDir, "journal.db"));
  database.exec("UPDATE batch SET choices = json_set(choices, '$.amountDecimalsMax', 0)");
  database.close();

  for (const requests of [4, 4]) {
    const { code, counts, stdout, stderr } = await desk.run("t.csv");
    expect(stderr + stdout).not.toContain("internal failure");
    expect([code, server.requests.length, counts]).toEqual([7, requests, { accepted: 3, not_sent: 1 }]);
    expect(stdout).toMatch(/refused by this version of paydrop: row 3: .*1\.50/);
    expect(stdout).toMatch(/next +cancel what is left of the batch, .*corrected file/);
    expect(stdout).not.toContain("to send the other 1 row");
  }
});
