import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { Meta, META_KEY, META_PREFIX } from "../../src/journal/sqlite/meta.ts";
import { migrate } from "../../src/journal/sqlite/database/schema.ts";

function openMeta(): Meta {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => database.close());
  migrate(database);
  return new Meta(database);
}

test("keys are those of every journal that is on a disk: under others nothing would be found again", () => {
  expect(META_KEY).toEqual({
    hashKey: "hash_key",
    stateId: "state_id",
    openInBoot: "open in boot",
    earlierKeys: "keys of an earlier build",
    lockHolder: "lock holder",
  });
  expect(META_PREFIX).toEqual({
    resultsOwed: "results owed ",
    environment: "environment of ",
    inboxHold: "inbox hold ",
    holdLifted: "inbox hold lifted ",
    loss: "loss ",
    markAccepted: "loss accepted ",
  });
});

test("no prefix begins another key; of the two that always did one is left out by name, and one only written", () => {
  const all = [...Object.values(META_KEY), ...Object.values(META_PREFIX)];
  const begun = Object.values(META_PREFIX).flatMap((prefix) =>
    // SQLite compares beginnings without case
    all
      .filter((key) => key !== prefix && key.toLowerCase().startsWith(prefix.toLowerCase()))
      .map((key) => [prefix, key]),
  );
  expect(begun).toEqual([
    ["inbox hold ", "inbox hold lifted "],
    ["loss ", "loss accepted "],
  ]);
  expect(Object.values(META_PREFIX).filter((prefix) => /[%_]/.test(prefix))).toEqual([]);
});

test("what is lifted is no hold any more, though its key begins the same way", () => {
  const meta = openMeta();
  meta.put(`${META_PREFIX.inboxHold}/b`, "second");
  meta.put(`${META_PREFIX.inboxHold}/a`, "first");
  meta.put(`${META_PREFIX.holdLifted}5 /a`, "lifted");
  expect(meta.under(META_PREFIX.inboxHold, META_PREFIX.holdLifted)).toEqual([
    { name: "/a", value: "first" },
    { name: "/b", value: "second" },
  ]);
});

test("what stands under a key stays unless it is replaced or removed", () => {
  const meta = openMeta();
  meta.putIfAbsent(["a", 1], ["b", 2]);
  meta.putIfAbsent(["b", 3], ["c", ""]);
  meta.put("a", 4);
  expect([meta.get("a"), meta.get("b"), meta.get("c"), meta.has("c")]).toEqual([4, 2, "", true]);
  meta.remove("c");
  expect([meta.get("c"), meta.has("c")]).toEqual([undefined, false]);
});
