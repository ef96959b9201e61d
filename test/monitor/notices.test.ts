import { Figures } from "../../src/figures.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import tls from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { Secret } from "../../src/config/secret.ts";
import type { BatchReport } from "../../src/events.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import { createNotices, waysOf } from "../../src/monitor/notices.ts";
import { createCertificates } from "../support/certificates.ts";
import { TestDesk, transfers } from "../support/desk.ts";
import { answer, redirect, silence, type FaultServer } from "../support/fault-server.ts";
import { startMailServer } from "../support/mail-server.ts";
import { temporaryFolder } from "../support/paydrop.ts";
import { describePostgres, freshDatabase } from "../support/postgres.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { transfers as lines, Watched } from "../inbox/watched.ts";

const textsAt = ({ requests }: FaultServer): string[] =>
  requests.map(({ body }) => (JSON.parse(body) as { text: string }).text);

type Notify = Parameters<typeof waysOf>[0];

const FIGURES = new Figures({ number_format: "indian", time_zone: "UTC" });

/** One process tells of these batches and comes to its end; gives what it said. */
async function tell(
  desk: TestDesk,
  notify: Notify,
  reports: readonly BatchReport[],
  smtp?: string,
  patience = 0.5,
): Promise<string[]> {
  const said: string[] = [];
  const ways = waysOf(notify, smtp === undefined ? undefined : new Secret(smtp));
  const notices = createNotices(ways, { environment: "live", figures: FIGURES }, (text) => said.push(text), patience);
  notices.follow(desk.store);
  for (const report of reports) notices.ended(report);
  await notices.unfollow();
  return said;
}

const SOME = transfers(["200300400001", "10.00", "Asha Rao"], ["200300400002", "20.00"], ["200300400003", "1.2.3"]);
const withUnknown = (payload: string): number => (payload.includes("20.00") ? 500 : 200);

test("a chat that fails twice takes the third try: counts, sums, what to do, nobody's account", async () => {
  const desk = await TestDesk.open();
  const chat = await startService(({ number }) => answer(number < 3 ? 503 : 200));
  const report = await desk.run("a<!here>.csv", SOME, withUnknown);
  expect(await tell(desk, { webhook_url: `${chat.url}/hook?token=t0k3n` }, [report])).toEqual([]);
  expect(chat.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(3).fill("POST /hook?token=t0k3n"));
  expect(textsAt(chat)[2]).toBe(
    `a_!here_.csv: batch ${report.batch} needs a person\n` +
      "3 rows, ₹30.00: 1 accepted (₹10.00), 1 unknown (₹20.00) and 1 invalid (₹0.00).\n" +
      `→ Look up 1 unknown row in the service's dashboard, and say what you found. At the desk, or: paydrop status ${report.batch}`,
  );
});

describe("in SQLite", () => tellsOnce(() => Promise.resolve({})));
describePostgres("in Postgres", () => tellsOnce(async () => ({ journal_url: await freshDatabase() })));

function tellsOnce(journal: () => Promise<Readonly<Record<string, string>>>): void {
  test("told once, also by others, until a person acts or more is unknown", async () => {
    const desk = await TestDesk.open(await journal(), { PAYDROP_JOURNAL_KEY: "6b".repeat(32) });
    const chat = await startService();
    const to = { webhook_url: chat.url };
    const report = await desk.run("a.csv", SOME, withUnknown);
    await tell(desk, to, [report, report]);
    await tell(desk, to, [report]);
    expect(chat.requests).toHaveLength(1);
    await tell(desk, to, [{ ...report, rowsToLookAt: { unknown: [3, 4] } }]);
    expect(chat.requests).toHaveLength(2);
    await desk.store.keep("notice", report.batch, undefined);
    await tell(desk, to, [report]);
    expect(chat.requests).toHaveLength(3);
  });
}

test("stops: told where a person must end them, again only after other rows went", async () => {
  const desk = await TestDesk.open();
  const chat = await startService();
  const to = { webhook_url: chat.url };
  const refused = await desk.run("a.csv", transfers(["1001", "10.00"], ["1002", "20.00"]), () => 401);
  await tell(desk, to, [refused, refused]);
  expect(textsAt(chat)).toEqual([
    expect.stringMatching(/needs a person\n.*\nStopped: the service did not accept our key/),
  ]);
  const { not_sent: _left, ...byStatus } = refused.byStatus;
  await tell(desk, to, [{ ...refused, byStatus }]);
  expect(chat.requests).toHaveLength(2);
  const away = { ...refused, stop: { code: "unreachable", text: "", todo: "", commands: [] } };
  const approval = { ...refused, stop: { code: "approval_wanted", text: "", todo: "", commands: [] } };
  await tell(desk, to, [away, approval]);
  expect(textsAt(chat)[2]).toContain("waits for approval");
  expect(chat.requests).toHaveLength(3);
  const ended = await desk.run("b.csv", transfers(["1003", "30.00"]));
  await tell(desk, to, [ended, await desk.run("b.csv")]);
  expect(textsAt(chat)[3]).toContain("has ended\n1 row, ₹30.00: 1 accepted (₹30.00).\n→ Nothing to do.");
  expect(chat.requests).toHaveLength(4);
});

test("a chat that redirects is said once, and tried again with the next notice", async () => {
  const desk = await TestDesk.open();
  const other = await startService();
  const chat = await startService(() => redirect(302, other.url));
  const reports = [await desk.run("a.csv", SOME), await desk.run("b.csv", SOME.replaceAll("1.2.3", "7.7.7"))];
  const [first, ...more] = await tell(desk, { webhook_url: `${chat.url}/secret-path` }, reports);
  expect(first).toBe(`no notice reaches ${chat.url}: the answer was 302; payments go on`);
  expect([more, chat.requests.length, other.requests.length]).toEqual([[], 4, 0]);
  chat.use(() => answer(200));
  expect(await tell(desk, { webhook_url: chat.url }, reports)).toEqual([]);
  expect(chat.requests).toHaveLength(6);
});

test("a chat that never answers keeps the end of a process only for a while", async () => {
  const desk = await TestDesk.open();
  const chat = await startService(() => silence());
  const reports = [await desk.run("a.csv", SOME, withUnknown), await desk.run("b.csv", transfers(["1001", "1.00"]))];
  const beganAt = performance.now();
  const said = await tell(desk, { webhook_url: chat.url }, reports, undefined, 0.05);
  expect(said).toEqual([expect.stringContaining("payments go on")]);
  expect(performance.now() - beganAt).toBeLessThan(9_000);
  expect(await desk.store.kept("notice")).toEqual([]);
});

test("mail: by TLS, with the login and sender of its address, to each person", async () => {
  const { ca, server: pair } = createCertificates();
  tls.setDefaultCACertificates([...tls.getCACertificates(), ca]);
  const desk = await TestDesk.open();
  const mail = await startMailServer({ pair });
  const report = await desk.run("a.csv", SOME, withUnknown);
  const to = { email_to: ["asha@bank.example", "ravi@bank.example"] };
  expect(await tell(desk, to, [report], `smtps://pay%40bank.example:p%2Fss-word@localhost:${mail.port}`)).toEqual([]);
  const login = Buffer.from("\0pay@bank.example\0p/ss-word").toString("base64");
  for (const line of [
    `AUTH PLAIN ${login}`,
    "MAIL FROM:<pay@bank.example>",
    "RCPT TO:<asha@bank.example>",
    "RCPT TO:<ravi@bank.example>",
    `Subject: a.csv: batch ${report.batch} needs a person`,
    "Auto-Submitted: auto-generated",
  ])
    expect(mail.heard).toContain(line);
  // a line that begins with a point has one more on the wire
  const body = mail.heard.join("\n").replaceAll("\n..", "\n.").replaceAll("=\n", "");
  expect(body).toContain("1 unknown (=E2=82=B920.00)");
});

test("a chat that answers 200 and says no, a mail that one of two gets → said, and not sent twice", async () => {
  const desk = await TestDesk.open();
  const report = await desk.run("a.csv", SOME, withUnknown);
  const chat = await startService(() => answer(200, { ok: false, error: "delivery failed" }));
  expect(await tell(desk, { webhook_url: chat.url }, [report])).toEqual([expect.stringContaining("delivery failed")]);
  expect(await desk.store.kept("notice")).toEqual([]);
  const mail = await startMailServer({ refuses: "ravi@bank.example" });
  const to = { email_to: ["asha@bank.example", "ravi@bank.example"] };
  const smtp = `smtp://127.0.0.1:${mail.port}?from=pay@bank.example`;
  expect(await tell(desk, to, [report], smtp)).toEqual([expect.stringContaining("refused for 1 recipient")]);
  expect(mail.heard.filter((line) => line === "DATA")).toHaveLength(1);
});

test("mail: a person who is refused is not named, and no password goes without TLS", async () => {
  const desk = await TestDesk.open();
  const mail = await startMailServer({ refuses: "asha@bank.example" });
  const report = await desk.run("a.csv", SOME, withUnknown);
  const to = { email_to: ["asha@bank.example"] };
  const local = `smtp://127.0.0.1:${mail.port}?from=pay@bank.example`;
  const [refused = ""] = await tell(desk, to, [report], local);
  expect(refused).toContain(`no notice reaches 127.0.0.1:${mail.port}: `);
  expect(refused).toContain("550");
  expect(refused).not.toContain("asha");
  // this machine by an address that does not say so
  const [open = ""] = await tell(desk, to, [report], `smtp://u%40bank.example:password@0.0.0.0:${mail.port}`);
  expect(open).toMatch(/STARTTLS|TLS/);
  expect(mail.heard.filter((line) => line.startsWith("AUTH"))).toEqual([]);
});

/** An inbox whose settings name a chat. */
async function watchedWith(chat: FaultServer, more = "", env: Readonly<Record<string, string>> = {}) {
  const watched = await Watched.with();
  const own = { ...watched.env(), ...env };
  watched.env = () => own;
  const config = join(watched.root, "paydrop.toml");
  writeFileSync(config, `[notify]\nwebhook_url = "${chat.url}/hook?token=t0k3n"\n${more}`, { mode: 0o600 });
  return { watched, operands: ["--config", config] };
}

test("a watch: one notice of an unknown row, none after a restart; one of a STOP", async () => {
  const [chat, mail] = [await startService(), await startMailServer()];
  const smtp = join(temporaryFolder(), "smtp-url");
  writeFileSync(smtp, `smtp://127.0.0.1:${mail.port}?from=pay@bank.example\n`, { mode: 0o600 });
  const to = 'email_to = "asha@bank.example"\n';
  const { watched, operands } = await watchedWith(chat, to, { PAYDROP_SMTP_URL_FILE: smtp });
  const start = (): ReturnType<Watched["start"]> => watched.start(["watch", watched.inbox, ...operands]);
  watched.put("a.csv", `${lines(2)}SANDBOX-500-AFTER,1001,1.00\n`);
  let program = start();
  await until("the row is told", () => chat.requests.length > 0, { by: program.ended });
  watched.put("STOP", "");
  const journal = await openJournal(join(watched.root, "state"));
  onTestFinished(() => journal.close());
  await until("the hold is told", async () => (await journal.kept("notice")).length === 2, { by: program.ended });
  program.child.kill("SIGKILL");
  await program.ended;
  program = start();
  await until("it watches again", () => program.stderr().includes("is held"), { by: program.ended });
  const resumed = await watched.run(["resume", "--inbox", watched.inbox, "--by", "Asha", ...operands]);
  expect(resumed.code).toBe(0);
  watched.put("b.csv", lines(1, 50));
  await until("the next file is told", () => chat.requests.length > 2, { by: program.ended });
  program.child.kill("SIGTERM");
  expect((await program.ended).stderr).not.toContain("t0k3n");
  const firsts = textsAt(chat).map((text) => text.split("\n")[0]);
  expect(firsts).toEqual([
    expect.stringMatching(/^\[test\] a\.csv: batch \w+ needs a person$/),
    expect.stringMatching(/^\[test\] everything in .* is held\. A file named STOP was put into the folder\.$/),
    expect.stringMatching(/^\[test\] b\.csv: batch \w+ has ended$/),
  ]);
  expect(mail.heard.filter((line) => line.startsWith("Subject: [test] "))).toHaveLength(3);
});

test("a run, a release and doctor tell; the sandbox does not, and a chat that is away holds nothing up", async () => {
  const chat = await startService();
  const { watched, operands } = await watchedWith(chat);
  const held = "from_account,to_account,amount\nA,1001,1.00\nA,1001,1.00\n";
  const file = watched.put("a.csv", held);
  expect((await watched.run(["run", "--sandbox", file, ...operands])).code).toBe(6);
  expect(chat.requests).toEqual([]);
  expect((await watched.run(["run", file, ...operands])).code).toBe(6);
  expect(textsAt(chat)[0]).toMatch(/→ Decide on 1 held row\. At the desk, or: paydrop status \w+$/);
  const batch = /batch (\w+)/.exec(textsAt(chat)[0] ?? "")?.[1] ?? "";
  const by = ["--by", "Asha", "--reason", "both are meant"];
  expect((await watched.run(["release", batch, "--row", "3", ...by, ...operands])).code).toBe(0);
  expect(textsAt(chat)[1]).toContain("has ended");
  const { stdout } = await watched.run(["doctor", ...operands]);
  expect(stdout).toContain(`a test notice was taken by ${chat.url}`);
  expect(textsAt(chat)[2]).toContain("a test of the notices of paydrop");
  chat.use(() => answer(500));
  const doctor = await watched.run(["doctor", ...operands]);
  expect(doctor.stdout).toContain("no test notice could be sent: the answer was 500");
  expect(doctor.code).toBe(0);
  const next = await watched.run(["run", watched.put("b.csv", lines(1, 60)), ...operands]);
  expect(next).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("the answer was 500; payments go on") as string,
  });
});

test("mail without its server, or an address of a chat that is none: refused, and not repeated", async () => {
  const chat = await startService();
  const { watched, operands } = await watchedWith(chat, 'email_to = "asha@bank.example"\n');
  const file = watched.put("a.csv", lines(1));
  expect(await watched.run(["run", file, ...operands])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("PAYDROP_SMTP_URL") as string,
  });
  expect(
    (await watched.run(["release", "NONE", "--all", "--by", "Asha", "--reason", "x", ...operands])).stderr,
  ).toContain("no batch");
  const env = { ...watched.env(), PAYDROP_SMTP_URL: "smtp://relay.example:25" };
  expect((await runProgram(["run", file, ...operands], { env })).stderr).toContain(
    "is not the address of a mail server with a sender",
  );
  const config = operands[1] ?? "";
  writeFileSync(config, '[notify]\nwebhook_url = "http://hooks.example/t0k3n"\nemail_to = "asha"\nwebhook = 1\n');
  const { code, stderr } = await watched.run(["run", file, ...operands]);
  expect(code).toBe(2);
  expect(stderr).toContain("notify.webhook_url: what stands there is not an https address");
  expect(stderr).toContain('notify: there is no "webhook"');
  expect(stderr).not.toMatch(/t0k3n|asha/);
});
