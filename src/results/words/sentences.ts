import type { RowName } from "../../checks/correction.ts";
import type { Fault } from "../../checks/fault.ts";
import { counted } from "../../text/counted.ts";
import { dayOf } from "../../day.ts";
import type { BatchPhase, BatchRecord } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import { differing, formOf, operationNamed } from "../../operations/catalogue.ts";
import { printable } from "../../text/printable.ts";
import { correctionText } from "./correction-words.ts";
import { toldOf } from "./next-steps.ts";
import { CORRECT, holdWordsOf, wordsOf } from "./row-words.ts";

/** What a person reads of one row: what happened, and what to do. */
interface Sentence {
  readonly message: string;
  readonly action: string;
}

/** The batch of a row: another row of the same batch is called a row of this file. */
type OfBatch = Pick<BatchRecord, "id" | "phase" | "destination">;

/** `batch`: the row's own. */
export function sentenceOf(record: RowRecord, batch: OfBatch): Sentence {
  const sentence = sentenceOfState(record, batch);
  if (!record.correctedBy) return sentence;
  // what was wrong stays said; nothing is left to do about it
  const said = sentence.message.replace(/\.$/, "");
  const by = describeOther(record.correctedBy, batch.id);
  return { message: `${said}. Corrected by ${by}, which was accepted`, action: "Nothing" };
}

function sentenceOfState(record: RowRecord, batch: OfBatch): Sentence {
  if (record.state === "invalid" && record.faults?.length) {
    const { message, action } = sentenceOfFaults(record.faults);
    return { message: withNotes(message, record), action };
  }
  const [message, action] = wordsOf(record, batch.phase);
  const todo = toldOf(fill(action, record, batch.id), batch);
  return { message: withNotes(fill(message, record, batch.id), record), action: withLook(todo, record) };
}

/** A note is there to be looked at, also where nothing else is left to do. */
function withLook(action: string, { warnings = [] }: RowRecord): string {
  return warnings.length === 0 ? action : action.replace(/^Nothing(?=$|,)/, "Look at what result_message points out");
}

/** `. Corrects row 14 of batch K7Q29F3M: bank_acc_num ••4471 → ••4417`, and what is to be looked at. */
function withNotes(message: string, record: RowRecord): string {
  const { correction } = record;
  if (!correction) return withNote(message, record);
  return withNote(`${message.replace(/\.$/, "")}. Corrects ${printable(correctionText(correction))}`, record);
}

/** `. Look at ifsc_code (G14): "SBIN0123" has 8 characters …`: a warning stops nothing, and is said all the same. */
function withNote(message: string, { warnings = [] }: RowRecord): string {
  if (warnings.length === 0) return message;
  const more = warnings.length - FAULTS_SHOWN;
  const shown = warnings.slice(0, FAULTS_SHOWN).map(describeFault);
  const note = printable(`Look at ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`);
  return `${message.replace(/\.$/, "")}. ${note}`;
}

/** Why a held row waits, where it is said already that it does. `taken`: the phase of its batch, where there is one. */
export function holdSentenceOf(record: RowRecord, batchId: string, taken?: BatchPhase): Sentence {
  const [message, action] = holdWordsOf(record, taken);
  return { message: fill(message, record, batchId), action: fill(action, record, batchId) };
}

function fill(template: string, record: RowRecord, batchId: string): string {
  if (!template.includes("{")) return template;
  let pieces = PIECES.get(template);
  if (!pieces) PIECES.set(template, (pieces = template.split(/\{([a-z]+)\}/)));
  return pieces.map((piece, at) => (at % 2 === 0 ? piece : (FILLED[piece]?.(record, batchId) ?? ""))).join("");
}

/** Sentences cut at their braces: text, name, text and so on. */
const PIECES = new Map<string, readonly string[]>();

const FILLED: Readonly<Record<string, (record: RowRecord, batchId: string) => string>> = {
  accepted: ({ operation }) => (operation ? operationNamed(operation).acceptedMessage : "Accepted by the service"),
  answer: (record) => {
    const answer = printable((record.response ?? "").trim(), 120);
    return answer ? `: ${answer}` : ` (HTTP ${record.httpStatus ?? "status not known"})`;
  },
  party: ({ operation }) => partyOf(operation),
  payee: ({ operation, option, correction }) => {
    if (correction && correction.changes === undefined) return "it cannot be compared with";
    const account =
      partyOf(operation) === "payee" ? `payee account${option === "B" ? " or IFSC" : ""}` : partyOf(operation);
    return `its ${account} is not the one of`;
  },
  differing: ({ operation, option }) => {
    if (operation === undefined) return "amount";
    const found = operationNamed(operation);
    return differing(found, formOf(found, option));
  },
  differingnear: ({ operation, option }) => {
    if (operation === undefined) return "amount";
    const found = operationNamed(operation);
    const form = formOf(found, option);
    const { accountFields, beneficiaryFields = [] } = form ?? {};
    const beside = beneficiaryFields.filter((name) => accountFields?.includes(name) === false);
    return differing(found, form, ...beside.map((name) => (name === "ifsc_code" ? "IFSC" : name)));
  },
  http: ({ httpStatus }) => (httpStatus === undefined ? "" : ` (HTTP ${httpStatus})`),
  after: ({ durationMs }) => (durationMs === undefined ? "" : ` in ${Math.round(durationMs / 1000)} s`),
  other: ({ other, givenBackIn }, batchId) =>
    other ? describeOther(other, batchId, givenBackIn !== undefined) : "another row",
  sameas: ({ other }, batchId) => (other ? placeOf(other, batchId) : "another row"),
  otherbatch: ({ other }) => other?.batch ?? "",
  // of a file that was corrected in its place the payee may be the other one
  otherway: (record) => (openOther(record) ? ", or the other way round," : ""),
  open: (record) => (openOther(record) ? ", which had no end yet and may still go by itself" : ""),
  instead: (record) => {
    const other = openOther(record);
    return other ? `. Only this one? Cancel batch ${other.batch} first, where that row has not gone` : "";
  },
  batch: ({ other }) => (other ? ` as batch ${other.batch}${onDay(other.at)}` : ""),
  before: ({ other }, batchId) => {
    if (!other) return "";
    return `${onDay(other.at)} in ${other.batch === batchId ? "this file" : `batch ${other.batch}`}, row ${other.row}`;
  },
  id: (_, batchId) => batchId,
  number: ({ number }) => String(number),
  by: ({ settledBy }) => printable(settledBy ?? "a person", 80),
};

/**
 * The other row, where it was not accepted by then: it was unknown or on its way, ready, not sent, or refused for the key
 * or the address.
 */
function openOther({ other, givenBackIn }: RowRecord): RowRecord["other"] {
  return other?.at === undefined && !givenBackIn ? other : undefined;
}

function partyOf(operation: RowRecord["operation"]): string {
  return operation ? operationNamed(operation).party : "payee";
}

/**
 * `row 33 of batch H2MM, accepted 30 Sep 2026, and as 1 other row`; the date in UTC, so that results can be rebuilt byte
 * for byte (I11).
 */
function describeOther(
  { batch, row, at, more }: NonNullable<RowRecord["other"]>,
  batchId: string,
  isGivenBack = false,
): string {
  const accepted = at === undefined ? "" : `, accepted ${dayOf(at)}`;
  const since = isGivenBack ? ", settled by a person as not done since" : "";
  return `${placeOf({ batch, row }, batchId)}${accepted}${since}${more === undefined ? "" : `, and as ${counted(more, "other row")}`}`;
}

function placeOf({ batch, row }: RowName, batchId: string): string {
  return `row ${row} of ${batch === batchId ? "this file" : `batch ${batch}`}`;
}

function onDay(atMs: number | undefined): string {
  return atMs === undefined ? "" : ` on ${dayOf(atMs)}`;
}

const FAULTS_SHOWN = 5;

function sentenceOfFaults(faults: readonly Fault[]): Sentence {
  const more = faults.length - FAULTS_SHOWN;
  const shown = faults.slice(0, FAULTS_SHOWN).map(describeFault);
  const hints = [...new Set(faults.slice(0, FAULTS_SHOWN).map((fault) => fault.hint))].filter(Boolean);
  const message = `Not sent: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  return { message: printable(message), action: capitalised(printable(hints.join(" "))) || CORRECT };
}

/** `ifsc_code (G14): "SBIN00123" has 9 characters`. */
function describeFault({ column, cell, message }: Fault): string {
  if (column === undefined) return message;
  return `${column}${cell === undefined ? "" : ` (${cell})`}: ${message}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
