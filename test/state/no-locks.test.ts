import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/state-dir.ts";

const hasStrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
if (!hasStrace)
  process.stderr.write("NOT CHECKED: strace is not on this machine, by which disks without locks is looked at\n");
const LOCK = new URL("../../src/journal/sqlite/database/lock.ts", import.meta.url).href;
/** It kills itself: Node asks for what the system refuses by then as it ends. */
const PROGRAM = `
  import { writeSync } from "node:fs";
  import { takeInstanceLock } from "${LOCK}";
  try { takeInstanceLock(process.argv[1]); } catch ({ code, message, hint }) { writeSync(1, [code, message, hint].join("; ")); }
  process.kill(process.pid, "SIGKILL");`;

/** ENOLCK: NFS without its lock service. The other one is told by systems that know no locks. */
test.skipIf(!hasStrace).each(["ENOLCK", "ENOSYS"])(
  "a disk without locks (%s) is told as that, and is no other paydrop for whose end one would wait for ever",
  (error) => {
    const folder = temporaryDirectory();
    const [trace, stateDir] = [join(folder, "trace"), join(folder, "state")];
    mkdirSync(stateDir, { mode: 0o700 });
    const take = (...inject: string[]): string => {
      const program = [process.execPath, "--input-type=module", "-e", PROGRAM, stateDir];
      return spawnSync("strace", ["-qq", "-o", trace, "-e", "trace=fcntl", ...inject, ...program]).stdout.toString();
    };
    expect(take()).toBe("");
    const calls = readFileSync(trace, "utf8").split("\n");
    const first = calls.findIndex((call) => call.includes("F_SETLK")) + 1;
    const told = take("-e", `inject=fcntl:error=${error}:when=${first}+`);
    expect(told).toMatch(/^journal; the file system of the state directory \S+ gives no locks: .*; nothing was sent/);
    expect(readdirSync(stateDir).filter((name) => !name.startsWith("lock.db"))).toEqual([]);
  },
);
