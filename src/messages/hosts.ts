import { example, flag, helpOn, led, typed } from "./commands.ts";
import type { Catalogue } from "./sentence.ts";

const whatToDo = led("What to do", helpOn("hosts"));
const withoutThem = led("What to do without them", helpOn("hosts"));
const SILENT = "it gives no answer. A commit may be waiting for a standby";

/** What is said of a journal that several hosts share (README §13). */
export const SERVER_ERRORS = {
  server_away: ({ since }) => `the journal's server cannot be reached: {found}
    → ${since === undefined ? "Nothing goes without it" : "On this host sending has stopped since {since}, and goes on by itself when the server is back"}. Nothing is forgotten. Look at PAYDROP_JOURNAL_URL, the server and the network.`,
  server_refused: [
    `the journal's server refused: {found}
      → Sending has stopped. Rows whose answer was not saved become unknown; none of them goes again by itself.
        Look at the server's log.`,
    led("To check its settings", typed("doctor")),
  ],
  server_unsafe: `the journal's server can lose what it has confirmed: {found}
    → Nothing more is sent, for a row could go twice. {todo}`,
  server_lost_commit: [
    `the journal's server does not know any more what it had confirmed: {found}
      → Sending has stopped, for rows could go twice. Ask who runs the server what was lost.`,
    whatToDo,
  ],
  server_encoding: `the journal's database is encoded as {found}: names and answers could not be kept, and rows could go twice
    → Nothing more is sent. Make the database with UTF-8: CREATE DATABASE paydrop ENCODING 'UTF8' TEMPLATE template0.`,
  server_pooled: `the way to the journal's server changes the session between transactions: locks and settings would be lost
    → Nothing more is sent. Let the pooler keep sessions (PgBouncer: pool_mode = session), or name the server itself.`,
  server_given_up: [
    `the journal's server gave no answer, and this paydrop was asked to end: {found}
      → It ended without it. Rows that were on their way are unknown half a minute from now, and none goes again by itself.`,
    led("Which they are", typed("status", { unknown: true })),
  ],
  witness_unwritable: `what the journal's server has confirmed cannot be noted in {folder}: {found}
    → Sending has stopped, and nothing is forgotten. Make room there, or name another state folder.`,
  server_too_old: "the journal's server is PostgreSQL {found}, and {needed} is needed → Use a newer server.",
  server_no_backup: `this journal is in PostgreSQL → Back it up there, with pg_dump or a base backup, and keep
    PAYDROP_JOURNAL_KEY elsewhere.`,
  journal_moved: `the journal in {folder} was moved to {to} at {at}
    → Nothing was sent. Set PAYDROP_JOURNAL_URL and PAYDROP_JOURNAL_KEY.`,
  journal_moving: [
    "the journal in {folder} is being moved to {to}, since {at} → Nothing was sent.",
    led("If that move was cut off, do it once more", typed("journal copy", { to: "URL" })),
  ],
  journal_copy_differs: `the copy in {to} is not what stands in {folder}: {what}
    → Nothing was moved. Send us what --verbose prints.`,
} as const satisfies Catalogue;

/** What a process that works tells of the server while it waits for it. */
export const SERVER_NEWS = {
  server_gone: ({ found }) => `the journal's server is away since {since}: ${found === "" ? SILENT : "{found}"}
    → Sending has stopped, and goes on by itself when the server is back. Nothing is forgotten.`,
  server_still_gone: ({ found }) =>
    `the journal's server is still away, since {since}: ${found === "" ? SILENT : "{found}"}`,
  server_back: "the journal's server is back, it was away since {since}: sending goes on",
} as const satisfies Catalogue;
/** Why a server cannot be asked, where it does not say so itself. */
export const SERVER_FOUND = {
  standby: "it is a standby just now",
  silent:
    "it gives no session: it stands still, or it has no more sessions (max_connections, a limit of the role, the pool of a pooler)",
  closed: "the journal was closed",
} as const;

/** What `paydrop status` tells of hosts. */
export const HOST_WORDS = {
  host: "host {host}   version {version}   here since {since}",
  silent: "  not seen since {at}: what it holds goes to the other hosts, and rows on its wire become unknown",
  holds: "  sends batch {batch}: {shares:share}, {lanes:lane}, since {since}",
  conducts: "  conducts the run of batch {batch}",
  watches: "  watches {folder}",
  loss: [
    `nothing goes: the journal's server does not know any more what it had confirmed: {found}
      → Ask who runs the server what was lost.`,
    whatToDo,
  ],
  waits: [
    `nothing goes: another server has taken over, and these hosts have not looked yet whether it has all that they sent: {hosts}
      → Start them again.`,
    withoutThem,
  ],
} as const satisfies Catalogue;

export const HOST_NEWS = {
  working: "sending shares of other hosts' files as {host}; Ctrl-C ends it",
  clock_apart: `this host says {now}, the journal's server says {server}: it takes no files, and sends what others took
    → Set both by the same time service (NTP).`,
  waits: [
    `another server has taken over, and nothing goes until these hosts have looked whether it has all that they sent: {hosts}
      → Start them again.`,
    withoutThem,
  ],
  inbox_elsewhere: `another host watches {folder}: this one takes over when that one ends
    → Each inbox needs a path of its own over all hosts.`,
} as const satisfies Catalogue;

export const CLOCK_ERRORS = {
  clock_apart: `this host says {now}, the journal's server says {server}: what is recent is told otherwise by each
    → Nothing new goes from here. Set both by the same time service (NTP), then do this again.`,
} as const satisfies Catalogue;

/** Of a wait that a person, or the system, ended. */
export const NOT_AWAITED = {
  server_not_awaited: "the journal's server is away: {found} → Nothing was done. Run it again when the server is back.",
} as const satisfies Catalogue;

/** What is wrong with where a journal is to be moved to. */
export const MOVE_ERRORS = {
  journal_none: [
    "there is no journal in {folder} → A new one in PostgreSQL needs no copy.",
    led("Where its folder is another one, name it", flag({ state_dir: "FOLDER" })),
  ],
  journal_not_empty: `{to} holds a journal already
    → Nothing was moved. Name an empty database. Two journals cannot become one.`,
  journal_in_use: `another paydrop works with {to} already → Nothing was moved. End it, then do this again.`,
  journal_copy_word: ["say what to do with the journal", example],
} as const satisfies Catalogue;

export const HOST_ERRORS = {
  host_other_version: `the host {host} works with paydrop {version}, this one is {own}
    → Nothing was sent. Use the same version on all hosts. One that was killed is forgotten after half a minute.`,
  journal_other_key: `the journal {server} was made with another PAYDROP_JOURNAL_KEY
    → Nothing was sent: with this key no payment would be known again. Use the key of the other hosts.`,
  journal_other_version: `the journal {server} is of version {version}, this paydrop works with version {own}
    → Nothing was sent. Use the same version of paydrop on all hosts.`,
} as const satisfies Catalogue;
