/** Every word of a report that is neither a row's own sentence nor said of a status everywhere (`words/status.ts`). */
import type { RowName } from "../../checks/correction.ts";
import { defined } from "../../defined.ts";
import type { ResultStatus } from "../../journal/state.ts";
import type { BatchPhase, ByStatus } from "../../journal/batch-record.ts";
import { releaseCommand, resumeBatchCommand, retryCommand, settleCommand, toldOf } from "../words/next-steps.ts";
import { occurringIn, STATE_WORDS } from "../words/status.ts";
import type { NeedKind } from "./needs.ts";
import type { Report } from "./report.ts";

/** `235 accepted`, `3 rejected`: of these statuses those that occur. */
export function countsIn(byStatus: ByStatus, statuses?: readonly ResultStatus[]): string[] {
  return occurringIn(byStatus, statuses).map(([status, { rows }]) => `${rows} ${STATE_WORDS[status]}`);
}

/** As many of a kind as stand in a report. */
export const ACCOUNTS_SHOWN = 50;
export const DECISIONS_SHOWN = 200;

export const ACCEPTED_MEANS = "Accepted means that the service took the request. It is not proof that money arrived.";

export const SANDBOX_MEANS = "SANDBOX: this was a trial, and no money moved.";

export const PHASE_WORDS: Readonly<Record<BatchPhase, string>> = {
  recording: "It is still being read; nothing of it was sent.",
  open: "",
  paused: "The batch is paused: nothing new is sent until a person resumes it.",
  cancelled: "The batch was cancelled: what was not sent never will be.",
};

interface NeedWords {
  readonly title: string;
  readonly todo: string;
  /** To copy. */
  readonly command?: (batch: string) => string;
}

/** What is to be done about rows of this kind, and the line to copy, if there is one. */
export function todoFor(
  kind: NeedKind,
  { batch, waitsFor }: Pick<Report, "batch" | "waitsFor">,
): { readonly todo: string; readonly command?: string } {
  if (kind === "held" && waitsFor) {
    const command = `paydrop status ${waitsFor.batch}`;
    return { todo: waitingText(waitsFor), command: toldOf(command, batch) };
  }
  const paused = batch.phase === "paused" ? WHEN_PAUSED[kind] : undefined;
  const { todo, command } = paused ?? NEED_WORDS[kind];
  return defined({ todo, command: command && toldOf(command(batch.id), batch) });
}

function waitingText({ batch, row }: RowName): string {
  return `Nothing of them was sent. Each waits for a row that has no end yet, the first for row ${row} of batch ${batch}: see to those first:`;
}

/** No run sends anything of a paused batch, and a retry is refused. */
const WHEN_PAUSED: Readonly<Partial<Record<NeedKind, Omit<NeedWords, "title">>>> = {
  rejected: {
    todo: "Correct them in the retry file beside the input and drop that again. Rows refused for the key or the address need no correction: they go when the batch is resumed.",
  },
  not_sent: {
    todo: "The batch is paused: they go when it is resumed; nothing goes twice.",
    command: resumeBatchCommand,
  },
  not_done: {
    todo: "The batch is paused: when it is resumed, paydrop retry sends them again:",
    command: resumeBatchCommand,
  },
};

export const NEED_WORDS: Readonly<Record<NeedKind, NeedWords>> = {
  unknown: {
    title: "No clear answer: look them up first",
    todo: "They may or may not have been carried out. Look each one up in the service's dashboard and do not send it again before that. Then say what you found:",
    command: (batch) => settleCommand(batch),
  },
  odd_answer: {
    title: "Accepted, with an answer that speaks of a problem",
    todo: "Look at each one in the service's dashboard. A row that the bank gave back is settled as not done:",
    command: (batch) => settleCommand(batch, "N", "not-done"),
  },
  rejected: {
    title: "Refused by the service",
    todo: "Correct them in the retry file beside the input and drop that again. Rows refused for the key or the address need no correction: they go when the file is run again.",
  },
  held: {
    title: "Waiting for a decision",
    todo: "Nothing of them was sent. Let go what is meant; when nothing more is, say so with paydrop cancel:",
    command: (batch) => releaseCommand(batch, "--row N"),
  },
  invalid: {
    title: "Not sent: they need a correction",
    todo: "Correct them in the retry file beside the input and drop that again.",
  },
  not_sent: {
    title: "Not sent yet",
    todo: "They go when the file is run again; nothing goes twice.",
    command: retryCommand,
  },
  not_done: {
    title: "Settled as not done: they may go again",
    todo: "Send them again, or leave them unsent:",
    command: retryCommand,
  },
  warned: { title: "To look at; nothing was stopped by it", todo: "Compare each one with where the file came from." },
};

const ACT_WORDS: Readonly<Record<string, string>> = {
  settle: "settled",
  release: "released",
  retry: "sent again",
  pause: "paused the batch",
  resume: "resumed the batch",
  cancel: "cancelled the batch",
  archive: "archived its details",
  restore: "restored its details",
  destination: "accepted another destination",
  accept_lost_journal: "accepted that the journal was lost",
  handover: "left the sending to the paydrop at work",
  stop: "stopped before the end",
  judged: "judged waiting rows again",
};

export function wordsOfAct(kind: string): string {
  return ACT_WORDS[kind] ?? kind;
}

export const SIGN_OFF: readonly string[] = ["Prepared by", "Checked by", "Approved by"];
