import type { Catalogue } from "./sentence.ts";

/** What `paydrop desk` says to whoever types it. */
export const DESK_SAID = {
  serves: "The desk is at {url}, for this machine alone. → Others reach it through a web server: paydrop help desk",
  nobody: "Nobody has an account at the desk. → paydrop desk add NAME --role view|decide|approve",
  account: "{name}   {role}   since {since}",
  account_new: "{name}   {role}   has not chosen a password yet",
  added: `{name} may sign in at the desk ({role}) with this password, which counts once: {password}
    → Give it to {name} alone. At the first sign-in another one is chosen.`,
  removed: "{name} has no account at the desk any more, and is signed out.",
} as const satisfies Catalogue;

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
  signed_out: "You are signed out.",
  needs_nobody: "Nothing. No row waits for a decision or a look into the dashboard.",
  nothing_goes: "Nothing is being sent.",
  no_batches: "No file was taken yet.",
  no_inboxes: "No inbox is known yet. Whoever runs paydrop names them: paydrop desk --inbox FOLDER",
  not_here: "This folder is not on this machine, or cannot be read here.",
  not_looked_at: "It was not looked at yet. A watched folder is looked at every few seconds.",
  no_inbox: "This is no inbox that is known here. → Nothing was stopped.",
  stopped: "{folder} is held. Rows on their way finish, nothing new goes. → To go on, press the button there.",
  no_report: "There is no report now: {found} → It can be made when nothing of the batch is on its way.",
  not_sure: "Nothing was cancelled: the box was not ticked.",
  cancel_means: "What did not go shall never go. What was accepted cannot be called back.",
  no_page: "There is no such page. → Go to Today.",
  no_right: "Your account may not do this. → Ask whoever runs paydrop for another role.",
  other_site:
    "This did not come from a page of the desk, or the page was too old. → Go back, load it again, and do it once more.",
  too_large: "The file is larger than 64 MB. → Put it into the folder itself, or ask whoever runs paydrop.",
  broken: "Something went wrong here: {found} → Nothing that was sent is forgotten. Tell whoever runs paydrop.",
} as const satisfies Catalogue;
