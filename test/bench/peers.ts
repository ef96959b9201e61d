import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "./child.ts";
import { PAYDROP_KEYS } from "./keys.ts";
import { type FileWish, makeFile, PATH_OF } from "./payment-files.ts";
import { writeBodies } from "./peers/bodies.ts";

export const LANES = 50;
export const PEERS = ["paydrop", "undici", "usual"] as const;
export type PeerName = (typeof PEERS)[number];

export interface Peer {
  readonly title: string;
  /** Its rate is the server's from first request to last answer: what came before is not part of what it stands for. */
  readonly isOnlySending?: true;
  /** Prepares what it needs and gives the command; called anew before each repetition. */
  readonly prepare: (wish: FileWish, url: string, program: string) => Command;
}

const IN_PEERS = join(import.meta.dirname, "peers");

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
