import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { run, start } from "./child.ts";
import { figure, table } from "./figures.ts";
import { acceptUpTo, makePast } from "./past-journal.ts";
import { makeFile } from "./payment-files.ts";
import { clear, emptyFolder, paydropCommand } from "./peers.ts";
import { withService } from "./service.ts";
import { until } from "../support/until.ts";

export interface Past {
  readonly what: string;
  readonly firstRequestMs?: number;
  readonly wallMs: number;
}

/** What a large past costs: the same with a journal of `--past` rows and with an empty one. */
export async function past(bench: Bench): Promise<Past[]> {
  const folder = emptyFolder(bench.folder, "past");
  const [full, empty] = [join(folder, "full"), join(folder, "empty")];
  await makePast(full, bench.past, (done) =>
    bench.progress(`a journal of ${figure(bench.past)} rows: ${figure(done)} are there`),
  );
  const found: Past[] = [];
  for (const [name, stateDir] of [
    ["empty journal", empty],
    ["large past", full],
  ] as const) {
    bench.progress(`a large past: ${name}`);
    // the first start of a journal that nobody has opened since it was written checks more than the next ones
    found.push(await job(bench, `10 rows, first start, ${name}`, stateDir, 10, 1));
    found.push(await job(bench, `10 rows, ${name}`, stateDir, 10, 2));
    found.push(await job(bench, `${figure(bench.rows)} rows, ${name}`, stateDir, bench.rows, 3));
    const status = paydropCommand(bench.program, ["status", "--state-dir", stateDir], "http://127.0.0.1:1");
    found.push({ what: `status, ${name}`, wallMs: (await run(status)).wallMs });
  }
  found.push(await resume(bench, full, Math.ceil(bench.past / 5)));
  clear(folder);
  const lines = found.map(({ what, firstRequestMs, wallMs }) => [
    what,
    firstRequestMs === undefined ? "" : `${figure(firstRequestMs)} ms`,
    `${figure(wallMs)} ms`,
  ]);
  bench.say(`\nA past of ${figure(bench.past)} rows\n\n${table(["", "to first request", "to exit"], lines)}`);
  return found;
}

function job(bench: Bench, what: string, stateDir: string, rows: number, series: number): Promise<Past> {
  return withService({}, async (service) => {
    const folder = emptyFolder(bench.folder, "past-job");
    const file = makeFile({ folder, kind: "payouts-b", rows, series });
    const { wallMs, startedAt } = await run(paydropCommand(bench.program, runOf(stateDir, file), service.url));
    const { firstAt } = await service.counts();
    clear(folder);
    return { what, firstRequestMs: firstAt - startedAt, wallMs };
  });
}

/** A batch of so many rows, killed when all were recorded, then set to where all but one in a thousand have gone. */
function resume(bench: Bench, stateDir: string, rows: number): Promise<Past> {
  return withService({}, async (service) => {
    const folder = emptyFolder(bench.folder, "past-resume");
    const file = makeFile({ folder, kind: "payouts-b", rows, series: 4 });
    bench.progress(`a large past: ${figure(rows)} rows are recorded`);
    await recordOnly(bench, stateDir, file);
    const row = Math.floor(rows * 0.999);
    acceptUpTo(stateDir, row);
    bench.progress(`a large past: resume at row ${figure(row)}`);
    // another server by now
    const operands = [...runOf(stateDir, file), "--accept-destination"];
    const { wallMs, startedAt, stderr } = await start(paydropCommand(bench.program, operands, service.url)).ended;
    const { firstAt, requests } = await service.counts();
    if (requests === 0) throw new Error(`the resumed run sent nothing\n${stderr}`);
    clear(folder);
    return { what: `resume of ${figure(rows)} rows at ${figure(row)}`, firstRequestMs: firstAt - startedAt, wallMs };
  });
}

/** The first row goes alone: while its answer does not come, all are recorded and none is sent but that one. */
function recordOnly(bench: Bench, stateDir: string, file: string): Promise<void> {
  return withService({ delayMs: 3_600_000 }, async (service) => {
    const { child, ended } = start(paydropCommand(bench.program, runOf(stateDir, file), service.url));
    await until("the first request", async () => (await service.counts()).requests > 0, { by: ended });
    child.kill("SIGKILL");
    await ended;
  });
}

function runOf(stateDir: string, file: string): string[] {
  return ["run", "--state-dir", stateDir, file];
}
