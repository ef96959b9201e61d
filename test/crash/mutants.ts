/**
 * `npm run mutants [WORD…]`: breaks a copy of the sources in one place at a time (`mutants.txt`) and runs the test that
 * must notice. Exits 1 when one survives, when a place is no longer there once, or when a test fails on the copy as it is.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Mutant {
  readonly name: string;
  /** A file under `test/`; after `#` a word in the names of its tests. */
  readonly test: string;
  readonly edits: readonly { readonly from: string; readonly to: string }[];
}

/** Those of `mutants.txt`, whose first lines say how it is written. */
export function readMutants(): readonly Mutant[] {
  const text = readFileSync(new URL("mutants.txt", import.meta.url), "utf8");
  return [...text.matchAll(/^([^#\n].*) :: (\S.*)\n((?:- .+\n\+.*\n)+)/gm)].map(
    ([, name = "", test = "", places = ""]) => {
      const edits = [...places.matchAll(/^- (.+)\n\+ ?(.*)$/gm)].map(([, from = "", to = ""]) => ({
        from: from.replaceAll("\\n", "\n"),
        to: to.replaceAll("\\n", "\n"),
      }));
      return { name, test, edits };
    },
  );
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COPIED = ["src", "test", ".config", "samples", "package.json", "package-lock.json", "tsconfig.json", "README.md"];
const TIMEOUT_MS = 300_000;

function main(words: readonly string[]): number {
  const chosen = readMutants().filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const copy = mkdtempSync(join(tmpdir(), "paydrop-mutants-"));
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    let killed = 0;
    for (const [test, mutants] of Map.groupBy(chosen, (mutant) => mutant.test)) {
      const failure = failureOf(copy, test);
      if (failure !== undefined) say(`UNUSABLE  ${test} fails although nothing is broken: ${failure}`);
      else killed += mutants.filter((mutant) => isKilled(copy, mutant)).length;
    }
    say(`\n${chosen.length} mutants, ${killed} killed`);
    return killed === chosen.length ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function isKilled(copy: string, { name, test, edits }: Mutant): boolean {
  const before = new Map<string, string>();
  try {
    for (const { from, to } of edits) {
      const found = filesWith(copy, from);
      const [path, text, times] = found[0] ?? ["", "", 0];
      if (found.length !== 1 || times !== 1) {
        say(`STALE     ${name}: not once in src: ${from}`);
        return false;
      }
      if (!before.has(path)) before.set(path, text);
      writeFileSync(
        path,
        text.replace(from, () => to),
      );
    }
    const failure = failureOf(copy, test);
    say(failure === undefined ? `SURVIVED  ${name}` : `killed    ${name}: ${failure}`);
    return failure !== undefined;
  } finally {
    for (const [path, text] of before) writeFileSync(path, text);
  }
}

/** Where a piece of text stands in the sources, and how often in each file. */
export function filesWith(
  root: string,
  piece: string,
): readonly (readonly [path: string, text: string, times: number])[] {
  const names = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  return names.flatMap((name) => {
    if (!name.endsWith(".ts")) return [];
    const path = join(root, "src", name);
    const text = readFileSync(path, "utf8");
    const times = text.split(piece).length - 1;
    return times === 0 ? [] : [[path, text, times] as const];
  });
}

/** The first test that failed, or undefined when all passed. */
function failureOf(copy: string, test: string): string | undefined {
  const [file = "", names] = test.split("#");
  const vitest = join(copy, "node_modules", "vitest", "vitest.mjs");
  const how = ["run", "--config", join(copy, ".config/vitest.config.ts"), "--root", copy, "--bail", "1"];
  const args = [vitest, ...how, ...(names === undefined ? [] : ["-t", names]), `test/${file}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    env: { ...process.env, NO_COLOR: "1", PAYDROP_APART: "1" },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return undefined;
  const failure = /^ *FAIL +(.*)$/m.exec(`${stdout}\n${stderr}`)?.[1];
  return failure ?? (status === null ? "did not end in time" : stderr.trim().split("\n").slice(-1).join(""));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

if (process.argv[1] === import.meta.filename) process.exitCode = main(process.argv.slice(2));
