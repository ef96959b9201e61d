import type { WatchOptions } from "../config/options.ts";
import { FolderWatch } from "../drop-folder/folder-watch.ts";
import { Gate } from "../drop-folder/gate.ts";
import type { PaydropError } from "../errors.ts";
import type { BatchReport } from "../events.ts";
import { withProcessor } from "../processor.ts";
import { stopSignalOf, type ProcessOptions } from "./files.ts";
import { STOPS } from "../submission/stop-rules.ts";
import { assertFunctions, assertOptions, assertSignals, assertYesOrNo, resolvedNow } from "./given.ts";
import { Listener } from "./listener.ts";
import { withSending } from "./sending.ts";

/**
 * What a watched folder is told from outside, and what it tells. What a callback throws, or rejects with, ends the watching with
 * that error. Nobody waits for a promise that it returns.
 */
export interface WatchFolderOptions
  extends WatchOptions, Pick<ProcessOptions, "sandbox" | "onEvent" | "signal" | "giveUpSignal"> {
  /** Waits for no events: network shares give none. */
  readonly poll?: boolean;
  /** A batch came to its end, or stopped: `report.stop` says why, and whether it goes on by itself. */
  readonly onReport?: (report: BatchReport) => unknown;
  /** A file was refused (FileRefusedError), or cannot go with these settings (`config`, `destination`). */
  readonly onRefused?: (error: PaydropError) => unknown;
  /** What the command would print: the service is away, the folder is held, a link was passed over. */
  readonly onMessage?: (text: string) => unknown;
}

/** A folder that is being watched. */
export interface WatchedFolder {
  /**
   * Resolves when the watching has ended by `close` or `signal`. Rejects when it cannot go on: PaydropError `journal`,
   * a full disk, or what a callback threw. A program that ignores the rejection ends, as with every rejection that
   * nobody handles.
   */
  readonly ended: Promise<void>;
  /**
   * Sends nothing new, lets rows in flight finish, writes results, and frees locks and timers. Resolves or rejects as
   * `ended`.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Takes every file that is dropped into a folder, as `paydrop watch` does, and answers it there. Resolves when the
 * folder is being watched:
 *
 *     const inbox = await watchFolder("/srv/payroll/inbox", { baseUrl, apiKey, stateDir, onReport });
 *     await inbox.ended; // until somebody calls inbox.close()
 *
 * The folder need not be there yet, or always. Rejects with PaydropError `config`, `locked` (another process has this
 * state directory), or `journal` (the folder belongs to another state directory).
 */
export async function watchFolder(path: string, options: WatchFolderOptions): Promise<WatchedFolder> {
  const folder = resolvedNow("watchFolder", path);
  assertOptions("watchFolder", options);
  const { onEvent, onReport, onRefused, onMessage, signal, giveUpSignal, sandbox, poll = false, ...more } = options;
  assertFunctions({ onEvent, onReport, onRefused, onMessage });
  assertSignals({ signal, giveUpSignal });
  assertYesOrNo({ poll });
  const own = new AbortController();
  const asked = stopSignalOf(signal ? AbortSignal.any([signal, own.signal]) : own.signal, giveUpSignal);
  const listener = new Listener(() => own.abort(STOPS.work_failed));
  const say = listener.guard(onMessage);
  return new Promise((resolve, reject) => {
    const work = withSending(more, sandbox, async (services) => {
      const gate = new Gate(asked);
      const heard = { ...services, signal: gate, onEvent: listener.guard(onEvent), takesOver: true };
      await withProcessor(heard, "send", (processor) => {
        const watch = new FolderWatch({
          ...{ config: services.config, processor, folder, gate, isPolling: poll },
          settleIsSaid: more.settleMs !== undefined,
          listener: { say, mention: say, ended: listener.guard(onReport), failed: listener.guard(onRefused) },
        });
        return watch.untilStopped(() => resolve(watched()));
      });
      listener.rethrow();
    });
    const close = (): Promise<void> => {
      own.abort();
      return work;
    };
    // a promise of its own for the caller: what fails before the folder is watched is told by the rejection alone
    const watched = (): WatchedFolder => ({ ended: work.then(), close, [Symbol.asyncDispose]: close });
    work.catch(reject);
  });
}
