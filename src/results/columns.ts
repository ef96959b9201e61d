import { join } from "node:path";
import { FirstOfKind } from "../checks/check-file.ts";
import { normalizeName } from "../column-name.ts";
import type { FileFormat } from "../file-format.ts";
import type { BatchRecord, JournalStore, RowRecord } from "../journal/store.ts";
import { ofBatch } from "../messages/commands.ts";
import { wordsOf } from "../messages/faults.ts";
import { holdFault, tellHold } from "../messages/holds.ts";
import { tellOutcome } from "../messages/outcomes.ts";
import { commandLine, sentencesOf, todoLine, told, unended, type Fault, type Told } from "../messages/sentence.ts";
import { ROW_SENTENCES } from "../messages/statuses.ts";
import { operationNamed } from "../operations/index.ts";
import { printable } from "../printable.ts";
import type { Row, Table } from "../reader/row.ts";
import { goesAgainAsItIs } from "../submission/again.ts";
import { inStatementText, type InStatement } from "./in-statement.ts";
import { tableIn, type OutRow, type OutTable } from "./table.ts";
import { recordsOf, statusOf } from "./totals.ts";
import type { OutCell } from "./workbook.ts";

interface Line {
  readonly record: RowRecord;
  readonly batch: BatchOfRow;
  /** As the file says it; it is not sent. */
  readonly reference: string | undefined;
  readonly inStatement: InStatement | undefined;
  readonly message: string;
  readonly action: string;
}

type Columns = Readonly<Record<string, (line: Line) => OutCell>>;

const RESPONSE_CHARACTERS_MAX = 200;

/**
 * The columns of a results file before the file's own ones (README §9). Readers go by these names: columns are only ever
 * added, at the end of the second list.
 */
const BEFORE: Columns = {
  result_row: ({ record }) => record.row,
  result_status: ({ record }) => statusOf(record),
  result_http_status: ({ record }) => record.httpStatus ?? null,
  result_message: ({ message }) => message,
  result_action: ({ action }) => action,
};

/** And those behind the file's own ones. */
const AFTER: Columns = {
  result_operation: ({ record }) => record.operation ?? "",
  result_amount: ({ record: { amount } }) => (amount === undefined ? "" : { amount }),
  result_reference: ({ reference = "" }) => printable(reference),
  result_attempts: ({ record }) => record.attempts,
  result_sent_at: ({ record: { sentAt } }) => (sentAt === undefined ? "" : new Date(sentAt).toISOString()),
  result_duration_ms: ({ record }) => record.durationMs ?? null,
  result_response: ({ record: { response = "" } }) => printable(response, RESPONSE_CHARACTERS_MAX),
  result_duplicate_of({ record }) {
    const other = record.reasons.find((reason) => reason.other)?.other;
    return other ? `${other.batch}:${other.row}` : "";
  },
  // after a row went again its answer counts; who settled it before stands among the acts
  result_settled_by: ({ record }) => (record.state.startsWith("settled_") ? printable(record.settledBy ?? "") : ""),
  result_batch: ({ batch }) => batch.id,
  result_seen: ({ inStatement }) => inStatementText(inStatement),
};

const BEFORE_OF = Object.values(BEFORE);
const AFTER_OF = Object.values(AFTER);
const RETRY_COLUMNS = ["retry_message", "retry_of"] as const;
/** In a workbook, in characters. */
const WIDTHS = { result_message: 50, result_action: 40, result_sent_at: 26, result_response: 40, retry_message: 70 };

/** One line per row of the file, in its order (I3). */
export function resultsTable({ header = [] }: Table, format: FileFormat): OutTable {
  const names = { before: Object.keys(BEFORE), after: Object.keys(AFTER) };
  return tableIn(format, { ...names, widths: WIDTHS, sheet: "results" }, header);
}

/** The file's own columns, ready to correct and drop again; what an earlier retry file added is left out. */
export function retryTable({ header = [], wrapper, reading }: Table, format: FileFormat): OutTable {
  const names = { before: [], after: RETRY_COLUMNS, dropped: RETRY_COLUMNS.map(normalizeName) };
  // by its name the sheet is found again where one is configured
  return tableIn(format, { ...names, isInput: true, widths: WIDTHS, sheet: reading.sheet ?? "retry" }, header, wrapper);
}

export function resultsRow(
  row: Row,
  record: RowRecord,
  batch: BatchOfRow,
  { reference, inStatement }: Pick<Line, "reference" | "inStatement">,
): OutRow {
  const words = tellRow(record, batch);
  const line: Line = { record, batch, reference, inStatement, message: words.text, action: todoLine(words) };
  return { before: BEFORE_OF.map((valueOf) => valueOf(line)), row, after: AFTER_OF.map((valueOf) => valueOf(line)) };
}

/** The same row for the retry file: what to correct, and which row of which batch it was. */
export function retryRow(row: Row, record: RowRecord, batch: BatchOfRow): OutRow {
  const words = tellRow(record, batch);
  return { before: [], row, after: [`${words.text} → ${todoLine(words)}`, `${batch.id}:${record.row}`] };
}

/** The batch of a row, as far as its line in the results tells of it. */
export type BatchOfRow = Pick<BatchRecord, "id" | "phase" | "fileName">;

const FAULTS_SHOWN = 5;
const RESPONSE_SAID_MAX = 120;

/** What a person reads of one row in results and report: what happened, and what to do. */
export function tellRow(record: RowRecord, batch: BatchOfRow): Told {
  const { correctedBy, notices } = record;
  let said = ofState(record, batch);
  // what was wrong stays said; nothing is left to do about it
  if (correctedBy) {
    const place = correctedBy.batch === batch.id ? "this file" : `batch ${correctedBy.batch}`;
    said = told(ROW_SENTENCES.corrected, { said: unended(said.text), row: correctedBy.row, place });
  }
  const { state, lateAnswer } = record;
  if (state === "unknown" && lateAnswer !== undefined) {
    // of a row of a lost host (README §13): evidence for whoever settles it
    const heard = `"${printable(lateAnswer.replaceAll('"', "'").trim(), RESPONSE_SAID_MAX)}"`;
    said = doing(said, told(ROW_SENTENCES.late, { said: unended(said.text), heard }));
  }
  if (notices.length > 0)
    said = doing(said, told(ROW_SENTENCES.noticed, { said: unended(said.text), notes: listOf(notices) }));
  return doing(said, { ...said, todo: OVER });
}

const OVER = told(ROW_SENTENCES.over).todo;

/** What `last` says, with what `first` says to do, if that is anything. */
function doing({ todo, commands }: Pick<Told, "todo" | "commands">, last: Told): Told {
  return todo === "" && commands.length === 0 ? last : { ...last, todo, commands };
}

function ofState(record: RowRecord, batch: BatchOfRow): Told {
  const { state } = record;
  const [again, by] = [record.attempts > 0 ? " again" : "", printable(record.settledBy ?? "a person", 80)];
  switch (state) {
    case "accepted":
    case "rejected":
    case "unknown":
    case "not_sent":
      return ofOutcome(record, batch);
    case "ready":
      if (record.onItsWay) return told(ROW_SENTENCES.on_its_way);
      return told(ROW_SENTENCES[batch.phase === "cancelled" ? "cancelled" : "ready"], {
        ...{ again, batch: batch.id, phase: batch.phase },
      });
    case "invalid": {
      return doing(allOf(record.faults), told(ROW_SENTENCES.invalid, { faults: listOf(record.faults) }));
    }
    case "held":
    case "duplicate": {
      const { why, ...first } = whyOf(record, batch);
      return doing(first, told(ROW_SENTENCES[state], { again, why }));
    }
    case "cancelled":
    case "settled_done":
    case "settled_not_done":
      return told(ROW_SENTENCES[state], { again, by, batch: batch.id, phase: batch.phase });
  }
}

const ACCEPTED = new Map<string, Told>();

function ofOutcome(record: RowRecord, { id, phase }: BatchOfRow): Told {
  const { state, code = "", operation, httpStatus, durationMs, retryOf } = record;
  // what most rows are: nothing of it depends on the row
  const usual = code === "accepted" && operation && ACCEPTED.get(operation);
  if (usual) return usual;
  const accepted = operation === undefined ? "Accepted" : operationNamed(operation).accepted;
  const response = record.response && printable(record.response.trim(), RESPONSE_SAID_MAX);
  const other = retryOf && `row ${retryOf.row} of batch ${retryOf.batch}`;
  const facts = { batch: id, accepted, other, httpStatus, durationMs, response };
  const outcome = tellOutcome(code, facts) ?? { ...told(ROW_SENTENCES.not_known), text: code };
  if (code === "accepted" && operation) ACCEPTED.set(operation, outcome);
  const isLeft = state === "not_sent" || goesAgainAsItIs(record);
  const { text } = outcome;
  if (phase === "paused" && isLeft) return { ...told(ROW_SENTENCES.paused, { batch: id }), text };
  if (phase !== "cancelled" || !(isLeft || code === "no_funds")) return outcome;
  return { ...told(ROW_SENTENCES[isLeft ? "cancelled" : "left_without_funds"]), text };
}

/** All reasons are told at once; what to do is said by the first, which gave the row its state. */
function whyOf(record: RowRecord, { id, fileName }: BatchOfRow) {
  const about = { batch: id, row: record.row, file: fileName };
  const texts = [
    ...untold(record).map((reason) => tellHold(reason, about)),
    ...record.faults.map((one) => ofBatch(wordsOf(one), id)),
  ];
  const [first] = record.reasons.map((reason) => tellHold(reason, about));
  const { todo = "", commands = [] } = first ?? texts[0] ?? {};
  return { why: printable(texts.map(({ text }) => text).join("; ")), todo: printable(todo), commands };
}

/** Of faults of a row all that is to be done, each once. */
function allOf(faults: readonly Fault[]): Pick<Told, "todo" | "commands"> {
  const all = faults.slice(0, FAULTS_SHOWN).map(wordsOf);
  const commands = all.flatMap((one) => one.commands);
  const lines = new Map(commands.map((command) => [commandLine(command), command]));
  return { todo: printable(sentencesOf([...new Set(all.map(({ todo }) => todo))])), commands: [...lines.values()] };
}

/** Reasons that no column of the file says, too. */
function untold({ reasons, faults }: RowRecord): RowRecord["reasons"] {
  return reasons.filter(({ code }) => !faults.some((fault) => fault.code === code));
}

/** `ifsc_code (G14): "SBIN00123" has 9 characters; …`. */
function listOf(faults: readonly Fault[]): string {
  const shown = faults.slice(0, FAULTS_SHOWN).map((fault) => {
    const place = [fault.column, fault.cell && `(${fault.cell})`].filter(Boolean).join(" ");
    return `${place && `${place}: `}${wordsOf(fault).text}`;
  });
  const more = faults.length - FAULTS_SHOWN;
  return printable(`${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`);
}

/** Why rows are invalid or held: the first of each kind, in input order. */
export function createFirstFaults({ folder, fileName }: Pick<BatchRecord, "folder" | "fileName">, max?: number) {
  // as `paydrop run` takes it
  const file = join(folder, fileName);
  const [invalid, held] = [new FirstOfKind(), new FirstOfKind(max)];
  const add = (record: RowRecord): void => {
    const { row, state, faults, correctedBy, batch } = record;
    if (state === "invalid" && !correctedBy) invalid.add(faults);
    const reasons = untold(record).map((reason) => holdFault(reason, { batch, row, file }));
    if (state === "held") held.add([...faults, ...reasons]);
  };
  return { invalid, held, add };
}

export async function firstHeld(store: Pick<JournalStore, "rows">, batch: BatchRecord, max?: number) {
  const faults = createFirstFaults(batch, max);
  for await (const page of recordsOf(store, batch.id, { states: ["held"] })) for (const one of page) faults.add(one);
  return faults.held.first;
}
