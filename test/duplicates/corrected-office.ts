import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openDesk, type Desk } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

export const HEADER = "from_account,to_account,amount,reference";
export const FILE = `${HEADER}\nACC-OPS-01,60200000004471,100.00,R1\nACC-OPS-01,60200000005582,"1,200.00",R2\nACC-OPS-01,60200000006693,300.00,R3\n`;

export interface Office {
  readonly desk: Desk;
  readonly server: wire.FaultServer;
  /** `account amount` of the requests since it was last asked, sorted. */
  readonly sent: () => string[];
}

/** The service refuses what goes to these accounts. */
export async function openOffice(refuses: readonly string[] = ["60200000004471"], status = 422): Promise<Office> {
  const server = await startService(({ body }) =>
    wire.answer(refuses.some((account) => body.includes(account)) ? status : 200),
  );
  const newRequests = wire.newRequestsOf(server);
  const sent = (): string[] =>
    newRequests()
      .map(({ body }) =>
        Object.values(JSON.parse(body) as object)
          .slice(1)
          .join(" "),
      )
      .sort();
  return { desk: openDesk(server.url), server, sent };
}

/** A retry file of rows 2 (refused) and 3 (invalid), and the batch it came from. */
export async function firstRun({ desk, sent }: Office): Promise<{ retry: string; batch: string }> {
  desk.write("payroll.csv", FILE);
  const ended = await desk.run("payroll.csv");
  expect({ code: ended.code, counts: ended.counts }).toEqual({
    code: 3,
    counts: { accepted: 1, rejected: 1, invalid: 1 },
  });
  sent();
  const retry = readFileSync(join(desk.folder, "payroll.csv.retry.csv"), "utf8");
  return { retry, batch: ended.results[0]?.["result_batch"] ?? "" };
}

export async function paydrop(desk: Desk, ...args: string[]): ReturnType<typeof runProgram> {
  return runProgram(args, { env: desk.env, cwd: desk.folder });
}

export const MENDED = '"1,200.00"';
