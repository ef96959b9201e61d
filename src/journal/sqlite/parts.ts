import type { DatabaseSync } from "node:sqlite";
import type { Judge, JudgeRules } from "../../checks/duplicates/duplicates.ts";
import { Addresses } from "./addresses.ts";
import { Archives } from "./archives.ts";
import { Attempts } from "./attempts.ts";
import type { Ballast } from "./database/ballast.ts";
import { Batches } from "./batches.ts";
import { asJournalError, CommitGroup } from "./commit-group.ts";
import { DaySums } from "./day-sums.ts";
import { Decisions } from "./decisions.ts";
import { EnteredKeys } from "./duplicates/entered-keys.ts";
import { History } from "./history.ts";
import { InboxHolds } from "./inbox-holds.ts";
import type { PaymentKeys } from "./duplicates/keys.ts";
import { KnownFiles } from "./known-files.ts";
import { LaidBefore } from "./duplicates/laid-before.ts";
import { LockHolders } from "./lock-holder.ts";
import { Marks } from "./marks.ts";
import { JudgedRows } from "./duplicates/judged-rows.ts";
import { NearDuplicates } from "./duplicates/near-duplicates.ts";
import { PayeeSamples } from "./duplicates/payee-samples.ts";
import { NewRows } from "./new-rows.ts";
import { Rows } from "./rows.ts";
import { SeenRows } from "./duplicates/seen-rows.ts";
import { RowTallies } from "./tallies.ts";
import { Telling } from "./duplicates/telling.ts";
import { Verdicts } from "./duplicates/verdicts.ts";
import { WaitingRows } from "./duplicates/waiting-rows.ts";

/** Makes the judge that the journal asks: the rules of DESIGN §7 are not the journal's own. */
export type JudgeOf = (rules: JudgeRules) => Judge;

export interface PartsInput {
  readonly database: DatabaseSync;
  readonly stateId: string;
  readonly keys: PaymentKeys;
  readonly judgeOf: JudgeOf;
  readonly now: () => number;
  /** Name under which another journal is attached that knows earlier rows as well. */
  readonly past?: string;
  readonly ballast?: Ballast | undefined;
}

/** What a SQLite journal is made of. SQL lives in these classes; `calls/` says what is one transaction. */
export type Parts = ReturnType<typeof partsOf>;

export function partsOf({ database, stateId, keys, judgeOf, now, past, ballast }: PartsInput) {
  const group = new CommitGroup(database, ballast);
  const batches = new Batches(database);
  const near = new NearDuplicates(database, past);
  const judged = new JudgedRows(database, new SeenRows(database, past));
  const telling = new Telling(database, judged);
  const verdicts = new Verdicts(database, judged, near, telling);
  return {
    ...{ database, batches, group, near, telling, verdicts, now },
    entered: new EnteredKeys(database, past),
    newRows: new NewRows(database, keys, past),
    rows: new Rows(database),
    tallies: new RowTallies(database),
    daySums: new DaySums(database, past),
    attempts: new Attempts(database, verdicts, () => group.transaction),
    decisions: new Decisions(database),
    history: new History(database, batches),
    samples: new PayeeSamples(database, judged, past),
    waiting: new WaitingRows(database),
    archives: new Archives(database),
    marks: new Marks(database, stateId),
    holds: new InboxHolds(database),
    files: new KnownFiles(database),
    laidBefore: new LaidBefore(database),
    addresses: new Addresses(database),
    lockHolders: new LockHolders(database),
    judge: oneJudge(judgeOf),
    read,
  };
}

/** The rules come with every row: a judge is made only when they are others. */
function oneJudge(judgeOf: JudgeOf): JudgeOf {
  let last: { readonly rules: JudgeRules; readonly judge: Judge } | undefined;
  return (rules) => {
    if (last?.rules !== rules) last = { rules, judge: judgeOf(rules) };
    return last.judge;
  };
}

/** node:sqlite is synchronous; the interface is not, so that another engine fits. */
function read<T>(ask: () => T): Promise<T> {
  try {
    return Promise.resolve(ask());
  } catch (error) {
    return Promise.reject(asJournalError(error));
  }
}
