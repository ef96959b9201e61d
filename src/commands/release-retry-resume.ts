import { resolve } from "node:path";
import type { Open } from "../acts/act.ts";
import { resumeInbox } from "../acts/inbox.ts";
import { leave, openBatch, type LetGo } from "../acts/let-go.ts";
import { openEither, openFor, withWork, type OpenedWork } from "../acts/open.ts";
import { release as releaseRows } from "../acts/release.ts";
import { resume as resumeBatch, retry as retryRows } from "../acts/retry-resume.ts";
import { withSending, type Sending } from "../acts/sending.ts";
import { sendReady } from "../batch.ts";
import type { Config } from "../config/schema.ts";
import { callerOf, personNamed } from "../acts/prove.ts";
import { PaydropError } from "../errors.ts";
import type { BatchReport } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import { fileOf } from "../inbox/worked.ts";
import { complete } from "../messages/commands.ts";
import { sentenceOf } from "../messages/acts.ts";
import { told, toldLines } from "../messages/sentence.ts";
import { openAnswer, putAnswer, whileGoing } from "../results/answers.ts";
import { messageObject } from "../results/summary.ts";
import { asLine } from "../screen/json-lines.ts";
import { flagsAgain } from "../screen/look.ts";
import { assertKeys } from "../submission/may-go.ts";
import {
  commandsIn,
  optionOf,
  rowsSaid,
  say,
  sayFound,
  show,
  summarize,
  textNeeded,
  textSaid,
  type Call,
} from "./command.ts";

/** `batch`: the one that was named. */
type Act = (open: Open, work: OpenedWork, batch: string) => Promise<LetGo>;

/**
 * Rows go by a person's word: they and their sum are told, then they are sent. While another process sends from this state
 * folder (I9) they are left to it.
 */
function letGo(call: Call, act: Act): Promise<number> {
  const letting = async (sending: Sending): Promise<number> => {
    const { config, teller } = sending;
    const [work, isSender] = await openEither((mode) => sending.open(mode));
    try {
      const ended = isSender ? (report: BatchReport) => teller.ended(report) : undefined;
      return await letRowsGo(call, act, { work, config, ended });
    } finally {
      await work.close();
    }
  };
  return withSending(call, letting, { mayHandOver: true });
}

/** `ended`: told of the batch when this process has sent it; undefined: the rows are left to another one. */
interface Letting {
  readonly work: OpenedWork;
  readonly config: Config;
  readonly ended: ((report: BatchReport) => void) | undefined;
}

async function letRowsGo(call: Call, act: Act, { work, config, ended }: Letting): Promise<number> {
  const open = openFor(call, work);
  const batch = await openBatch(open, call.operands[0] ?? "");
  const { id } = batch;
  // first: of what cannot be sent nothing is let go
  if (ended) await assertKeys(work, batch, {});
  const gone = await act(open, work, id);
  sayStays(call, config, gone);
  sayFound(call, config, gone.found);
  if (ended && gone.rows.length > 0) {
    const report = await whileGoing(work, fileOf(batch), (going) => sendReady(going, id));
    await putAnswer(report.file, openAnswer(report, { again: open.again }));
    ended(report);
    return gravest([report.exitCode, gone.code]);
  }
  const { isLeft, code, failed } = await leave(open, gone);
  if (failed) throw failed;
  if (isLeft) say(call, config, "left", { batch: id });
  return summarize(call, config, code, { batch: id, requests: 0 });
}

function sayStays(call: Call, config: Config, { batch, stays, code }: LetGo): void {
  for (const one of stays) {
    const words = complete(told(sentenceOf(one), one.facts), { all: flagsAgain(call.flags, config.state_dir) });
    const line = { ...messageObject(words), exit_code: code };
    if (config.json && code === 2) call.stderr.write(asLine({ type: "error", code: "usage", ...line }));
    else show(call, config, { type: "stays", batch, ...line }, `${toldLines(words)}\n`, code);
  }
}

export function release(call: Call): Promise<number> {
  return letGo(call, async (open, work, batch) => {
    const who = personNamed(call, work, "release");
    const reason = textNeeded(call, "reason", "release");
    const rows = rowsSaid(call);
    if ((call.flags["all"] === true) === (rows !== undefined)) {
      throw new PaydropError("rows_or_all", { all: "--all", example: "release" });
    }
    return releaseRows(open, who, { batch, which: rows ?? "all", reason, total: optionOf(call, "total") });
  });
}

export function retry(call: Call): Promise<number> {
  return letGo(call, async (open, work, batch) => {
    const rejected = call.flags["rejected"] === true;
    const who = rejected ? personNamed(call, work, "retry") : callerOf(call, work);
    const reason = rejected ? textNeeded(call, "reason", "retry") : textSaid(call, "reason");
    return retryRows(open, who, { batch, rejected, reason });
  });
}

/** `--inbox`: a folder after a STOP. */
export async function resume(call: Call): Promise<number> {
  const inbox = optionOf(call, "inbox");
  if (inbox !== undefined) return resumeFolder(call, inbox);
  return letGo(call, async (open, work, batch) =>
    resumeBatch(open, callerOf(call, work), { batch, reason: textSaid(call, "reason") }),
  );
}

function resumeFolder(call: Call, inbox: string): Promise<number> {
  return withWork(call, "act", async (work, config) => {
    const who = personNamed(call, work, "resume");
    const { found } = await resumeInbox(openFor(call, work), who, { inbox: resolve(inbox) });
    for (const one of found) {
      const words = complete(told(sentenceOf(one), one.facts), { all: flagsAgain(call.flags, config.state_dir) });
      show(call, config, { type: "summary", inbox, exit_code: 0, ...commandsIn(words) }, `${toldLines(words)}\n`);
    }
    return 0;
  });
}
