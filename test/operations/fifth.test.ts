import { spawn } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { BARE_ENV, follow, type ProgramEnded } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const ROOT = join(import.meta.dirname, "../..");

const REFUNDS = `import * as z from "zod/mini";
import { amount, id, operation, text } from "./operation.ts";

export const refunds = operation({
  name: "refund",
  folder: "refunds",
  method: "refund",
  path: "/v1/shop/refund",
  encrypted: false,
  party: "payee",
  accepted: "Refund taken",
  forms: [
    {
      schema: z.object({
        payee: id({ sensitive: "account", examples: ["CUST-0001", "CUST-0002"], synonyms: "customer" }),
        amount: amount({ examples: ["10.00", "12.50"], synonyms: "amt" }),
        reason: text({ examples: ["returned", "damaged"], synonyms: "refund reason" }),
      }),
      payee: "payee",
    },
  ],
});
`;

/** Calls the library there, as somebody else's program would. */
const CALLER = `
import { createClient } from "./src/index.ts";
import { startSandbox } from "./src/sandbox/server.ts";
const sandbox = await startSandbox({ port: 0 });
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
const { outcome } = await client.refund({ payee: "CUST-7", amount: "0.10", reason: "late" });
await client.close();
console.log(JSON.stringify({ outcome, entries: sandbox.ledger().entries }));
await sandbox.close();
`;

/** The sources, with one file more, and its name in the one list. */
function withRefunds(): string {
  const folder = temporaryDirectory();
  cpSync(join(ROOT, "src"), join(folder, "src"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "src/operations/refunds.ts"), REFUNDS);
  const list = join(folder, "src/operations/index.ts");
  const named = `import { refunds } from "./refunds.ts";\n${readFileSync(list, "utf8")}`;
  writeFileSync(list, named.replace("collections] as const", "collections, refunds] as const"));
  return folder;
}

test(
  "a fifth operation → template, check, run, results and client follow from its file",
  { tags: ["apart"] },
  async () => {
    const folder = withRefunds();
    const paydrop = (...words: readonly string[]): Promise<ProgramEnded> =>
      node(folder, join(folder, "src/bin.ts"), ...words);

    const template = await paydrop("template", "refund");
    expect(template).toMatchObject({ code: 0, stdout: expect.stringMatching(/payee,amount,reason\r?\n/) as string });
    expect(template.stdout).toContain("CUST-0001,10.00,returned");
    const file = join(folder, "refunds.csv");
    writeFileSync(file, "payee,amount,reason,order\nCUST-1,100.10,returned,17\nCUST-2,0,damaged,18\n");

    const checked = await paydrop("check", file, "--json");
    expect(checked.code).toBe(3);
    expect(JSON.parse(checked.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      operation: "refund",
      rows: { total: 2 },
    });
    expect(checked.stdout).toContain('"code":"amount_not_positive"');

    const unknown = join(folder, "unknown.csv");
    writeFileSync(unknown, "account,sum\n1,5\n");
    for (const words of ["--help", "help folder", "help settings", "config example", `check ${unknown}`]) {
      const told = await paydrop(...words.split(" "));
      expect(told.stdout + told.stderr, words).toMatch(/collections.{0,6} (?:and|or) .?refunds/);
    }

    const run = await paydrop("run", "--sandbox", "--json", file);
    expect(run.code, run.stderr).toBe(3);
    const [accepted, invalid] = parse<Record<string, string>>(readFileSync(`${file}.results.csv`, "utf8"), {
      bom: true,
      columns: true,
    });
    expect(accepted).toMatchObject({
      ...{ result_status: "accepted", result_http_status: "200", result_operation: "refund", order: "17" },
      result_response: expect.stringContaining("Refund taken") as string,
    });
    expect(invalid).toMatchObject({ result_status: "invalid", result_operation: "refund" });

    writeFileSync(join(folder, "caller.ts"), CALLER);
    const called = await node(folder, join(folder, "caller.ts"));
    expect(called.code, called.stderr).toBe(0);
    const payload = '{"payee":"CUST-7","amount":0.10,"reason":"late"}';
    expect(JSON.parse(called.stdout)).toMatchObject({
      outcome: "accepted",
      entries: [{ operation: "refund", payload }],
    });
  },
);

function node(folder: string, ...words: readonly string[]): Promise<ProgramEnded> {
  const env = { ...BARE_ENV, HOME: folder };
  return follow(words.join(" "), spawn(process.execPath, words, { env, cwd: folder })).ended;
}
