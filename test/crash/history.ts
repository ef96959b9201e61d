/**
 * `npm run histories -- --histories 100 --acts 30 --seed 1`: what people do with files and rows, at random (`office.ts`),
 * against services that keep their own ledgers. They look before they give their word, so no payment may ever be made
 * twice, and in the end none is forgotten. Exits 1, with the seed, on any breach of DESIGN §3.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Office } from "./office.ts";
import { startServices } from "./two-services.ts";

const RATES = { acceptThenReset: 0.08, resetWithoutAccepting: 0.08, acceptThen504: 0.06, refuse: 0.1, slowDown: 0.1 };

/** What was found wrong, after all that was done before it; empty: nothing. */
export async function history(seed: number, acts: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "paydrop-history-"));
  const services = await startServices(folder, seed, RATES);
  const office = new Office(seed, folder, services);
  try {
    for (let act = 1; act <= acts && office.faults.length === 0; act += 1) await office.act(act);
    for (let round = 1; office.faults.length === 0 && (await office.seeThrough(round)); round += 1);
    if (office.faults.length === 0) await office.read();
  } finally {
    await services.close();
  }
  if (office.faults.length > 0) return [`seed ${seed}, kept in ${folder}`, ...office.done, ...office.faults];
  rmSync(folder, { recursive: true });
  return [];
}

async function main(): Promise<void> {
  const option = (value: string): { type: "string"; default: string } => ({ type: "string", default: value });
  const { values } = parseArgs({ options: { histories: option("20"), acts: option("30"), seed: option("1") } });
  for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.histories); seed += 1) {
    const faults = await history(seed, Number(values.acts));
    process.stdout.write(`seed ${seed}: ${faults.length === 0 ? "nothing found" : faults.join("\n")}\n`);
    if (faults.length > 0) process.exitCode = 1;
  }
}

if (process.argv[1] === import.meta.filename) await main();
