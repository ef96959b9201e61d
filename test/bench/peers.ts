import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "./child.ts";
import { PAYDROP_KEYS } from "./keys.ts";
import { type FileWish, makeFile, PATH_OF } from "./payment-files.ts";
import { writeBodies } from "./peers/bodies.ts";

export const LANES = 50;
export const PEERS = ["paydrop", "undici", "usual", "aiohttp", "parallel"] as const;
export type PeerName = (typeof PEERS)[number];

export interface Peer {
  readonly title: string;
  /** What is missing on this machine to run it, or undefined. */
  readonly missing?: () => string | undefined;
  /** So few rows at most, because it is slow; the figures are per row all the same. */
  readonly rowsMax?: number;
  /** Its rate is the server's from first request to last answer: what came before is not part of what it stands for. */
  readonly isOnlySending?: true;
  /** Prepares what it needs and gives the command; called anew before each repetition. */
  readonly prepare: (wish: FileWish, url: string, program: string) => Command;
}

const IN_PEERS = join(import.meta.dirname, "peers");
const PYTHON = process.env["PYTHON"] ?? "python3";

/** paydrop as a person starts it. `program`: the launcher of a build; `settings`: further variables. */
export function paydropCommand(
  program: string,
  operands: readonly string[],
  url: string,
  settings: Command["env"] = {},
): Command {
  const env = { ...PAYDROP_KEYS, PAYDROP_BASE_URL: url, PAYDROP_CONCURRENCY: String(LANES), ...settings };
  return { program: process.execPath, operands: [program, ...operands], env };
}

/** A new empty folder inside this one. */
export function emptyFolder(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  return mkdtempSync(join(folder, `${name}-`));
}

export const PEER: Readonly<Record<PeerName, Peer>> = {
  paydrop: {
    title: "paydrop run",
    prepare: (wish, url, program) => {
      const folder = emptyFolder(wish.folder, "paydrop");
      const operands = ["run", "--state-dir", join(folder, "state"), makeFile({ ...wish, folder })];
      return paydropCommand(program, operands, url);
    },
  },
  undici: {
    title: "bare undici loop",
    isOnlySending: true,
    prepare: (wish, url) => {
      const folder = emptyFolder(wish.folder, "undici");
      const bodies = join(folder, "bodies.txt");
      const path = PATH_OF[wish.kind];
      writeBodies(makeFile({ ...wish, folder, format: "jsonl" }), bodies, path.includes("payouts"));
      return node("bare-undici.ts", [bodies, url, path]);
    },
  },
  usual: {
    title: "usual script (fetch)",
    prepare: (wish, url) => node("usual-script.ts", [makeIn(wish, "usual"), url, PATH_OF[wish.kind]]),
  },
  aiohttp: {
    title: "Python aiohttp",
    missing: () => (works(PYTHON, ["-c", "import aiohttp, cryptography"]) ? undefined : "aiohttp and cryptography"),
    rowsMax: 10_000,
    prepare: (wish, url) => {
      const script = join(IN_PEERS, "aiohttp_script.py");
      const file = makeIn({ ...wish, format: "csv" }, "aiohttp");
      return {
        program: PYTHON,
        operands: [script, file, url, PATH_OF[wish.kind], String(LANES)],
        env: { ...PAYDROP_KEYS, HOME: process.env["HOME"] ?? "/" },
      };
    },
  },
  parallel: {
    title: "GNU parallel, curl",
    missing: () => ["parallel", "curl", "openssl"].filter((name) => !works(name, ["--version"], ["version"])).join(", ") || undefined, // prettier-ignore
    rowsMax: 200,
    prepare: (wish, url) => {
      const file = makeIn({ ...wish, format: "jsonl" }, "parallel");
      const script = join(IN_PEERS, "send-one.sh");
      const env = { ...PAYDROP_KEYS, HOME: emptyFolder(wish.folder, "home") };
      const operands = ["--will-cite", "-j", String(LANES), "-a", file, "sh", script, url + PATH_OF[wish.kind]];
      return { program: "parallel", operands, env };
    },
  },
};

/** Removes what the repetitions left. */
export function clear(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function makeIn(wish: FileWish, name: string): string {
  return makeFile({ ...wish, folder: emptyFolder(wish.folder, name) });
}

function node(script: string, operands: readonly string[]): Command {
  return { program: process.execPath, operands: [join(IN_PEERS, script), ...operands, String(LANES)] };
}

function works(program: string, ...tries: readonly (readonly string[])[]): boolean {
  return tries.some((operands) => spawnSync(program, operands, { stdio: "ignore" }).status === 0);
}
