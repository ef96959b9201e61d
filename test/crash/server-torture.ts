/**
 * `npm run torture -- --hosts 3 --postgres --faults 200`: one thing after the other is done to the server of several hosts, or
 * to them (`server-faults.ts`), while they send a file; whatever ends is begun again. Journal, results and what is said are
 * compared with the service's own ledger.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresServer, serversFolder } from "../support/postgres-server.ts";
import { FAULTS, type Fault } from "./server-faults.ts";
import { saidFalsely, saysLoss, verdictOf, type SiteVerdict } from "./site-oracle.ts";
import { Site } from "./site.ts";

export interface ServerTorture {
  readonly hosts: number;
  readonly faults: number;
  readonly random: () => number;
  /** Those whose names have one of these words, with commas between them. */
  readonly only?: string | undefined;
  readonly onProgress: (line: string) => void;
}

/** What came of one fault. */
export interface Outcome extends SiteVerdict {
  readonly name: string;
  readonly forgotten: number;
  /** A person accepted a loss. */
  readonly isAccepted: boolean;
  readonly seconds: number;
  readonly faults: readonly string[];
}

const ROWS = 600;
/** Of the rows, when the fault comes. */
const [EARLIEST, LATEST] = [0.05, 0.4];
const OVER_WITHIN_MS = 60_000;
/** So long nothing goes before a person accepts a loss: hosts have begun again meanwhile. */
const QUIET_MS = 4_000;
/** What is said before that may be of a moment that is over. */
const SETTLED_MS = 2_500;
const ENDS_WITHIN_MS = 10_000;

export async function serverTorture(options: ServerTorture): Promise<Outcome[]> {
  const { only = "", onProgress, random } = options;
  const names = Object.keys(FAULTS).filter(
    (name) => only.split(",").some((word) => name.includes(word)) && FAULTS[name]?.lacks?.() === undefined,
  );
  for (const [name, { lacks }] of Object.entries(FAULTS))
    if (lacks?.() !== undefined) onProgress(`left out: ${name}, for ${lacks() ?? ""}`);
  if (names.length === 0) throw new Error(`there is no fault ${only}`);
  const outcomes: Outcome[] = [];
  const servers = serversFolder();
  try {
    const template = await PostgresServer.create(join(servers.folder, "template"));
    template.stopHard();
    // all of them as often as each other, each time at another moment
    while (outcomes.length < options.faults)
      for (const name of names.slice(0, options.faults - outcomes.length)) {
        const outcome = await strikeOnce(name, FAULTS[name] as Fault, {
          ...options,
          servers: servers.folder,
          template,
          no: outcomes.length + 1,
          random,
        });
        outcomes.push(outcome);
        onProgress(lineOf(outcome));
        for (const fault of outcome.faults) onProgress(`  ${fault}`);
      }
  } finally {
    await servers.end();
  }
  return outcomes;
}

interface Around extends Pick<ServerTorture, "hosts" | "random"> {
  readonly rows?: number;
  readonly servers: string;
  readonly template: PostgresServer;
  readonly no: number;
}

/** A site of its own, from its first row to its last. */
export async function strikeOnce(name: string, fault: Fault, { no, ...around }: Around): Promise<Outcome> {
  const startedAt = performance.now();
  const site = await Site.open({ rows: ROWS, ...around, ...fault.site, name: `f${no}` });
  let [sends, isAccepted, isKept] = [true, false, true];
  try {
    try {
      await fault.before?.(site);
      await (fault.begin ?? begun)(site);
      sends = await site.untilGone(site.between(EARLIEST, LATEST));
      if (sends || !fault.mayRefuse) await fault.strike(site);
      if (sends) isAccepted = await toTheEnd(site);
    } catch (error) {
      site.notices.push(`it broke off: ${String(error)}`);
    }
    await endAll(site);
    const verdict = await verdictOf(site, !sends, isAccepted);
    const faults = faultsOf(site, fault, verdict, isAccepted, sends);
    isKept = faults.length > 0;
    if (isKept) faults.push(`everything is kept in ${site.folder} and ${site.service.ledger}`);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    return { name, ...verdict, forgotten: site.forgotten.size, isAccepted, seconds, faults };
  } finally {
    await site.close(isKept);
  }
}

async function endAll(site: Site): Promise<void> {
  const all = site.hosts.map(async (host) => ({ host, tookMs: await host.end(2 * ENDS_WITHIN_MS) }));
  for (const { host, tookMs } of await Promise.all(all))
    if (tookMs > ENDS_WITHIN_MS) site.notices.push(`a host (${host.operands[0] ?? ""}) did not end within 10 s`);
}

/** One file, and a host that takes it; the others send with it, or wait for the inbox. */
async function begun(site: Site): Promise<void> {
  site.put();
  const [file] = site.files;
  const isRun = site.random() < 0.3;
  await site.keep(isRun && file ? ["run", file.path] : ["watch", site.inbox]);
  while (site.hosts.length < site.options.hosts)
    await site.keep(!isRun && site.random() < 0.3 ? ["watch", site.inbox] : ["work"]);
}

/** By itself, or after a person accepted that the server has forgotten commits: that is given. */
async function toTheEnd(site: Site): Promise<boolean> {
  const until = performance.now() + OVER_WITHIN_MS;
  const struckAt = Date.now();
  let isAccepted = false;
  for (const lookAt = performance.now() + 2_000; !(await site.isOver());) {
    if (performance.now() > lookAt && !site.isLooked) site.notices.push(...(await looked(site)));
    if (performance.now() > until) {
      site.notices.push(`it never came to its end: ${await site.standing()}`);
      break;
    }
    if (
      !isAccepted &&
      site.quietMs() > QUIET_MS &&
      site.hosts.some((host) => saysLoss(host.heardSince(struckAt + SETTLED_MS)))
    ) {
      isAccepted = true;
      site.notices.push(...(await accepted(site)));
    }
    await sleep(500);
  }
  site.notices.push(...(await looked(site)));
  return isAccepted;
}

function looked(site: Site): Promise<string[]> {
  site.isLooked = true;
  return saidFalsely(site);
}

/** As help says: all hosts end, and one command is told. */
async function accepted(site: Site): Promise<string[]> {
  await Promise.all(site.hosts.map((host) => host.end(ENDS_WITHIN_MS)));
  const { code, output } = await site.command([
    "run",
    ...site.files.map(({ path }) => path),
    "--accept-lost-journal",
    "--by",
    "Asha",
  ]);
  for (const host of site.hosts) host.keep();
  return code === undefined || ![0, 3, 4].includes(code)
    ? [`accepting the loss ended with ${String(code)}: ${output.slice(-300)}`]
    : [];
}

function faultsOf(
  site: Site,
  { isHarmless, mayRefuse, losesCommits }: Fault,
  verdict: SiteVerdict,
  isAccepted: boolean,
  sends: boolean,
): string[] {
  const { twice, lost, wrong, unexplained, unknown } = verdict;
  const { notices, forgotten } = site;
  const ends = site.hosts.flatMap((host) => host.ends.map(({ code, output }) => ({ code, output })));
  return [
    ...shortened("TWICE", twice),
    ...shortened("LOST", lost),
    ...shortened("WRONG", [...wrong, ...new Set(notices)]),
    ...shortened("UNEXPLAINED", unexplained),
    ...(isHarmless && unknown > 0 ? [`WRONG ${unknown} rows are unknown by what harms none`] : []),
    ...(forgotten.size > 0 && !isAccepted && sends
      ? [`WRONG the server had forgotten ${forgotten.size} rows, and nobody was asked`]
      : []),
    ...(!losesCommits && isAccepted ? ["WRONG a person had to accept a loss where there was none"] : []),
    ...(!sends && !mayRefuse ? [`WRONG nothing went at all: ${ends.at(-1)?.output.slice(-300) ?? ""}`] : []),
    ...ends
      .filter(({ code }) => code === 1 || code === 70)
      .map(({ code, output }) => `WRONG a host ended with ${String(code)}: ${output.slice(-300)}`)
      .slice(0, 1),
  ];
}

const shortened = (kind: string, found: readonly string[]): string[] =>
  found.length === 0 ? [] : [`${kind} ${found.length}: ${found.slice(0, 3).join("; ")}`];

export function lineOf({
  name,
  rows,
  requests,
  twice,
  lost,
  wrong,
  unknown,
  unexplained,
  forgotten,
  isAccepted,
  seconds,
  faults,
}: Outcome): string {
  const end = faults.length === 0 ? "as it must be" : "FAULT";
  return (
    `${name.padEnd(26)} ${String(seconds).padStart(3)} s  rows ${rows}  requests ${requests}  twice ${twice.length}  lost ${lost.length}  ` +
    `wrong ${wrong.length}  unknown ${unknown} (${unexplained.length} unexplained)  forgotten ${forgotten}${isAccepted ? ", accepted" : ""}  ${end}`
  );
}
