import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { openLog } from "../../src/commands/monitoring/log.ts";
import { transfersCsv } from "../support/desk.ts";
import { runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/paydrop.ts";

const API_KEY = "live-key-0123456789";

function configWith(flags: Readonly<Record<string, string>>): ReturnType<typeof loadConfig> {
  return loadConfig({ env: { HOME: "/nonexistent", PAYDROP_API_KEY: API_KEY }, flags });
}

async function linesOf(
  format: "json" | "text",
  write: (log: Awaited<ReturnType<typeof openLog>>) => void,
): Promise<string[]> {
  const to = new PassThrough();
  const opened = await openLog(configWith({ log_format: format }), to);
  write(opened);
  opened.close();
  return String(to.read() ?? "")
    .trimEnd()
    .split("\n");
}

describe("the log", () => {
  test("is one JSON object per line, whatever the text says", async () => {
    const lines = await linesOf("json", ({ log }) => log.warn({ row: 91, file: "a\nb.csv" }, "no\nanswer"));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "warn", row: 91, msg: "no\nanswer" });
  });

  test("is one plain line per event as text, with nothing that moves a cursor", async () => {
    const lines = await linesOf("text", ({ log }) => log.warn({ row: 91, file: "a\nb\u001b[2J.csv" }, "no answer"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z warn no answer row=91 file=a\\nb\\u\{1b\}\[2J\.csv$/);
  });

  test("says nothing below its level", async () => {
    expect(await linesOf("json", ({ log }) => log.debug("x"))).toEqual([""]);
  });

  test.each(["json", "text"] as const)("never shows a secret or its other forms (%s)", async (format) => {
    const hex = Buffer.from(API_KEY).toString("hex");
    const [line] = await linesOf(format, ({ log }) => log.error({ header: API_KEY, hex }, `sent ${API_KEY}`));
    expect(line).not.toContain(API_KEY);
    expect(line).not.toContain(hex);
    expect(line).toContain("[secret]");
  });

  test("in a file it is private, complete at once, and opened again on SIGHUP", async () => {
    const file = join(temporaryFolder(), "logs", "paydrop.log");
    const { log, close } = await openLog(configWith({ log_file: file }));
    log.warn("before");
    expect(readFileSync(file, "utf8")).toContain("before");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    renameSync(file, `${file}.1`);
    process.emit("SIGHUP");
    log.warn("after");
    expect(readFileSync(file, "utf8")).toMatch(/^[^\n]*after\n$/);
    expect(readFileSync(`${file}.1`, "utf8")).not.toContain("after");
    close();
  });

  test.skipIf(process.platform !== "linux")("in a folder that cannot be made is refused at once", async () => {
    // a process of its own: what is never refused would stop this one
    const file = join(temporaryFolder(), "t.csv");
    writeFileSync(file, transfersCsv(1));
    const ended = await runProgram(["run", "--sandbox", "--log-file", "/proc/x/y.log", file], { timeoutMs: 20_000 });
    expect(ended.stderr).toContain("paydrop: the log /proc/x/y.log cannot be opened: ENOENT");
    expect(ended.code).toBe(2);
  });
});
