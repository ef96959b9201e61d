import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { now, start } from "./child.ts";
import { figure, median } from "./figures.ts";
import { makeFile } from "./payment-files.ts";
import { clear, emptyFolder, paydropCommand } from "./peers.ts";
import { withService } from "./service.ts";
import { until } from "../support/until.ts";

const SMALL_ROWS = 10;
const SETTLE_MS = 100;
/** So that the large file is under way for long enough. */
const DELAY_MS = 5;
/** In the account of every row of the small file, which travels in plain. */
const MARK = '"to_account":"0090000';

export interface Fair {
  /** From the drop of the small file to its first request; `settle` is part of it. */
  readonly firstRequestMs: number;
  /** Of the large one, when the small one began. */
  readonly largeSent: number;
  readonly largeRows: number;
}

/** A small file dropped while a large one is being sent: how long it waits for its first request. */
export async function fair(bench: Bench): Promise<Fair[]> {
  const found: Fair[] = [];
  for (let time = 1; time <= bench.repeat; time += 1) {
    bench.progress(`fairness: ${time} of ${bench.repeat}`);
    found.push(await measure(bench));
  }
  const waits = median(found.map((one) => one.firstRequestMs));
  const sent = median(found.map((one) => one.largeSent / one.largeRows));
  bench.say(
    `\nFairness: ${SMALL_ROWS} rows dropped while ${figure(bench.rows)} are sent: first request after ${figure(waits)} ms ` +
      `(${SETTLE_MS} ms of it settle), when ${figure(sent * 100)} % of the large file had gone`,
  );
  return found;
}

function measure(bench: Bench): Promise<Fair> {
  return withService({ delayMs: DELAY_MS }, async (service) => {
    const folder = emptyFolder(bench.folder, "fair");
    const inbox = join(folder, "inbox");
    for (const name of ["payouts", "transfers"]) mkdirSync(join(inbox, name), { recursive: true });
    const small = makeFile({ folder, kind: "transfers", rows: SMALL_ROWS });
    makeFile({ folder: join(inbox, "payouts"), kind: "payouts-b", rows: bench.rows });
    const operands = ["watch", "--state-dir", join(folder, "state"), inbox];
    await service.reset(MARK);
    const { child, ended } = start(
      paydropCommand(bench.program, operands, service.url, { PAYDROP_SETTLE: `${SETTLE_MS}ms` }),
    );
    await until("some rows", async () => (await service.counts()).requests >= bench.rows / 20, { by: ended });
    const droppedAt = now();
    renameSync(small, join(inbox, "transfers", "small.csv"));
    await until("the small file", async () => (await service.counts()).markAt > 0, { by: ended });
    const { requests, markAt } = await service.counts();
    child.kill("SIGTERM");
    await ended;
    clear(folder);
    return { firstRequestMs: markAt - droppedAt, largeSent: Math.min(requests, bench.rows), largeRows: bench.rows };
  });
}
