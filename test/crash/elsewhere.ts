import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { KEY_OF_LAST_YEAR } from "./desk.ts";
import type { Desk } from "./desk.ts";
import type { Paper } from "./office-files.ts";
import { payrollFile } from "./payroll-file.ts";

/** A journal that does not know what the files know (I9, I12), or a batch that began with another address. */
const OF_ANOTHER = [74, 78];
/** Of the folder of files. */
const SUBFOLDERS = ["payouts", "transfers"];
/** A summary, or the mark of an inbox. */
interface Marked {
  readonly environment?: string;
  readonly paydrop?: { readonly state_id?: string; readonly last_attempt?: number };
}

/** Who works with another memory than that of the files: another address, the sandbox, a backup, a second state folder. */
export class Elsewhere {
  readonly #desk: Desk;
  readonly #backup: string;

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#backup = `${desk.stateDir}.backup`;
  }

  acts(act: number, paper: Paper, work: () => Promise<unknown>): (() => Promise<unknown>)[] {
    const desk = this.#desk;
    return [
      () => this.#inTheWrongEnvironment(paper),
      () => this.#atMovedAddress(paper),
      () => this.#inTheSandbox(paper),
      () => this.#withOlderJournal(work),
      () => this.#withOlderFiles(work),
      () => this.#withOtherState(paper),
      () => this.#twoStates(act),
      () => desk.start(["run", desk.path(paper.name)], KEY_OF_LAST_YEAR),
    ];
  }

  backUp(): void {
    const { folder, stateDir } = this.#desk;
    for (const path of [folder, stateDir]) {
      rmSync(`${path}.backup`, { recursive: true, force: true });
      cpSync(path, `${path}.backup`, { recursive: true, preserveTimestamps: true });
    }
  }

  /** What was sent to an address is remembered of its environment: all would be new under another one. */
  async #inTheWrongEnvironment(paper: Paper): Promise<void> {
    const desk = this.#desk;
    const isLive = desk.environment === "live";
    if (!desk.services.requests.some(({ environment }) => environment === desk.environment)) return;
    const wrong = { PAYDROP_ENVIRONMENT: isLive ? "test" : "live" };
    const run = (): Promise<unknown> => desk.start(["run", desk.path(paper.name)], wrong);
    await desk.sendingNothing("an address was said to be of another environment", OF_ANOTHER, run);
  }

  /** The same service has another address. */
  async #atMovedAddress(paper: Paper): Promise<void> {
    const desk = this.#desk;
    const moved = { PAYDROP_BASE_URL: `${desk.services.url(desk.environment)}/moved` };
    await desk.start(["run", ...desk.pick([[], ["--accept-destination"]]), desk.path(paper.name)], moved);
  }

  async #inTheSandbox(paper: Paper): Promise<void> {
    const desk = this.#desk;
    const state = desk.pick([[], ["--state-dir", `${desk.stateDir}.sandbox`]]);
    const run = (): Promise<unknown> => desk.start(["run", "--sandbox", ...state, desk.path(paper.name)]);
    await desk.sendingNothing("it was only tried", [], run);
  }

  /** Restored from a backup, it sends nothing where it does not know what was sent since (I12). */
  async #withOlderJournal(work: () => Promise<unknown>): Promise<void> {
    const { stateDir } = this.#desk;
    const newest = `${stateDir}.newest`;
    if (!this.#isToldEverywhere(attemptsIn(this.#backup))) return;
    renameSync(stateDir, newest);
    cpSync(this.#backup, stateDir, { recursive: true });
    await this.#desk.sendingNothing("the journal was older (I12)", OF_ANOTHER, work);
    rmSync(stateDir, { recursive: true });
    renameSync(newest, stateDir);
  }

  /** The folder of files is restored from a backup: what lies there is older than what the journal knows, and all of it is known. */
  async #withOlderFiles(work: () => Promise<unknown>): Promise<void> {
    const { folder } = this.#desk;
    const before = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    rmSync(folder, { recursive: true });
    cpSync(`${folder}.backup`, folder, { recursive: true, preserveTimestamps: true });
    // results of what lay in them are written there
    for (const { name } of before) mkdirSync(join(folder, name), { recursive: true });
    await work();
  }

  /** Wherever a file lies something beside it tells of later attempts: of others no journal can know that it is older. */
  #isToldEverywhere(attempt: number): boolean {
    const desk = this.#desk;
    if (lastAttemptIn(desk.path(".paydrop")) > attempt) return true;
    return [desk.folder, ...SUBFOLDERS.map((name) => desk.path(name))].every(
      (folder) =>
        existsSync(folder) &&
        readdirSync(folder).some(
          (name) => name.endsWith(".summary.json") && lastAttemptIn(join(folder, name)) > attempt,
        ),
    );
  }

  /** Somebody else's state folder does not know what was sent of this file, or of this inbox. */
  async #withOtherState(paper: Paper): Promise<void> {
    const desk = this.#desk;
    const { environment } = desk;
    const path = desk.path(paper.name);
    const other = { PAYDROP_STATE_DIR: desk.otherStateDir };
    const ways = [
      ...(markIn(`${path}.summary.json`, environment) ? [["run", path]] : []),
      ...(markIn(desk.path(".paydrop"), environment)
        ? [
            ["run", path],
            ["run", "--inbox", desk.folder],
          ]
        : []),
    ];
    if (ways.length === 0) return;
    const run = (): Promise<unknown> => desk.start(desk.pick(ways), other);
    await desk.sendingNothing("another state folder has these files (I9)", OF_ANOTHER, run);
  }

  /** Each of two state folders sends payments of its own from one folder; the second one by a person's word. */
  async #twoStates(act: number): Promise<void> {
    const desk = this.#desk;
    // a sum of a day is that of one journal
    if (desk.house.perDay !== undefined) return;
    const folder = desk.path(`shared${act}`);
    const name = `shared${act}/pay.csv`;
    mkdirSync(folder);
    const lay = (marker: string): void => {
      desk.lay({ name, text: payrollFile(`s0a${act} ${marker}`, 3, false).text, day: desk.day });
    };
    const mine = ["run", ...desk.pick([["--inbox", folder], [desk.path(name)]])];
    const theirs = ["run", ...desk.pick([["--inbox", folder], [desk.path(name)]])];
    const other = { PAYDROP_STATE_DIR: desk.otherStateDir };
    lay("mine");
    await desk.start(mine);
    const mark = markIn(`${desk.path(name)}.summary.json`, desk.environment);
    lay("theirs");
    if (mark)
      await desk.sendingNothing("another state folder has this one (I9)", OF_ANOTHER, () => desk.start(theirs, other));
    await desk.ending(OF_ANOTHER, () => desk.start([...theirs, "--accept-lost-journal", "--by", "ravi"], other));
    const theirMark = markIn(`${desk.path(name)}.summary.json`, desk.environment);
    if (theirMark && theirMark !== mark) {
      await desk.sendingNothing("it is the other one's folder by now (I9)", OF_ANOTHER, () => desk.start(mine));
    }
    // tidied up, so that the first one may go on with what it had begun
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  }
}

/** By whom something was sent there, as a summary tells, or the mark of an inbox. */
function markIn(path: string, environment: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const { paydrop, ...summary } = JSON.parse(readFileSync(path, "utf8")) as Marked;
  const isHere = (summary.environment ?? environment) === environment;
  return isHere && (paydrop?.last_attempt ?? 0) > 0 ? paydrop?.state_id : undefined;
}

function lastAttemptIn(path: string): number {
  if (!existsSync(path)) return 0;
  const { paydrop } = JSON.parse(readFileSync(path, "utf8")) as Marked;
  return paydrop?.last_attempt ?? 0;
}

function attemptsIn(stateDir: string): number {
  const database = new DatabaseSync(join(stateDir, "journal.db"), { timeout: 10_000 });
  try {
    return Number(database.prepare("SELECT coalesce(max(id), 0) AS last FROM attempt").get()?.["last"]);
  } finally {
    database.close();
  }
}
