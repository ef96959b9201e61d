import { expect, test } from "vitest";
import type { RowRecord } from "../../src/journal/store.ts";
import { wordsOf } from "../../src/messages/faults.ts";
import { tellHold } from "../../src/messages/holds.ts";
import { todoLine, type Told } from "../../src/messages/sentence.ts";
import type { Reason } from "../../src/duplicates/seen.ts";
import { tellRow } from "../../src/results/columns.ts";
import { rowRecord } from "../support/records.ts";

const REASONS: readonly Reason[] = [
  { code: "maybe_paid", other: { batch: "B2", row: 3 }, at: Date.UTC(2026, 9, 30) },
  { code: "repeat_in_file", other: { batch: "K7Q29F3M", row: 2 } },
];
const BATCH = { id: "K7Q29F3M", phase: "open", fileName: "pay day.csv" } as const;
const FAULTS = [
  { code: "not_a_number", column: "Net Pay", cell: "G2", facts: { value: "x", thing: "amount" } },
  { code: "unknown_to_us", column: "IFSC" },
];
/** Other people's sentences: they are told in full, whatever they say. */
const AMOUNT = wordsOf(FAULTS[0] ?? { code: "" });
const told = (reason: Reason): Told => tellHold(reason, { batch: BATCH.id, row: 9, file: BATCH.fileName });
const [PAID, REPEATED] = REASONS.map(told) as [Told, Told];

test.each<[string, Partial<RowRecord>, string, string]>([
  ["accepted", {}, "Accepted by the service", "Nothing"],
  [
    "refused, with its words",
    { state: "rejected", code: "refused", response: '{"message":"no \u001b such account"}' },
    'The service refused this row: "no \\u{1b} such account"',
    "Correct and drop again",
  ],
  ["not sent yet", { state: "ready", attempts: 0 }, "Not sent yet", "Will go when the file is run again"],
  [
    "on its way",
    { state: "ready", onItsWay: true },
    "No answer yet: it is being sent at this moment",
    "Look again when that run ends",
  ],
  [
    "several faults",
    { state: "invalid", faults: FAULTS },
    `Not sent: Net Pay (G2): ${AMOUNT.text}; IFSC: unknown_to_us`,
    AMOUNT.todo,
  ],
  [
    "sent before, and cancelled",
    { state: "cancelled", attempts: 1 },
    "Not sent again: a person cancelled it",
    "Nothing",
  ],
  ["cancelled", { state: "cancelled", attempts: 0 }, "Not sent: a person cancelled it", "Nothing"],
  [
    "settled",
    { state: "settled_not_done", settledBy: "Asha" },
    "Settled as not done by Asha",
    "It may be sent again, or cancelled. To send it again: paydrop retry K7Q29F3M",
  ],
  [
    "held for two reasons",
    { state: "held", reasons: REASONS },
    `Waiting for a person: ${PAID.text}; ${REPEATED.text}`,
    todoLine(PAID),
  ],
  [
    "a rejected row that was corrected since",
    { state: "rejected", code: "refused", correctedBy: { batch: "B2", row: 4 } },
    "The service refused this row. Corrected by row 4 of batch B2, which went",
    "Nothing",
  ],
  [
    "something to look at",
    { notices: [FAULTS[1] ?? { code: "" }] },
    "Accepted by the service. Look at IFSC: unknown_to_us",
    "Look at what result_message points out",
  ],
])("%s → what happened, and what to do", (_, record, text, todo) => {
  const words = tellRow(rowRecord(9, record), BATCH);
  expect([words.text, todoLine(words)]).toEqual([text, todo]);
});

test.each([
  ["cancelled", "ready", "Not sent: a person cancelled it", "Nothing"],
  ["cancelled", "not_sent", "We could not reach the service; nothing was sent.", "Nothing"],
] as const)("a %s batch, a %s row → waits for nobody else", (phase, state, text, todo) => {
  expect(tellRow(rowRecord(9, { state, attempts: 0, code: "unreachable" }), { ...BATCH, phase })).toEqual({
    ...{ text, todo },
    commands: [],
  });
});
