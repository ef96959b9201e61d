import type { JudgeRules } from "../checks/duplicates/duplicates.ts";
import type { Config } from "../config/config.ts";
import { PaydropError } from "../errors.ts";
import type { RunEvent, Stop } from "../events.ts";
import { archivedError } from "../journal/sqlite/archives.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import { StateInPlace } from "../journal/sqlite/database/in-place.ts";
import type { JournalStore } from "../journal/store.ts";
import type { Services } from "../processor.ts";
import { FolderMarks } from "../results/marks/folder-marks.ts";
import { Leftovers } from "../results/disk/leftovers.ts";
import { SANDBOX } from "../results/words/next-steps.ts";
import { assertWhole, openSnapshot, snapshotsIn, type OpenedSnapshot } from "../reading.ts";
import { heldFolder } from "./held-folder.ts";
import { judgeRulesOf } from "./record.ts";

/** When a piece of work began, in milliseconds: since 1970, and by `performance.now()`. */
export interface Beginning {
  readonly startedAt: number;
  readonly startedMs: number;
}

/** What taking, sending and reporting a batch stand on. */
export class Ground {
  readonly journal: JournalStore;
  readonly services: Services;
  readonly config: Config;
  readonly marks: FolderMarks;
  readonly leftovers = new Leftovers();
  readonly rules: JudgeRules;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** This process sends; no other one does. */
  readonly hasLock: boolean;
  /** Only with the lock. */
  readonly state: StateInPlace | undefined;

  constructor(services: Services, journal: JournalStore, hasLock: boolean) {
    this.journal = journal;
    this.services = services;
    this.config = services.config;
    this.marks = new FolderMarks(journal, services.config, services.sandbox === true, this.leftovers);
    this.rules = judgeRulesOf(services.config);
    this.now = services.now ?? Date.now;
    this.hasLock = hasLock;
    this.state = hasLock ? new StateInPlace(services.config.stateDir) : undefined;
  }

  beginNow(): Beginning {
    return { startedAt: this.now(), startedMs: performance.now() };
  }

  get destination(): string {
    return destinationOf(this.config, this.services.sandbox === true);
  }

  get snapshots(): string {
    return snapshotsIn(this.config);
  }

  async known(batchId: string): Promise<BatchRecord> {
    const batch = await this.journal.batch(batchId);
    if (!batch) throw new PaydropError("usage", `there is no batch ${batchId}`, "`paydrop status` lists them");
    return batch;
  }

  async openWhole(batch: BatchRecord): Promise<OpenedSnapshot> {
    await this.assertWhole(batch);
    return this.open(batch);
  }

  open(batch: BatchRecord): Promise<OpenedSnapshot> {
    return openSnapshot(batch, this.snapshots);
  }

  /** Throws unless the private copy is there as it was taken, and the details are not in the archive. */
  async assertWhole(batch: BatchRecord): Promise<void> {
    if (batch.archive !== undefined) throw archivedError(batch);
    await assertWhole(batch, this.snapshots);
  }

  /** Why nothing goes of files in these folders until a person says so; undefined: none of them is held. */
  heldFolder(folders: readonly string[]): Promise<Stop | undefined> {
    const { keepsInbox } = this.marks;
    return heldFolder({ journal: this.journal, hasLock: this.hasLock, keepsInbox }, folders);
  }

  tell(event: RunEvent): void {
    this.services.onEvent?.(event);
  }
}

/** Where rows go, as it stands in their batch. */
export function destinationOf({ baseUrl = "" }: Config, isSandbox: boolean): string {
  return isSandbox ? SANDBOX : baseUrl;
}
