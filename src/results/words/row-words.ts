import type { HoldCode } from "../../checks/duplicates/duplicates.ts";
import type { BatchPhase } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import { isResumable, type Reason } from "../../reason.ts";

/** What happened to a row, and what to do. What stands in braces is filled in for the row (`sentences.ts`). */
type Words = readonly [message: string, action: string];

const NOTHING = "Nothing";
const CHECK = "Check in the dashboard first";
export const CORRECT = "Correct and drop again";
const BY_RETRY = "Will go with retry";
const MAYBE = "It may or may not have taken the row.";

/** Every sentence about a row that was attempted. */
const BY_REASON: Readonly<Record<Reason, Words>> = {
  accepted: ["{accepted}", NOTHING],
  accepted_incomplete: ["{accepted}; the rest of the answer did not arrive", NOTHING],
  accepted_reports_failure: [
    "{accepted}, but its answer speaks of a problem{answer}",
    "Look at this row in the dashboard",
  ],

  refused: ["The service refused this row{answer}", CORRECT],
  key_refused: ["The service did not accept our key. No further rows were sent.", "Ask IT"],
  address_refused: ["The service does not know this address{http}. No further rows were sent.", "Ask IT"],

  html_answer: ["Something other than the service answered. The run stopped.", "Ask IT; check in the dashboard first"],
  redirect: [
    "Something other than the service answered{http}. The run stopped.",
    "Ask IT; check in the dashboard first",
  ],
  service_fault: [`The service reported a fault{http}. ${MAYBE}`, CHECK],
  unclear_refusal: ["The service did not say clearly whether it took the row{http}.", CHECK],
  incomplete_refusal: [`The service's answer{http} broke off. ${MAYBE}`, CHECK],
  malformed_answer: ["We sent the row, but the answer could not be read.", CHECK],
  no_answer: ["We sent the row but got no answer{after}", CHECK],
  connection_broken: ["The connection broke while we waited for the answer.", CHECK],
  interrupted: ["paydrop was stopped while this row was on its way.", CHECK],
  rate_limited_unclear: [`The service asked us to slow down{http}. ${MAYBE}`, CHECK],

  rate_limited: ["The service asked us to slow down; this row was not taken.", BY_RETRY],
  unreachable: ["We could not reach the service; nothing was sent.", BY_RETRY],
  certificate_refused: ["The service could not prove who it is; nothing was sent.", "Ask IT"],
  no_tls: ["What answers at the address of the service speaks no TLS (https); nothing was sent.", "Ask IT"],
  local_error: ["This row could not be made ready on this machine; nothing was sent.", "Ask IT"],
};

/** Why a row waits for a person (DESIGN §7), after `WAITING`. A row that nobody decides on holds later payments. */
const BY_HOLD: Readonly<Record<HoldCode, Words>> = {
  same_file: [
    "this very file was sent before{batch}",
    "A new month? Run it with --period. A new week? Release it. The same payments again? Cancel the batch",
  ],
  possible_duplicate: [
    "same payment as {other}",
    "The same payment again? Cancel the batch once the rest went. A new month? Run it with --period, or add a column period. Both meant, in one period? Release it",
  ],
  period_unclear: [
    "same payment as {other}, unless it is another month's: the period stated for one of both files is not the month that the file or its name says, or that file lay in the place of this one within the last two weeks",
    "The same payment again? Cancel the batch once the rest went. Another month's? If the stated period is right, release it; else cancel the batch and run the file with the right one",
  ],
  reference_conflict: [
    "its reference was used for another {party}, {differing} in {other}",
    "Correct the reference, or release it",
  ],
  near_duplicate: [
    "same {party} with another {differingnear}{otherway} as {other}{open}: one may be the correction of the other",
    "Compare both; release it if both are meant{instead}",
  ],
  repeat_in_file: ["same payment as {other}", "Release it if both are meant, else cancel the batch once the rest went"],
  other_row_open: [
    "same payment as {other}, which has no end yet",
    "See to that row first: paydrop status {otherbatch}",
  ],
  origin_accepted: [
    "it corrects {other}: there is nothing left to correct",
    "Cancel the batch once the rest went, or release it if it is to be carried out as well",
  ],
  corrected_twice: [
    "{other} corrects the same row of an earlier file",
    "Delete one of the two, or release it if both are meant",
  ],
  payee_changed: [
    "{payee} the row that it corrects",
    "Ask the {party} on a number that you know, then paydrop release {id} --row N --by NAME --reason TEXT",
  ],
  all_or_nothing: [
    "other rows of this file need a correction, or a person's decision",
    "See to those rows: correct them and drop the file again, or release them",
  ],
};

/** A loan is applied for once: no month makes another one of it. */
const OF_LOANS: Readonly<Partial<Record<HoldCode, string>>> = {
  same_file: "All of these loans once more? Release it. The same applications again? Cancel the batch",
  possible_duplicate:
    "The same application again? Cancel the batch once the rest went. Another loan of this borrower? Release it",
};

/** What to do where a period is stated already, and stating it again would help nobody. */
const OF_A_PERIOD: Readonly<Partial<Record<HoldCode, string>>> = {
  same_file:
    "Another payment than that one, in the period that is stated? Release it. The same payments again? Cancel the batch",
  possible_duplicate:
    "The same payment again? Cancel the batch once the rest went. Both meant, in the period that is stated? Release it",
};

/** What to do about a row that will wait, before its file is run: there is no batch yet. */
const BEFORE_IT_RUNS: Readonly<Partial<Record<HoldCode, string>>> = {
  payee_changed: "Ask the {party} on a number that you know, then run the file: the row waits until it is released",
  period_unclear:
    "See that the period and the file's name say the month that is meant; what waits all the same is released, if both payments are meant",
  // to be said early: a reference that comes when other rows went without one makes the whole file wait, and look
  // unpaid
  repeat_in_file: "Give each row its own reference, or delete one; else it waits until it is released",
};

const REJECTED: Words = ["The service refused this row{answer}", CORRECT];
const UNKNOWN: Words = ["No clear answer. Check before you do anything", CHECK];
/** For results that are written again while another process sends. Rows of a process that died are unknown instead. */
const BEING_SENT: Words = [
  "No answer yet: it is being sent at this moment",
  "Nothing now; look again when that run ends",
];
const WAITING = "Waiting for a person";
const HELD_ACTION = "Release it, or cancel the batch once the rest went";
const DUPLICATE: Words = ["This row was already accepted{before}", "Nothing, or release"];
const GIVEN_BACK = "Not sent: {sameas} is the same payment, which was settled as not done since";
const BY_RELEASE = "If it is to be made again: paydrop release {id} --row {number} --by NAME --reason TEXT";
const SETTLED_DONE: Words = ["Settled as done by {by}", NOTHING];
const SETTLED_NOT_DONE: Words = ["Settled as not done by {by}", BY_RETRY];

const CANCELLED = "The batch was cancelled: a row that must go after all goes in a new file";

const READY: Readonly<Record<BatchPhase, Words>> = {
  recording: ["Not sent yet", "Will go when the file is run again"],
  open: ["Not sent yet", "Will go when the file is run again"],
  paused: ["Not sent yet: the batch is paused", "Will go when the batch is resumed"],
  cancelled: ["Not sent: the batch was cancelled", NOTHING],
};

/** What is said of a row by its state, in a batch of this phase. */
export function wordsOf(record: RowRecord, phase: BatchPhase): Words {
  switch (record.state) {
    case "accepted":
      return wordsOfReason(record.code) ?? BY_REASON.accepted;
    case "rejected": {
      const words = wordsOfReason(record.code) ?? REJECTED;
      return phase === "cancelled" && isResumable(record) ? [words[0], NOTHING] : words;
    }
    case "unknown":
      return wordsOfReason(record.code) ?? UNKNOWN;
    case "sending":
      return BEING_SENT;
    case "not_sent":
      return phase === "cancelled" ? READY.cancelled : (wordsOfReason(record.code) ?? READY[phase]);
    case "ready":
      return READY[phase];
    case "held":
      return phase === "cancelled" ? READY.cancelled : waiting(wordsOfHold(record));
    case "duplicate":
      return duplicateWords(record, phase);
    case "settled_done":
      return SETTLED_DONE;
    case "settled_not_done":
      return phase === "cancelled" ? [SETTLED_NOT_DONE[0], NOTHING] : SETTLED_NOT_DONE;
    case "invalid":
      return [`Not sent: row ${record.number} needs a correction`, CORRECT];
    default:
      return record.state satisfies never;
  }
}

/** A payment that the bank gave back is made once more by its own batch; nothing of a cancelled batch goes any more. */
function duplicateWords({ givenBackIn }: RowRecord, phase: BatchPhase): Words {
  if (givenBackIn === undefined) return phase === "cancelled" ? [DUPLICATE[0], NOTHING] : DUPLICATE;
  if (phase === "cancelled") return [GIVEN_BACK, NOTHING];
  return [
    GIVEN_BACK,
    givenBackIn === "cancelled" ? BY_RELEASE : "If it is to be made again: paydrop retry {otherbatch}",
  ];
}

/** Why a held row waits. `taken`: the phase of its batch, where there is one. */
export function holdWordsOf(record: RowRecord, taken: BatchPhase | undefined): Words {
  const [message, later] = wordsOfHold(record) ?? [WAITING, HELD_ACTION];
  if (taken === "cancelled") return [message, CANCELLED];
  return [message, taken ? later : (BEFORE_IT_RUNS[record.code as HoldCode] ?? later)];
}

function wordsOfReason(code: string | undefined): Words | undefined {
  return code !== undefined && Object.hasOwn(BY_REASON, code) ? BY_REASON[code as Reason] : undefined;
}

function waiting(words: Words | undefined): Words {
  return words ? [`${WAITING}: ${words[0]}`, words[1]] : [WAITING, HELD_ACTION];
}

function wordsOfHold({ code, operation, hasPeriod }: RowRecord): Words | undefined {
  if (code === undefined || !Object.hasOwn(BY_HOLD, code)) return undefined;
  const [message, action] = BY_HOLD[code as HoldCode];
  const ofLoan = operation === "loan" ? OF_LOANS[code as HoldCode] : undefined;
  return [message, ofLoan ?? (hasPeriod ? OF_A_PERIOD[code as HoldCode] : undefined) ?? action];
}
