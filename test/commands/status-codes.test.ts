import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as status from "../../src/commands/status.ts";
import { journalPath } from "../../src/state-dir.ts";
import { exitCodeOf } from "../../src/exit-codes.ts";
import { printed } from "../support/call.ts";
import { SILENT, TestDesk, transfers } from "../support/desk.ts";
import { describePostgres } from "../support/postgres.ts";
import { sharedDesk } from "../support/shared-desk.ts";

type Shape = Readonly<{
  operands: readonly string[];
  flags: Readonly<Record<string, unknown>>;
  env: NodeJS.ProcessEnv;
}>;

/** The exit code as a monitor gets it, and all that was said. */
async function checked({ operands, flags, env }: Shape) {
  const { texts, outputs } = printed();
  // keys are taken out of it
  const call = { operands, flags: { ...flags, check: true }, env: { ...env }, ...outputs };
  const code = await status.run(call).catch((error: unknown) => {
    texts.stderr += String(error);
    return exitCodeOf(error);
  });
  return { code, said: texts.stdout + texts.stderr };
}

const ONE = transfers(["ACC-1", "100.00"]);

/** What is open, and the code of the gravest of it. */
const SITUATIONS: readonly (readonly [situation: string, code: number, bring: (desk: TestDesk) => Promise<unknown>])[] =
  [
    ["no batch yet", 0, () => Promise.resolve()],
    ["every row accepted", 0, (desk) => desk.run("pay.csv", ONE)],
    ["a row is refused", 3, (desk) => desk.run("pay.csv", ONE, () => 422)],
    ["a row is invalid", 3, (desk) => desk.run("pay.csv", transfers(["ACC-1", "x"]))],
    ["a row is unknown", 4, (desk) => desk.run("pay.csv", ONE, () => SILENT)],
    [
      "a row is settled as not done, and nobody sent it again",
      7,
      async (desk) => {
        const { batch } = await desk.run("pay.csv", ONE, () => SILENT);
        await desk.move(batch, "settled_not_done", [2]);
      },
    ],
    [
      "a row is held",
      6,
      async (desk) => {
        await desk.run("pay.csv", ONE);
        await desk.run("again.csv", transfers(["ACC-1", "100.00"], ["ACC-2", "7.00"]));
      },
    ],
    ["a run stopped", 7, (desk) => desk.run("pay.csv", ONE, () => 401)],
    ["an inbox is held", 7, (desk) => desk.store.holdFolder(desk.folder, "STOP", desk.act("hold_folder"))],
    [
      "a batch is cancelled that a person corrects no more",
      0,
      async (desk) => {
        const { batch } = await desk.run("pay.csv", ONE, () => 422);
        await desk.store.setBatch(batch, { phase: "cancelled" }, desk.act("cancel"));
      },
    ],
    [
      "all of it at once: the gravest speaks",
      4,
      async (desk) => {
        await desk.run("unknown.csv", ONE, () => SILENT);
        await desk.run("refused.csv", transfers(["ACC-3", "3.00"]), () => 422);
        await desk.store.holdFolder(desk.folder, "STOP", desk.act("hold_folder"));
      },
    ],
    [
      "rows went that the journal does not know, whatever is open",
      74,
      async (desk) => {
        await desk.run("pay.csv", ONE, () => SILENT);
        const mark = join(desk.folder, ".paydrop");
        writeFileSync(mark, desk.read(".paydrop").replaceAll(/"let_go(_here)?":1/g, '"let_go$1":9'));
      },
    ],
    [
      "the journal is damaged",
      74,
      async (desk) => {
        await desk.run("pay.csv", ONE);
        await desk.store.close();
        writeFileSync(journalPath(desk.config.state_dir), "no journal");
      },
    ],
  ];

describe("status --check", () => {
  test.each(SITUATIONS)("%s → %d", async (_, code, bring) => {
    const desk = await TestDesk.open();
    await bring(desk);
    const found = await checked({ operands: [], flags: { state_dir: desk.config.state_dir }, env: {} });
    expect(found, found.said).toMatchObject({ code });
    if (code === 74)
      expect(found.said).toMatch(
        /does not know|it knows of 1 row that went, the file of 9|is damaged|no journal|cannot be used/,
      );
  });
});

describePostgres("status --check of a shared journal", () => {
  test("a commit was lost → 74 with what to do, in place of what is open; a person's word → what is open", async () => {
    const { desk, shape, postgres } = await sharedDesk();
    await desk.run("pay.csv", ONE, () => 401);
    expect(await checked(shape([]))).toMatchObject({ code: 7 });
    // another server has taken over
    await postgres.query("UPDATE meta SET value = '77' WHERE key = 'timeline'");
    const lost = await checked(shape([]));
    expect(lost).toMatchObject({ code: 74 });
    expect(lost.said).toMatch(
      /does not know any more what it had confirmed: its timeline was 77 and is 1\n {2}→ .*paydrop help hosts/,
    );
    const json = await checked(shape([], { json: true }));
    expect(json.said).toContain('{"type":"journal","code":"server_lost_commit",');
    await postgres.query("UPDATE meta SET value = '1' WHERE key = 'timeline'");
    expect(await checked(shape([]))).toMatchObject({ code: 7 });
  });

  test("the server cannot be reached; the key is another one; the version is another one → 74, 78, 78", async () => {
    const { shape, postgres, url } = await sharedDesk();
    const away = Object.assign(new URL(url), { port: "1" }).href;
    const gone = await checked(shape([], { journal_url: away }));
    expect(gone).toMatchObject({ code: 74 });
    expect(gone.said).toContain("cannot be reached");
    const { operands, flags } = shape([]);
    expect(await checked({ operands, flags, env: { PAYDROP_JOURNAL_KEY: "ab".repeat(32) } })).toMatchObject({
      code: 78,
    });
    await postgres.query("UPDATE meta SET value = '99' WHERE key = 'version'");
    expect(await checked(shape([]))).toMatchObject({ code: 78 });
  });
});
