import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/paydrop.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A Node of this machine that is too old, as most have one. */
function olderNode(): string | undefined {
  return ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
    if (!existsSync(path)) return false;
    const major = Number(execFileSync(path, ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" }));
    return major >= 18 && major < 24;
  });
}

/** The launcher as it is published: compiled by the very compiler and options of the build. */
function compiledLauncher(): string {
  const folder = temporaryFolder();
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  // a type error elsewhere is the business of other tests: the files are written all the same
  spawnSync(process.execPath, [compiler, "-p", join(ROOT, ".config/tsconfig.build.json"), "--outDir", folder]);
  return join(folder, "bin.js");
}

const node = olderNode();
if (node === undefined) process.stderr.write("SKIPPED: no Node 18 to 23 here, so its refusal is not tested\n");

test.skipIf(node === undefined)(
  "an older Node is told in one line what is needed and what was found, and exits 78",
  () => {
    const launcher = compiledLauncher();
    expect(existsSync(launcher)).toBe(true);
    const { status, stdout, stderr } = spawnSync(node ?? "", [launcher, "--help"], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 78, stdout: "" });
    expect(stderr).toMatch(/^paydrop: needs Node \^24\.15\.0 \|\| >=26, found (18|2[0-3])\.\d+\.\d+ \(\/\S+\)\. .+\n$/);
  },
);
