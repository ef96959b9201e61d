import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { accountOf, addAccount } from "../../src/acts/accounts.ts";
import { actOf } from "../../src/batch.ts";
import { temporaryFolder } from "../support/paydrop.ts";
import { describePostgres } from "../support/postgres.ts";
import { transfers } from "../inbox/watched.ts";
import { AtDesk, PASSWORD, statementOf } from "./at-desk.ts";

const FILE = `from_account,to_account,amount,notes,employee_no
ACC-OPS-01,200300401111,100.00,,E1
ACC-OPS-01,SANDBOX-504-2222,200.00,,E2
ACC-OPS-01,200300403333,300.00,,E3
ACC-OPS-01,200300403333,300.00,,E3
ACC-OPS-01,,500.00,,E5
`;

const PAYROLL = `from_account,to_account,amount,reference
ACC-OPS-01,200300401111,100.00,INV-41
ACC-OPS-01,SANDBOX-504-2222,200.00,INV-42
ACC-OPS-01,SANDBOX-504-3333,300.00,INV-43
ACC-OPS-01,200300404444,350.00,INV-44
ACC-OPS-01,SANDBOX-504-5555,400.00,INV-45
`;

const STATEMENT = statementOf([
  ["NEFT DR-N307-ASHA RAO-INV-41", "100.00"],
  ["NEFT DR-N308-RAVI KUMAR-INV-42", "200.00"],
  ["IMPS-N309-MEENA DAS-INV-43", "300.00"],
  ["ATM WDL 123456789012", "999.00"],
]);

describe("the desk on SQLite", () => letsPeopleAct("SQLite"));
describePostgres("the desk on Postgres", () => letsPeopleAct("Postgres"));

function letsPeopleAct(journal: "SQLite" | "Postgres"): void {
  test("a batch that waits for people → seen, settled and released here, under the name that signed in", async () => {
    const at = await AtDesk.open(journal);
    at.put("payroll.csv", FILE);
    await at.once();
    const { id } = await at.batchOf("payroll.csv");
    const asha = await at.person("Asha Rao", "decide");
    await asha.ask("/");
    expect(asha.todo).toMatch(/No clear answer 1 payment in payroll\.csv .* ₹200\.00 .* Held 1 payment .* ₹300\.00/);
    expect(asha.seen).toContain("Decide 2 payments to decide");
    await asha.ask(`/batch/${id}?status=invalid`);
    expect(asha.section("Payments: To correct")).toMatch(/ 6 no name E5 ₹500\.00 To correct .* \(B6\)/);
    await asha.ask("/decide");
    expect(asha.section("No clear answer in payroll.csv")).toMatch(/Row 3, ••2222 .* E2 .* ₹200\.00/);
    expect(asha.section("Held in payroll.csv")).toMatch(/Row 5, ••3333 .* ₹300\.00 .* row 4/);
    // accounts are masked everywhere
    expect(asha.text).not.toMatch(/2003004/);

    await asha.post("/decide/unknown", { batch: id, row: "3", as: "not-done", note: "dashboard: no entry" });
    expect(asha.news).toBe(
      `Row 3 of batch ${id} (₹200.00) is settled as not done by Asha Rao. It may go again.` +
        " → To send all such rows of the batch: send it again .",
    );
    expect(asha.text).toContain(`<a href="/batch/${id}#may">send it again</a>`);
    await asha.post("/decide/held", { batch: id, row: "5", what: "release", reason: "two are meant" });
    expect(asha.seen).toContain("row 5 of payroll.csv");
    expect(asha.seen).toContain("Let 1 payment go: ₹300.00");
    expect(asha.seen).toContain("1 payment of these was accepted before");
    await asha.post("/decide/release", { batch: id, row: "5", reason: "two are meant", total: "200" });
    expect(asha.news).toContain("Nothing was released.");
    await asha.post("/decide/release", { batch: id, row: "5", reason: "two are meant", total: "300" });
    expect(asha.news).toMatch(/^1 row of batch \w+ will be sent: ₹300\.00 They go when the paydrop that watches/);
    expect(at.carriedOut).toBe(2);
    await at.once();
    expect([at.carriedOut, at.sentTwice]).toEqual([3, 1]);
    await asha.ask(`/batch/${id}`);
    await asha.post(`/batch/${id}/retry`, {});
    await at.once();
    await asha.ask(`/batch/${id}`);
    expect(asha.seen).toMatch(/Asha Rao \([^)]+\) settled row 3 of batch \w+ as not-done dashboard: no entry/);
    expect((await at.work.store.acts({ batch: id })).map(({ kind, by }) => `${kind} ${by ?? ""}`)).toEqual(
      expect.arrayContaining(["settle Asha Rao", "release Asha Rao", "retry Asha Rao"]),
    );
  });

  test("a file to be approved → by whoever may and did not bring it, with its sum; then it goes", async () => {
    const at = await AtDesk.open(journal, { PAYDROP_APPROVAL: "always" });
    const asha = await at.person("Asha", "approve");
    await asha.bring("/upload", "payroll.csv", FILE.split("\n").slice(0, 2).join("\n"), { folder: at.inbox });
    await asha.post("/upload/put", { id: asha.carried("id") });
    await at.once();
    const { id } = await at.batchOf("payroll.csv");
    await asha.ask("/approvals");
    expect(asha.seen).toMatch(/1 payment in payroll\.csv Asha and .* brought it, .* ₹100\.00 See what is new/);
    await asha.ask(`/approvals/${id}`);
    expect(asha.section("Who brought it")).toMatch(/ Asha and .*, .* Approved by nobody yet/);
    expect(asha.section("Approve, or send back")).toContain("You brought it");
    await asha.post(`/approvals/${id}`, { total: "100" });
    expect(asha.news).toContain("Asha brought the file");
    const [ravi, meena] = [await at.person("Ravi", "approve"), await at.person("Meena", "decide")];
    await meena.ask("/");
    expect(meena.todo).toMatch(/For others payroll\.csv waits for approval .* ₹100\.00/);
    await meena.ask(`/approvals/${id}`);
    expect(meena.section("Approve, or send back")).toContain("may not approve");
    await meena.post(`/approvals/${id}`, { total: "100" });
    expect(meena.status).toBe(403);
    await ravi.ask(`/approvals/${id}`);
    await ravi.post(`/approvals/${id}`, { total: "1000" });
    expect(ravi.news).toContain("is not the sum");
    await at.once();
    expect(at.carriedOut).toBe(0);
    await ravi.post(`/approvals/${id}`, { total: "100" });
    expect(ravi.news).toMatch(
      /^Batch \w+ \(payroll\.csv, 1 row, ₹100\.00\) is approved by Ravi, until .* It goes with/,
    );
    await at.once();
    await ravi.ask("/approvals");
    expect([at.carriedOut, ravi.seen]).toEqual([1, expect.stringContaining("No file waits for approval")]);

    // it came back, and is to go again: another person approves that once more (I16)
    await meena.ask(`/batch/${id}?status=accepted`);
    await meena.post("/decide/settled", { batch: id, row: "2", as: "not-done", note: "returned 3 Nov", total: "100" });
    await meena.ask(`/batch/${id}`);
    await meena.post(`/batch/${id}/retry`, { reason: "his new account is open" });
    await at.once();
    await ravi.ask("/");
    expect(ravi.todo).toMatch(/Approve payroll\.csv waits for approval .* ₹100\.00 Look at it/);
    await ravi.ask(`/approvals/${id}`);
    expect(ravi.section("Who brought it")).toMatch(/Brought, or let go, by .*Meena.* Let go again row 2, let go again/);
    expect(at.carriedOut).toBe(1);
    await ravi.post(`/approvals/${id}`, { total: "100" });
    await at.once();
    expect(at.carriedOut).toBe(2);
  });

  test("duplicates released, accepted rows given back → only by typed sums", async () => {
    const at = await AtDesk.open(journal);
    const rows = "from_account,to_account,amount,reference\nACC-OPS-01,200300401111,100.00,A1\n";
    at.put("one.csv", rows);
    await at.once();
    at.put("two.csv", `${rows}ACC-OPS-01,200300402222,200.00,A2\n`);
    await at.once();
    const [one, two] = [await at.batchOf("one.csv"), await at.batchOf("two.csv")];
    const [asha, meera] = [await at.person("Asha", "decide"), await at.person("Meera", "view")];
    for (const path of [`/batch/${two.id}?status=duplicate`, `/batch/${one.id}?status=accepted`, "/decide", "/"]) {
      await meera.ask(path);
      // but to sign out
      expect(meera.text.match(/<button|type="checkbox"/g), path).toHaveLength(1);
    }
    await asha.ask(`/batch/${two.id}?status=duplicate`);
    const named = { batch: two.id, row: "2", from: "batch", reason: "two are meant" };
    // the harmless one first
    expect(asha.text).toMatch(/value="cancel"[^]* value="release"/);
    await asha.post("/decide/held", { ...named, what: "release" });
    expect(asha.seen).toContain("Let 1 payment go: ₹100.00");
    await asha.post("/decide/release", named);
    expect(asha.news).toContain("Nothing was released.");
    await asha.post("/decide/release", { ...named, total: "100" });
    await at.once();
    expect([at.carriedOut, at.sentTwice]).toEqual([3, 1]);

    await asha.ask(`/batch/${one.id}?status=accepted`);
    const back = { batch: one.id, row: "2", from: "batch", as: "not-done", note: "bank statement: returned" };
    for (const total of ["", "99"]) {
      await asha.post("/decide/settled", { ...back, total });
      expect(asha.news).toContain("be paid twice");
    }
    await asha.post("/decide/settled", { ...back, total: "100.00" });
    expect(asha.news).toContain("(₹100.00) is settled as not done by Asha");
    expect(asha.section("What you may do")).toContain("Send 1 payment again ₹100.00");
    await asha.ask(`/batch/${one.id}?status=settled_not_done`);
    await asha.post("/decide/settled", { ...back, as: "done" });
    expect(asha.news).toContain("is settled as done by Asha");
  });

  test("what waits for people → on Today, the gravest first, until mended", async () => {
    const at = await AtDesk.open(journal);
    const asha = await at.person("Asha", "view");
    at.put("payroll.csv", FILE);
    at.put("broken.csv", "name,amount\nx,1\n");
    await at.once();
    at.put("late.csv", FILE.replaceAll("2003004", "2003005"));
    const needs = async (): Promise<string> => {
      await asha.ask("/");
      return asha.todo;
    };
    const order =
      /No clear answer 1 payment .* Held 1 payment .* To correct 1 payment in payroll\.csv .* File refused broken\.csv No column .* What to do: /;
    expect(await needs()).toMatch(order);
    expect(await needs()).not.toContain("late.csv");
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      for (let half = 0; half < 3; half += 1) {
        vi.setSystemTime(Date.now() + 1_800_000);
        await asha.ask("/help");
      }
      expect(await needs()).toMatch(/To correct .* File refused .* late\.csv has waited for more than an hour/);
    } finally {
      vi.useRealTimers();
    }
    at.put(
      "payroll.csv.retry.csv",
      at.read("payroll.csv.retry.csv").replace("ACC-OPS-01,,", "ACC-OPS-01,200300409999,"),
    );
    at.put("broken.csv", FILE.replaceAll("2003004", "2003006"));
    await at.once();
    expect(await needs()).not.toMatch(/refused|waited|To correct 1 payment in payroll/);
  });

  test("a search → rows of all files with what became of them, no account in clear, and what was typed as text", async () => {
    const at = await AtDesk.open(journal);
    const meera = await at.person("Meera", "view");
    at.put("payroll.csv", FILE);
    await at.once();
    at.put("later.csv", FILE.replaceAll("2003004", "2003005"));
    await at.once();
    const account = /,(\d{12}),/.exec(FILE)?.[1] ?? "";
    await meera.ask(`/find?q=${account.slice(-4)}`);
    expect(meera.seen).toMatch(/2 payments found .* ••1111 E1 later\.csv .* ••1111 E1 payroll\.csv/);
    expect(meera.text).not.toContain(account);
    await meera.ask(`/find?q=${account}`);
    expect(meera.seen).toMatch(/1 payment found .* payroll\.csv/);
    await meera.ask(`/find?q=${account}&since=2099-01-01`);
    expect(meera.seen).toContain("Nothing. Look further back");
    await meera.ask(`/find?q=${account}&since=2026-99-99`);
    expect(meera.seen, "no such day").toMatch(/1 payment found .* payroll\.csv/);
    await meera.ask(`/find?q=${encodeURIComponent("<script>alert(1)</script>")}`);
    expect(meera.text).not.toContain("<script>alert");
  });

  test("pictures of sums, progress, accounts and months → the same in words", async () => {
    const at = await AtDesk.open(journal);
    const meera = await at.person("Meera", "view");
    at.put("payroll.csv", FILE);
    at.put("many.csv", transfers(1300, 5000).replaceAll("ACC-OPS-01", "123456789012"));
    await at.once();
    const [few, many] = [await at.batchOf("payroll.csv"), await at.batchOf("many.csv")];
    await meera.ask(`/batch/${few.id}`);
    expect(meera.section("By status")).toMatch(
      /Accepted 2 .* ₹400\.00 No clear answer 1 .* ₹200\.00 Held 1 .* ₹300\.00 To correct 1 .* ₹500\.00 In the file 5 payments ₹1,400\.00/,
    );
    expect(meera.seen).not.toContain("by time");
    await meera.ask(`/batch/${many.id}`);
    expect(meera.seen).toMatch(/Rows that ended, by time, told from one row in 3: .* half of them after \d/);
    expect(meera.text).toMatch(/points="0,100 0,99\.\d .* 60,0\.0 60,100"/);
    await meera.ask(`/batch/${many.id}/accounts`);
    expect(meera.seen).toContain("••9012 1,300 payments ₹73,46,300.00 ₹73,46,300.00 ₹0.00 ₹0.00");
    expect(meera.text).not.toContain("123456789012");
    await meera.ask("/year");
    expect(meera.seen).toMatch(/Beside the largest \w+ 20\d\d 2 1,302 ₹73,46,700\.00/);
    expect(meera.text.match(/width="100" height/g)).toHaveLength(1);
  });

  test("STOP pressed → nothing goes, by name; pressed again to go on → it goes", async () => {
    const at = await AtDesk.open(journal);
    const asha = await at.person("Asha", "decide");
    // a STOP file of somebody else's folder stays there
    writeFileSync(join(at.root, "STOP"), "");
    for (const path of ["/stop", "/go-on"]) {
      await asha.post(path, { inbox: at.root });
      expect(asha.news).toContain("no inbox");
    }
    expect(existsSync(join(at.root, "STOP"))).toBe(true);
    await asha.post("/stop", { inbox: at.inbox });
    expect(asha.news).toContain("is held");
    expect(asha.seen).toMatch(
      /Sending is stopped in “ inbox ” since \S+, by Asha\. Somebody pressed STOP at the desk\./,
    );
    at.put("payroll.csv", FILE);
    expect((await at.once()).code).toBe(7);
    expect(at.carriedOut).toBe(0);
    await asha.post("/go-on", { inbox: at.inbox });
    expect(asha.news).toContain("goes on, by Asha");
    await at.once();
    expect(at.carriedOut).toBe(2);
    const acts = await at.work.store.acts({});
    expect(acts.map(({ kind, by }) => `${kind} ${by ?? ""}`)).toEqual(
      expect.arrayContaining(["hold_folder Asha", "resume_folder Asha"]),
    );
  });

  test("a file is brought → checked and shown first, then put into its folder once", async () => {
    const at = await AtDesk.open(journal);
    const asha = await at.person("Asha", "decide");
    const bring = (name: string, text: string) => asha.bring("/upload", name, text, { folder: at.inbox });
    await asha.ask("/upload");
    expect(asha.seen).toContain("Then the same payments go every month, week or day.");
    await bring("broken.csv", "name,amount\nx,1\n");
    expect(asha.seen).toContain("This file cannot be taken as it is.");
    await bring("../evil.csv", FILE);
    expect(asha.text).not.toContain('action="/upload/put"');
    await bring("june.csv", FILE);
    expect(asha.seen).toMatch(
      /5 rows were read · transfer .* 3 of 5 payments can go: 1 to correct, 1 held\. .* Read from the file ₹1,400\.00/,
    );
    expect(asha.section("What is wrong, cell by cell")).toContain("B6 to_account");
    expect(at.names()).toEqual([]);
    const id = asha.carried("id");
    const ravi = await at.person("Ravi", "decide");
    await ravi.post("/upload/put", { id });
    expect([ravi.news, at.names()]).toEqual([expect.stringContaining("by somebody else"), []]);
    await asha.post("/upload/put", { id });
    expect(asha.news).toContain("june.csv lies in");
    expect(at.read("june.csv")).toBe(FILE);
    await asha.post("/upload/put", { id });
    expect(asha.news).toContain("Upload it again");
    expect((await at.work.store.acts({})).at(-1)).toMatchObject({ kind: "bring_file", by: "Asha", as: "june.csv" });
  });

  test("another bank's statement → read as the settings say", async () => {
    const path = join(temporaryFolder(), "paydrop.toml");
    writeFileSync(path, '[statement.cosmos]\nday = "Booked"\ntext = "Details"\namount = "Sum"\n', { mode: 0o600 });
    const at = await AtDesk.open(journal, { PAYDROP_CONFIG: path });
    const asha = await at.person("Asha", "decide");
    const lines = "Booked,Details,Sum\n13/11/2026,RENT,-999.00\n";
    await asha.bring("/reconcile", "november.csv", lines, { account: "ACC-OPS-01" });
    expect(asha.seen).toMatch(
      /ACC-OPS-01, 13 Nov 2026 .* cosmos · 1 line of november\.csv .* No payment of ours .* RENT line 2, .* ₹999\.00/,
    );
  });

  test("a bank's statement → seen; what it shows is settled by name and sum", async () => {
    const at = await AtDesk.open(journal);
    const [asha, ravi] = [await at.person("Asha", "decide"), await at.person("Ravi", "decide")];
    at.put("payroll.csv", PAYROLL);
    await at.once();
    const { id } = await at.batchOf("payroll.csv");
    const bring = (name: string, text: string, more: Readonly<Record<string, string>> = {}) =>
      asha.bring("/reconcile", name, text, more);
    const meera = await at.person("Meera", "view");
    await meera.ask("/reconcile");
    expect(meera.seen).toContain("may not compare statements");
    await meera.post("/reconcile/settle", { row: `${id}:3`, total: "200" });
    expect(meera.status).toBe(403);
    await asha.ask("/reconcile");
    await asha.post("/reconcile", new FormData());
    expect(asha.seen).toContain("No file was chosen.");
    await bring("list.csv", "name,amount\nx,1\n", { account: "ACC-OPS-01" });
    expect([asha.seen, asha.text]).toEqual([
      expect.stringMatching(/This statement cannot be read as it is\. .* no line at its top names columns/),
      expect.stringContaining('value="ACC-OPS-01"'),
    ]);
    await bring("hdfc-50100000001234.csv", STATEMENT);
    expect(asha.seen).toContain("nobody has said which account hdfc-••1234.csv is of");
    const again = new FormData();
    again.set("id", asha.carried("id"));
    again.set("account", "ACC-OPS-01");
    await asha.post("/reconcile", again);
    expect(asha.seen).toMatch(/HDFC · account ••1234 .* Seen in the bank's statement: 1 of 2\. Each balance follows/);
    expect(asha.section("No clear answer, found")).toMatch(
      /2 payments, ₹500\.00 .* payroll\.csv, row 3 .* line 6, .* ₹200\.00 ••2222 INV-42 .* your own reference/,
    );
    expect(asha.section("No clear answer, not found")).toMatch(/payroll\.csv , row 6 ₹400\.00/);
    expect(asha.section("No payment of ours")).toMatch(/ATM WDL ••9012 line 8, .* ₹999\.00/);
    expect(asha.text).not.toMatch(/2003004|123456789012|50100000001234/);
    expect(readdirSync(join(at.root, "staging"), { recursive: true })).toEqual([]);

    const own = asha.carried("statement");
    const both = [`${id}:3`, `${id}:4`];
    const row = async (number: number) => (await at.work.store.rows({ batch: id, rows: [number] }))[0];
    for (const [rows, total] of [
      [both, ""],
      [both, "200.00"],
      [[`${id}:3`], "500.00"],
    ] as const) {
      await asha.post("/reconcile/settle", { row: rows, total });
      expect(asha.news).toMatch(/add.? up to .* this sum was not typed .* Nothing was settled/);
    }
    expect(asha.text).toMatch(/value="\w+:3" checked[^]*value="\w+:4">[^]*name="total"[^]*value="500\.00"/);
    await asha.post("/reconcile/settle", { row: `${id}:2`, total: "100.00" });
    expect(asha.news).toContain("No row was chosen.");
    expect([await row(3), await row(4)]).toMatchObject([{ state: "unknown" }, { state: "unknown" }]);
    await ravi.ask(`/reconcile?statement=${own}`);
    expect(ravi.news).toContain("or by somebody else");

    await ravi.ask("/decide");
    await ravi.post("/decide/unknown", { batch: id, row: "4", as: "done", note: "dashboard 10:12" });
    await asha.post("/reconcile/settle", { row: both, total: "₹ 500" });
    expect(asha.news).toMatch(/^1 row is settled as done by Asha: ₹200\.00\. .* Row 4 .* by Ravi/);
    expect([await row(3), await row(4)]).toMatchObject([
      { state: "settled_done", settledBy: "Asha" },
      { state: "settled_done", settledBy: "Ravi" },
    ]);
    expect((await at.work.store.acts({ batch: id })).find(({ by }) => by === "Asha")).toMatchObject({
      kind: "settle",
      note: expect.stringMatching(/^statement hdfc-••1234\.csv: line 6, .*: your own reference$/) as string,
    });
    expect(asha.text).not.toContain('type="checkbox"');
    // nothing tells what stands first in its date
    const oneLine = STATEMENT.split("\r\n").slice(0, 3).concat("03/04/26,ATM,0000,,5.00,,95.00", "").join("\r\n");
    await bring("april.csv", oneLine, { account: "ACC-OPS-01" });
    expect(asha.seen).toMatch(/this date is 3 Apr 2026 or 4 Mar 2026, and nothing .* The day\. It is 3 April/);
    const said = new FormData();
    said.set("id", asha.carried("id"));
    for (const [field, value] of Object.entries({ account: "ACC-OPS-01", dates: "month-first" }))
      said.set(field, value);
    await asha.post("/reconcile", said);
    expect(asha.seen).toMatch(/ACC-OPS-01, 4 Mar 2026 to 4 Mar 2026 .* No row of that account went/);
    // its account is known now, and its lines count once
    await bring("hdfc.csv", STATEMENT);
    expect(asha.seen).toMatch(/Seen in the bank's statement: 3 of 4\. 1 line counted before/);
  });
}

test("a one-time password → only another one can be chosen with it, and it counts no more", async () => {
  const at = await AtDesk.open("SQLite");
  const once = await addAccount(at.work.store, "Asha", "approve", actOf(at.work, "add_account"));
  const asha = at.visitor();
  await asha.signIn("asha", once);
  expect(asha.seen).toContain("Your password");
  await asha.ask("/decide");
  expect(asha.seen).toContain("A new password");
  await asha.post("/stop", { inbox: at.inbox });
  expect(asha.status).toBe(403);
  await asha.ask("/password");
  for (const [password, again, word] of [
    ["short", "short", "12 to 200"],
    ["asha asha asha", "asha asha asha", "your name"],
    [PASSWORD, "another one here", "not the same"],
    [once, once, "of before"],
  ] as const) {
    await asha.post("/password", { now: once, password, again });
    expect(asha.news).toContain(word);
  }
  await asha.post("/password", { now: once, password: PASSWORD, again: PASSWORD });
  expect(asha.todo).not.toBe("");
  const other = at.visitor();
  await other.signIn("asha", once);
  expect(other.status).toBe(401);
  expect((await accountOf(at.work.store, "ASHA"))?.isOneTime).toBe(false);
});

test("results that cannot be written after an act → what was done is told first, and stays done", async () => {
  const at = await AtDesk.open("SQLite");
  const asha = await at.person("Asha", "decide");
  at.put("payroll.csv", FILE);
  await at.once();
  const { id } = await at.batchOf("payroll.csv");
  rmSync(join(at.root, "state", "snapshots"), { recursive: true });
  await asha.ask("/decide");
  await asha.post("/decide/unknown", { batch: id, row: "3", as: "not-done", note: "dashboard: no entry" });
  expect(asha.news).toMatch(
    /^Row 3 of batch \w+ \(₹200\.00\) is settled as not done by Asha\. .* private copy is missing/,
  );
  const command = await at.run(["settle", id, "--row", "3", "--as", "done", "--by", "Ravi", "--note", "seen at 10:12"]);
  expect(command.stdout).toContain("is settled as done by Ravi");
  expect(command.stderr).toContain("private copy is missing");
  expect(await at.work.store.rows({ batch: id, rows: [3] })).toMatchObject([{ state: "settled_done" }]);
});

test("a one-time password of a week ago, numbers as names → refused, logged, masked", async () => {
  const at = await AtDesk.open("SQLite");
  const once = await addAccount(at.work.store, "Asha", "view", {
    ...actOf(at.work, "add_account"),
    at: Date.now() - 7 * 86_400_000,
  });
  const asha = at.visitor();
  for (const name of ["asha", "50100234567890\u202e\n"]) {
    expect(await asha.signIn(name, once)).toContain("Name or password is not right");
  }
  expect(at.said).toEqual([
    expect.stringMatching(/^\S+Z desk: sign-in as asha from 127\.0\.0\.1 failed$/),
    expect.stringMatching(/^\S+Z desk: sign-in as ••7890\S* from 127\.0\.0\.1 failed$/),
  ]);
  expect((await at.run(["desk", "list"])).stdout).toMatch(/Asha {3}view {3}chose no password in seven days/);
});
