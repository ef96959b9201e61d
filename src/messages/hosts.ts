import type { Catalogue } from "./sentence.ts";

/** What is said of a journal that several hosts share (DESIGN §13). */
export const SERVER_ERRORS = {
  server_away: `the journal's server cannot be reached: {found}
    → Sending has stopped, and nothing is forgotten. Look at PAYDROP_JOURNAL_URL, the server and the network.`,
  server_refused: `the journal's server refused: {found}
    → Sending has stopped. Rows whose answer was not saved become unknown; none of them goes again by itself.
      Look at the server's log; \`paydrop doctor\` checks its settings.`,
  server_unsafe: `the journal's server can lose what it has confirmed: {found}
    → Nothing more is sent, for a row could go twice. {todo}`,
  server_lost_commit: `the journal's server does not know any more what it had confirmed: {found}
    → Sending has stopped, for rows could go twice. Ask who runs the server what was lost; \`paydrop help hosts\` says what to do.`,
  witness_unwritable: `what the journal's server has confirmed cannot be noted in {folder}: {found}
    → Sending has stopped, and nothing is forgotten. Make room there, or name another state folder.`,
  server_too_old: "the journal's server is PostgreSQL {found}, and {needed} is needed → Use a newer server.",
  server_no_backup: `this journal is in PostgreSQL → Back it up there, with pg_dump or a base backup, and keep
    PAYDROP_JOURNAL_KEY elsewhere.`,
  journal_moved: `the journal in {folder} was moved to {to} at {at}
    → Nothing was sent. Set PAYDROP_JOURNAL_URL and PAYDROP_JOURNAL_KEY.`,
  journal_moving: `the journal in {folder} is being moved to {to}, since {at}
    → Nothing was sent. If that move was cut off, do it once more: paydrop journal copy --to URL`,
  journal_copy_differs: `the copy in {to} is not what stands in {folder}: {what}
    → Nothing was moved. Send us what --verbose prints.`,
} as const satisfies Catalogue;

/** What `paydrop status` tells of hosts. */
export const HOST_WORDS = {
  host: "host {host}   version {version}   here since {since}",
  silent: "  not seen since {at}: what it holds goes to the other hosts, and rows on its wire become unknown",
  holds: "  sends batch {batch}: {shares:share}, {lanes:lane}, since {since}",
  conducts: "  conducts the run of batch {batch}",
  watches: "  watches {folder}",
  loss: `nothing goes: the journal's server does not know any more what it had confirmed: {found}
    Ask who runs the server what was lost; \`paydrop help hosts\` says what to do.`,
  waits: `nothing goes: another server has taken over, and these hosts have not looked yet whether it has all that
    they sent: {hosts}. Start them again; what to do without them: \`paydrop help hosts\``,
} as const satisfies Catalogue;

export const HOST_NEWS = {
  working: "sending shares of other hosts' files as {host}; Ctrl-C ends it",
  waits: `another server has taken over, and nothing goes until these hosts have looked whether it has all that they sent: {hosts}
    → Start them again. What to do without them: \`paydrop help hosts\``,
  inbox_elsewhere: `another host watches {folder}: this one takes over when that one ends
    → Each inbox needs a path of its own over all hosts.`,
} as const satisfies Catalogue;

/** What is wrong with where a journal is to be moved to. */
export const MOVE_ERRORS = {
  journal_none:
    "there is no journal in {folder} → Name its folder: --state-dir. A new one in PostgreSQL needs no copy.",
  journal_not_empty: `{to} holds a journal already
    → Nothing was moved. Name an empty database. Two journals cannot become one.`,
  journal_in_use: `another paydrop works with {to} already → Nothing was moved. End it, then do this again.`,
  journal_copy_word: `say what to do with the journal → {example}`,
} as const satisfies Catalogue;

export const HOST_ERRORS = {
  journal_other_key: `the journal {server} was made with another PAYDROP_JOURNAL_KEY
    → Nothing was sent: with this key no payment would be known again. Use the key of the other hosts.`,
  journal_other_version: `the journal {server} is of version {version}, this paydrop works with version {own}
    → Nothing was sent. Use the same version of paydrop on all hosts.`,
} as const satisfies Catalogue;
