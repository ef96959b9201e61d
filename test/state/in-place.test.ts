import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { answer, inOrder, pause } from "../support/fault-server.ts";
import { startProgram } from "../support/program.ts";
import { removeUnder } from "../support/removed-folder.ts";
import { startService } from "../support/service.ts";
import { openInboxDesk } from "../watch/inbox-desk.ts";
import { until } from "../support/until.ts";

/** As a tidying person, a rotation of folders, or the unpacking of a backup does it. */
const GONE: [string, (stateDir: string) => void][] = [
  ["removed", removeUnder],
  [
    "moved away, and made anew",
    (stateDir) => {
      renameSync(stateDir, `${stateDir}.old`);
      mkdirSync(stateDir);
    },
  ],
  [
    "replaced by its copy",
    (stateDir) => {
      cpSync(stateDir, `${stateDir}.copy`, { recursive: true });
      renameSync(stateDir, `${stateDir}.old`);
      renameSync(`${stateDir}.copy`, stateDir);
    },
  ],
  [
    "written over by a backup",
    (stateDir) => {
      cpSync(stateDir, `${stateDir}.copy`, { recursive: true });
      rmSync(join(stateDir, "journal.db"));
      cpSync(join(`${stateDir}.copy`, "journal.db"), join(stateDir, "journal.db"));
    },
  ],
];

test.each(GONE)("a state directory that is %s under a watcher: the next file is not sent", async (_, takeAway) => {
  const server = await startService();
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("a.csv"), transfersCsv(1));
  const watcher = desk.watch();
  await until("the first file", () => desk.names().includes("a.csv.summary.json"));
  takeAway(desk.stateDir);
  writeFileSync(desk.path("b.csv"), transfersCsv(1).replaceAll(",60200", ",70100"));
  const { code, stderr } = await watcher.ended;
  expect([code, server.requests.length]).toEqual([74, 1]);
  expect(stderr).toMatch(/\.db was removed or replaced while paydrop worked with it: .*\n {2}→ nothing more is sent; /);
});

test("a state directory that is removed while rows go: a second later no other row goes", async () => {
  const server = await startService(() => inOrder(pause(300), answer(200)));
  const desk = openDesk(server.url);
  desk.write("t.csv", transfersCsv(40));
  const program = startProgram(["run", "--concurrency", "1", "t.csv"], { env: desk.env, cwd: desk.folder });
  await until("a row", () => server.requests.length > 0);
  removeUnder(desk.stateDir);
  const { code, stderr } = await program.ended;
  expect(code).toBe(74);
  expect(stderr).toContain("was removed or replaced while paydrop worked with it");
  expect(server.requests.length).toBeLessThan(12);
});
