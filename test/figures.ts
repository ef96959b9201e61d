/** `npm run figures`: how large the house is, beside what DESIGN allows it. The structure test keeps it. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the structure test allows; where it is more than DESIGN asks for it may only become less. */
export const LIMITS: Readonly<Record<string, number>> = {
  "source files": 205,
  "source lines": 21_100,
  "lines for many hosts and the desk": 5_350,
  "test lines": 25_000,
  "README lines": 200,
  "CONTRIBUTING lines": 60,
};

/** What only a journal of several hosts (DESIGN §13) and the desk (§14) need: DESIGN allows them 5,000 lines. */
const OF_HOSTS =
  /^src\/(?:journal\/(?:postgres.*|open-postgres|same-server|look-at-server|shares|hosts|copies|move|move-rows|approval|sharing)|submission\/(?:shares|queue)|commands\/(?:work|journal|status-hosts|doctor-server|desk|approve)|monitor\/notices|messages\/(?:hosts|desk)|desk\/.*)\.ts$/;

/** What DESIGN asks for, where the house is not that small yet. */
const ASKED: Readonly<Record<string, string>> = {
  "source lines": "DESIGN asks for 16000",
  "lines for many hosts and the desk": "DESIGN asks for 5000",
};

export function figuresOf(root: string): Readonly<Record<string, number>> {
  const lines = (pattern: string): number =>
    globSync(pattern, { cwd: root }).reduce((sum, path) => sum + linesIn(join(root, path)), 0);
  const sources = globSync("src/**/*.ts", { cwd: root });
  const linesOf = (isHosts: boolean): number =>
    sources.filter((path) => OF_HOSTS.test(path) === isHosts).reduce((sum, path) => sum + linesIn(join(root, path)), 0);
  return {
    "source files": sources.length,
    "source lines": linesOf(false),
    "lines for many hosts and the desk": linesOf(true),
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
    const limit = `${LIMITS[name] ?? "any"}${ASKED[name] === undefined ? "" : ` (${ASKED[name]})`}`;
    process.stdout.write(`${name.padEnd(20)} ${String(figure).padStart(6)} of ${limit}\n`);
  }
}
