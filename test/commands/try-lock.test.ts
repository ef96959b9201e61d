import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recoverIfDead, trySending } from "../../src/commands/try-lock.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openProcessor } from "../../src/processor.ts";
import { openDesk } from "../support/desk.ts";

function newConfig(): Config {
  return loadConfig({ env: openDesk("http://127.0.0.1:9").env, flags: {} });
}

const PATIENCE_MS = 60_000;

test("while another one has the lock nobody sends, and who has no patience is told so at once", async () => {
  const config = newConfig();
  const other = await openProcessor({ config }, "send");
  expect([await trySending({ config }), await recoverIfDead(config)]).toEqual([undefined, false]);
  await other.close();
});

test("who has patience gets the lock of one that is ending just then: rows that were left to it go all the same", async () => {
  const config = newConfig();
  const other = await openProcessor({ config }, "send");
  const waiting = trySending({ config }, PATIENCE_MS);
  await other.close();
  const mine = await waiting;
  expect(mine).toBeDefined();
  await mine?.close();
});

test("a journal that cannot be opened is not taken for one that another process works with", async () => {
  const config = newConfig();
  writeFileSync(config.stateDir, "a file lies where the folder should be");
  await expect(trySending({ config })).rejects.toMatchObject({ code: "journal" });
  await expect(recoverIfDead(config)).rejects.toMatchObject({ code: "journal" });
});

test("who only looks after the rows of a dead process leaves the lock free", async () => {
  const config = newConfig();
  expect([await recoverIfDead(config), await recoverIfDead(config)]).toEqual([true, true]);
  await (await openProcessor({ config }, "send")).close();
});
