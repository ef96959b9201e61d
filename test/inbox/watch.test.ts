import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { transfers, Watched } from "./watched.ts";

test("killed, then asked to end, while rows go: the rest goes, at most eight rows are unknown", async () => {
  const watched = await Watched.with({ latencyMs: { min: 10, max: 20 } });
  let program = watched.start();
  watched.put("a.csv", transfers(400));
  await until("some rows went", () => watched.carriedOut > 40, { by: program.ended });
  program.child.kill("SIGKILL");
  await program.ended;
  const before = watched.carriedOut;

  program = watched.start();
  await until("more rows went", () => watched.carriedOut > before + 40, { by: program.ended });
  program.child.kill("SIGTERM");
  expect((await program.ended).code, "rows are left, and rows are unknown").toBe(4);

  program = watched.start();
  await until("the results are whole", () => !/,not_sent,/.test(watched.read("a.csv.results.csv")), {
    by: program.ended,
  });
  await watched.says("a.csv.waiting.txt", /\d rows? unknown/, program);
  program.child.kill("SIGTERM");
  await program.ended;
  const lines = watched
    .read("a.csv.results.csv")
    .split("\r\n")
    .filter((line) => line.includes(","));
  const [unknown, accepted] = [",unknown,", ",accepted,"].map(
    (state) => lines.filter((line) => line.includes(state)).length,
  );
  expect([lines.length, Number(unknown) + Number(accepted), Number(unknown) <= 8]).toEqual([401, 400, true]);
  expect(watched.sentTwice).toBe(0);
});

test("exit codes: 2 without its folder, 75 beside another run, 0 and quiet with nothing to do, 0 at its end", async () => {
  const watched = await Watched.with();
  expect((await watched.run(["run", join(watched.root, "nowhere")])).code).toBe(2);
  expect((await watched.run(["watch", watched.put("no-folder.txt", "")])).code).toBe(2);
  rmSync(join(watched.inbox, "no-folder.txt"));
  const nothing = await watched.run(["run", "--json", watched.inbox]);
  expect([JSON.parse(nothing.stdout), nothing.stderr]).toMatchObject([{ type: "summary", exit_code: 0 }, ""]);
  const program = watched.start();
  await until("it watches", () => program.stderr().includes("watching"), { by: program.ended });
  watched.put("a.csv", transfers(2));
  await watched.says("a.csv.summary.json", '"accepted"', program);
  expect((await watched.run(["run", watched.inbox])).code).toBe(75);
  program.child.kill("SIGTERM");
  expect((await program.ended).code).toBe(0);
  expect(await watched.run(["run", "--quiet", watched.inbox])).toMatchObject({ code: 0, stdout: "", stderr: "" });
});
