import { existsSync, linkSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { SANDBOX_AES_IV, SANDBOX_AES_KEY, SANDBOX_API_KEY } from "../../src/sandbox/server.ts";
import { CLERK, HEADER, House, OTHER, SECRET, SERVICE } from "./house.ts";

/** What a clerk leaves in the inbox who wants to read, stop, or be paid twice. */
const LEFT = [
  'ln -s "$ELSEWHERE/secret.csv" link.csv',
  'ln -s "$ELSEWHERE" transfers',
  "ln -s /proc/self/environ environ.csv",
  "ln -s /dev/zero zero.csv",
  "mkfifo pipe.csv pipe.csv.control; printf x > controlled.csv; mkfifo controlled.csv.control.txt",
  "mkfifo honest1.csv.waiting.txt honest1.csv.refused.txt",
  'ln -s "$ELSEWHERE/secret.csv" honest2.csv.refused.txt',
  'ln -s "$ELSEWHERE/secret.csv" honest2.csv.summary.json',
  "mkdir honest3.csv.waiting.txt honest3.csv.retry.csv folder.csv payouts loans",
  "printf 'result_row,result_status,result_batch\\n2,accepted,../../x\\n' > honest4.csv.results.csv",
  'printf \'{"paydrop":{},"batch":"K7Q29F3M","files":{"results":"/etc/passwd"}}\' > honest4.csv.summary.json',
  "truncate -s 100G huge.csv; truncate -s 100G huge.xlsx; truncate -s 100G huge.json left.csv.retry.csv",
  "printf 'PK\\003\\004' > huge2.xlsx; truncate -s 100G huge2.xlsx; printf 'PK\\005\\006' >> huge2.xlsx",
  "printf x > unreadable.csv; chmod 000 unreadable.csv; mkdir -m 000 collections",
  "printf x > ./--help.csv; printf x > ./-rf.json; printf x > 'a\nb.csv'; printf x > '$(touch came).csv'; printf x > '%s%n.csv'",
  "printf x > K7Q29F3M.csv; printf x > K7Q29F3M.spool; printf x > journal.db; printf x > .paydrop-1-0123456789abcdef.tmp",
];

test("whatever a clerk leaves there → honest files go, nothing of others shows", { tags: ["users"] }, async () => {
  const house = await House.open();
  const before = house.printOf(house.elsewhere);
  house.as(CLERK, [`ELSEWHERE=${house.elsewhere}`, "umask 022", ...LEFT].join("\n"));
  // where the system lets anybody do it
  linkSync(join(house.elsewhere, "secret.csv"), join(house.inbox, "hard.csv"));
  const program = house.watch();
  await house.sendsHonest(program, "honest1", "200300400001");
  await until("what cannot be taken is answered", () => readdirSync(house.inbox).includes("link.csv.refused.txt"), {
    by: program.ended,
  });
  for (const at of [2, 3, 4]) await house.sendsHonest(program, `honest${at}`, `20030040000${at}`);
  program.child.kill("SIGTERM");
  const { code, stdout, stderr } = await program.ended;
  // results that something stands in the way of lie elsewhere
  expect(code, stderr).toBeOneOf([0, 74]);
  expect(house.accounts.sort()).toEqual([1, 2, 3, 4].map((at) => `20030040000${at}`));
  expect(house.readableTo(CLERK, ".") + stdout).not.toContain(SECRET);
  expect(house.as(CLERK, "cat link.csv.refused.txt")).toContain("This is a link");
  expect(house.as(CLERK, "find . -perm /002 -user 61001 2>/dev/null")).toBe("");
  expect(readdirSync(house.inbox)).not.toContain("came");
  const alike = (lines: string[]): string[] => lines.map((line) => line.replace(/(secret.csv \d+ \d+) \d/, "$1"));
  expect(alike(house.printOf(house.elsewhere))).toEqual(alike(before));
});

/** Folder and files are exchanged for links, pipes and each other as fast as it goes. */
const MOVES = `
const { renameSync: move, symlinkSync, unlinkSync, writeFileSync, mkdirSync } = require("node:fs");
const tried = (act) => { try { act(); } catch {} };
const file = (to) => "from_account,to_account,amount\\nACC-OPS-01," + to + ",1.00\\n";
mkdirSync("transfers");
writeFileSync("transfers/salaries.csv", file("200300405001"));
writeFileSync("moving.csv", file("200300405002"));
const rest = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
for (let at = 0; ; at += 1) {
  tried(() => move("transfers", ".away"));
  tried(() => symlinkSync(process.env.ELSEWHERE, "transfers"));
  rest();
  tried(() => unlinkSync("transfers"));
  tried(() => move(".away", "transfers"));
  tried(() => move(at % 2 ? "moving.csv" : "moved.csv", at % 2 ? "moved.csv" : "moving.csv"));
  if (at % 50 === 0) tried(() => { writeFileSync("gone.csv", file("200300406" + String(at).padStart(3, "0").slice(-3))); });
  if (at % 50 === 20) tried(() => unlinkSync("gone.csv"));
  rest();
}`;

test("folder and files are exchanged all along → nothing of others, nothing twice", { tags: ["users"] }, async () => {
  const house = await House.open();
  const before = house.printOf(house.elsewhere);
  const program = house.watch();
  const stop = house.goesOn(CLERK, `process.env.ELSEWHERE = ${JSON.stringify(house.elsewhere)};${MOVES}`);
  for (let at = 1; at <= 3; at += 1) await house.sendsHonest(program, `honest${at}`, `20030040000${at}`);
  stop();
  await house.sendsHonest(program, "honest4", "200300400004");
  program.child.kill("SIGTERM");
  const { code, stderr } = await program.ended;
  // 74: the folder was another one just when its results were to be written
  expect(code, stderr).toBeOneOf([0, 7, 74]);
  const { accounts } = house;
  expect(accounts.filter((one) => one === "200300409999")).toEqual([]);
  expect(accounts.length).toBe(new Set(accounts).size);
  expect(house.printOf(house.elsewhere)).toEqual(before);
});

/** Every page and a few acts of the desk, asked for by a process of this user. */
const ASKS = `
const pages = ["/", "/upload", "/approvals", "/decide/held", "/decide/unknown", "/batch/BATCH", "/report/BATCH", "/help", "/live", "/people"];
const acts = ["/decide/release", "/decide/held", "/approvals/BATCH", "/batch/BATCH/cancel", "/upload", "/stop", "/resume"];
const asked = [...pages.map((path) => [path, {}]), ...acts.map((path) => [path, { method: "POST", body: "batch=BATCH&row=2&all=1" }])];
for (const [path, how] of asked)
  fetch("URL" + path, { redirect: "manual", ...how }).then(async (one) => console.log(path, one.status, await one.text()));
`;

test("somebody else on the machine → sees nothing, does nothing at the desk", { tags: ["users"] }, async () => {
  const house = await House.open();
  const program = house.watch("--desk", "--port", "0");
  await house.sendsHonest(program, "honest", "200300400001");
  house.putFor(
    join(house.inbox, "private.csv"),
    `${HEADER}\nACC-OPS-01,200300400002,20.00\nACC-OPS-01,200300400002,20.00\n`,
  );
  const summary = join(house.inbox, "private.csv.summary.json");
  await until("the private one went", () => existsSync(summary), { by: program.ended });
  const { batch } = JSON.parse(readFileSync(summary, "utf8")) as { batch: string };
  const url = /http:[\d./:]+\d/.exec(program.stdout())?.[0] ?? "";
  const asks = ASKS.replaceAll("BATCH", batch).replace("URL", url);
  const proc = `cd /proc/${program.pid} && cat cmdline comm status environ maps; ls -l fd cwd; head -c 100 mem`;
  const desk = house.as(OTHER, `${process.execPath} -e '${asks}'`);
  const seen = house.readableTo(OTHER, house.root) + house.as(OTHER, proc) + desk;
  for (const one of ["200300400", "honest.csv", "private.csv", SANDBOX_API_KEY, SANDBOX_AES_KEY, SANDBOX_AES_IV])
    expect(seen).not.toContain(one);
  expect(desk.match(/^\/\S* \d+/gm)?.map((line) => line.replace(/.* /, ""))).toSatisfy(
    (codes: string[]) => codes.length > 15 && codes.every((code) => /^(?:303|40\d)$/.test(code)),
  );
  const clerk = house.readableTo(CLERK, house.root) + house.as(CLERK, proc);
  expect(clerk).toContain("200300400001");
  // what was private stays that
  for (const one of ["200300400002", SANDBOX_API_KEY, SANDBOX_AES_KEY]) expect(clerk).not.toContain(one);
  program.child.kill("SIGTERM");
  await program.ended;
  expect(house.accounts).toEqual(["200300400001", "200300400002"]);
  expect(house.as(SERVICE, `find ${house.state} ! -type d -perm /077; find ${house.state} -type d -perm /077`)).toBe(
    "",
  );
});
