import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { appendFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { writeResults } from "../../src/results/write-results.ts";
import { resultsInput, rowRecord, sheetOf } from "../support/records.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryDirectory();
});

const NAMES = ["payroll.csv.results.csv", "payroll.csv.summary.json"] as const;
const small = sheetOf("csv", ["amount"], 1, () => ["1"]);
const accepted = [rowRecord(2)];
const invalid = [rowRecord(2, { state: "invalid" })];

test("what a person wrote into results is kept beside the new ones, however often", async () => {
  const memory = new Map<string, string>();
  const input = resultsInput(folder, small, [rowRecord(2, { state: "unknown" })], {}, memory);
  await writeResults(input);
  const path = join(folder, NAMES[0]);
  const untouched = await writeResults(input);
  expect(untouched.files.kept).toBeUndefined();
  expect((await readdir(folder)).sort()).toEqual([...NAMES]);

  const note = async (text: string): Promise<void> => writeFile(path, (await readFile(path, "utf8")) + text);
  await note("checked with the bank,,\r\n");
  const settled = resultsInput(folder, small, [rowRecord(2, { state: "settled_done" })], {}, memory);
  const report = await writeResults(settled);
  expect(report.files.results).toBe(path);
  const kept = join(folder, "payroll.csv.results.edited.csv");
  expect(report.files.kept).toBe(kept);
  expect(await readFile(kept, "utf8")).toContain("unknown");
  expect(await readFile(kept, "utf8")).toContain("checked with the bank");
  expect(await readFile(path, "utf8")).toContain("settled_done");

  await note("a second look,,\r\n");
  await writeResults(settled);
  expect(await readFile(kept, "utf8")).toContain("checked with the bank");
  expect(await readFile(join(folder, "payroll.csv.results.edited-2.csv"), "utf8")).toContain("a second look");
});

test("what another process kept meanwhile is not replaced by what this one keeps", async () => {
  const memory = new Map<string, string>();
  const input = resultsInput(folder, small, accepted, {}, memory);
  await writeResults(input);
  const path = join(folder, NAMES[0]);
  await writeFile(path, `${await readFile(path, "utf8")}checked,,\r\n`);
  const kept = join(folder, "payroll.csv.results.edited.csv");
  const records: typeof input.records = () => {
    writeFileSync(kept, "theirs");
    return input.records();
  };
  const report = await writeResults({ ...input, records });
  expect(await readFile(kept, "utf8")).toBe("theirs");
  expect(report.files.kept).toBe(join(folder, "payroll.csv.results.edited-2.csv"));
  expect(await readFile(report.files.kept ?? "", "utf8")).toContain("checked");
});

test("a note that a person saves while results are written again is kept", async () => {
  const memory = new Map<string, string>();
  const input = resultsInput(folder, small, accepted, {}, memory);
  await writeResults(input);
  const path = join(folder, NAMES[0]);
  const records: typeof input.records = () => {
    if (!readFileSync(path, "utf8").includes("checked")) appendFileSync(path, "checked,,\r\n");
    return input.records();
  };
  const report = await writeResults({ ...input, records });
  expect(report.files.kept).toBe(join(folder, "payroll.csv.results.edited.csv"));
  expect(await readFile(report.files.kept ?? "", "utf8")).toContain("checked");
  expect(await readFile(path, "utf8")).not.toContain("checked");
});

test("whoever writes there without end keeps nobody from writing", async () => {
  const memory = new Map<string, string>();
  const input = resultsInput(folder, small, accepted, {}, memory);
  await writeResults(input);
  const path = join(folder, NAMES[0]);
  const records: typeof input.records = () => {
    appendFileSync(path, "more,,\r\n");
    return input.records();
  };
  const report = await writeResults({ ...input, records });
  expect(report.files).toMatchObject({ results: path, kept: join(folder, "payroll.csv.results.edited.csv") });
});

test.each([true, false])(
  "results of another batch that come while these are written are not written over (written again: %s)",
  async (staysAside) => {
    const memory = new Map<string, string>();
    const input = resultsInput(folder, small, accepted, {}, memory);
    await writeResults(input);
    const other = resultsInput(folder, small, invalid, { batch: { ...input.batch, id: "M2N8B4X7" } }, memory);
    let isFirst = true;
    const records = async function* (): ReturnType<typeof input.records> {
      if (isFirst) await writeResults(other);
      isFirst = false;
      yield* input.records();
    };
    const report = await writeResults({ ...input, records, staysAside });
    const texts = await Promise.all(
      (await readdir(folder))
        .filter((name) => name.includes(".results."))
        .map((name) => readFile(join(folder, name), "utf8")),
    );
    expect(texts.map((text) => text.includes("M2N8B4X7")).sort()).toEqual([false, true]);
    expect((await readFile(report.files.results ?? "", "utf8")).includes("M2N8B4X7")).toBe(false);
    expect(report.files.results === join(folder, NAMES[0])).toBe(!staysAside);
  },
);

test("what a crash left, before or after the new results had their name, is nobody's change", async () => {
  const memory = new Map<string, string>();
  const input = resultsInput(folder, small, accepted, {}, memory);
  await writeResults(input);
  const noted = join(folder, NAMES[0]);
  const other = resultsInput(folder, small, [rowRecord(2, { state: "unknown" })], {}, memory);
  const noteWritten = async (path: string, sha256: string): Promise<void> => {
    expect(await readFile(noted, "utf8"), "they are noted before they have their name").toContain("accepted");
    await other.noteWritten(path, sha256);
    throw new Error("a crash");
  };
  await expect(writeResults({ ...other, noteWritten })).rejects.toThrow("a crash");
  expect(memory.get(noted), "one note, and what was noted before is known").toHaveLength(64);
  expect((await writeResults(other)).files.kept).toBeUndefined();
  // what stands there now is the newer one
  expect((await writeResults(input)).files.kept).toBeUndefined();
  expect((await readdir(folder)).filter((name) => name.includes("edited"))).toEqual([]);
});

test("results that were put aside for another batch are kept too where a person has changed them", async () => {
  const memory = new Map<string, string>();
  const mine = resultsInput(folder, small, accepted, {}, memory);
  await writeResults(mine);
  await writeResults({ ...mine, batch: { ...mine.batch, id: "H2MM0000" } });
  const aside = join(folder, "payroll.csv.results.K7Q29F3M.csv");
  const asWritten = await readFile(aside, "utf8");
  await writeFile(aside, `${asWritten}checked,,\r\n`);
  const again = await writeResults({ ...mine, staysAside: true });
  expect(again.files.results).toBe(aside);
  expect(await readFile(aside, "utf8")).toBe(asWritten);
  expect(await readFile(join(folder, "payroll.csv.results.K7Q29F3M.edited.csv"), "utf8")).toContain("checked");

  await writeFile(aside, `${asWritten}once more,,\r\n`);
  const back = await writeResults(mine);
  expect(back.files.results).toBe(join(folder, NAMES[0]));
  expect(await readdir(folder)).not.toContain("payroll.csv.results.K7Q29F3M.csv");
  expect(await readFile(join(folder, "payroll.csv.results.K7Q29F3M.edited-2.csv"), "utf8")).toContain("once more");
  expect(await readdir(folder)).toContain("payroll.csv.results.H2MM0000.csv");
});

test("files of another batch are kept under its id", async () => {
  const memory = new Map<string, string>();
  const input = resultsInput(folder, small, invalid, {}, memory);
  await writeResults({ ...input, batch: { ...input.batch, id: "H2MM0000" } });
  // as a person has changed it
  await appendFile(join(folder, NAMES[0]), "checked,,\r\n");
  const before = await readFile(join(folder, NAMES[0]));
  const report = await writeResults({
    ...input,
    noteWritten: (path, sha256) => {
      if (path.includes("H2MM0000")) expect(existsSync(path), `${path} is noted before it has its name`).toBe(false);
      return input.noteWritten(path, sha256);
    },
  });
  expect(report.files.elsewhere).toBeUndefined();
  expect((await readdir(folder)).sort()).toEqual([
    "payroll.csv.results.H2MM0000.csv",
    "payroll.csv.results.csv",
    "payroll.csv.retry.H2MM0000.csv",
    "payroll.csv.retry.csv",
    "payroll.csv.summary.H2MM0000.json",
    "payroll.csv.summary.json",
  ]);
  expect((await readFile(join(folder, "payroll.csv.results.H2MM0000.csv"))).equals(before)).toBe(true);
  expect(memory.get(join(folder, "payroll.csv.retry.H2MM0000.csv"))).toBeDefined();
});

test("what was put aside for another batch is written again where it lies; there is never a second word on a batch", async () => {
  const memory = new Map<string, string>();
  const mine = resultsInput(folder, small, invalid, {}, memory);
  const theirs = { ...mine, batch: { ...mine.batch, id: "H2MM0000" } };
  await writeResults(mine);
  await writeResults(theirs);
  const names = (await readdir(folder)).sort();
  const of = async (name: string): Promise<string> => readFile(join(folder, name), "utf8");
  const later = await of("payroll.csv.results.csv");
  await writeFile(join(folder, "payroll.csv.results.K7Q29F3M.csv"), "result_row,result_status,result_batch\r\n2,held,K7Q29F3M\r\n"); // prettier-ignore
  // as an earlier build left it
  memory.delete(join(folder, "payroll.csv.results.K7Q29F3M.csv"));
  const again = await writeResults({ ...mine, staysAside: true });
  expect(again.files).toMatchObject({ results: join(folder, "payroll.csv.results.K7Q29F3M.csv"), retryRows: 1 });
  expect((await readdir(folder)).sort()).toEqual(names);
  expect(await of("payroll.csv.results.csv")).toBe(later);
  expect(await of("payroll.csv.results.K7Q29F3M.csv")).not.toContain("held");

  // as long as nothing in it is to be corrected
  await writeResults({ ...resultsInput(folder, small, accepted, {}, memory), staysAside: true });
  expect(await readdir(folder)).not.toContain("payroll.csv.retry.K7Q29F3M.csv");
  await writeResults({ ...mine, staysAside: true });
  expect((await readdir(folder)).sort()).toEqual(names);

  // a person corrects rows in what was put aside
  const retry = join(folder, "payroll.csv.retry.K7Q29F3M.csv");
  await writeFile(retry, "amount\r\n100.00\r\n");
  await writeResults({ ...mine, staysAside: true });
  expect(await readFile(retry, "utf8")).toBe("amount\r\n100.00\r\n");
  await rm(retry);

  // the file itself lies there again
  expect((await writeResults(mine)).files.results).toBe(join(folder, "payroll.csv.results.csv"));
  expect((await readdir(folder)).sort()).toEqual(names.map((name) => name.replace("K7Q29F3M", "H2MM0000")));
});

test.each([["summary"], ["results", "summary"]])(
  "of what was put aside for another batch the %s was taken away: it is written beside the file",
  async (...gone) => {
    const memory = new Map<string, string>();
    const mine = resultsInput(folder, small, accepted, {}, memory);
    await writeResults(mine);
    await writeResults({ ...mine, batch: { ...mine.batch, id: "H2MM0000" } });
    const names = await readdir(folder);
    for (const name of names)
      if (gone.some((one) => name.startsWith(`payroll.csv.${one}.K7Q29F3M`))) await rm(join(folder, name));
    const again = await writeResults({ ...mine, staysAside: true });
    expect(again.files).toMatchObject({ results: join(folder, NAMES[0]) });
    expect((await readdir(folder)).sort()).toEqual(names.map((one) => one.replace("K7Q29F3M", "H2MM0000")).sort());
  },
);

const RETRY = "payroll.csv.retry.csv";
test("what another process takes away while it writes the same results is no folder that is gone", async () => {
  const memory = new Map<string, string>();
  const mine = resultsInput(folder, small, invalid, {}, memory);
  const others = async (is: (name: string) => boolean): Promise<void> => {
    for (const name of await readdir(folder)) if (is(name)) await rm(join(folder, name));
  };
  await writeResults(mine);
  // it holds the lock, and takes our unfinished files for something that a crash left
  let isFirst = true;
  const swept = await writeResults({
    ...mine,
    async noteWritten(path, sha256) {
      if (isFirst) await others((name) => name.endsWith(".tmp"));
      isFirst = false;
      await mine.noteWritten(path, sha256);
    },
  });
  expect(swept.files).toMatchObject({ results: join(folder, NAMES[0]), retryRows: 1 });
  expect(swept.files.elsewhere).toBeUndefined();
  // it has removed the retry file that is out of date
  isFirst = true;
  const records = (): ReturnType<typeof mine.records> => {
    if (isFirst) rmSync(join(folder, RETRY));
    isFirst = false;
    return mine.records();
  };
  const cleared = await writeResults({ ...mine, records });
  expect(cleared.files).toMatchObject({ results: join(folder, NAMES[0]), retryRows: 1 });
  expect((await readdir(folder)).sort()).toEqual([...NAMES, RETRY].sort());
});

test.each(["json", "jsonl"] as const)("%s results of another batch are kept too", async (format) => {
  const sheet = sheetOf(format, ["amount"], 2, () => ["1"]);
  const input = resultsInput(folder, sheet, [rowRecord(1), rowRecord(2)]);
  await writeResults({ ...input, batch: { ...input.batch, id: "H2MM0000" } });
  await writeResults(input);
  const kept = await readFile(join(folder, `payroll.${format}.results.H2MM0000.${format}`), "utf8");
  expect(kept).toContain('"result_batch":"H2MM0000"');
});
