import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PaydropError } from "../../src/errors.ts";
import { assertMark, keepMark } from "../../src/intake/mark.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { until } from "../support/until.ts";

class Journal {
  readonly stateId: string;
  letGo: number;
  readonly here: Record<string, number> = {};

  constructor(stateId: string, letGo: number) {
    this.stateId = stateId;
    this.letGo = letGo;
  }

  facts(folder: string): Promise<{ stateId: string; letGo: number; letGoHere: number }> {
    return Promise.resolve({ stateId: this.stateId, letGo: this.letGo, letGoHere: this.here[folder] ?? 0 });
  }
}

const markIn = (folder: string): unknown => JSON.parse(readFileSync(join(folder, ".paydrop"), "utf8"));
const never = (error: PaydropError): never => {
  throw error;
};
const mark = (text: unknown): string => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, ".paydrop"), typeof text === "string" ? text : JSON.stringify(text));
  return folder;
};

describe("a mark against the journal", () => {
  test.each<[string, unknown, string | undefined]>([
    ["of this journal, as it is", { state_id: "a", let_go: 10 }, undefined],
    ["of this journal, earlier", { state_id: "a", let_go: 3 }, undefined],
    ["of this journal, later", { state_id: "a", let_go: 11 }, "journal_older"],
    ["of another journal", { state_id: "b", let_go: 3 }, "journal_of_another"],
    ["of another journal that let nothing go", { state_id: "b", let_go: 0 }, "journal_of_another"],
    ["that is empty", "", "mark_damaged"],
    ["of another form", { state_id: "a" }, "mark_damaged"],
  ])("%s", async (_, text, reason) => {
    const folder = mark(text);
    const journal = new Journal("a", 10);
    const checked = assertMark(folder, journal);
    if (reason === undefined) expect(await checked).toBeUndefined();
    else await expect(checked).rejects.toMatchObject({ code: "journal", reason });
    const kept = keepMark(folder, journal, never);
    if (reason === undefined) await (await kept).close();
    else await expect(kept).rejects.toMatchObject({ reason });
  });

  test("a link or a folder in its place is no mark of ours; none is fine", async () => {
    const folder = temporaryDirectory();
    expect(await assertMark(folder, new Journal("a", 0))).toBeUndefined();
    symlinkSync("/etc/hostname", join(folder, ".paydrop"));
    await expect(assertMark(folder, new Journal("a", 0))).rejects.toMatchObject({ reason: "mark_damaged" });
    rmSync(join(folder, ".paydrop"));
    mkdirSync(join(folder, ".paydrop"));
    await expect(assertMark(folder, new Journal("a", 0))).rejects.toMatchObject({ reason: "mark_damaged" });
  });

  test("an older copy of the journal sent from another folder: the first folder stays blocked until a person accepts", async () => {
    const folder = temporaryDirectory();
    const journal = new Journal("a", 30);
    journal.here[folder] = 30;
    await (await keepMark(folder, journal, never)).close();
    const restored = new Journal("a", 40);
    restored.here["/other"] = 40;
    await expect(assertMark(folder, restored)).rejects.toMatchObject({ reason: "journal_older" });
    await expect(keepMark(folder, restored, never)).rejects.toMatchObject({ reason: "journal_older" });
    expect(await assertMark(folder, restored, { accepted: true })).toContain(
      "knows of 0 rows that went, the file of 30",
    );
    expect(await assertMark(folder, restored)).toBeUndefined();
  });

  test("a folder that was renamed is still known by its old name, with its rows", async () => {
    const [folder, renamed] = [temporaryDirectory(), join(temporaryDirectory(), "renamed")];
    const journal = new Journal("a", 30);
    journal.here[folder] = 30;
    await (await keepMark(folder, journal, never)).close();
    renameSync(folder, renamed);
    expect(await assertMark(renamed, journal)).toBeUndefined();
    await expect(assertMark(renamed, new Journal("a", 40))).rejects.toMatchObject({ reason: "journal_older" });
  });

  test("accepted by a person: it becomes this journal's, and the reason is given", async () => {
    const folder = mark({ state_id: "b", let_go: 3 });
    expect(await assertMark(folder, new Journal("a", 1), { accepted: true })).toContain(
      "another journal sent from this folder",
    );
    expect(markIn(folder)).toMatchObject({ state_id: "a", let_go: 1 });
  });
});

describe("a mark that is kept", () => {
  test("is there before rows go, follows them within a second or so, and is exact at the end", async () => {
    const folder = temporaryDirectory();
    const journal = new Journal("a", 0);
    const keeper = await keepMark(folder, journal, never);
    expect(markIn(folder)).toMatchObject({ let_go: 0 });
    journal.letGo = 5;
    await until("renewed", () => (markIn(folder) as { let_go: number }).let_go === 5);
    journal.letGo = 7;
    rmSync(join(folder, ".paydrop"));
    await keeper.close();
    expect(markIn(folder)).toMatchObject({ state_id: "a", let_go: 7 });
  });

  test("of two journals that come at the same moment one gets the folder", async () => {
    for (let times = 0; times < 20; times += 1) {
      const folder = temporaryDirectory();
      const both = await Promise.allSettled(["a", "b"].map((id) => keepMark(folder, new Journal(id, 0), never)));
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      for (const one of both) if (one.status === "fulfilled") await one.value.close();
    }
  });

  test("another journal, or a copy that is ahead, has sent meanwhile: told once", async () => {
    const folder = temporaryDirectory();
    const told: string[] = [];
    const keeper = await keepMark(folder, new Journal("a", 1), ({ reason }) => told.push(reason));
    writeFileSync(join(folder, ".paydrop"), JSON.stringify({ state_id: "a", let_go: 99 }));
    await until("told", () => told.length > 0);
    await keeper.close();
    expect(new Set(told)).toEqual(new Set(["journal_older"]));
    expect(markIn(folder)).toMatchObject({ let_go: 99 });
  });

  test("several batches of one process renew it side by side without alarm", async () => {
    const folder = temporaryDirectory();
    const journal = new Journal("a", 0);
    const keepers = await Promise.all(Array.from({ length: 5 }, () => keepMark(folder, journal, never)));
    for (const keeper of keepers) {
      journal.letGo += 10;
      await Promise.all([keeper.close(), assertMark(folder, journal)]);
    }
    expect(markIn(folder)).toMatchObject({ let_go: 50 });
  });

  test("a folder that cannot be written has none, and nothing is stopped for it", async () => {
    const folder = join(temporaryDirectory(), "gone");
    await (await keepMark(folder, new Journal("a", 1), never)).close();
    expect(existsSync(folder)).toBe(false);
  });
});
