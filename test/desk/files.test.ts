import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unzipped } from "../crash/damaged-workbooks.ts";
import { partsOf, textRow, zipOf } from "../support/workbooks.ts";
import { AtDesk, type Visitor } from "./at-desk.ts";

const COLUMNS = ["from_account", "to_account", "amount", "reference"] as const;

/** Four payments; of the pretended service the second one is refused. `which`: no two have a payment in common. */
function rowsOf(which: number): readonly (readonly string[])[] {
  const account = (last: number): string => `20030040${which}00${last}`;
  return [1, 2, 3, 4].map((at) => [
    ...[at === 2 ? "SANDBOX-422" : "ACC-OPS-01", account(at)],
    ...[`${which}${at}0.50`, `R-${which}-${at}`],
  ]);
}

const objectsOf = (which: number) =>
  rowsOf(which).map((cells) => Object.fromEntries(COLUMNS.map((name, at) => [name, cells[at]])));
const csvOf = (which: number): string => [COLUMNS, ...rowsOf(which)].map((cells) => `${cells.join()}\n`).join("");
const bookOf = (which: number): Buffer =>
  zipOf(partsOf({ sheets: { One: [COLUMNS, ...rowsOf(which)].map((cells, at) => textRow(at + 1, cells)).join("") } }));

/** Files of each format, and as what else their results and retry files can be had. */
const FORMATS = {
  "a.csv": [csvOf(1), ["xlsx"]],
  "b.json": [JSON.stringify(objectsOf(2)), []],
  "c.jsonl": [
    objectsOf(3)
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(""),
    [],
  ],
  "d.xlsx": [bookOf(4), ["csv"]],
} as const;

async function brought(at: AtDesk, by: Visitor, name: string, text: string | Buffer, more = {}): Promise<string> {
  await by.bring("/upload", name, text, { folder: at.inbox, ...more });
  await by.post("/upload/put", { id: by.carried("id") });
  return by.news;
}

test("downloads → byte for byte what lies beside the file, in its format; others cannot have it", async () => {
  const at = await AtDesk.open("SQLite");
  const [asha, meera] = [await at.person("Asha", "decide"), await at.person("Meera", "view")];
  for (const [name, [text]] of Object.entries(FORMATS)) writeFileSync(join(at.inbox, name), text);
  await at.once();
  for (const [name, [, others]] of Object.entries(FORMATS)) {
    const { id } = await at.batchOf(name);
    const format = name.slice(2);
    for (const what of ["results", "retry"]) {
      const beside = readFileSync(join(at.inbox, `${name}.${what}.${format}`));
      expect((await asha.bytes(`/batch/${id}/${what}.${format}`)).equals(beside), `${what} of ${name}`).toBe(true);
      expect(asha.headers.get("content-disposition")).toContain(`filename="${name}.${what}.${format}"`);
      for (const other of ["csv", "json", "jsonl", "xlsx", "pdf"]) {
        await asha.bytes(`/batch/${id}/${what}.${other}`);
        const isHad = other === format || others.includes(other as never);
        expect(asha.status, `${what}.${other} of ${name}`).toBe(isHad ? 200 : 404);
      }
      expect((await meera.bytes(`/batch/${id}/${what}.${format}`)).includes("20030040")).toBe(false);
      expect(meera.status).toBe(403);
    }
    // nor is she offered what she cannot have
    await asha.ask(`/batch/${id}`);
    expect(asha.text).toContain(`/batch/${id}/retry.${format}`);
    expect(await meera.ask(`/batch/${id}`)).not.toMatch(/\/(?:results|retry)\./);
  }
});

test.each(["csv", "xlsx"])(
  "a retry file had as .%s, corrected and brought → read as that, goes once",
  async (format) => {
    const at = await AtDesk.open("SQLite");
    const asha = await at.person("Asha", "decide");
    at.put("pay.csv", csvOf(1));
    await at.once();
    const { id } = await at.batchOf("pay.csv");
    await asha.ask("/");
    expect(asha.todo).toMatch(/Refused 1 payment in pay\.csv .* Get the 1 as \.xlsx/);
    const whole = await asha.bytes(`/batch/${id}/retry.${format}`);
    const mend = (text: Buffer): string => text.toString().replace("SANDBOX-422", "ACC-OPS-01");
    const parts = format === "xlsx" ? unzipped(whole).map(({ name, data }) => ({ name, data: mend(data) })) : [];
    const corrected = format === "xlsx" ? zipOf(parts) : mend(whole);
    const name = `pay.csv.retry.${format}`;
    if (format === "csv") {
      // one that somebody corrects in the folder stays; one that nobody touched makes way
      const untouched = at.read(name);
      at.put(name, untouched.replace("SANDBOX-422", "ACC-OPS-02"));
      expect(await brought(at, asha, name, corrected)).toContain("a file of that name lies in the folder already");
      at.put(name, untouched);
    }
    expect(await brought(at, asha, name, corrected)).toContain(`${name} lies in the folder`);
    expect(readFileSync(join(at.inbox, name)).equals(Buffer.from(corrected))).toBe(true);
    await at.once();
    expect([at.carriedOut, at.sentTwice]).toEqual([4, 0]);
    expect(await at.work.store.rows({ batch: id, rows: [3] })).toMatchObject([
      { state: "rejected", correctedBy: { batch: (await at.batchOf(name)).id } },
    ]);
    await asha.ask("/");
    expect(asha.todo).not.toContain("Refused");
  },
);

test("a refused file put away → only by who may decide; it lies apart, its answer is gone", async () => {
  const at = await AtDesk.open("SQLite");
  const [asha, meera] = [await at.person("Asha", "decide"), await at.person("Meera", "view")];
  at.put("good.csv", csvOf(1));
  at.put("broken.csv", "name,amount\nx,1\n");
  await at.once();
  const [before, file] = [at.carriedOut, { inbox: at.inbox, name: "broken.csv" }];
  await meera.ask("/");
  expect(meera.text).not.toContain("/put-away");
  await meera.post("/put-away", file);
  expect(meera.status).toBe(403);
  await asha.ask("/");
  const waits = at.put("waits.csv", csvOf(2));
  for (const wrong of [
    { name: "waits.csv" },
    { name: "good.csv" },
    { name: "../state" },
    { name: "nothing.csv" },
    { inbox: at.root },
  ]) {
    await asha.post("/put-away", { ...file, ...wrong });
    expect(asha.news).toContain("Nothing was changed");
  }
  expect(at.names()).toEqual(expect.arrayContaining(["waits.csv", "good.csv", "broken.csv", "broken.csv.refused.txt"]));
  rmSync(waits);
  for (const text of ["name,amount\nx,1\n", "name,amount\ny,2\n"]) {
    at.put("broken.csv", text);
    await at.once();
    await asha.ask("/");
    await asha.post("/put-away", file);
    expect(asha.todo).not.toContain("File refused");
  }
  expect(at.names().filter((name) => name.startsWith("broken"))).toEqual([]);
  const away = join(at.inbox, "put away");
  // of two of one name none is lost
  expect(readdirSync(away).map((name) => readFileSync(join(away, name), "utf8"))).toHaveLength(2);
  expect((await at.work.store.acts({})).at(-1)).toMatchObject({ kind: "put_away_file", by: "Asha", as: "broken.csv" });
  await at.once();
  expect([at.carriedOut, at.has("broken.csv.refused.txt")]).toEqual([before, false]);
});

test("a file sent back → nothing of it goes, and the reason lies beside it", async () => {
  const at = await AtDesk.open("SQLite", { PAYDROP_APPROVAL: "always" });
  const people = [await at.person("Asha", "decide"), await at.person("Ravi", "approve")] as const;
  const [asha, ravi] = people;
  await brought(at, asha, "pay.csv", csvOf(1));
  await at.once();
  const { id } = await at.batchOf("pay.csv");
  for (const one of people) await one.ask(`/approvals/${id}`);
  expect([asha, ravi].map(({ text }) => text.includes(`/approvals/${id}/back`))).toEqual([false, true]);
  await asha.post(`/approvals/${id}/back`, { reason: "I say so" });
  expect(asha.status).toBe(403);
  await ravi.post(`/approvals/${id}/back`, { reason: " " });
  expect([ravi.news, at.has("pay.csv.refused.txt")]).toEqual([expect.stringContaining("reason"), false]);
  const reason = "R-1-4 left in October <b>";
  await ravi.post(`/approvals/${id}/back`, { reason });
  await ravi.post(`/approvals/${id}`, { total: "502.00" });
  expect(ravi.news).toContain("cancelled");
  for (const run of ["first", "second"]) {
    await at.once();
    expect([at.carriedOut, at.read("pay.csv.refused.txt")], run).toEqual([
      0,
      expect.stringContaining(`Ravi: “${reason}”`),
    ]);
  }
  await asha.ask("/");
  expect(asha.todo).toMatch(/File refused pay\.csv Ravi: “R-1-4 left in October <b>”/);
  expect(asha.text).not.toContain("October <b>");
  await asha.ask(`/batch/${id}`);
  expect(asha.section("History")).toContain(reason);
});

const TYPED: readonly (readonly [name: string, typed: string, stands: string, period: string | undefined])[] = [
  ["pay.csv", "2026-11", "pay-2026-11.csv", "2026-11"],
  ["pay.csv", " nov 2026 ", "pay-2026-11.csv", "2026-11"],
  ["pay.csv", "2026-w47", "pay-2026-W47.csv", "2026-W47"],
  ["pay-2026-11.csv", "11/2026", "pay-2026-11.csv", "2026-11"],
  ["june.csv", "2026-11", "2026-11-june.csv", "2026-11"],
  ["pay.csv", "", "pay.csv", undefined],
];

test.each(TYPED)("%s with the period “%s” → %s", async (name, typed, stands, period) => {
  const at = await AtDesk.open("SQLite");
  const asha = await at.person("Asha", "decide");
  expect(await brought(at, asha, name, csvOf(1), { period: typed })).toContain(stands);
  expect(at.names()).toEqual([stands]);
  await at.once();
  expect((await at.batchOf(stands)).period).toBe(period);
});

test("a period that is none, another one than the name's, or a day → nothing is taken", async () => {
  const at = await AtDesk.open("SQLite");
  const asha = await at.person("Asha", "decide");
  for (const [name, typed, why] of [
    ["pay.csv", "soon", "“soon” is no month"],
    ["pay.csv", "2026-13", "“2026-13” is no month"],
    ["pay.csv", "2026-11-27", "is no month"],
    ["pay.csv", "2026-11 first half", "is no month"],
    ["pay-2026-W47.csv", "2026-11", "says 2026-W47, and you say 2026-11"],
    ["5.csv", "2026-11", "Give the file another name"],
  ] as const) {
    await asha.bring("/upload", name, csvOf(1), { folder: at.inbox, period: typed });
    expect([asha.news, asha.text.includes("/upload/put")], `${name} ${typed}`).toEqual([
      expect.stringContaining(why),
      false,
    ]);
  }
});

test("a sum as people write it → counts; the same digits written otherwise do not", async () => {
  const at = await AtDesk.open("SQLite", { PAYDROP_APPROVAL: "always" });
  at.put("pay.csv", `${COLUMNS.join()}\nACC-OPS-01,200300401111,2481900.50,A1\n`);
  await at.once();
  const { id } = await at.batchOf("pay.csv");
  const ravi = await at.person("Ravi", "approve");
  const approved = async (total: string): Promise<boolean> => {
    await ravi.ask(`/approvals/${id}`);
    await ravi.post(`/approvals/${id}`, { total });
    return (await at.batchOf("pay.csv")).approvedUntil > 0;
  };
  for (const total of [
    ...["", "0", "24,81,900", "24,81,900.5.0", "24.81.900,50", "-24,81,900.50", "(24,81,900.50)"],
    ...["24,81,900.50 Cr", "248,1900.50", "$ 24,81,900.51", "₹", "2481900.50 or so", "2.4819005e6"],
  ])
    expect(await approved(total), total).toBe(false);
  expect(await approved("₹ 24,81,900.50")).toBe(true);
});
