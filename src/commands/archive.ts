import type { Config } from "../config/config.ts";
import { loadWithoutKeys } from "../config/load.ts";
import { counted } from "../text/counted.ts";
import { isoDay } from "../day.ts";
import { PaydropError } from "../errors.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { JournalStore } from "../journal/store.ts";
import { withProcessor } from "../processor.ts";
import { withHint } from "../results/disk/on-disk.ts";
import { bringBack } from "./archive/back.ts";
import { moveOut, removeLeftCopies } from "./archive/out.ts";
import type { Call } from "./command.ts";
import { tell } from "./screen/tell.ts";
import { personOrLogin } from "./who.ts";

/**
 * Moves the details of old batches that rest, and their private copies, into compressed files in the state directory's
 * `archive/`, or brings one back. What a duplicate is recognised by stays in the journal. Exit 0.
 */
export async function run(call: Call): Promise<number> {
  const config = loadWithoutKeys(call);
  const { before: day, restore, dry_run: dryRun } = call.flags;
  const before = typeof day === "string" ? startOf(day) : undefined;
  if ((before === undefined) === (restore === undefined)) {
    throw new PaydropError("usage", "say which batches", "paydrop archive --before 2026-01-01, or --restore BATCH");
  }
  const work = withProcessor({ config }, dryRun === true ? "read" : "send", async ({ journal }) => {
    const who = personOrLogin(config);
    if (before === undefined) await bringBack(call, config, journal, String(restore), who);
    else if (dryRun === true) await listOld(call, config, journal, before);
    else {
      const moved = await moveOut(call, config, journal, await journal.resting(before), who);
      await removeLeftCopies(config, journal);
      tell(call, config, "", { type: "summary", batches: moved, exit_code: 0 });
    }
    return 0;
  });
  return work.catch((error: unknown) => {
    throw withHint(error, "make room on the disk of the state directory, then run this again; nothing is lost");
  });
}

async function listOld(call: Call, config: Config, journal: JournalStore, beforeMs: number): Promise<void> {
  const resting = await journal.resting(beforeMs);
  const ids = new Set(resting.map(({ id }) => id));
  const open = (await journal.batches()).filter(
    (batch) => batch.createdAt < beforeMs && batch.archive === undefined && !ids.has(batch.id),
  );
  for (const batch of resting) tell(call, config, `would move  ${lineOf(batch)}`, { type: "archive", ...shown(batch) });
  for (const batch of open.reverse()) {
    const why = "it has rows that may still go, or that a person must look at";
    tell(call, config, `stays       ${lineOf(batch)}: ${why}`, { type: "stays", ...shown(batch), why });
  }
  const rows = resting.reduce((sum, batch) => sum + batch.rows, 0);
  const text =
    resting.length === 0
      ? "Nothing to archive."
      : `${resting.length} ${resting.length === 1 ? "batch" : "batches"} with ${counted(rows)}. Nothing was moved.`;
  tell(call, config, text, { type: "summary", batches: [...ids], rows, dry_run: true, exit_code: 0 });
}

function lineOf({ id, fileName, rows, createdAt }: BatchRecord): string {
  return `${id}  ${isoDay(createdAt)}  ${counted(rows)}  ${fileName}`;
}

function shown({ id, fileName, rows, createdAt }: BatchRecord): Record<string, unknown> {
  return { batch: id, file: fileName, rows, created_at: new Date(createdAt).toISOString() };
}

/** The first moment of a day, in UTC as `status` shows times. Throws PaydropError `usage`. */
function startOf(said: string): number {
  const ms = /^\d{4}-\d\d-\d\d$/.test(said) ? Date.parse(`${said}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms) || isoDay(ms) !== said) {
    throw new PaydropError("usage", `--before: "${said}" is not a day`, "write it as 2026-01-31");
  }
  if (ms > Date.now()) throw new PaydropError("usage", `--before: ${said} is not over yet`, "name a day in the past");
  return ms;
}
