import { dayOf } from "../day.ts";
import { asWord } from "../printable.ts";
import { cancelHeldCommand, releaseCommand, settleCommand } from "./statuses.ts";
import { told, type Catalogue, type Facts, type Fault, type Told } from "./sentence.ts";

/** Why a row waits for a person, or is a duplicate, by code (DESIGN §7). The harmless thing to do comes first. */
export const HOLDS = {
  same_payment: `This payment was accepted already{when} ({other})
    → Nothing to do if it is the same payment. Another month: paydrop run {file} --period YYYY-MM`,
  reference_used: `Its reference was used for another payment ({other})
    → Nothing to do if that payment is enough. If the reference is wrong, correct it and drop the file again. If it is right: {release}`,
  open_elsewhere: `{Other} is the same payment and has no end yet: it is unclear, held, waiting or on its way
    → See to that row first: paydrop status {otherBatch}. This row is judged again when that one has its end`,
  correction: `The row that it corrects went, or was corrected before ({other})
    → Nothing to do if that one is enough. If this row is meant as well: {release}`,
  other_payee: `It pays another payee than the row that it corrects ({other})
    → If the payee is wrong, correct the file. If it is right, somebody else than who corrected it says so: {release}`,
  maybe_paid: `The same payment was accepted{when} ({other}), and nothing tells them apart
    → Nothing to do if it is the same payment. Another month: {cancel}, then paydrop run {file} --period YYYY-MM. If this row is meant as well: {release}`,
  other_amount: `{Other} pays this payee another amount, and this file corrects that one
    → Nothing to do if that amount is right. If this row is meant as well: {release}`,
  repeat_in_file: `Row {otherRow} of this file is the same payment, and nothing tells them apart
    → Nothing to do if it stands there twice by mistake. If both are meant: {release}`,
  same_file: `These very payments went already{when} (batch {otherBatch})
    → Nothing to do if they are the same payments. Another month, and none is stated: {cancel}, then paydrop run {file} --period YYYY-MM. If they are meant again: paydrop release {batch} --all --by NAME --reason TEXT`,
  mostly_paid: `Most rows of this file repeat batch {otherBatch}, so this one waits with them
    → Was the month forgotten? {cancel}, then paydrop run {file} --period YYYY-MM. If this row is a new one: {release}`,
  not_now: "A column says that it is not to go now → Nothing to do until then. If it is to go now: {release}",
  all_or_nothing: `Another row of the file is invalid, and the settings send the whole file or nothing
    → {cancel}, then correct the invalid row and drop the file again`,
} as const satisfies Catalogue;

/** Why a row was not let go, by reason. */
export const NOT_RELEASED = {
  not_held: "Row {row} is not held → Nothing to do: only held and duplicate rows are released",
  settle_first: "Row {row} is held for {other}, and nobody knows whether that went → Settle that one first: {settle}",
  on_its_way: "Row {row} is held for {other}, which is on its way → Wait for its end: paydrop status {otherBatch}",
} as const satisfies Catalogue;

/** A row of another batch, or of the same. */
interface Other {
  readonly batch: string;
  readonly row: number;
}

/** A reason of the rules, as the journal keeps it. */
export interface HoldReason {
  readonly code: Exclude<keyof typeof HOLDS, "other_payee">;
  /** The row that it is about, and when that one went. */
  readonly other?: Other | undefined;
  readonly at?: number;
  /** Of a correction: it pays another payee than `other`. */
  readonly isOtherPayee?: true;
}

interface About {
  readonly batch: string;
  readonly row: number;
  /** As `paydrop run` takes it. */
  readonly file: string;
}

/** Why one row waits, and what a person can do. */
export function tellHold(reason: HoldReason, about: About): Told {
  return told(HOLDS[codeOf(reason)], factsOf(reason, about));
}

/** The same among the faults of a file. */
export function holdFault(reason: HoldReason, about: About): Fault {
  return { code: codeOf(reason), row: about.row, facts: factsOf(reason, about) };
}

function codeOf({ code, isOtherPayee }: HoldReason): keyof typeof HOLDS {
  return isOtherPayee ? "other_payee" : code;
}

/** A line for whoever asked for the row to be let go. */
export function tellNotReleased(
  { row, why, other }: { readonly row: number; readonly why: keyof typeof NOT_RELEASED; readonly other?: Other },
  batch: string,
): string {
  const { text, todo } = told(NOT_RELEASED[why], factsOf({ other }, { batch, row, file: "" }));
  return `${text}\n  → ${todo}`;
}

function factsOf({ other, at }: Pick<HoldReason, "other" | "at">, { batch, row, file }: About): Facts {
  const of = other === undefined || other.batch === batch ? "" : ` of batch ${other.batch}`;
  const named = other === undefined ? "another row" : `row ${other.row}${of}`;
  return {
    ...{ batch, row, other: named, Other: named.charAt(0).toUpperCase() + named.slice(1) },
    ...{ otherBatch: other?.batch, otherRow: other?.row, settle: other && settleCommand(other.batch, other.row) },
    ...{ when: at === undefined ? "" : ` on ${dayOf(at)}`, file: asWord(file) },
    ...{ cancel: cancelHeldCommand(batch), release: releaseCommand(batch, row) },
  };
}
