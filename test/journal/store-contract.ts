import { describe, expect, test } from "vitest";
import { maySettle, ROW_STATES, type RowState } from "../../src/journal/states.ts";
import type { BatchFilter, JournalStore, Move, NewRow, Outcome } from "../../src/journal/store.ts";
import { inStatements, keepInStatements, type InStatement } from "../../src/results/in-statement.ts";
import { findsOtherRows } from "./seen-contract.ts";
import { commitTo } from "../support/commit.ts";
import {
  act,
  ASHA,
  key,
  newBatch,
  newRow,
  NOW,
  opened,
  outcome,
  record,
  rowOf,
  sendAll,
  statesOf,
  type OpenTestJournal,
} from "./stores.ts";

async function approved(store: JournalStore, id: string, forMs: number): Promise<void> {
  await store.setBatch(id, { approvers: 2 }, act("ask_approval"));
  await store.setBatch(id, { approvers: 2, approvedUntil: Date.now() + forMs }, act("approve"));
}

/** What every engine must keep. */
export function describeJournalStore(name: string, open: OpenTestJournal): void {
  describe(`${name} as a JournalStore`, () => {
    keepsWhatIsWrittenDown(open);
    movesRowsByTheRules(open);
    letsRowsGo(open);
    findsOtherRows(open);
    letsOneJudge(open);
    keepsWhoDidWhat(open);
  });
}

const FULL: NewRow = {
  ...newRow(7, "7"),
  operation: "payout",
  option: "B",
  amount: "999999999999999.25",
  notices: [{ code: "account_short", row: 7, column: "account", facts: { shown: "••4471" } }],
  reference: key("reference"),
  period: "2026-11 bonus",
  retryOf: { batch: "EARLIER1", row: 3 },
};
const INVALID = newRow(9, "", { state: "invalid" });

function keepsWhatIsWrittenDown(open: OpenTestJournal): void {
  test("a batch and its rows → read back as they were written, by another process too", async () => {
    const journal = await open();
    const batch = newBatch("AAAAAAA1", { period: "2026-11" });
    const remarks = [{ code: "total_line", row: 12 }];
    const totals = { total: "1000000000000099.75", label: "payout, option B", remarks };
    await record(journal.store, batch, [FULL, newRow(8, "8", { amount: "100.5" }), INVALID], totals);
    await journal.store.judging(() => journal.store.setBatch(batch.id, { phase: "open", owesResults: true }));
    const store = await journal.another();
    const tallies = { ready: { rows: 2, amount: "1000000000000099.75" }, invalid: { rows: 1, amount: "100.50" } };
    const more = {
      phase: "open",
      lastAt: NOW,
      rows: 3,
      tallies,
      onItsWay: 0,
      owesResults: true,
      approvers: 0,
      approvedUntil: 0,
    };
    expect(await store.batches({ id: "AAAAAAA1" })).toEqual([{ ...batch, ...totals, ...more }]);
    // keys stay in the journal
    const hidden = ["payment", "payee", "reference", "place", "size", "crc"];
    const full = Object.fromEntries(Object.entries(FULL).filter(([name]) => !hidden.includes(name)));
    const state = { batch: batch.id, reasons: [], onItsWay: false, attempts: 0 };
    const rows = await store.rows({ batch: batch.id });
    expect(rows[0]).toEqual({ ...full, ...state });
    expect(rows[2]).toEqual({ ...INVALID, ...state, code: "ifsc_malformed" });
  });

  test("rows of two batches → found by batch, state, reason, number and page", async () => {
    const { store } = await open();
    await opened(store, "AAAAAAA1", ["1", "2", "3", "4"]);
    await opened(store, "BBBBBBB1", ["5"], { environment: "live" });
    await sendAll(store, "AAAAAAA1", { 3: "rejected", 4: "unknown" });
    const found = async (filter: Parameters<JournalStore["rows"]>[0]): Promise<string> =>
      (await store.rows(filter)).map(({ batch, row }) => `${batch[0] ?? ""}${row}`).join(" ");
    expect(await found({ batch: "AAAAAAA1", after: 2, limit: 2 })).toBe("A3 A4");
    expect(await found({ batch: "AAAAAAA1", rows: [5, 2, 99] })).toBe("A2 A5");
    expect(await found({ states: ["unknown", "ready"] })).toBe("A4 B2");
    expect(await found({ states: ["ready"], environment: "test" })).toBe("");
    expect(await found({ states: ["rejected"], codes: ["because_rejected"] })).toBe("A3");
    expect(await found({ codes: ["another"] })).toBe("");
  });

  test("batches → found by what is known of them, the oldest first", async () => {
    const { store } = await open();
    await opened(store, "AAAAAAA1", ["1"]);
    await sendAll(store, "AAAAAAA1");
    await opened(store, "AAAAAAA2", ["2"], { folder: "/inbox/transfers", createdAt: NOW + 1 });
    await opened(store, "BBBBBBB1", ["3"], { environment: "live" });
    await sendAll(store, "BBBBBBB1", { 2: "rejected" });
    await record(store, newBatch("RECORD01"), [newRow(2, "4")]);
    const source = { path: "/inbox/payroll.csv", identity: "1" };
    await store.setBatch("AAAAAAA2", { source });
    await store.setBatch("AAAAAAA1", { source: { ...source, identity: "2" } });
    const found = async (filter: BatchFilter): Promise<string> =>
      (await store.batches(filter)).map(({ id }) => id).join(" ");
    expect(await found({})).toBe("AAAAAAA1 AAAAAAA2 BBBBBBB1");
    expect(await found({ id: "RECORD01" })).toBe("RECORD01");
    expect(await found({ idPrefix: "AAAA" })).toBe("AAAAAAA1 AAAAAAA2");
    expect(await found({ idPrefix: "REC" })).toBe("");
    expect(await found({ environment: "live" })).toBe("BBBBBBB1");
    expect(await found({ sha256: newBatch("AAAAAAA2").sha256 })).toBe("AAAAAAA2");
    expect(await found({ folders: ["/inbox/transfers", "/other"] })).toBe("AAAAAAA2");
    expect(await found({ path: "/inbox/payroll.csv" })).toBe("AAAAAAA1 AAAAAAA2");
    expect(await found({ isUnfinished: true })).toBe("AAAAAAA2");
    expect(await found({ isUnfinished: true, rejectedFor: ["because_rejected"] })).toBe("AAAAAAA2 BBBBBBB1");
    await store.setBatch("AAAAAAA1", { owesResults: true });
    await store.setBatch("AAAAAAA2", { phase: "paused" }, act("pause"));
    expect(await found({ isUnfinished: true })).toBe("AAAAAAA1");
    expect(await store.sourceOf("/inbox/payroll.csv", "1")).toBe("AAAAAAA2");
    expect(await store.sourceOf("/inbox/payroll.csv", "3")).toBeUndefined();
  });

  test("a batch that is dropped → forgotten, and its id is free; an opened one stays", async () => {
    const { store } = await open();
    await record(store, newBatch("AAAAAAA1"), [FULL, { ...INVALID, payee: key("payee 8"), zeros: 2 }]);
    await store.dropBatch("AAAAAAA1");
    expect(await store.batches({ id: "AAAAAAA1" })).toEqual([]);
    await opened(store, "AAAAAAA1", [FULL]);
    expect(await store.seen("AAAAAAA1", {}, [])).toMatchObject([{ others: [] }]);
    await record(store, newBatch("AAAAAAA2"), [newRow(2, "8")]);
    expect(await store.seen("AAAAAAA2", { isConcerned: true }, [])).toEqual([]);
    await expect(store.dropBatch("AAAAAAA1")).rejects.toThrow("open");
    await expect(store.addRows("AAAAAAA1", [newRow(8, "8")])).rejects.toThrow("no more rows");
  });

  test("phases → only as people may change them, and a cancelled batch stays", async () => {
    const { store } = await open();
    await opened(store, "AAAAAAA1", ["1"]);
    const pausing = { phase: "paused" } as const;
    await store.setBatch("AAAAAAA1", pausing, act("pause"));
    await expect(store.setBatch("AAAAAAA1", pausing, act("pause"))).rejects.toMatchObject({
      code: "usage",
      reason: "batch_phase",
    });
    await store.setBatch("AAAAAAA1", { phase: "open", destination: "http://127.0.0.1:1" }, act("resume"));
    await store.setBatch("AAAAAAA1", { phase: "cancelled" }, act("cancel"));
    await expect(store.setBatch("AAAAAAA1", { phase: "open" }, act("resume"))).rejects.toThrow("cancelled");
    expect((await store.acts({ batch: "AAAAAAA1" })).map(({ kind }) => kind)).toEqual(["pause", "resume", "cancel"]);
    expect(await store.batches({})).toMatchObject([{ phase: "cancelled", destination: "http://127.0.0.1:1" }]);
  });

  test("rows are found by amount, last four, payee in any writing, person and reference", async () => {
    const { store } = await open();
    const asha = { employee: key("E1").slice(0, 12), last4: "8901", amount: "2500.00", payee: key("asha") };
    await opened(store, "AAAAAAA1", [newRow(2, "1", asha), newRow(3, "2", { amount: "25000", last4: "4471" })]);
    const again = { ...asha, amount: "2500.5", zeros: 2, reference: key("INV-1") };
    await opened(store, "AAAAAAA2", [newRow(2, "3", again), newRow(3, "", { state: "invalid", amount: "2500.0" })]);
    const found = async (one: string, isPayee = false): Promise<string> => {
      const foundBy = [{ key: one, isPayee }];
      const batches = (await store.batches({ foundBy })).map(({ id }) => id);
      const all = await store.rows({ batches: batches.toReversed(), foundBy });
      const [first = ""] = batches;
      const of = await store.rows({ batch: first, foundBy, after: 2, limit: 1 });
      expect(of).toEqual(all.filter(({ batch, row }) => batch === first && row > 2).slice(0, 1));
      return all.map(({ batch, row }) => `${batch}:${row}`).join(" ");
    };
    expect(await found("=2500")).toBe("AAAAAAA1:2 AAAAAAA2:3");
    expect(await found("=2500.5")).toBe("AAAAAAA2:2");
    expect(await found(":8901")).toBe("AAAAAAA1:2 AAAAAAA2:2");
    expect(await found(asha.payee, true)).toBe("AAAAAAA1:2 AAAAAAA2:2");
    const both = [...(await store.rows({ batches: ["AAAAAAA2"], foundBy: [{ key: asha.payee, isPayee: true }] }))];
    expect(
      both.map(({ row }) => row),
      "of one of them",
    ).toEqual([2]);
    expect(await found(asha.employee)).toBe("AAAAAAA1:2 AAAAAAA2:2");
    expect(await found(key("INV-1"))).toBe("AAAAAAA2:2");
    expect(await found("=25")).toBe("");
    await record(store, newBatch("AAAAAAA3"), [newRow(2, "4", asha)]);
    await store.dropBatch("AAAAAAA3");
    expect(await found(":8901"), "nothing of it stays").toBe("AAAAAAA1:2 AAAAAAA2:2");
  });

  test("what ended long ago is purged → answers and faults go, what tells a duplicate stays", async () => {
    const { store } = await open();
    await opened(store, "AAAAAAA1", ["1", newRow(3, "", { state: "invalid" })]);
    await opened(store, "AAAAAAA2", ["2"]);
    await commitTo(store, "AAAAAAA1", [], 1);
    await commitTo(store, "AAAAAAA1", [outcome(2, "accepted", { response: '{"id":"pout_1"}' })], 1);
    for (const id of ["AAAAAAA1", "AAAAAAA2"]) await store.keep("notice", id, { mail: ["ended"] });
    expect(await store.purge(NOW, act("purge"))).toEqual({ ids: [] });
    expect(await store.purge(NOW + 1, act("purge"))).toEqual({ ids: ["AAAAAAA1"] });
    expect(await store.purge(NOW + 1, act("purge"))).toEqual({ ids: [] });
    expect(await store.acts({ batch: "AAAAAAA1" })).toMatchObject([{ kind: "purge", by: "Asha Rao" }]);
    expect((await store.copied()).map(({ id, isPurged }) => [id, isPurged])).toEqual([
      ["AAAAAAA1", true],
      ["AAAAAAA2", false],
    ]);
    expect((await store.kept("notice")).map(({ name }) => name)).toEqual(["AAAAAAA2"]);
    const [sent, invalid] = await store.rows({ batch: "AAAAAAA1" });
    expect(sent).not.toHaveProperty("response");
    expect(invalid).toMatchObject({ faults: [], code: "ifsc_malformed" });
    await record(store, newBatch("AAAAAAA3"), [newRow(2, "1")]);
    expect(await store.seen("AAAAAAA3", {}, [])).toMatchObject([
      { others: [{ batch: "AAAAAAA1", state: "accepted" }] },
    ]);
  });
}

/** README §2's picture, what may go again, and what settling may mend: every other move is a bug. */
const LEGAL: Readonly<Record<RowState, string>> = {
  ready: "ready held duplicate cancelled settled_done",
  held: "ready held duplicate cancelled settled_done",
  duplicate: "ready held duplicate cancelled settled_done",
  not_sent: "ready held duplicate cancelled settled_done",
  rejected: "ready held duplicate settled_done",
  settled_not_done: "ready held duplicate cancelled settled_done",
  unknown: "settled_done settled_not_done",
  accepted: "settled_not_done",
  settled_done: "settled_not_done",
  cancelled: "settled_done",
  invalid: "",
};
/** I5. */
const BY_A_PERSON: readonly RowState[] = [
  "accepted",
  "unknown",
  "rejected",
  "cancelled",
  "settled_done",
  "settled_not_done",
];

/** Brings row 2 of a new batch into a state. */
async function inState(store: JournalStore, id: string, state: RowState): Promise<void> {
  await opened(store, id, state === "invalid" ? [newRow(2, "", { state })] : [`${id} payment`]);
  const go = (to: RowState, from: RowState): Promise<unknown> =>
    store.move(id, [{ row: 2, to, from: [from] }], act("settle"));
  if (state === "held" || state === "duplicate" || state === "cancelled") await go(state, "ready");
  else if (state === "settled_done" || state === "settled_not_done") {
    await sendAll(store, id, { 2: "unknown" });
    await go(state, "unknown");
  } else if (state !== "ready" && state !== "invalid") await sendAll(store, id, { 2: state });
  expect(await statesOf(store, id)).toBe(`2 ${state}`);
}

function movesRowsByTheRules(open: OpenTestJournal): void {
  test("every move from every state → what the states allow, with an act where a person must say so", async () => {
    const { store } = await open();
    for (const from of ROW_STATES) {
      for (const to of ROW_STATES) {
        const id = `${from} ${to}`;
        await inState(store, id, from);
        const move = (word?: Parameters<JournalStore["move"]>[2]): Promise<readonly number[]> =>
          store.judging(() => store.move(id, [{ row: 2, to, from: [from] }], word));
        const isLegal = LEGAL[from].split(" ").includes(to);
        const needsAct = BY_A_PERSON.includes(from);
        if (!isLegal || needsAct) await expect(move(), id).rejects.toThrow();
        if (isLegal) expect(await move(needsAct ? act("settle") : undefined), id).toEqual([2]);
        else await expect(move(act("settle")), id).rejects.toThrow("may not move");
        expect(await statesOf(store, id)).toBe(`2 ${isLegal ? to : from}`);
      }
    }
  });

  test.each<[RowState, "settled_done" | "settled_not_done", boolean, boolean]>([
    ["unknown", "settled_done", false, true],
    ["unknown", "settled_not_done", false, true],
    ["accepted", "settled_not_done", false, true],
    ["accepted", "settled_done", false, false],
    ["settled_not_done", "settled_done", true, true],
    ["ready", "settled_done", true, true],
    ["cancelled", "settled_done", true, true],
    ["ready", "settled_done", false, false],
    ["rejected", "settled_not_done", true, false],
    ["invalid", "settled_done", false, false],
  ])("a person settles a row that is %s as %s, settled before: %s → %s", (from, as, wasSettled, may) => {
    expect(maySettle(from, as, { wasSettled })).toBe(may);
  });

  test("rows on their way → no person moves them, whatever is asked", async () => {
    const { store } = await open();
    const id = await opened(store, "AAAAAAA1", ["1", "2", "3"]);
    await commitTo(store, id, [], 2);
    const all = (to: RowState, from: readonly RowState[]): Move[] => [2, 3, 4].map((row) => ({ row, to, from }));
    expect(await store.move(id, all("held", ["ready"]))).toEqual([4]);
    expect(await store.move(id, all("cancelled", ["ready", "held"]), act("cancel"))).toEqual([4]);
    expect(await store.move(id, all("settled_done", ["ready", "cancelled"]), act("settle"))).toEqual([4]);
    expect(await statesOf(store, id)).toBe("2 on its way, 3 on its way, 4 settled_done");
    expect(await store.acts({ batch: id })).toMatchObject([
      { kind: "cancel", rows: [4] },
      { kind: "settle", rows: [4] },
    ]);
  });

  test("a row that is settled → says who, and keeps what came back; let go again it forgets that", async () => {
    const { store } = await open();
    const id = await opened(store, "AAAAAAA1", ["1"]);
    await commitTo(store, id, [], 1);
    const came = { code: "http_503", httpStatus: 503, durationMs: 12, response: "upstream" };
    await commitTo(store, id, [outcome(2, "unknown", came)], 1);
    await store.move(id, [{ row: 2, to: "settled_not_done", from: ["unknown"] }], act("settle", { note: "looked up" }));
    expect(await rowOf(store, id, 2)).toMatchObject({ ...came, attempts: 1, sentAt: NOW, settledBy: "Asha Rao" });
    await store.judging(() => store.move(id, [{ row: 2, to: "ready", from: ["settled_not_done"] }], act("retry")));
    const again = await rowOf(store, id, 2);
    expect(again).toMatchObject({ state: "ready", attempts: 1, settledBy: "Asha Rao" });
    for (const gone of ["code", "httpStatus", "response", "sentAt"]) expect(again).not.toHaveProperty(gone);
  });

  test("sent by a clock that is behind → it went no earlier than what the journal knows", async () => {
    const { store } = await open();
    await opened(store, "A", ["asha/1"]);
    await commitTo(store, "A", [], 1);
    await commitTo(store, "A", [outcome(2, "accepted", { sentAt: NOW - 40 * 86_400_000, durationMs: 5 })], 0);
    expect((await rowOf(store, "A", 2)).wentAt).toBeGreaterThanOrEqual(NOW);
  });

  test("nothing becomes ready, and no batch is opened, outside of judging (I14)", async () => {
    const { store } = await open();
    const id = await record(store, newBatch("AAAAAAA1"), [newRow(2, "1", { state: "held" })]);
    await expect(store.setBatch(id, { phase: "open" })).rejects.toThrow("judging");
    await expect(store.move(id, [{ row: 2, to: "ready", from: ["held"] }], act("release"))).rejects.toThrow("judging");
    expect(await statesOf(store, id)).toBe("2 held");
  });

  test("reasons of a held row → kept until others are given, and the first one is its code", async () => {
    const { store } = await open();
    const id = await opened(store, "AAAAAAA1", ["1", "2"]);
    const reasons = [
      { code: "maybe_paid", other: { batch: "EARLIER1", row: 9 }, at: NOW },
      { code: "same_file" },
    ] as const;
    await store.move(id, [{ row: 2, to: "held", from: ["ready"], reasons }]);
    expect(await rowOf(store, id, 2)).toMatchObject({ code: "maybe_paid", reasons });
    await store.judging(() => store.move(id, [{ row: 2, to: "ready", from: ["held"] }], act("release")));
    const released = await rowOf(store, id, 2);
    expect([released.reasons, released.code]).toEqual([reasons, undefined]);
  });
}

function letsRowsGo(open: OpenTestJournal): void {
  test("outcomes → written with what came back, and the tallies add up exactly (I13)", async () => {
    const { store } = await open();
    const amounts = ["0.01", "999999999999999.99", "100", "2.5", "7.0001"];
    const rows = amounts.map((amount, at) => newRow(at + 2, String(at), { amount }));
    const id = await opened(store, "AAAAAAA1", rows);
    const { leaving } = await commitTo(store, id, [], 4);
    expect(leaving[1]).toEqual({
      row: 3,
      operation: "transfer",
      amount: "999999999999999.99",
      attempts: 0,
      place: 300,
      size: 80,
      crc: 3,
    });
    const came = { code: "http_200", httpStatus: 200, sentAt: NOW + 5, durationMs: 20, response: "ok" };
    const outcomes: Outcome[] = [
      { row: 2, state: "accepted", tries: 2, ...came },
      outcome(3, "unknown"),
      outcome(4, "rejected"),
      { row: 5, state: "again", code: "http_429", tries: 1, httpStatus: 429 },
    ];
    expect((await commitTo(store, id, outcomes, 0)).leaving).toEqual([]);
    expect(await rowOf(store, id, 2)).toMatchObject({ state: "accepted", attempts: 2, ...came });
    expect(await rowOf(store, id, 5)).toMatchObject({ state: "ready", onItsWay: false, code: "http_429", attempts: 1 });
    const [batch] = await store.batches({ id });
    expect(batch?.tallies).toEqual({
      accepted: { rows: 1, amount: "0.01" },
      unknown: { rows: 1, amount: "999999999999999.99" },
      rejected: { rows: 1, amount: "100.00" },
      ready: { rows: 2, amount: "9.5001" },
    });
    expect(await store.facts("/other")).toMatchObject({ letGo: 4, letGoHere: 0, lastAt: NOW + 25 });
    expect(await store.facts(batch?.folder)).toMatchObject({ letGo: 4, letGoHere: 4 });
    // the row with the new turn comes last
    expect((await commitTo(store, id, [], 9)).leaving.map((one) => one.row)).toEqual([6, 5]);
  });

  test.each<[string, (store: JournalStore, id: string) => Promise<unknown>, object]>([
    ["paused", (store, id) => store.setBatch(id, { phase: "paused" }, act("pause")), { phase: "paused" }],
    ["cancelled", (store, id) => store.setBatch(id, { phase: "cancelled" }, act("cancel")), { phase: "cancelled" }],
    [
      "in a held folder",
      (store) => store.holdFolder("/inbox/payouts", "stop_file", act("hold_folder")),
      { hold: "folder_held" },
    ],
    [
      "below a held folder",
      (store) => store.holdFolder("/inbox", "stop_file", act("hold_folder")),
      { hold: "folder_held" },
    ],
    [
      "beside a held folder",
      (store) => store.holdFolder("/in", "stop_file", act("hold_folder")),
      { leaving: [{ row: 3 }] },
    ],
    [
      "to be approved",
      (store, id) => store.setBatch(id, { approvers: 1 }, act("ask_approval")),
      { hold: "approval_wanted" },
    ],
    ["approved for too short", (store, id) => approved(store, id, -1), { hold: "approval_wanted" }],
    ["approved", (store, id) => approved(store, id, 60_000), { leaving: [{ row: 3 }] }],
  ])(
    "a batch that is %s meanwhile → outcomes are kept, and new rows go only where they may",
    async (_, doing, expected) => {
      const journal = await open();
      const { store } = journal;
      const id = await opened(store, "AAAAAAA1", ["1", "2"]);
      await commitTo(store, id, [], 1);
      await doing(await journal.another(), id);
      expect(await commitTo(store, id, [outcome(2)], 1)).toMatchObject({ leaving: [], phase: "open", ...expected });
      expect((await rowOf(store, id, 2)).state).toBe("accepted");
    },
  );

  test("approval asked for by one process → another one with other settings does not undo it", async () => {
    const { store } = await open();
    const id = await opened(store, "AAAAAAA1", ["1"]);
    for (const approvers of [2, 0, 1]) await store.setBatch(id, { approvers });
    // by as many as were wanted before
    await store.setBatch(id, { approvers: 1, approvedUntil: Date.now() + 60_000 });
    expect(await store.batches({ id })).toMatchObject([{ approvers: 2, approvedUntil: 0 }]);
  });

  test("the sums of a day → what went, what is ready, and what goes beside it of a run that began before", async () => {
    const { store } = await open();
    for (const id of ["AAAAAAA1", "AAAAAAA2", "AAAAAAA3"]) await opened(store, id, [`${id} 1`, `${id} 2`]);
    await sendAll(store, "AAAAAAA3", { 2: "rejected" });
    const rowsOf = async (id: string) => (await store.sumsOfDay(id, NOW))["transfer"]?.rows;
    expect([await rowsOf("AAAAAAA1"), await rowsOf("AAAAAAA2")]).toEqual([3, 3]);
    const first = await store.beginRun("AAAAAAA1", ASHA, NOW);
    await store.beginRun("AAAAAAA2", ASHA, NOW);
    expect([await rowsOf("AAAAAAA1"), await rowsOf("AAAAAAA2")]).toEqual([3, 5]);
    await store.endRun(first, { endedAt: NOW, exitCode: 7, requests: 0 });
    expect(await rowsOf("AAAAAAA2")).toBe(3);
  });

  test("a batch that is being recorded → nothing of it goes", async () => {
    const { store } = await open();
    const id = await record(store, newBatch("AAAAAAA1"), [newRow(2, "1")]);
    expect((await commitTo(store, id, [], 5)).leaving).toEqual([]);
  });

  test.each<[string, Outcome[]]>([
    ["did not leave", [outcome(2), outcome(4)]],
    ["has its outcome already", [outcome(2), outcome(2, "unknown")]],
  ])("an outcome of a row that %s → refused, and nothing is written", async (_, outcomes) => {
    const { store } = await open();
    const id = await opened(store, "AAAAAAA1", ["1", "2", "3"]);
    await commitTo(store, id, [], 2);
    await expect(commitTo(store, id, outcomes, 2)).rejects.toThrow("not on its way");
    expect(await statesOf(store, id)).toBe("2 on its way, 3 on its way, 4 ready");
  });

  test("a crash → rows on their way become unknown, half a batch goes, and a second recovery finds nothing", async () => {
    const journal = await open();
    const id = await opened(journal.store, "AAAAAAA1", ["1", "2", "3", "4"]);
    await commitTo(journal.store, id, [], 2);
    await commitTo(journal.store, id, [outcome(2, "again")], 1);
    await record(journal.store, newBatch("RECORD01"), [newRow(2, "5")]);
    await journal.crash();
    const { store } = journal;
    expect(await statesOf(store, id)).toBe("2 ready, 3 on its way, 4 on its way, 5 ready");
    expect((await store.recover(ASHA)).unknown.map(({ row }) => row)).toEqual([3, 4]);
    expect((await store.recover(ASHA)).unknown).toEqual([]);
    expect(await statesOf(store, id)).toBe("2 ready, 3 unknown, 4 unknown, 5 ready");
    expect((await rowOf(store, id, 3)).code).toBe("interrupted");
    expect(await store.batches({ id: "RECORD01" })).toEqual([]);
    expect(await store.acts({ batch: id })).toMatchObject([{ ...ASHA, kind: "recover", rows: [3, 4] }]);
    expect(await sendAll(store, id)).toEqual([5, 2]);
  });

  test("rows that were let go and did not leave → ready behind all others, and their run ends", async () => {
    const { store } = await open();
    const id = await opened(store, "AAAAAAA1", ["1", "2", "3"]);
    const run = await store.beginRun(id, ASHA, NOW);
    await commitTo(store, id, [], 2);
    await commitTo(store, id, [outcome(2, "again"), outcome(3, "again")], 0);
    await store.endRun(run, { endedAt: NOW + 9, exitCode: 7, requests: 0, stop: "signal" });
    expect((await store.recover(ASHA)).unknown).toEqual([]);
    expect(await statesOf(store, id)).toBe("2 ready, 3 ready, 4 ready");
    expect(await sendAll(store, id)).toEqual([4, 2, 3]);
    expect(await store.runs(id)).toEqual([
      { batch: id, ...ASHA, startedAt: NOW, endedAt: NOW + 9, exitCode: 7, requests: 0, stop: "signal" },
    ]);
  });
}

function letsOneJudge(open: OpenTestJournal): void {
  test("two judge at once, in two processes → one after the other; one that fails lets the next one in", async () => {
    const journal = await open();
    const told: string[] = [];
    const judge = (store: JournalStore, name: string): Promise<void> =>
      store.judging(async () => {
        told.push(`${name} begins`);
        await store.batches({});
        await new Promise((resolve) => setTimeout(resolve, 20));
        told.push(`${name} ends`);
        if (name === "A") throw new Error("A fails");
      });
    const other = await journal.another();
    const all = [judge(journal.store, "A"), judge(journal.store, "B"), judge(other, "C"), judge(other, "D")];
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
      "rejected",
      "fulfilled",
      "fulfilled",
      "fulfilled",
    ]);
    for (let at = 0; at < told.length; at += 2) expect(told[at + 1]).toBe(told[at]?.replace("begins", "ends"));
    expect(told).toHaveLength(8);
  });

  test("judging inside judging → an error, and not a wait for itself", async () => {
    const { store } = await open();
    const inner = store.judging(() => store.judging(() => Promise.resolve(1)));
    await expect(inner).rejects.toThrow("judging inside judging");
    expect(await store.judging(() => Promise.resolve(2))).toBe(2);
  });
}

function keepsWhoDidWhat(open: OpenTestJournal): void {
  test("acts → kept in their order, with who, why and which rows; found by batch and time", async () => {
    const { store } = await open();
    const id = await opened(store, "AAAAAAA1", ["1", "2"]);
    await store.move(id, [{ row: 3, to: "cancelled", from: ["ready"] }], act("cancel", { note: "left the company" }));
    await store.move(id, [{ row: 3, to: "cancelled", from: ["ready"] }], act("cancel"));
    await store.holdFolder("/inbox", "stop_file", act("hold_folder", { at: NOW + 5 }));
    expect(await store.heldFolders()).toEqual([{ folder: "/inbox", reason: "stop_file", at: NOW + 5 }]);
    await store.holdFolder("/inbox", undefined, act("resume_folder", { at: NOW + 6 }));
    expect(await store.heldFolders()).toEqual([]);
    expect(await store.acts({ batch: id })).toEqual([
      act("cancel", { note: "left the company", batch: id, rows: [3] }),
    ]);
    expect((await store.acts({ since: NOW + 1 })).map(({ kind, as }) => [kind, as])).toEqual([
      ["hold_folder", "/inbox"],
      ["resume_folder", "/inbox"],
    ]);
    expect((await store.facts()).lastAt).toBe(NOW + 6);
  });

  test("things that are no payments → kept by kind and name, replaced, removed, with their act", async () => {
    const journal = await open();
    const { store } = journal;
    const [asha, ravi] = [{ role: "decide", hash: 'a"b', at: NOW }, { role: "view" }];
    await store.keep("account", "ravi", ravi, act("add_account", { as: "ravi" }));
    await store.keep("account", "asha", asha);
    await store.keep("session", "asha", { of: "asha" });
    const both = [
      { name: "asha", value: asha },
      { name: "ravi", value: ravi },
    ];
    expect(await (await journal.another()).kept("account")).toEqual(both);
    await store.keep("account", "asha", { role: "view" });
    await store.keep("account", "ravi", undefined, act("remove_account", { as: "ravi" }));
    expect(await store.kept("account")).toEqual([{ name: "asha", value: { role: "view" } }]);
    expect([await store.kept("account", "ravi"), await store.kept("session", "asha")]).toEqual([
      [],
      [{ name: "asha", value: { of: "asha" } }],
    ]);
    expect(await store.acts({})).toEqual([act("add_account", { as: "ravi" }), act("remove_account", { as: "ravi" })]);
  });

  test("two who keep what a statement shows at once → neither loses what the other found", async () => {
    const journal = await open();
    const [one, other] = [journal.store, await journal.another()];
    const line = { line: "a", day: "2026-11-03" };
    const back = { ...line, returned: { line: "b", day: "2026-11-05" } };
    const keep = (store: JournalStore, ...rows: [number, InStatement][]): Promise<void> =>
      keepInStatements(store, "AAAAAAA1", new Map(rows));
    await keep(one, [4, back]);
    await Promise.all([keep(one, [2, line], [4, line]), keep(other, [3, line])]);
    expect([...(await inStatements(one, "AAAAAAA1"))]).toEqual([
      [2, line],
      [3, line],
      [4, back],
    ]);
  });

  test("rows that were let go → counted once: while they go, after their run, after a crash, and in their folder", async () => {
    const journal = await open();
    const counted = async (): Promise<number[]> => {
      const { letGo, letGoHere } = await journal.store.facts("/inbox/payouts");
      return [letGo, letGoHere];
    };
    const ended = { endedAt: NOW, exitCode: 0, requests: 2 };
    const id = await opened(journal.store, "AAAAAAA1", ["1", "2", "3", "4"]);
    const run = await journal.store.beginRun(id, ASHA, NOW);
    await commitTo(journal.store, id, [], 2);
    expect(await counted()).toEqual([2, 2]);
    await commitTo(journal.store, id, [outcome(2), outcome(3)], 0);
    await journal.store.endRun(run, ended);
    expect(await counted()).toEqual([2, 2]);
    await journal.store.beginRun(id, ASHA, NOW);
    await commitTo(journal.store, id, [], 1);
    expect(await counted()).toEqual([3, 3]);
    await journal.crash();
    await journal.store.recover(ASHA);
    expect(await counted()).toEqual([3, 3]);
    const other = await opened(journal.store, "AAAAAAA2", ["5"], { folder: "/inbox/other" });
    const another = await journal.store.beginRun(other, ASHA, NOW);
    await commitTo(journal.store, other, [], 1);
    await commitTo(journal.store, other, [outcome(2)], 0);
    await journal.store.endRun(another, ended);
    expect(await counted()).toEqual([4, 3]);
    expect(await journal.store.folders()).toEqual(["/inbox/other", "/inbox/payouts"]);
  });

  test("facts → the same in every process of this journal, others in another one", async () => {
    const journal = await open();
    const [facts, again, others] = [
      await journal.store.facts(),
      await (await journal.another()).facts(),
      await (await open()).store.facts(),
    ];
    expect(again).toEqual(facts);
    expect(facts).toMatchObject({ letGo: 0, lastAt: 0 });
    expect(facts.keySecret).toMatch(/^[0-9a-f]{64}$/);
    expect(others.stateId).not.toBe(facts.stateId);
  });

  test("what is in flight when the store is closed → a rejection, and never silence", async () => {
    const { store } = await open();
    await store.close();
    await expect(store.batches({})).rejects.toThrow();
  });
}
