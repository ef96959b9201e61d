import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { run } from "./child.ts";
import { figure, median, spread, table } from "./figures.ts";
import { makeFile } from "./payment-files.ts";
import { clear, emptyFolder } from "./peers.ts";
import { withService } from "./service.ts";
import { STAGES, type StageName, type StageTime, type StageWish } from "./stage-times.ts";

export type StageTimes = Partial<Record<StageName, StageTime>>;

/** The stages one by one, of option B payouts: where the time of a whole job goes, and what is far from its limit. */
export async function stages(bench: Bench): Promise<{ rows: number; runs: StageTimes[] }> {
  const { rows, repeat } = bench;
  const kind = bench.kinds[0] ?? "payouts-b";
  const runs = await withService({}, async (service) => {
    const found: StageTimes[] = [];
    for (let time = 1; time <= repeat; time += 1) {
      bench.progress(`stages: ${time} of ${repeat}`);
      const folder = emptyFolder(bench.folder, "stages");
      const wish: StageWish = {
        file: makeFile({ folder, kind, rows }),
        url: service.url,
        folder: join(folder, "state"),
      };
      const script = join(import.meta.dirname, "stage-times.ts");
      const { stdout } = await run({ program: process.execPath, operands: [script, JSON.stringify(wish)] });
      found.push(JSON.parse(stdout) as StageTimes);
      clear(folder);
    }
    return found;
  });
  bench.say(`\nStages alone, ${kind}, csv, ${figure(rows)} rows\n\n${stagesTable(rows, runs)}`);
  return { rows, runs };
}

function stagesTable(rows: number, runs: readonly StageTimes[]): string {
  const lines = STAGES.map((stage) => {
    const times = runs.flatMap((one) => one[stage] ?? []);
    const rates = times.map(({ wallMs }) => (rows / wallMs) * 1000);
    const cpu = median(times.map(({ cpuMs }) => (cpuMs / rows) * 1000));
    return [stage, figure(Math.round(median(rates))), spread(rates), figure(cpu)];
  });
  return table(["stage", "rows/s", "spread", "CPU µs/row"], lines);
}
