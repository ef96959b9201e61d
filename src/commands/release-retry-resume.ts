import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { assertAsSeen, type Seen } from "../acts/as-seen.ts";
import { knownBatch, rowsNamed } from "../acts/open.ts";
import { isSameAmount, sumOf } from "../amount.ts";
import { sendReady } from "../batch.ts";
import type { Config } from "../config/schema.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { BatchReport } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import { stopFilesIn } from "../intake/inbox.ts";
import { waitsForApproval } from "../journal/approval.ts";
import { askRelease } from "../journal/release.ts";
import type { Act, BatchRecord } from "../journal/store.ts";
import { ACTED } from "../messages/acts.ts";
import { tellNotReleased } from "../messages/holds.ts";
import { FOLDER_RESUMED } from "../messages/intake.ts";
import { told, type Told } from "../messages/sentence.ts";
import { asWord, printable } from "../printable.ts";
import { answerStop, openAnswer, putAnswer, whileGoing } from "../results/answers.ts";
import { asLine } from "../screen/json-lines.ts";
import { flagsAgain } from "../screen/look.ts";
import { wake } from "../submission/again.ts";
import { assertKeys } from "../submission/may-go.ts";
import { optionOf, rowsSaid, say, show, summarize, textNeeded, type Call } from "./command.ts";
import { fileOf } from "./folder-queue.ts";
import { resumeCommand } from "./folder-work.ts";
import { actSaid, openEither, withWork, writtenAfter, type OpenedWork } from "./open-work.ts";
import { personNamed } from "./prove.ts";
import { withSending, type Sending } from "./sending.ts";

interface LetGo {
  readonly rows: readonly number[];
  /** Held until somebody else approves that they go (I16). */
  readonly proposed?: readonly number[];
  /** What does not go, and why. */
  readonly stays: readonly Told[];
  /** The exit code of what does not go. */
  readonly code?: number;
}

interface Asked {
  readonly work: OpenedWork;
  readonly batch: BatchRecord;
  readonly act: Act;
}

type Decide = (asked: Asked) => Promise<LetGo>;

/** `ended`: told of the batch when this process has sent it; undefined: the rows are left to another one. */
interface Letting {
  readonly work: OpenedWork;
  readonly config: Config;
  readonly ended: ((report: BatchReport) => void) | undefined;
}

/**
 * Rows go by a person's word. `decide` is called inside `store.judging()` and makes them ready (I14); they and their sum
 * are told, then they are sent. While another process sends from this state folder (I9) they are left to it.
 */
function letGo(call: Call, kind: Act["kind"], decide: Decide): Promise<number> {
  if (call.leavesSending)
    return withWork(call, "either", (work, config) =>
      letRowsGo(call, kind, decide, { work, config, ended: undefined }),
    );
  const letting = async (sending: Sending): Promise<number> => {
    const { config, teller } = sending;
    const [work, isSender] = await openEither((mode) => sending.open(mode));
    try {
      const ended = isSender ? (report: BatchReport) => teller.ended(report) : undefined;
      return await letRowsGo(call, kind, decide, { work, config, ended });
    } finally {
      await work.close();
    }
  };
  return withSending(call, letting, true);
}

async function letRowsGo(
  call: Call,
  kind: Act["kind"],
  decide: Decide,
  { work, config, ended }: Letting,
): Promise<number> {
  const { store } = work;
  const known = async (): Promise<BatchRecord> => {
    const found = await knownBatch(store, call.operands[0]);
    if (found.phase === "cancelled") throw new PaydropError("batch_cancelled", { batch: found.id });
    return found;
  };
  const batch = await known();
  const [{ id }, waits] = [batch, waitsForApproval(batch)];
  // first: of what cannot be sent nothing is let go
  if (ended) await assertKeys(work, batch, {});
  const act = actSaid(call, work, kind, id);
  // known anew: somebody may have cancelled or paused it meanwhile
  const {
    rows,
    proposed = [],
    stays,
    code = 0,
  } = await store.judging(async () => decide({ work, batch: await known(), act }));
  const none = rows.length + proposed.length + stays.length > 0 ? [] : [told(ACTED.none_waits, { batch: id })];
  for (const { text, todo } of [...stays, ...none]) {
    const line = { message: text, hint: todo, exit_code: code };
    if (config.json && code === 2) call.stderr.write(asLine({ type: "error", code: "usage", ...line }));
    else show(call, config, { type: "stays", batch: id, ...line }, `${text}\n${todo && `  → ${todo}\n`}`, code);
  }
  if (rows.length > 0) {
    const sum = sumOf(await store.rows({ batch: id, rows }));
    say(call, config, waits ? "going_when_approved" : "going", { batch: id, rows: rows.length, sum });
    // a person has acted: what comes of it is news, also where it is the same again
    await store.keep("notice", id, undefined);
  }
  if (proposed.length > 0) {
    const sum = sumOf(await store.rows({ batch: id, rows: proposed }));
    say(call, config, "proposed", { batch: id, rows: proposed.length, sum });
    await store.keep("notice", id, undefined);
  }
  if (ended && rows.length > 0) {
    const report = await whileGoing(work, fileOf(batch), (told) => sendReady(told, id));
    await putAnswer(report.file, openAnswer(report, { again: flagsAgain(call.flags, config.state_dir) }));
    ended(report);
    return gravest([report.exitCode, code]);
  }
  const written = await writtenAfter(call, work, id);
  if (rows.length > 0) {
    // by this a watch that had done with the batch sees that it goes on
    await store.setBatch(id, { owesResults: true });
    if (!waits) say(call, config, call.leavesSending ? "left_to_watch" : "left", { batch: id });
  }
  return summarize(call, config, written || code, { batch: id, requests: 0 });
}

const RELEASE = 'paydrop release BATCH --row N --by NAME --reason "two payments are meant"';

/** Held rows go, and duplicate ones that are named; never one that is held for a row without an end. */
export function release(call: Call): Promise<number> {
  return letGo(call, "release", async ({ work, batch, act }) => {
    const { store, config } = work;
    const who = personNamed(call, work, RELEASE);
    textNeeded(call, "reason", RELEASE);
    const named = rowsSaid(call);
    if ((call.flags["all"] === true) === (named !== undefined)) {
      throw new PaydropError("rows_or_all", { all: "--all", example: RELEASE });
    }
    if (named) assertAsSeen(call.flags["seen"] as Seen, await rowsNamed(store, batch.id, named));
    const asked = { rules: config, now: work.now(), act };
    const { moves, refused, acceptedBefore, fourEyes } = await askRelease(store, batch, named ?? "all", asked);
    const stays = refused.map((one) => tellNotReleased(one, batch.id));
    // of rows that were named all go, or none
    if (named && refused.length > 0)
      return { rows: [], stays, code: refused.every(({ why }) => why === "not_held") ? 2 : 6 };
    const total = optionOf(call, "total");
    const isSaid = total !== undefined && isSameAmount(total, acceptedBefore.amount);
    if (acceptedBefore.rows > 1 && !isSaid) {
      const { rows, amount: sum } = acceptedBefore;
      throw new PaydropError("release_total", { batch: batch.id, rows, sum });
    }
    if (fourEyes > 0) await who.proves("decide");
    const isProposal = batch.approvers > 0;
    const moved = await store.move(batch.id, moves, isProposal ? { ...act, as: "a proposal" } : act);
    const code = refused.length > 0 || isProposal ? 6 : 0;
    return { rows: isProposal ? [] : moved, proposed: isProposal ? moved : [], stays, code };
  });
}

const RETRY = 'paydrop retry BATCH --rejected --by NAME --reason "there are funds now"';

/** What may go again; with `--rejected`, by a named person, also rows that were refused for themselves, as they are. */
export function retry(call: Call): Promise<number> {
  return letGo(call, "retry", async (asked) => {
    const { work, batch } = asked;
    if (batch.phase === "paused") throw new PaydropError("batch_paused", { batch: batch.id });
    if (call.flags["rejected"] !== true) return woken(asked, "retry");
    personNamed(call, work, RETRY);
    textNeeded(call, "reason", RETRY);
    return woken(asked, "retry", "retry_rejected");
  });
}

/** A batch goes on, paused or not, with what its file would send again; `--inbox`: a folder after a STOP. */
export async function resume(call: Call): Promise<number> {
  const inbox = optionOf(call, "inbox");
  if (inbox !== undefined) return resumeInbox(call, inbox);
  return letGo(call, "resume", async (asked) => {
    const { work, batch, act } = asked;
    if (batch.phase === "paused") await work.store.setBatch(batch.id, { phase: "open" }, act);
    return woken(asked, "run");
  });
}

/** All that waits, with the rows that are taken up again. */
async function woken({ work, batch: { id: batch }, act }: Asked, ...how: Parameters<typeof wake>[2][]): Promise<LetGo> {
  const { store, config, now } = work;
  let stay = 0;
  const proposed: number[] = [];
  for (const one of how) {
    const became = await wake(store, batch, one, { act, now: now(), rules: config });
    stay += became.held.length + became.duplicate.length;
    proposed.push(...became.proposed);
  }
  const waiting = await store.rows({ batch, states: ["ready"] });
  const rows = waiting.filter(({ onItsWay }) => !onItsWay).map(({ row }) => row);
  const facts = { batch, rows: stay, why: "the same payment went meanwhile, or waits elsewhere" };
  const code = stay + proposed.length > 0 ? 6 : 0;
  return { rows, proposed, stays: stay > 0 ? [told(ACTED.now_held, facts)] : [], code };
}

/** What a STOP, or an unclear answer, held goes on: by the watcher of the folder, or its next run. */
function resumeInbox(call: Call, inbox: string): Promise<number> {
  return withWork(call, "act", async (work, config) => {
    const { store, who, now } = work;
    const { by } = personNamed(call, work, resumeCommand(inbox));
    const path = resolve(inbox);
    const folder = printable(path);
    const stops = await stopFilesIn(path);
    const isHeld = (await store.heldFolders()).some((held) => held.folder === path);
    if (!isHeld && stops.length === 0) throw new PaydropError("folder_not_held", { folder });
    // first of all: a STOP that stays would hold the folder again at once
    for (const stop of stops) {
      await rm(stop).catch((cause: unknown) => {
        throw new PaydropError("stop_stays", { path: printable(stop), found: messageOf(cause) }, { cause });
      });
    }
    await store.holdFolder(path, undefined, { ...who, at: now(), kind: "resume_folder" });
    await answerStop(path, undefined);
    const { text, todo } = told(FOLDER_RESUMED, { folder, by, command: `paydrop run ${asWord(path)}` });
    show(call, config, { type: "summary", inbox, exit_code: 0 }, `${text}\n  → ${todo}\n`);
    return 0;
  });
}
