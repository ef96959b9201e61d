import { globSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { nameOf } from "../src/commands/command.ts";
import { COMMANDS } from "../src/commands/list.ts";
import { figuresOf, LIMITS } from "./figures.ts";

const ROOT = join(import.meta.dirname, "..");

/**
 * Each may know only those before it, by values and by types alike (README §4). What stands in one line knows each other
 * as well.
 */
const LAYERS = [
  [
    "operations",
    "messages",
    "amount.ts",
    "column-name.ts",
    "day.ts",
    "figures.ts",
    "file-format.ts",
    "mask.ts",
    "one-spelling.ts",
    "packed.ts",
    "period.ts",
    "printable.ts",
    "fault-point.ts",
    "state-dir.ts",
  ],
  ["errors.ts", "exit-codes.ts", "config", "disk.ts"],
  ["intake"],
  ["reader"],
  ["statements"],
  ["checks"],
  ["duplicates"],
  ["journal"],
  ["sqlite"],
  ["postgres"],
  ["open-journal.ts"],
  ["client"],
  ["submission"],
  ["events.ts"],
  ["pages"],
  ["results"],
  ["screen", "monitor", "help", "sandbox"],
  ["batch.ts"],
  ["acts"],
  ["inbox"],
  ["index.ts"],
  ["commands", "desk", "cli.ts", "bin.ts"],
];
/** No other file ends the process (README §4). */
const ENDS_THE_PROCESS = ["bin.ts", "cli.ts"];
const ENDING = /\bprocess\s*\.\s*(?:(?:exit|abort|reallyExit)\b|exitCode\s*=(?!=))/;
/**
 * What is judged or written down goes by the journal's clock (`store.now()`, README §13): a host whose clock was 30 days
 * ahead paid 499 rows twice. These look at their own: SQLite's engine, which is of one host; the guard; what is only shown.
 */
const OWN_CLOCK = [
  "client/connections.ts",
  "commands/backup-purge.ts",
  "commands/desk.ts",
  "commands/map-write.ts",
  "desk/inboxes.ts",
  "desk/sign-in.ts",
  "desk/todo.ts",
  "desk/trial.ts",
  "inbox/folder.ts",
  "monitor/monitor.ts",
  "postgres/look-at-server.ts",
  "postgres/move-journal.ts",
  "postgres/postgres.ts",
  "postgres/shares.ts",
  "postgres/sight.ts",
  "postgres/witness.ts",
  "screen/teller.ts",
  "sqlite/batches.ts",
  "sqlite/database.ts",
  "sqlite/mover.ts",
  "sqlite/open.ts",
  "sqlite/shares.ts",
  "submission/pace.ts",
];
const NAMES_THAT_SAY_NOTHING = /^(?:utils?|helpers?|common|types?|misc|lib|interfaces?)(?:\.|$)/;

test("a file knows only what comes before it, and no circle of imports is there", () => {
  expect(breachesIn(join(ROOT, "src"))).toEqual([]);
});

test("the house stays within its budgets", () => {
  const figures = figuresOf(ROOT);
  for (const [name, most] of Object.entries(LIMITS)) expect(figures[name], name).toBeLessThanOrEqual(most);
});

test("one level of folders, and no file is named after nothing", () => {
  const files = globSync("{src,test}/**/*.*", { cwd: ROOT });
  expect(files.filter((path) => path.split("/").some((name) => NAMES_THAT_SAY_NOTHING.test(name)))).toEqual([]);
  expect(files.filter((path) => /^src\/[^/]+\/[^/]+\//.test(path) && path.endsWith(".ts"))).toEqual([]);
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^\./.test(entry.name))
    .map((entry) => entry.name);
  expect(
    folders.filter((name) => !["dist", "coverage", "node_modules", "src", "samples", "test"].includes(name)),
  ).toEqual([]);
});

test("nothing but commands lies in commands: each file begins with the name of one", () => {
  const files = readdirSync(join(ROOT, "src/commands")).map((file) => file.replace(/\.ts$/, ""));
  const names = COMMANDS.map(nameOf);
  expect(files.filter((file) => !names.includes(file.split("-")[0] ?? "")).sort()).toEqual(["command", "list"]);
});

test("sentences stand in messages, and a row's state is written in one place", () => {
  const files = globSync("src/**/*.ts", { cwd: ROOT });
  const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
  expect(files.filter((path) => /new PaydropError\(\s*(?:`|"[^"]* )/.test(textOf(path)))).toEqual([]);
  // of both engines: what stands between SET and WHERE
  const changesState = /UPDATE rows?\b(?:(?!\bWHERE\b)[^`"])*\bstate\s*=/i;
  expect(files.filter((path) => changesState.test(textOf(path)))).toEqual(["src/journal/states.ts"]);
});

test("code is not packed: no line is left out of the format", () => {
  const files = globSync("{src,test}/**/*.ts", { cwd: ROOT });
  const packed = new RegExp("prettier" + "-ignore");
  expect(files.filter((path) => packed.test(readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
});

test("a function fits a screen", () => {
  const files = globSync("src/**/*.ts", { cwd: ROOT });
  expect(files.flatMap((path) => longFunctionsIn(path, readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
  const long = `const far = () => {${"\n".repeat(FUNCTION_LINES_MAX)}};`;
  expect(longFunctionsIn("a.ts", `class A { near() {} }\n${long}`)).toEqual(["a.ts:2 has 61 lines"]);
});

/** What stands here may be looked at by code: the words of a call, and a sentence where it is made. */
const READS = { flags: ["cli.ts"], sentences: ["messages/sentence.ts"] };

test("no code takes our sentences apart, or asks what they say", () => {
  const files = globSync("**/*.ts", { cwd: join(ROOT, "src") }).filter((file) => !READS.sentences.includes(file));
  const found = files.flatMap((file) => {
    const readers = readersIn(readFileSync(join(ROOT, "src", file), "utf8"));
    return readers
      .filter((one) => !READS.flags.includes(file) || !one.startsWith("--"))
      .map((one) => `${file}: ${one}`);
  });
  expect(found).toEqual([]);
});

test.each([
  "sentences.filter((one) => !/\\bpaydrop [a-z]|--[a-z]/.test(one))",
  "todo.split(/(?<=[.:]) (?=[A-Z])/)",
  "said.replaceAll(/\\bpaydrop [^.]*/g, (command) => command + again)",
  'lines.filter((line) => line !== "" && !line.startsWith("paydrop "))',
  "lines.filter((line) => !/^Lines that begin/.test(line))",
  'lines.map((line) => (line.startsWith("  paydrop ") ? line + again : line))',
  'stop?.hint.replaceAll("BATCH", batch)',
  'text.includes("--accept-lost-journal")',
  'again.includes(" --state-dir ")',
  "const OF_A_TRIAL = /^paydrop (?:run|release|retry|resume) /;",
  'DESK_WORDS.one_time.replace(" → ", " ")',
  'const isOver = todo === "Nothing";',
  'news.includes("What you said changed nothing")',
])("such code is seen: %s", (code) => {
  expect(readersIn(code)).not.toEqual([]);
});

test("nothing that is judged or written down goes by a host's own clock", () => {
  const files = globSync("**/*.ts", { cwd: join(ROOT, "src") });
  const own = files.filter((file) =>
    /\bDate\.now\b|\bnew Date\(\)/.test(readFileSync(join(ROOT, "src", file), "utf8")),
  );
  expect(own.sort()).toEqual(OWN_CLOCK);
});

test("each breach is seen in a tree that has it", () => {
  const files = {
    "checks/fine.ts": 'import type { Row } from "../reader/row.ts";\nimport { amount } from "../amount.ts";',
    "checks/back.ts": 'import type { Journal } from "../journal/store.ts";',
    "reader/late.ts": 'const checks = await import("../checks/fine.ts");',
    "reader/row.ts": 'import type { A } from "./circle.ts";',
    "reader/circle.ts": 'export type { B } from "./row.ts";',
    "operations/upward.ts": 'import { run } from "../commands/run.ts";',
    "commands/run.ts": 'import { open } from "../reader/row.ts";',
    "submission/ends.ts": "process.exit(1);",
    "amount.ts": "// process.exit() is for the launcher\nexport const amount = report.exitCode;",
    "journal/store.ts": "",
    "strange.ts": 'import { amount } from "./amount.ts";',
  };
  const tree = mkdtempSync(join(tmpdir(), "paydrop-test-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text);
    }
    expect(breachesIn(tree).sort()).toEqual([
      "a circle: reader/circle.ts → reader/row.ts → reader/circle.ts",
      "checks/back.ts knows journal/store.ts",
      "operations/upward.ts knows commands/run.ts",
      "reader/late.ts knows checks/fine.ts",
      "strange.ts stands in no layer",
      "submission/ends.ts ends the process",
    ]);
  } finally {
    rmSync(tree, { recursive: true });
  }
});

const FUNCTION_LINES_MAX = 60;

/** Functions, methods and closures with more lines than a screen has. */
function longFunctionsIn(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const long: string[] = [];
  const look = (node: ts.Node): void => {
    const lines = lineAt(node.end) - lineAt(node.getStart()) + 1;
    if (ts.isFunctionLike(node) && lines > FUNCTION_LINES_MAX)
      long.push(`${path}:${lineAt(node.getStart())} has ${lines} lines`);
    ts.forEachChild(node, look);
  };
  look(source);
  return long;
}

const MATCHERS = new Set([
  "startsWith",
  "endsWith",
  "includes",
  "indexOf",
  "split",
  "replace",
  "replaceAll",
  "match",
  "search",
]);
/** In what a text is compared with: a command, an arrow, a word to be filled in, the end of a sentence. */
const OF_SENTENCES = [/paydrop /, /→/, /\bBATCH\b/, /\(\?<=(?:\[[.:]|\\\.)/];
const FLAG = /--(?:[a-z]|\[a-z)/;
const MESSAGES = globSync("src/messages/*.ts", { cwd: ROOT })
  .map((path) => readFileSync(join(ROOT, path), "utf8"))
  .join("\n");

/** What in this code texts are compared with, or cut by, that is of our own sentences. */
function readersIn(code: string): string[] {
  const found: string[] = [];
  const look = (said: string): void => {
    const phrases = said.match(/[A-Za-z']+(?: [A-Za-z']+){2,}/g) ?? [];
    const isOurs = phrases.some((phrase) => phrase.length > 11 && MESSAGES.includes(phrase));
    if (isOurs || OF_SENTENCES.some((pattern) => pattern.test(said))) found.push(said);
  };
  const lookAtPart = (said: string): void => {
    if (FLAG.test(said)) found.push(said);
    else look(said);
  };
  const walk = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) lookAtPart(node.text);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [first] = node.arguments;
      if (first && ts.isStringLiteralLike(first) && MATCHERS.has(node.expression.name.text)) lookAtPart(first.text);
    }
    if (
      ts.isBinaryExpression(node) &&
      ts.isStringLiteralLike(node.right) &&
      /[!=]==/.test(node.operatorToken.getText())
    ) {
      look(node.right.text);
      if (/^[A-Z][a-z]+$/.test(node.right.text) && MESSAGES.includes(`→ ${node.right.text}"`))
        found.push(node.right.text);
    }
    ts.forEachChild(node, walk);
  };
  walk(ts.createSourceFile("code.ts", code, ts.ScriptTarget.Latest, true));
  return found;
}

interface Import {
  readonly from: string;
  readonly to: string;
}

/** What in this tree breaks the rules of README §4, in words. */
function breachesIn(folder: string): string[] {
  const files = globSync("**/*.ts", { cwd: folder })
    .filter((file) => !file.endsWith(".d.ts"))
    .sort();
  const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");
  const imports = files.flatMap((file) => importsOf(file, textOf(file)));
  const ending = files.filter(
    (file) => !ENDS_THE_PROCESS.includes(file) && ENDING.test(textOf(file).replaceAll(/\/\/.*|\/\*[^]*?\*\//g, "")),
  );
  return [
    ...files.filter((file) => layerOf(file) < 0).map((file) => `${file} stands in no layer`),
    ...imports.filter(isUpward).map(({ from, to }) => `${from} knows ${to}`),
    ...ending.map((file) => `${file} ends the process`),
    ...circlesIn(imports).map((circle) => `a circle: ${circle.join(" → ")}`),
  ];
}

const IMPORT = /^\s*(?:import|export)\s+(?:[^"';]*?\sfrom\s+)?"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"\s*\)/gm;

function importsOf(file: string, text: string): Import[] {
  return Array.from(text.matchAll(IMPORT), ([, from, late]) => ({
    from: file,
    to: join(dirname(file), from ?? late ?? ""),
  })).filter(({ to }) => to.endsWith(".ts"));
}

function layerOf(file: string): number {
  return LAYERS.findIndex((names) => names.includes(file.split("/")[0] ?? ""));
}

function isUpward({ from, to }: Import): boolean {
  return layerOf(from) >= 0 && layerOf(to) > layerOf(from);
}

/** Every circle of imports once, from its first file in the order of names. */
function circlesIn(imports: readonly Import[]): string[][] {
  const circles = new Map<string, string[]>();
  const of = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const circle = fromFirst(path.slice(start));
      circles.set(circle.join(), circle);
      return;
    }
    if (done.has(file)) return;
    done.add(file);
    for (const { to } of of.get(file) ?? []) walk(to, [...path, file]);
  };
  for (const from of of.keys()) walk(from, []);
  return [...circles.values()];
}

function fromFirst(circle: readonly string[]): string[] {
  const at = circle.indexOf(circle.toSorted()[0] ?? "");
  return [...circle.slice(at), ...circle.slice(0, at), circle[at] ?? ""];
}
