import { asWord } from "../printable.ts";
import type { ErrorSentence } from "./sentence.ts";

const LOST_TODO =
  "Nothing was sent. Restore the state directory from a backup. Or, once a person has looked up in the service's " +
  "dashboard what went out, begin anew with --accept-lost-journal --by NAME.";
const DISK_TODO = "Nothing was sent. Look at the disk, and at who may read and write there.";

export const JOURNAL_ERRORS = {
  system_refused: {
    kind: "journal",
    text: "the system refused: {found}",
    todo: "Look at the disk (space, rights, health) and at the limits (open files, threads), then run again. Nothing that was sent is forgotten.",
  },
  spool_missing: {
    kind: "journal",
    text: "the checked payments of the batch are missing: {path}",
    todo: "Nothing was sent. Restore the state directory from a backup. Or cancel the batch and run its file again.",
  },
  spool_damaged: {
    kind: "journal",
    text: "the checked payments of the batch are damaged: {path}",
    todo: "Nothing was sent. Look at the disk. Restore the state directory from a backup.",
  },
  journal_lost: {
    kind: "journal",
    text: "the journal is missing from {folder}, but files were taken there: what was sent is not known any more",
    todo: LOST_TODO,
  },
  journal_damaged: { kind: "journal", text: "the journal {path} is damaged: {found}", todo: LOST_TODO },
  journal_unusable: { kind: "journal", text: "the journal {path} cannot be used: {found}", todo: DISK_TODO },
  journal_busy: {
    kind: "journal",
    text: "the journal {path} is kept by another process: {found}",
    todo: "Nothing was sent. A paydrop that was stopped, or a program that copies the journal, must go on to its end. Then do this again.",
  },
  journal_of_other_version: {
    kind: "journal",
    text: "the journal {path} was written by another version of paydrop (its version is {version})",
    todo: "Nothing was sent. Use that version of paydrop, or name another folder with --state-dir.",
  },
  sqlite_too_old: {
    kind: "journal",
    text: "this Node carries SQLite {found}, which can damage a journal; {needed} or newer is needed",
    todo: "Use Node 24.15 or newer from nodejs.org.",
  },
  journal_failed: {
    kind: "journal",
    text: "the journal {path} failed: {found}",
    todo: "Sending has stopped. Look at the disk (space, health), then run again: rows whose answer was not saved are unknown.",
  },
  journal_replaced: {
    kind: "journal",
    text: "the journal in {folder} was removed or replaced while paydrop worked with it",
    todo: "Nothing more is sent. Put the state directory back as it was, or its newest backup, and start paydrop again.",
  },
  disk_full: {
    kind: "journal",
    text: "the disk of the state directory {folder} is full or cannot be written: {found}",
    todo: "Nothing was sent. Make room or mend the disk, then run again.",
  },
  judging_busy: {
    kind: "journal",
    text: "another process has been checking rows for duplicates for ten minutes, and keeps {path}",
    todo: "Nothing was sent. If that paydrop was stopped, let it go on or end it. Then run again.",
  },
  no_locks: {
    kind: "journal",
    text: "the file system of the state directory {folder} gives no locks: two paydrops could send the same rows",
    todo: "Nothing was sent. Keep the state directory on a disk of this machine.",
  },
  lock_unusable: {
    kind: "journal",
    text: "the lock file {path} cannot be used: {found}",
    todo: "Nothing was sent. Look at the disk. Nothing is kept in the lock file: when no paydrop is running, delete it.",
  },
  locked: {
    kind: "locked",
    text: "another paydrop is working with the state directory {folder}",
    todo: "Nothing was done. The other one goes on. Or run this again when it has ended.",
  },
  state_dir_unusable: {
    kind: "journal",
    text: "the state directory {folder} cannot be used: {found}",
    todo: "Nothing was sent. Name another one with --state-dir, or mend this one.",
  },
  state_dir_writable: {
    kind: "config",
    text: "other users can write in the state directory {folder} (mode {mode})",
    todo: ({ folder }) => `Make it private: chmod 700 ${asWord(String(folder))}`,
  },
  state_dir_shared: {
    kind: "config",
    text: "the state directory {folder} is open to others and holds other files, such as {foreign}",
    todo: "Name a folder of its own with --state-dir.",
  },
  backup_unwritable: {
    kind: "journal",
    text: "the copy {path} cannot be written: {found}",
    todo: "Name a file that is not there yet, on a disk with room. The journal itself is as it was.",
  },
  batch_phase: {
    kind: "usage",
    text: "batch {batch} is {phase}, it cannot become {wanted}",
    todo: "Nothing was changed. `paydrop status {batch}` shows it.",
  },
} as const satisfies Readonly<Record<string, ErrorSentence>>;
