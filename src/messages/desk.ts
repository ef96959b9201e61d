import { led, typed } from "./commands.ts";
import type { Catalogue } from "./sentence.ts";

const addSomebody = typed("desk add", { role: "view|decide|approve" }, "NAME");

/** What `paydrop desk` says to whoever types it. */
export const DESK_SAID = {
  serves: ({ kept }) =>
    kept === undefined
      ? [
          "The desk is at {url}, for this machine alone.",
          led("Others reach it through a web server", typed("help", {}, "desk")),
        ]
      : `The desk is at {url}, to try it. The service is pretended. ${kept === "" ? "When this ends, all of it is gone" : "Its memory stays in {kept}"}.
          → Sign in there as one of these people. Ctrl-C ends it.`,
  sample_account: "    {name} ({role})   password {password}",
  nobody: ["Nobody has an account at the desk.", addSomebody],
  account: "{name}   {role}   since {since}",
  account_new: "{name}   {role}   has not chosen a password yet",
  account_lapsed: ["{name}   {role}   chose no password in seven days", led("A new one for them", addSomebody)],
  added: `{name} may sign in at the desk ({role}) with this password, which counts once, for seven days: {password}
    → Give it to {name} alone. At the first sign-in another one is chosen.`,
  removed: "{name} has no account at the desk any more, and is signed out.",
  sign_in_failed: "{at} desk: sign-in as {name} from {address} failed",
  sign_in_closed: "{at} desk: sign-in as {name} from {address} refused, there were too many tries",
} as const satisfies Catalogue;

/** What commands are called on pages, where these have a place for them. */
export const DESK_WAYS = {
  approve: "approve it",
  cancel: "say that it shall not go",
  help: "read about it",
  pause: "pause the batch",
  reconcile: "compare the bank's statement",
  release: "let it go",
  resume: "let it go on",
  retry: "send it again",
  settle: "say what you found",
  status: "see the batch",
} as const;

/** What pages say about signing in and about what was asked of them. */
export const DESK_WORDS = {
  wrong_sign_in: "Name or password is not right. → Try again. Who forgot it gets a new one from whoever runs paydrop.",
  too_many: "There were too many tries. → Wait a quarter of an hour.",
  one_time: "This password counts once. → Choose your own now.",
  password_short: "A password has 12 to 200 characters. → Four or five words are good.",
  password_name: "The password holds your name. → Choose another one.",
  password_differs: "The two new passwords are not the same. → Type both again.",
  password_same: "That is the password of before. → Choose another one.",
  password_wrong: "The password of now is not right. → Type it again.",
  password_set: "Your password is changed. Everywhere else you are signed out.",
  needs_nobody: "Nothing. No row waits for a decision, and no file for a correction.",
  to_correct: ", then correct the retry file that lies beside it",
  nobody_works:
    "Nobody watches: no paydrop is at work here. Nothing is taken and nothing goes until one is started. Tell whoever runs paydrop.",
  nobody_watches:
    "Nobody watches {folder}. Nothing is taken from there, and nothing of it goes, until a paydrop watches it again. Tell whoever runs paydrop.",
  nothing_goes: "Nothing is being sent.",
  no_batches: "No file was taken yet.",
  no_inboxes: "No inbox is known yet. Whoever runs paydrop names them when the desk is started.",
  not_here: "This folder is not on this machine, or cannot be read here.",
  not_looked_at: "It was not looked at yet. A watched folder is looked at every few seconds.",
  no_inbox: "This is no inbox that is known here. → Nothing was changed.",
  ended_by_time: "Rows that ended, by time: the first at {first}, half of them after {half}, the last after {all}.",
  ended_by_time_some:
    "Rows that ended, by time, told from one row in {every}: the first at {first}, half of them after {half}, the last after {all}.",
  year_means: "Accepted of the batches that were taken in each month, by UTC ({environment})",
  accounts_mean: "Accepted, by the account that it was paid from",
  no_accounts: "No row names an account that it is paid from.",
  no_report: "There is no report now: {found} → It can be made when nothing of the batch is on its way.",
  not_sure: "Nothing was cancelled: the box was not ticked.",
  cancel_means: "What did not go shall never go. What was accepted cannot be called back.",
  look_up:
    "Nobody knows yet whether these went. Look each one up in the service's dashboard, then say what you found. Nothing goes again before that.",
  held_means: "These wait for a person. If a row is the same payment as one that went, nothing is to be sent for it.",
  duplicate_means: "These did not go: the same payments were accepted before. There is nothing to do for them.",
  back_means: "These went. Said to be not paid, they may be sent again, and be paid twice.",
  back_sum: "Only where the bank gave the money back: the sum of the ticked rows, from the bank's own papers.",
  nothing_to_decide: "Nothing. No row is unknown or held.",
  nothing_found: "Nothing. Look further back, or write less of it.",
  more_found: "There are more: write more of it, or a later day.",
  copy_gone: "Names and accounts cannot be looked at in a file whose copy is gone:",
  no_rows: "No row was chosen. → Tick the rows that you decide on. Nothing was changed.",
  row_changed: "Row {row} is {state} now: it changed after the page was made. Nothing was changed. → Look at it again.",
  all_changed: "Other rows are held now than when the page was made. Nothing was changed. → Look at them again.",
  sum_changed: "It is not the same rows any more: {now} now. Nothing was sent. → Look at them again.",
  no_choice: "Nothing was chosen. → Say which of the two it is. Nothing was changed.",
  sum_differs: "The sum that was typed is not that of the payments that were accepted before. → Nothing was released.",
  twice:
    "{rows:payment of these was|payments of these were} accepted before, or went as somebody says. Released, they go a second time. → To say that this is meant, type their sum. Take it from your own papers.",
  nothing_to_approve: "Nothing. No file waits for approval.",
  new_since: "New since last time",
  approve_means:
    "A file goes when somebody who did not bring it approves it. That is for this very file and its sum, and ends after some hours.",
  approve_sum: "from your own papers, such as the payroll register; not from this screen",
  approve_own: "You brought it: somebody else approves it.",
  approve_done: "It is approved by you, or by enough others.",
  approve_role: "Your account may not approve.",
  upload_role: "Your account may not bring files.",
  upload_means: "The file is checked and shown. Nothing of it goes before you put it into the folder.",
  period_means: `State what a file pays: a month (2026-11), a week (2026-W47) or a day (2026-11-27). Then the same payments go
    every month, week or day. You are asked if less than half of that time has passed: 15 days, 3.5 days, 12 hours.
    With a label (2026-11 first half) it is half as long. State it from the first file on: where the earlier one
    stated none, you are asked within {days} days.`,
  period_stated: "It stands in a column named period, or as a month or week in the file's name (wages-2026-W47.csv).",
  reconcile_role: "Your account may not compare statements. Who may decide does it.",
  reconcile_means:
    "Upload the bank's statement as it comes, as CSV or Excel. Nothing is settled before you say so, and nothing is sent.",
  debit_means: "only for the first statement of an account; it is known after that",
  not_read: "This statement cannot be read as it is. Nothing of it was kept.",
  not_compared: "Nothing was compared yet.",
  compared_gone: "This statement was compared too long ago, or by somebody else. → Upload it again.",
  proposed_means:
    "A line of the statement speaks for each of these. Look at each one, and take the tick from those that you doubt. What is settled as done is never sent again.",
  proposed_sum: "of the ticked rows, added up by you",
  returned_means: "These went, and the bank gave the money back. Open the row, and say there that it came back.",
  look_elsewhere: "Nothing is proposed for these. Ask the bank or the people, then",
  proposed_done: "{rows:row is|rows are} settled as done by {by}: {sum}. Nothing of it is sent again.",
  more_such: "and {more} more of them",
  put_means:
    "In a watched folder what is ready goes by itself: soon after this, or when it is approved, where it must be.",
  refused: "This file cannot be taken as it is. Nothing of it was kept.",
  no_file: "No file was chosen. → Choose one, then press the button.",
  not_staged: "This file was looked at too long ago, or by somebody else. → Upload it again.",
  name_taken: "{name}: a file of that name lies in the folder already. → Give it another name and upload it again.",
  not_put: "{name} could not be written into the folder: {found} → Tell whoever runs paydrop.",
  put: "{name} lies in {folder}. → Where the folder is watched it is taken in a few seconds.",
  control_equal: "equal to what was stated",
  control_none: "nobody stated any; compare rows and sum with where the file came from",
  no_page: "There is no such page. → Go to Today.",
  no_right: "Your account may not do this. → Ask whoever runs paydrop for another role.",
  other_site:
    "This did not come from a page of the desk, or the page was too old. → Go back, load it again, and do it once more.",
  other_host: "This is not the address of the desk. → Whoever runs paydrop sets desk_url to the address that you use.",
  no_length: "What was sent does not say how long it is. → Load the page again, and do it once more.",
  busy: "Other files are being uploaded at this moment. → Try again in a minute.",
  too_large: "The file is larger than 64 MB. → Put it into the folder itself, or ask whoever runs paydrop.",
  unforeseen: "whoever runs paydrop finds it in its log",
  broken: "Something went wrong here: {found}. → Nothing that was sent is forgotten. Tell whoever runs paydrop.",
} as const satisfies Catalogue;
