import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { Answer } from "../../src/client/answer.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import type { SendingEvent } from "../../src/submission/outcome.ts";
import { ACCEPTED, answered, AWAY, openDesk, record, rowsOf, run, sharedBy, SILENT, statesOf } from "./sending.ts";

const ID = "K7Q29F3M";
const RETRY = (after: string): Answer => answered(429, "", { retryAfter: after });

/** A service that notes which rows came and how many at a time; `answer` says what it answers, and when. */
function service(answer: (row: number, time: number) => Answer | Promise<Answer> = () => ACCEPTED) {
  const sent: number[] = [];
  let inFlight = 0;
  const peaks = { most: 0 };
  const send = async (row: number): Promise<Answer> => {
    sent.push(row);
    peaks.most = Math.max(peaks.most, (inFlight += 1));
    try {
      const time = sent.filter((one) => one === row).length;
      return await answer(row, time);
    } finally {
      inFlight -= 1;
    }
  };
  return { sent, peaks, send };
}

describe("lanes", () => {
  test("all rows go once, in their order, the first alone, then as many as there are lanes", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 50);
    const events: SendingEvent[] = [];
    let aloneWith = 0;
    const { sent, peaks, send } = service(async (row) => {
      await sleep(2);
      if (row === 2) aloneWith = peaks.most;
      return ACCEPTED;
    });
    expect(await run(desk, ID, send, { concurrency: 4, events })).toMatchObject({ requests: 50 });
    expect(sent).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
    expect([aloneWith, peaks.most]).toEqual([1, 4]);
    expect(await statesOf(desk, ID)).toBe("accepted 50");
    expect(events).toHaveLength(50);
    expect(events.filter((event) => event.type === "row" && event.alone)).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: "row", batch: ID, row: 2, status: "accepted", reason: "accepted" });
    expect(events[0]).toMatchObject({ httpStatus: 200, amount: "1.00", attempts: 1, durationMs: 1 });
  });

  test("a row leaves only when its turn is durable, and no more rows are marked than lanes (I2, I8)", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 60);
    const marked = new Set<number>();
    let most = 0;
    const store: Pick<JournalStore, "commit"> = {
      async commit(all) {
        const committed = await desk.store.commit(all);
        // what was committed is told only later
        await sleep(1);
        for (const { row } of all.flatMap(({ outcomes }) => outcomes)) marked.delete(row);
        for (const { row } of committed.flatMap(({ leaving }) => leaving)) marked.add(row);
        most = Math.max(most, marked.size);
        return committed;
      },
    };
    const early: number[] = [];
    const { send } = service(async (row) => {
      if (!marked.has(row)) early.push(row);
      await sleep(Math.random() * 3);
      return row % 7 === 0 ? answered(422) : ACCEPTED;
    });
    await run(desk, ID, send, { store, concurrency: 5 });
    expect([early, most]).toEqual([[], 5]);
  });

  test("a crash leaves at most as many unknown rows as there are lanes (I4, I8)", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 40);
    let answeredRows = 0;
    const forEver = new Promise<Answer>(() => undefined);
    const { sent, send } = service(() => ((answeredRows += 1) <= 20 ? ACCEPTED : forEver));
    void run(desk, ID, send, { concurrency: 6 });
    await vi.waitFor(() => expect(sent).toHaveLength(26));
    // the process is gone; another one starts
    const next = await openDesk(desk.stateDir);
    const { unknown } = await next.store.recover({ login: "ops", host: "b" });
    expect(unknown.map(({ row }) => row)).toEqual(sent.slice(20));
    expect(await statesOf(next, ID)).toBe("accepted 20, unknown 6, ready 14");
  });

  test("rows that a person lets go meanwhile go in the same run", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 3);
    const act = { at: 1, kind: "cancel" as const, login: "a", host: "b", by: "Asha" };
    await desk.store.judging(() => desk.store.move(ID, [{ row: 4, to: "held", from: ["ready"] }], act));
    const { sent, send } = service(async (row) => {
      if (row === 3) {
        await desk.store.judging(() => desk.store.move(ID, [{ row: 4, to: "ready", from: ["held"] }], act));
      }
      return ACCEPTED;
    });
    await run(desk, ID, send);
    expect(sent).toEqual([2, 3, 4]);
  });

  test("at most `rate` requests a second, of all batches together", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 6);
    await record(desk.store, "OTHER234", 6);
    const shared = sharedBy(desk.store, 4, 50);
    const times: number[] = [];
    const { send } = service(() => {
      times.push(performance.now());
      return ACCEPTED;
    });
    await Promise.all([run(desk, ID, send, { shared }), run(desk, "OTHER234", send, { shared })]);
    expect(times).toHaveLength(12);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(11 * 20 - 2);
  });
});

describe("the first row alone", () => {
  test("until one is accepted each row goes alone", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 8);
    let mostBefore = 0;
    const { sent, peaks, send } = service(async (row) => {
      await sleep(2);
      if (row <= 5) mostBefore = peaks.most;
      return row < 5 ? answered(422, `no ${"abc".charAt(row - 2)}`) : ACCEPTED;
    });
    await run(desk, ID, send);
    expect([sent.length, mostBefore, peaks.most]).toEqual([8, 1, 4]);
  });

  test("of all batches one row at a time goes alone: a wrong key costs one row", async () => {
    const desk = await openDesk();
    const shared = sharedBy(desk.store, 8);
    const ids = ["AAAAAAA2", "AAAAAAA3", "AAAAAAA4"];
    for (const id of ids) await record(desk.store, id, 5);
    const { sent, send } = service(async () => {
      await sleep(30);
      return answered(401);
    });
    const ends = await Promise.all(ids.map((id) => run(desk, id, send, { shared })));
    expect(sent).toHaveLength(1);
    expect(ends.map(({ stop }) => stop?.code)).toEqual(["key_refused", "key_refused", "key_refused"]);
    expect(await statesOf(desk, "AAAAAAA4")).toBe("ready 5");
  });
});

describe("a small file is not starved behind a large one", () => {
  test("it gets its lanes within a few rows of the large one", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 400);
    await record(desk.store, "SMALL234", 10);
    const shared = sharedBy(desk.store, 4);
    let large = 0;
    let largeAtEnd = 0;
    const slow = async (): Promise<Answer> => {
      await sleep(2);
      return ACCEPTED;
    };
    const first = run(desk, ID, () => ((large += 1), slow()), { shared });
    await vi.waitFor(() => expect(large).toBeGreaterThan(20));
    const began = large;
    await run(desk, "SMALL234", slow, { shared }).then(() => (largeAtEnd = large));
    await first;
    expect(largeAtEnd - began).toBeLessThan(60);
    expect(await statesOf(desk, "SMALL234")).toBe("accepted 10");
  });

  test("more files than lanes: all end, and never more rows at a time than lanes", async () => {
    const desk = await openDesk();
    const shared = sharedBy(desk.store, 2);
    const ids = Array.from({ length: 6 }, (_, index) => `MANY234${index + 2}`);
    for (const id of ids) await record(desk.store, id, 6);
    const { sent, peaks, send } = service(async () => {
      await sleep(1);
      return ACCEPTED;
    });
    await Promise.all(ids.map((id) => run(desk, id, send, { shared })));
    expect([sent.length, peaks.most]).toEqual([36, 2]);
  });
});

describe("tried again", () => {
  test("429 with a short wait: on its lane, and nobody else goes meanwhile", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 3);
    const times: number[] = [];
    const { sent, send } = service((row, time) => {
      times.push(performance.now());
      return row === 2 && time < 3 ? RETRY("0") : ACCEPTED;
    });
    const events: SendingEvent[] = [];
    expect(await run(desk, ID, send, { events })).toMatchObject({ requests: 5 });
    expect(sent).toEqual([2, 2, 2, 3, 4]);
    expect((await rowsOf(desk, ID)).map(({ attempts }) => attempts)).toEqual([3, 1, 1]);
    expect(events.filter(({ type }) => type === "waiting")).toHaveLength(2);
  });

  test("429 with a longer wait: a new turn is durable before the wait, and no row is marked in it", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 4);
    const { sent, send } = service((row, time) => (row === 3 && time === 1 ? RETRY("2") : ACCEPTED));
    const began = performance.now();
    const ended = run(desk, ID, send, { concurrency: 1 });
    await vi.waitFor(() => expect(sent).toEqual([2, 3]));
    await sleep(100);
    expect(await statesOf(desk, ID)).toBe("accepted 1, ready 3");
    expect(await ended).toMatchObject({ requests: 5 });
    expect(performance.now() - began).toBeGreaterThan(1_990);
    expect(sent).toEqual([2, 3, 4, 5, 3]);
    expect((await rowsOf(desk, ID)).map(({ attempts }) => attempts)).toEqual([1, 2, 1, 1]);
  });

  test("429 again and again: the row is given up and the run stops", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 3);
    const { sent, send } = service(() => RETRY("0"));
    const { stop, requests } = await run(desk, ID, send);
    expect([stop?.code, requests, sent.length]).toEqual(["rate_limited", 6, 6]);
    expect(await statesOf(desk, ID)).toBe("not_sent 1, ready 2");
  });

  test("retry_429 off: unknown, once", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 1);
    const { sent, send } = service(() => RETRY("0"));
    await run(desk, ID, send, { config: { retry_429: false, doubtful_2xx: "unknown" } });
    expect([sent, await statesOf(desk, ID)]).toEqual([[2], "unknown 1"]);
  });

  test("a service that was away for a moment: all go, none twice", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 10);
    vi.spyOn(Math, "random").mockReturnValue(0.01);
    const { sent, send } = service((_row, time) => (time <= 2 ? AWAY : ACCEPTED));
    expect(await run(desk, ID, send)).toMatchObject({ requests: 10 });
    expect(sent).toHaveLength(30);
    expect(await statesOf(desk, ID)).toBe("accepted 10");
  });

  test("a service that is away for good: five rows are given up, and it stops", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 20);
    vi.spyOn(Math, "random").mockReturnValue(0);
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 1_000));
    const { send } = service(() => AWAY);
    const { stop, requests } = await run(desk, ID, send);
    vi.restoreAllMocks();
    expect([stop?.code, requests]).toEqual(["unreachable", 0]);
    expect(await statesOf(desk, ID)).toBe("not_sent 5, ready 15");
  });
});

describe("what stops a run", () => {
  test.each<readonly [string, (row: number) => Answer, string, string]>([
    [
      "a key that ends",
      (row) => (row < 6 ? ACCEPTED : answered(401)),
      "key_refused",
      "accepted 4, rejected 1, ready 15",
    ],
    ["a wrong address", () => answered(404), "address_refused", "rejected 1, ready 19"],
    ["a redirect", () => answered(302), "redirect", "unknown 1, ready 19"],
    ["a web page", () => answered(200, "<html>"), "html_answer", "unknown 1, ready 19"],
    ["three unknown in a row", () => SILENT, "unknown_in_a_row", "unknown 3, ready 17"],
    ["three 200 that say no", () => answered(200, '{"status":"FAILED"}'), "unknown_in_a_row", "unknown 3, ready 17"],
    [
      "ten equal refusals",
      (row) => answered(422, `{"id":"r${row}","error":"no"}`),
      "same_refusal",
      "rejected 10, ready 10",
    ],
    [
      "a certificate",
      () => ({ kind: "unsent", cause: "certificate", detail: "", durationMs: 0 }),
      "certificate_refused",
      "not_sent 1, ready 19",
    ],
  ])("%s", async (_what, answer, code, states) => {
    const desk = await openDesk();
    await record(desk.store, ID, 20);
    const { send } = service(answer);
    const { stop } = await run(desk, ID, send, { concurrency: 1 });
    expect([stop?.code, await statesOf(desk, ID)]).toEqual([code, states]);
    expect(`${stop?.text ?? ""}${stop?.todo ?? ""}`).not.toMatch(/[{}]|undefined/);
  });

  test("a wrong address of one operation stops only rows of that", async () => {
    const desk = await openDesk();
    const shared = sharedBy(desk.store, 4);
    await record(desk.store, ID, 5, "payout");
    await record(desk.store, "OTHER234", 5, "transfer");
    const { sent, send } = service();
    const answer = (row: number, operation: string): Answer | Promise<Answer> =>
      operation === "payout" ? answered(404) : send(row);
    const [payouts, transfers] = await shared.together(async () => [
      await run(desk, ID, answer, { shared }),
      await run(desk, "OTHER234", answer, { shared }),
    ]);
    expect([payouts.stop?.operation, transfers.stop, sent.length]).toEqual(["payout", undefined, 5]);
    expect(payouts.stop?.text).toBe("the service does not know this address for payouts (HTTP 404)");
  });

  test("files of one row each: three unknown in a row count together", async () => {
    const desk = await openDesk();
    const shared = sharedBy(desk.store, 4);
    const ids = ["AAAAAAA2", "AAAAAAA3", "AAAAAAA4", "AAAAAAA5"];
    for (const id of ids) await record(desk.store, id, 1);
    const { sent, send } = service(() => answered(500));
    await shared.together(async () => {
      for (const id of ids) await run(desk, id, send, { shared });
    });
    expect([sent.length, await statesOf(desk, "AAAAAAA5")]).toEqual([3, "ready 1"]);
  });

  test("a person pauses or cancels it, or puts a STOP into its folder: what is in flight ends", async () => {
    const act = { at: 1, kind: "pause" as const, login: "a", host: "b" };
    const acts: readonly [string, (store: JournalStore) => Promise<unknown>][] = [
      ["paused", (store) => store.setBatch(ID, { phase: "paused" }, act)],
      ["cancelled", (store) => store.setBatch(ID, { phase: "cancelled" }, act)],
      ["folder_held", (store) => store.holdFolder("/inbox", "STOP", { ...act, kind: "hold_folder" })],
    ];
    for (const [code, said] of acts) {
      const desk = await openDesk();
      await record(desk.store, ID, 10);
      const { sent, send } = service(async (row) => {
        if (row === 4) await said(desk.store);
        return ACCEPTED;
      });
      const { stop } = await run(desk, ID, send, { concurrency: 1 });
      expect([stop?.code, sent, await statesOf(desk, ID)]).toEqual([code, [2, 3, 4], "accepted 3, ready 7"]);
    }
  });
});

describe("signals", () => {
  test("asked before the first row: none goes", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 2);
    const { sent, send } = service();
    const { stop } = await run(desk, ID, send, { soft: AbortSignal.abort("work_failed") });
    expect([sent, stop?.code]).toEqual([[], "work_failed"]);
  });

  test("first: nothing new, in-flight rows end, waiting ones get new turns; second: they are unknown", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 20);
    const [soft, hard] = [new AbortController(), new AbortController()];
    const aborted: Answer = { kind: "no_answer", cause: "aborted", detail: "", durationMs: 1 };
    const { sent, send } = service((row) => {
      if (row < 5) return ACCEPTED;
      if (row === 5) return RETRY("1");
      return new Promise((resolve) => hard.signal.addEventListener("abort", () => resolve(aborted)));
    });
    const ended = run(desk, ID, send, { concurrency: 4, soft: soft.signal, hard: hard.signal });
    await vi.waitFor(() => expect(sent).toContain(5));
    await sleep(20);
    soft.abort();
    await sleep(20);
    const inFlight = sent.filter((row) => row > 5).length;
    hard.abort();
    const { stop } = await ended;
    expect(stop?.code).toBe("signal");
    expect(await statesOf(desk, ID)).toBe(
      `accepted 3, ready ${17 - inFlight}, unknown ${inFlight}`.replace(", unknown 0", ""),
    );
    expect((await rowsOf(desk, ID)).filter(({ state, code }) => state === "unknown" && code !== "interrupted")).toEqual(
      [],
    );
  });
});

describe("a journal or spool that fails", () => {
  test("nothing further goes, and what came back since is saved if that can be", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 30);
    const store: Pick<JournalStore, "commit"> = {
      commit: (all) =>
        all.some(({ outcomes }) => outcomes.some(({ row }) => row === 6))
          ? Promise.reject(new Error("the disk is full"))
          : desk.store.commit(all),
    };
    const { sent, send } = service(async (row) => {
      await sleep(row > 6 ? 60 : 1);
      return ACCEPTED;
    });
    const running = run(desk, ID, send, { store, concurrency: 4 });
    await expect(running).rejects.toThrow("the disk is full");
    const count = sent.length;
    await sleep(80);
    expect(sent).toHaveLength(count);
    const next = await openDesk(desk.stateDir);
    const { unknown } = await next.store.recover({ login: "ops", host: "b" });
    const lost = unknown.map(({ row }) => row);
    // those of the commit that failed, and none that came back later
    expect(lost).toContain(6);
    expect(lost.filter((row) => row > 6)).toEqual([]);
    expect((await next.store.rows({ batch: ID, states: ["ready"] })).length).toBe(30 - count);
  });

  test("rows were let go that no lane took → the share does not end with a word (I15)", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 12);
    const store: Pick<JournalStore, "commit"> = {
      commit: (all) => desk.store.commit(all.map((one) => ({ ...one, freeLanes: one.freeLanes && one.freeLanes + 1 }))),
    };
    const { send } = service();
    await expect(run(desk, ID, send, { store, concurrency: 2 })).rejects.toThrow("on their way at the end");
  });

  test("a spool that cannot be read: the row did not go, and is ready", async () => {
    const desk = await openDesk();
    await record(desk.store, ID, 3);
    const { sent, send } = service();
    const spool = {
      read(): string {
        throw new Error("no whole line");
      },
    };
    await expect(run(desk, ID, send, { spool })).rejects.toThrow("no whole line");
    expect([sent, await statesOf(desk, ID)]).toEqual([[], "ready 3"]);
  });
});
