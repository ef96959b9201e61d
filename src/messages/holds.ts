import { dayOf } from "../day.ts";
import { formOfPeriod } from "../period.ts";
import * as commands from "./commands.ts";
import { led, ofOther } from "./commands.ts";
import { counted, told, type Catalogue, type Facts, type Fault, type Told } from "./sentence.ts";

const toSaySo = led("To say so", commands.cancelHeld);
const onceMore = led("If it is meant once more", commands.release);
const IF_THE_SAME = "Nothing to do if it is the same payment.";
const asItStands = led("If it is right as it stands", commands.release);
/** Where the other row states a period, and this one does not. */
const otherPeriod = led("Another {form} than {period}: after that,", commands.onPeriod);

/** Why a row waits for a person, or is a duplicate, by code (README §7). The harmless thing to do comes first. */
export const HOLDS = {
  approval_wanted: [
    "{by} let it go, and somebody else must approve that → Nothing to do for {by}: somebody else approves it.",
    led("How", commands.approve),
    led("If it is not to go", commands.cancelRow),
  ],
  same_payment: [
    "This payment was accepted already{when} ({other}) → Nothing to do: it is the same payment.",
    led("If one more is meant", commands.release),
  ],
  reference_used: [
    `Its reference was used for another payment ({other})
      → Nothing to do if that payment is enough. If the reference is wrong, correct it and drop the file again.`,
    led("If it is right", commands.release),
  ],
  open_elsewhere: ({ isHeld }) => [
    `{Other} is the same payment and has no end yet: it is ${isHeld ? "held" : "unclear, held, waiting or on its way"}
      → See to that row first. This row is judged again when that one has its end.`,
    isHeld
      ? led("If this row is the right one", ofOther(commands.cancelRow))
      : led("Where it stands", ofOther(commands.status)),
  ],
  correction: [
    `The row that it corrects went, goes, or is corrected by another one ({other})
      → Nothing to do if that one is enough.`,
    led("If this row is meant as well", commands.release),
  ],
  other_payee: ({ zeros }) =>
    zeros === undefined
      ? [
          "It pays another payee than the row that it corrects ({other}) → If the payee is wrong, correct the file.",
          led("If it is right, somebody else than who corrected it says so", commands.release),
        ]
      : [
          `The number of its payee has {fewer} in front than in {other}
            → Excel takes zeros away: correct the file.`,
          led("How", commands.helpOn("excel")),
          led("If the number is right, somebody else than who made the file says so", commands.release),
        ],
  other_writing: ({ written }) => [
    `Its ${written === "payee" ? "payee" : "reference"} is written otherwise in {other}: capitals, spaces, signs or zeros
      → Nothing to do if it is that payment. If both are one and the same, write it as there and drop the file again.`,
    asItStands,
  ],
  maybe_paid: ({ period }) => [
    `The same payment was accepted{when} ({other}), and nothing tells them apart → ${IF_THE_SAME}`,
    toSaySo,
    ...(period === undefined ? [] : [otherPeriod]),
    onceMore,
  ],
  other_amount: [
    `{amount} went to this payee already, or still goes ({other}), in a file that this one repeats or replaces
      → Nothing to do if that amount is right.`,
    led("Released, this row goes as well, on top of it", commands.release),
  ],
  repeat_in_file: [
    `Row {otherRow} of this file is the same payment, and nothing tells them apart
      → Nothing to do if it stands there twice by mistake.`,
    led("If both are meant", commands.release),
  ],
  too_many: [
    `More rows than can be compared are the same payment, have its reference, or are corrected with it
      → Nothing to do if it went with one of them.`,
    toSaySo,
    led("Only if you know that it did not go", commands.release),
  ],
  same_file: ({ period, own }) => [
    `These very payments went already{when} ${own === undefined ? "(batch {otherBatch})" : "(batch {otherBatch}, period {before}), and this file says {own}"}
      → ${period === undefined ? "Nothing to do if it is the same file by mistake." : IF_THE_SAME}`,
    toSaySo,
    ...(period === undefined
      ? [led(own === undefined ? "If they are meant once more" : "If {own} is right", commands.releaseAll)]
      : [otherPeriod, onceMore]),
  ],
  mostly_paid: ({ period }) => [
    `Most rows of this file repeat batch {otherBatch}, so this one waits with them
      → ${period === undefined ? "Nothing to do if the others went already." : IF_THE_SAME}`,
    toSaySo,
    ...(period === undefined ? [led("If this row is a new one", commands.release)] : [otherPeriod, onceMore]),
  ],
  other_account: [
    `This person was paid to another account until now ({was}{other}{when})
      → Ask the person by a number that you knew before, not by the one in a mail: mails that say so are how wages are stolen.`,
    led("How such thefts go", commands.helpOn("accounts")),
    led("If the person did not ask for it, say that nothing is to be sent to it", commands.cancelRow),
    led("If the person says that it is right, somebody else than who brought the file says so", commands.release),
  ],
  money_back: [
    `Row {otherRow} of this file is money back, and paydrop cannot take money back: paid in full, this row is too much
      → Take it out, then write one row with what the payee gets in all, and drop the file again.`,
    led("To take it out", commands.cancelHeld),
    led("If this row is right as it stands", commands.release),
  ],
  not_now: [
    "A column says that it is not to go now → Nothing to do until then.",
    led("If it is to go now", commands.release),
  ],
  contradiction: [
    "{notDone} said that it did not go, and {done} said that it went → Look it up once more, both of you.",
    led("If it went", commands.settle("done")),
    led("If it did not", commands.release),
  ],
  all_or_nothing: [
    `Another row of the file is invalid, and the settings send the whole file or nothing
      → Say that nothing is to be sent for it, then correct the invalid row and drop the file again.`,
    toSaySo,
  ],
} as const satisfies Catalogue;

/** Why a row was not let go, by reason. */
export const NOT_RELEASED = {
  approval_wanted: [
    "Row {row} was let go already, and waits for approval → Somebody else approves it.",
    led("How", commands.approve),
  ],
  own: [
    `Row {row} pays another payee than the row that it corrects, and {by} brought the file
      → Somebody else, who asked that payee, lets it go.`,
    led("How", commands.release),
  ],
  own_account: [
    `Row {row} pays a person to another account than until now, and {by} brought the file
      → Somebody else, who asked that person, lets it go.`,
    led("How", commands.release),
  ],
  not_held: "Row {row} is not held → Nothing to do: only held and duplicate rows are released",
  settle_first: [
    "Row {row} is held for {other}, and nobody knows whether that went → Settle that one first.",
    led("How", ofOther(commands.settle())),
  ],
  contradiction: [
    `Row {row} is held because two people said two things about it
      → Look it up, then say it of that row alone.`,
    led("To let it go", commands.release),
  ],
  on_its_way: [
    "Row {row} is held for {other}, which is on its way → Wait for its end.",
    led("Where it stands", ofOther(commands.status)),
  ],
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
  /** The amount of the other row, and the last four of its account. */
  readonly amount?: string;
  readonly last4?: string;
  /** The period of the other row: stating another one would tell the two apart. */
  readonly period?: string;
  /** The period of the other file and that of this one: `same_file`. */
  readonly periods?: readonly [before: string, own: string];
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
  { other, at, zeros, written, isHeld, amount, last4, period, periods, by, notDone, done }: Omit<HoldReason, "code">,
  { batch, row, file }: About,
): Facts {
  const [before, own] = periods ?? [];
  const of = other === undefined || other.batch === batch ? "" : ` of batch ${other.batch}`;
  const named = other === undefined ? "another row" : `row ${other.row}${of}`;
  const fewer = zeros && counted(Math.abs(zeros), zeros < 0 ? "zero fewer|zeros fewer" : "zero more|zeros more");
  return {
    ...{ batch, row, other: named, Other: named.charAt(0).toUpperCase() + named.slice(1) },
    ...{ otherBatch: other?.batch, otherRow: other?.row, isHeld: Number(isHeld ?? 0) },
    ...{ when: at === undefined ? "" : ` on ${dayOf(at)}`, file },
    ...{ was: last4 === undefined ? "" : `••${last4}, `, zeros, fewer, written, amount },
    ...{ period, form: period && formOfPeriod(period), before, own, by, notDone, done },
  };
}
