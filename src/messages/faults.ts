import { LIST_FAULTS } from "./acts.ts";
import { FILE_FAULTS } from "./file-faults.ts";
import { HOLDS } from "./holds.ts";
import { INTAKE_FAULTS } from "./intake.ts";
import { POINTED_OUT } from "./pointed-out.ts";
import { RESULTS_REMARKS } from "./results.ts";
import { ROW_FAULTS } from "./row-faults.ts";
import { told, type Fault, type Sentence, type Told } from "./sentence.ts";

const ALL: Readonly<Record<string, Sentence>> = {
  ...LIST_FAULTS,
  ...HOLDS,
  // a row that is held because a column says so is told with that column
  ...ROW_FAULTS,
  ...FILE_FAULTS,
  ...INTAKE_FAULTS,
  ...POINTED_OUT,
  ...RESULTS_REMARKS,
};

/** Its sentence without its place. */
export function wordsOf({ code, facts }: Fault): Told {
  const sentence = ALL[code];
  return sentence ? told(sentence, facts) : { text: code, todo: "" };
}

/** `row 14, column ifsc_code (G14): …` and what to do. */
export function tellFault(fault: Fault): Told {
  const { text, todo } = wordsOf(fault);
  const cell = fault.cell === undefined ? "" : ` (${fault.cell})`;
  const column = fault.column === undefined ? "" : `column ${fault.column}${cell}`;
  const place = [fault.row === undefined ? "" : `row ${fault.row}`, column].filter(Boolean).join(", ");
  return { text: place === "" ? text : `${place}: ${text}`, todo };
}
