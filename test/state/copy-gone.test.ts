import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

/** Each puts something else in the place of the private copy at `path`. */
const GONE: Readonly<Record<string, { instead: (path: string) => void; comesBack: boolean }>> = {
  "is gone": { instead: () => undefined, comesBack: true },
  "holds other rows": {
    instead: (path) => writeFileSync(path, transfersCsv(3).replace("101.00", "901.00")),
    comesBack: true,
  },
  "is a link, even to its very bytes": {
    instead: (path) => {
      const moved = join(path, "..", "..", "moved.csv");
      writeFileSync(moved, transfersCsv(3));
      symlinkSync(moved, path);
    },
    comesBack: true,
  },
  "is a folder": { instead: (path) => mkdirSync(path), comesBack: false },
};

test.each(Object.entries(GONE))(
  "a batch whose private copy %s cannot go on, and all that needs it says so",
  async (_, gone) => {
    const server = await startService(({ number }) => (number === 1 ? answer(401) : answer(200)));
    const desk = openDesk(server.url);
    desk.write("t.csv", transfersCsv(3));
    const stopped = await desk.run("t.csv", "--json");
    expect(stopped.code).toBe(7);
    const { batch } = JSON.parse(stopped.stdout.split("\n")[0] ?? "") as { batch: string };
    const [copy = ""] = readdirSync(join(desk.stateDir, "snapshots")).map((name) =>
      join(desk.stateDir, "snapshots", name),
    );
    rmSync(copy);
    gone.instead(copy);
    const message = `the private copy of t.csv (batch ${batch}) is missing or damaged`;
    const goingOn = desk.inProcess((processor) => processor.goOn(batch));
    await expect(goingOn).rejects.toMatchObject({ code: "journal", message });
    for (const command of [
      ["results", batch],
      ["report", batch],
      ["template", "--from", batch],
      ["retry", batch, "--by", "asha"],
    ]) {
      const { code, stdout, stderr } = await runProgram(command, { env: desk.env });
      expect({ command, code, told: stderr.includes(message) }).toEqual({ command, code: 74, told: true });
      expect(stdout).not.toContain("901.00");
    }
    expect(server.requests).toHaveLength(1);
    expect((await runProgram(["status", batch], { env: desk.env })).stdout).not.toContain("asha");
    // the same file dropped again brings the copy back, or says what lies in its way
    const again = await desk.run("t.csv");
    expect(again.code).toBe(gone.comesBack ? 0 : 74);
    if (!gone.comesBack) expect(again.stderr).toMatch(/private copy of the file could not be written .*\n {2}→ /);
    expect(server.requests).toHaveLength(gone.comesBack ? 4 : 1);
  },
);

test.each([
  ["in the middle of a row, after it was read", 9, (text: string) => text.length - 9],
  // more than is read at once
  ["between two rows, before they are read", 4_000, (text: string) => text.trimEnd().lastIndexOf("\n") + 1],
])("a private copy that is cut %s, while rows go: no file was refused, and nothing goes twice", async (_, rows, at) => {
  const server = await startService();
  const desk = openDesk(server.url);
  const path = desk.write("t.csv", transfersCsv(rows));
  server.use(() => {
    const [copy = ""] = readdirSync(join(desk.stateDir, "snapshots"));
    truncateSync(join(desk.stateDir, "snapshots", copy), at(readFileSync(path, "utf8")));
    return answer(200);
  });
  const run = await desk.run("t.csv");
  expect(run.code).toBe(74);
  expect(run.stderr).toMatch(
    /the private copy of t\.csv \(batch \w+\) is missing or damaged\n {2}→ .* nothing more is sent/,
  );
  server.use(() => answer(200));
  expect(await desk.run("t.csv")).toMatchObject({ code: 0, counts: { accepted: rows } });
  expect(new Set(server.requests.map(({ body }) => body)).size).toBe(rows);
  expect(server.requests).toHaveLength(rows);
});

test("an unknown row is not listed by the accounts of a private copy that holds others", async () => {
  const server = await startService(() => answer(500));
  const desk = openDesk(server.url);
  desk.write("t.csv", transfersCsv(1));
  expect((await desk.run("t.csv")).code).toBe(4);
  const list = (flag = "--csv") => runProgram(["status", "--unknown", flag], { env: desk.env });
  expect(await list()).toMatchObject({ code: 0, stdout: expect.stringContaining("0001") as string, stderr: "" });
  const [copy = ""] = readdirSync(join(desk.stateDir, "snapshots")).map((name) =>
    join(desk.stateDir, "snapshots", name),
  );
  writeFileSync(copy, transfersCsv(1).replace("000000001", "000000009"));
  const without = await list();
  expect(without.stdout).toContain("t.csv");
  expect(without.stdout).not.toContain("0009");
  expect(without.stderr).toMatch(
    /^paydrop: accounts of batch \w+ are missing from the list: the private copy of t\.csv .*\n {2}→ drop or run/,
  );
  expect(without.code).toBe(74);
  const { code, stdout } = await list("--json");
  expect([code, stdout]).toEqual([74, expect.stringMatching(/"type":"summary","unknown":1,.*"exit_code":74\}\n$/)]);
});
