// Somebody else's program, compiled against the packed package and then run (.ci/pack-check).
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileRefusedError, PaydropError, checkFile, createClient, encryptPayload, processFile, watchFolder } from "paydrop"; // prettier-ignore
import type { BatchReport, CallResult, Client, RunEvent, WatchedFolder } from "paydrop";
import { startSandbox } from "paydrop/sandbox";
import type { Sandbox } from "paydrop/sandbox";

const sandbox: Sandbox = await startSandbox({ port: 0 });
const { url: baseUrl, apiKey, aesKey, aesIv } = sandbox;

const client: Client = createClient({ baseUrl, apiKey, aesKey, aesIv, timeoutMs: 5_000 });
const result: CallResult = await client.payout({
  debit_account_id: "ACC-1",
  bene_id: "BENE-1",
  bene_bank_id: 11,
  amount: "2500.00",
  payment_mode: "NEFT",
});
// @ts-expect-error an amount is decimal text, never a float
const refused: unknown = await client.transfer({ from_account: "A", to_account: "B", amount: 2500 }).catch((e) => e);
await client.close();

const folder = mkdtempSync(join(tmpdir(), "paydrop-consumer-"));
const path = join(folder, "transfers.csv");
writeFileSync(path, "from_account,to_account,amount\nACC-1,ACC-2,2500.00\n");
const statuses: string[] = [];
const onEvent = (event: RunEvent): void => {
  if (event.type === "row") statuses.push(event.status);
};
const checked = await checkFile(path, { stateDir: join(folder, "state") });
const report: BatchReport = await processFile(path, { sandbox, stateDir: join(folder, "state"), onEvent });

const inbox = mkdtempSync(join(tmpdir(), "paydrop-consumer-"));
writeFileSync(join(inbox, "dropped.csv"), "from_account,to_account,amount\nACC-1,ACC-3,2.00\n");
const dropped = Promise.withResolvers<BatchReport>();
const watched: WatchedFolder = await watchFolder(inbox, { sandbox, settleMs: 100, onReport: dropped.resolve });
const droppedReport = await dropped.promise;
await watched.close();
await sandbox.close();

const facts = [
  result.outcome === "accepted" && result.status === 200,
  refused instanceof PaydropError && !(refused instanceof FileRefusedError) && refused.code === "usage",
  encryptPayload("{}", { aesKey, aesIv }).length === 32,
  checked.total.amount === "2500.00" && checked.invalidCount === 0,
  report.exitCode === 0 && report.byStatus.accepted?.amount === "2500.00",
  statuses.join() === "accepted",
  droppedReport.requests === 1 && droppedReport.exitCode === 0,
  readFileSync(`${path}.results.csv`, "utf8").includes("accepted"),
];
if (facts.includes(false)) throw new Error(`a fact is not as it must be: ${facts.join(" ")}`);
