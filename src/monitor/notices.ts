import { hostname } from "node:os";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isLoopback } from "../config/kinds.ts";
import type { Notify } from "../config/schema.ts";
import { Secret } from "../config/secret.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { BatchReport } from "../events.ts";
import type { Figures } from "../figures.ts";
import type { Environment, JournalStore } from "../journal/store.ts";
import { asSentence, counted, listed, todoLine, told, type Told } from "../messages/sentence.ts";
import { NOTICES, STATUSES } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { occurringIn } from "../results/totals.ts";
import { askOnce } from "./ask-once.ts";

const TRY_MS = 10_000;
/** Before the second and the third try. */
const WAITS_MS = [1_000, 3_000];
/** So long the end of a process waits for what is pending. */
const [ENDING_MS, URGENT_MS] = [10_000, 1_000];

/** `isPart`: others have it; said again, they would have it twice. */
interface Failure {
  readonly why: string;
  readonly isPart?: boolean;
}

const partOf = (refused: number): Failure | undefined =>
  refused === 0 ? undefined : { why: `refused for ${counted(refused, "recipient")}`, isPart: true };

/** `send` gives what went wrong. */
interface Way {
  readonly name: keyof Notify;
  /** What may be seen of its address. */
  readonly to: string;
  send(lines: readonly string[], signal: AbortSignal): Promise<Failure | undefined>;
}

/** `marks`: what is new when it is not among those that were told last. */
type Notice = Readonly<Record<"marks" | "lines", readonly string[]>>;

/**
 * Tells people of ends, holds and what needs them, by chat and mail (README §14), beside payments, and never in their way. Each
 * thing once, also after a restart and over several hosts: the journal keeps what was told. `say`: that a way fails is said
 * once, until it works again. `patience`: so many times as long it waits.
 */
export function createNotices(
  ways: readonly Way[],
  { environment, figures }: { readonly environment: Environment; readonly figures: Figures },
  say: (text: string) => void,
  patience = 1,
) {
  const failing = new Set<Way>();
  const ending = new AbortController();
  let store: Pick<JournalStore, "keep" | "kept"> | undefined;
  let pending: Promise<void> = Promise.resolve();

  const isTaken = async (way: Way, lines: readonly string[]): Promise<boolean> => {
    let failed: Failure | undefined;
    for (const waitMs of failing.has(way) ? [0] : [0, ...WAITS_MS]) {
      await sleep(patience * waitMs, undefined, { signal: ending.signal }).catch(() => undefined);
      failed = await tryOnce(way, lines, ending.signal);
      if (failed === undefined) return failing.delete(way) || true;
      if (failed.isPart) break;
    }
    if (!failing.has(way)) say(failure(way.to, failed?.why));
    failing.add(way);
    return failed?.isPart === true;
  };

  const deliver = async (journal: NonNullable<typeof store>, name: string, { marks, lines }: Notice): Promise<void> => {
    const [kept] = await journal.kept<Partial<Record<Way["name"], readonly string[]>>>("notice", name);
    const due = ways.filter((way) => marks.some((mark) => !kept?.value[way.name]?.includes(mark)));
    const taken = await Promise.all(due.map((way) => isTaken(way, lines)));
    const news = due.filter((_, at) => taken[at]).map(({ name: way }) => [way, marks] as const);
    if (news.length > 0) await journal.keep("notice", name, { ...kept?.value, ...Object.fromEntries(news) });
  };

  const tell = (name: string, notice: Notice | undefined): void => {
    const journal = store;
    if (!journal || !notice || ways.length === 0) return;
    const lines =
      environment === "test" ? notice.lines.map((line, at) => (at ? line : `[test] ${line}`)) : notice.lines;
    pending = pending
      .then(() => deliver(journal, name, { ...notice, lines }))
      .catch((error: unknown) => say(failure(listed(ways.map(({ to }) => to)), messageOf(error))));
  };

  return {
    follow: (journal: NonNullable<typeof store>): unknown => (store = journal),
    ended: (report: BatchReport): void => tell(report.batch, noticeOf(report, figures)),
    held: (folder: string, at: number, news: Told): void =>
      tell(folder, { marks: [`held at ${at}`], lines: linesOf(news) }),

    /** Before the journal is closed. `isUrgent`: a person wants it to end now. */
    async unfollow(isUrgent = false): Promise<void> {
      const lateMs = patience * (isUrgent ? URGENT_MS : ENDING_MS);
      const late = setTimeout(() => ending.abort(new PaydropError("notice_late")), lateMs);
      await pending;
      clearTimeout(late);
      store = undefined;
    },
  };
}

const failure = (to: string, why: string | undefined): string => new PaydropError("notice_failed", { to, why }).message;

const TEST = linesOf(told(NOTICES.test, { host: hostname() }));

/** What went wrong, of a test unless said. Servers repeat addresses of people in what they say. */
export async function tryOnce(way: Way, lines = TEST, ending?: AbortSignal): Promise<Failure | undefined> {
  const timeout = AbortSignal.timeout(TRY_MS);
  const signal = ending ? AbortSignal.any([timeout, ending]) : timeout;
  const failed = await way.send(lines, signal);
  if (failed === undefined) return undefined;
  const said = printable(signal.aborted ? messageOf(signal.reason) : failed.why, 200);
  return { ...failed, why: said.replaceAll(/[^\s<>"']+@[^\s<>"']+/g, "…") };
}

/** Stops after which a batch goes on by itself or with its next run, or that a person brought about. */
const NO_NEWS = /^(?:unreachable|rate_limited|signal|paused|cancelled|work_failed|folder_held|day_over_cap)$/;

/** undefined: nobody has to know. */
function noticeOf(report: BatchReport, figures: Figures): Notice | undefined {
  const { batch, byStatus, stop, phase, sentBefore, total, rowsToLookAt } = report;
  const rowsOf = (status: keyof typeof STATUSES): number => byStatus[status]?.rows ?? 0;
  const [unknown, held, left] = [rowsOf("unknown"), rowsOf("held"), rowsOf("not_sent")];
  const needing = stop && !NO_NEWS.test(stop.code) ? stop : undefined;
  const isOver = !stop && !phase && left === 0;
  const needsPerson = unknown + held > 0 || needing !== undefined;
  if (!needsPerson && (!isOver || sentBefore !== undefined)) return undefined;
  const kind = stop?.code === "approval_wanted" ? stop.code : needsPerson ? "needs_person" : "ended";
  const facts = {
    batch,
    unknown,
    held,
    total: figures.money(total.amount),
    wrong: rowsOf("rejected") + rowsOf("invalid"),
  };
  // whoever names a file calls nobody in a chat, and makes no link there
  const file = printable(basename(report.file), 120).replaceAll(/[<>@]/g, "_");
  const words = told(NOTICES[kind], { ...facts, file, held: needing ? 0 : held });
  const isOfStop = needing && kind === "needs_person" && unknown === 0;
  const ofStop = isOfStop && { todo: asSentence(needing.todo), commands: [...needing.commands, ...words.commands] };
  const [first = "", ...todo] = linesOf({ ...words, ...ofStop });
  const sums = occurringIn(byStatus).map(
    ([one, { rows, amount }]) => `${rows} ${STATUSES[one].word} (${figures.money(amount)})`,
  );
  const stopped = needing && kind === "needs_person" ? [`Stopped: ${needing.text}.`] : [];
  const rows = (["unknown", "held"] as const).flatMap((status) => {
    const listed = rowsToLookAt[status] ?? [];
    return [...listed.map((row) => `${status} ${row}`), `${status}: ${rowsOf(status) - listed.length} more`];
  });
  return {
    // a stop again after other rows went is news, one after another try is not
    marks: [kind, isOver ? "over" : "not over", ...(needing ? [`${needing.code}, ${left} left`] : []), ...rows],
    lines: [first, `${counted(total.rows)}, ${figures.money(total.amount)}: ${listed(sums)}.`, ...stopped, ...todo],
  };
}

function linesOf(words: Told): readonly string[] {
  const todo = todoLine(words);
  return todo === "" ? [words.text] : [words.text, `→ ${todo}`];
}

/** The ways that are configured, mail only with a server for it. Throws PaydropError `config` for a server that is none. */
export function waysOf({ webhook_url: hook, email_to: to }: Notify, smtpUrl?: Secret): readonly Way[] {
  return [...(hook === undefined ? [] : [webhook(hook)]), ...(to && smtpUrl ? [email(to, smtpUrl)] : [])];
}

function webhook(address: string): Way {
  const { origin, pathname, search } = new URL(address);
  // from here on it is found in whatever is printed
  new Secret(pathname + search);
  const send: Way["send"] = async (lines, signal) => {
    const why = await askOnce(address, signal, { text: lines.join("\n") });
    return why === undefined ? undefined : { why };
  };
  return { name: "webhook_url", to: origin, send };
}

/** TLS from the first byte, or by STARTTLS, which is asked for everywhere but on this machine. */
function email(to: readonly string[], smtpUrl: Secret): Way {
  const url = URL.parse(smtpUrl.reveal());
  const [user, pass] = [url?.username, url?.password].map((part = "") => decodeURIComponent(part));
  const from = url?.searchParams.get("from") ?? user;
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname || !from?.includes("@"))
    throw new PaydropError("smtp_url_wrong");
  new Secret(pass ?? "");
  const [secure, isLocal] = [url.protocol === "smtps:", isLoopback(url.href)];
  const server = {
    ...{ host: url.hostname.replaceAll(/[[\]]/g, ""), port: Number(url.port) || (secure ? 465 : 587), secure },
    ...{ requireTLS: !secure && !isLocal, ignoreTLS: isLocal, tls: { rejectUnauthorized: true } },
    ...{ disableFileAccess: true, disableUrlAccess: true, ...(user ? { auth: { user, pass: pass ?? "" } } : {}) },
  };
  return {
    ...{ name: "email_to", to: url.host },
    async send([subject = "", ...text], signal) {
      // loaded only where mail is wanted
      const { createTransport } = await import("nodemailer");
      const mail = { from: { name: "paydrop", address: from }, to: [...to], subject, text: text.join("\n") };
      const headers = { "Auto-Submitted": "auto-generated" };
      const sent = createTransport(server).sendMail({ ...mail, headers, signal });
      return sent.then(
        ({ rejected }) => partOf(rejected.length),
        (error: unknown) => ({ why: messageOf(error) }),
      );
    },
  };
}
