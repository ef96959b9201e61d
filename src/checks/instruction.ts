import type { Form, Operation, PayoutOption } from "../operations/operation.ts";
import type { Row } from "../reader/row.ts";
import { VALUE_SEPARATOR } from "../text/value-separator.ts";
import type { CompiledField, CompiledForm } from "./compile.ts";
import type { Fault } from "./fault.ts";
import { isUnusual } from "./cells/read-text.ts";

/** What a row says beside its fields; it is not sent. */
interface OwnValues {
  /** The user's own id. */
  readonly reference?: string | undefined;
  /** The period that this row states itself. */
  readonly period?: string | undefined;
}

/**
 * A valid row, ready to send (DESIGN §2). Its texts are made only when they are asked for: to write a row down needs no
 * payload, to send it needs nothing else.
 */
export class Instruction {
  readonly operation: Operation;
  readonly form: Form;
  /** The value of each field of the form in the payload, in the form's order; empty where it has none. Never stored. */
  readonly values: readonly string[];
  readonly reference: string | undefined;
  readonly period: string | undefined;
  readonly #compiled: CompiledForm;
  /** No value holds a character that JSON escapes. */
  readonly #isUsual: boolean;

  constructor(compiled: CompiledForm, values: readonly string[], isUsual: boolean, { reference, period }: OwnValues) {
    this.operation = compiled.operation;
    this.form = compiled.form;
    this.values = values;
    this.reference = reference;
    this.period = period;
    this.#compiled = compiled;
    this.#isUsual = isUsual;
  }

  get option(): PayoutOption | undefined {
    return this.form.option;
  }

  /** Plain decimal text, as it is sent. */
  get amount(): string {
    return this.values[this.#compiled.amountAt] ?? "";
  }

  get debitAccount(): string | undefined {
    const { debitAt } = this.#compiled;
    return debitAt < 0 ? undefined : (this.values[debitAt] ?? "");
  }

  /**
   * The request body (or the plaintext payload of a payout): compact JSON (§5.2 step 1) with the fields in the order of
   * §2; amounts and numbers keep the very digits of the file.
   */
  get payload(): string {
    // joined, and not concatenated: a page of rows would hold every piece of every payload until it is sent
    const members: string[] = [];
    for (const [index, field] of this.#compiled.fields.entries()) {
      const text = this.values[index] ?? "";
      const json = text === "" ? field.whenEmpty : this.#json(text, field);
      if (json !== undefined) members.push(field.key + json);
    }
    return `{${members.join(",")}}`;
  }

  #json(text: string, { isText }: CompiledField): string {
    if (!isText) return text;
    return this.#isUsual || !isUnusual(text) ? `"${text}"` : JSON.stringify(text);
  }

  /** The core fields (DESIGN §7) as one text, canonical; never logged or stored in clear. */
  get core(): string {
    return this.#canonical(this.#compiled.core);
  }

  /** The beneficiary fields as one text, canonical; never logged or stored in clear. */
  get beneficiary(): string {
    return this.#canonical(this.#compiled.beneficiary);
  }

  /** As `beneficiary`, without bank or branch (`accountFields`); undefined where the form has no such fields. */
  get account(): string | undefined {
    return this.#compiled.account && this.#canonical(this.#compiled.account);
  }

  #canonical(positions: readonly number[]): string {
    let joined = this.form.option ?? "";
    for (const position of positions) {
      const value = this.values[position] ?? "";
      joined += VALUE_SEPARATOR + (this.#compiled.fields[position]?.canonical?.(value) ?? value);
    }
    return joined;
  }
}

/** What the checks say of one row. */
export type CheckedRow =
  | {
      readonly row: Row;
      readonly instruction: Instruction;
      readonly faults?: undefined;
      /** What a person should look at; the row goes all the same. */
      readonly warnings?: readonly Fault[];
    }
  | {
      readonly row: Row;
      readonly instruction?: undefined;
      readonly faults: readonly Fault[];
      readonly warnings?: readonly Fault[];
      /** Left out where it cannot be told. */
      readonly operation?: Operation;
      /** The amount as it would be sent, where it can be read, for the control totals. */
      readonly amount?: string;
    };
