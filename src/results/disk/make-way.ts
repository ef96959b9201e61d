/** What lies where a file of ours is to lie: ours of another batch is moved aside, nobody else's is touched. */
import { PaydropError } from "../../errors.ts";
import { nameOfBatch } from "../names.ts";
import { renameDurably } from "./on-disk.ts";
import { describeForeign, type Standing, type WrittenMemory } from "./own.ts";

export interface Move {
  readonly from: string;
  readonly to: string;
  /** What was noted of the file, to be noted for its new name too. */
  readonly sha256?: string;
}

export type Look = (path: string) => Promise<Standing>;

/** `undefined`: free, or ours of the same batch and simply replaced. */
export async function makeWay(path: string, batchId: string, look: Look): Promise<Move | undefined> {
  const standing = await look(path);
  if (standing.kind === "foreign") throw inTheWay(path, standing.why);
  if (standing.kind === "free" || standing.batch === batchId) return undefined;
  return moveAside(path, standing, look);
}

export async function moveAside(path: string, standing: Standing & { kind: "ours" }, look: Look): Promise<Move> {
  const to = nameOfBatch(path, standing.batch);
  const there = await look(to);
  if (there.kind === "foreign") throw inTheWay(to, there.why);
  return { from: path, to, ...(standing.sha256 === undefined ? {} : { sha256: standing.sha256 }) };
}

export async function moveOut({ from, to, sha256 }: Move, memory: Pick<WrittenMemory, "noteWritten">): Promise<void> {
  // Noted first: a watcher must never take our own file under its new name for a person's.
  if (sha256 !== undefined) await memory.noteWritten(to, sha256);
  await renameDurably(from, to);
}

/** Something that is not ours lies where a file of ours is to lie: only a person can move it away. */
export class InTheWayError extends PaydropError {}

export function inTheWay(path: string, why: string): InTheWayError {
  return new InTheWayError(
    "results_unwritable",
    describeForeign(path, why),
    "move it away or give it another name, then write the results again with paydrop results",
  );
}
