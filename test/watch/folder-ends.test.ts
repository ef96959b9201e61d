import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { holdsOf } from "../../src/batch/held-folder.ts";
import { loadConfig } from "../../src/config/load.ts";
import { FolderAnswers } from "../../src/drop-folder/folder-answers.ts";
import { FolderEnds } from "../../src/drop-folder/folder-ends.ts";
import { FolderHold } from "../../src/drop-folder/folder-hold.ts";
import { FileMemory } from "../../src/drop-folder/file-memory.ts";
import { Outage } from "../../src/drop-folder/outage.ts";
import { CopyGoneError, FileRefusedError, PaydropError } from "../../src/errors.ts";
import type { BatchReport, Stop } from "../../src/events.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { STOPS } from "../../src/submission/stop-rules.ts";
import { openDesk } from "../support/desk.ts";

const IDENTITY = { dev: "1", ino: "1", sizeBytes: "1", mtimeNs: "1", ctimeNs: "1" };

interface Setting {
  readonly ends: FolderEnds;
  readonly outage: Outage;
  readonly hold: FolderHold;
  readonly journal: JournalStore;
  readonly folder: string;
  /** What was said, mentioned, and told of batches and files, in this order. */
  readonly told: string[];
  readonly isHeld: () => Promise<boolean>;
  /** A STOP is seen in the folder. */
  readonly stopSeen: () => Promise<unknown>;
  /** A file that waits in the folder. */
  readonly file: (name: string) => Parameters<FolderEnds["failed"]>[0] & { readonly path: string };
  /** A batch has come to its end, with so many requests. */
  readonly ended: (report: Partial<BatchReport>, end?: Partial<Parameters<FolderEnds["ended"]>[1]>) => Promise<boolean>;
  /** What stands beside a file. */
  readonly note: (name: string) => string;
}

/** The ends of a folder that is watched, with its real journal, its notes and its hold. */
async function withEnds(work: (setting: Setting) => Promise<void>, isWatching = true): Promise<void> {
  const desk = openDesk("http://127.0.0.1:9");
  const { folder } = desk;
  const config = loadConfig({ env: { ...desk.env }, flags: {} });
  await desk.inProcess(async (processor) => {
    const { journal } = processor;
    const told: string[] = [];
    const listener = {
      say: (text: string) => void told.push(`say ${text}`),
      mention: (text: string) => void told.push(`mention ${text}`),
      ended: ({ batch, stop }: BatchReport, { isNews, isPassing }: { isNews: boolean; isPassing: boolean }) => {
        const held = stop?.code === "folder_held" ? `, ${stop.hint}` : "";
        told.push(`ended ${batch} ${isNews ? "news" : "old"}${isPassing ? " passing" : ""}${held}`);
      },
      failed: ({ code }: PaydropError) => void told.push(`failed ${code}`),
    };
    const unfinished = (): Promise<readonly string[]> => Promise.resolve([]);
    const hold = new FolderHold({ folder, processor, listener, isWorking: () => false, unfinished });
    await hold.open();
    const answers = new FolderAnswers(
      listener,
      () => undefined,
      () => Promise.resolve(false),
    );
    const memory = new FileMemory(journal, config);
    const outage = new Outage({ isWatching, watchRetryMs: 60_000, listener });
    const ends = new FolderEnds({ isWatching, listener, answers, hold, outage, memory });
    const pathOf = (name: string): string => join(folder, name);
    await work({
      ...{ ends, outage, hold, journal, folder, told },
      stopSeen: async () => (await hold.stopAsked()) && (await hold.compare()),
      isHeld: async () => (await holdsOf(journal, folder)).length > 0,
      file: (name) => {
        writeFileSync(pathOf(name), "x");
        return { path: pathOf(name), sha256: name, identity: IDENTITY, refusalKey: `key of ${name}` };
      },
      ended: (over, end = {}) =>
        ends.ended(reportOf(pathOf("a.csv"), over), { isTry: false, isWaiting: false, isSaid: false, ...end }),
      note: (name) => {
        const found = ["waiting", "refused"]
          .map((kind) => pathOf(`${name}.${kind}.txt`))
          .find((path) => existsSync(path));
        return found === undefined ? "" : readFileSync(found, "utf8");
      },
    });
  });
}

/** Of two rows that were accepted, unless said otherwise. */
function reportOf(file: string, over: Partial<BatchReport>): BatchReport {
  const total = { rows: 2, amount: "2.00" };
  return {
    ...{ batch: "K7Q29F3M", file, operation: "transfer", destination: "", total, byStatus: { accepted: total } },
    ...{
      accounts: [],
      requests: 2,
      startedAt: 0,
      durationMs: 0,
      files: {},
      remarks: [],
      rowsToLookAt: {},
      exitCode: 0,
    },
    ...over,
  };
}

const UNSENT = { not_sent: { rows: 2, amount: "2.00" } };

function stopped(code: keyof typeof STOPS, over: Partial<BatchReport> = {}): Partial<BatchReport> {
  const stop: Stop = STOPS[code];
  return { stop, byStatus: UNSENT, exitCode: 7, ...over };
}

test("a batch that a signal stopped is cut off, and goes on by itself, until it comes to another end", async () => {
  await withEnds(async ({ ends, ended }) => {
    expect([await ended(stopped("signal")), ends.wasCutOff]).toEqual([true, true]);
    await ended({ batch: "OTHER234" });
    expect(ends.wasCutOff).toBe(true);
    expect([await ended({}), ends.wasCutOff]).toEqual([false, false]);
  });
});

test("what a STOP cut off is told to go by a resume of the folder, not by running its file again", async () => {
  await withEnds(async ({ ended, folder, stopSeen, told }) => {
    await stopSeen();
    await ended(stopped("signal"));
    expect(told.at(-1)).toBe(
      `ended K7Q29F3M news, a person lets it go on with \`paydrop resume --inbox ${folder} --by NAME\``,
    );
    await ended(stopped("unreachable"));
    expect(told.at(-2)).toBe("ended K7Q29F3M news");
  });
});

test("of each batch and file its last exit code is given, once", async () => {
  await withEnds(async ({ ends, ended, file }) => {
    await ended(stopped("unreachable"));
    await ended({});
    await ended({ batch: "OTHER234", exitCode: 3 });
    for (let times = 0; times < 2; times += 1) await ends.failed(file("b.csv"), new FileRefusedError("b.csv", []));
    await ends.failed(undefined, new PaydropError("destination", "elsewhere"));
    expect([ends.takeCodes(), ends.takeCodes()]).toEqual([[0, 3, 5, 78], []]);
  });
});

test.each([
  ["its results were only tried again", {}, { isSaid: true }, "old"],
  ["its rows wait for another file alone", { exitCode: 6 }, { isWaiting: true }, "news passing"],
  ["a row of it waits for another file, and one was refused", { exitCode: 3 }, { isWaiting: true }, "news"],
  ["its rows wait for a person", { exitCode: 6 }, {}, "news"],
])("what is told of a batch: %s", async (_, report, end, said) => {
  await withEnds(async ({ ended, told }) => {
    await ended(report, end);
    expect(told).toEqual([`ended K7Q29F3M ${said}`]);
  });
});

test("a service that is away is told once for each reason, and is back when a try has sent something", async () => {
  await withEnds(async ({ outage, ended, told, isHeld }) => {
    expect(await ended(stopped("unreachable"))).toBe(true);
    // what found it out beside it
    await ended({ batch: "BESIDE23", byStatus: UNSENT });
    await ended(stopped("unreachable"), { isTry: true });
    await ended(stopped("key_refused"), { isTry: true });
    // on its way since before; or nothing in it to send
    await ended({ batch: "BEFORE23" });
    await ended({ batch: "NOTHING2", requests: 0 }, { isTry: true });
    expect(outage.isAway).toBe(true);
    await ended({}, { isTry: true });
    expect([outage.isAway, await isHeld()]).toEqual([false, false]);
    expect(told.map((text) => text.replace(/;.*/s, ""))).toEqual([
      "ended K7Q29F3M news",
      `say everything waits: ${STOPS.unreachable.message}`,
      "ended BESIDE23 news",
      "ended K7Q29F3M old",
      "ended K7Q29F3M news",
      `say everything waits: ${STOPS.key_refused.message}`,
      "ended BEFORE23 news",
      "ended NOTHING2 news",
      "ended K7Q29F3M news",
      "say the service takes rows again",
    ]);
    expect(told.filter((text) => text.includes("PAYDROP_API_KEY"))).toHaveLength(1);
  });
});

test("rows that found nobody, too few to stop their run, go again by themselves when the service is tried again", async () => {
  await withEnds(async ({ outage, ended, note }) => {
    expect(await ended({ byStatus: { accepted: { rows: 1, amount: "1.00" }, ...UNSENT }, exitCode: 7 })).toBe(true);
    expect([outage.isAway, outage.isKnown(STOPS.unreachable, { isTry: true })]).toEqual([true, true]);
    expect(note("a.csv")).toContain("It is tried again by itself");
  });
});

test("a single run says nothing of waiting for the service, and sends nothing more into it", async () => {
  await withEnds(async ({ outage, ended, told }) => {
    await ended(stopped("unreachable"));
    expect([outage.isAway, told]).toEqual([true, ["ended K7Q29F3M news"]]);
  }, false);
});

test.each([
  ["watched, its folder is held until a person says resume", true],
  ["in a single run nothing more goes in this process", false],
])("a service that nobody understands: %s", async (_, isWatching) => {
  await withEnds(async ({ outage, hold, ended, isHeld, note }) => {
    expect(await ended(stopped("redirect")), "it goes on by itself").toBe(false);
    expect([await isHeld(), outage.isAway]).toEqual([isWatching, !isWatching]);
    expect(note("a.csv").includes("paydrop resume --inbox")).toBe(isWatching);
    const answer = hold.answer("b.csv") ?? outage.answer("b.csv");
    expect(answer?.text.includes("paydrop resume --inbox")).toBe(isWatching);
    const looked = { unknown: { rows: 1, amount: "1.00" }, not_sent: { rows: 1, amount: "1.00" } };
    await ended(stopped("redirect", { byStatus: looked, rowsToLookAt: { unknown: [2] } }));
    expect(note("a.csv")).toContain("No clear answer for row 2");
    await ended(
      stopped("redirect", { byStatus: { ...UNSENT, held: { rows: 1, amount: "1.00" } }, rowsToLookAt: { held: [3] } }),
    );
    expect(note("a.csv")).toContain("A person must decide on row 3");
    await ended({});
    expect(note("a.csv")).toBe("");
  }, isWatching);
});

test("a refused file is told, remembered and answered", async () => {
  await withEnds(async ({ ends, file, told, note, journal }) => {
    const refused = file("b.csv");
    const faults = [{ code: "own_results_file", message: "this is ours", hint: "" } as const];
    await ends.failed(refused, new FileRefusedError("b.csv", faults));
    expect([told, ends.isLeft(refused)]).toEqual([["failed file_refused"], false]);
    expect(await journal.sourceBatch(refused.path, refused.refusalKey)).toBe("refused");
    expect(note("b.csv")).toContain("This is ours.");
  });
});

test.each([
  ["settings", new PaydropError("config", "no key is set", "set it")],
  ["another destination", new PaydropError("destination", "no key is set", "set it")],
  ["a private copy that is gone", new CopyGoneError("no key is set", "set it")],
])("files that %s keep from going stay where they are, with a note; it is told once", async (_, error) => {
  await withEnds(async ({ ends, file, told, note }) => {
    const both = [file("b.csv"), file("c.csv")];
    for (const one of both) await ends.failed(one, error);
    await ends.failed(undefined, error);
    expect([told, both.map((one) => ends.isLeft(one))]).toEqual([[`failed ${error.code}`], [true, true]]);
    expect(ends.isLeft({ path: both[0]?.path ?? "", sha256: "corrected", identity: IDENTITY })).toBe(false);
    expect([note("b.csv"), note("c.csv")]).toEqual([expect.stringContaining("No key is set."), expect.anything()]);
    expect(ends.takeCodes()).toHaveLength(3);
  });
});

test("a file that was changed or taken away just now ends nothing; a failing disk ends it all, and is answered", async () => {
  await withEnds(async ({ ends, file, told, note }) => {
    for (const code of ["stopped", "usage"] as const) await ends.failed(file("b.csv"), new PaydropError(code, code));
    expect([told, note("b.csv"), ends.takeCodes()]).toEqual([["mention stopped", "mention usage"], "", []]);
    const [full, unforeseen] = [new PaydropError("journal", "the disk is full"), new Error("who would have thought")];
    for (const error of [full, unforeseen]) {
      await expect(ends.failed(file("c.csv"), error)).rejects.toBe(error);
      expect(note("c.csv").toLowerCase()).toContain(error.message);
    }
    await expect(ends.failed(undefined, new PaydropError("stopped", "of no file"))).rejects.toThrow("of no file");
  });
});

test("what waits is told that the service is away; what may go is told nothing", async () => {
  await withEnds(async ({ outage, hold, ended }) => {
    expect([hold.answer("b.csv"), outage.answer("b.csv")]).toEqual([undefined, undefined]);
    await ended(stopped("key_refused"));
    expect(outage.answer("b.csv")?.text).toContain("PAYDROP_API_KEY");
  });
});
