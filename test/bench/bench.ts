/**
 * `npm run bench -- [--rows 100000] [--repeat 3] [--operation payouts-b,transfers] [--format csv,json]
 * [--peers paydrop,undici] [--json]`: paydrop against what people would use instead. Other
 * measurements by their flags: `--whole --latency --memory --small --hosts 1,2,4 --batches [--ended 100000] --find --reconcile --desk`, or `--all`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { batches } from "./batches.ts";
import { desk } from "./desk.ts";
import { find } from "./find.ts";
import { hosts } from "./hosts.ts";
import { latency } from "./latency.ts";
import { memory } from "./memory.ts";
import { FORMATS, type Format, type Kind, KINDS } from "./payment-files.ts";
import { PEERS, type PeerName } from "./peers.ts";
import { reconcile } from "./reconcile.ts";
import { small } from "./small.ts";
import { whole } from "./whole.ts";

/** What every measurement is told. */
export interface Bench {
  readonly rows: number;
  readonly repeat: number;
  readonly kinds: readonly Kind[];
  readonly formats: readonly Format[];
  readonly peers: readonly PeerName[];
  /** With the other kinds and formats: by itself only the two that tell whether one of them falls behind. */
  readonly peersElsewhere: readonly PeerName[];
  /** Memory: rows of the files. */
  readonly sizes: readonly number[];
  /** Slow answers: how long each run takes at best. */
  readonly seconds: number;
  /** Small files: how often one is run, and how many are dropped. */
  readonly times: number;
  readonly files: number;
  /** How many hosts share a file. */
  readonly hosts: readonly number[];
  /** Ended batches beside what is sent. */
  readonly batches: number;
  /** The launcher that is measured: of this build, or of another one to compare with. */
  readonly program: string;
  /** A folder to work in, on a disk whose syncs count. */
  readonly folder: string;
  /** A finished part of the report. */
  readonly say: (text: string) => void;
  /** What is going on, for whoever waits. */
  readonly progress: (text: string) => void;
}

const MODES = { whole, latency, memory, small, hosts, batches, find, reconcile, desk } as const;
type Mode = keyof typeof MODES;
const DEFAULT_MODES: readonly Mode[] = ["whole"];

const OPTIONS = {
  rows: { type: "string", default: "100000" },
  repeat: { type: "string", default: "3" },
  operation: { type: "string", default: KINDS.join() },
  format: { type: "string", default: FORMATS.join() },
  peers: { type: "string" },
  sizes: { type: "string", default: "100000,1000000,5000000" },
  seconds: { type: "string", default: "15" },
  times: { type: "string", default: "20" },
  files: { type: "string", default: "2000" },
  program: { type: "string", default: join(import.meta.dirname, "../../dist/bin.js") },
  folder: { type: "string", default: tmpdir() },
  json: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  whole: { type: "boolean", default: false },
  latency: { type: "boolean", default: false },
  memory: { type: "boolean", default: false },
  small: { type: "boolean", default: false },
  hosts: { type: "string" },
  batches: { type: "boolean", default: false },
  ended: { type: "string", default: "100000" },
  find: { type: "boolean", default: false },
  reconcile: { type: "boolean", default: false },
  desk: { type: "boolean", default: false },
} as const;

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const folder = mkdtempSync(join(values.folder, "paydrop-bench-"));
  const bench: Bench = {
    rows: amount("rows", values.rows),
    repeat: amount("repeat", values.repeat),
    kinds: chosen(KINDS, values.operation),
    formats: chosen(FORMATS, values.format),
    peers: chosen(PEERS, values.peers ?? PEERS.join()),
    peersElsewhere: chosen(PEERS, values.peers ?? "paydrop,undici"),
    sizes: values.sizes.split(",").map((size) => amount("sizes", size)),
    seconds: amount("seconds", values.seconds),
    times: amount("times", values.times),
    files: amount("files", values.files),
    hosts: (values.hosts ?? "1,2,4").split(",").map((count) => amount("hosts", count)),
    batches: amount("ended", values.ended),
    program: resolve(values.program),
    folder,
    say: (text) => values.json || process.stdout.write(`${text}\n`),
    progress: (text) => process.stderr.isTTY && process.stderr.write(`\r\x1b[2K${text}\r`),
  };
  const asked = (Object.keys(MODES) as Mode[]).filter((mode) => values.all || values[mode]);
  const report: Partial<Record<Mode, unknown>> = {};
  try {
    for (const mode of asked.length > 0 ? asked : DEFAULT_MODES) report[mode] = await MODES[mode](bench);
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

function amount(flag: string, text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new Error(`--${flag} ${text} is no number above 0`);
}
