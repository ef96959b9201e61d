import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { OpenedWork } from "../acts/open.ts";
import { untilAsked, withSending, type Sending } from "../acts/sending.ts";
import { runFile } from "../batch.ts";
import { FileRefusedError, PaydropError } from "../errors.ts";
import type { CheckedFile } from "../events.ts";
import { exitCodeOf, gravest } from "../exit-codes.ts";
import type { FolderListener } from "../inbox/folder.ts";
import { whileLeased } from "../inbox/lease.ts";
import { assertFolder, runFolder } from "../inbox/run-folder.ts";
import { inputName } from "../intake/names.ts";
import { ACTED } from "../messages/acts.ts";
import { told } from "../messages/sentence.ts";
import { openAnswer, putAnswer, refusedAnswer, whileGoing } from "../results/answers.ts";
import { errorText } from "../screen/error-text.ts";
import { flagsAgain, paperOf } from "../screen/look.ts";
import { checkText, questionText } from "../screen/summary-text.ts";
import { summarize, type Call } from "./command.ts";
import { takeShares } from "./work.ts";

/** One file after the other, and all that is complete in a folder. The gravest exit code speaks for all. */
export async function run(call: Call): Promise<number> {
  if (call.flags["desk"] === true) return (await import("../desk/trial.ts")).tryDesk(call, watch);
  return withSending(call, async (sending) => {
    const { config, isTrial, listening } = sending;
    const paths = call.operands.map((path) => resolve(path));
    const sizes = await Promise.all(paths.map(sizeOf));
    const isAsked = !config.yes && !isTrial && !config.json && process.stdin.isTTY && call.stderr.isTerminal;
    const confirm = isAsked ? (checked: CheckedFile) => isWanted(sending, checked) : undefined;
    const work = await sending.open("send", { isLarge: sizes.some((size) => size > LARGE_BYTES), confirm });
    try {
      const codes: number[] = [];
      for (const [index, path] of paths.entries()) {
        if (listening.signals.soft.aborted) codes.push(7);
        else if (sizes[index] === FOLDER)
          codes.push(await runFolder(work, path, folderListener(sending, path), "once"));
        else codes.push(await runOne(sending, work, path));
      }
      const code = gravest(codes);
      return paths.length > 1 || sizes[0] === FOLDER ? summarize(call, config, code, { files: paths.length }) : code;
    } finally {
      await work.close();
    }
  });
}

/** Exit 0 when it was asked to end, 7 when it cut a batch off; 4 or 74 when what was on its way then ended with that. */
export async function watch(call: Call): Promise<number> {
  const isAtDesk = call.flags["desk"] === true;
  if (isAtDesk && call.operands.length === 0) return (await import("../desk/trial.ts")).tryDesk(call, watch);
  const openDesk = isAtDesk ? (await import("./desk.ts")).deskOf(call) : undefined;
  return withSending(call, async (sending) => {
    const inboxes = call.operands.map((operand) => resolve(operand));
    for (const inbox of inboxes) await assertFolder(inbox);
    const { soft, hard } = sending.listening.signals;
    const failed = new AbortController();
    const signals = { soft: AbortSignal.any([soft, failed.signal]), hard };
    const work = await untilAsked(sending.open("send", { isLarge: true, signals }));
    if (!work) return 0;
    sending.monitor.lasts();
    let desk: AsyncDisposableStack | undefined;
    try {
      const mode = call.flags["poll"] === true ? "poll" : "watch";
      const say = (text: string): void => sending.teller.say(text);
      // first of all: where its port is taken nothing is sent. At the end people still see what becomes of the last rows
      const looks = new Map<string, number>();
      desk = await openDesk?.(work, inboxes, say, { lastLook: (inbox) => looks.get(inbox) });
      const watches = inboxes.map((folder) => {
        const watching = async (soft: AbortSignal): Promise<number> => {
          const own = { ...work, signals: { soft, hard } };
          const listener = folderListener(sending, folder);
          const saw: FolderListener["saw"] = (...count) => {
            looks.set(folder, work.store.now());
            listener.saw?.(...count);
          };
          const code = await runFolder(own, folder, { ...listener, saw }, mode);
          if (!signals.soft.aborted) sending.monitor.leftInbox(folder);
          return code;
        };
        // the others come to their end before this one's failure is told
        return whileLeased(work, folder, signals.soft, say, watching).finally(() => failed.abort());
      });
      // it ends at once where no other host shares the journal; what it cannot do ends the watches, too
      const shares = takeShares(work, signals.soft);
      shares.catch(() => failed.abort());
      await Promise.allSettled([...watches, shares]);
      await shares;
      return gravest(await Promise.all(watches));
    } finally {
      await desk?.disposeAsync();
      await work.close();
    }
  });
}

/** From here on the journal gets a thread of its own: for a few rows it would only cost the time to start it. */
const LARGE_BYTES = 64 * 1024;
const FOLDER = Number.POSITIVE_INFINITY;

/** The size in bytes; what is not there is told when its turn comes. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    (stats) => (stats.isDirectory() ? FOLDER : stats.size),
    () => 0,
  );
}

/** A refused file does not keep the others waiting; a failing disk does. */
async function runOne(sending: Sending, work: OpenedWork, path: string): Promise<number> {
  const { teller, config, call } = sending;
  try {
    const report = await work.shared.together(() => whileGoing(work, path, (going) => runFile(going, path)));
    if (!report) {
      teller.say(told(ACTED.nothing_sent).text);
      return 0;
    }
    await putAnswer(path, openAnswer(report, { again: flagsAgain(call.flags, config.state_dir) }));
    teller.ended(report);
    return report.exitCode;
  } catch (error) {
    const code = exitCodeOf(error);
    if (code !== 5 && code !== 2) throw error;
    // a pattern such as *.csv names our own files as well: nobody has to correct them
    if (error instanceof FileRefusedError && inputName(error.file).kind !== "passed_over")
      await putAnswer(path, refusedAnswer(path, error));
    teller.say(errorText(error, config.json, config.verbose).trimEnd());
    return code;
  }
}

/** What is told of a folder goes to the screen or the log, the metrics and the notices. */
function folderListener({ call, config, teller, monitor, notices }: Sending, folder: string): FolderListener {
  return {
    say: (text) => teller.say(text),
    ended: (report) => teller.ended(report),
    failed(error) {
      const code = error instanceof PaydropError ? error.reason : undefined;
      teller.say(errorText(error, config.json, config.verbose).trimEnd(), code);
    },
    held: (at, news) => notices.held(folder, at, news),
    saw: (count, isRead) => monitor.sawInbox(folder, count, isRead),
    again: flagsAgain(call.flags, config.state_dir),
  };
}

/** What goes and where to; then one line from a person. Throws PaydropError `usage` when they leave. */
async function isWanted({ call, config, listening }: Sending, checked: CheckedFile): Promise<boolean> {
  const { look, write } = paperOf(call.stderr, config, call.flags);
  write(`${checkText(checked, look)}${questionText(checked)} `);
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin });
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, listening.signals.soft]);
  lines.once("close", () => left.abort());
  try {
    return /^\s*y(?:es)?\s*$/i.test(await lines.question("", { signal }));
  } catch {
    throw new PaydropError("no_answer");
  } finally {
    lines.close();
  }
}
