import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { start } from "./child.ts";
import { figure, megabytes, table } from "./figures.ts";
import { type Format, makeFile } from "./payment-files.ts";
import { clear, emptyFolder, paydropCommand } from "./peers.ts";
import { withService } from "./service.ts";

export interface Memory {
  readonly command: "check" | "run";
  readonly format: Format;
  readonly rows: number;
  readonly peakBytes: number | undefined;
  readonly wallMs: number;
}

/** One row in a hundred repeats the one before it, so that duplicates are held and reported as well. */
const REPEAT_EVERY = 100;
/** Some rows are held. */
const EXIT_HELD = 6;
/** More than this is checked only: a run of it takes long and uses nothing that a smaller one does not. */
const RUN_ROWS_MAX = 1_000_000;

/** Peak memory of `check` and `run`: it must not grow with the file. Each format is told when it is done. */
export async function memory(bench: Bench): Promise<Memory[]> {
  const found: Memory[] = [];
  for (const format of bench.formats) {
    const ofFormat = await memoryOf(bench, format);
    const lines = ofFormat.map(({ command, rows, peakBytes, wallMs }) => [
      `${command} ${format}`,
      figure(rows),
      megabytes(peakBytes),
      `${figure(wallMs / 1000)} s`,
    ]);
    bench.say(`\nMemory, option B payouts, 1 % repeated\n\n${table(["", "rows", "peak", "took"], lines)}`);
    found.push(...ofFormat);
  }
  return found;
}

async function memoryOf(bench: Bench, format: Format): Promise<Memory[]> {
  const found: Memory[] = [];
  for (const rows of bench.sizes) {
    for (const command of ["check", "run"] as const) {
      if (command === "run" && rows > RUN_ROWS_MAX) continue;
      bench.progress(`memory: ${command} of ${figure(rows)} rows, ${format}`);
      found.push(await measure(bench, command, format, rows));
    }
  }
  return found;
}

function measure(bench: Bench, command: "check" | "run", format: Format, rows: number): Promise<Memory> {
  return withService({}, async ({ url }) => {
    const folder = emptyFolder(bench.folder, "memory");
    try {
      const file = makeFile({ folder, kind: "payouts-b", rows, format, repeatEvery: REPEAT_EVERY });
      const operands = [command, "--state-dir", join(folder, "state"), file];
      const { code, stderr, peakBytes, wallMs } = await start(paydropCommand(bench.program, operands, url)).ended;
      if (code !== 0 && code !== EXIT_HELD) throw new Error(`${command} ended with ${String(code)}\n${stderr}`);
      return { command, format, rows, peakBytes, wallMs };
    } finally {
      clear(folder);
    }
  });
}
