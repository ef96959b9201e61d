import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FileRefusedError } from "../../src/errors.ts";
import type { BatchReport } from "../../src/events.ts";
import { openDesk, transfersCsv } from "../support/desk.ts";
import type { Desk, InProcess } from "../support/desk.ts";
import { answer, inOrder, pause } from "../support/fault-server.ts";
import type { FaultServer } from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;

interface Place {
  readonly desk: Desk;
  readonly server: FaultServer;
  /** The settings from now on; days begin at midnight UTC unless said. */
  readonly configure: (text: string) => void;
  readonly process: (name: string, atMs?: number) => Promise<BatchReport>;
  /** The faults a file is refused for. */
  readonly refused: (name: string, atMs?: number) => Promise<string[]>;
  readonly at: (atMs: number) => InProcess;
}

async function openPlace(settings: string, timeZone = "UTC"): Promise<Place> {
  const server = await startService();
  const desk = openDesk(server.url);
  const config = join(desk.folder, "..", "paydrop.toml");
  const configure = (text: string): void =>
    writeFileSync(config, `time_zone = "${timeZone}"\n${text}\n`, { mode: 0o600 });
  configure(settings);
  const at = (atMs: number): InProcess => ({ now: () => atMs, flags: { config } });
  const place: Place = {
    desk,
    server,
    configure,
    at,
    process: (name, atMs = NOON) => desk.process(name, at(atMs)),
    async refused(name, atMs = NOON) {
      const thrown: unknown = await place.process(name, atMs).catch((error: unknown) => error);
      if (!(thrown instanceof FileRefusedError)) throw new Error(`${name} was not refused`, { cause: thrown });
      return thrown.faults.map(({ code, message }) => `${code}: ${message}`);
    },
  };
  return place;
}

/** One transfer per amount, to accounts of their own. */
function transfers(payee: string, ...amounts: readonly string[]): string {
  const rows = amounts.map((amount, index) => `ACC-1,${payee}-${index},${amount}`);
  return `from_account,to_account,amount\n${rows.join("\n")}\n`;
}

describe("max_per_file", () => {
  test("refuses the whole file, to the last paisa, and remembers nothing of it", async () => {
    const { desk, server, process, refused, at } = await openPlace('[rules.transfers]\nmax_per_file = "306.00"');
    desk.write("over.csv", transfers("A", "101", "102", "103.01"));
    expect(await refused("over.csv")).toEqual([
      "file_over_cap: the transfers of this file add up to 306.01, 0.01 more than max_per_file (306.00)",
    ]);
    expect(await desk.inProcess(({ journal }) => journal.batches(), at(NOON))).toEqual([]);
    expect(server.requests).toHaveLength(0);
    desk.write("equal.csv", transfers("A", "101", "102", "103"));
    expect((await process("equal.csv")).byStatus.accepted?.rows).toBe(3);
  });

  test("counts invalid rows too, and each operation of a mixed file for itself", async () => {
    const { desk, refused, process } = await openPlace(
      "[rules.transfers]\nmax_per_file = 250\n[rules.loans]\nmax_per_file = 50",
    );
    desk.write("invalid.csv", "from_account,to_account,amount\nA,B,200\nA,,51\n");
    expect(await refused("invalid.csv")).toHaveLength(1);
    const rows = [
      { operation: "loan", borrower_id: "B-1", amount: 50, tenure: 12 },
      { operation: "transfer", from_account: "A", to_account: "B", amount: 200 },
    ];
    desk.write("mixed.json", JSON.stringify(rows));
    expect((await process("mixed.json")).byStatus.accepted?.rows).toBe(2);
  });

  test("only remarks on it where so said", async () => {
    const { desk, process } = await openPlace('[rules.transfers]\nmax_per_file = 1\nwarn = ["max_per_file"]');
    desk.write("a.csv", transfers("A", "5"));
    const report = await process("a.csv");
    expect(report.exitCode).toBe(0);
    expect(report.remarks).toContain("the transfers of this file add up to 5.00, 4.00 more than max_per_file (1)");
  });

  test("refuses, where only the other cap is to be remarked on", async () => {
    const caps = "[rules.transfers]\nmax_per_file = 1\nmax_per_day = 1";
    const { desk, server, refused } = await openPlace(`${caps}\nwarn = ["max_per_day"]`);
    desk.write("a.csv", transfers("A", "5"));
    expect(await refused("a.csv")).toEqual([expect.stringContaining("max_per_file")]);
    expect(server.requests).toHaveLength(0);
  });
});

describe("max_per_day", () => {
  test("adds up the files of a day, and begins anew at midnight", async () => {
    const { desk, server, process, refused } = await openPlace("[rules.transfers]\nmax_per_day = 700");
    desk.write("a.csv", transfers("A", "300"));
    desk.write("b.csv", transfers("B", "400"));
    desk.write("c.csv", transfers("C", "0.01"));
    await process("a.csv");
    await process("b.csv");
    expect(await refused("c.csv")).toEqual([
      "day_over_cap: with it the transfers of today come to 700.01, 0.01 more than max_per_day (700)",
    ]);
    expect(server.requests).toHaveLength(2);
    const midnight = NOON + DAY_MS / 2;
    await expect(process("c.csv", midnight - 1)).rejects.toThrow("max_per_day");
    expect((await process("c.csv", midnight)).byStatus.accepted?.rows).toBe(1);
  });

  test("begins anew at midnight of the time zone that is set", async () => {
    const { desk, process } = await openPlace("[rules.transfers]\nmax_per_day = 700", "Asia/Kolkata");
    for (const name of ["a", "b"]) desk.write(`${name}.csv`, transfers(name, "400"));
    const midnight = Date.UTC(2026, 10, 21, 18, 30);
    await process("a.csv", midnight - 2);
    await expect(process("b.csv", midnight - 1)).rejects.toThrow("max_per_day");
    expect((await process("b.csv", midnight)).byStatus.accepted?.rows).toBe(1);
  });

  test("only remarks on it where so said", async () => {
    const { desk, process } = await openPlace('[rules.transfers]\nmax_per_day = 1\nwarn = ["max_per_day"]');
    desk.write("a.csv", transfers("A", "5"));
    expect((await process("a.csv")).remarks).toEqual([expect.stringContaining("4.00 more than max_per_day (1)")]);
  });

  test("counts what is unknown, and not what was refused or is another operation", async () => {
    const { desk, server, process, refused } = await openPlace("[rules.transfers]\nmax_per_day = 700");
    server.use(({ number }) => answer(number === 1 ? 500 : number === 2 ? 422 : 200));
    desk.write("unknown.csv", transfers("A", "300"));
    desk.write("refused.csv", transfers("B", "300"));
    desk.write("loans.csv", "borrower_id,amount,tenure\nB-1,650,12\n");
    await process("unknown.csv");
    await process("refused.csv");
    await process("loans.csv");
    desk.write("over.csv", transfers("C", "400.01"));
    desk.write("fits.csv", transfers("D", "400"));
    expect(await refused("over.csv")).toHaveLength(1);
    expect((await process("fits.csv")).exitCode).toBe(0);
  });

  test("a run that goes on does not refuse itself, and its rows count until they have gone", async () => {
    const { desk, server, process, refused } = await openPlace("[rules.transfers]\nmax_per_day = 306");
    server.use(({ number }) => answer(number === 2 ? 401 : 200));
    desk.write("a.csv", transfersCsv(3));
    const first = await process("a.csv");
    expect(first.stop?.code).toBe("key_refused");
    desk.write("b.csv", transfers("B", "1"));
    expect(await refused("b.csv")).toHaveLength(1);
    const second = await process("a.csv");
    expect(second).toMatchObject({ exitCode: 0, byStatus: { accepted: { rows: 3, amount: "306.00" } } });
    expect(server.requests).toHaveLength(4);
  });

  test("rows that a person lets go above it wait for the next day", async () => {
    const { desk, server, process, at } = await openPlace("[rules.transfers]\nmax_per_day = 700");
    desk.write("a.csv", "from_account,to_account,amount\nA,B,400\nA,B,400\n");
    const { batch, byStatus } = await process("a.csv");
    expect(byStatus.held?.rows).toBe(1);
    const act = { by: "asha", kind: "release", note: "two months" };
    const sent = await desk.inProcess(async (processor) => {
      await processor.journal.release(batch, "all", act);
      return processor.goOn(batch);
    }, at(NOON));
    expect(sent).toMatchObject({ exitCode: 7, stop: { code: "day_over_cap" }, byStatus: { not_sent: { rows: 1 } } });
    expect(sent.stop?.message).toBe(
      "with it the transfers of today come to 800.00, 100.00 more than max_per_day (700)",
    );
    expect(server.requests).toHaveLength(1);
    const next = await process("a.csv", NOON + DAY_MS);
    expect(next).toMatchObject({ exitCode: 0, byStatus: { accepted: { rows: 2 } } });
    expect(server.requests).toHaveLength(2);
  });

  test("a batch that was let in goes on, also when another one waits above the cap", async () => {
    const { desk, server, process, at } = await openPlace("[rules.transfers]\nmax_per_day = 700");
    desk.write("a.csv", "from_account,to_account,amount\nA,B,200\nA,B,200\n");
    desk.write("b.csv", transfers("C", "500"));
    const a = await process("a.csv");
    server.use(() => answer(401));
    const b = await process("b.csv");
    expect(b.stop?.code).toBe("key_refused");
    server.use(() => answer(200));
    const act = { by: "asha", kind: "release", note: "both are meant" };
    await desk.inProcess(({ journal }) => journal.release(a.batch, "all", act).then(() => undefined), at(NOON));
    expect((await process("b.csv")).exitCode).toBe(0);
    expect((await process("a.csv")).stop?.code).toBe("day_over_cap");
    expect(server.requests).toHaveLength(3);
  });

  test("what is left of the day before goes beside a file of today only as far as both fit", async () => {
    const { desk, server, process, at } = await openPlace("[rules.transfers]\nmax_per_day = 700");
    desk.write("yesterday.csv", transfers("A", "300", "300"));
    desk.write("today.csv", transfers("B", "400"));
    server.use(() => answer(401));
    expect((await process("yesterday.csv", NOON - DAY_MS)).stop?.code).toBe("key_refused");
    server.use(() => inOrder(pause(500), answer(200)));
    const files = ["yesterday.csv", "today.csv"].map((name) => join(desk.folder, name));
    const reports = await desk.inProcess(
      (processor) => Promise.all(files.map((file) => processor.processFile(file))),
      at(NOON),
    );
    expect(reports.map(({ stop }) => stop?.code).filter(Boolean)).toEqual(["day_over_cap"]);
    const accepted = reports.flatMap(({ byStatus }) => byStatus.accepted?.amount ?? []);
    expect([["600.00"], ["400.00"]]).toContainEqual(accepted);
  });

  test("what was stopped goes no more: it takes no room from the file after it", async () => {
    const { desk, server, process, at } = await openPlace("[rules.transfers]\nmax_per_day = 700");
    desk.write("yesterday.csv", transfers("A", "300", "301"));
    desk.write("today.csv", transfers("B", "400"));
    server.use(() => answer(401));
    await process("yesterday.csv", NOON - DAY_MS);
    await desk.inProcess(async (processor) => {
      const { stop } = await processor.processFile(join(desk.folder, "yesterday.csv"));
      expect(stop?.code).toBe("key_refused");
      server.use(() => answer(200));
      expect((await processor.processFile(join(desk.folder, "today.csv"))).byStatus.accepted?.rows).toBe(1);
    }, at(NOON));
  });

  test("check says so before anything is sent, by what the journal knows", async () => {
    const { desk, process, configure, at } = await openPlace("");
    desk.write("a.csv", transfers("A", "300"));
    desk.write("b.csv", transfers("B", "401"));
    await process("a.csv", Date.now());
    configure("[rules.transfers]\nmax_per_day = 700");
    const config = at(0).flags?.["config"] as string;
    const { code, stdout } = await runProgram(["check", "--config", config, "b.csv"], {
      env: desk.env,
      cwd: desk.folder,
    });
    expect(code).toBe(5);
    expect(stdout).toContain("with it the transfers of today come to 701.00, 1.00 more than max_per_day (700)");
  });
});

test("a batch is judged to its end by the rules it was taken in by", async () => {
  const { desk, server, process, configure, at } = await openPlace('number_grouping = "indian"');
  server.use(({ number }) => answer(number === 2 ? 401 : 200));
  desk.write("a.csv", 'from_account,to_account,amount\nA,B,"1,00,000.00"\nA,C,"2,00,000.00"\n');
  await process("a.csv");
  configure('[rules.transfers]\nmax_per_row = 1\nmax_per_file = 1\n[rules.transfers.to_account]\npattern = "X"');
  const report = await process("a.csv");
  expect(report).toMatchObject({ exitCode: 0, byStatus: { accepted: { rows: 2, amount: "300000.00" } } });
  expect(server.requests.map(({ body }) => /"amount":([0-9.]+)/.exec(body)?.[1])).toEqual([
    "100000.00",
    "200000.00",
    "200000.00",
  ]);
  const again = await desk.inProcess((processor) => processor.writeResultsAgain(report.batch), at(NOON));
  expect(again.byStatus).toEqual(report.byStatus);
  expect(desk.results("a.csv").map((row) => [row["amount"], row["result_amount"]])).toEqual([
    ["1,00,000.00", "100000.00"],
    ["2,00,000.00", "200000.00"],
  ]);
});

test("a clerk reads the rules that a file broke, with a list of branch codes", async () => {
  const { desk, configure, at } = await openPlace("");
  writeFileSync(join(desk.folder, "..", "ifsc.txt"), "IFSC,BANK\nHDFC,HDFC Bank\nSBIN0000001,State Bank\n");
  configure('[rules.payouts.ifsc_code]\nlist = "ifsc.txt"\n[rules.payouts.payment_mode]\nallowed = ["NEFT"]');
  const header = "debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode";
  const rows = ["HDFC0009999,A,1,NEFT", "SBIN0000002,A,1,neft"].map((rest) => `ACC-1,A,50100271828001,${rest}`);
  desk.write("p.csv", `${[header, ...rows].join("\n")}\n`);
  const config = at(0).flags?.["config"] as string;
  const { stdout } = await runProgram(["check", "--config", config, "p.csv"], { env: desk.env, cwd: desk.folder });
  expect(stdout).toContain('p.csv: row 3, column payment_mode (G3): "neft" is none of the values that are allowed here: NEFT\n  → Write NEFT.\n'); // prettier-ignore
  expect(stdout).toContain('p.csv: row 3, column ifsc_code (D3): look at this: "SBIN0000002" is not in the list of known values\n'); // prettier-ignore
  expect(stdout).not.toContain("HDFC0009999");
});
