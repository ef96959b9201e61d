/** `npm run figures`: how large the house is, beside the last landing. Only what people read has a limit. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the structure test allows. */
export const LIMITS: Readonly<Record<string, number>> = {
  "README lines": 200,
  "CONTRIBUTING lines": 60,
};

/** Of the commit before: code that is packed to save lines is worse than long code, so these are told, and not tested. */
const BEFORE: Readonly<Record<string, number>> = {
  "source files": 220,
  "source lines": 23_516,
  "lines for many hosts and the desk": 6_913,
  "test lines": 29_646,
};

/** What only a journal of several hosts (README §13) and the desk (§14) need. */
const OF_HOSTS =
  /^src\/(?:postgres\/.*|journal\/approval|submission\/queue|commands\/(?:work|journal|status-hosts|doctor-server|desk|approve)|monitor\/notices|acts\/(?:accounts|prove|approve|inbox)|inbox\/lease|messages\/(?:hosts|desk)|desk\/.*)\.ts$/;

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
    const beside = name in LIMITS ? `at most ${LIMITS[name]}` : `before: ${BEFORE[name]}`;
    process.stdout.write(`${name.padEnd(34)} ${String(figure).padStart(6)}   ${beside}\n`);
  }
}
