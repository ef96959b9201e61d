import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { startProgram, type Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { Watched } from "../inbox/watched.ts";
import { PASSWORD, Visitor } from "./at-desk.ts";

const FILE = `from_account,to_account,amount
ACC-OPS-01,200300401111,100.00
ACC-OPS-01,200300403333,300.00
ACC-OPS-01,200300403333,300.00
`;

async function servedBy(program: Program): Promise<string> {
  const address = (): string => /http:[\d./:]+\d/.exec(program.stdout())?.[0] ?? "";
  await until("the desk serves", () => address() !== "", { by: program.ended });
  return address();
}

test("watch --desk → one process sends and serves; a taken port ends it before", async () => {
  const at = await Watched.with({ latencyMs: { min: 600, max: 600 } });
  const added = await at.run(["desk", "add", "Asha", "--role", "decide"]);
  const oneTime = /: (\S+)\n/.exec(added.stdout)?.[1] ?? "";
  at.put("june.csv", FILE);
  const taken = new URL(at.url).port;
  expect(await at.run(["watch", "--desk", "--port", taken, at.inbox])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining(`--port ${taken}: `) as string,
  });
  expect(at.carriedOut).toBe(0);

  const program = at.start(["watch", "--desk", "--port", "0", "--json", at.inbox]);
  const url = await servedBy(program);
  expect(JSON.parse(program.stdout().split("\n")[0] ?? "")).toEqual({
    ...{ type: "serves", url },
    commands: [{ lead: expect.any(String) as string, name: "help", operand: "desk", flags: {} }],
  });
  const asha = new Visitor(url);
  await asha.signIn("asha", oneTime);
  await asha.post("/password", { now: oneTime, password: PASSWORD, again: PASSWORD });
  await until("the file went", async () => (await asha.ask("/")).includes("2 accepted"), { by: program.ended });
  const batch = /\/batch\/(\w{8})/.exec(asha.text)?.[1] ?? "";
  await asha.ask("/decide");
  await asha.post("/decide/held", { batch, row: "4", what: "release", reason: "two are meant" });
  await asha.post("/decide/release", { batch, row: "4", reason: "two are meant", total: "300" });
  expect(asha.news).toContain("They go when the paydrop that watches the folder looks next.");
  await until("the released row went", () => at.carriedOut === 3, { by: program.ended });
  // what is wrong with a page is nothing to the watch
  await asha.ask("/batch/%E0%A4%A");
  at.put("july.csv", "from_account,to_account,amount\nACC-OPS-01,200300404444,1.00\n");
  await until("the next row is on its way", async () => (await asha.ask("/")).includes("1 at this moment"), {
    by: program.ended,
  });
  program.child.kill("SIGTERM");
  await until("it is told to end", () => program.stderr().includes("finishing the rows"), { by: program.ended });
  expect((await fetch(`${url}/style.css`)).status, "people see what becomes of it").toBe(200);
  expect([(await program.ended).code, at.carriedOut]).toEqual([0, 4]);
  await expect(fetch(url)).rejects.toThrow();
});

test("run --sandbox --desk → samples, people to sign in as, nothing left after Ctrl-C", async () => {
  const other = createServer().listen(7878, "127.0.0.1");
  await Promise.race([once(other, "listening"), once(other, "error")]);
  onTestFinished(() => void other.close());
  const program = startProgram(["run", "--sandbox", "--desk"]);
  onTestFinished(() => void program.child.kill("SIGKILL"));
  const url = await servedBy(program);
  await until("people are told", () => program.stdout().includes("meena"), { by: program.ended });
  const signedIn = async (name: string): Promise<Visitor> => {
    const visitor = new Visitor(url);
    await visitor.signIn(name, new RegExp(`${name} .* (\\S+)\n`).exec(program.stdout())?.[1]);
    return visitor;
  };
  const asha = await signedIn("asha");
  await until(
    "the samples were taken",
    async () => {
      await asha.ask("/");
      return /\d no clear answer .* \d held .* \d refused .* \d to correct/.test(asha.section("Files"));
    },
    { by: program.ended },
  );
  const inbox = /name="folder" value="([^"]+)"/.exec(await asha.ask("/upload"))?.[1] ?? "";
  expect(inbox).toMatch(/paydrop-try-\w+\/inbox$/);
  const batch = /\/batch\/(\w{8})"><bdi>vendors-/.exec(await asha.ask("/"))?.[1] ?? "";
  await asha.ask("/decide");
  await asha.post("/decide/unknown", { batch, row: "4", as: "done", note: "dashboard 10:12" });
  expect(asha.news).toContain("is settled as done by asha");
  const ravi = await signedIn("ravi");
  const approval = async (): Promise<string> =>
    /href="(\/approvals\/\w{8})"/.exec(await ravi.ask("/approvals"))?.[1] ?? "";
  await until("a file waits for approval", async () => (await approval()) !== "", { by: program.ended });
  const waiting = await approval();
  await ravi.post(waiting, { total: "₹ 7,13,800.00" });
  await until("the approved file went", async () => (await ravi.ask("/")).includes("6 accepted"), {
    by: program.ended,
  });
  expect(await (await signedIn("meena")).post("/stop", { inbox })).toContain("Your account may not do this.");
  program.child.kill("SIGINT");
  expect((await program.ended).code).toBe(0);
  expect(existsSync(inbox)).toBe(false);
});
