import pLimit from "p-limit";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Answer } from "../../src/client/answer.ts";
import type { Stop } from "../../src/events.ts";
import { transfers } from "../../src/operations/transfers.ts";
import { Pace } from "../../src/submission/pace.ts";
import { RETRY_LIMITS } from "../../src/submission/retry.ts";
import { UnknownsInARow } from "../../src/submission/stop-rules.ts";
import { submit, type Submitted, type SubmitOptions } from "../../src/submission/submit.ts";

const UNREACHABLE_MS = 30_000;

/** What the batches of one process share. */
function shared(over: Partial<SubmitOptions> = {}): SubmitOptions {
  return {
    ...{ lanes: pLimit(8), pace: new Pace(undefined), unknowns: new UnknownsInARow(), alone: pLimit(1) },
    ...{ retry429: true, limits: { ...RETRY_LIMITS, unreachableMs: UNREACHABLE_MS }, random: () => 0 },
    ...{ soft: new AbortController().signal, hard: new AbortController().signal },
    ...over,
  };
}

/** Sends these rows by `send`; a journal in memory that keeps what is said to it. */
function sending(
  rows: readonly string[],
  options: SubmitOptions,
  send: (row: string) => Promise<Answer>,
  end: (attempt: number) => Promise<void> = () => Promise.resolve(),
): Promise<Submitted> {
  let attempts = 0;
  return submit(
    {
      // eslint-disable-next-line @typescript-eslint/require-await -- as a file gives them
      rows: (async function* () {
        yield rows;
      })(),
      begin: () => Promise.resolve({ attempt: (attempts += 1), ordinal: 1 }),
      end,
      again: () => Promise.resolve(),
      send,
      operationOf: () => transfers,
      excerpt: () => undefined,
      onOutcome: () => undefined,
      onWait: () => undefined,
      stopAsked: (): Stop | undefined => undefined,
      onStop: () => undefined,
    },
    options,
  );
}

const ACCEPTED: Answer = {
  kind: "answered",
  status: 200,
  contentType: "",
  body: "",
  bodyEnd: "complete",
  durationMs: 1,
};

const AWAY: Answer = { kind: "unsent", cause: "unreachable", detail: "", durationMs: 1 };

test("who was asked to stop before the first row sends none", async () => {
  const sent: string[] = [];
  const send = (row: string): Promise<Answer> => {
    sent.push(row);
    return Promise.resolve(ACCEPTED);
  };
  const { requests, stop } = await sending(["a", "b"], shared({ soft: AbortSignal.abort() }), send);
  expect([sent, requests, stop?.code]).toEqual([[], 0, "signal"]);
});

test("of all batches one first row at a time is on its way: a wrong key costs one row, not one of each file", async () => {
  const options = shared();
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const send = (row: string): Promise<Answer> => {
    sent.push(row);
    return new Promise((resolve) => answers.push(() => resolve(ACCEPTED)));
  };
  const batches = [sending(["a"], options, send), sending(["b"], options, send)];
  await expect.poll(() => sent).toEqual(["a"]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(sent).toEqual(["a"]);
  answers[0]?.();
  await expect.poll(() => sent).toEqual(["a", "b"]);
  answers[1]?.();
  await Promise.all(batches);
});

test("behind a row that is refused for its own sake the others go together", async () => {
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const run = sending(["a", "b", "c"], shared(), (row) => {
    sent.push(row);
    if (row === "a") return Promise.resolve({ ...ACCEPTED, status: 422 });
    return new Promise((resolve) => answers.push(() => resolve(ACCEPTED)));
  });
  await expect.poll(() => sent).toEqual(["a", "b", "c"]);
  for (const give of answers) give();
  expect(await run).toEqual({ requests: 3 });
});

test("a service that was away and came back is waited for anew when it goes again, and only what left is counted", async () => {
  let nowMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  const sent: string[] = [];
  const run = sending(["a", "b"], shared(), (row) => {
    const isBack = sent.at(-1) === row;
    sent.push(row);
    nowMs += UNREACHABLE_MS - 1;
    return Promise.resolve(isBack ? ACCEPTED : AWAY);
  });
  expect(await run).toEqual({ requests: 2 });
  expect(sent).toEqual(["a", "a", "b", "b"]);
});

test("an outcome that the journal does not take ends the run: no row goes behind those that went before it was known", async () => {
  let refuse: (error: Error) => void = () => undefined;
  const sent: string[] = [];
  const end = (attempt: number): Promise<void> =>
    attempt === 2 ? new Promise((_resolve, reject) => (refuse = reject)) : Promise.resolve();
  const options = shared({ lanes: pLimit(1) });
  const run = sending(
    ["a", "b", "c", "d"],
    options,
    (row) => {
      sent.push(row);
      if (row === "c") refuse(new Error("the disk is full"));
      return Promise.resolve(ACCEPTED);
    },
    end,
  );
  await expect(run).rejects.toThrow("the disk is full");
  expect(sent).toEqual(["a", "b", "c"]);
});

test("a service that asks for time has it from its answer on: while that is written down, no other row goes", async () => {
  const [soft, written] = [new AbortController(), Promise.withResolvers<undefined>()];
  const options = shared({ lanes: pLimit(2), soft: soft.signal });
  const turns = vi.spyOn(options.pace, "turn");
  const sent: string[] = [];
  const answers = new Map<string, (answer: Answer) => void>();
  const send = (row: string): Promise<Answer> => {
    sent.push(row);
    if (row === "slow down" || row === "beside") return new Promise((resolve) => answers.set(row, resolve));
    return Promise.resolve(ACCEPTED);
  };
  const ends: number[] = [];
  const run = sending(["first", "slow down", "beside", "next"], options, send, (attempt) => {
    ends.push(attempt);
    return attempt === 2 ? written.promise : Promise.resolve();
  });
  await expect.poll(() => sent).toHaveLength(3);
  answers.get("slow down")?.({ ...ACCEPTED, status: 429, retryAfter: "300" });
  await expect.poll(() => ends).toEqual([1, 2]);
  // its lane is free for the next row, which asks for its turn
  answers.get("beside")?.(ACCEPTED);
  await expect.poll(() => turns.mock.calls.length).toBe(4);
  await new Promise((resolve) => setImmediate(resolve));
  soft.abort();
  written.resolve(undefined);
  expect(await run).toMatchObject({ stop: { code: "signal" } });
  expect(sent).toEqual(["first", "slow down", "beside"]);
});
