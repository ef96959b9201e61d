import { globSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "./support/state-dir.ts";

const ROOT = join(import.meta.dirname, "..");
/** Data goes one way (DESIGN §4). */
const STAGES = ["intake", "reader", "checks", "journal", "submission", "results"];
/** Where values of several stages may meet. What else is no stage knows a stage by its types only. */
const MEETING_PLACES =
  /^(?:processor|take-in|reading|journal-thread|index|cli)\.ts$|^(?:commands|batch|proof-read|drop-folder|library)\//;
const ENDS_THE_PROCESS = ["bin.ts", "cli.ts"];
const ENDING = /\bprocess\s*\.\s*(?:(?:exit|abort|reallyExit)\b|exitCode\s*=(?!=))/;
const NAMES_THAT_SAY_NOTHING = /^(?:utils?|helpers?|common|types?|misc|lib|shared|interfaces?)(?:\.|$)/;
const TOP_LEVEL = ["src", "samples", "test"];
const BUILT = ["dist", "coverage", "node_modules"];

test("stages meet only where they may, data goes one way, and nothing imports itself in a circle", () => {
  expect(breachesIn(join(ROOT, "src"))).toEqual([]);
});

test("no file is named after nothing", () => {
  const names = globSync("{src,test}/**", { cwd: ROOT }).filter((path) => path.split("/").some(saysNothing));
  expect(names).toEqual([]);
});

test("no folder stands at the top level without need", () => {
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !BUILT.includes(entry.name))
    .map((entry) => entry.name);
  expect(folders.sort()).toEqual([...TOP_LEVEL].sort());
});

test("each breach is seen in a tree that has it", () => {
  const files = {
    "checks/fine.ts": 'import type { Row } from "../reader/row.ts";\nimport { amount } from "../amount.ts";',
    "checks/back.ts": 'import type { Journal } from "../journal/store.ts";',
    "checks/value.ts": 'import {\n  openSheet,\n  type Row,\n} from "../reader/sheet.ts";',
    "checks/late.ts": 'const sheet = await import("../reader/sheet.ts");',
    "checks/again.ts": 'export { openSheet } from "../reader/sheet.ts";',
    "checks/whole.ts": 'export * from "../results/rows.ts";',
    "checks/bare.ts": 'import "../reader/sheet.ts";',
    "client/stage.ts": 'import { outcomeOf } from "../submission/outcome.ts";',
    "client/shape.ts": 'import type { Outcome } from "../submission/outcome.ts";',
    "processor.ts": 'import { openSheet } from "./reader/sheet.ts";\nimport { rows } from "./results/rows.ts";',
    "reader/row.ts": "",
    "reader/sheet.ts": 'import { a } from "./circle.ts";',
    "reader/circle.ts": 'import { b } from "./sheet.ts";\nimport type { Row } from "./row.ts";',
    "results/rows.ts": "process.exitCode = 1;",
    "submission/outcome.ts": "process.exit(1);",
    "operations/upward.ts": 'import { run } from "../commands/run.ts";',
    "commands/run.ts": 'import { openSheet } from "../reader/sheet.ts";\nimport { all } from "./list.ts";',
    "commands/list.ts": 'export const all = () => import("./run.ts");',
    "amount.ts": "// process.exit() is for the launcher\nexport const amount = report.exitCode;",
    "journal/store.ts": "",
  };
  const tree = temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  expect(breachesIn(tree).sort()).toEqual([
    "a circle: reader/circle.ts → reader/sheet.ts → reader/circle.ts",
    "checks/again.ts takes a value from reader/sheet.ts, another stage",
    "checks/back.ts knows journal/store.ts, a later stage",
    "checks/bare.ts takes a value from reader/sheet.ts, another stage",
    "checks/late.ts takes a value from reader/sheet.ts, another stage",
    "checks/value.ts takes a value from reader/sheet.ts, another stage",
    "checks/whole.ts knows results/rows.ts, a later stage",
    "client/stage.ts takes a value from submission/outcome.ts, a stage",
    "operations/upward.ts takes a value from commands/run.ts, a meeting place",
    "results/rows.ts ends the process",
    "submission/outcome.ts ends the process",
  ]);
});

test("the names that say nothing are seen", () => {
  expect(["utils.ts", "types.ts", "common", "type-of-thing.ts", "journal"].filter(saysNothing)).toEqual([
    "utils.ts",
    "types.ts",
    "common",
  ]);
});

function saysNothing(name: string): boolean {
  return NAMES_THAT_SAY_NOTHING.test(name);
}

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
  /** Loaded when it is needed: it cannot close a circle of evaluation. */
  readonly isLate: boolean;
}

/** What in this tree breaks the rules of DESIGN §4, in words. */
function breachesIn(folder: string): string[] {
  const files = globSync("**/*.ts", { cwd: folder }).sort();
  const imports = files.flatMap((file) => importsOf(file, readFileSync(join(folder, file), "utf8")));
  const ending = files.filter((file) => {
    const code = readFileSync(join(folder, file), "utf8").replaceAll(/\/\/.*|\/\*[^]*?\*\//g, "");
    return !ENDS_THE_PROCESS.includes(file) && ENDING.test(code);
  });
  return [
    ...imports.flatMap(breachOf),
    ...ending.map((file) => `${file} ends the process`),
    ...circlesIn(imports.filter((one) => !one.isType && !one.isLate)).map(
      (circle) => `a circle: ${circle.join(" → ")}`,
    ),
  ];
}

const IMPORT = /^\s*(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"\s*\)/gm;

function importsOf(file: string, text: string): Import[] {
  return Array.from(text.matchAll(IMPORT), ([, type, from, late]) => ({
    from: file,
    to: join(dirname(file), from ?? late ?? ""),
    isType: type !== undefined,
    isLate: late !== undefined,
  }));
}

function breachOf({ from, to, isType }: Import): string[] {
  if (MEETING_PLACES.test(from) || from === "bin.ts") return [];
  const [here, there] = [stageOf(from), stageOf(to)];
  if (MEETING_PLACES.test(to)) return isType ? [] : [`${from} takes a value from ${to}, a meeting place`];
  if (there === -1 || here === there) return [];
  if (here === -1) return isType ? [] : [`${from} takes a value from ${to}, a stage`];
  if (there > here) return [`${from} knows ${to}, a later stage`];
  return isType ? [] : [`${from} takes a value from ${to}, another stage`];
}

function stageOf(file: string): number {
  return STAGES.indexOf(file.split("/")[0] ?? "");
}

/** Every circle of imports once, from its first file in the order of names. */
function circlesIn(imports: readonly Import[]): string[][] {
  const circles = new Map<string, string[]>();
  const walk = (file: string, path: readonly string[], done: Set<string>): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const circle = fromFirst(path.slice(start));
      circles.set(circle.join(), circle);
      return;
    }
    if (done.has(file)) return;
    done.add(file);
    for (const { from, to } of imports) if (from === file) walk(to, [...path, file], done);
  };
  const done = new Set<string>();
  for (const { from } of imports) walk(from, [], done);
  return [...circles.values()];
}

function fromFirst(circle: readonly string[]): string[] {
  const at = circle.indexOf(circle.toSorted()[0] ?? "");
  return [...circle.slice(at), ...circle.slice(0, at), circle[at] ?? ""];
}
