import { flag, led, status } from "./commands.ts";
import { SERVER_ERRORS } from "./hosts.ts";
import type { Catalogue } from "./sentence.ts";

/** Rows may have gone before. */
const NOTHING_MORE = "Nothing more is sent.";
const RESTORE = `${NOTHING_MORE} Restore the state directory from a backup.`;
const LOOK_AT_DISK = `${NOTHING_MORE} Look at the disk, and at who may read and write there.`;
const goOnWithout = led(
  "Or look up in the service's dashboard what went out, then go on; what this journal does not know then goes again",
  flag({ accept_lost_journal: true, by: "NAME" }),
);

/** What is wrong with the state directory, its journal or its disk. */
export const JOURNAL_ERRORS = {
  system_refused: `the system refused: {found}
    → Look at the disk (space, rights, health) and at the limits (open files, threads), then run again. Nothing that was sent is forgotten.`,
  copy_unwritable: `{name}: the private copy cannot be written ({found}) → ${LOOK_AT_DISK}`,
  copy_missing: [
    `{name}: its private copy is missing ({path}), and without it no results can be written
      → Put the file back from a backup of the state directory. Only this batch is affected.`,
    led("What was sent of it", status),
  ],
  spool_missing: `the checked payments of the batch are missing: {path}
    → ${RESTORE} Or cancel the batch and run its file again.`,
  spool_damaged: `the checked payments of the batch are damaged: {path} → ${RESTORE} Look at the disk first.`,
  journal_lost: [
    `the journal is missing from {folder}, but files were taken there: what was sent is not known any more
      → ${RESTORE}`,
    goOnWithout,
  ],
  journal_damaged: [`the journal {path} is damaged: {found} → ${RESTORE}`, goOnWithout],
  journal_unusable: `the journal {path} cannot be used: {found} → ${LOOK_AT_DISK}`,
  journal_busy: `the journal {path} is kept by another process: {found}
    → ${NOTHING_MORE} A paydrop that was stopped, or a program that copies the journal, must go on to its end. Then do this again.`,
  journal_of_other_version: `the journal {path} was written by another version of paydrop (its version is {version})
    → ${NOTHING_MORE} Use that version of paydrop: another folder would know nothing of what was sent.`,
  sqlite_too_old: "this Node has SQLite {found}, and {needed} is needed → Use Node 24.15 or newer from nodejs.org.",
  journal_failed: `the journal {path} failed: {found}
    → Sending has stopped. Look at the disk (space, health), then run again: rows whose answer was not saved are unknown.`,
  journal_replaced: `the journal in {folder} was removed or replaced while paydrop worked with it
    → Nothing more is sent. Put the state directory back as it was, or its newest backup, and start paydrop again.`,
  disk_full: `the disk of the state directory {folder} cannot be written: {found} → ${NOTHING_MORE} Make room, or mend it.`,
  judging_busy: `another process has been checking rows for duplicates for ten minutes, and keeps {path}
    → ${NOTHING_MORE} If that paydrop was stopped, let it go on or end it. Then run again.`,
  no_locks: `the file system of the state directory {folder} gives no locks: two paydrops could send the same rows
    → ${NOTHING_MORE} Keep the state directory on a disk of this machine.`,
  lock_unusable: ({ isDamaged }) =>
    `the lock file {path} cannot be used: {found} → ${isDamaged === 1 ? `${NOTHING_MORE} Nothing is kept in the lock file: when no paydrop is running, delete it.` : LOOK_AT_DISK}`,
  state_dir_unusable: `the state directory {folder} cannot be used: {found} → ${NOTHING_MORE} Mend it, or name another.`,
  backup_unwritable: "the copy {path} cannot be written: {found} → Name a new folder, on a disk with room.",

  ...SERVER_ERRORS,

  // the mark of an inbox
  journal_of_another: [
    `{folder}: another journal sent from this folder ({id}, {marked:row}); this one ({own}) does not know what went
      → ${NOTHING_MORE} Use the state directory that sent from here (in a container, a volume that outlives it).`,
    led("Where it is", flag({ state_dir: "FOLDER" })),
    goOnWithout,
  ],
  journal_older: [
    `{folder}: the journal is older than {path}: it knows of {known:row} that went, the file of {marked}
      → ${NOTHING_MORE} Put the newest copy of the state directory back, and let no other paydrop work with a copy.`,
    goOnWithout,
  ],
  mark_damaged: [
    `{path} is not as paydrop wrote it: it should tell which journal knows what was sent from this folder
      → ${NOTHING_MORE} Put the file back.`,
    goOnWithout,
  ],
  mark_unreadable: `{path} cannot be read ({found}): it may tell of what was sent
    → ${NOTHING_MORE} Give the user who runs paydrop the right to read it, or look at the disk or network share.`,
} as const satisfies Catalogue;
