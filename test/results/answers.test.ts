import { describe, expect, test } from "vitest";
import type { BatchReport } from "../../src/events.ts";
import { refusedAnswer } from "../../src/results/answers/answers.ts";
import { openAnswer } from "../../src/results/answers/open-answer.ts";
import { STOPS } from "../../src/submission/stop-rules.ts";

const tally = (rows: number): { rows: number; amount: string } => ({ rows, amount: "0.00" });

/** What stands behind the head, line by line; undefined: there is nothing to say. */
function openOf(over: Partial<Parameters<typeof openAnswer>[0]>): readonly string[] | undefined {
  const report: Partial<BatchReport> = {
    ...{ batch: "K7Q29F3M", file: "/inbox/a.csv", destination: "https://pay.example", byStatus: {}, rowsToLookAt: {} },
    ...{ files: { results: "/inbox/a.csv.results.csv", summary: "/inbox/a.csv.summary.json" }, ...over },
  };
  return openAnswer(report as BatchReport)
    ?.text.split("\r\n")
    .slice(2);
}

describe("what is open of a batch", () => {
  const unsent = { not_sent: tally(3) };
  const held = { held: tally(1) };

  test("nothing", () => {
    expect(openOf({ byStatus: { accepted: tally(2), rejected: tally(1), invalid: tally(1) } })).toBeUndefined();
  });

  test.each<[string, Partial<BatchReport>]>([
    ["before it was gone through", { phase: "paused" }],
    ["while it went", { stop: STOPS.paused }],
  ])("of one that was paused %s, how it goes on", (_, over) => {
    expect(openOf({ byStatus: unsent, ...over })?.slice(0, 2)).toEqual([
      "3 rows not sent: the batch is paused.",
      "  paydrop resume K7Q29F3M --by NAME",
    ]);
  });

  test("of one that is paused, what was refused for the key does not go by itself either", () => {
    expect(openOf({ byStatus: { rejected: tally(1) }, goesAgain: 1, phase: "paused" })?.slice(0, 2)).toEqual([
      "Refused, though not for what is in it; the batch is paused.",
      "  paydrop resume K7Q29F3M --by NAME",
    ]);
  });

  test.each<[string, Partial<BatchReport>]>([
    ["before it was gone through", { phase: "cancelled" }],
    ["while it went", { stop: STOPS.cancelled }],
  ])("of one that was cancelled %s, only what must be looked up", (_, over) => {
    expect(openOf({ byStatus: { ...unsent, ...held }, goesAgain: 1, ...over })).toBeUndefined();
    const looked = openOf({ byStatus: { ...unsent, unknown: tally(1) }, rowsToLookAt: { unknown: [7] }, ...over });
    expect(looked?.[0]).toBe("No clear answer for row 7: perhaps carried out, perhaps not.");
    expect(looked?.join("\n")).not.toMatch(/not sent yet|resume/);
  });

  test("held rows need a person", () => {
    expect(openOf({ byStatus: held, rowsToLookAt: { held: [4] } })?.slice(0, 3)).toEqual([
      "A person must decide on row 4; the results file says why.",
      "To send them all the same:",
      expect.stringMatching(/^ {2}paydrop release K7Q29F3M /),
    ]);
  });

  test("rows that did not go, by why: where no stop says it, nobody answered", () => {
    expect(openOf({ byStatus: unsent })?.slice(0, 2)).toEqual([
      "3 rows not sent yet.",
      "The service cannot be reached.",
    ]);
    expect(openOf({ byStatus: unsent, stop: STOPS.signal })?.[1]).toContain("paydrop was stopped");
    expect(openOf({ byStatus: unsent, stop: STOPS.day_over_cap })?.slice(1, 3)).toEqual([
      "With this batch the day would come to more than max_per_day.",
      "Run the same file again tomorrow (a watched folder does it by itself), or have max_per_day raised in paydrop.toml: nothing goes twice.",
    ]);
    const refused = openOf({ byStatus: { rejected: tally(1) }, goesAgain: 1, stop: STOPS.key_refused });
    expect(refused?.[0]).toBe("Refused, though not for what is in it.");
  });

  test("results that lie elsewhere come by themselves, or by a command", () => {
    const files = { results: "/state/a.csv.results.csv", summary: "/state/s.json", elsewhere: "a folder has its name" };
    const said = (more: Partial<BatchReport["files"]>, isNamed = false): string =>
      openOf({ files: { ...files, ...more }, isNamed })?.join("\n") ?? "";
    expect(said({ mayComeLater: true })).toContain("They come here by themselves soon after that is mended, or with:");
    expect(said({})).toContain("When that is mended, they come here with:\n  paydrop results K7Q29F3M");
    expect(said({})).toContain("send them this text");
    expect(said({ mayComeLater: true }, true), "nobody may look after the folder of a file that was named").toContain(
      "When that is mended, they come here with:\n  paydrop results K7Q29F3M",
    );
  });
});

test("a refusal says where, what and what to do, of the first twenty faults", () => {
  const faults = Array.from({ length: 22 }, (_, index) => ({
    ...{ row: index + 2, column: "amount", message: "this is no number", hint: "type it again" },
  }));
  const lines = refusedAnswer("/inbox/a.csv", { faults }).text.split("\r\n");
  expect(lines.slice(2, 4)).toEqual(["Row 2, column amount: this is no number", "  What to do: Type it again."]);
  expect(lines.filter((line) => line.startsWith("Row "))).toHaveLength(20);
  expect(lines).toContain("… and 2 more.");
  const whole = refusedAnswer("/inbox/a.csv", { faults: [{ message: "the file is empty", hint: "" }] }).text;
  expect(whole).toContain("\r\nThe file is empty.\r\n\r\nCorrect the file");
  expect(whole).not.toContain("more.");
  expect(refusedAnswer("/inbox/a.csv", { faults: [{ message: "a.csv is empty.", hint: "" }] }).text).toContain(
    "\r\na.csv is empty.\r\n",
  );
});
