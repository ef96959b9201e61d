/**
 * `npm run bench -- [--rows 100000] [--repeat 3] [--operation payouts-b,transfers] [--format csv,json]
 * [--peers paydrop,undici] [--json]`: paydrop against what people would use instead. `--all` for every measurement, or
 * by name: `--whole --stages --latency --memory --small --past 5000000 --loop --fair`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { FORMATS, type Format, type Kind, KINDS } from "./payment-files.ts";
import { PEERS, type PeerName } from "./peers.ts";
import { whole } from "./whole.ts";

/** What every measurement is told. */
export interface Bench {
  readonly rows: number;
  readonly repeat: number;
  readonly kinds: readonly Kind[];
  readonly formats: readonly Format[];
  readonly peers: readonly PeerName[];
  /** The launcher that is measured: of this build, or of another one to compare with. */
  readonly program: string;
  /** A folder to work in, on a disk whose syncs count. */
  readonly folder: string;
  /** A finished part of the report. */
  readonly say: (text: string) => void;
  /** What is going on, for whoever waits. */
  readonly progress: (text: string) => void;
}

const MODES = { whole } as const;
type Mode = keyof typeof MODES;

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: "string", default: "100000" },
      repeat: { type: "string", default: "3" },
      operation: { type: "string", default: KINDS.join() },
      format: { type: "string", default: FORMATS.join() },
      peers: { type: "string", default: PEERS.join() },
      program: { type: "string", default: join(import.meta.dirname, "../../dist/bin.js") },
      folder: { type: "string", default: tmpdir() },
      json: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      whole: { type: "boolean", default: false },
    },
  });
  const folder = mkdtempSync(join(values.folder, "paydrop-bench-"));
  const bench: Bench = {
    rows: Number(values.rows),
    repeat: Number(values.repeat),
    kinds: chosen(KINDS, values.operation),
    formats: chosen(FORMATS, values.format),
    peers: chosen(PEERS, values.peers),
    program: resolve(values.program),
    folder,
    say: (text) => values.json || process.stdout.write(`${text}\n`),
    progress: (text) => process.stderr.isTTY && process.stderr.write(`\r\x1b[2K${text}\r`),
  };
  const asked = (Object.keys(MODES) as Mode[]).filter((mode) => values.all || values[mode]);
  const report: Partial<Record<Mode, unknown>> = {};
  try {
    for (const mode of asked.length > 0 ? asked : ["whole" as const]) report[mode] = await MODES[mode](bench);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}

function chosen<Name extends string>(names: readonly Name[], text: string): Name[] {
  return text.split(",").map((word) => {
    const name = names.find((one) => one === word);
    if (name === undefined) throw new Error(`no such thing: ${word} (there are ${names.join(", ")})`);
    return name;
  });
}
