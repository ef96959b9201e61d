import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { accountOf, addAccount, changePassword, removeAccount, ROLES } from "../../src/acts/accounts.ts";
import { ACTS as TABLE, PAGES } from "../../src/desk/rights.ts";
import { actOf } from "../../src/batch.ts";
import { AtDesk, PASSWORD, type Visitor } from "./at-desk.ts";

/** Every path by which something changes, and who may use it. */
const ACTS = [
  ["/sign-out", "view"],
  ["/password", "view"],
  ["/stop", "decide"],
  ["/go-on", "decide"],
  ["/batch/AAAAAAA1/pause", "decide"],
  ["/batch/AAAAAAA1/resume", "decide"],
  ["/batch/AAAAAAA1/retry", "decide"],
  ["/batch/AAAAAAA1/retry-rejected", "decide"],
  ["/batch/AAAAAAA1/cancel", "decide"],
  ["/put-away", "decide"],
  ["/decide/unknown", "decide"],
  ["/decide/settled", "decide"],
  ["/decide/held", "decide"],
  ["/decide/release", "decide"],
  ["/approvals/AAAAAAA1", "approve"],
  ["/approvals/AAAAAAA1/back", "approve"],
  ["/upload", "decide"],
  ["/upload/put", "decide"],
  ["/reconcile", "decide"],
  ["/reconcile/settle", "decide"],
  ["/reconcile/back", "decide"],
] as const;
const idIn = (path: string): string =>
  path
    .replace(":id", "AAAAAAA1")
    .replace(":topic", "clerk")
    .replace(/:name\{.*\}/, "results.csv");

async function raw(
  at: AtDesk,
  path: string,
  by: Pick<Visitor, "cookie">,
  csrf: string,
  more: Record<string, string> = {},
) {
  const body = new URLSearchParams({ csrf });
  const headers = { "sec-fetch-site": "same-origin", cookie: by.cookie, ...more };
  const response = await fetch(at.deskUrl + path, { method: "POST", body, headers, redirect: "manual" });
  return `${response.status} ${response.headers.get("location") ?? ""}`.trim();
}

test("requests made by hand → only with session, right, token and place of the form; all acts are in the table", async () => {
  const at = await AtDesk.open("SQLite");
  const [asha, meera] = [await at.person("Asha", "decide"), await at.person("Meera", "view")];
  await meera.ask("/");
  const served = Object.entries(TABLE).map(([path, { role }]) => [idIn(path), role]);
  expect(served.sort()).toEqual(ACTS.toSorted());
  expect([...at.acts].sort()).toEqual([...Object.keys(TABLE), "/sign-in"].sort());
  const nobody = { cookie: "" };
  for (const [path, needed] of ACTS) {
    expect(await raw(at, path, nobody, ""), `${path} by nobody`).toBe("303 /sign-in");
    expect(await raw(at, path, { cookie: asha.cookie.replace(/=.*/, "=x") }, ""), path).toBe("303 /sign-in");
    if (needed !== "view") expect(await raw(at, path, meera, meera.csrf), `${path} without the right`).toBe("403");
    expect(await raw(at, path, asha, "", {}), `${path} without a token`).toBe("403");
    expect(await raw(at, path, asha, meera.csrf), `${path} with another's token`).toBe("403");
    expect(await raw(at, path, asha, asha.csrf, { "sec-fetch-site": "cross-site" }), `${path} from elsewhere`).toBe(
      "403",
    );
    expect(await raw(at, path, asha, asha.csrf, { "sec-fetch-site": "same-site" }), `${path} from a sister site`).toBe(
      "403",
    );
  }
  for (const path of Object.keys(PAGES).map(idIn)) {
    const response = await fetch(at.deskUrl + path, { redirect: "manual" });
    expect([response.status, response.headers.get("location")], path).toEqual(
      path.startsWith("/live") ? [403, null] : [303, "/sign-in"],
    );
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy, path).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
  }
  expect((await at.work.store.acts({})).filter(({ kind }) => kind !== "add_account")).toEqual([]);
});

test("each role, each path → allowed from its role on, refused below it", async () => {
  const at = await AtDesk.open("SQLite");
  for (const [has, role] of ROLES.entries()) {
    const somebody = await at.person(`Somebody who may ${role}`, role);
    for (const [path, needed] of Object.entries(PAGES)) {
      if (path.startsWith("/live")) continue;
      const { status } = await fetch(at.deskUrl + idIn(path), { headers: { cookie: somebody.cookie } });
      expect(status !== 403, `${path} by ${role}`).toBe(has >= ROLES.indexOf(needed));
    }
    // signing out comes last: nothing is allowed after it
    const acts = Object.entries(TABLE).sort(([path]) => (path === "/sign-out" ? 1 : -1));
    for (const [path, { role: needed }] of acts) {
      const answer = await raw(at, idIn(path), somebody, somebody.csrf);
      expect(answer !== "403", `${path} by ${role}: ${answer}`).toBe(has >= ROLES.indexOf(needed));
      expect(answer, `${path} by ${role}`).not.toMatch(path === "/sign-out" ? /^5/ : /^5|sign-in/);
    }
  }
  expect((await at.work.store.acts({})).filter(({ kind }) => kind !== "add_account")).toEqual([]);
});

test("sign-in cookie → of this site alone, unreadable for scripts, secure behind TLS", async () => {
  const forwarded = { headers: { "x-forwarded-proto": "https" } };
  const plain = await fetch(`${(await AtDesk.open("SQLite")).deskUrl}/sign-in`, forwarded);
  const at = await AtDesk.open("SQLite", { PAYDROP_DESK_URL: "https://pay.example" });
  const secure = await fetch(`${at.deskUrl}/sign-in`, forwarded);
  expect(plain.headers.getSetCookie()[0]).toMatch(/^paydrop-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(secure.headers.getSetCookie()[0]).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
});

test("a session → another token after signing in; ends by time, idleness, sign-out, password, removal", async () => {
  const at = await AtDesk.open("SQLite");
  const { store } = at.work;
  const asha = at.visitor();
  await addAccount(store, "Asha", "view", actOf(at.work, "add_account"));
  const choose = async (): Promise<void> => {
    const account = await accountOf(store, "asha");
    if (account) await changePassword(store, account, PASSWORD, Date.now());
  };
  await choose();
  await asha.ask("/sign-in");
  const before = asha.cookie;
  const isIn = async (): Promise<boolean> => {
    await asha.ask("/");
    return asha.todo !== "";
  };
  await asha.signIn("asha");
  expect([asha.cookie === before, await isIn()]).toEqual([false, true]);
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    for (let hour = 0; hour < 11; hour += 0.9) {
      vi.setSystemTime(Date.now() + 0.9 * 3_600_000);
      expect(await isIn(), `${hour} h`).toBe(true);
    }
    vi.setSystemTime(Date.now() + 0.5 * 3_600_000);
    expect(await isIn()).toBe(false);
    await asha.signIn("asha");
    vi.setSystemTime(Date.now() + 3_601_000);
    expect(await isIn()).toBe(false);
  } finally {
    vi.useRealTimers();
  }
  await asha.signIn("asha");
  const { cookie } = asha;
  await asha.post("/sign-out", {});
  asha.cookie = cookie;
  expect(await isIn()).toBe(false);
  await asha.signIn("asha");
  await choose();
  expect(await isIn()).toBe(false);
  await asha.signIn("asha");
  // who forgot the password, or whom somebody has found out
  await addAccount(store, "ASHA", "view", actOf(at.work, "add_account"));
  expect(await isIn()).toBe(false);
  await choose();
  await asha.signIn("asha");
  await removeAccount(store, "Asha", actOf(at.work, "remove_account"));
  expect([await isIn(), await store.kept("session")]).toEqual([false, []]);
});

test("a password guessed many times at once → refused after ten tries, also with the right one", async () => {
  const at = await AtDesk.open("SQLite");
  await at.person("Asha", "view");
  const visitors = Array.from({ length: 14 }, () => at.visitor());
  await Promise.all(visitors.map((one) => one.signIn("asha", "wrong wrong wrong")));
  const statuses = visitors.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(4).fill(429)]);
  const asha = at.visitor();
  await asha.signIn("Asha");
  expect(asha.status).toBe(429);
  expect(at.said.filter((line) => line.endsWith("refused, there were too many tries"))).toHaveLength(5);
});

/** One request, byte for byte; gives its status as soon as it comes. */
function statusOf(at: AtDesk, head: readonly string[], body = ""): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = connect(Number(new URL(at.deskUrl).port), "127.0.0.1");
  socket.setTimeout(20_000, () => reject(new Error("no answer came"))).on("error", reject);
  socket.on("data", (bytes) => {
    resolve(Number(/^HTTP\/1.1 (\d+)/.exec(bytes.toString())?.[1]));
    socket.destroy();
  });
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  return promise;
}

test("what a signed-out visitor brings → refused before it is read; another name of the host, too", async () => {
  const at = await AtDesk.open("SQLite", { PAYDROP_DESK_URL: "https://pay.example" });
  const { host } = new URL(at.deskUrl);
  const large = `content-length: ${60 * 1024 * 1024}`;
  const here = [`host: ${host}`, "sec-fetch-site: same-origin"];
  expect(await statusOf(at, ["POST /upload HTTP/1.1", ...here, large])).toBe(303);
  expect(await statusOf(at, ["POST /sign-in HTTP/1.1", ...here, large])).toBe(413);
  expect(await statusOf(at, ["POST /sign-in HTTP/1.1", ...here, "transfer-encoding: chunked"])).toBe(411);
  expect(await statusOf(at, ["GET /sign-in HTTP/1.1", "host: evil.example"])).toBe(421);
  expect(await statusOf(at, ["GET /sign-in HTTP/1.1", "host: pay.example"])).toBe(200);
});

test("a stranger tries a name in many spellings → closed; who signed in here before comes in", async () => {
  const at = await AtDesk.open("SQLite");
  await at.person("asha", "decide");
  const asha = at.visitor();
  await asha.signIn("asha");
  expect(asha.todo).not.toBe("");
  await asha.post("/sign-out", {});
  const stranger = at.visitor();
  await stranger.ask("/sign-in");
  const spellings = ["asha", "ASHA", " asha ", "ａｓｈａ", "Asha"];
  const form = (name: string) => ({
    method: "POST",
    body: new URLSearchParams({ csrf: stranger.csrf, name, password: "no" }),
  });
  const tries = Array.from({ length: 12 }, (_, at) => spellings[at % spellings.length] ?? "");
  const statuses = await Promise.all(
    tries.map((name) => fetch(`${at.deskUrl}/sign-in`, { ...form(name), headers: { cookie: stranger.cookie } })),
  );
  expect(statuses.filter(({ status }) => status === 429).length).toBe(2);
  await asha.signIn("asha");
  expect(asha.todo).not.toBe("");
});
