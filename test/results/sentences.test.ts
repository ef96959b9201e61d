import { describe, expect, test } from "vitest";
import type { HoldCode } from "../../src/checks/duplicates/duplicates.ts";
import type { RowState } from "../../src/journal/state.ts";
import type { RowRecord } from "../../src/journal/row-record.ts";
import type { Reason } from "../../src/reason.ts";
import { holdSentenceOf, sentenceOf } from "../../src/results/words/sentences.ts";
import { rowRecord } from "../support/records.ts";

const BATCH = { id: "K7Q29F3M", phase: "open", destination: "https://api.bank.example" } as const;

/** Complete by its type: a new reason does not compile until it stands here. */
const STATE_OF: Record<Reason, RowState> = {
  accepted: "accepted",
  accepted_incomplete: "accepted",
  accepted_reports_failure: "accepted",
  refused: "rejected",
  key_refused: "rejected",
  address_refused: "rejected",
  html_answer: "unknown",
  redirect: "unknown",
  service_fault: "unknown",
  unclear_refusal: "unknown",
  incomplete_refusal: "unknown",
  malformed_answer: "unknown",
  no_answer: "unknown",
  connection_broken: "unknown",
  interrupted: "unknown",
  rate_limited_unclear: "unknown",
  rate_limited: "not_sent",
  unreachable: "not_sent",
  certificate_refused: "not_sent",
  no_tls: "not_sent",
  local_error: "not_sent",
};

const HOLDS: Record<HoldCode, true> = {
  same_file: true,
  possible_duplicate: true,
  period_unclear: true,
  reference_conflict: true,
  near_duplicate: true,
  repeat_in_file: true,
  other_row_open: true,
  origin_accepted: true,
  corrected_twice: true,
  payee_changed: true,
  all_or_nothing: true,
};

const OTHER = { batch: "H2MM0000", row: 33, at: Date.UTC(2026, 8, 30, 23, 59) };

function said(overrides: Partial<RowRecord>, phase: "open" | "paused" | "cancelled" = "open"): [string, string] {
  const { message, action } = sentenceOf(rowRecord(14, overrides), { ...BATCH, phase });
  return [message, action];
}

const everyRecord: Partial<RowRecord>[] = [
  ...Object.entries(STATE_OF).flatMap(([code, state]) => [
    { code, state },
    { code, state, httpStatus: 422, response: "invalid IFSC", durationMs: 30_000 },
  ]),
  ...Object.keys(HOLDS).flatMap((code) => [
    { code, state: "held" as const },
    { code, state: "held" as const, other: OTHER },
  ]),
  ...(["ready", "sending", "duplicate", "invalid", "settled_done", "settled_not_done", "unknown", "held"] as const).map(
    (state) => ({ state, code: "a code of a later version" }),
  ),
];

describe("every sentence", () => {
  test.each(everyRecord)("of $state $code is complete and fits a cell", (record) => {
    const [message, action] = said(record);
    expect(message).toMatch(/^[A-Zp].{3,}/);
    expect(message).not.toMatch(/[{}]|undefined|\s\s/);
    expect(action.length).toBeGreaterThan(3);
    expect(`${message} ${action}`).not.toMatch(
      /\b(paid|success|successful|failed|failure|error|timeout|skipped|pending|resolved|processed)\b/i,
    );
    expect(message.replace(/^Settled as (not )?done by/, "")).not.toMatch(/\b(done|settled)\b/i);
  });

  test.each(["accepted", "settled_done"] as const)("of %s asks for nothing", (state) => {
    expect(said({ state })[1]).toBe("Nothing");
  });

  test.each(Object.entries(STATE_OF).filter(([, state]) => state === "unknown"))(
    "of unknown %s says to check, never to send again",
    (code, state) => {
      const [, action] = said({ code, state });
      expect(action).toMatch(/check in the dashboard first/i);
      expect(action).not.toMatch(/again|retry/i);
    },
  );
});

describe("the words", () => {
  test.each([
    ["payout", "Accepted by the service"],
    ["transfer", "Transfer initiated"],
    ["loan", "Application submitted"],
    ["collection", "Request created"],
  ] as const)("an accepted %s reads %j", (operation, message) => {
    expect(said({ operation })).toEqual([message, "Nothing"]);
  });

  test("a reference frees a repeat only before its file is run: afterwards it would make the rows that went wait too", () => {
    const repeat = rowRecord(14, { state: "held", code: "repeat_in_file", other: { batch: "K7Q29F3M", row: 12 } });
    expect(holdSentenceOf(repeat, "K7Q29F3M").action).toContain("Give each row its own reference");
    expect(holdSentenceOf(repeat, "K7Q29F3M", "open").action).not.toContain("reference");
  });

  test.each<[Partial<RowRecord>, [string, string]]>([
    [
      { state: "rejected", code: "refused", httpStatus: 422, response: "invalid IFSC" },
      ["The service refused this row: invalid IFSC", "Correct and drop again"],
    ],
    [
      { state: "rejected", code: "refused", httpStatus: 422, response: "" },
      ["The service refused this row (HTTP 422)", "Correct and drop again"],
    ],
    [
      { state: "unknown", code: "no_answer", durationMs: 30_004 },
      ["We sent the row but got no answer in 30 s", "Check in the dashboard first"],
    ],
    [
      { state: "held", code: "possible_duplicate", other: OTHER },
      [
        "Waiting for a person: same payment as row 33 of batch H2MM0000, accepted 30 Sep 2026",
        "The same payment again? Cancel the batch once the rest went. A new month? Run it with --period, or add a column period. Both meant, in one period? Release it",
      ],
    ],
    [
      { state: "held", code: "other_row_open", other: { batch: "H2MM0000", row: 33 } },
      [
        "Waiting for a person: same payment as row 33 of batch H2MM0000, which has no end yet",
        "See to that row first: paydrop status H2MM0000",
      ],
    ],
    [
      { state: "held", code: "repeat_in_file", other: { batch: "K7Q29F3M", row: 12 } },
      [
        "Waiting for a person: same payment as row 12 of this file",
        "Release it if both are meant, else cancel the batch once the rest went",
      ],
    ],
    [
      { state: "held", code: "near_duplicate", operation: "loan", other: OTHER },
      [
        "Waiting for a person: same borrower with another amount or tenure as row 33 of batch H2MM0000, accepted 30 Sep 2026: one may be the correction of the other",
        "Compare both; release it if both are meant",
      ],
    ],
    [
      { state: "held", code: "near_duplicate", other: { batch: "H2MM0000", row: 33 } },
      [
        "Waiting for a person: same payee with another amount, debit account or IFSC, or the other way round, as row 33 of batch H2MM0000, which had no end yet and may still go by itself: one may be the correction of the other",
        "Compare both; release it if both are meant. Only this one? Cancel batch H2MM0000 first, where that row has not gone",
      ],
    ],
    [
      { state: "held", code: "reference_conflict", option: "A", other: OTHER },
      [
        "Waiting for a person: its reference was used for another payee, amount or debit account in row 33 of batch H2MM0000, accepted 30 Sep 2026",
        "Correct the reference, or release it",
      ],
    ],
    [
      { state: "held", code: "payee_changed", operation: "collection" },
      [
        "Waiting for a person: its payer is not the one of the row that it corrects",
        "Ask the payer on a number that you know, then paydrop release K7Q29F3M --row N --by NAME --reason TEXT",
      ],
    ],
    [
      { state: "duplicate", other: OTHER },
      ["This row was already accepted on 30 Sep 2026 in batch H2MM0000, row 33", "Nothing, or release"],
    ],
    [{ state: "settled_not_done", settledBy: "asha" }, ["Settled as not done by asha", "Will go with retry"]],
    [{ state: "ready" }, ["Not sent yet", "Will go when the file is run again"]],
  ])("%j", (record, words) => {
    expect(said(record)).toEqual(words);
  });

  test("rows of a cancelled batch do not promise to go", () => {
    expect(said({ state: "ready" }, "cancelled")).toEqual(["Not sent: the batch was cancelled", "Nothing"]);
    expect(said({ state: "rejected", code: "key_refused" }, "cancelled")[1]).toBe("Nothing");
    expect(said({ state: "rejected", code: "refused" }, "cancelled")[1]).toBe("Correct and drop again");
    expect(said({ state: "not_sent", code: "unreachable" }, "cancelled")[1]).toBe("Nothing");
  });

  test("an invalid row names each column, and the hints are said once", () => {
    const fault = { code: "x", message: "is empty", hint: "fill it in." };
    const faults = [
      { ...fault, column: "name", cell: "B14" },
      { ...fault, column: "amount" },
      { ...fault, column: "notes", message: "is too long", hint: "Shorten it." },
    ];
    expect(said({ state: "invalid", faults })).toEqual([
      "Not sent: name (B14): is empty; amount: is empty; notes: is too long",
      "Fill it in. Shorten it.",
    ]);
  });

  test.each([
    [{ state: "accepted", code: "accepted" }, "Look at what result_message points out"],
    [{ state: "duplicate", other: OTHER }, "Look at what result_message points out, or release"],
    [{ state: "settled_done" }, "Look at what result_message points out"],
    [{ state: "not_sent", code: "unreachable" }, "Will go with retry"],
  ] as const)("whoever is to look at something is not told to do nothing: %j", (record, action) => {
    const warning = { code: "x", level: "warning", column: "amount", message: "may be cut", hint: "" } as const;
    expect(said({ ...record, warnings: [warning] })[1]).toBe(action);
  });

  test("a warning is said behind what became of the row", () => {
    const warning = { code: "x", level: "warning", column: "name", cell: "B14", message: "is odd", hint: "" } as const;
    expect(said({ state: "accepted", code: "accepted", operation: "transfer", warnings: [warning] })[0]).toBe(
      "Transfer initiated. Look at name (B14): is odd",
    );
    const fault = { code: "y", message: "is empty", hint: "" };
    expect(said({ state: "invalid", faults: [fault], warnings: [warning] })[0]).toBe(
      "Not sent: is empty. Look at name (B14): is odd",
    );
    const [message] = said({ state: "rejected", code: "key_refused", warnings: Array(7).fill(warning) });
    expect(message).toMatch(/No further rows were sent\. Look at (?:name \(B14\): is odd; ){5}and 2 more$/);
  });

  test("many faults of one row are counted", () => {
    const faults = Array.from({ length: 8 }, (_, index) => ({ code: "x", message: `m${index}`, hint: "" }));
    const [message] = said({ state: "invalid", faults });
    expect(message).toBe("Not sent: m0; m1; m2; m3; m4; and 3 more");
  });

  test("what strangers wrote cannot steer a terminal or a cell", () => {
    const hostile = "\u001b[2J\u202egnp.exe\r\n=1";
    for (const record of [
      { state: "rejected", code: "refused", response: hostile },
      { state: "settled_done", settledBy: hostile },
      { state: "invalid", faults: [{ code: "x", message: hostile, hint: hostile }] },
      { state: "ready", warnings: [{ code: "x", level: "warning", message: hostile, hint: hostile }] },
    ] satisfies Partial<RowRecord>[]) {
      expect(said(record).join(" ")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });
});

test("nobody is told to state a month for a loan that may be applied for twice", () => {
  const held = { state: "held", code: "possible_duplicate", other: OTHER } as const;
  expect(said({ ...held, operation: "payout" })[1]).toContain("A new month? Run it with --period");
  expect(said({ ...held, operation: "loan" })[1]).toBe(
    "The same application again? Cancel the batch once the rest went. Another loan of this borrower? Release it",
  );
});
