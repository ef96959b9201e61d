import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { proposalOf } from "../../src/commands/doctor-answers.ts";
import { answer } from "../support/fault-server.ts";
import { paydrop, temporaryFolder } from "../support/paydrop.ts";
import { startService } from "../support/service.ts";

test.each([
  [
    ['{"status":"SUCCESS","id":"p1"}', '{"status":"PENDING","id":"p2"}'],
    { field: "status", values: ["PENDING", "SUCCESS"] },
  ],
  [['{"code":200,"data":{"txnStatus":"OK"}}'], { field: "data.txnStatus", values: ["OK"] }],
  [['{"status":"SUCCESS","note":"cut'], { field: "status", values: ["SUCCESS"] }],
  [['{"status":"SUCCESS"}', '{"id":"p2"}'], undefined],
  [["a", "b", "c", "d", "e"].map((state) => `{"status":"${state}"}`), undefined],
  [["OK"], undefined],
  [[], undefined],
])("answers of rows that were taken %j → %j", (answers, proposal) => {
  expect(proposalOf(answers)).toEqual(proposal);
});

test("doctor proposes what yes looks like; written down, another 2xx is unknown", async () => {
  const server = await startService(({ number }) => answer(200, { status: number < 3 ? "SUCCESS" : "QUEUED" }));
  const folder = temporaryFolder();
  const config = join(folder, "paydrop.toml");
  writeFileSync(config, "");
  const env = {
    ...{ PAYDROP_BASE_URL: server.url, PAYDROP_API_KEY: "0123456789", PAYDROP_CONCURRENCY: "1" },
    ...{ PAYDROP_STATE_DIR: join(folder, "state"), PAYDROP_CONFIG: config },
  };
  const run = (name: string, payees: readonly string[]) => {
    const rows = payees.map((payee) => `ACC-OPS-01,${payee},10.00`);
    writeFileSync(join(folder, name), ["from_account,to_account,amount", ...rows, ""].join("\n"));
    return paydrop(["run", join(folder, name), "--operation", "transfer"], env);
  };
  expect((await run("first.csv", ["ACC-FIELD-02", "ACC-TAX-03"])).code).toBe(0);
  const { stdout } = await paydrop(["doctor", "--offline"], env);
  const proposed = /\[answers\.transfer\] field = "status", accepted = \["SUCCESS"\]/.exec(stdout)?.[0] ?? "";
  expect(proposed, stdout).not.toBe("");

  writeFileSync(config, proposed.replace(/\] field/, "]\nfield").replace(", accepted", "\naccepted"));
  const { code, stdout: told } = await run("second.csv", ["ACC-RENT-04"]);
  expect(code, told).toBe(4);
  expect((await paydrop(["doctor", "--offline"], env)).stdout).toContain("taken when status is SUCCESS");
});
