import { formatUnits, unitsOf } from "../amount.ts";
import type { Config } from "../config/schema.ts";
import { startOfDay } from "../day.ts";
import { PaydropError } from "../errors.ts";
import { waitsForApproval } from "../journal/approval.ts";
import type { Act, BatchRecord, JournalStore, RowFilter } from "../journal/store.ts";
import { stopFor, type Stop } from "../messages/outcomes.ts";
import { OPERATIONS } from "../operations/index.ts";
import type { Shared } from "./shared.ts";

interface Sending {
  readonly config: Config;
  readonly store: JournalStore;
  readonly destination: string;
  readonly shared: Shared;
  readonly now: () => number;
}

/**
 * Why nothing of a batch goes now. Throws where the keys are missing or the destination is another one; `act`: of whoever
 * accepts that.
 */
export async function stopBefore(work: Sending, batch: BatchRecord, act: Act): Promise<Stop | undefined> {
  if (batch.phase !== "open") return stopFor(batch.phase === "cancelled" ? "cancelled" : "paused");
  if (waitsForApproval(batch)) return stopFor("approval_wanted");
  const overDay = await stopOfDay(work, batch);
  if (overDay) return overDay;
  await assertDestination(work, batch, act);
  await assertKeys(work, batch);
  return undefined;
}

/** `max_per_day`: what went today, goes beside this batch, and would go of it. */
async function stopOfDay({ config, store, now }: Sending, { id, label }: BatchRecord): Promise<Stop | undefined> {
  const own = OPERATIONS.filter(({ name }) => label === "mixed" || label.startsWith(name));
  const capped = own.filter(({ folder }) => config.rules[folder]?.max_per_day !== undefined);
  if (capped.length === 0) return undefined;
  const sums = await store.sumsOfDay(id, startOfDay(now(), config.time_zone));
  for (const { name, folder } of capped) {
    const { amount: sum = "0" } = sums[name] ?? {};
    const most = config.rules[folder]?.max_per_day ?? sum;
    const over = unitsOf(sum) - unitsOf(most);
    if (over > 0n) return stopFor("day_over_cap", { operation: folder, sum, most, over: formatUnits(over) });
  }
  return undefined;
}

/** Payouts travel encrypted (§5.2): without AES key and IV nothing of a batch goes that has one among these rows. */
export async function assertKeys(
  { store, shared }: Pick<Sending, "store" | "shared">,
  { id: batch, label }: BatchRecord,
  which: Pick<RowFilter, "states"> = { states: ["ready"] },
): Promise<void> {
  if ((await shared.sender()).encrypts) return;
  const encrypted = OPERATIONS.filter((operation) => operation.encrypted).map(({ name }) => name);
  // the rows are asked only where the label does not say it
  const rows = label === "mixed" ? await store.rows({ batch, ...which }) : [];
  const operation = encrypted.find((name) => label.startsWith(name) || rows.some((row) => row.operation === name));
  if (operation !== undefined) throw new PaydropError("keys_missing", { operation });
}

/** What went to an address in one environment is not known in the other: nothing goes there unasked. */
export async function assertEnvironment({
  config,
  store,
  destination,
}: Omit<Sending, "shared" | "now">): Promise<void> {
  const { environment: is, accept_destination: isAccepted } = config;
  const environment = is === "live" ? "test" : "live";
  const [batch] = isAccepted ? [] : await store.batches({ environment, wentTo: destination });
  if (batch) throw new PaydropError("sent_as_other", { batch: batch.id, destination, environment, is });
}

/** A batch goes on only to where it began, unless a person says otherwise; in another environment never. */
async function assertDestination(work: Sending, batch: BatchRecord, act: Act): Promise<void> {
  const { config, store, destination } = work;
  const { id, environment } = batch;
  const facts = { batch: id, began: batch.destination, destination, environment, is: config.environment };
  if (environment !== config.environment) throw new PaydropError("other_environment", facts);
  if (batch.destination === destination) return;
  if (!config.accept_destination) throw new PaydropError("other_destination", facts);
  await store.setBatch(id, { destination }, { ...act, note: `${batch.destination} → ${destination}` });
}
