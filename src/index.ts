// kept in the declarations: since TypeScript 6 a project that names no types has none of Node's
/// <reference types="node" preserve="true" />
/**
 * paydrop as a library: the calls of the service, whole files, and what people do with their rows. Nothing here ends the
 * process, reads its environment for keys, or writes to its output.
 */
import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkOne } from "./acts/check.ts";
import { openWork, type OpenedWork } from "./acts/open.ts";
import { runFile } from "./batch.ts";
import { createTypedClient, type Client, type ClientOptions } from "./client/client.ts";
import { createEncryption, encryptionOf } from "./client/envelope.ts";
import { assertOption, loadOptions, requireSending, type Options } from "./config/load.ts";
import { PaydropError } from "./errors.ts";
import type { BatchReport, CheckedFile, RunEvent } from "./events.ts";
import { assertFolder, runFolder } from "./inbox/run-folder.ts";
import { againOf, complete } from "./messages/commands.ts";
import { sightOf } from "./monitor/server-watch.ts";
import type { Sandbox } from "./sandbox/server.ts";
import { outcomeOf } from "./submission/outcome.ts";

export { FileRefusedError, PaydropError } from "./errors.ts";
export type { ErrorCode } from "./errors.ts";
export { Secret } from "./config/secret.ts";
export type { CallResult, Client, ClientOptions, Requests } from "./client/client.ts";
export type { Options } from "./config/load.ts";
export type { AccountTotals, BatchReport, ByStatus, CheckedFile, ResultStatus, RunEvent } from "./events.ts";
export type { Stop, WrittenFiles } from "./events.ts";
export type { Command, Fault, Told } from "./messages/sentence.ts";
export type { Step } from "./messages/statuses.ts";
export { openActs, release, resume, retry, tell } from "./acts/open-acts.ts";
export type { OpenedActs } from "./acts/open-acts.ts";
export { approve } from "./acts/approve.ts";
export { cancel } from "./acts/cancel.ts";
export { resumeInbox, stopInbox } from "./acts/inbox.ts";
export { pause } from "./acts/pause.ts";
export { settle } from "./acts/settle.ts";
export { settleList } from "./acts/settle-list.ts";
export { reconcile } from "./acts/reconcile.ts";
export type { Reconciled, Reconciling } from "./acts/reconcile.ts";
export { find } from "./results/find.ts";
export type { FoundRow } from "./results/find.ts";
export type { Sought } from "./results/sought.ts";
export type { Acted, Named, OfBatch, Open } from "./acts/act.ts";
export type { Settled } from "./acts/settle.ts";
export type { Found } from "./messages/acts.ts";
export type { Tally } from "./journal/store.ts";
export type { OperationName } from "./operations/index.ts";

/**
 * The operations of §1 as functions, on connections of their own:
 *
 *     const client = createClient({ baseUrl: "https://api.bank.example", apiKey });
 *     const result = await client.transfer({ from_account: "ACC-1", to_account: "ACC-2", amount: "2500.00" });
 *     if (result.outcome === "unknown") …; // it may have been carried out: never send it again unseen
 *     await client.close();
 *
 * Amounts are decimal strings and travel with their digits. A call remembers nothing: keeping track of what was sent is
 * the caller's own work, or that of `processFile`. Throws PaydropError `config` for an option that cannot be right.
 */
export function createClient(options: ClientOptions): Client {
  return createTypedClient(options, outcomeOf);
}

/** How a payload is encrypted (§5.2): 32 and 16 bytes as the dashboard shows them, in hex, base64 or text. */
export type EncryptOptions = Pick<Options, "keyEncoding" | "padding" | "hexCase"> &
  Required<Pick<Options, "aesKey" | "aesIv">>;

/**
 * A payout's payload (compact JSON) as the HEX text of its AES-256-CBC ciphertext: steps 2 and 3 of §5.2. It travels as
 * `{"body": hex}`. Throws PaydropError `config` for a key or IV of another length, `usage` for a payload that is no text.
 */
export function encryptPayload(payload: string, options: EncryptOptions): string {
  const { config, secrets } = loadOptions(options);
  if (typeof payload !== "string" || !payload.isWellFormed()) throw new PaydropError("payload_no_text");
  const encryption = encryptionOf(config, secrets);
  if (!encryption) throw new PaydropError("keys_missing", { operation: "payout" });
  return createEncryption(encryption)(payload);
}

/** How a file is checked and sent: the settings of `paydrop help settings` in camelCase, keys, and who is told. */
export interface ProcessOptions extends Options {
  /** Sends to a sandbox of `paydrop/sandbox`, with its keys; without `stateDir` its memory is thrown away. */
  readonly sandbox?: Sandbox;
  /** Every row as it gets its end, and what else happens. Its error is thrown again when the run has ended. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Asks the run to stop: nothing new is sent, rows on their way finish, the results are written. */
  readonly signal?: AbortSignal;
  /** Does not wait for the rows on their way either: they become `unknown`. */
  readonly giveUpSignal?: AbortSignal;
}

/**
 * Checks a file, sends every valid row at most once, and writes results, retry file and summary beside it, as
 * `paydrop run` does. The same file again goes on where it stopped. The report's `exitCode` is that of the command.
 * Rejects with FileRefusedError (the file is broken, nothing was sent) or PaydropError.
 */
export async function processFile(path: string, options: ProcessOptions): Promise<BatchReport> {
  assertGiven(path, options);
  const { guard, failed, heard } = callingBack();
  const report = await opened(options, guard, signalsOf(options), (work) =>
    work.shared.together(() => runFile(work, resolve(path))),
  );
  await heard();
  failed.throwIfAborted();
  // nobody is asked, so nobody says no
  return withFlags(report as BatchReport, options);
}

/** Before anything is taken or sent. A mistake in a callback must not be found when the rows are gone. */
function assertGiven(path: string, options: WatchFolderOptions): void {
  assertOption("path", typeof path === "string" && path !== "", "the path of a file or folder");
  assertOption("options", Object(options) === options, "an object");
  for (const [option, given] of Object.entries(options) as [string, unknown][]) {
    if (given !== undefined && /^on[A-Z]/.test(option)) assertOption(option, typeof given === "function", "a function");
    if (given !== undefined && /signal$/i.test(option))
      assertOption(option, given instanceof AbortSignal, "an AbortSignal");
  }
}

/** Commands find what these options said; none finds a trial that is forgotten. */
function withFlags(report: BatchReport, { stateDir, baseUrl, environment }: ProcessOptions): BatchReport {
  const found = againOf(report.destination, stateDir === undefined ? {} : { state_dir: resolve(stateDir) });
  if (!found) return { ...report, next: [] };
  const service = { ...(baseUrl !== undefined && { base_url: baseUrl }), ...(environment && { environment }) };
  const needed = { ...found, sending: found.sending ?? service };
  return { ...report, next: report.next.map((step) => complete(step, needed)) };
}

/**
 * Does everything of `processFile` up to sending: no network, no keys, nothing remembered, nothing written. Rejects with
 * FileRefusedError for a broken file, with PaydropError `usage` for a missing one.
 */
export async function checkFile(path: string, options: Options = {}): Promise<CheckedFile> {
  assertGiven(path, options);
  return checkOne(resolve(path), loadOptions(options).config);
}

/** What a watched folder tells; what a callback throws ends the watching with that error. */
export interface WatchFolderOptions extends ProcessOptions {
  /** Waits for no events: network shares give none. */
  readonly poll?: boolean;
  /** A batch came to its end, or stopped: `report.stop` says why. */
  readonly onReport?: (report: BatchReport) => void;
  /** A file was refused, or cannot go with these settings. */
  readonly onRefused?: (error: unknown) => void;
  /** What the command would print: the service is away, the folder is held. */
  readonly onMessage?: (text: string) => void;
}

/** A folder that is being watched. */
export interface WatchedFolder {
  /** Resolves when the watching has ended by `close` or `signal`; rejects when it cannot go on. */
  readonly ended: Promise<void>;
  /** Sends nothing new, lets rows on their way finish, writes results, and frees locks and timers. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Takes every file that is dropped into a folder, as `paydrop watch` does, and answers it there. Resolves when the folder
 * is being watched. Rejects with PaydropError `usage` (no such folder), `config`, `locked` (another process has this state directory), or `journal`.
 */
export async function watchFolder(path: string, options: WatchFolderOptions): Promise<WatchedFolder> {
  assertGiven(path, options);
  await assertFolder(resolve(path), { mayCome: false });
  const { poll = false, onReport, onRefused, onMessage, ...more } = options;
  const own = new AbortController();
  const { guard, failed } = callingBack();
  failed.addEventListener("abort", () => own.abort("work_failed"));
  const { soft, hard } = signalsOf(more);
  const signals = { soft: AbortSignal.any([soft, own.signal]), hard };
  const listener = {
    say: (text: string) => guard(() => onMessage?.(text)),
    ended: (report: BatchReport) => guard(() => onReport?.(withFlags(report, more))),
    failed: (error: unknown) => guard(() => onRefused?.(error)),
  };
  const begun = Promise.withResolvers<undefined>();
  const watching = async (work: OpenedWork): Promise<void> => {
    begun.resolve(undefined);
    await runFolder(work, resolve(path), listener, poll ? "poll" : "watch");
  };
  const ended = opened(more, guard, signals, watching, listener.say).then(() => failed.throwIfAborted());
  ended.catch((error: unknown) => begun.reject(error));
  await begun.promise;
  const close = (): Promise<void> => {
    own.abort();
    return ended;
  };
  return { ended, close, [Symbol.asyncDispose]: close };
}

/** Opens what sends, for one piece of work. */
async function opened<T>(
  { sandbox, onEvent, signal: _soft, giveUpSignal: _hard, ...options }: ProcessOptions,
  guard: Guard,
  signals: OpenedWork["signals"],
  work: (opened: OpenedWork) => Promise<T>,
  say: (text: string) => void = () => undefined,
): Promise<T> {
  const isForgotten = sandbox !== undefined && options.stateDir === undefined;
  const scratch = isForgotten ? await mkdtemp(join(tmpdir(), "paydrop-sandbox-")) : undefined;
  const trial = sandbox && {
    ...{ baseUrl: sandbox.url, apiKey: sandbox.apiKey, aesKey: sandbox.aesKey, aesIv: sandbox.aesIv },
    ...{ environment: "test" as const, keyEncoding: "auto" as const, by: options.by ?? "sandbox" },
    ...(scratch === undefined ? {} : { stateDir: scratch }),
  };
  try {
    const { config, secrets } = loadOptions({ ...options, ...trial });
    // before a file is taken
    requireSending(config, secrets, { by: "options" });
    const tell = (event: RunEvent): void => guard(() => onEvent?.(event));
    const sight = sandbox ? undefined : sightOf(config, say);
    const around = { signals, tell, isLarge: true, isTrial: sandbox !== undefined, sight };
    const opening = await openWork(config, secrets, "send", around);
    return await work(opening).finally(() => opening.close());
  } finally {
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
  }
}

function signalsOf({ signal, giveUpSignal }: ProcessOptions): OpenedWork["signals"] {
  const hard = giveUpSignal ?? new AbortController().signal;
  return { soft: signal ? AbortSignal.any([signal, hard]) : hard, hard };
}

type Guard = (call: () => unknown) => void;

/**
 * Calls a caller's callbacks. If one throws, or its promise rejects, no row is held back: `failed` has the error, to be
 * thrown at the end. `heard`: all promises so far are settled.
 */
function callingBack() {
  const failure = new AbortController();
  const fail = (error: unknown): void => failure.abort(error);
  let heard: Promise<unknown> = Promise.resolve();
  const guard = (call: () => unknown): void => {
    try {
      const given = failure.signal.aborted ? undefined : call();
      if (!(given instanceof Object)) return;
      const caught = Promise.resolve(given).catch(fail);
      heard = heard.then(() => caught);
    } catch (error) {
      fail(error);
    }
  };
  return { guard, failed: failure.signal, heard: () => heard };
}
