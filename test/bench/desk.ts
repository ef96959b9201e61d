import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { addAccount, accountOf, beginSession } from "../../src/acts/accounts.ts";
import { openWork } from "../../src/acts/open.ts";
import { actOf } from "../../src/batch.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { Desk } from "../../src/desk/desk.ts";
import { serveDesk } from "../../src/desk/server.ts";
import { Figures } from "../../src/figures.ts";
import { journalPath } from "../../src/state-dir.ts";
import type { Bench } from "./bench.ts";
import { run } from "./child.ts";
import { figure, median, table } from "./figures.ts";
import { makeFile } from "./payment-files.ts";
import { clear, emptyFolder, paydropCommand } from "./peers.ts";
import { withService } from "./service.ts";

const AIM_MS = 200;
const BATCHES = 100;
const UNKNOWN = 28;
const TIMES = 7;

interface Shown {
  readonly title: string;
  readonly path: string;
}

/** How long pages take beside a hundred batches and one that is as large as all of them. */
export async function desk(bench: Bench): Promise<unknown> {
  const folder = emptyFolder(bench.folder, "desk");
  const stateDir = join(folder, "state");
  await fill(bench, folder, stateDir);
  const { config } = loadSettings({ flags: { state_dir: stateDir, environment: "test" }, env: {} });
  const work = await openWork(config, {}, "act");
  const staging = join(folder, "staging");
  mkdirSync(staging);
  const on: Desk = {
    ...{ config, store: work.store, who: work.who, again: {}, inboxes: [join(folder, "in")], staging },
    ...{ say: bench.say, endOfDead: () => Promise.resolve(), figures: new Figures(config) },
  };
  const served = await serveDesk(on, 0);
  try {
    const cookie = await signedIn(work, served.url);
    const batches = await work.store.batches({});
    const [large, unknown] = [
      batches.find(({ rows }) => rows === bench.rows),
      batches.find(({ tallies }) => tallies.unknown),
    ];
    const last = bench.rows - 100;
    const pages: readonly Shown[] = [
      ...["/", "/decide", "/approvals", "/find", "/year", "/upload", "/reconcile", "/help"].map((path) => ({
        title: path,
        path,
      })),
      { title: "/find, by last four", path: "/find?q=4321" },
      { title: "/decide, one file", path: `/decide?batch=${unknown?.id ?? ""}` },
      { title: "/batch", path: `/batch/${unknown?.id ?? ""}` },
      { title: "/batch, of all rows", path: `/batch/${large?.id ?? ""}` },
      { title: "the same, its last rows", path: `/batch/${large?.id ?? ""}?after=${last}` },
      { title: "the same, of one status", path: `/batch/${large?.id ?? ""}?status=accepted` },
    ];
    const found = [];
    for (const page of pages) found.push({ ...page, ...(await timed(served.url + page.path, cookie)) });
    const lines = found.map(({ title, firstMs, ms, bytes }) => [
      title,
      `${figure(firstMs)} ms`,
      `${figure(ms)} ms`,
      figure(bytes),
      `at most ${AIM_MS} ms`,
    ]);
    bench.say(`\n${figure(BATCHES)} files of ${figure(bench.rows / BATCHES)} rows and one of ${figure(bench.rows)}\n`);
    bench.say(table(["", "first", "again", "bytes", ""], lines));
    return found;
  } finally {
    await served.close();
    await work.close();
    clear(folder);
  }
}

/** Really sent, by the program; of the last file some are unknown then, as after a crash. */
async function fill(bench: Bench, folder: string, stateDir: string): Promise<void> {
  mkdirSync(join(folder, "in"));
  const wish = { folder: join(folder, "in"), kind: "payouts-b" } as const;
  const files = Array.from({ length: BATCHES }, (_, nth) =>
    makeFile({ ...wish, rows: bench.rows / BATCHES, series: nth + 1 }),
  );
  files.unshift(makeFile({ ...wish, rows: bench.rows, series: BATCHES + 1 }));
  await withService({}, async ({ url }) => {
    bench.progress("sends the files");
    const settings = { PAYDROP_ENVIRONMENT: "test", PAYDROP_CHANGED_ACCOUNT: "point_out", PAYDROP_DUPLICATE_DAYS: "0" };
    await run(paydropCommand(bench.program, ["run", ...files, "--quiet", "--state-dir", stateDir], url, settings));
  });
  const journal = new DatabaseSync(journalPath(stateDir));
  journal.exec(`UPDATE row SET state = 'unknown' WHERE batch = (SELECT max(batch) FROM row) AND row < ${2 + UNKNOWN};
    UPDATE batch SET tallies = (SELECT json_group_object(state, json_object('rows', n, 'amount', printf('%.2f', sum))) FROM
      (SELECT state, count(*) AS n, sum(amount) AS sum FROM row WHERE batch = (SELECT max(batch) FROM row) GROUP BY state))
      WHERE rowid = (SELECT max(batch) FROM row)`);
  journal.close();
}

async function signedIn(work: Awaited<ReturnType<typeof openWork>>, url: string): Promise<string> {
  await addAccount(work.store, "asha", "approve", actOf(work, "add_account"), { isOneTime: false });
  const account = await accountOf(work.store, "asha");
  if (!account) throw new Error("nobody has an account");
  return `paydrop-${new URL(url).port}=${await beginSession(work.store, account, work.store.now())}`;
}

async function timed(url: string, cookie: string) {
  const times: number[] = [];
  let bytes = 0;
  for (let time = 0; time < TIMES; time += 1) {
    const began = performance.now();
    const response = await fetch(url, { headers: { cookie }, redirect: "manual" });
    const text = await response.text();
    times.push(performance.now() - began);
    if (response.status !== 200) throw new Error(`${url} answers ${response.status}`);
    bytes = text.length;
  }
  const [firstMs = 0, ...again] = times;
  return { firstMs, ms: median(again), bytes };
}
