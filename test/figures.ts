/** `npm run figures`: how large the house is, beside what DESIGN allows it. The structure test keeps it. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** DESIGN allows 160 source files and 16,000 lines: what stands here beyond that may only become less. */
export const LIMITS: Readonly<Record<string, number>> = {
  "source files": 160,
  "source lines": 19_700,
  "test lines": 20_000,
  "README lines": 200,
  "CONTRIBUTING lines": 60,
};

export function figuresOf(root: string): Readonly<Record<string, number>> {
  const lines = (pattern: string): number =>
    globSync(pattern, { cwd: root }).reduce((sum, path) => sum + linesIn(join(root, path)), 0);
  return {
    "source files": globSync("src/**/*.ts", { cwd: root }).length,
    "source lines": lines("src/**/*.ts"),
    "test lines": lines("test/**/*.ts"),
    "README lines": linesIn(join(root, "README.md")),
    "CONTRIBUTING lines": linesIn(join(root, "CONTRIBUTING.md")),
  };
}

function linesIn(path: string): number {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

if (process.argv[1] === import.meta.filename) {
  for (const [name, figure] of Object.entries(figuresOf(join(import.meta.dirname, "..")))) {
    process.stdout.write(`${name.padEnd(20)} ${String(figure).padStart(6)} of ${LIMITS[name] ?? "any"}\n`);
  }
}
