import { spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/paydrop.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const PROGRAM = `
import { createClient, processFile } from "./dist/index.js";
import { startSandbox } from "./dist/sandbox/server.js";
const sandbox = await startSandbox({ port: 0 });
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
const { outcome } = await client.transfer({ from_account: "A", to_account: "B", amount: "1.00" });
const said: "accepted" | "rejected" | "unknown" | "not_sent" = outcome;
const rows: number | undefined = (await processFile("a.csv", { sandbox })).byStatus.unknown?.rows;
console.log(said, rows);
`;

test("a strict project that names no types of its own compiles with ours, nothing left out", () => {
  const folder = temporaryFolder();
  const tsc = (...words: string[]): string =>
    spawnSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), ...words], {
      cwd: folder,
      encoding: "utf8",
    }).stdout;
  tsc("-p", join(ROOT, ".config/tsconfig.build.json"), "--outDir", join(folder, "dist"), "--emitDeclarationOnly");
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  expect(tsc("--strict", "--noEmit", "--module", "nodenext", "--target", "es2024", "program.ts")).toBe("");
});
