import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { PaydropError } from "../../src/errors.ts";
import type { Config } from "../../src/config/config.ts";
import type { JournalStore, Mark } from "../../src/journal/store.ts";
import { AtomicFile } from "../../src/results/disk/atomic.ts";
import { marksBeside, newestSummary } from "../../src/results/marks/found-mark.ts";
import { FolderMarks } from "../../src/results/marks/folder-marks.ts";
import { inboxMark, keepMark } from "../../src/results/marks/keep-mark.ts";
import { Leftovers } from "../../src/results/disk/leftovers.ts";
import { markedFirst, type MarkInput, type MarkKeeper } from "../../src/results/marks/mark-keeper.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

function inputOf(folder: string, stateId: string, now: () => Promise<Mark>): MarkInput {
  return {
    ...inboxMark(folder),
    leftovers: new Leftovers(),
    mode: 0o644,
    now,
    assertKnown: (found) =>
      found.mark?.stateId === stateId ? Promise.resolve() : Promise.reject(new PaydropError("journal", "another's")),
  };
}

function markOf(stateId: string, lastAttempt = 0): Mark {
  return { stateId, lastAttempt, lastAttemptAt: 1_800_000_000_123 };
}

it("of two that both found no mark, one gets through", async () => {
  const folder = temporaryDirectory();
  // each has looked before any of them writes
  let looked = 0;
  let go: () => void = () => undefined;
  const bothLooked = new Promise<void>((resolve) => (go = resolve));
  const claim = (stateId: string): Promise<MarkKeeper | undefined> =>
    keepMark(
      inputOf(folder, stateId, async () => {
        looked += 1;
        if (looked === 2) go();
        await bothLooked;
        return markOf(stateId);
      }),
    );
  const claims = await Promise.allSettled([claim("one"), claim("two")]);
  for (const one of claims) if (one.status === "fulfilled") await one.value?.close();
  expect(claims.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(readdirSync(folder)).toEqual([".paydrop"]);
});

it("whoever's unfinished mark was tidied away by the one that came first does not get through", async () => {
  const folder = temporaryDirectory();
  const second = inputOf(folder, "two", () => Promise.resolve(markOf("two")));
  const { text } = inboxMark(folder);
  const claimed = keepMark({
    ...second,
    // at this moment the second has begun its file, and the first one puts its mark down and tidies up
    text: (mark) => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
      writeFileSync(join(folder, ".paydrop"), text(markOf("one")));
      return text(mark);
    },
  });
  await expect(claimed).rejects.toThrow("another's");
});

it("is read back as it was written, to the millisecond", async () => {
  const folder = temporaryDirectory();
  let mark = markOf("one");
  const keeper = await keepMark(inputOf(folder, "one", () => Promise.resolve(mark)));
  mark = markOf("one", 7);
  await keeper?.renew();
  const found = await marksBeside(join(folder, "t.csv"), () => false);
  await keeper?.close();
  expect(found.map((one) => one.mark)).toEqual([mark]);
});

it("is renewed every second, and not only the first one", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = temporaryDirectory();
  let mark = markOf("one");
  const keeper = await keepMark(inputOf(folder, "one", () => Promise.resolve(mark)));
  const aSecondLater = (): string => {
    vi.advanceTimersByTime(1000);
    return readFileSync(join(folder, ".paydrop"), "utf8");
  };
  for (const attempt of [5, 9]) {
    mark = markOf("one", attempt);
    await expect.poll(aSecondLater).toContain(`"last_attempt":${attempt}`);
  }
  await keeper?.close();
  expect(vi.getTimerCount()).toBe(0);
});

it("writes the last mark when it is closed", async () => {
  const folder = temporaryDirectory();
  let mark = markOf("one");
  const keeper = await keepMark(inputOf(folder, "one", () => Promise.resolve(mark)));
  mark = markOf("one", 9);
  await keeper?.close();
  expect(readFileSync(join(folder, ".paydrop"), "utf8")).toContain('"last_attempt":9');
});

it("that could not be written is written as soon as it can be", async () => {
  const folder = join(temporaryDirectory(), "inbox");
  mkdirSync(folder);
  let mark = markOf("one");
  const keeper = await keepMark(inputOf(folder, "one", () => Promise.resolve(mark)));
  mark = markOf("one", 9);
  renameSync(folder, `${folder} away`);
  await keeper?.renew();
  renameSync(`${folder} away`, folder);
  await keeper?.close();
  expect(readFileSync(join(folder, ".paydrop"), "utf8")).toContain('"last_attempt":9');
});

it("of an earlier moment never takes the place of a later one", async () => {
  const folder = temporaryDirectory();
  let mark = markOf("one");
  let goOn: () => void = () => undefined;
  const later = new Promise<void>((resolve) => (goOn = resolve));
  const now = async (): Promise<Mark> => {
    const found = mark;
    if (found.lastAttempt === 5) await later;
    return found;
  };
  const keeper = await keepMark(inputOf(folder, "one", now));
  mark = markOf("one", 5);
  const renewed = keeper?.renew();
  // the question for the first one is on its way when the last attempt is made
  await Promise.resolve();
  mark = markOf("one", 9);
  const closed = keeper?.close();
  setTimeout(goOn, 50);
  await Promise.all([renewed, closed]);
  expect(readFileSync(join(folder, ".paydrop"), "utf8")).toContain('"last_attempt":9');
});

it("a journal that fails is told, and not taken for a folder without a mark", async () => {
  const now = () => Promise.reject(new PaydropError("journal", "the journal failed"));
  await expect(keepMark(inputOf(temporaryDirectory(), "one", now))).rejects.toThrow("the journal failed");
});

it("only whoever's mark stands tidies up what a crash left of it", async () => {
  const folder = temporaryDirectory();
  await AtomicFile.create(join(folder, ".paydrop"), 0o644);
  const unfinished = readdirSync(folder);
  writeFileSync(join(folder, ".paydrop"), inboxMark(folder).text(markOf("one")));
  await expect(keepMark(inputOf(folder, "two", () => Promise.resolve(markOf("two"))))).rejects.toThrow("another's");
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(unfinished));
  await (await keepMark(inputOf(folder, "one", () => Promise.resolve(markOf("one")))))?.close();
  expect(readdirSync(folder)).toEqual([".paydrop"]);
});

it.each([
  ["a folder", (path: string) => mkdirSync(path)],
  ["a link", (path: string) => symlinkSync("/nonexistent/elsewhere", path)],
  ["a file of somebody else", (path: string) => writeFileSync(path, "mine")],
])("%s in its place is left alone, and no mark is kept", async (_, put) => {
  const folder = temporaryDirectory();
  put(join(folder, ".paydrop"));
  expect(await keepMark(inputOf(folder, "one", () => Promise.resolve(markOf("one"))))).toBeUndefined();
  expect(readdirSync(folder)).toEqual([".paydrop"]);
});

it("what somebody else has under the name of an earlier batch is not written over, and no mark is kept", async () => {
  const folder = temporaryDirectory();
  const earlier = JSON.stringify({ paydrop: { state_id: "one", last_attempt: 0 }, batch: "K7Q29F3M" });
  const files = { "t.csv.summary.K7Q29F3M.json": "mine", "t.csv.summary.json": earlier };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const input = inputOf(folder, "one", () => Promise.resolve(markOf("one")));
  const mine = { ...input, path: join(folder, "t.csv.summary.json"), batch: "M2N8B4X7" };
  expect(await keepMark(mine)).toBeUndefined();
  const left = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  expect(Object.fromEntries(left)).toEqual(files);
});

it("the mark of another state directory, in a folder that was put in the place of ours, stands until it is seen", async () => {
  const folder = temporaryDirectory();
  let mark = markOf("one");
  const input = inputOf(folder, "one", () => Promise.resolve(mark));
  const keeper = await keepMark(input);
  const others = inboxMark(folder).text(markOf("two", 3));
  writeFileSync(input.path, others);
  mark = markOf("one", 9);
  await keeper?.renew();
  expect(await keeper?.isStanding()).toBe(false);
  await expect(keeper?.assertOwn()).rejects.toThrow("another's");
  await keeper?.close();
  expect(readFileSync(input.path, "utf8")).toBe(others);
});

it("that another process keeps with a copy of the same state directory is not taken for its own", async () => {
  const folder = temporaryDirectory();
  const now = (): Promise<Mark> => Promise.resolve(markOf("one"));
  const keeper = await keepMark(inputOf(folder, "one", now));
  await keeper?.assertOwn();
  const copy = await keepMark(inputOf(folder, "one", now));
  await expect(keeper?.assertOwn()).rejects.toThrow("with a copy of this state directory");
  await copy?.assertOwn();
  for (const one of [keeper, copy]) await one?.close();
});

it("whoever's unfinished mark a copy tidied away puts it down again, and the copy sends nothing more", async () => {
  const folder = temporaryDirectory();
  const now = (): Promise<Mark> => Promise.resolve(markOf("one"));
  const input = inputOf(folder, "one", now);
  let copy: Promise<MarkKeeper | undefined> | undefined;
  const keeper = await keepMark({
    ...input,
    now: async () => {
      await copy;
      return now();
    },
    text: (mark) => {
      if (!copy) for (const name of readdirSync(folder)) rmSync(join(folder, name));
      copy ??= keepMark(inputOf(folder, "one", now));
      return input.text(mark);
    },
  });
  expect(keeper).toBeDefined();
  await keeper?.assertOwn();
  await expect((await copy)?.assertOwn()).rejects.toThrow("with a copy of this state directory");
  for (const one of [keeper, await copy]) await one?.close();
});

it("that is taken away again and again lets nothing go", async () => {
  const folder = temporaryDirectory();
  const input = inputOf(folder, "one", () => Promise.resolve(markOf("one")));
  const claimed = keepMark({
    ...input,
    text: (mark) => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
      return input.text(mark);
    },
  });
  await expect(claimed).rejects.toThrow("is taken away each time that it is written");
});

it("that came while another was written is looked at, not replaced", async () => {
  const folder = temporaryDirectory();
  const input = inputOf(folder, "one", () => Promise.resolve(markOf("one")));
  writeFileSync(input.path, inboxMark(folder).text(markOf("one")));
  const sent = inboxMark(folder).text(markOf("one", 5));
  const claimed = keepMark({
    ...input,
    assertKnown: (found) =>
      found.mark?.lastAttempt === 0 ? Promise.resolve() : Promise.reject(new PaydropError("journal", "not known")),
    text: (mark) => {
      writeFileSync(input.path, sent);
      return input.text(mark);
    },
  });
  await expect(claimed).rejects.toThrow("not known");
  expect(readFileSync(input.path, "utf8")).toBe(sent);
});

it("of two with copies of one state directory that both put it down, the first attempt of one goes at most", async () => {
  const folder = temporaryDirectory();
  const marks = [markOf("one"), markOf("one")];
  const both = marks.map((_, i) => {
    const input = inputOf(folder, "one", () => Promise.resolve(marks[i] ?? markOf("one")));
    // each knows its own attempts only
    const assertKnown: MarkInput["assertKnown"] = ({ mark }) =>
      mark?.lastAttempt === 0 ? Promise.resolve() : Promise.reject(new PaydropError("journal", "not known"));
    return { ...input, assertKnown };
  });
  const keepers: (MarkKeeper | undefined)[] = [];
  for (const input of both) keepers.push(await keepMark(input));
  marks[0] = marks[1] = markOf("one", 1);
  const first = await Promise.allSettled(keepers.map(async (keeper) => keeper?.renewFirst()));
  expect(first.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  await expect(keepMark(both[0] as MarkInput)).rejects.toThrow("not known");
  await keepers[1]?.close();
});

it.each([true, false])("is withdrawn where nothing stood before (%s), and nothing was sent", async (isFirst) => {
  const folder = temporaryDirectory();
  const input = inputOf(folder, "one", () => Promise.resolve(markOf("one")));
  if (!isFirst) writeFileSync(input.path, inboxMark(folder).text(markOf("one")));
  const keeper = await keepMark(input);
  await keeper?.withdraw();
  expect(readdirSync(folder)).toEqual(isFirst ? [] : [".paydrop"]);
});

it("that the journal does not know keeps every file of its folder from going, not only the first", async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "a.csv.summary.json"), JSON.stringify({ paydrop: { state_id: "one", last_attempt: 7 } }));
  const journal = { stateId: "one", knows: () => Promise.resolve(false) } as unknown as JournalStore;
  const marks = new FolderMarks(journal, { environment: "test" } as Config, false, new Leftovers());
  for (const name of ["b.csv", "c.csv"])
    await expect(marks.compare(join(folder, name))).rejects.toThrow(
      `the journal is older than ${join(folder, "a.csv.summary.json")}`,
    );
});

it("finds the summaries of earlier batches of the file too, and the newest one of a folder", async () => {
  const folder = temporaryDirectory();
  const summary = (stateId: string) => JSON.stringify({ paydrop: { state_id: stateId, last_attempt: 0 } });
  writeFileSync(join(folder, "t.csv.summary.json"), summary("now"));
  writeFileSync(join(folder, "t.csv.summary.K7Q29F3M.json"), summary("earlier"));
  for (const name of ["t.csv.summary.json", "t.csv.summary.K7Q29F3M.json"]) {
    utimesSync(join(folder, name), 1_800_000_000, 1_700_000_000);
  }
  writeFileSync(join(folder, "u.csv.summary.json"), summary("other"));
  writeFileSync(join(folder, "v.csv.summary.json"), summary("older"));
  utimesSync(join(folder, "v.csv.summary.json"), 1_800_000_000, 1_700_000_000);
  const found = await marksBeside(join(folder, "t.csv"), () => false);
  expect(found.map(({ mark }) => mark?.stateId).sort()).toEqual(["earlier", "now"]);
  expect(await newestSummary(folder, "other")).toMatchObject([{ mark: { stateId: "other" } }]);
  expect((await newestSummary(folder, "older")).map(({ path }) => path)).toEqual([join(folder, "v.csv.summary.json")]);
  expect(await newestSummary(folder, "none")).toEqual([]);
});

it("whoever keeps the mark of an inbox looks at the summary of its file, and at marks between the two", async () => {
  const inbox = temporaryDirectory();
  const folder = join(inbox, "transfers");
  mkdirSync(folder);
  writeFileSync(join(folder, "t.csv.summary.json"), inboxMark(folder).text(markOf("summary")));
  for (const one of [inbox, folder]) writeFileSync(join(one, ".paydrop"), inboxMark(one).text(markOf(one)));
  const found = await marksBeside(join(folder, "t.csv"), (one) => one === inbox);
  expect(found.map(({ mark }) => mark?.stateId)).toEqual(["summary", folder]);
});

it("the first attempt is in the mark before it goes, also where rows before it did not go after all", async () => {
  const folder = temporaryDirectory();
  let lastAttempt = 0;
  const keeper = await keepMark(inputOf(folder, "one", () => Promise.resolve(markOf("one", lastAttempt))));
  const begin = markedFirst(keeper, (row: number) => {
    if (row === 2) return Promise.resolve({ state: "held" } as const);
    lastAttempt += 1;
    return Promise.resolve({ attempt: lastAttempt, ordinal: 1 });
  });
  const marked = async (): Promise<unknown> =>
    (await marksBeside(`${folder}/t.csv`, () => false))[0]?.mark?.lastAttempt;
  await begin(2);
  expect(await marked()).toBe(0);
  await begin(3);
  expect(await marked()).toBe(1);
  await keeper?.close();
});
