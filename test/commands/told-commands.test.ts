import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { folded } from "../../src/results/screen/folded.ts";
import { asTried, repeatingFlags } from "../../src/results/words/told-commands.ts";
import { answer } from "../support/fault-server.ts";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { BARE_ENV, LAUNCHER } from "../support/paydrop.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

const sh = promisify(execFile);

/** What a person types: the words that stand for something are replaced, nothing else. */
async function typed(command: string, env: Readonly<Record<string, string>>, cwd: string): Promise<string> {
  const said = command
    .replace("done|not-done", "not-done")
    .replace("NAME", "asha")
    .replace("TEXT", '"dashboard: no entry"');
  const shell = `paydrop() { '${process.execPath}' '${LAUNCHER}' "$@"; }\n${said}`;
  const { stdout } = await sh("sh", ["-c", shell], { env: { ...BARE_ENV, ...env }, cwd });
  return stdout;
}

describe("commands that are told", () => {
  test.skipIf(process.platform === "win32")(
    "work as they are printed where state folder and settings were named by flags",
    async () => {
      let sent = 0;
      const server = await startService(() => answer((sent += 1) === 2 ? 500 : 200));
      const desk = openDesk(server.url);
      const { PAYDROP_STATE_DIR: named, PAYDROP_BASE_URL: url, ...env } = desk.env;
      const elsewhere = join(desk.folder, "else where");
      mkdirSync(elsewhere);
      const settings = join(elsewhere, "our paydrop.toml");
      writeFileSync(settings, `base_url = ${JSON.stringify(url)}\n`, { mode: 0o600 });
      desk.write("in box.csv", transfersCsv(3));
      const flags = ["--state-dir", "else where/it's the state", "--config", settings];
      const run = (...words: string[]) => runProgram([...words, ...flags], { env, cwd: desk.folder });

      const ran = await run("run", "in box.csv");
      expect({ named, code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 4 });
      const unknown = await run("status", "--unknown");
      const told = /^ +(paydrop settle .*)$/m;
      const settle = told.exec(ran.stdout)?.[1] ?? "";
      expect(settle.replaceAll(/ --(?:config|state-dir) (?:'[^']*'\\''[^']*'|'[^']*')/g, "")).toMatch(
        /^paydrop settle \w{8} --row 3 --as/,
      );
      expect(told.exec(unknown.stdout)?.[1]).toBe(settle);
      const settled = await typed(settle, env, elsewhere);
      const retry = /(paydrop retry .*)$/m.exec(settled)?.[1] ?? "";
      expect(await typed(retry, env, elsewhere)).toContain("✓ accepted         3");
      expect(server.requests).toHaveLength(4);

      const none = await run("status", "NOSUCH01");
      expect(none.stderr).toContain("those of another state folder only with its --state-dir\n");
      expect(await typed(/→ `(paydrop .*)` lists/.exec(none.stderr)?.[1] ?? "", env, elsewhere)).toContain(
        "in box.csv",
      );
      const json = await run("status", "NOSUCH01", "--json");
      expect((JSON.parse(json.stderr) as { hint: string }).hint).toMatch(/^`paydrop status` lists them/);
    },
    60_000,
  );

  test.skipIf(process.platform === "win32")(
    "go to the service that a flag named; an address that is refused may hold a password, and is not repeated",
    async () => {
      let sent = 0;
      const server = await startService(() => answer((sent += 1) === 2 ? 500 : 200));
      const desk = openDesk(server.url);
      const { PAYDROP_BASE_URL: url = "", ...env } = desk.env;
      desk.write("rows.csv", transfersCsv(3));
      const run = (...words: string[]) => runProgram(words, { env, cwd: desk.folder });
      const { stdout } = await run("run", "rows.csv", "--base-url", url);
      const settled = await typed(/^ +(paydrop settle .*)$/m.exec(stdout)?.[1] ?? "", env, desk.folder);
      const retried = await typed(/(paydrop retry .*)$/m.exec(settled)?.[1] ?? "", env, desk.folder);
      expect(retried).toContain("✓ accepted         3");

      const secret = await run("status", "NOSUCH01", "--base-url", "https://asha:open-sesame@bank.example");
      expect(secret.code).toBe(2);
      expect(secret.stdout + secret.stderr).not.toContain("open-sesame");
    },
    60_000,
  );

  test("name the sandbox where a batch that was only tried would go to a service, and the service the other way", async () => {
    const server = await startService(() => answer(401));
    const desk = openDesk(server.url);
    desk.write("tried.csv", "from_account,to_account,amount\nACC-1,SANDBOX-401,1.00\n");
    desk.write("meant.csv", transfersCsv(2));
    const run = (...words: string[]) => runProgram(words, { env: desk.env, cwd: desk.folder });
    const folder = desk.env["PAYDROP_STATE_DIR"] ?? "";
    expect((await run("run", "tried.csv", "--sandbox", "--state-dir", folder)).code).toBe(7);
    expect((await run("run", "meant.csv")).code).toBe(7);
    const before = server.requests.length;
    const meant = await run("run", "tried.csv");
    expect(meant).toMatchObject({ code: 78 });
    expect(meant.stderr).toContain("→ it was only tried: it goes on with --sandbox; nothing was sent\n");
    const tried = await run("run", "meant.csv", "--sandbox", "--state-dir", folder);
    expect(tried).toMatchObject({ code: 78 });
    expect(tried.stderr).toContain("→ it goes on without --sandbox; nothing was sent\n");
    expect(server.requests).toHaveLength(before);
  });

  test.skipIf(process.platform === "win32")(
    "of what was only tried go on with the sandbox, and with its state folder",
    async () => {
      const desk = openDesk("http://127.0.0.1:1");
      const env = { HOME: desk.folder };
      desk.write("tried.csv", `${transfersCsv(2)}ACC-1,SANDBOX-500-AFTER,7.00\n`);
      const next = (text: string, name: string): Promise<string> =>
        typed(`${new RegExp(`paydrop ${name} .*$`, "m").exec(text)?.[0] ?? "#"} || test $? = 4`, env, "/");
      const state = ["--state-dir", "st"];
      const run = (...words: string[]) => runProgram([...words, ...state], { env, cwd: desk.folder });

      const { stdout: ran } = await run("run", "tried.csv", "--sandbox");
      const settled = await next(ran, "settle");
      const paused = await run("pause", /batch (\w+)/.exec(ran)?.[1] ?? "");
      expect(await next(paused.stdout, "resume")).toContain("SANDBOX: nothing here moves money.\n");
      expect(await next(settled, "retry")).toMatch(/\? unknown +1 /);
    },
    60_000,
  );

  const FLAGS = ["--config /etc/p.toml", "--state-dir '/a b'"];

  test.each([
    ["  paydrop retry K7", "  paydrop retry --config /etc/p.toml --state-dir '/a b' K7"],
    ["`paydrop status` lists them", "`paydrop status --config /etc/p.toml --state-dir '/a b'` lists them"],
    ["paydrop run --help shows how it is used", "paydrop run --help shows how it is used"],
    ["/srv/paydrop run.csv and paydrop.toml", "/srv/paydrop run.csv and paydrop.toml"],
    [
      asTried("paydrop release K7, then paydrop status K7"),
      "paydrop release --config /etc/p.toml --sandbox --state-dir '/a b' K7, then paydrop status --config /etc/p.toml --state-dir '/a b' K7",
    ],
  ])("%s", (text, expected) => {
    expect(repeatingFlags(text, FLAGS)).toBe(expected);
    expect(repeatingFlags(text, [])).toBe(text);
  });

  test("are broken on a narrow terminal with what they repeat, in whole words", () => {
    const look = { color: false, width: 30, folds: true, again: FLAGS };
    expect(folded("paydrop retry K7", look)).toBe(
      "paydrop retry --config \\\n  /etc/p.toml --state-dir \\\n  '/a b' K7",
    );
  });
});
