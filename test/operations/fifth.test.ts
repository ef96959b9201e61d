import { spawn } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { BARE_ENV, follow, type ProgramEnded } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const ROOT = join(import.meta.dirname, "../..");

const VOUCHERS = `import * as z from "zod/mini";
import { amount, id, operation, text } from "./operation.ts";

export const vouchers = operation({
  name: "voucher",
  folder: "vouchers",
  method: "giveVoucher",
  path: "/v1/shop/voucher",
  encrypted: false,
  party: "payee",
  accepted: "Voucher taken",
  forms: [
    {
      schema: z.object({
        payee: id({ sensitive: "account", examples: ["CUST-0001", "CUST-0002"], synonyms: "customer" }),
        amount: amount({ examples: ["10.00", "12.50"], synonyms: "amt" }),
        reason: text({ examples: ["returned", "damaged"], synonyms: "voucher reason" }).check(z.maxLength(12)),
        shop: z.optional(id({ examples: ["S-01", "S-02"], synonyms: "shop number" }).check(z.regex(/^S-[0-9]{2}$/))),
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
const { outcome } = await client.giveVoucher({ payee: "CUST-7", amount: "0.10", reason: "late" });
await client.close();
console.log(JSON.stringify({ outcome, entries: sandbox.ledger().entries }));
await sandbox.close();
`;

/** The sources, with one file more, and its name in the one list. */
function withVouchers(): string {
  const folder = temporaryDirectory();
  cpSync(join(ROOT, "src"), join(folder, "src"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "src/operations/vouchers.ts"), VOUCHERS);
  const list = join(folder, "src/operations/index.ts");
  const named = readFileSync(list, "utf8").replace(/^(const ALL = \[.+)\] as const;$/m, "$1, vouchers] as const;");
  expect(named, "the one list of operations").toContain(", vouchers] as const;");
  writeFileSync(list, `import { vouchers } from "./vouchers.ts";\n${named}`);
  return folder;
}

test(
  "a fifth operation → template, check, run, results and client follow from its file",
  { tags: ["apart"] },
  async () => {
    const folder = withVouchers();
    const paydrop = (...words: readonly string[]): Promise<ProgramEnded> =>
      node(folder, join(folder, "src/bin.ts"), ...words);

    const template = await paydrop("template", "voucher");
    expect(template).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/payee,amount,reason,shop\r?\n/) as string,
    });
    expect(template.stdout).toContain("CUST-0001,10.00,returned,S-01");
    const file = join(folder, "vouchers.csv");
    writeFileSync(file, "payee,amount,reason,order\nCUST-1,100.10,returned,17\nCUST-2,0,damaged,18\n");

    const checked = await paydrop("check", file, "--json");
    expect(checked.code).toBe(3);
    expect(JSON.parse(checked.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      operation: "voucher",
      rows: { total: 2 },
    });
    expect(checked.stdout).toContain('"code":"amount_not_positive"');

    const wrong = join(folder, "wrong.csv");
    writeFileSync(wrong, "payee,amount,reason,shop\nCUST-3,1,far too long a word,S-01\nCUST-4,1,late,Shop 1\n");
    const { stdout } = await paydrop("check", wrong);
    expect(stdout).toMatch(/row 2, column reason .*has 19 characters; at most 12 are allowed/);
    expect(stdout).toMatch(/row 3, column shop .*"Shop 1" does not have the form S-\[0-9\]\{2\}/);

    const unknown = join(folder, "unknown.csv");
    writeFileSync(unknown, "account,sum\n1,5\n");
    for (const words of ["--help", "help folder", "help settings", "config example", `check ${unknown}`]) {
      const told = await paydrop(...words.split(" "));
      expect(told.stdout + told.stderr, words).toMatch(/ (?:and|or) .?vouchers/);
    }

    const run = await paydrop("run", "--sandbox", "--json", file);
    expect(run.code, run.stderr).toBe(3);
    const [accepted, invalid] = parse<Record<string, string>>(readFileSync(`${file}.results.csv`, "utf8"), {
      bom: true,
      columns: true,
    });
    expect(accepted).toMatchObject({
      ...{ result_status: "accepted", result_http_status: "200", result_operation: "voucher", order: "17" },
      result_response: expect.stringContaining("Voucher taken") as string,
    });
    expect(invalid).toMatchObject({ result_status: "invalid", result_operation: "voucher" });

    writeFileSync(join(folder, "caller.ts"), CALLER);
    const called = await node(folder, join(folder, "caller.ts"));
    expect(called.code, called.stderr).toBe(0);
    const payload = '{"payee":"CUST-7","amount":0.10,"reason":"late"}';
    expect(JSON.parse(called.stdout)).toMatchObject({
      outcome: "accepted",
      entries: [{ operation: "voucher", payload }],
    });
  },
);

function node(folder: string, ...words: readonly string[]): Promise<ProgramEnded> {
  const env = { ...BARE_ENV, HOME: folder };
  return follow(words.join(" "), spawn(process.execPath, words, { env, cwd: folder })).ended;
}
