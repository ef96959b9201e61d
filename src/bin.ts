#!/usr/bin/env node
// No static imports: they would be evaluated before this check and fail on an older Node without a word.
const found = process.versions.node.split(".").map(Number);
const [major = 0, minor = 0] = found;

// Node would open its debugger to every user of this machine: through it the keys can be read
process.on("SIGUSR1", () => undefined);

// the first process of a container ignores every signal that it does not listen for: without this it would go on until
// it is killed, with rows in flight
if (process.pid === 1) {
  for (const [name, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(code);
    });
  }
}

/** What is compiled is kept for the next start, in a folder that nobody but this user writes to: what lies there is run. */
function keepCompiled(): void {
  const { XDG_CACHE_HOME: caches, HOME: home, NODE_COMPILE_CACHE: said } = process.env;
  const base = caches || home;
  if (!base || said !== undefined) return;
  const folder = caches ? `${base}/paydrop` : `${base}/.cache/paydrop`;
  try {
    const { mkdirSync, lstatSync, statSync } = process.getBuiltinModule("node:fs");
    const me = process.getuid?.();
    // root with somebody else's home would leave there what they cannot write to
    if (statSync(base).uid !== me) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const isOwn = found.isDirectory() && found.uid === me && (found.mode & 0o022) === 0;
    if (isOwn) process.getBuiltinModule("node:module").enableCompileCache(folder);
  } catch {
    // without it a start takes longer
  }
}

/** Scripts ask for nothing else, and often: nothing of the program is loaded for it. */
function tellVersion(): void {
  const path = new URL("../package.json", import.meta.url);
  const { version } = JSON.parse(process.getBuiltinModule("node:fs").readFileSync(path, "utf8")) as { version: string };
  process.stdout.write(`${version}\n`);
}

if (major >= 26 || (major === 24 && minor >= 15)) {
  if (process.argv.length === 3 && process.argv[2] === "--version") tellVersion();
  else {
    keepCompiled();
    await import("./cli.ts");
  }
} else {
  process.stderr.write(
    `paydrop: needs Node ^24.15.0 || >=26, found ${process.versions.node} (${process.execPath}). ` +
      "Install Node 24 from https://nodejs.org, or put it first in PATH.\n",
  );
  process.exitCode = 78;
}

export {};
