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
          → Ctrl-C ends it. Sign in there as one of these people.`,
  sample_statement: "A bank statement to compare: {path} (of the account ACC-OPS-01)",
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

/** What a statement says of unknown rows: how many of them …, and what that means. */
export const STATEMENT_GROUPS = {
  reference: { title: "with our own reference", means: "The bank’s line names the payment: it went." },
  payee: {
    title: "with payee and amount",
    means: "Account or name and the amount are the same; the reference is missing.",
  },
  undecided: {
    title: "that one line alone does not tell",
    means: "Ask the bank for the payee’s account of each line, then tick.",
  },
  not_shown: { title: "without a line", means: "The statement shows no debit of this amount. It may come later." },
  not_read: { title: "that no statement tells of", means: "Read the statement, or look at the bank." },
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
  needs_nobody: "Nothing. No payment waits for a decision, and no file for a correction.",
  todo_look_up: "Look each one up at the bank. Nothing goes again before that.",
  todo_back: "The bank gave the money back, says its statement. They count as paid until somebody says so.",
  todo_again: "Looked up by {by}: they did not go. Nobody has sent them again yet.",
  todo_correct: "Correct them in the file, then upload it.",
  todo_refused: "Nothing of it was sent.",
  todo_approve: "{by} brought it, {at}. Nothing of it goes before somebody else approves it.",
  todo_paused: "{rows:payment waits|payments wait}. They go when somebody lets them go on.",
  not_refused: "This file is not there any more, or is not refused. → Nothing was changed.",
  accepted_means: "Accepted means that the bank took the request; it is no proof that money arrived.",
  no_name: "no name",
  not_readable: "not readable",
  facts: "Facts: SHA-256, folder, batch",
  last_look: "was last looked at {seconds:second} ago",
  watched_by: "is watched by {host}, heard from {seconds:second} ago",
  nobody_works:
    "Nobody watches: no paydrop is at work here. Nothing is taken and nothing goes until one is started. Tell whoever runs paydrop.",
  nobody_watches:
    "Nobody watches {folder}. Nothing is taken from there, and nothing of it goes, until a paydrop watches it again. Tell whoever runs paydrop.",
  no_batches: "No file was taken yet.",
  no_inboxes: "No inbox is known yet. Whoever runs paydrop names them when the desk is started.",
  not_here: "This folder is not on this machine, or cannot be read here.",
  not_looked_at: "It was not looked at yet. A watched folder is looked at every few seconds.",
  no_inbox: "This is no inbox that is known here. → Nothing was changed.",
  ended_by_time: "Rows that ended, by time: the first at {first}, half of them after {half}, the last after {all}.",
  ended_by_time_some:
    "Rows that ended, by time, told from one row in {every}: the first at {first}, half of them after {half}, the last after {all}.",
  year_means: "What was accepted of the files that were taken in each month",
  no_accounts: "No row names an account that it is paid from.",
  no_report: "There is no report now: {found} → It can be made when nothing of the batch is on its way.",
  not_sure: "Nothing was cancelled: the box was not ticked.",
  cancel_means: "What did not go shall never go. What was accepted cannot be called back.",
  look_up: "They may have gone, or not. Look each one up, then say what you found. Nothing goes again before that.",
  held_means: "These wait for a person. If one is the same payment as one that went, nothing is to be sent for it.",
  held_cancel: "They were paid already, or are wrong. This harms nobody.",
  held_release: "Whoever was paid before is paid a second time. You see the sum first.",
  held_such: "such as: wages of week 47, list of meera, 27 Nov",
  more_below: "There are more: these come first.",
  group_asked: "Of a whole group the next page shows number and sum once more.",
  decide_sub: "{payments}, {sum}, wait for a person. Nothing of it goes before somebody says so.",
  decide_foot: "What you say stands in the history under your name.",
  statement_read: "The statement of {debit} is read until {until}: its lines stand beside the payments.",
  no_statement: "No bank statement was read yet. Read one, and its lines stand beside the payments.",
  not_compared_yet: "Not looked at.",
  group_went: "They went: they are never sent again.",
  group_stayed: "They did not go, and may be sent again. If one went after all, it is paid twice.",
  group_evidence: "A line of a statement speaks for {shown} of the {rows}.",
  group_sum_wrong: "The sum that was typed is not theirs. Nothing was changed.",
  duplicate_means: "These did not go: the same payments were accepted before. There is nothing to do for them.",
  back_means: "These went. Said to be not paid, they may be sent again, and be paid twice.",
  back_sum: "Only where the bank gave the money back: the sum of the ticked rows, from the bank's own papers.",
  nothing_to_decide: "Nothing. No row is unknown or held.",
  find_sub: "In all files: by name, employee number, reference, last 4 digits of the account, or amount.",
  find_such: "such as: meena iyer · E043 · 2026-11-E043 · 4899",
  seen: "in the bank’s statement of {day}",
  seen_back: "came back on {day}, says the bank’s statement",
  find_foot: "A payment that was refused and corrected stands here twice: count what went.",
  older_files: "Older files",
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
  news_first: "This is the first file of its kind: there is nothing to compare it with.",
  news_many: "The file has too many payments to be compared with the one before.",
  news_rest: "Other payments than before",
  ask_person:
    "Ask this person yourself, by a number that you knew before; not by the mail that brought the new account.",
  know_accounts: "I know why the account of {names} is another one.",
  know_amounts: "I know why {names} gets many times as much.",
  nobody_approves: "nobody: whoever runs paydrop gives somebody the right",
  approvals_needed: ({ given }) =>
    `{approvers:approval is|approvals are} needed, and ${given === 0 ? "nobody gave one yet" : "{given} given"}`,
  approve_foot:
    "You approve this very file and its sum, until {until}. If a byte of it changes, it needs a new approval.",
  back_to_maker: "Nothing goes. {by} reads your reason beside the file, corrects it and brings it again.",
  approve_means:
    "A file goes when somebody who did not bring it approves it. That is for this very file and its sum, and ends after some hours.",
  approve_sum: "Take it from the payroll register, not from this page. With ₹ and commas or without.",
  approve_own: "You brought it: somebody else approves it.",
  approve_done: "It is approved by you, or by enough others.",
  approve_role: "Your account may not approve.",
  upload_role: "Your account may not bring files.",
  upload_means: "The file is checked and shown first. Nothing of it goes before you say so.",
  upload_check: "Checking sends nothing.",
  upload_foot:
    "Nothing goes before you press the button above; where approval is asked for, not before somebody else has approved it.",
  nothing_sent: "Nothing was sent",
  period_title: "How to state a month or a week",
  period_hint: "a month (2026-11) or a week (2026-W47); it is put into the name of the file",
  period_unclear: "“{said}” is no month and no week. → Write 2026-11 or 2026-W47.",
  period_of_retry: "These rows correct others, and pay what those were to pay. → Leave the period out.",
  not_seen: "The box was not ticked. Nothing was approved. → Ask about what is new, then tick it.",
  period_named:
    "The name {name} says {own}, and you say {said}. → Leave the period out, or give the file another name.",
  period_unread: "Beside the name {name}, {said} would not be read. → Give the file another name, such as wages.csv.",
  resume_means: "It goes on where it was paused.",
  again_means: "Somebody looked them up: they did not go. They go a second time with the same references.",
  rejected_means: "Only if the bank has put something right. Else correct them in the file and upload it.",
  pause_means: "What is on its way at this moment ends; nothing new goes until somebody lets it go on.",
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
  returned_means:
    "These went, and the bank gave the money back. What you tick counts as not paid, and may be sent again.",
  returned_then: "Correct the account first: paid anew, they need another one.",
  look_elsewhere: "Nothing is proposed for these. Ask the bank or the people, then",
  proposed_done: "{rows:row is|rows are} settled as done by {by}: {sum}. Nothing of it is sent again.",
  proposed_not_done: "{rows:row is|rows are} settled as not done by {by}: {sum}. They may be sent again.",
  more_such: "and {more} more of them",
  put_means: "It goes soon after you press the button, or when somebody has approved it, where that is asked for.",
  put_some: "Send these now and the others later, or correct the file first and check it again below.",
  compared_foot:
    "Nothing is settled before you say so. A statement shows what was booked; it is no proof that the payee has the money.",
  refused: "This file cannot be taken as it is. Nothing of it was kept.",
  no_file: "No file was chosen. → Choose one, then press the button.",
  not_staged: "This file was looked at too long ago, or by somebody else. → Upload it again.",
  name_taken: "{name}: a file of that name lies in the folder already. → Give it another name and upload it again.",
  not_put: "{name} could not be written into the folder: {found} → Tell whoever runs paydrop.",
  put: "{name} lies in the folder {folder}. → It is taken in a few seconds, where the folder is watched.",
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
