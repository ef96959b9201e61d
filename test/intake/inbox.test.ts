import { mkdirSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createInbox,
  inboxFolders,
  stopFilesIn,
  twoLooks,
  type FoundFile,
  type Sweep,
} from "../../src/intake/inbox.ts";
import { FileRefusedError } from "../../src/errors.ts";
import { OPERATION_FOLDERS } from "../../src/operations/index.ts";
import { takeSnapshot } from "../../src/intake/snapshot.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

/** One file, and a clock that the test sets. */
class Looked {
  readonly name: string;
  readonly path: string;
  nowMs = 0;
  readonly looks = twoLooks(5000, () => this.nowMs);

  constructor(name = "a.csv", text: string | Buffer = "a\n1\n") {
    this.name = name;
    this.path = join(temporaryDirectory(), name);
    this.write(text);
  }

  write(text: string | Buffer): void {
    writeFileSync(this.path, text);
  }

  async at(nowMs: number, more: Partial<FoundFile> = {}): Promise<string> {
    this.nowMs = nowMs;
    const format = this.name.endsWith(".xlsx") ? "xlsx" : "csv";
    const found = await this.looks.look({
      path: this.path,
      stats: statSync(this.path, { bigint: true }),
      format,
      ...more,
    });
    return found ? (found.waits ?? "complete") : "gone";
  }
}

describe("two looks", () => {
  test("a file is complete when it lay still for the whole time", async () => {
    const file = new Looked();
    expect([await file.at(0), await file.at(4999), await file.at(5000)]).toEqual([
      "being_written",
      "being_written",
      "complete",
    ]);
    expect(file.looks.nextLookMs()).toBeUndefined();
  });

  test("its folder became a link → gone, whatever lies there", async () => {
    const file = new Looked();
    const link = join(temporaryDirectory(), "transfers");
    symlinkSync(dirname(file.path), link);
    const at = (realFolder: string): Promise<string> => file.at(0, { path: join(link, file.name), realFolder });
    expect([await at(link), await at(dirname(file.path))]).toEqual(["gone", "being_written"]);
  });

  test("a file of holes → nobody reads it, a workbook is refused", async () => {
    for (const name of ["a.csv", "a.xlsx"]) {
      const file = new Looked(name);
      truncateSync(file.path, name === "a.csv" ? 1024 ** 4 : 1024 ** 3 + 1);
      expect([await file.at(0), await file.at(99_999)].at(-1)).toBe(name === "a.csv" ? "being_written" : "complete");
      if (name === "a.xlsx")
        await expect(takeSnapshot(file.path, temporaryDirectory())).rejects.toThrow(FileRefusedError);
    }
  });

  test("each change starts the wait anew: other bytes, a new time, another file", async () => {
    const file = new Looked();
    await file.at(0);
    file.write("a\n1\n2\n");
    expect([await file.at(5000), await file.at(9999)]).toEqual(["being_written", "being_written"]);
    expect(file.looks.nextLookMs(), "a little later, for what came with it").toBe(501);
    utimesSync(file.path, 1, 1);
    expect([await file.at(10_000), await file.at(15_000)]).toEqual(["being_written", "complete"]);
    rmSync(file.path);
    file.write("a\n1\n2\n");
    expect(await file.at(15_001)).toBe("being_written");
  });

  test("other bytes of the same size under the same times are a change", async () => {
    const file = new Looked();
    utimesSync(file.path, 1, 1);
    await file.at(0);
    file.write("a\n2\n");
    utimesSync(file.path, 1, 1);
    expect([await file.at(5000), await file.at(10_000)]).toEqual(["being_written", "complete"]);
  });

  const wide = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");
  test.each<[string, string, string | Buffer, number | undefined]>([
    ["without its last line end", "a.csv", "a\n1", 15_000],
    ["empty", "a.csv", "", 15_000],
    ["with its last line end in CR", "a.csv", "a\r1\r", 5000],
    ["in UTF-16 with its last line end", "a.csv", wide("a\n1\n"), 5000],
    ["in UTF-16 without it", "a.csv", wide("a\n1"), 15_000],
    ["with NUL bytes", "a.csv", "a\n1\0\n", undefined],
    ["in UTF-16 with a NUL character", "a.csv", wide("a\n\0\n"), undefined],
    ["a workbook without its directory", "a.xlsx", "PK\u0003\u0004 data", 15_000],
    ["a workbook with it", "a.xlsx", "PK\u0003\u0004 data PK\u0005\u0006 and so on", 5000],
    ["a workbook under the name of a table", "a.csv", "PK\u0003\u0004\0\0\0", 15_000],
  ])("%s (%s) is complete in its own time", async (_, name, text, completeMs) => {
    const file = new Looked(name, text);
    await file.at(0);
    const seen = [];
    for (const at of [4999, 5000, 14_999, 15_000]) seen.push((await file.at(at)) === "complete" ? at : 0);
    expect(seen.find((at) => at > 0)).toBe(completeMs);
  });
});

describe("a sweep", () => {
  const found = ({ files }: Sweep): string[] =>
    files.map(({ path, fault }) => `${basename(path)}${fault ? ` ${fault.code}` : ""}`);
  const inboxOf = (
    isKnown: () => "new" | "taken" | "refused" = () => "new",
  ): { inbox: ReturnType<typeof createInbox>; folder: string } => {
    const folder = temporaryDirectory();
    return { folder, inbox: createInbox(folder, 0, () => Promise.resolve(isKnown())) };
  };

  test("inbox and operation folders in any case, by age; no others", async () => {
    const { inbox, folder } = inboxOf();
    for (const name of ["Payouts", "loans", "payout", "archive", "loans/payouts"]) mkdirSync(join(folder, name));
    for (const [name, at] of [
      ["b.csv", 3],
      ["Payouts/a.csv", 1],
      ["loans/c.json", 2],
    ] as const) {
      writeFileSync(join(folder, name), "");
      utimesSync(join(folder, name), at, at);
    }
    for (const name of ["payout/x.csv", "archive/x.csv", "loans/payouts/x.csv"]) writeFileSync(join(folder, name), "");
    const sweep = await inbox.sweep();
    expect(found(sweep)).toEqual(["a.csv", "c.json", "b.csv"]);
    const missing = OPERATION_FOLDERS.filter((name) => name !== "payouts" && name !== "loans");
    const folders = (await inboxFolders(folder)).map((path) => basename(path));
    expect(folders.slice(1)).toEqual(["Payouts", "loans", ...missing]);
  });

  test("links are refused and never followed; STOP in any folder is seen", async () => {
    const { inbox, folder } = inboxOf();
    symlinkSync("/etc/hostname", join(folder, "a.csv"));
    symlinkSync("/etc", join(folder, "loans"));
    mkdirSync(join(folder, "payouts"));
    writeFileSync(join(folder, "payouts", "stop.TXT"), "");
    expect(found(await inbox.sweep()).sort()).toEqual(["a.csv not_regular", "loans not_regular"]);
    expect(await stopFilesIn(folder)).toEqual([join(folder, "payouts", "stop.TXT")]);
  });

  test("a name that is not UTF-8 is refused, and nothing is opened", async () => {
    const { inbox, folder } = inboxOf();
    writeFileSync(Buffer.concat([Buffer.from(join(folder, "pay")), Buffer.from([0xff]), Buffer.from(".csv")]), "x");
    expect(found(await inbox.sweep())).toEqual(["pay\ufffd.csv name_unprintable"]);
  });

  test("a taken file is asked about once, until it changes; a refused one each time", async () => {
    let asked = 0;
    let says: "taken" | "refused" = "taken";
    const { inbox, folder } = inboxOf(() => {
      asked += 1;
      return says;
    });
    writeFileSync(join(folder, "a.csv"), "x");
    await inbox.sweep();
    await inbox.sweep();
    expect(asked).toBe(1);
    says = "refused";
    writeFileSync(join(folder, "a.csv"), "xy");
    await inbox.sweep();
    await inbox.sweep();
    expect(asked).toBe(3);
  });

  test("a folder that is gone says so", async () => {
    const { inbox, folder } = inboxOf();
    rmSync(folder, { recursive: true });
    expect((await inbox.sweep()).unreadable).toBe("ENOENT");
  });

  test("a journal that fails is no folder that is away", async () => {
    const inbox = createInbox(temporaryDirectory(), 0, () => Promise.resolve("new" as const));
    expect((await inbox.sweep()).unreadable).toBeUndefined();
    const folder = temporaryDirectory();
    writeFileSync(join(folder, "a.csv"), "x");
    await expect(createInbox(folder, 0, () => Promise.reject(new Error("journal"))).sweep()).rejects.toThrow("journal");
  });
});
