import { dayOf } from "../day.ts";
import { asWord } from "../printable.ts";
import { cancelHeldCommand, cancelRowCommand, releaseCommand, settleCommand } from "./statuses.ts";
import { counted, told, type Catalogue, type Facts, type Fault, type Told } from "./sentence.ts";

/** Where the other row states a month, and this one does not. */
const OTHER_MONTH =
  "Nothing to do if it is the same payment. To say so: {cancel}. Another month than {period}: after that, paydrop run {file} --period YYYY-MM. If it is meant once more: {release}";

/** Why a row waits for a person, or is a duplicate, by code (DESIGN §7). The harmless thing to do comes first. */
export const HOLDS = {
  approval_wanted: `{by} let it go, and somebody else must approve that
    → Nothing to do for {by}: somebody else approves it. How: paydrop approve {batch} --by NAME --total SUM. If it is not to go: {cancelRow}`,
  same_payment: `This payment was accepted already{when} ({other})
    → Nothing to do: it is the same payment. If one more is meant: {release}`,
  reference_used: `Its reference was used for another payment ({other})
    → Nothing to do if that payment is enough. If the reference is wrong, correct it and drop the file again. If it is right: {release}`,
  open_elsewhere: ({ isHeld }) =>
    `{Other} is the same payment and has no end yet: it is ${isHeld ? "held" : "unclear, held, waiting or on its way"}
      → See to that row first. ${isHeld ? "If this row is the right one: {cancelOther}" : "Where it stands: paydrop status {otherBatch}"}. This row is judged again when that one has its end`,
  correction: `The row that it corrects went, goes, or is corrected by another one ({other})
    → Nothing to do if that one is enough. If this row is meant as well: {release}`,
  other_payee: ({ zeros }) =>
    zeros === undefined
      ? `It pays another payee than the row that it corrects ({other})
      → If the payee is wrong, correct the file. If it is right, somebody else than who corrected it says so: {release}`
      : `The number of its payee has {fewer} in front than in {other}
      → Excel takes zeros away: correct the file. How: paydrop help excel. If the number is right, somebody else than who made the file says so: {release}`,
  other_writing: ({ written }) =>
    `Its ${written === "payee" ? "payee" : "reference"} is written otherwise in {other}: capitals, spaces, signs or zeros
      → Nothing to do if it is that payment. If both are one and the same, write it as there and drop the file again. If it is right as it stands: {release}`,
  maybe_paid: ({ period }) =>
    `The same payment was accepted{when} ({other}), and nothing tells them apart
      → ${period === undefined ? "Nothing to do if it is the same payment. To say so: {cancel}. If it is meant once more: {release}" : OTHER_MONTH}`,
  other_amount: `{amount} went to this payee already, or still goes ({other}), in a file that this one repeats or replaces
    → Nothing to do if that amount is right. Released, this row goes as well, on top of it: {release}`,
  repeat_in_file: `Row {otherRow} of this file is the same payment, and nothing tells them apart
    → Nothing to do if it stands there twice by mistake. If both are meant: {release}`,
  too_many: `More rows than can be compared are the same payment, have its reference, or are corrected with it
    → Nothing to do if it went with one of them. To say so: {cancel}. Only if you know that it did not go: {release}`,
  same_file: ({ period }) =>
    `These very payments went already{when} (batch {otherBatch})
      → ${period === undefined ? "Nothing to do if they are the same payments. To say so: {cancel}. If they are meant once more: paydrop release {batch} --all --by NAME --reason TEXT --total SUM" : OTHER_MONTH}`,
  mostly_paid: ({ period }) =>
    `Most rows of this file repeat batch {otherBatch}, so this one waits with them
      → ${period === undefined ? "Nothing to do if the others went already. To say so: {cancel}. If this row is a new one: {release}" : OTHER_MONTH}`,
  money_back: `Row {otherRow} of this file is money back, and paydrop cannot take money back: paid in full, this row is too much
    → Take it out, then write one row with what the payee gets in all, and drop the file again. To take it out: {cancel}. If this row is right as it stands: {release}`,
  not_now: "A column says that it is not to go now → Nothing to do until then. If it is to go now: {release}",
  contradiction: `{notDone} said that it did not go, and {done} said that it went
    → Look it up once more, both of you. If it went: {wentAfterAll}. If it did not: {release}`,
  all_or_nothing: `Another row of the file is invalid, and the settings send the whole file or nothing
    → Say that nothing is to be sent for it, then correct the invalid row and drop the file again. To say so: {cancel}`,
} as const satisfies Catalogue;

/** Why a row was not let go, by reason. */
export const NOT_RELEASED = {
  approval_wanted:
    "Row {row} was let go already, and waits for approval → Somebody else approves it. → How: paydrop approve {batch} --by NAME --total SUM",
  own: "Row {row} pays another payee than the row that it corrects, and {by} brought the file → Somebody else, who asked that payee, lets it go. → How: {release}",
  not_held: "Row {row} is not held → Nothing to do: only held and duplicate rows are released",
  settle_first:
    "Row {row} is held for {other}, and nobody knows whether that went → Settle that one first. → How: {settle}",
  contradiction:
    "Row {row} is held because two people said two things about it → Look it up, then say it of that row alone. → To let it go: {release}",
  on_its_way:
    "Row {row} is held for {other}, which is on its way → Wait for its end. → Where it stands: paydrop status {otherBatch}",
} as const satisfies Catalogue;

interface NotReleased {
  readonly row: number;
  readonly other?: Other;
  readonly by?: string;
}

interface Other {
  readonly batch: string;
  readonly row: number;
}

/** A reason of the rules, as the journal keeps it. */
export interface HoldReason {
  readonly code: Exclude<keyof typeof HOLDS, "other_payee" | "other_writing">;
  /** The row that it is about, and when that one went. */
  readonly other?: Other | undefined;
  readonly at?: number;
  /** Of a correction: it pays another payee than `other`; `zeros`: its own with so many zeros more in front, or fewer. */
  readonly isOtherPayee?: true;
  readonly zeros?: number;
  /** Of a correction: what is written in another way there, but for zeros in front of a payee. */
  readonly written?: "payee" | "reference";
  /** The other row waits for a person, too: `open_elsewhere`. */
  readonly isHeld?: true;
  /** The amount of the other row. */
  readonly amount?: string;
  /** The period of the other row: stating another one would tell the two apart. */
  readonly period?: string;
  /** Who let it go, at `at`, while others are asked to approve: `approval_wanted`. */
  readonly by?: string;
  /** Who settled it as not done, and who says that it went: `contradiction`. */
  readonly notDone?: string;
  readonly done?: string;
}

interface About {
  readonly batch: string;
  readonly row: number;
  /** As `paydrop run` takes it. */
  readonly file: string;
}

export function tellHold(reason: HoldReason, about: About): Told {
  return told(HOLDS[codeOf(reason)], factsOf(reason, about));
}

export function holdFault(reason: HoldReason, about: About): Fault {
  return { code: codeOf(reason), row: about.row, facts: factsOf(reason, about) };
}

function codeOf({ code, isOtherPayee, written }: HoldReason): keyof typeof HOLDS {
  if (written) return "other_writing";
  return isOtherPayee ? "other_payee" : code;
}

export function notReleasedFacts({ row, other, by }: NotReleased, batch: string): Facts {
  return factsOf({ other, ...(by !== undefined && { by }) }, { batch, row, file: "" });
}

function factsOf(
  { other, at, zeros, written, isHeld, amount, period, by, notDone, done }: Omit<HoldReason, "code" | "isOtherPayee">,
  { batch, row, file }: About,
): Facts {
  const of = other === undefined || other.batch === batch ? "" : ` of batch ${other.batch}`;
  const named = other === undefined ? "another row" : `row ${other.row}${of}`;
  const fewer = zeros && counted(Math.abs(zeros), zeros < 0 ? "zero fewer|zeros fewer" : "zero more|zeros more");
  return {
    ...{ batch, row, other: named, Other: named.charAt(0).toUpperCase() + named.slice(1) },
    ...{ otherBatch: other?.batch, otherRow: other?.row, settle: other && settleCommand(other.batch, other.row) },
    ...{ when: at === undefined ? "" : ` on ${dayOf(at)}`, file: asWord(file) },
    ...{ zeros, written, amount, period, fewer, by, notDone, done },
    wentAfterAll: settleCommand(batch, row, "done"),
    ...{ isHeld: Number(isHeld ?? 0), cancelOther: other && cancelRowCommand(other) },
    ...{
      cancel: cancelHeldCommand(batch),
      cancelRow: cancelRowCommand({ batch, row }),
      release: releaseCommand(batch, row),
    },
  };
}
