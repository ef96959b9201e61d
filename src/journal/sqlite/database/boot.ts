import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { Meta, META_KEY } from "../meta.ts";

/**
 * This note stands in the journal while a process that sends has it open, and says in which start of the machine that
 * was. A killed process leaves the note behind; but what it had written is whole, because the system kept it. Only
 * where the machine went down since then may pages be torn, whoever else has looked into the journal meanwhile.
 */
const OPEN_IN = META_KEY.openInBoot;
const BOOT_ID = "/proc/sys/kernel/random/boot_id";
const NOBODY_CAN_TELL = "";

/** Whether the machine may have gone down while a process had the journal open. */
export function mayBeTorn(database: DatabaseSync): boolean {
  const opened = new Meta(database).get(OPEN_IN);
  return opened !== undefined && (opened === NOBODY_CAN_TELL || opened !== bootId());
}

export function noteOpen(database: DatabaseSync): void {
  new Meta(database).put(OPEN_IN, bootId());
}

/** Removes the note. To be called inside the last transaction of the caller. */
export function noteClosed(database: DatabaseSync): void {
  new Meta(database).remove(OPEN_IN);
}

function bootId(): string {
  try {
    return readFileSync(BOOT_ID, "utf8").trim();
  } catch {
    return NOBODY_CAN_TELL;
  }
}
