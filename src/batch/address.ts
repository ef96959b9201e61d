import { join } from "node:path";
import { PaydropError } from "../errors.ts";
import type { BatchRecord, Environment } from "../journal/batch-record.ts";
import { asWord } from "../text/printable.ts";
import { SANDBOX } from "../results/words/next-steps.ts";
import type { Ground } from "./ground.ts";

/**
 * To be called before a batch is made. What was sent to an address is remembered with its environment of then: under
 * another one all of it would be new, and go again (I1). Gives that environment; undefined: nothing was sent there.
 */
export async function assertEnvironmentKept(ground: Ground): Promise<Environment | undefined> {
  const { journal, config, destination } = ground;
  const was = await journal.environmentAt(destination);
  if (was === undefined || was === config.environment || config.acceptDestination) return was;
  throw environmentChanged(destination, was, config.environment);
}

/**
 * Rows of a batch go only to where it began, unless a person says otherwise; and never in another environment. Gives the
 * environment of what was sent there.
 */
export async function assertAddressKept(ground: Ground, batch: BatchRecord): Promise<Environment | undefined> {
  const { config, destination } = ground;
  const { environment, acceptDestination } = config;
  if (batch.environment !== environment) throw ofOtherEnvironment(batch, destination, environment);
  const was = await assertEnvironmentKept(ground);
  if (acceptDestination || batch.destination === destination) return was;
  throw new PaydropError(
    "destination",
    `batch ${batch.id} began with ${batch.destination}, now it would go to ${destination}`,
    `${whereItGoesOn(batch, destination)}; nothing was sent`,
  );
}

/** Two addresses may be the same service; the sandbox is none. */
function whereItGoesOn(batch: BatchRecord, destination: string): string {
  if (batch.destination === SANDBOX) return "it was only tried: it goes on with --sandbox";
  if (destination === SANDBOX) return "it goes on without --sandbox";
  return "if both are the same service, run it again with --accept-destination";
}

/** Checks the same before rows go, and notes what a person accepted. */
export async function keepAddress(ground: Ground, batch: BatchRecord): Promise<void> {
  const was = await assertAddressKept(ground, batch);
  const { journal, config, destination } = ground;
  const { environment, by = "paydrop" } = config;
  if (was !== undefined && was !== environment) {
    const act = { by, kind: "destination", note: `${destination} was ${was}, is ${environment}` };
    await Promise.all([journal.setEnvironmentAt(destination, environment), journal.note(batch.id, act)]);
  }
  if (batch.destination === destination) return;
  const act = { by, kind: "destination", note: `${batch.destination} → ${destination}` };
  // what went to the address that the batch leaves is remembered, though no batch may name that address any more
  const left = (await journal.environmentAt(batch.destination)) ?? batch.environment;
  await Promise.all([
    journal.setEnvironmentAt(batch.destination, left),
    journal.setDestination(batch.id, destination, act),
  ]);
}

function environmentChanged(destination: string, was: Environment, is: Environment): PaydropError {
  return new PaydropError(
    "destination",
    `${destination} is ${is} by these settings, and was ${was} before: what was sent there would be forgotten`,
    `set environment = "${was}" again; or, if it may be forgotten, run it with --accept-destination; nothing was sent`,
  );
}

function ofOtherEnvironment(batch: BatchRecord, destination: string, is: Environment): PaydropError {
  return new PaydropError(
    "destination",
    `batch ${batch.id} is a ${batch.environment} one (${batch.destination}), and ${destination} is ${is}`,
    `its rows go as ${is} ones only by their file: paydrop run ${asWord(join(batch.folder, batch.fileName))}; nothing was sent`,
  );
}
