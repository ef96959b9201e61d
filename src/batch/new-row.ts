import { comparedReference, isDoubtful, type PaymentTexts } from "../checks/payment-texts.ts";
import type { Fault } from "../checks/fault.ts";
import type { CheckedRow, Instruction } from "../checks/instruction.ts";
import type { NewRow, RowRecord } from "../journal/row-record.ts";
import type { Tie } from "./origins.ts";

/** A row with the fault that a look at the row which it corrects has found. */
export function withFault(checked: CheckedRow, fault: Fault | undefined): CheckedRow {
  if (!fault) return checked;
  if (checked.faults) return { ...checked, faults: [...checked.faults, fault] };
  const { instruction, ...others } = checked;
  const { operation, amount } = instruction;
  // where cells were moved aside, the amount may be somebody's account
  return { ...others, faults: [fault], operation, ...(fault.code === "cells_shifted" ? {} : { amount }) };
}

/** A checked row as it is written down. `period`: what was stated for its file. */
export function asNewRow(checked: CheckedRow, period: string | undefined, tie: Tie = {}): NewRow {
  const { row, instruction } = checked;
  const warnings = tie.warning ? [...(checked.warnings ?? []), tie.warning] : checked.warnings;
  const notes = {
    ...(warnings ? { warnings } : {}),
    ...(tie.correction ? { correction: tie.correction } : {}),
  };
  if (!instruction) {
    return {
      number: row.number,
      faults: checked.faults,
      ...notes,
      ...(checked.operation === undefined ? {} : { operation: checked.operation.name }),
      ...(checked.amount === undefined ? {} : { amount: checked.amount }),
    };
  }
  // a correction keeps the period of its origin, which the journal knows: a nightly run states the month of today
  const { account } = instruction;
  const stated = instruction.period ?? (tie.correction ? undefined : period);
  return {
    number: row.number,
    operation: instruction.operation.name,
    ...(instruction.option === undefined ? {} : { option: instruction.option }),
    amount: instruction.amount,
    ...notes,
    payment: {
      core: instruction.core,
      beneficiary: instruction.beneficiary,
      ...(account === undefined ? {} : { account }),
      ...referenceOf(instruction),
      ...(stated === undefined ? {} : { period: stated }),
    },
  };
}

function referenceOf({ reference }: Instruction): Pick<PaymentTexts, "reference" | "isDoubtful"> {
  if (reference === undefined) return {};
  return { reference: comparedReference(reference), ...(isDoubtful(reference) ? { isDoubtful: true } : {}) };
}

/** A row as it is added up before it is judged. */
export function asIfReady({ number, operation, amount, faults }: NewRow): RowRecord {
  return {
    ...{ number, state: "ready", attempts: 0 },
    ...(faults?.[0] ? { code: faults[0].code } : {}),
    ...(operation === undefined ? {} : { operation }),
    ...(amount === undefined ? {} : { amount }),
  };
}
