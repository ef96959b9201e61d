import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = join(ROOT, "node_modules/.paydrop-tests");
/** Of sources that were changed since; younger ones may be in use. */
const OLD_MS = 3_600_000;

/**
 * The launcher of the program as it ships: bundled once for the sources as they are now, for a process begins in half the
 * time then. Half of what tests wait for is processes that begin.
 */
export async function builtLauncher(): Promise<string> {
  const built = join(FOLDER, hashOfSources());
  const launcher = join(built, "dist/bin.js");
  if (existsSync(launcher)) return launcher;
  mkdirSync(FOLDER, { recursive: true });
  for (const old of globSync(join(FOLDER, "*")))
    if (Date.now() - statSync(old).mtimeMs > OLD_MS) rmSync(old, { recursive: true, force: true });
  const { build } = await import("rolldown");
  const { default: config } = await import("../../.config/rolldown.config.ts");
  const making = mkdtempSync(join(FOLDER, "making-"));
  const dist = join(making, "dist");
  await build({ ...config, cwd: ROOT, logLevel: "silent", output: Object.assign({}, config.output, { dir: dist }) });
  cpSync(join(ROOT, "src/help"), join(dist, "help"), { recursive: true });
  mkdirSync(join(dist, "pages"), { recursive: true });
  for (const path of globSync("src/pages/*.{css,js}", { cwd: ROOT }))
    copyFileSync(join(ROOT, path), join(dist, "pages", basename(path)));
  // also those whom a test is, for a while
  chmodSync(making, 0o755);
  // by its own name the program finds its version
  copyFileSync(join(ROOT, "package.json"), join(making, "package.json"));
  try {
    renameSync(making, built);
  } catch (error) {
    // another run of the tests was faster
    if (!existsSync(launcher)) throw error;
    rmSync(making, { recursive: true, force: true });
  }
  return launcher;
}

function hashOfSources(): string {
  const files = [
    "package.json",
    "package-lock.json",
    ".config/rolldown.config.ts",
    ...globSync("src/**/*", { cwd: ROOT }),
  ];
  const hash = createHash("sha256");
  for (const file of files.sort()) {
    const path = join(ROOT, file);
    if (statSync(path).isFile()) hash.update(`${file}\n`).update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 16);
}
