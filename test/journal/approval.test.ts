import { expect, test } from "vitest";
import { approvalsIn, approversFor, makersOf, waitsForApproval } from "../../src/journal/approval.ts";
import type { Act, JournalStore } from "../../src/journal/store.ts";

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;

const usual = { approval: "never", approvers: 2 } as const;

test.each([
  ["nothing is said", usual, "999999.00", 0],
  ["always", { ...usual, approval: "always" as const }, "0.01", 2],
  ["at the bound", { ...usual, approval_above: "100000" }, "100000.00", 0],
  ["a paisa above it", { ...usual, approval_above: "100000" }, "100000.01", 2],
])("%s → so many people", (_, config, total, expected) => {
  expect(approversFor(config, total)).toBe(expected);
});

const act = (by: string, hoursAgo: number, kind: Act["kind"] = "approve"): Act => ({
  ...{ at: NOW - hoursAgo * HOUR, kind, login: "paydrop", host: "pay1", by },
});

test.each<[string, readonly Act[], readonly string[]]>([
  ["the same person twice", [act("Ravi", 3), act(" RAVI ", 2), act("Ｒavi", 1)], ["Ｒavi 23"]],
  ["two people", [act("Ravi", 3), act("Meena", 2)], ["Meena 22", "Ravi 21"]],
  ["one of them lapsed", [act("Ravi", 24), act("Meena", 23.5)], ["Meena 0.5"]],
  ["acts of other kinds", [act("Ravi", 1, "release"), act("Meena", 1, "ask_approval")], []],
])("%s → those that count, and for how long", (_, acts, expected) => {
  const found = approvalsIn(acts, 24, NOW);
  expect(found.map(({ by, until }) => `${by.trim()} ${(until - NOW) / HOUR}`)).toEqual(expected);
});

test("a batch waits → until enough have approved it, again when that is over, never once it is cancelled", () => {
  const batch = { phase: "open", approvers: 1, approvedUntil: 0 } as const;
  expect(waitsForApproval(batch)).toBe(true);
  expect(waitsForApproval({ ...batch, approvedUntil: NOW })).toBe(false);
  expect(waitsForApproval({ ...batch, phase: "cancelled" })).toBe(false);
  expect(waitsForApproval({ ...batch, approvers: 0 })).toBe(false);
});

test.each<[string, readonly string[], { ran: number; asked: number }]>([
  ["run by a person", [], { ran: 2, asked: 1 }],
  ["brought at the desk by two, then run by a third", ["Ravi", "Meena"], { ran: 2, asked: 1 }],
  ["whose process was killed before its run began", [], { ran: 1, asked: 2 }],
])(
  "a file %s → they brought it, not who runs or asks later, or brings another one",
  async (_, people, { ran, asked }) => {
    const uploads = [...people.map((by) => ({ by, sha256: "cafe" })), { by: "Omar", sha256: "beef" }];
    const [first, later] = ran > asked ? (["asha", "omar"] as const) : (["omar", "asha"] as const);
    const run = { login: "root", host: "pay1", by: first, batch: "A", startedAt: NOW - ran * HOUR };
    const store = {
      kept: () => Promise.resolve(uploads.map((value) => ({ name: "", value }))),
      acts: () => Promise.resolve([act("meena", 3, "release"), act(later, asked, "ask_approval")]),
      runs: () => Promise.resolve([run]),
    };
    const found = await makersOf(store as unknown as JournalStore, { id: "A", sha256: "cafe" });
    expect(found).toEqual([...people, "asha"]);
  },
);

test.each([
  ["nobody uploaded it", [], ["dinesh", "asha"]],
  ["somebody did", ["Ravi"], ["Ravi", "asha"]],
])("its owner on the disk is another user, and %s → who brought it", async (_, people, expected) => {
  const run = { login: "root", host: "pay1", by: "asha", batch: "A", startedAt: NOW };
  const { by: _by, ...brought } = { ...act("", 1, "bring_file"), login: "dinesh", batch: "A" };
  const store = {
    kept: () => Promise.resolve(people.map((by) => ({ name: "", value: { by, sha256: "cafe" } }))),
    acts: () => Promise.resolve([brought]),
    runs: () => Promise.resolve([run]),
  };
  expect(await makersOf(store as unknown as JournalStore, { id: "A", sha256: "cafe" })).toEqual(expected);
});
