import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { answer, type Received, type Reply } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { hasResults, openInboxDesk, type InboxDesk } from "./inbox-desk.ts";

const LOANS = "/v1/lending/loan/apply";

/** A service that takes all but loans, which it does not know yet. */
async function openWithLoansAway(reply: Reply): Promise<{ desk: InboxDesk; sent: Sent; loansCome: () => void }> {
  const server = await startService(({ path }) => (path === LOANS ? reply : answer(200)));
  const desk = openInboxDesk(server.url);
  for (const folder of ["loans", "transfers"]) mkdirSync(desk.path(folder));
  const sent = (): Record<string, number> => countOf(server.requests);
  return { desk, sent, loansCome: () => server.use(() => answer(200)) };
}

type Sent = () => Record<string, number>;

function countOf(requests: readonly Received[]): Record<string, number> {
  const ofLoans = requests.filter(({ path }) => path === LOANS).length;
  return { loans: ofLoans, transfers: requests.length - ofLoans };
}

function dropLoan(desk: InboxDesk, name: string): void {
  writeFileSync(
    desk.path(`loans/${name}.csv`),
    `borrower_id,amount,tenure\nBRW-${name}1,1000,12\nBRW-${name}2,1000,12\n`,
  );
}

function dropTransfer(desk: InboxDesk, name: string): void {
  writeFileSync(desk.path(`transfers/${name}.csv`), `from_account,to_account,amount\nACC-1,ACC-${name},5.00\n`);
}

test.each([404, 403])("run --inbox: an endpoint that answers %i keeps no other operation waiting", async (status) => {
  const { desk, sent, loansCome } = await openWithLoansAway(answer(status));
  for (const name of ["a", "b"]) dropLoan(desk, name);
  dropTransfer(desk, "z");
  const { code, stdout } = await desk.call("run", "--inbox", desk.inbox);
  expect({ code, ...sent() }).toEqual({ code: 7, loans: 1, transfers: 1 });
  expect(stdout).toContain(`(HTTP ${status} for loans)`);
  expect(desk.read("transfers/z.csv.results.csv")).toContain("accepted");
  for (const name of ["a", "b"]) {
    expect(desk.read(`loans/${name}.csv.waiting.txt`)).toContain("files of other operations do not wait for it");
  }
  loansCome();
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(0);
  expect(sent()).toEqual({ loans: 5, transfers: 1 });
  for (const name of ["a", "b"]) expect(existsSync(desk.path(`loans/${name}.csv.waiting.txt`))).toBe(false);
});

test.each([
  [404, 1],
  [401, 0],
])(
  "run with names, %i: only what one endpoint says leaves the files of other operations alone",
  async (status, sent) => {
    const server = await startService(({ path }) => answer(path === LOANS ? status : 200));
    const desk = openInboxDesk(server.url);
    for (const folder of ["loans", "transfers"]) mkdirSync(desk.path(folder));
    for (const name of ["a", "b"]) dropLoan(desk, name);
    dropTransfer(desk, "z");
    const files = ["loans/a.csv", "loans/b.csv", "transfers/z.csv"].map((name) => desk.path(name));
    expect((await desk.call("run", ...files)).code).toBe(7);
    expect(countOf(server.requests)).toEqual({ loans: 1, transfers: sent });
  },
);

test("watch: what came after the refusal goes, and loans are tried by one row until they are taken", async () => {
  const { desk, sent, loansCome } = await openWithLoansAway(answer(404));
  for (const name of ["a", "b"]) dropLoan(desk, name);
  const watch = desk.watch();
  await until("loans wait", () => watch.stderr().includes("loans wait"));
  dropTransfer(desk, "y");
  await until("another operation goes", () => hasResults(desk, "transfers/y.csv"));
  dropLoan(desk, "c");
  await until("a further loan is told", () => existsSync(desk.path("loans/c.csv.waiting.txt")));
  const triedBefore = sent()["loans"] ?? 0;
  await until("one more try", () => (sent()["loans"] ?? 0) > triedBefore);
  loansCome();
  await until("all loans went", () => ["a", "b", "c"].every((name) => isAccepted(desk, name)));
  const said = watch.stderr().split("\n");
  expect(said.filter((line) => line.includes("loans wait"))).toHaveLength(1);
  expect(said.filter((line) => line.includes("the service takes loans again"))).toHaveLength(1);
  expect(sent()["transfers"]).toBe(1);
});

function isAccepted(desk: InboxDesk, name: string): boolean {
  return (desk.read(`loans/${name}.csv.results.csv`).match(/accepted/g) ?? []).length === 2;
}
