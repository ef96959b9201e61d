import { expect, test } from "vitest";
import * as wire from "../support/fault-server.ts";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

test("status --json tells the phase of a batch by the word that the text has", async () => {
  const server = await startService((request) => wire.answer(request.body.includes("302.00") ? 422 : 200));
  const desk = openDesk(server.url);
  desk.write("went.csv", transfersCsv(2));
  desk.write("refused.csv", "from_account,to_account,amount\nACC-1,ACC-2,301.00\nACC-1,ACC-2,302.00\n");
  await desk.run("went.csv");
  await desk.run("refused.csv");
  const ended = await runProgram(["status", "--json"], { env: desk.env, cwd: desk.folder });
  const lines = ended.stdout.trimEnd().split("\n");
  const said = lines.map((line) => JSON.parse(line) as { type: string; file: string; phase: string; batch: string });
  const batches = said.filter(({ type }) => type === "batch");
  expect(Object.fromEntries(batches.map(({ file, phase }) => [file, phase]))).toEqual({
    "went.csv": "ended",
    "refused.csv": "open",
  });
  for (const { batch, file, phase } of batches) {
    const { stdout } = await runProgram(["status", batch], { env: desk.env, cwd: desk.folder });
    expect(stdout).toContain(`batch ${batch}   ${file}   ${phase}`);
  }
});
