// Run by many-going.test.ts in a process of its own: node many-going.ts FOLDER ROWS
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { chooseRows } from "../../src/commands/release/rows.ts";
import { safeRows } from "../../src/commands/retry.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { NewRow } from "../../src/journal/row-record.ts";

const [folder = "", count = "0"] = process.argv.slice(2);
const rows = Number(count);
const id = "AAAA1111";
const journal = openSqliteJournal(folder, createJudge);
await journal.createBatch({
  ...{ id, environment: "test", destination: "http://127.0.0.1:1", fileName: "pay.csv", folder: "/inbox" },
  ...{ format: "csv", sha256: "a", sizeBytes: 10, choices: "{}", createdAt: Date.now() },
});
await journal.addRows(id, [{ number: 2, faults: [] }]);
for (let from = 3; from < rows + 3; from += 1000) {
  await journal.addRows(id, Array.from({ length: Math.min(1000, rows + 3 - from) }, (_, index) => transfer(from + index))); // prettier-ignore
}
await journal.judgeRows(id, { duplicateDays: 20, allowRepeats: false });
await journal.openBatch(id, { rows: rows + 1, total: "0.00", remarks: [] }, true);

const batch = await journal.batch(id);
if (!batch) throw new Error("the batch is gone");
const asText = { json: false };
const { going } = await chooseRows({ journal, batch, wanted: "all", judged: new Set() }, asText);
const released = await journal.release(id, going.numbers, { by: "asha", kind: "release", note: "meant" });
const again = await safeRows(journal, batch, ["ready"], asText);
const told = { released: released.length, acts: await journal.countActs(id) };
await journal.close();
process.stdout.write(JSON.stringify({ ...told, going: going.text(), again: again.going.text() }));

function transfer(number: number): NewRow {
  return {
    number,
    operation: "transfer",
    amount: "100.00",
    payment: { core: `${number}/100`, beneficiary: `${number}` },
  };
}
