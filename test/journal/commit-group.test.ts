/** What becomes of changes that share a commit when it fails. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { CommitGroup } from "../../src/journal/sqlite/commit-group.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

/** A group on a database that can be as full as a disk, until its ballast is freed. */
function openGroup() {
  const path = join(temporaryDirectory(), "journal.db");
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE noted (text TEXT)");
  const insert = database.prepare("INSERT INTO noted VALUES (?)");
  let freed = 0;
  const free = (): boolean => {
    freed += 1;
    database.exec("PRAGMA max_page_count = 1000000");
    return freed === 1;
  };
  return {
    path,
    group: new CommitGroup(database, { free }),
    note: (text: string) => () => void insert.run(text),
    fill: () => database.exec("PRAGMA max_page_count = 1"),
    noted: () => database.prepare("SELECT text FROM noted").all().map(({ text }) => text), // prettier-ignore
    freed: () => freed,
  };
}

const LARGE = "x".repeat(100_000);

test("on a full disk the outcomes of rows in flight are saved in their order, and nothing else is", async () => {
  const { group, note, fill, noted } = openGroup();
  fill();
  const began = [group.run(note("begun 1")), group.run(note(LARGE))];
  const ended = ["ended 2", "ended 3"].map((text) => group.runToTheLast(note(text)));
  for (const one of began) await expect(one).rejects.toMatchObject({ code: "journal" });
  await Promise.all(ended);
  const later = [group.run(note("begun 4")), group.runToTheLast(note("ended 5"))];
  await expect(later[0]).rejects.toMatchObject({ code: "journal" });
  await later[1];
  expect(noted()).toEqual(["ended 2", "ended 3", "ended 5"]);
});

test("after any other failure nothing is written, not even into the room of the ballast", async () => {
  const { group, note, noted, freed } = openGroup();
  const fails = (): void => {
    throw new Error("EIO: the disk did not say that it has it");
  };
  const failed = [group.runToTheLast(note("ended 1")), group.run(fails), group.runToTheLast(note("ended 2"))];
  for (const one of failed) await expect(one).rejects.toThrow("EIO");
  await expect(group.runToTheLast(note("ended 3"))).rejects.toThrow("EIO");
  expect([noted(), freed()]).toEqual([[], 0]);
});

test("between what is read and what is written nobody else writes", async () => {
  const { group, note, path } = openGroup();
  const other = new DatabaseSync(path, { timeout: 0 });
  onTestFinished(() => other.close());
  const others = group.run(() => {
    expect(() => other.exec("INSERT INTO noted VALUES ('another process')")).toThrow("locked");
  });
  await Promise.all([others, group.run(note("begun 1"))]);
});
