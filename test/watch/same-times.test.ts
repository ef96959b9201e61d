import { chmodSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as wire from "../support/fault-server.ts";
import { openOffice } from "../support/people.ts";

const EXPORTED = new Date("1980-01-01T00:00:00Z");

test("a file written over in place, as long and with the times of the one before, is another file", async () => {
  const office = await openOffice(() => wire.answer(200), { PAYDROP_SETTLE: "0.1s" });
  const path = join(office.folder, "transfers.csv");
  const sweep = () => office.paydrop("run", "--inbox", office.folder);
  const exported = (account: string): number => {
    writeFileSync(path, `from_account,to_account,amount\n50100271828001,${account},77\n`);
    utimesSync(path, EXPORTED, EXPORTED);
    return statSync(path).ino;
  };
  const inode = exported("60200000000001");
  expect((await sweep()).code).toBe(0);
  // its rights are no content
  chmodSync(path, 0o640);
  expect((await sweep()).code).toBe(0);
  expect(office.server.requests).toHaveLength(1);

  expect(exported("60200000000002")).toBe(inode);
  expect((await sweep()).code).toBe(0);
  expect(office.server.requests.map(({ body }) => /6020\d+/.exec(body)?.[0])).toEqual([
    "60200000000001",
    "60200000000002",
  ]);
  expect((await sweep()).code).toBe(0);
  expect(office.server.requests).toHaveLength(2);
});
