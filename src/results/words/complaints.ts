import type { Fault } from "../../checks/fault.ts";
import { defined } from "../../defined.ts";
import type { BatchPhase } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import { correctionText } from "./correction-words.ts";
import { RowRanges } from "../row-ranges.ts";
import { holdSentenceOf } from "./sentences.ts";

/** What a complaint means for its row: it does not go, it waits for a person, it goes and should be looked at, or says what changed. */
export type ComplaintLevel = "invalid" | "held" | "warning" | "corrected";

/** One thing to say about one row. */
export interface Complaint {
  readonly row: number;
  /** By the file's own header. */
  readonly column?: string;
  /** `G14`. */
  readonly cell?: string;
  readonly message: string;
  readonly hint: string;
}

/** What is alike: the same code in the same column. */
export interface ComplaintGroup {
  readonly level: ComplaintLevel;
  readonly code: string;
  readonly column?: string;
  /** How many there are. */
  readonly count: number;
  /** The first of them, in input order. */
  readonly first: readonly Complaint[];
  /** Rows of the others, as they are told. */
  readonly rest: RowRanges;
}

/** So many of a kind are told in full, unless all are asked for. */
const SHOWN_OF_A_KIND = 5;
/** Rows of JSON may each have columns of their own: kinds beyond these are told together. */
const KINDS_MAX = 500;

const ORDER: readonly ComplaintLevel[] = ["invalid", "held", "warning", "corrected"];

interface Gathered extends ComplaintGroup {
  count: number;
  readonly first: Complaint[];
}

/** Gathers complaints by kind as they come; memory grows with the kinds, not with the rows. */
export class Complaints {
  readonly #shownMax: number;
  readonly #groups = new Map<string, Gathered>();

  constructor(shownMax: number = SHOWN_OF_A_KIND) {
    this.#shownMax = shownMax;
  }

  /** All that the journal and the checks say of a row. `taken`: the phase of its batch, where there is one. */
  addRow(record: RowRecord, batchId: string, taken?: BatchPhase): void {
    for (const fault of record.faults ?? []) this.#add("invalid", record.number, fault);
    if (record.state === "held") this.#add("held", record.number, holdOf(record, batchId, taken));
    if (record.correction)
      this.#add("corrected", record.number, { ...CORRECTED, message: correctionText(record.correction) });
    for (const warning of record.warnings ?? []) this.#add("warning", record.number, warning);
  }

  /** What stops a row first, then what waits, then what is only pointed out. */
  groups(): ComplaintGroup[] {
    const groups = [...this.#groups.values()];
    return ORDER.flatMap((level) => groups.filter((group) => group.level === level));
  }

  #add(level: ComplaintLevel, row: number, { code, column, cell, message, hint }: Fault): void {
    const group = this.#groupOf(level, code, column);
    group.count += 1;
    if (group.first.length < this.#shownMax) {
      group.first.push(defined({ row, column, cell, message, hint }));
    } else group.rest.add(row);
  }

  #groupOf(level: ComplaintLevel, code: string, column: string | undefined): Gathered {
    const key = JSON.stringify([level, code, column]);
    const known = this.#groups.get(key);
    if (known) return known;
    if (this.#groups.size >= KINDS_MAX && code !== OTHERS) return this.#groupOf(level, OTHERS, undefined);
    const made: Gathered = { ...defined({ level, code, column }), count: 0, first: [], rest: new RowRanges() };
    this.#groups.set(key, made);
    return made;
  }
}

const CORRECTED = { code: "corrected", hint: "" };
const OTHERS = "others";

/** Why a row waits for a person. */
export function holdOf(record: RowRecord, batchId: string, taken?: BatchPhase): Fault {
  const { message, action } = holdSentenceOf(record, batchId, taken);
  return { code: record.code ?? "", message, hint: action };
}
