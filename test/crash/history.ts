/**
 * `npm run histories -- --histories 100 --acts 30 --seed 1`: what people do with files and rows, at random, with a program
 * that is killed now and then, and against a service that keeps its own ledger. They look before they give their word, so
 * no payment may ever be made twice, and in the end none is forgotten; and each new file is judged as README §7 says. Exits
 * 1, with the seed, on any breach.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startService } from "./lives.ts";
import { Office } from "./office.ts";
import { clerkActs, decisionActs, openRows, seeThrough, sendNew } from "./people.ts";

const RATES = { acceptThenReset: 0.08, resetWithoutAccepting: 0.08, acceptThen504: 0.06, refuse: 0.1, slowDown: 0.1 };
/** Nobody is that unlucky. */
const ROUNDS_MAX = 25;

/** What was found wrong, after all that was done before it; empty: nothing. */
export async function history(seed: number, acts: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "paydrop-history-"));
  const service = await startService({ ledger: join(folder, "ledger.jsonl"), seed, rates: RATES, latencyMs: 3 });
  const office = new Office(seed, folder, service);
  try {
    for (let act = 1; act <= acts && office.faults.length === 0; act += 1) await actOnce(office, act);
    office.isDisturbed = false;
    for (let round = 1; office.faults.length === 0 && (await seeThrough(office)); round += 1) {
      const open = openRows(office).map(({ name, state, code }) => `${name} ${state} ${code ?? ""}`);
      if (round === ROUNDS_MAX) office.faults.push(`no end: ${open.join(", ")}`);
    }
  } finally {
    await service.close();
  }
  if (office.faults.length > 0) return [`seed ${seed}, kept in ${folder}`, ...office.done, ...office.faults];
  rmSync(folder, { recursive: true });
  return [];
}

async function actOnce(office: Office, act: number): Promise<void> {
  const young = office.young();
  if (act <= 2 || young.length === 0 || office.dice() < 0.2) return sendNew(office, act);
  const files = clerkActs(office, act, office.pick(young));
  await office.pick(office.pick([files, files, decisionActs(office)]))();
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
