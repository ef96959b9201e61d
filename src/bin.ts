#!/usr/bin/env node
// No static imports: they would be evaluated before this check and fail on an older Node without a word.
const found = process.versions.node.split(".").map(Number);
const [major = 0, minor = 0] = found;

if (major >= 26 || (major === 24 && minor >= 15)) {
  await import("./cli.ts");
} else {
  process.stderr.write(
    `paydrop: needs Node ^24.15.0 || >=26, found ${process.versions.node} (${process.execPath}). ` +
      "Install Node 24 from https://nodejs.org, or put it first in PATH.\n",
  );
  process.exitCode = 78;
}

export {};
